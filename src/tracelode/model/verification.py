"""What was found when a workflow was tried on the runs it was learned from, one left out at a time?"""

from __future__ import annotations

from typing import Literal

import msgspec

CallEnd = Literal["exact", "equivalent", "wrong", "escalated", "unbound"]
"""exact: the same call as in the run. equivalent: the same in another form. wrong: another call. escalated:
it would have stopped and asked. unbound: an argument is residual, or no other run has the step."""


class FoldCall(msgspec.Struct, frozen=True):
    """One call of a run that was left out."""

    call: int
    """Index in the run."""
    slot: str
    """Step, "" where no other run has it."""
    end: CallEnd
    """What replaying gave."""
    arg: str = ""
    """First argument that was not the same."""
    write: bool = False
    """It changes something."""
    why: str = ""
    """Closed code of an escalation."""


class Fold(msgspec.Struct, frozen=True):
    """One run that was left out."""

    run: str
    """Session key."""
    calls: tuple[FoldCall, ...]
    """In order; calls that were dropped as noise are not in it."""

    @property
    def bound(self) -> int:
        """Calls that were made without asking anybody."""
        return sum(c.end not in ("unbound", "escalated") for c in self.calls)

    @property
    def right(self) -> int:
        """Calls that came out the same."""
        return sum(c.end in ("exact", "equivalent") for c in self.calls)

    @property
    def whole(self) -> bool:
        """Were all calls made without asking anybody?"""
        return bool(self.calls) and self.bound == len(self.calls)

    @property
    def wrong_writes(self) -> int:
        """Writes that would have been another call: the worst that can happen."""
        return sum(c.write and c.end == "wrong" for c in self.calls)

    @property
    def end(self) -> str:
        """complete, safe_partial or unsafe."""
        if self.wrong_writes:
            return "unsafe"
        return "complete" if self.whole and self.right == len(self.calls) else "safe_partial"


class CurvePoint(msgspec.Struct, frozen=True):
    """How well a number of runs would have done."""

    runs: int
    """Runs that were learned from."""
    calls: int
    """Calls of the runs that were left out."""
    bound: int
    """Of these, bound."""
    right: int
    """Of these, the same."""
    whole: int
    """Runs bound as a whole."""
    whole_right: int
    """Of these, all calls the same."""
    folds: int
    """Runs that were left out."""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found."""

    folds: tuple[Fold, ...] = ()
    """One a run, by key."""
    curve: tuple[CurvePoint, ...] = ()
    """By number of runs."""
    problems: tuple[str, ...] = ()
    """What the static checks found: closed sentences with slots and argument paths."""
    mutations: int = 0
    """Values that were changed to see where the change goes."""
    leaks: tuple[str, ...] = ()
    """Changes that went where no edge says so: closed sentences."""
    saved: dict[str, int] = {}
    """Integers by measure name: what the calls cost that need no model any more, over all runs."""
    spent_us: int = 0
    """Microseconds that compiling took."""

    @property
    def calls(self) -> int:
        """Calls of all folds."""
        return sum(len(f.calls) for f in self.folds)

    @property
    def bound(self) -> int:
        """Bound calls of all folds."""
        return sum(f.bound for f in self.folds)

    @property
    def right(self) -> int:
        """Bound calls that came out the same."""
        return sum(f.right for f in self.folds)

    @property
    def wrong_writes(self) -> int:
        """Wrong writes of all folds."""
        return sum(f.wrong_writes for f in self.folds)

"""What does a run remember? The port behind which a journal lies, and the keys of what is remembered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from hashlib import blake2b
from typing import Protocol, TypeAlias

import msgspec

from tracelode.model.execution import Question, Reply
from tracelode.model.run import Tree

Call: TypeAlias = Callable[[], Awaitable[Tree]]
Before: TypeAlias = Callable[[], Awaitable["int | None"]]
_CANONICAL = msgspec.json.Encoder(order="deterministic")


class InDoubt(Exception):
    """A write was begun earlier, and nobody noted how it ended.

    Args:
        baseline: records that showed such a write before it began, None where nobody looked.
        died: whoever made it died amid it; False: the tool gave no answer.
    """

    def __init__(self, baseline: int | None = None, died: bool = False) -> None:
        super().__init__("in doubt")
        self.baseline = baseline
        self.died = died


class Ledger(Protocol):
    """The memory of one run: what was done once is not done again."""

    run: str
    """Run id."""
    calls: int
    """Tool calls made so far, over all resumptions."""
    asked: int
    """Questions answered so far."""
    schemas: Mapping[str, str]
    """Slot to the digest of the arguments that its tool took when the workflow last ran to its end."""

    def hide(self, tree: Tree) -> Tree:
        """A value without the run's secrets: what may be shown, sent to a model, or written.

        Args:
            tree: JSON value.
        """
        ...

    def digest(self, tree: Tree) -> str:
        """A digest of a value without the run's secrets.

        Args:
            tree: JSON value.
        """
        ...

    async def step(
        self, key: str, arguments: str, call: Call, before: Before, *, writes: bool, repeatable: bool
    ) -> Tree:
        """Make a call unless it was made.

        Args:
            key: of the call in the run.
            arguments: digest of its arguments.
            call: makes it.
            before: looks whether it may be made, just before it is; for a write it counts the records that
                show one like it already, None where it cannot.
            writes: it may change something: that it begins is on disk before it does.
            repeatable: a person configured that a repeat does no harm.

        Returns:
            Its output, now or then.

        Raises:
            ToolFailed: it failed, now or then.
            ToolUnsure: a read, or something repeatable, has no answer.
            InDoubt: a write was begun, now or then, and it is not known how it ended.
        """
        ...

    def begun(self, key: str) -> int | None:
        """When a call that was made began, in whatever process.

        Args:
            key: of the call.

        Returns:
            UTC microseconds, None where nobody noted it.
        """
        ...

    async def settle(self, key: str, output: Tree) -> None:
        """A write that was in doubt is known to have happened.

        Args:
            key: of the call.
            output: what counts as its output.
        """
        ...

    async def reply(self, question: Question) -> Reply | None:
        """The answer to a question: the one that was given, else whoever can be asked.

        Args:
            question: with its key.

        Returns:
            The answer, None where nobody can say now; the run stands at this question then.
        """
        ...

    async def given(self, key: str) -> Reply | None:
        """The answer that was given to a question, without asking.

        Args:
            key: of the question.
        """
        ...

    async def note(self, slot: str, code: str, guard: str) -> None:
        """Remember that a run stood still, for the monitor.

        Args:
            slot: step.
            code: of the escalation.
            guard: what did not hold, "" for none.
        """
        ...


def digest(tree: Tree) -> str:
    """A digest of a value.

    Args:
        tree: JSON value.

    Returns:
        32 hex digits; equal for equal values whatever the order of their keys.
    """
    return blake2b(_CANONICAL.encode(tree), digest_size=16).hexdigest()


def call_key(slot: str, place: int | None = None, poll: int = 0, round_: int = 0, attempt: int = 0) -> str:
    """The key of a call in its run.

    Args:
        slot: step.
        place: element of a for-each step.
        poll: number of the repeat of a waiting step.
        round_: times somebody said that it shall be tried again.
        attempt: number of the automatic retry.

    Example:
        >>> call_key("find#1"), call_key("find#1", place=2, attempt=1)
        ('find#1', 'find#1[2]!1')
    """
    parts = (slot, "" if place is None else f"[{place}]", f"@{poll}" if poll else "")
    return "".join(parts) + (f"~{round_}" if round_ else "") + (f"!{attempt}" if attempt else "")


def write_key(run: str, slot: str, place: int | None) -> str:
    """The idempotency key of a write: the same however often it is tried.

    Args:
        run: run id.
        slot: step.
        place: element of a for-each step.

    Returns:
        32 hex digits.
    """
    return digest(["write", run, slot, place])

"""What was each call for? Repeats, tries and detours are told from what the task needs, before any evidence.

The classes are tried in this order: redundant, retry, poll, fan_out, exploratory, dead_output, compensated;
what is none of them is essential. Whether a call repeats an earlier one is decided by the predicate that the
profile's loops use (signals.repeats.sort_of). A write is dropped only where it is declared idempotent and
does exactly what was done before, or where the tool itself said that it failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import msgspec

from tracelode.compile.consuming import again, hollow, told_anew, waits
from tracelode.compile.effects import Knowledge, knowledge
from tracelode.compile.fanning import fans
from tracelode.compile.resources import meeting, touches
from tracelode.compile.telling import Told
from tracelode.compile.unneeded import dead, explorations
from tracelode.compile.work import Label, Work
from tracelode.model.run import Call, Run, Tree
from tracelode.model.workflow import Effect
from tracelode.signals.lexicon import load
from tracelode.signals.likeness import likeness
from tracelode.signals.repeats import NEAR, sort_of
from tracelode.signals.tools import is_shell

ESSENTIAL = Label("essential")
DOUBT = frozenset({"timeout", "interrupted", "network error", "connection error"})
"""Error classes after which a write may have happened."""


def denoise(work: Work) -> Work:
    """Label every call of every run.

    Args:
        work: one intent; its runs in any order.

    Returns:
        The work with labels, by run and call.

    Source:
        compiler rules, S3.
    """
    known = knowledge(work)
    mute = silent(work.runs)
    parts = [_Part(run, known, mute) for run in work.runs]
    for part in parts:
        part.repeats()
        part.tries()
        part.polls()
    told = [part.told for part in parts]
    labels = [part.labels for part in parts]
    # a call that told something else than the same call before it, or after it, may have used that up
    anew = [{n for g in again(part.run) if told_anew(part.run, g) for n in g} for part in parts]
    reads = [
        [not effect.writes and n not in kept for n, effect in enumerate(part.effects)]
        for part, kept in zip(parts, anew, strict=True)
    ]
    fans(told, labels)
    explorations(told, labels, reads)
    dead(told, labels, reads)
    for part in parts:
        part.undone()
    found = tuple(tuple(part.labels[n] for n in range(part.count)) for part in parts)
    return replace(work, knowledge=known, labels=found)


class _Part:
    """One run on its way to labels."""

    def __init__(self, run: Run, known: Knowledge, mute: frozenset[tuple[str, str]]) -> None:
        self.run = run
        self._mute = mute
        self.count = len(run.calls)
        self.effects: list[Effect] = [known.of(call) for call in run.calls]
        self.touched = [
            touches(call, effect, run.effects.get(call.index, ()))
            for call, effect in zip(run.calls, self.effects, strict=True)
        ]
        self.labels: list[Label] = [ESSENTIAL] * self.count
        self.told = Told(run)

    def _free(self, call: int) -> bool:
        return self.labels[call].kind == "essential"

    def _failed(self, call: Call) -> bool:
        """Did a call fail, or tell nothing although its tool tells something elsewhere?"""
        mute = (call.server, call.name) in self._mute
        return bool(call.error) or (not mute and not call.missing and hollow(call.output))

    def changed(self, start: int, stop: int) -> bool:
        """Was what a call may depend on written between two places?

        Args:
            start: index of the earlier call, not looked at.
            stop: index of the later one.
        """
        return any(
            self.effects[n].writes
            and not self.run.calls[n].error
            and meeting([self.touched[n]], [self.touched[stop]]) is not None
            for n in range(start + 1, stop)
        )

    def repeats(self) -> None:
        """Label calls that ask again for what an earlier one told."""
        seen: dict[tuple[str, str, str], int] = {}
        for n, call in enumerate(self.run.calls):
            key = (call.server, call.name, _text(call.arguments))
            of = seen.get(key)
            if of is not None and not call.missing:
                before = self.run.calls[of]
                sort = sort_of(
                    looks=not self.effects[n].writes or self.effects[n].idempotent,
                    same=call.error == before.error and call.output == before.output,
                    failed_before=self._failed(before),
                    unchanged=not self.changed(of, n),
                )
                if sort == "redundant":
                    self.labels[n] = Label("redundant", of, "asked before with the same result")
                    continue
            seen[key] = n

    def tries(self) -> None:
        """Label calls that failed and were tried again, at last with success."""
        for n in range(self.count - 1, -1, -1):
            call = self.run.calls[n]
            told = bool(call.error) and call.error not in DOUBT
            if not self._free(n) or not (told or (not self.effects[n].writes and self._failed(call))):
                continue
            later = next((m for m in range(n + 1, self.count) if self._tries(n, m)), None)
            if later is not None:
                of = self.labels[later].of if self.labels[later].kind == "retry" else later
                why = "failed and tried again" if call.error else "told nothing and tried again"
                self.labels[n] = Label("retry", of, why)

    def _tries(self, call: int, later: int) -> bool:
        """Is a later call another try of one that failed, and did that try or one after it succeed?"""
        one, other = self.run.calls[call], self.run.calls[later]
        if (other.server, other.name) != (one.server, one.name) or other.missing:
            return False
        ends = self.labels[later].kind == "retry" or (self._free(later) and not self._failed(other))
        if is_shell(one.name) or one.name.lower() in load().tools:
            # one key holds a whole command or path there: a third of the keys would be any other command; and
            # to run the tests again after an edit is no try but a check
            alike = ends and likeness(_text(one.arguments), _text(other.arguments), NEAR) >= NEAR
            return alike and not self.changed(call, later)
        return ends and near(one.arguments, other.arguments)

    def polls(self) -> None:
        """Label calls that look again and again until something has changed by itself."""
        chains: dict[tuple[str, str, str], list[int]] = {}
        for n, call in enumerate(self.run.calls):
            if self._free(n) and not self.effects[n].writes and not call.missing:
                chains.setdefault((call.server, call.name, _text(call.arguments)), []).append(n)
        for chain in chains.values():
            outputs = [self.run.calls[n].output for n in chain]
            still = any(self.labels[m].of in chain for m in range(self.count))
            waited = len(chain) > 1 and waits(self.run.calls[chain[0]].name, outputs, still)
            if waited and not self.changed(chain[0], chain[-1]):
                for n in chain:
                    of = -1 if n == chain[0] else chain[0]
                    self.labels[n] = Label("poll", of, "waited until it was another")
        for n, label in enumerate(self.labels):
            # an identical look inside of a wait is a part of it
            if label.kind == "redundant" and self.labels[label.of].kind == "poll":
                first = self.labels[label.of].of
                self.labels[n] = Label(
                    "poll", label.of if first < 0 else first, "waited until it was another"
                )

    def undone(self) -> None:
        """Label writes that a later write takes back."""
        writes = [n for n, call in enumerate(self.run.calls) if self.effects[n].writes and not call.error]
        for place, n in enumerate(writes):
            call = self.run.calls[n]
            for later in writes[place + 1 :] if self._free(n) else ():
                other = self.run.calls[later]
                if not self._free(later) or other.server != call.server:
                    continue
                if _opposed(call.name, other.name) and self._names(n, later):
                    self.labels[n] = Label("compensated", later, "taken back later")
                    self.labels[later] = Label("compensated", n, "takes an earlier call back")
                    break

    def _names(self, call: int, later: int) -> bool:
        """Does a later call name what an earlier one made or was given, and nothing else?"""
        given = {text for _, text in self.told.arguments[call]}
        named = [text for _, text in self.told.arguments[later]]
        return bool(named) and any(t in given or self.told.tells(call, t) for t in named)


@lru_cache(maxsize=4_096)
def _opposed(one: str, other: str) -> bool:
    from tracelode.compile.refuse import opposed

    return opposed(one, other)


def silent(runs: Sequence[Run]) -> frozenset[tuple[str, str]]:
    """Tools that never tell anything: from them, telling nothing is no failure.

    Args:
        runs: of one intent.

    Returns:
        (server, name) of the tools whose outputs are all empty.
    """
    called = {(c.server, c.name) for run in runs for c in run.calls}
    return frozenset(called - {(c.server, c.name) for run in runs for c in run.calls if not hollow(c.output)})


def near(one: Tree, other: Tree) -> bool:
    """Are two calls' arguments equal but for a third of their keys?

    Args:
        one: arguments.
        other: arguments.

    Returns:
        True: at most a third of all keys, rounded up, differ.
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        same: bool = one == other
        return same
    keys = one.keys() | other.keys()
    differ = sum(key not in one or key not in other or one[key] != other[key] for key in keys)
    return bool(differ <= -(-len(keys) // 3))


def _text(tree: Tree) -> str:
    return msgspec.json.encode(tree, order="deterministic").decode()

"""Which lines were written and taken out again, and when did files return? Detectors D4 to D6 on edits."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec

from tracelode.model.planning import PlanMetric
from tracelode.plan.edits import Edit, changed
from tracelode.plan.metrics.figure import absent
from tracelode.plan.work import Call, Work

LIKE, UNLIKE = 0.8, 0.5
"""Shares of common lines from which two states are alike, and below which they differ."""
MOST_STATES = 200
"""States of one file that are compared with each other."""
LEAST = 4
"""Lines a state needs to be compared: of shorter ones every change is a large one."""


class _Line(msgspec.Struct):
    """A line that the session put in."""

    place: int
    """Place of the call that did."""
    nodes: tuple[str, ...]
    """Nodes in progress then."""


class Rework(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the lines that a session wrote."""

    added: int = 0
    """Lines put in."""
    again: int = 0
    """Of them: taken out again later."""
    finished: int = 0
    """Of them: by a node that had been finished by then."""
    later_node: int = 0
    """Of them: while another node was in progress."""
    later_prompt: int = 0
    """Of them: after a new prompt of a person."""
    calls: tuple[str, ...] = ()
    """Ids of calls that took such lines out."""
    finished_calls: tuple[str, ...] = ()
    """Of them: those that took out lines of a finished node."""
    returns: tuple[str, ...] = ()
    """Ids of calls after which a file was as it had been before."""
    vcs: tuple[str, ...] = ()
    """Ids of calls that brought files back by version control."""
    undone: frozenset[int] = frozenset()
    """Places of calls whose lines were taken out after a new prompt of a person."""


def rework(work: Work) -> Rework:
    """Follow every line that the session wrote.

    Args:
        work: what was observed.

    Returns:
        Counts of lines; white space and lines without a letter or digit do not count. A line that is put in
        again by the same call was moved, not taken out.

    Source:
        plan rules, section 7.6, D4 to D6.
    """
    return _Follower(work).result()


class _Follower:
    def __init__(self, work: Work) -> None:
        self.work = work
        self.own: dict[str, dict[str, list[_Line]]] = defaultdict(lambda: defaultdict(list))
        """File to digest to lines put in and not taken out."""
        self.text: dict[str, Counter[str]] = defaultdict(Counter)
        """File to what is known to be in it."""
        self.states: dict[str, list[frozenset[str]]] = defaultdict(list)
        self.counts: Counter[str] = Counter()
        self.calls: list[str] = []
        self.finished: list[str] = []
        self.back: list[str] = []
        self.undone: set[int] = set()
        self.stops = {s.node: s.stop for s in work.spans if s.succeeded and s.stop is not None}

    def result(self) -> Rework:
        for call in self.work.calls:
            before = self.counts["finished"]
            taken = sum([self._edit(call, edit) for edit in call.edits])
            if taken:
                self.calls.append(call.id)
            if self.counts["finished"] > before:
                self.finished.append(call.id)
        n = self.counts
        return Rework(
            added=n["added"],
            again=n["again"],
            finished=n["finished"],
            later_node=n["later_node"],
            later_prompt=n["later_prompt"],
            calls=tuple(self.calls),
            finished_calls=tuple(self.finished),
            returns=tuple(self.back),
            vcs=tuple(c.id for c in self.work.calls if c.vcs),
            undone=frozenset(self.undone),
        )

    def _edit(self, call: Call, edit: Edit) -> int:
        text = self.text[edit.path]
        if edit.whole:
            removed, added = changed(tuple(text.elements()), edit.added)
            # order is not kept here: what is in both stays
            kept = Counter(removed) & Counter(added)
            out, into = Counter(removed) - kept, Counter(added) - kept
        else:
            kept = Counter(edit.removed) & Counter(edit.added)
            out, into = Counter(edit.removed) - kept, Counter(edit.added) - kept
        taken = sum(self._take(call, edit.path, line) for line in out.elements())
        nodes = tuple(s.node for s in self.work.inside(call.place)) or ((call.node,) if call.node else ())
        for line in into.elements():
            self.own[edit.path][line].append(_Line(call.place, nodes))
            self.counts["added"] += 1
        text.subtract(out)
        text.update(into)
        self.text[edit.path] = +text
        self._state(call, edit)
        return taken

    def _take(self, call: Call, path: str, line: str) -> int:
        held = self.own[path].get(line)
        if not held:
            return 0
        made = held.pop()
        self.counts["again"] += 1
        now = {s.node for s in self.work.inside(call.place)} | ({call.node} if call.node else set())
        done = [n for n in made.nodes if (stop := self.stops.get(n)) is not None and stop <= call.place]
        if done:
            self.counts["finished"] += 1
        if made.nodes and now and not now.intersection(made.nodes):
            self.counts["later_node"] += 1
        prompts = self.work.prompts
        if bisect_left(prompts, made.place) != bisect_left(prompts, call.place):
            self.counts["later_prompt"] += 1
            self.undone.add(made.place)
        return 1

    def _state(self, call: Call, edit: Edit) -> None:
        """Is the file like an earlier state that is not the one before, with an unlike one in between?"""
        states = self.states[edit.path]
        state = frozenset(self.text[edit.path])
        if states and states[-1] == state:
            return
        if len(state) >= LEAST and len(states) >= 2:
            likeness = [_alike(state, old) for old in states]
            for place in range(len(states) - 1):
                back = likeness[place] >= LIKE and likeness[place] > likeness[-1]
                if back and min(likeness[place + 1 :]) < UNLIKE:
                    self.back.append(call.id)
                    break
        states.append(state)
        if len(states) > MOST_STATES:
            del states[0]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    size = len(one | other)
    return len(one & other) / size if size else 1.0


def rework_metrics(work: Work | None, planned: bool) -> Iterator[PlanMetric]:
    """Line-level rework.

    Args:
        work: what was observed, None for nothing.
        planned: has the session plan nodes?

    Returns:
        observed_rework (all lines), rework_finished (of finished nodes), and counts of D4 to D6.
    """
    names = (
        ("observed_rework", "ratio"),
        ("rework_finished", "ratio"),
        ("rework_later_prompt", "ratio"),
        ("rollback_D4", "events"),
        ("rollback_D5", "events"),
        ("rollback_D6", "events"),
    )
    if work is None or not work.calls:
        for name, unit in names:
            yield absent(name, unit, "no tool call is in the record")
        return
    found = rework(work)
    edited = any(call.edits for call in work.calls)
    blind = any(call.writes and not call.edits for call in work.calls)
    note = "" if work.whole else "from previews: long edits are missing"
    if blind and not note:
        note = "some calls change files without telling the lines"
    lines = {
        "observed_rework": found.again,
        "rework_finished": found.finished,
        "rework_later_prompt": found.later_prompt,
    }
    for name, count in lines.items():
        if name == "rework_finished" and not planned:
            yield absent(name, "ratio", "no plan node: nothing was finished before")
        elif not edited or not found.added:
            yield absent(name, "ratio", "no edit tells its lines")
        else:
            yield PlanMetric(
                name=name,
                value=count / found.added,
                numerator=count,
                denominator=found.added,
                unit="ratio",
                n=found.added,
                reason=note,
                evidence={"observed": found.added},
                events=found.calls,
            )
    if edited:
        yield _count("rollback_D4", found.returns, note)
        yield _count("rollback_D5", found.calls, note)
    else:
        yield absent("rollback_D4", "events", "no edit tells its lines")
        yield absent("rollback_D5", "events", "no edit tells its lines")
    yield _count("rollback_D6", found.vcs, "")


def _count(name: str, ids: tuple[str, ...], note: str) -> PlanMetric:
    return PlanMetric(
        name=name,
        value=len(ids),
        numerator=len(ids),
        denominator=None,
        unit="events",
        n=len(ids),
        reason=note,
        evidence={"observed": len(ids)} if ids else {},
        events=ids,
    )

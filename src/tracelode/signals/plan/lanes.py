"""Whose list does a call change? Threads, teams and sub-agents: lists are keyed, not sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import merge
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.signals.plan.board import At, Board, Step
from tracelode.signals.plan.keep import kept_of
from tracelode.signals.plan.kept import Kept
from tracelode.signals.plan.stretches import calls_of

TEAM = "team"
"""Operation field: the team whose members share one list."""


class Lane(NamedTuple):
    """One thread: a session or a sub-agent."""

    session: str
    """Session key."""
    operations: Sequence[Operation]
    """Its operations in order; plans, prompts, notes and human moments are enough."""
    root: str = ""
    """Key of its family's root, "" for its own."""
    call: str | None = None
    """Id of the operation that started it, None for none."""


class Handoff(NamedTuple):
    """A prompt that brought a plan along."""

    hash: str
    """What equal plans share."""
    session: str
    """Session it opened or went on in."""
    moment: int | None
    """UTC microseconds."""
    place: int
    """Index of the prompt."""


class Followed(NamedTuple):
    """The lists of some lanes, and what each call did to them."""

    boards: dict[str, Board]
    """By list key: a session key, or "team:" and a name."""
    steps: dict[tuple[str, int], tuple[str, list[Step]]]
    """(session, index of the operation) to list key and steps."""


def handoffs(operations: Iterable[Operation]) -> list[Handoff]:
    """Prompts that brought a plan along.

    Args:
        operations: of any sessions.

    Returns:
        One for each, in the order given.
    """
    found = []
    for o in operations:
        if o.kind == "prompt" and not o.inherited:
            kept = kept_of(o)
            if kept.form == "handoff":
                found.append(Handoff(kept.hash, o.session, o.started, o.index))
    return found


class _Call(NamedTuple):
    moment: int
    lane: int
    place: int
    kept: Kept
    at: At
    team: str


def follow(lanes: Sequence[Lane]) -> Followed:
    """Apply every call to the list it belongs to.

    Args:
        lanes: n threads.

    Returns:
        The boards and the steps. Calls of one thread keep their order; those of several threads on one
        list are merged by time.

    Source:
        plan rules, E9 and section 5.3.
    """
    calls = [list(_calls(number, lane)) for number, lane in enumerate(lanes)]
    made = {
        lane.session: {c.kept.items[0].id for c in own if c.kept.form == "create" and c.kept.items}
        for lane, own in zip(lanes, calls, strict=True)
    }
    boards: dict[str, Board] = {}
    steps: dict[tuple[str, int], tuple[str, list[Step]]] = {}
    firsts: dict[str, str] = {}
    for call in merge(*calls):
        lane = lanes[call.lane]
        key = _key(lane, call, made)
        name = call.kept.list
        if name and firsts.setdefault(key, name) != name:
            # a tool that keeps several lists apart: the first one is the thread's
            key = f"{key}/{name}"
        done = boards.setdefault(key, Board()).apply(call.kept, call.at)
        steps[lane.session, call.place] = (key, done)
    return Followed(boards, steps)


def _calls(number: int, lane: Lane) -> Iterable[_Call]:
    latest = -1
    for operation in lane.operations:
        kept = calls_of(operation)
        if kept is not None:
            # a clock that steps back must not change the order of a thread
            latest = max(latest, operation.started if operation.started is not None else -1)
            at = At(operation.index, operation.started)
            yield _Call(latest, number, at.place, kept, at, operation.fields.get(TEAM, ""))


def _key(lane: Lane, call: _Call, made: dict[str, set[str]]) -> str:
    """The key of the list that a call changes: lists that are rewritten whole are a thread's own."""
    if call.kept.form == "list":
        return lane.session
    if call.team:
        return f"team:{call.team}"
    ident = call.kept.items[0].id if call.kept.items and call.kept.form == "change" else ""
    foreign = ident and ident not in made[lane.session] and ident in made.get(lane.root, ())
    return lane.root if foreign else lane.session

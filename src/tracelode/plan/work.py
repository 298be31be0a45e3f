"""What was done, beside what was declared? Tool calls with the lines they change, and nodes in progress."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec

from tracelode.model.measure import TOKEN_KINDS, split_evenly
from tracelode.model.operation import Operation
from tracelode.model.plan import Plan, PlanEvent
from tracelode.plan.edits import Edit, edits_of
from tracelode.plan.life import NAMELESS, Story
from tracelode.signals.plan.told import told_event

TESTS = frozenset({"test", "lint", "build", "verify"})
"""Closed verbs of what checks work."""
_DONE = frozenset({"tool", "subagent", "gui"})
_TESTING = re.compile(
    r"\b(?:(?:re-?)?test(?:s|ed|ing)?|lint(?:s|er|ing)?|builds?|type-?checks?|pytest|verif(?:y|ies|ication))\b",
    re.IGNORECASE,
)
_VCS = re.compile(
    r"\bgit\s+(?:-\S+\s+(?:\S+\s+)?)*(?:restore\b|checkout\s+(?:\S+\s+)?--(?:\s|$)|reset\b[^;&|\n]*--(?:hard|merge|keep)"
    r"|revert\b|stash(?!\s+(?:list|show|branch|create|store|clear))\b)"
)
_STAGED = re.compile(r"\bgit\s+restore\b[^;&|\n]*--staged(?![^;&|\n]*--worktree)")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call."""

    id: str
    """Id of the operation or event."""
    place: int
    """Place on the scale of the spans."""
    node: str = ""
    """Node that it names itself, "" for none."""
    test: bool = False
    """Does it check work?"""
    vcs: bool = False
    """Does it bring files back by version control?"""
    edits: tuple[Edit, ...] = ()
    """Lines it changes."""
    writes: bool = False
    """Does it change files, as far as is known?"""
    tokens: int = 0
    """Tokens of the turn that issued it, its part."""
    at: int | None = None
    """UTC microseconds of its start, None if unknown."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Where a node was in progress."""

    node: str
    """Node id."""
    start: int
    """Place of the start."""
    stop: int | None
    """Place of the end, None while open."""
    implied: bool
    """No start was declared."""
    succeeded: bool
    """Did it end well?"""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What was observed of one session."""

    calls: tuple[Call, ...]
    """In order; plan tools left out."""
    spans: tuple[Span, ...]
    """Attempts in order of their starts."""
    prompts: tuple[int, ...] = ()
    """Places of new prompts of people."""
    waits: tuple[tuple[int, int], ...] | None = None
    """When a question or a permission waited for a person, UTC microseconds; None where it is not
    recorded."""
    turns: tuple[int, ...] = ()
    """Places of model turns."""
    whole: bool = True
    """Were whole texts at hand, so that lines can be told?"""
    tokens_known: bool = False
    """Does the trace tell tokens?"""

    @cached_property
    def _inside(self) -> dict[int, tuple[Span, ...]]:
        """Attempts in progress at each call and turn, found in one sweep."""
        places = sorted({*(call.place for call in self.calls), *self.turns})
        waiting = sorted(self.spans, key=lambda s: s.start)
        active: list[Span] = []
        found: dict[int, tuple[Span, ...]] = {}
        at = 0
        for place in places:
            while at < len(waiting) and waiting[at].start < place:
                active.append(waiting[at])
                at += 1
            active = [s for s in active if s.stop is None or place < s.stop]
            found[place] = tuple(active)
        return found

    @cached_property
    def _places(self) -> list[int]:
        return [call.place for call in self.calls]

    def inside(self, place: int) -> tuple[Span, ...]:
        """Attempts in progress at a call or a turn."""
        return self._inside.get(place, ())

    def behind(self, span: Span) -> list[Call]:
        """Calls from the start to the end of an attempt, both included, but those of other nodes."""
        start = bisect_left(self._places, span.start)
        stop = len(self.calls) if span.stop is None else bisect_right(self._places, span.stop)
        return [c for c in self.calls[start:stop] if not c.node or c.node == span.node]

    @cached_property
    def outside(self) -> int:
        """Calls outside every node."""
        return sum(1 for call in self.calls if not call.node and not self.inside(call.place))


def is_check(text: str) -> bool:
    """Is a node's text that of a step that checks work, and so comes again and again?

    Example:
        >>> is_check("Run tests and lint"), is_check("Add the parser")
        (True, False)
    """
    return _TESTING.search(text) is not None


def returns(command: str) -> bool:
    """Does a shell command bring files back by version control?

    Args:
        command: shell text.

    Example:
        >>> returns("git checkout -- a.py"), returns("git checkout main"), returns("git stash list")
        (True, False, False)
    """
    return _VCS.search(command) is not None and _STAGED.search(command) is None


def work_of_story(story: Story) -> Work | None:
    """What the events themselves tell of work: execute events that name a tool.

    Args:
        story: one session.

    Returns:
        None where no event names a tool: then nothing was observed.
    """
    calls = []
    again = _told_twice(story)
    for place in story.executes:
        event = story.events[place]
        tool = event.payload.get("tool")
        if not isinstance(tool, str) or not tool or place in again or _planned_by_tool(event.payload, tool):
            continue
        told = event.payload.get("input_summary")
        command = told if isinstance(told, str) else ""
        calls.append(
            Call(
                id=event.event_id,
                place=place,
                node=event.node_id,
                vcs=returns(command),
                test=is_check(f"{tool} {command}"),
                edits=edits_of(tool, command),
            )
        )
    if not calls:
        return None
    spans = [
        Span(
            node=t.node.id,
            start=t.place,
            stop=t.stopped,
            implied=t.implied,
            succeeded=t.end is not None and t.end.status == "succeeded",
        )
        for t in story.tries
    ]
    prompts = tuple(
        p for p, e in enumerate(story.events) if e.actor == "human" and e.payload.get("decision") == "prompt"
    )
    return Work(calls=tuple(calls), spans=tuple(spans), prompts=prompts, whole=False)


def _told_twice(story: Story) -> set[int]:
    """Places of starts that name the tool which the end of the attempt names too: that is one call."""
    found: set[int] = set()
    loose: dict[str, int] = {}
    for place in story.executes:
        event = story.events[place]
        if event.node_id not in NAMELESS:
            continue
        if event.status == "running":
            loose[event.node_id] = place
        elif (start := loose.pop(event.node_id, None)) is not None and _same_tool(story.events[start], event):
            found.add(start)
    return found | {
        one.place
        for one in story.tries
        if not one.implied
        and one.end is not None
        and one.start is not one.end
        and _same_tool(one.start, one.end)
    }


def _same_tool(start: PlanEvent, end: PlanEvent) -> bool:
    return bool(end.payload.get("tool") == start.payload.get("tool"))


def _planned_by_tool(payload: Mapping[str, object], tool: str) -> bool:
    """Is the tool the one that keeps the plan, and no work?"""
    return tool.lower().replace("_", "") in _PLAN_TOOLS


_PLAN_TOOLS = frozenset(
    {"todowrite", "taskcreate", "taskupdate", "updateplan", "writetodos", "tasktracker", "exitplanmode"}
)


def work_of_operations(
    operations: Sequence[Operation],
    plan: Plan,
    contents: Mapping[str, str] | None = None,
    spans: Sequence[Span] | None = None,
) -> Work:
    """What a session's operations tell of work.

    Args:
        operations: n operations of one session, in order.
        plan: its plan.
        contents: operation id to its whole input; None: only previews are at hand.
        spans: where nodes were in progress, in order; None: as the plan says.

    Returns:
        Calls and attempts on the scale of operation indexes.
    """
    own = [o for o in operations if not o.inherited]
    issued: dict[str, int] = {}
    for o in own:
        if o.kind in _DONE and "call" in o.fields:
            issued[o.fields["call"]] = issued.get(o.fields["call"], 0) + 1
    shares = {
        o.id: iter(split_evenly(_tokens(o) or 0, issued[o.id]))
        for o in own
        if o.kind == "model" and o.id in issued
    }
    calls = [_call(o, contents, shares) for o in own if o.kind in _DONE]
    if spans is None:
        spans = [
            Span(node=node.id, start=a.start, stop=a.stop, implied=a.implied, succeeded=a.end == "succeeded")
            for node in plan.nodes
            for a in node.attempts
        ]
    spans = sorted(spans, key=lambda s: (s.start, s.node))
    return Work(
        calls=tuple(calls),
        spans=tuple(spans),
        prompts=tuple(o.index for o in own if o.kind == "prompt" and o.actor == "human"),
        waits=tuple(_waits(own)),
        turns=tuple(o.index for o in own if o.kind == "model"),
        whole=contents is not None,
        tokens_known=any(_tokens(o) is not None for o in own if o.kind == "model" or o.kind in _DONE),
    )


def work_of_told(
    operations: Sequence[Operation], plan: Plan, contents: Mapping[str, str] | None = None
) -> Work:
    """The same of a session whose operations say which event each of them is.

    Args:
        operations: n operations of one session, in order.
        plan: its events, in the order of the operations that tell them.
        contents: operation id to its whole input; None: only previews are at hand.

    Returns:
        Calls and attempts on the scale of operation indexes.
    """
    work = work_of_operations(operations, plan, contents)
    places = [o.index for o in operations if told_event(o) is not None]
    story = Story(plan.events)
    if len(places) != len(story.events):
        return work
    spans = [
        Span(
            node=one.node.id,
            start=places[one.place],
            stop=places[one.stopped] if one.stopped is not None else None,
            implied=one.implied,
            succeeded=one.end is not None and one.end.status == "succeeded",
        )
        for one in story.tries
    ]
    named = {o.id: told.node_id for o in operations if (told := told_event(o)) is not None}
    calls = tuple(msgspec.structs.replace(call, node=named.get(call.id, "")) for call in work.calls)
    return replace(work, spans=tuple(sorted(spans, key=lambda s: (s.start, s.node))), calls=calls)


def _waits(operations: Iterable[Operation]) -> Iterable[tuple[int, int]]:
    for o in operations:
        if o.fields.get("human") in ("answer", "denial") and o.started is not None and o.ended is not None:
            yield o.started, o.ended


def _tokens(operation: Operation) -> int | None:
    told = [v for k, v in operation.measures.items() if k in TOKEN_KINDS]
    return sum(told) if told else None


def _call(
    o: Operation,
    contents: Mapping[str, str] | None,
    shares: Mapping[str, Iterator[int]],
) -> Call:
    failed = o.status in ("error", "denied", "interrupted")
    tool = o.fields.get("tool") or o.name
    text = (contents or {}).get(o.id) or o.arguments
    command = o.fields.get("command") or ""
    verb = o.fields.get("verb")
    return Call(
        id=o.id,
        place=o.index,
        test=verb in TESTS,
        vcs=not failed and returns(command or text[:4000]),
        edits=() if failed else edits_of(tool, text, command),
        writes=verb in ("edit", "create", "fix"),
        # what its call's tokens were shared out to it, and its part of what was not
        tokens=(_tokens(o) or 0) + next(shares.get(o.fields.get("call", ""), iter(())), 0),
        at=o.started,
    )

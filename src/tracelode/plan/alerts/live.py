"""What is counted while a session goes on? Each event or tool call adds to figures that need no look back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from tracelode.model.plan import PlanEvent
from tracelode.plan.life import NAMELESS, Story
from tracelode.plan.sequence import observes, result
from tracelode.plan.work import Call, work_of_story
from tracelode.signals.plan.lines import is_goal

COUNTED: tuple[str, ...] = (
    "restarts",
    "calls_without_plan",
    "work_outside_plan",
    "completions_without_work",
    "human_stops",
    "failed_attempts",
)
"""Figures that are sums over events, so that they have windows."""
SHARES = frozenset({"work_outside_plan"})
"""Those of them that are shares."""
STOPS = frozenset({"interrupt", "deny_tool"})


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One event, or one tool call beside the events."""

    session: str
    """Session key."""
    id: str
    """Of the event or the call."""
    at: int | None
    """UTC microseconds, None if unknown."""
    event: PlanEvent | None = None
    """The event, None for a call beside the events."""
    call: Call | None = None
    """The tool call that it is, None for none."""


class Mark(msgspec.Struct, frozen=True):
    """What a step adds to a figure."""

    metric: str
    """One of COUNTED."""
    node: str
    """The node whose own figure it is, "" for the session's."""
    top: int
    """Added to what is counted."""
    bottom: int
    """Added to of how many."""
    id: str
    """The event."""


@dataclass(slots=True)
class Going:
    """A node that is running."""

    node: str
    id: str
    """Event that started it."""
    at: int | None
    tool: object = None
    """Tool that its start names: where its end names it too, that is one call, made at the end."""
    named: bool = False
    """Does its start name one, be it an empty one?"""
    out: bool = False
    """Did the call of its start count as outside of every node?"""
    worked: bool = False
    """Was there a tool call since its declared start?"""
    implied: bool = False


@dataclass(slots=True)
class Live:
    """One session as far as it went."""

    planned: set[str] = field(default_factory=set)
    going: dict[str, Going] = field(default_factory=dict)
    loose: dict[str, Going] = field(default_factory=dict)
    """What goes on outside of every node, by the id that stands for that."""
    starts: dict[str, int] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    """Node to how its last attempt ended, unless it was opened again."""
    calls: int = 0
    outside: dict[str, int] = field(default_factory=dict)
    """Node that is not planned to its calls outside of every node: they are inside once it is planned."""
    waiting: list[str] = field(default_factory=list)
    """Completions while no call was seen: perhaps calls are not recorded at all."""
    closed: list[tuple[str, float]] = field(default_factory=list)
    """(node, seconds) of attempts that this step ended."""

    def take(self, step: Step) -> Iterator[Mark]:
        """Count a step.

        Args:
            step: the next one.

        Returns:
            What it adds.

        Source:
            plan rules, section 10.1.
        """
        self.closed = []
        event = step.event
        if event is not None and event.event_type == "execute" and event.status == "running":
            yield from self._start(step, event)
        if step.call is not None:
            if event is not None and (going := self._told(event)) is not None:
                yield from self._untell(step, going)
            yield from self._call(step, step.call)
        if event is None:
            return
        if event.event_type == "plan" and not is_goal(event) and event.node_id not in self.planned:
            yield from self._planned(event)
        elif event.event_type == "execute" and event.status != "running":
            yield from self._end(step, event)
        elif event.event_type == "revise" and event.payload.get("op") in ("remove", "pause", "reopen"):
            self._close(event.node_id, step.at)
            self.ended.pop(event.node_id, None)
        if event.payload.get("decision") in STOPS and event.actor == "human":
            yield Mark("human_stops", "", 1, 0, event.event_id)

    def _told(self, event: PlanEvent) -> Going | None:
        """The attempt whose start told the call that this end tells."""
        home = self.loose if event.node_id in NAMELESS else self.going
        going = home.get(event.node_id) if event.status != "running" else None
        if going is None or going.implied or going.tool is None:
            return None
        return going if going.tool == event.payload.get("tool") else None

    def _untell(self, step: Step, going: Going) -> Iterator[Mark]:
        """Take back what a start told."""
        out = going.out and going.node not in self.planned
        if out:
            self.outside[going.node] -= 1
        self.calls -= 1
        if self.planned:
            yield Mark("work_outside_plan", "", -int(out), -1, step.id)
        else:
            yield Mark("calls_without_plan", "", -1, 0, step.id)

    def _planned(self, event: PlanEvent) -> Iterator[Mark]:
        first = not self.planned
        self.planned.add(event.node_id)
        inside = self.outside.pop(event.node_id, 0)
        if first and self.calls:
            yield Mark("work_outside_plan", "", sum(self.outside.values()), self.calls, event.event_id)
        elif inside:
            yield Mark("work_outside_plan", "", -inside, 0, event.event_id)

    def _start(self, step: Step, event: PlanEvent) -> Iterator[Mark]:
        if event.node_id in NAMELESS:
            self.loose[event.node_id] = Going(
                event.node_id, event.event_id, step.at, tool=event.payload.get("tool")
            )
            return
        again = self.starts.get(event.node_id, 0)
        going = self.going.get(event.node_id)
        if going is not None and observes(event, going.named, again):
            return
        self.starts[event.node_id] = again + 1
        self.ended.pop(event.node_id, None)
        self.going[event.node_id] = Going(
            event.node_id,
            event.event_id,
            step.at,
            tool=event.payload.get("tool"),
            named="tool" in event.payload,
            implied=event.evidence == "inferred" or result(event),
        )
        if again:
            yield Mark("restarts", event.node_id, 1, 0, event.event_id)

    def _call(self, step: Step, call: Call) -> Iterator[Mark]:
        self.calls += 1
        for going in self.going.values():
            if not call.node or call.node == going.node:
                going.worked = True
        ends = step.event is not None and step.event.status != "running"
        inside = call.node in self.planned or any(
            g.id != step.id and not (ends and g.node == call.node) for g in self.going.values()
        )
        if not inside:
            self.outside[call.node] = self.outside.get(call.node, 0) + 1
        own = self.going.get(call.node) or self.loose.get(call.node)
        if own is not None and own.id == step.id:
            own.out = not inside
        if not self.planned:
            yield Mark("calls_without_plan", "", 1, 0, step.id)
        else:
            yield Mark("work_outside_plan", "", int(not inside), 1, step.id)
        for waiting in self.waiting:
            yield Mark("completions_without_work", "", 1, 0, waiting)
        self.waiting = []

    def _end(self, step: Step, event: PlanEvent) -> Iterator[Mark]:
        if event.node_id in NAMELESS:
            self.loose.pop(event.node_id, None)
            return
        going = self._close(event.node_id, step.at)
        same = going is None and self.ended.get(event.node_id) == event.status
        self.ended[event.node_id] = event.status
        if same:
            return
        if event.status == "failed":
            yield Mark("failed_attempts", "", 1, 0, event.event_id)
        if going is None:
            # the start was not told, but there was one
            again = self.starts.get(event.node_id, 0)
            self.starts[event.node_id] = again + 1
            if again:
                yield Mark("restarts", event.node_id, 1, 0, event.event_id)
        elif event.status == "succeeded" and not going.implied and not going.worked:
            if self.calls:
                yield Mark("completions_without_work", "", 1, 0, event.event_id)
            else:
                self.waiting.append(event.event_id)

    def _close(self, node: str, at: int | None) -> Going | None:
        going = self.going.pop(node, None)
        if (
            going is not None
            and not going.implied
            and at is not None
            and going.at is not None
            and at >= going.at
        ):
            self.closed.append((node, (at - going.at) / 1e6))
        return going


def step_of(event: PlanEvent) -> Step:
    """An event that was recorded as one.

    Args:
        event: it may name a tool: then it is a call as well.
    """
    work = work_of_story(Story([event])) if "tool" in event.payload else None
    call = work.calls[0] if work is not None else None
    return Step(session=event.session_id, id=event.event_id, at=event.timestamp, event=event, call=call)

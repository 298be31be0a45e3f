"""What happened to each node? The life cycles of one session's events, which checks and metrics read."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from tracelode.model.plan import PlanEvent
from tracelode.plan.circles import circles
from tracelode.plan.sequence import observes, result, skewed
from tracelode.signals.plan.lines import is_goal

UNBOUND = "unbound"
"""What recorders name where work is outside of every node."""
NAMELESS = frozenset(("", UNBOUND))
"""Ids under which events of many nodes, or of none, stand: they are no node, and have no life."""
LOST = 0.2
"""Share of execute events without a node from which on nothing is said about the nodes."""


@dataclass(slots=True, eq=False)
class Try:
    """One attempt at a node."""

    node: Node
    start: PlanEvent
    """The event that starts it; of an implied one, the event that ends it."""
    place: int
    """Place of that event in the session."""
    implied: bool = False
    end: PlanEvent | None = None
    apart: bool = False
    """Were start and end written by clocks that differ?"""
    stopped: int | None = None
    """Place of the event that ends it, or of the start of the next attempt where none does."""

    @property
    def span(self) -> int | None:
        """Microseconds, None where it is open, implied, without a moment, or clocks step back or differ."""
        if self.end is None or self.implied or self.apart:
            return None
        if self.start.timestamp is None or self.end.timestamp is None:
            return None
        span = self.end.timestamp - self.start.timestamp
        return span if span >= 0 else None


@dataclass(slots=True, eq=False)
class Node:
    """One node of a session."""

    id: str
    planned: PlanEvent | None = None
    """The plan event that made it, None where it was never planned."""
    place: int = 0
    """Place of its first event."""
    epoch: int = 1
    text: str = ""
    parent: str | None = None
    after: tuple[str, ...] = ()
    goal: bool = False
    container: bool = False
    """A root whose parts are worked on, never itself."""
    initial: bool = False
    """Planned before the first execute event of its generation."""
    rank: int = -1
    """Place in the plan, from 0; -1 where it is no plan node."""
    tries: list[Try] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    """Places of its events."""
    executes: int = 0
    state: str = "planned"
    removed: bool = False


class Story:
    """One session's events with the life of every node.

    Args:
        events: n events of one session, in order.
        chained: take the parent of a node as what must be finished before it; None: where parents form a
            chain, as in records that know no depends_on.

    Source:
        plan rules, sections 5.2 and 7.
    """

    def __init__(self, events: Sequence[PlanEvent], chained: bool | None = None) -> None:
        self.events = list(events)
        self.session = events[0].session_id if events else ""
        self.nodes: dict[str, Node] = {}
        self.tries: list[Try] = []
        self.odd: list[tuple[int, str]] = []
        """(place, what is illegal) of events that the life cycle does not allow."""
        self.types = Counter(e.event_type for e in self.events)
        self.executes = [p for p, e in enumerate(self.events) if e.event_type == "execute"]
        for place, event in enumerate(self.events):
            self._take(place, event)
        self.skew = len({e.writer for e in self.events}) > 1 and bool(skewed(self.events))
        """Do its writers' clocks differ, so that what one wrote cannot be ordered with what another did?"""
        for one in self.tries:
            one.apart = self.skew and one.end is not None and one.end.writer != one.start.writer
        self._goals()
        self.chain = self._chain()
        """Nodes whose parent is the node planned just before them."""
        self.chained = bool(self.chain) if chained is None else chained
        self._containers()
        self.windows = self._windows()
        self._ranks()

    # reading ------------------------------------------------------------------------------------

    def _take(self, place: int, event: PlanEvent) -> None:
        node = self.nodes.get(event.node_id)
        if node is None:
            node = self.nodes[event.node_id] = Node(event.node_id, place=place)
            node.epoch = _epoch(event)
        node.events.append(place)
        node.goal = node.goal or is_goal(event)
        if event.depends_on:
            node.after = tuple(dict.fromkeys((*node.after, *event.depends_on)))
        if event.event_type == "plan":
            self._plan(node, place, event)
        elif event.event_type == "execute":
            self._execute(node, place, event)
        elif event.event_type == "revise":
            self._revise(node, place, event)
        if event.parent_node_id and not node.parent:
            node.parent = event.parent_node_id

    def _plan(self, node: Node, place: int, event: PlanEvent) -> None:
        if node.planned is None:
            node.planned, node.epoch = event, _epoch(event)
            node.parent = event.parent_node_id
        text = event.payload.get("description")
        if isinstance(text, str) and text:
            node.text = text
        if event.payload.get("op") == "depend":
            self._depend(node, event)

    def _depend(self, node: Node, event: PlanEvent) -> None:
        diff = event.payload.get("diff")
        after = diff.get("after") if isinstance(diff, dict) else None
        if isinstance(after, list):
            node.after = tuple(dict.fromkeys((*node.after, *(str(name) for name in after))))

    def _revise(self, node: Node, place: int, event: PlanEvent) -> None:
        op = event.payload.get("op")
        if op == "remove":
            self._close(node, place, event, "removed")
            node.removed = True
        elif op in ("pause", "reopen"):
            self._close(node, place, event, "planned")
            node.removed = False
        elif op == "depend":
            self._depend(node, event)
        elif op == "rename" and isinstance(event.payload.get("diff"), dict):
            text = event.payload["diff"].get("after")
            node.text = text if isinstance(text, str) else node.text

    def _execute(self, node: Node, place: int, event: PlanEvent) -> None:
        node.executes += 1
        if node.id in NAMELESS:
            return
        if event.status == "running":
            open_ = node.tries[-1] if node.state == "running" and node.tries else None
            if open_ and observes(event, "tool" in open_.start.payload, len(node.tries)):
                return
            if open_:
                self.odd.append((place, "it started while it was running"))
                # when it ended is not told, only that it does not go on beside the next one
                open_.stopped = place
            if node.removed:
                self.odd.append((place, "it started after it was removed"))
            # a call that was recorded on a node nobody started: since when it ran is not told
            self._begin(node, place, event, implied=result(event))
        elif node.state == "running" and node.tries:
            self._close(node, place, event, event.status)
        else:
            self.odd.append((place, "it ended without a start"))
            if node.tries and node.state == event.status:
                return  # the same end once more
            self._begin(node, place, event, implied=True)
            self._close(node, place, event, event.status)

    def _begin(self, node: Node, place: int, event: PlanEvent, implied: bool = False) -> None:
        one = Try(node, event, place, implied or event.evidence == "inferred")
        node.tries.append(one)
        self.tries.append(one)
        node.state = "running"

    def _close(self, node: Node, place: int, event: PlanEvent, state: str) -> None:
        if node.state == "running" and node.tries:
            node.tries[-1].end, node.tries[-1].stopped = event, place
        node.state = "planned" if state == "removed" else state

    # which nodes are what -----------------------------------------------------------------------

    def _goals(self) -> None:
        """Foreign records name their goal freely: a person's first plan event that is never worked on."""
        for event in self.events:
            node = self.nodes[event.node_id]
            if event.event_type == "complete" and not node.executes:
                node.goal = True
        if any(node.goal for node in self.nodes.values()):
            return
        first = next((e for e in self.events if e.event_type == "plan"), None)
        if first is not None and first.actor == "human" and not self.nodes[first.node_id].executes:
            self.nodes[first.node_id].goal = True

    def _chain(self) -> list[str]:
        planned = [n for n in self.nodes.values() if n.planned is not None and not n.goal]
        if any(node.after for node in planned):
            return []
        pairs = pairwise(planned)
        links = [later.id for earlier, later in pairs if later.parent == earlier.id]
        children = Counter(node.parent for node in planned if node.parent in self.nodes)
        forked = any(n > 1 for parent, n in children.items() if not self.nodes[str(parent)].goal)
        return links if len(links) > 1 and not forked else []

    def _containers(self) -> None:
        if self.chain:
            return
        parents = {n.parent for n in self.nodes.values() if n.parent and n.planned is not None}
        for name in parents:
            node = self.nodes.get(name)
            if node is not None and not node.executes and not node.parent:
                node.container = True

    def _windows(self) -> list[tuple[int, int, int]]:
        """Generations as (first place, place of the first execute event, place of the last one).

        A generation without an execute event has the number of events in both.
        """
        begins: dict[int, int] = {}
        for node in self.nodes.values():
            if node.planned is not None and not node.goal:
                begins[node.epoch] = min(begins.get(node.epoch, node.place), node.place)
        starts = sorted(begins.values()) or [0]
        starts[0] = 0
        found = []
        for start, stop in zip(starts, [*starts[1:], len(self.events)], strict=True):
            inside = [p for p in self.executes if start <= p < stop]
            last = len(self.events)
            found.append((start, inside[0] if inside else last, inside[-1] if inside else last))
        return found

    def window(self, place: int) -> tuple[int, int, int]:
        """The generation in which an event lies."""
        return next((w for w in reversed(self.windows) if w[0] <= place), self.windows[0])

    def _ranks(self) -> None:
        plan = [n for n in self.nodes.values() if n.planned is not None and not n.goal and not n.container]
        first: dict[int, int] = {}
        for place in self.executes:
            epoch = self.nodes[self.events[place].node_id].epoch
            first.setdefault(epoch, place)
        plan.sort(key=lambda n: (n.epoch, n.place))
        for node in plan:
            node.initial = node.place < first.get(node.epoch, len(self.events))
        ordered = self._reordered(plan, first)
        for rank, node in enumerate(ordered):
            node.rank = rank
        self.plan = ordered
        """Plan nodes in plan order: goals and containers left out."""

    def _reordered(self, plan: list[Node], first: dict[int, int]) -> list[Node]:
        """The plan with what was put into another order before work on it began."""
        order = {node.id: place for place, node in enumerate(plan)}
        for place, event in enumerate(self.events):
            if event.payload.get("op") != "reorder":
                continue
            diff = event.payload.get("diff")
            wanted = event.payload.get("order") or (diff.get("after") if isinstance(diff, dict) else None)
            names = [n for n in wanted if n in order] if isinstance(wanted, list) else []
            names = list(dict.fromkeys(names))
            if names and place < first.get(self.nodes[names[0]].epoch, len(self.events)):
                slots = sorted(order[name] for name in names)
                order.update(zip(names, slots, strict=True))
        return sorted(plan, key=lambda n: (n.epoch, order[n.id]))

    # questions ----------------------------------------------------------------------------------

    @cached_property
    def _closure(self) -> tuple[dict[str, int], dict[str, int]]:
        """(bit of each node, bits of everything that must be finished before each node).

        Sets of thousands of nodes stay small as bits of one number. Nodes on a circle have no order among
        each other.
        """
        bits = {name: 1 << place for place, name in enumerate(self.nodes)}
        direct = {
            n.id: [name for name in self.before(n) if name in bits and name != n.id]
            for n in self.nodes.values()
        }
        round_ = circles(direct)
        direct = {
            name: [b for b in before if round_.get(b, -1) != round_.get(name, -2)]
            for name, before in direct.items()
        }
        later: dict[str, list[str]] = {}
        left = {name: len(before) for name, before in direct.items()}
        for name, before in direct.items():
            for first in before:
                later.setdefault(first, []).append(name)
        closure: dict[str, int] = {}
        waiting = [name for name, count in left.items() if not count]
        while waiting:
            name = waiting.pop()
            closure[name] = 0
            for first in direct[name]:
                closure[name] |= closure[first] | bits[first]
            for other in later.get(name, ()):
                left[other] -= 1
                if not left[other]:
                    waiting.append(other)
        return bits, closure

    def bit(self, name: str) -> int:
        """The bit of a node in ancestors(), 0 for none of the session."""
        return self._closure[0].get(name, 0)

    def ancestors(self, node: Node) -> int:
        """Everything that must be finished before a node, as bits."""
        return self._closure[1][node.id]

    def before(self, node: Node) -> tuple[str, ...]:
        """Ids of what must be finished right before a node."""
        if node.after or not self.chained:
            return node.after
        parent = self.nodes.get(node.parent or "")
        return (parent.id,) if parent is not None and not parent.goal else ()

    def depends(self) -> bool:
        """Does any plan node say what it depends on?"""
        return any(node.after for node in self.plan)

    @cached_property
    def _turns(self) -> tuple[dict[str, list[int]], list[int]]:
        """Places of reviews, changes and failures: of each node, and of the goals."""
        own: dict[str, list[int]] = {}
        goals: list[int] = []
        for place, event in enumerate(self.events):
            failed = event.event_type == "execute" and event.status == "failed"
            if event.event_type in ("review", "revise") or failed:
                own.setdefault(event.node_id, []).append(place)
                if self.nodes[event.node_id].goal:
                    goals.append(place)
        return own, goals

    def lost(self) -> str:
        """Why nothing can be said of which nodes were worked on; "" where it can."""
        plans = sum(1 for e in self.events if e.event_type == "plan" and not e.node_id)
        if plans:
            return "a plan event names no node"
        bare = sum(1 for place in self.executes if not self.events[place].node_id)
        if bare > LOST * len(self.executes):
            return "execute events name no node: which ones were worked on is not known"
        return ""

    def turning(self, node: Node, after: int, before: int) -> int | None:
        """Place of the last review, change or failure on a node or a goal between two places."""
        own, goals = self._turns
        found = [
            places[at - 1]
            for places in (own.get(node.id, []), goals)
            if (at := bisect_left(places, before)) and places[at - 1] > after
        ]
        return max(found, default=None)


def _epoch(event: PlanEvent) -> int:
    value = event.payload.get("plan_epoch")
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1

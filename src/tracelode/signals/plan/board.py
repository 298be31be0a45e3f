"""Which node does each call of a plan tool touch? One board follows the lists of one thread, or of a team.

Two kinds of tools keep lists: those that rewrite the whole list at every call (its items are found again by
their wording), and those that tell one change at a time (their ids name the items). Both may occur on one
board; a generation (epoch) belongs to one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tracelode.signals.listdiff import CERTAIN, Difference, Entry, diff
from tracelode.signals.plan.kept import Item, Kept


@dataclass(slots=True, eq=False)
class Try:
    """One stretch in which a node was in progress."""

    start: int
    started: int | None
    seen: int
    """Place of the last call that showed it in progress."""
    stop: int | None = None
    ended: int | None = None
    end: str = "running"
    implied: bool = False
    lost: bool = False
    """True: its list was replaced by another one, so nothing says until when it went on."""


@dataclass(slots=True, eq=False)
class Node:
    """A node while its list is followed."""

    id: str
    epoch: int
    created: int
    text: str = ""
    digest: str = ""
    verb: str = ""
    state: str = "planned"
    """planned, running, succeeded, failed."""
    paused: bool = False
    removed: bool = False
    inferred: bool = False
    tries: list[Try] = field(default_factory=list)
    depends_on: list[str] = field(default_factory=list)


class Step(NamedTuple):
    """What a call did to one node, in the words of events."""

    event_type: str
    status: str
    node: Node | None
    """None: the list as a whole."""
    payload: dict[str, Any]
    inferred: bool = False
    depends_on: tuple[str, ...] = ()
    """What the node waits for after the call."""


class At(NamedTuple):
    """Where and when a call was made."""

    place: int
    """Index of the operation."""
    moment: int | None
    """UTC microseconds."""


_OPEN = ("planned", "running")
_TARGETS = {"completed": "succeeded", "failed": "failed"}


class Board:
    """The lists of one thread or team, and the nodes on them.

    Source:
        plan rules, sections 5.2, 5.4 and 5.6.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        """Every node, in the order in which they were made."""
        self.running: list[Node] = []
        """Nodes in progress, the latest started last."""
        self.epochs = 0
        self._list: list[Node] = []
        self._counter = 0
        self._tasks: list[Node] = []
        """Tasks of the present generation."""
        self._by_id: dict[str, Node] = {}
        self._list_epoch = self._task_epoch = 0

    def apply(self, kept: Kept, at: At) -> list[Step]:
        """Take one call that succeeded.

        Args:
            kept: the call.
            at: where it was made.

        Returns:
            What it did, in order; nothing for calls that touch no node.
        """
        steps: Iterator[Step] = iter(())
        if kept.form == "list":
            steps = self._rewrite(kept.items, at)
        elif kept.form == "create" and kept.items:
            steps = self._create(kept.items[0], at)
        elif kept.form == "change" and kept.items:
            steps = self._change(kept.items[0], at)
        return [_waiting(step) for step in list(steps)]

    # whole lists --------------------------------------------------------------------------------

    def _rewrite(self, items: tuple[Item, ...], at: At) -> Iterator[Step]:
        old = self._list
        change = diff(
            [Entry(n.text, n.state == "succeeded" or n.removed, n.digest) for n in old],
            [Entry(i.text, i.status in ("completed", "removed"), i.digest) for i in items],
        )
        started = any(node.tries for node in old)
        if change.change != "edited":
            self.epochs += bool(items)
            self._list_epoch = self.epochs
        for place in change.removed:
            reason = "list_replaced" if change.change == "replaced" else ""
            yield from self._remove(old[place], at, reason)
        found = {pair.after: old[pair.before] for pair in change.pairs}
        fresh = change.change != "edited" or not started
        self._list = []
        for place, item in enumerate(items):
            node = found.get(place)
            if node is None:
                self._counter += 1
                node = self._make(str(self._counter), self._list_epoch, item, at)
                yield _planned(node, "create" if fresh else "add")
            self._list.append(node)
        yield from self._renamed(change, items, old)
        if change.reordered:
            yield _reordered(change, old)
        yield from self._moves(list(zip(self._list, items, strict=True)), at)

    def _renamed(self, change: Difference, items: tuple[Item, ...], old: list[Node]) -> Iterator[Step]:
        for pair in change.pairs:
            if pair.score is not None:
                yield _rename(old[pair.before], items[pair.after], pair.score)

    def _moves(self, rows: list[tuple[Node, Item]], at: At) -> Iterator[Step]:
        """What ends comes before what starts, so that a step from one item to the next is no overlap."""
        for starts in (False, True):
            for node, item in rows:
                if item.status and (item.status == "in_progress") == starts:
                    yield from self._move(node, item, at)

    # single changes -----------------------------------------------------------------------------

    def _create(self, item: Item, at: At) -> Iterator[Step]:
        here = self._tasks
        again = item.id and any(node is self._by_id.get(item.id) for node in here)
        finished = bool(here) and all(n.state == "succeeded" or n.removed for n in here)
        if again or finished or not here:
            self.epochs += 1
            self._task_epoch = self.epochs
            self._tasks = []
            for node in here if again else ():
                yield from self._remove(node, at, "list_replaced")
        started = any(node.tries for node in self._tasks)
        native = item.id or f"call{at.place}"
        node = self._make(native, self._task_epoch, item, at)
        self._tasks.append(node)
        self._by_id[native] = node
        yield _planned(node, "add" if started else "create")
        yield from self._moves([(node, item)], at)

    def _change(self, item: Item, at: At) -> Iterator[Step]:
        node = self._by_id.get(item.id)
        if node is None:
            if not item.id:
                return
            # the call that made it lies in a record that is not here
            if not self._tasks:
                self.epochs += 1
                self._task_epoch = self.epochs
            node = self._make(item.id, self._task_epoch, item, at)
            node.inferred = True
            self._tasks.append(node)
            self._by_id[item.id] = node
            yield _planned(node, "create", inferred=True)
        elif item.digest and item.digest != node.digest:
            yield _rename(node, item, None)
        yield from self._depend(node, item)
        yield from self._moves([(node, item)], at)

    def _depend(self, node: Node, item: Item) -> Iterator[Step]:
        wanted = [(node, name) for name in item.after]
        wanted += [(other, item.id) for name in item.before if (other := self._by_id.get(name)) is not None]
        for later, name in wanted:
            first = self._by_id.get(name)
            if first is None or first is later or first.id in later.depends_on:
                continue
            before = list(later.depends_on)
            later.depends_on.append(first.id)
            payload = {"op": "depend", "diff": {"before": before, "after": list(later.depends_on)}}
            yield Step("revise", "updated", later, payload)

    # life cycle ---------------------------------------------------------------------------------

    def _make(self, native: str, epoch: int, item: Item, at: At) -> Node:
        node = Node(f"{epoch}/{native}", epoch, at.place, item.text, item.digest, item.verb)
        self.nodes.append(node)
        return node

    def _move(self, node: Node, item: Item, at: At) -> Iterator[Step]:
        """Bring a node to the state that a call tells."""
        told = {"native_status": item.native} if item.native else {}
        if item.status == "removed":
            yield from self._remove(node, at, "", told)
        elif item.status == "in_progress":
            if node.state == "running":
                node.tries[-1].seen = at.place
            else:
                yield from self._start(node, at, told)
        elif item.status in _TARGETS:
            state = _TARGETS[item.status]
            if node.state == state:
                return
            if node.state != "running":
                yield from self._start(node, at, {}, implied=True)
            self._stop(node, at, state)
            yield Step("execute", state, node, {**told, "attempt": len(node.tries)})
        else:
            yield from self._wait(node, item.status == "paused", at, told)

    def _start(self, node: Node, at: At, told: dict[str, Any], implied: bool = False) -> Iterator[Step]:
        if node.removed:
            node.removed = False
            yield Step("revise", "planned", node, {"op": "reopen"}, inferred=True)
        node.tries.append(Try(at.place, at.moment, at.place, implied=implied))
        node.state, node.paused = "running", False
        payload = {**told, "attempt": len(node.tries)}
        if self.running and not implied:
            # the work that follows belongs to each of them in equal parts
            payload["ambiguous"] = len(self.running) + 1
        self.running.append(node)
        yield Step("execute", "running", node, payload, inferred=implied)

    def _stop(self, node: Node, at: At, state: str, end: str = "") -> None:
        if node in self.running:
            self.running.remove(node)
            last = node.tries[-1]
            last.stop, last.ended, last.end = at.place, at.moment, end or state
        node.state = state

    def _wait(self, node: Node, paused: bool, at: At, told: dict[str, Any]) -> Iterator[Step]:
        """Back to planned."""
        if node.state == "running":
            self._stop(node, at, "planned", "paused")
            node.paused = True
            yield Step("revise", "planned", node, {"op": "pause", **told})
        elif node.state in ("succeeded", "failed") or node.removed:
            node.state, node.removed = "planned", False
            yield Step("revise", "planned", node, {"op": "reopen", **told})
        elif paused and not node.paused:
            node.paused = True
            yield Step("revise", "planned", node, {"op": "pause", **told})
        elif not paused:
            node.paused = False

    def _remove(self, node: Node, at: At, reason: str, told: dict[str, Any] | None = None) -> Iterator[Step]:
        """Take a node out: of a finished one that is bookkeeping and no change of the plan."""
        if node.removed or node.state not in _OPEN:
            return
        if node.state == "running":
            node.tries[-1].lost = bool(reason)
        self._stop(node, at, "planned", "removed")
        node.removed = True
        payload = {"op": "remove", **(told or {}), **({"reason": reason} if reason else {})}
        yield Step("revise", "updated", node, payload)


def _waiting(step: Step) -> Step:
    waits = step.node.depends_on if step.node is not None else ()
    return step._replace(depends_on=tuple(waits)) if waits else step


def _planned(node: Node, op: str, inferred: bool = False) -> Step:
    payload = {"op": op, "description": node.text} if node.text else {"op": op}
    return Step("plan", "planned", node, payload, inferred)


def _rename(node: Node, item: Item, score: float | None) -> Step:
    # without texts their digests show that there was a change
    change = {"before": node.text or node.digest, "after": item.text or item.digest}
    payload: dict[str, Any] = {"op": "rename", "diff": change}
    if score is not None:
        payload["score"] = score
    node.text, node.digest, node.verb = item.text, item.digest, item.verb
    return Step("revise", "updated", node, payload, inferred=score is not None and score < CERTAIN)


def _reordered(change: Difference, old: list[Node]) -> Step:
    after = [old[pair.before].id for pair in change.pairs]
    kept = {pair.before for pair in change.pairs}
    before = [node.id for place, node in enumerate(old) if place in kept]
    return Step("revise", "updated", None, {"op": "reorder", "diff": {"before": before, "after": after}})

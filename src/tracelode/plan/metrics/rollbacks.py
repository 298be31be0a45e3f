"""When did work go back to something earlier? Detectors D1 to D3 on events, merged, with cause and cost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import PlanMetric, Rollback
from tracelode.plan.life import Node, Story, Try
from tracelode.plan.metrics.figure import absent, amount, ratio
from tracelode.plan.metrics.nodes import SKEW
from tracelode.plan.work import Work, is_check

BACK = ("reopen", "backtrack")


class Found:
    """The rollbacks of one session.

    Args:
        story: the session.
        work: what was observed, None for nothing.

    Source:
        plan rules, section 7.6.
    """

    def __init__(self, story: Story, work: Work | None) -> None:
        self.story, self.work = story, work
        self.places = [t.place for t in story.tries]
        self.unsure = 0
        """Repeated checks of which nothing says whether there was an edit in between."""
        self._detect()

    def _detect(self) -> None:
        story = self.story
        groups: dict[tuple[str, int], tuple[int, set[str], Try | None]] = {}
        for node in story.nodes.values():
            for number, one in enumerate(node.tries):
                marks = self._marks(node, number, one)
                if marks:
                    groups[node.id, number] = (one.place, marks, one)
            for place in node.events:
                event = story.events[place]
                if event.event_type != "revise" or event.payload.get("op") not in BACK:
                    continue
                before = sum(1 for t in node.tries if t.place < place)
                if not before:
                    continue
                # a return that is said and then done is one
                old = groups.get((node.id, before))
                later = node.tries[before] if before < len(node.tries) else None
                marks = (old[1] if old else set()) | {"D2"}
                groups[node.id, before] = (min(place, old[0] if old else place), marks, later)
        rows = sorted(groups.items(), key=lambda item: (item[1][0], item[0]))
        self.rows = [self._told(story.nodes[name], *found) for (name, _), found in rows]

    def _marks(self, node: Node, number: int, one: Try) -> set[str]:
        marks: set[str] = set()
        earlier = node.tries[:number]
        if not earlier:
            return marks
        done = [t for t in earlier if t.end is not None and t.end.status == "succeeded"]
        if done and self._repeats(node, done[-1], one):
            marks.add("D1")
        if self._upstream(node, earlier[-1], one) and not (done and "D1" not in marks):
            marks.add("D3")
        return marks

    def _repeats(self, node: Node, last: Try, one: Try) -> bool:
        """A step that only checks comes again after each edit: it is a return where there was one."""
        if not is_check(node.text):
            return True
        if self.work is None:
            self.unsure += 1
            return False
        start, stop = self._places(node, last, one)
        return any(start <= c.place <= stop and (c.edits or c.writes) for c in self.work.calls)

    def _places(self, node: Node, last: Try, one: Try) -> tuple[int, int]:
        """From the end of one attempt to the start of another, on the scale of the observed work."""
        assert self.work is not None
        spans = [s for s in self.work.spans if s.node == node.id]
        first, second = node.tries.index(last), node.tries.index(one)
        if second >= len(spans):
            return last.place, one.place
        stop = spans[first].stop
        return (stop if stop is not None else spans[first].start), spans[second].start

    def _upstream(self, node: Node, last: Try, one: Try) -> bool:
        """Was work on something later begun after this node was closed, before it was begun again?"""
        if last.end is None or last.end.event_type != "execute" or last.stopped is None or node.rank < 0:
            return False
        story = self.story
        declared, bit = story.depends(), story.bit(node.id)
        start = bisect_right(self.places, last.stopped)
        for later in story.tries[start : bisect_left(self.places, one.place)]:
            other = later.node
            if other is node or other.rank < 0:
                continue
            if story.ancestors(other) & bit if declared else other.rank > node.rank:
                return True
        return False

    def _told(self, node: Node, place: int, marks: set[str], later: Try | None) -> Rollback:
        story = self.story
        event = story.events[place]
        ends = [t for t in node.tries if t.end is not None and t.stopped is not None and t.stopped < place]
        since = ends[-1].stopped if ends and ends[-1].stopped is not None else node.place
        stop = later.place if later is not None else place + 1
        turn = story.turning(node, since, max(stop, place + 1))
        said = turn if turn is not None and story.events[turn].event_type != "execute" else None
        trigger = story.events[turn] if turn is not None else None
        changes = self._changes(node, since, later)
        before = bisect_left(self.places, place)
        origin = story.tries[before - 1].node if before else None
        known = origin is not None and origin.rank >= 0 and node.rank >= 0
        ended = story.events[since].timestamp if ends else None
        return Rollback(
            event_id=event.event_id,
            detectors=tuple(sorted(marks)),
            timestamp=event.timestamp,
            from_node=origin.id if origin is not None else "",
            to_node=node.id,
            distance=origin.rank - node.rank if known and origin is not None else None,
            trigger=trigger.event_id if trigger is not None else "",
            initiator=story.events[said].actor if said is not None else event.actor,
            reason=trigger is not None and any(trigger.payload.get(k) for k in ("reason", "description")),
            corrected=bool(changes),
            diff=any(isinstance(c.payload.get("diff"), dict) for c in changes),
            cost=later.span if later is not None else None,
            delay=_between(ended, trigger.timestamp if trigger is not None else None),
        )

    def _changes(self, node: Node, since: int, later: Try | None) -> list[PlanEvent]:
        """Events that change the plan of the node, from its first end to the end of the repeated attempt."""
        stop = len(self.story.events)
        if later is not None and later.stopped is not None:
            stop = later.stopped
        found = []
        for event in self.story.events[since + 1 : stop]:
            own = event.node_id == node.id or self.story.nodes[event.node_id].goal
            changes = event.event_type == "review" and event.status == "updated" and event.actor == "human"
            if (event.event_type == "revise" and event.payload.get("op") not in BACK) or (
                own and changes and event.payload.get("decision") not in ("note", "answer", "approve")
            ):
                found.append(event)
        return found

    def metrics(self) -> Iterator[PlanMetric]:
        """Metrics of section 7.6 that events alone tell."""
        story = self.story
        if story.skew:
            for name, unit in (("rollback_rate_seed", "ratio"), ("rollback_rate", "ratio"),
                               ("rollback_D1", "events"), ("rollback_D2", "events"),
                               ("rollback_D3", "events"), ("rollback_cost", "ratio")):  # fmt: skip
                yield absent(name, unit, SKEW)
            return
        events = {e.event_id: e for e in story.events}
        back = [events[row.event_id] for row in self.rows]
        executes = [story.events[p] for p in story.executes]
        starts = [t.start for t in story.tries]
        note = (
            f"{self.unsure} repeated check(s) left out: nothing says whether files changed"
            if self.unsure
            else ""
        )
        yield ratio("rollback_rate_seed", back, executes, why="no execute event", note=note)
        yield ratio("rollback_rate", back, starts, why="no execute event starts a node", note=note)
        for mark in ("D1", "D2", "D3"):
            if not starts:
                yield absent(f"rollback_{mark}", "events", "no execute event starts a node")
                continue
            own = [events[row.event_id] for row in self.rows if mark in row.detectors]
            yield amount(f"rollback_{mark}", len(own), "events", len(starts), basis=own)
        yield self._cost(back)

    def _cost(self, back: Sequence[PlanEvent]) -> PlanMetric:
        spans = [t.span for t in self.story.tries if t.span is not None]
        costs = [row.cost for row in self.rows if row.cost is not None]
        if not spans:
            return absent("rollback_cost", "ratio", "no attempt is closed")
        total = sum(spans)
        if not total:
            return absent("rollback_cost", "ratio", "the attempts span no time")
        lost = len(self.rows) - len(costs)
        return amount(
            "rollback_cost",
            sum(costs) / total,
            "ratio",
            len(self.rows),
            parts=(sum(costs) / 1e6, total / 1e6),
            reason=f"{lost} of unknown length left out" if lost else "",
        )


def _between(earlier: int | None, later: int | None) -> int | None:
    if earlier is None or later is None or later < earlier:
        return None
    return later - earlier

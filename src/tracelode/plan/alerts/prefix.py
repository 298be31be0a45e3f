"""What is a figure of `plan metrics` worth as of an event? Measured on what had happened by then."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tracelode.model.planning import PlanMetric
from tracelode.plan.alerts.live import Step
from tracelode.plan.life import Story
from tracelode.plan.metrics.durations import duration_metrics
from tracelode.plan.metrics.nodes import node_metrics
from tracelode.plan.metrics.observed import observed_metrics
from tracelode.plan.metrics.order import order_metrics
from tracelode.plan.metrics.people import interventions, people_metrics
from tracelode.plan.metrics.rework import rework_metrics
from tracelode.plan.metrics.rollbacks import Found
from tracelode.plan.work import Call, Span, Work, work_of_story

EXACT = 400
"""Steps up to which a figure is taken at each of them; beyond, at steps that lie STRIDE apart."""
STRIDE = 0.05
"""Part of the steps so far. What comes to hold in between is found by going back step by step."""

_Group = Callable[[Story, Work | None], Iterable[PlanMetric]]
_GROUPS: tuple[_Group, ...] = (
    lambda story, work: node_metrics(story),
    observed_metrics,
    lambda story, work: order_metrics(story),
    lambda story, work: people_metrics(story, interventions(story, work)),
    lambda story, work: duration_metrics(story, work.waits if work is not None else None),
    lambda story, work: Found(story, work).metrics(),
    lambda story, work: rework_metrics(work, bool(story.plan)),
)


def _homes() -> dict[str, _Group]:
    """Which group tells a figure."""
    empty = Story([])
    return {metric.name: group for group in _GROUPS for metric in group(empty, None)}


class Prefix:
    """The figures of one session at any of its steps.

    Args:
        beside: were calls observed beside the events? Then they make up the work; else the events do.
    """

    def __init__(self, beside: bool = False) -> None:
        self.steps: list[Step] = []
        self.beside = beside
        self._homes = _homes()
        self._at = -1
        self._told: tuple[Story, Work | None] | None = None
        self._groups: dict[_Group, dict[str, PlanMetric]] = {}

    def figure(self, name: str, count: int) -> PlanMetric | None:
        """A figure of the first steps.

        Args:
            name: of the figure.
            count: how many steps.

        Returns:
            None where it is not told of these.
        """
        if count != self._at or self._told is None:
            self._at, self._groups = count, {}
            events = [s.event for s in self.steps[:count] if s.event is not None]
            story = Story(events)
            self._told = (story, self._work(story, count) if self.beside else work_of_story(story))
        group = self._homes[name]
        if group not in self._groups:
            self._groups[group] = {m.name: m for m in group(*self._told)}
        return self._groups[group].get(name)

    def _work(self, story: Story, count: int) -> Work:
        """Calls and attempts on the scale of the steps."""
        place = {s.event.event_id: i for i, s in enumerate(self.steps[:count]) if s.event is not None}
        calls = tuple(
            _placed(s.call, i) for i, s in enumerate(self.steps[:count]) if s.call is not None
        )  # fmt: skip
        spans = tuple(
            Span(
                node=t.node.id,
                start=place[t.start.event_id],
                stop=place[story.events[t.stopped].event_id] if t.stopped is not None else None,
                implied=t.implied,
                succeeded=t.end is not None and t.end.status == "succeeded",
            )
            for t in story.tries
        )
        prompts = tuple(
            place[e.event_id]
            for e in story.events
            if e.actor == "human" and e.payload.get("decision") == "prompt"
        )
        return Work(calls=calls, spans=spans, prompts=prompts, whole=False)


def _placed(call: Call, place: int) -> Call:
    import msgspec

    return msgspec.structs.replace(call, place=place)


def due(count: int, last: int) -> bool:
    """Is a figure taken at this step?

    Args:
        count: steps so far.
        last: steps at which it was taken last.
    """
    return count <= EXACT or count - last >= STRIDE * last

"""How is a whole session named? Cut it, then one stage and one path of segments per operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.model.ports import Segmenter
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import before, follow
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import stage, vocabulary


class Labels(NamedTuple):
    """A cut session, and what its n operations are called."""

    segmentation: Segmentation
    """Its segments."""
    stages: list[str]
    """n closed names, those of the innermost segments."""
    paths: list[tuple[str, ...]]
    """n paths: names of the segments around the operation, outermost first. A marked path is kept as it is;
    a segment of a segmenter that is no smaller than the one around it is not repeated."""


def label(operations: Sequence[Operation], segmenter: Segmenter, marked: Sequence[Segment] = ()) -> Labels:
    """Cut a session and name every operation by the segments around it.

    Args:
        operations: the n operations of one session in order.
        segmenter: what cuts it.
        marked: segments that a person or a model marked, each level covering [0, k), k <= n; their names are
            free, the segmenter cuts what comes after them.

    Returns:
        The segmentation, n stages of the closed vocabulary and n paths.

    Raises:
        ModelError: the segments do not cover the session, or a name lies outside the vocabulary.
    """
    if marked:
        segments = follow(operations, marked, lambda run: segmenter.segment(run).segments)
        session = operations[0].session if operations else ""
        cut = Segmentation(session, segmenter.name, segmenter.version, tuple(segments))
    else:
        cut = segmenter.segment(operations)
    n = len(operations)
    cut.check(n)
    free = max((segment.stop for segment in marked), default=0)
    stages = [""] * n
    paths: list[tuple[str, ...]] = [()] * n
    above: list[tuple[int, int]] = [(0, 0)] * n
    for segment in cut.segments:  # sorted by level: an inner segment overwrites its parent
        start, stop = segment.start, segment.stop
        if stop <= free:
            closed = stage(operations[start:stop], before(operations, start))
            further = bool(segment.name)  # a marked path may end above the deepest level
        else:
            closed = check(segment.name, vocabulary())
            further = above[start] != (start, stop)
        stages[start:stop] = [closed] * (stop - start)
        if further:
            paths[start:stop] = [(*paths[start], segment.name)] * (stop - start)
            above[start:stop] = [(start, stop)] * (stop - start)
    return Labels(cut, stages, paths)


def declare(operations: Sequence[Operation], segmentation: Segmentation) -> None:
    """Set the fields stage_declared and stage_observed where a plan declares a stage, in place.

    Args:
        operations: the n operations of the session that was cut.
        segmentation: what label() gave for them.

    Source:
        naming rules, step 4: both names are kept, their disagreement is a signal.
    """
    for operation in operations:
        operation.fields.pop("stage_declared", None)
        operation.fields.pop("stage_observed", None)
    for segment in segmentation.segments:
        if segment.declared:
            for operation in operations[segment.start : segment.stop]:
                operation.fields["stage_declared"] = segment.declared
                operation.fields["stage_observed"] = segment.observed or segment.name


def stages(operations: Sequence[Operation], segmenter: Segmenter) -> list[str]:
    """One stage name per operation.

    Args:
        operations: the n operations of one session in order.
        segmenter: what cuts it.

    Returns:
        n stage names.
    """
    return label(operations, segmenter).stages

"""How is a whole session named? Cut it, then one stage per operation."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.model.ports import Segmenter
from tracelode.model.segment import Segmentation
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import vocabulary


def label(operations: Sequence[Operation], segmenter: Segmenter) -> tuple[Segmentation, list[str]]:
    """Cut a session and name every operation by its innermost segment.

    Args:
        operations: the n operations of one session in order.
        segmenter: what cuts it.

    Returns:
        The segmentation, and n stage names.

    Raises:
        ModelError: the segments do not cover the session, or a name lies outside the vocabulary.
    """
    segmentation = segmenter.segment(operations)
    segmentation.check(len(operations))
    names = [""] * len(operations)
    for segment in segmentation.segments:  # sorted by level: an inner segment overwrites its parent
        check(segment.name, vocabulary())
        names[segment.start : segment.stop] = [segment.name] * (segment.stop - segment.start)
    return segmentation, names


def declare(operations: Sequence[Operation], segmentation: Segmentation) -> None:
    """Set the fields stage_declared and stage_observed where a plan named a segment, in place.

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
        if segment.observed:
            for operation in operations[segment.start : segment.stop]:
                operation.fields["stage_declared"] = segment.name
                operation.fields["stage_observed"] = segment.observed


def stages(operations: Sequence[Operation], segmenter: Segmenter) -> list[str]:
    """One stage name per operation.

    Args:
        operations: the n operations of one session in order.
        segmenter: what cuts it.

    Returns:
        n stage names.
    """
    return label(operations, segmenter)[1]

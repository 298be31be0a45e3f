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


def stages(operations: Sequence[Operation], segmenter: Segmenter) -> list[str]:
    """One stage name per operation.

    Args:
        operations: the n operations of one session in order.
        segmenter: what cuts it.

    Returns:
        n stage names.
    """
    return label(operations, segmenter)[1]

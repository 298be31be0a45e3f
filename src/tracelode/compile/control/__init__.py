"""When is a step taken that only some runs took? The pass that learns guards, or leaves it undecided."""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.work import Work


def control(work: Work) -> Work:
    """Learn when the slots of some variants are taken.

    Args:
        work: after align and effects. After bind as well, a guard can look at inputs too.

    Returns:
        The same with guards, slots that are undecided, what must hold since the opposite was seen before
        failure only, and control edges after the edges that it had.

    Source:
        compile: S7 control evidence.
    """
    from tracelode.compile.control.failing import forbidden
    from tracelode.compile.control.guards import learned

    if work.alignment is None:
        return work
    found = learned(work)
    return replace(
        work,
        guards=found.guards,
        undecided=found.undecided,
        preconditions=forbidden(work),
        edges=(*work.edges, *found.edges),
    )

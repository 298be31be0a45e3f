"""Which looks does a workflow leave out although no other call told what they told?

A repeat is no loss. A look of its own that nothing used is one only if it was a look: where that is known by
the name of its tool alone, and nearly every run has it, whoever reads the result is told so.
"""

from __future__ import annotations

from tracelode.compile.effects import knowledge
from tracelode.compile.work import Work
from tracelode.model.compiled import Left

FRESH = ("dead_output", "exploratory")
"""Classes of calls that asked for something of their own."""
HABIT = 0.8
"""Share of runs from which a look that is known by its name alone is doubtful."""


def left_out(work: Work) -> tuple[Left, ...]:
    """The tools whose fresh calls have no place in a workflow.

    Args:
        work: after align.

    Returns:
        By class and tool, in their order.

    Source:
        decision 0025.
    """
    if work.alignment is None or not work.labels:
        return ()
    known = knowledge(work)
    found: dict[tuple[str, str, str], list[tuple[int, bool]]] = {}
    for place, labels in enumerate(work.labels):
        run, slots = work.runs[place], work.alignment.of[place]
        for call, label, slot in zip(run.calls, labels, slots, strict=True):
            if label.kind in FRESH and not slot:
                seen = found.setdefault((label.kind, call.server, call.name), [])
                seen.append((place, known.of(call).basis == "lexicon"))
    return tuple(
        _left(kind, server, tool, seen, len(work.runs))
        for (kind, server, tool), seen in sorted(found.items())
    )


def _left(kind: str, server: str, tool: str, seen: list[tuple[int, bool]], runs: int) -> Left:
    having = len({place for place, _ in seen})
    named = any(by_name for _, by_name in seen)
    return Left(
        tool=tool,
        server=server,
        kind=kind,
        calls=len(seen),
        runs=having,
        of=runs,
        named=named,
        doubtful=named and having >= HABIT * runs,
    )

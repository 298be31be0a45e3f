"""Which passes make workflows of runs, and in which order?"""

from __future__ import annotations

from tracelode.compile.align import align
from tracelode.compile.gate import gate
from tracelode.compile.work import Pass, State, each

PASSES: tuple[Pass, ...] = (
    each(gate),
    each(align),
)
"""In order: intents, gate, denoise, align, evidence, effects, control, bind, compile. Each reads what those
before it left, and none changes what it was given."""


def run(state: State, passes: tuple[Pass, ...] = PASSES) -> State:
    """Do the passes one after another.

    Args:
        state: all runs, with settings and what was declared.
        passes: in order.

    Returns:
        The last state.
    """
    for step in passes:
        state = step(state)
    return state

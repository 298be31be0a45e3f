"""Which passes make workflows of runs, and in which order?"""

from __future__ import annotations

from tracelode.compile.align import align
from tracelode.compile.assemble import assemble
from tracelode.compile.bind import bind
from tracelode.compile.control import control
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.gate import gate
from tracelode.compile.intents import intents
from tracelode.compile.verify import verify
from tracelode.compile.work import Pass, State, each

PASSES: tuple[Pass, ...] = (
    intents,
    each(gate),
    each(denoise),
    each(align),
    each(evidence),
    each(effects),
    each(bind),
    each(control),  # after bind: a guard may look at inputs, and bind names them
    each(assemble),
    each(verify),
)
"""In order. Each reads what those before it left, and none changes what it was given."""


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

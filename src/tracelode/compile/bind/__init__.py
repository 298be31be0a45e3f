"""Where does every argument come from? The pass that binds them."""

from __future__ import annotations

from dataclasses import replace

from tracelode.compile.work import Work


def bind(work: Work) -> Work:
    """Bind the arguments of every slot.

    Args:
        work: after align, evidence, effects and control.

    Returns:
        The same with bindings, inputs, loops and waits.

    Source:
        compiler specification, S8.
    """
    from tracelode.compile.bind.bound import bound, ground_of, hard_edges, told
    from tracelode.compile.bind.observe import Scenes
    from tracelode.compile.bind.table import table

    scenes = Scenes(work)
    rows = table(work, scenes)
    everyone = frozenset(range(len(work.runs)))
    found = bound(rows, ground_of(work, everyone, hard_edges(work.edges)), scenes, work.edges)
    return replace(
        work,
        bindings=found.arguments,
        inputs=told(found, scenes),
        loops=found.loops,
        waits=found.waits,
        ruled=(scenes, rows),
    )

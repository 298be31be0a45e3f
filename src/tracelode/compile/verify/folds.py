"""What would a workflow have called in a run that it was not learned from, given the recorded outputs?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tracelode.compile import transforms
from tracelode.compile.bind.bound import Bound, bound, ground_of, hard_edges
from tracelode.compile.bind.inputs import Given
from tracelode.compile.bind.observe import Leaf, Scenes, mentioned
from tracelode.compile.bind.table import Row
from tracelode.compile.control.guards import Learned, learned
from tracelode.compile.evaluate import Asked, Missing, Scene, arguments, passes, value
from tracelode.compile.paths import leaves
from tracelode.compile.work import Traced, Work
from tracelode.model import binding as b
from tracelode.model.evidence import Edge
from tracelode.model.run import Tree
from tracelode.model.verification import CallEnd, Fold, FoldCall
from tracelode.model.workflow import Argument, Effect, Step

Edges = Callable[[Work, frozenset[int]], tuple[Edge, ...]]
"""The data edges that some runs alone prove."""

_READ = Effect("read", "default")


def learn(work: Work, rows: tuple[Row, ...], scenes: Scenes, runs: frozenset[int], edges: Edges) -> Bound:
    """All bindings that some runs alone teach.

    Args:
        work: after evidence.
        rows: rules of all leaves.
        scenes: all runs.
        runs: places of the runs to learn from.
        edges: gives their data edges.
    """
    proven = edges(work, runs)
    return bound(rows, ground_of(work, runs, hard_edges(proven)), scenes, proven)


def fold(
    work: Work,
    rows: tuple[Row, ...],
    scenes: Scenes,
    run: int,
    found: Bound,
    branches: Learned | None = None,
) -> Fold:
    """Replay one run with what others taught.

    Args:
        work: after evidence.
        rows: rules of all leaves.
        scenes: all runs.
        run: place of the run that is replayed.
        found: bindings learned without it.
        branches: guards learned without it, None where all runs take the same steps.

    Returns:
        What became of each of its calls, and calls (index -1) that it does not have.
    """
    alignment = work.alignment
    assert alignment is not None
    real = scenes.by_run[run]
    inputs = _inputs(found.given, run, scenes, {row.leaf.name: row.leaf for row in rows})
    done: dict[str, int] = {}
    calls = []
    for index, slot in enumerate(alignment.of[run]):
        if not slot:
            continue
        effect = work.effects.get(slot, _READ)
        element = done.get(slot, 0)
        done[slot] = element + 1
        outputs = {s: o for s, o in real.outputs.items() if scenes.before(run, s, slot)}
        scene = Scene(inputs, outputs)
        passed = work.runs[run].calls[index].arguments
        taken = _taken(slot, branches, scene)
        if taken is False:
            # it would have been left out: no call, and so no wrong write
            calls.append(FoldCall(index, slot, "wrong", "", False, "unseen_branch"))
            continue
        end, arg, why = _replayed(slot, found, scene, passed, element)
        if taken is None and end != "unbound":
            end, arg, why = "unbound", "", "unseen_branch"
        calls.append(FoldCall(index, slot if slot in found.arguments else "", end, arg, effect.writes, why))
    calls += _extra(work, found, branches, run, scenes, Scene(inputs, real.outputs))
    return Fold(work.runs[run].key, tuple(calls))


def _taken(slot: str, branches: Learned | None, scene: Scene) -> bool | None:
    """Would a step be taken? None: somebody would be asked."""
    if branches is None or (slot not in branches.guards and slot not in branches.undecided):
        return True
    if slot in branches.undecided:
        return None
    try:
        return passes(branches.guards[slot], scene)
    except (Missing, Asked):
        return None


def _extra(
    work: Work, found: Bound, branches: Learned | None, run: int, scenes: Scenes, scene: Scene
) -> list[FoldCall]:
    """Calls that the workflow makes and the run does not have."""
    calls = []
    for slot in sorted(found.slots - set(scenes.first[run])):
        arguments_of = found.arguments.get(slot, ())
        if _taken(slot, branches, scene) is not True or any(_open(a) for a in arguments_of):
            continue
        effect = work.effects.get(slot, _READ)
        try:
            arguments(Step(slot=slot, tool=slot, arguments=arguments_of, effect=_READ), scene)
        except (Missing, Asked, LookupError):
            continue
        calls.append(FoldCall(-1, slot, "wrong", "", effect.writes, "unseen_branch"))
    return calls


def _inputs(
    given: tuple[Given, ...], run: int, scenes: Scenes, leaves_by_name: Mapping[str, Leaf]
) -> dict[str, Tree]:
    """What who asked would have given: values that the request tells."""
    found: dict[str, Tree] = {}
    for one in given:
        if one.mention:
            kind, number = one.mention.split(":")
            stand_in = mentioned(kind, int(number))
            if stand_in in scenes.by_run[run].inputs:
                found[one.name] = scenes.by_run[run].inputs[stand_in]
            continue
        for leaf in one.leaves:
            traced: Traced | None = leaves_by_name[leaf.name].seen.get(run)
            if traced is not None and traced.prompt is not None:
                found[one.name] = traced.value
                break
    return found


def _replayed(slot: str, found: Bound, scene: Scene, passed: Tree, element: int) -> tuple[CallEnd, str, str]:
    bound_here = found.arguments.get(slot)
    if bound_here is None:
        return (
            ("exact", "", "")
            if slot in found.slots and passed in ({}, None)
            else ("unbound", "", "unseen_branch")
        )
    loose = next((a for a in bound_here if _open(a)), None)
    if loose is not None:
        return "unbound", loose.path, ""
    known = {a.path for a in bound_here}
    extra = next((p for p in _paths(passed) if p not in known), None)
    if extra is not None:
        return "unbound", extra, ""
    if slot in found.loops:
        try:
            rows = value(found.loops[slot].over, scene)
        except (Missing, Asked):
            return "escalated", "", "empty_selection"
        if not isinstance(rows, list) or element >= len(rows):
            return "escalated", "", "empty_selection"
        scene = Scene(scene.inputs, scene.outputs, element=rows[element])
    step = Step(slot=slot, tool=slot, arguments=bound_here, effect=_READ)
    try:
        made = arguments(step, scene)
    except Missing as error:
        return "escalated", "", error.code
    except (Asked, LookupError):
        return "unbound", "", ""
    if made == passed:
        return "exact", "", ""
    other = _difference(made, passed)
    return ("equivalent", "", "") if other is None else ("wrong", other, "")


def _open(argument: Argument) -> bool:
    return b.residual(argument.binding) or isinstance(argument.binding, b.Unsourced)


def _paths(tree: Tree) -> list[str]:
    from tracelode.compile.paths import written

    return [] if tree in ({}, None) else [written(keys) for keys, _ in leaves(tree)]


def _difference(made: Tree, passed: Tree) -> str | None:
    """First path at which two calls say something different, None where they say the same."""
    from tracelode.compile.paths import written

    one, two = ({written(k): v for k, v in leaves(t)} if t != {} else {} for t in (made, passed))
    for path in sorted({*one, *two}):
        if path not in one or path not in two or not transforms.same(one[path], two[path]):
            return path
    return None


def left_out(work: Work, rows: tuple[Row, ...], scenes: Scenes, edges: Edges) -> tuple[Fold, ...]:
    """Leave every run out once.

    Args:
        work: after evidence.
        rows: rules of all leaves.
        scenes: all runs.
        edges: data edges that some runs alone prove.

    Returns:
        One fold a run, by session key.

    Source:
        compiler specification, section 7.
    """
    everyone = frozenset(range(len(work.runs)))
    folds = []
    for run in everyone:
        found = learn(work, rows, scenes, everyone - {run}, edges)
        folds.append(fold(work, rows, scenes, run, found, branches_of(work, everyone - {run})))
    return tuple(sorted(folds, key=lambda f: f.run))


def branches_of(work: Work, runs: frozenset[int]) -> Learned | None:
    """The guards that some runs alone teach.

    Args:
        work: after bind.
        runs: places of the runs to learn from.

    Returns:
        None where all runs take the same steps.
    """
    assert work.alignment is not None
    return learned(work, runs) if len(work.alignment.variants) > 1 else None

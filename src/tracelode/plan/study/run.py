"""What does a study say? Its design checked first, then every arm, and every arm against the base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from tracelode.model.numbers import number
from tracelode.model.plan_study import FAMILIES, FOUR, Arm, Contrast, Group, Positions, Problem, Study, Unit
from tracelode.model.planning import SessionPlan
from tracelode.plan.study.contrast import ALL, adjust, contrast, group, positions
from tracelode.plan.study.design import Design, TaskDesign
from tracelode.plan.study.guide import guide
from tracelode.plan.study.units import units

LEAST_FAMILIES = 2
LEAST_TASKS = 5
"""Tasks of each family."""


class _Sorted:
    """The runs of one arm by task."""

    def __init__(self, name: str, sessions: Sequence[SessionPlan], tasks: Sequence[TaskDesign]) -> None:
        self.name = name
        by_id = {task.id: task.name for task in tasks}
        given = [(start, task.name) for task in tasks for start in task.sessions]
        self.runs: dict[str, list[Unit]] = {task.name: [] for task in tasks}
        self.keys: list[str] = []
        left: Counter[str] = Counter()
        for one, unit in zip(sessions, units(sessions, "session"), strict=True):
            if one.root:
                left["thread of a sub-agent"] += 1
                continue
            task = next((name for start, name in given if one.session_id.startswith(start)), None)
            task = task or by_id.get(one.task)
            if task is None:
                left["of a task that is not in the study" if one.task else "it tells no task"] += 1
                continue
            self.keys.append(one.session_id)
            self.runs[task].append(msgspec.structs.replace(unit, cluster=task))
        self.arm = Arm(name=name, sessions=len(self.keys), left_out=dict(left))

    def of(self, names: Iterable[str]) -> list[Unit]:
        return [unit for name in names for unit in self.runs[name]]


def run(design: Design, arms: Mapping[str, Sequence[SessionPlan]], *, describe: bool = False) -> Study:
    """Analyse a study.

    Args:
        design: what it is to compare.
        arms: arm to its measured sessions.
        describe: tell figures of the arms where the design fails; differences are not told then.

    Returns:
        The study. Without groups where the design fails.

    Raises:
        QueryError: the study is fixed to metrics of another version.

    Source:
        plan rules, section 11.1; docs/decisions/0031-plan-statistics.md.
    """
    held = [_Sorted(arm.name, arms[arm.name], design.tasks) for arm in design.arms]
    problems = tuple(check(design, held))
    sound = all(problem.severity != "error" for problem in problems)
    families = [f for f in FAMILIES if any(task.family == f for task in design.tasks)]
    inside = {ALL: [task.name for task in design.tasks]}
    inside |= {f: [task.name for task in design.tasks if task.family == f] for f in families}
    metrics = tuple(dict.fromkeys((*FOUR, *design.also)))
    groups: list[Group] = []
    if sound or describe:
        groups = [
            group(arm.of(names), metric, family, arm.name, design.seed)
            for family, names in inside.items() for metric in metrics for arm in held
        ]  # fmt: skip
    contrasts: list[Contrast] = []
    places: list[Positions] = []
    for other in held[1:] if sound else ():
        for family, names in inside.items():
            base, sides = held[0].of(names), (held[0].name, other.name)
            theirs = other.of(names)
            contrasts += [
                contrast(base, theirs, metric, family=family, names=sides, seed=design.seed)
                for metric in metrics
            ]
            places.append(positions(base, other.of(names), family=family, names=sides, seed=design.seed))
    tested, placed = adjust(contrasts, places)
    return Study(
        name=design.name, metrics_version=design.metrics, arms=tuple(one.arm for one in held),
        tasks={task.name: task.family for task in design.tasks}, problems=problems, groups=tuple(groups),
        contrasts=tested, positions=placed, guide=guide(families), seed=design.seed,
    )  # fmt: skip


def check(design: Design, held: Sequence[_Sorted]) -> Iterable[Problem]:
    """What is off in a design.

    Args:
        design: what it is to compare.
        held: runs of each arm by task.

    Returns:
        Errors first.
    """
    families = Counter(task.family for task in design.tasks)
    if len(families) < LEAST_FAMILIES:
        yield Problem("error", f"all tasks are of one family; a study has at least {LEAST_FAMILIES}")
    for family, count in sorted(families.items()):
        if count < LEAST_TASKS:
            yield Problem("error", f"{number(count, 'task')} of family {family}; {LEAST_TASKS} are needed")
    for arm in held:
        empty = [name for name, runs in arm.runs.items() if not runs]
        if empty:
            yield Problem("error", f"arm {arm.name} has no run of {_named(empty)}")
    arms_of: dict[str, list[str]] = {}
    for arm in held:
        for key in arm.keys:
            arms_of.setdefault(key, []).append(arm.name)
    twice = [key for key, names in arms_of.items() if len(names) > 1]
    if twice:
        yield Problem("error", f"{number(len(twice), 'session')} in several arms, such as {twice[0][:40]}")
    for arm in held:
        off = [name for name, runs in arm.runs.items() if runs and len(runs) != design.repeats]
        if off:
            yield Problem(
                "warning", f"arm {arm.name} has not {number(design.repeats, 'run')} of {_named(off)}"
            )
    yield from _seeds(design, held)


def _seeds(design: Design, held: Sequence[_Sorted]) -> Iterable[Problem]:
    if not design.seeds:
        return
    told = {unit.seed for arm in held for runs in arm.runs.values() for unit in runs} - {""}
    if not told:
        yield Problem("warning", "no run tells its seed, so seeds are not checked")
        return
    for arm in held:
        off = [
            name for name, runs in arm.runs.items()
            if runs and sorted(unit.seed for unit in runs) != sorted(design.seeds)
        ]  # fmt: skip
        if off:
            yield Problem("warning", f"arm {arm.name} was not run with each seed once in {_named(off)}")


def _named(names: Sequence[str]) -> str:
    some = ", ".join(name[:40] for name in names[:3])
    return some if len(names) <= 3 else f"{some} and {number(len(names) - 3, 'other task')}"

"""What do sets of planned work say against each other? Studies, and sets before and after a change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tracelode.errors import QueryError, UsageError
from tracelode.model.plan_study import Against, Study
from tracelode.model.planning import PlanReport, SessionPlan
from tracelode.workspace.comparing import Comparing
from tracelode.workspace.planning import Planning, measure_files

if TYPE_CHECKING:
    from tracelode.plan.study.design import ArmDesign, Design


def against(report: PlanReport, path: str | Path, *, metrics: Sequence[str] = (), seed: int = 0) -> Against:
    """What became of metrics since an answer of plan metrics --json that was kept.

    Args:
        report: sessions measured now.
        path: the kept answer.
        metrics: metrics to hold against each other; none for those that proposals aim at.
        seed: of draws and deals.

    Returns:
        Now minus then, paired where both sets share tasks.

    Raises:
        SourceError: the file is no such answer.
        QueryError: its metrics are of another version, or both sets hold the same session.
    """
    from tracelode.plan.study.since import since

    return since(report, Path(path).expanduser(), metrics, seed)


def study_files(path: str | Path, *, describe: bool = False) -> Study:
    """Analyse a study whose arms are all files of plan events.

    Args:
        path: the study file.
        describe: tell figures of the arms where the design fails.

    Returns:
        The study.

    Raises:
        UsageError: something in the file is off; each with its line. Or an arm names sessions of a store.
        SourceError: a file cannot be read.
        QueryError: it is fixed to metrics of another version.
    """
    design = _design(path)
    if needs_store(design):
        raise UsageError("an arm names sessions of the store")
    return _run(design, {arm.name: _of_files(arm) for arm in design.arms}, describe)


def stored_study(path: str | Path) -> bool:
    """Does a study name sessions of the store?

    Args:
        path: the study file.

    Raises:
        UsageError: something in the file is off; each with its line.
    """
    return needs_store(_design(path))


def needs_store(design: Design) -> bool:
    """Does an arm name sessions of the store?"""
    return any(not arm.files for arm in design.arms)


def _design(path: str | Path) -> Design:
    from tracelode.plan.study.design import load
    from tracelode.plan.study.units import same_version

    design = load(Path(path).expanduser())
    same_version(design.metrics, str(path))
    return design


def _of_files(arm: ArmDesign) -> Sequence[SessionPlan]:
    return measure_files(arm.files).sessions


def _run(design: Design, arms: dict[str, Sequence[SessionPlan]], describe: bool) -> Study:
    from tracelode.plan.study.run import run

    return run(design, arms, describe=describe)


class Studying(Planning, Comparing):
    """Studies of a workspace's sessions."""

    def plan_study(self, path: str | Path, *, describe: bool = False) -> Study:
        """Analyse a study.

        Args:
            path: the study file; its arms name files of plan events or sessions of this store.
            describe: tell figures of the arms where the design fails.

        Returns:
            The study; without figures where its design fails, unless they are asked for.

        Raises:
            UsageError: something in the file is off; each with its line.
            QueryError: it is fixed to metrics of another version, or names a session that is not there.

        Source:
            plan rules, section 11.1.
        """
        design = _design(path)
        arms = {arm.name: _of_files(arm) if arm.files else self._of_arm(arm) for arm in design.arms}
        return _run(design, arms, describe)

    def _of_arm(self, arm: ArmDesign) -> Sequence[SessionPlan]:
        keys = [self.session(word).key for word in arm.sessions]
        if arm.where or arm.since or arm.until:
            query = self.query(where=dict(arm.where), since=arm.since, until=arm.until)
            inside = {frames[0] for frames in self._sessions_in(query)}
            keys = [key for key in keys if key in inside] if keys else sorted(inside)
        found: list[SessionPlan] = []
        for key in keys:
            try:
                found += self.plan_metrics(key, whole=False).sessions
            except QueryError:
                # without a plan event and a word of a person: nothing to measure
                continue
        return found

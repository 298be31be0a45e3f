"""Does a workflow still fit the world? Drift of its guards, how often its steps stood still, and demotion."""

from __future__ import annotations

import time
from collections.abc import Iterable

import msgspec

from tracelode.compile.execute.journal import Journal
from tracelode.errors import Demoted
from tracelode.model.execution import Outcome, Policy
from tracelode.model.workflow import Workflow

WINDOW = 30
"""Runs that are looked at."""
SHARE = 0.10
"""Share of the window that may stand still; a shorter history counts as if the rest had gone well."""
OWN = ("approval_required", "decision_required", "budget", "missing_input", "stale")
"""Codes that tell of who asked and of policy, and nothing of the workflow: they do not count."""
SETUP = "setup"
"""Guard of a note that tells of how the run was set up: a server not reached, a tool not given."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """How a guard fares."""

    step: str
    """Slot."""
    guard: str
    """What did not hold."""
    runs: int
    """Runs of the window in which it failed."""
    last: int
    """UTC microseconds of the last time."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How a workflow fares over the last runs."""

    workflow: str
    """Workflow id."""
    runs: int
    """Runs in act mode that were looked at, at most WINDOW."""
    stood: int
    """Runs of them that could not go on by themselves."""
    steps: tuple[tuple[str, int], ...] = ()
    """Slot to the runs of them in which it could not; most first."""
    guards: tuple[Drift, ...] = ()
    """Guards that failed, most first."""
    demoted: str = ""
    """Why it was demoted, "" where it was not."""

    @property
    def rate(self) -> float | None:
        """Share of runs that stood still; None where there is no run."""
        return self.stood / self.runs if self.runs else None


class Monitor:
    """Looks at the runs of a journal.

    Args:
        journal: open.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def health(self, workflow: str) -> Health:
        """How a workflow fares.

        Args:
            workflow: its id.
        """
        rows = self._journal.rows(
            "SELECT run FROM runs WHERE workflow = ? AND mode = 'act' "
            "ORDER BY started DESC, run DESC LIMIT ?",
            (workflow, WINDOW),
        )
        runs = [row[0] for row in rows]
        marks = ",".join("?" * len(runs))
        notes = self._journal.rows(
            "SELECT run, slot, code, guard, at FROM notes "
            f"WHERE workflow = ? AND run IN ({marks}) ORDER BY number",
            (workflow, *runs),
        )
        # that the process died amid a write, or that its user gave other tools, tells nothing of it either
        counted = [row for row in notes if row[2] not in OWN and row[3] not in ("process", SETUP)]
        demoted = self._journal.rows("SELECT reason FROM demoted WHERE workflow = ?", (workflow,))
        return Health(
            workflow=workflow,
            runs=len(runs),
            stood=len({row[0] for row in counted}),
            steps=_most((slot, run) for run, slot, *_ in counted),
            guards=_drift(counted),
            demoted=demoted[0][0] if demoted else "",
        )

    def judge(self, workflow: Workflow) -> str:
        """Demote a workflow that does not fit any more.

        Args:
            workflow: which.

        Returns:
            Why it is demoted, "" where it is not.
        """
        health = self.health(workflow.id)
        if health.demoted:
            return health.demoted
        writes = {step.slot for step in workflow.steps if step.effect.writes}
        broken = [g for g in health.guards if g.step in writes and g.guard.startswith("check")]
        reason = ""
        if broken:
            reason = f"the output of the write {broken[0].step} was not as in the runs"
        elif health.stood > SHARE * WINDOW:
            reason = f"{health.stood} of the last {health.runs} runs could not go on by themselves"
        if reason:
            self._journal.rows(
                "INSERT OR IGNORE INTO demoted VALUES(?, ?, ?)",
                (workflow.id, reason, time.time_ns() // 1_000),
            )
        return reason

    def take(self, outcome: Outcome) -> None:
        """Add what an outcome tells of a run that another engine keeps.

        Args:
            outcome: of any engine.
        """
        now = time.time_ns() // 1_000
        self._journal.rows(
            "INSERT OR IGNORE INTO runs(run, workflow, digest, mode, status, secrets, started, ended) "
            "VALUES(?, ?, '', 'act', ?, '', ?, ?)",
            (outcome.run, outcome.workflow, outcome.status, now, now),
        )
        for note in outcome.notes:
            self._journal.note(outcome.run, outcome.workflow, note.step, note.code, note.guard)

    def restore(self, workflow: str) -> None:
        """Take a demotion back; what was noted until now counts no more.

        Args:
            workflow: its id.
        """
        self._journal.rows("DELETE FROM demoted WHERE workflow = ?", (workflow,))
        self._journal.rows("DELETE FROM notes WHERE workflow = ?", (workflow,))

    def admit(self, workflow: Workflow, policy: Policy) -> None:
        """May a run begin?

        Args:
            workflow: which.
            policy: how far the run may go.

        Raises:
            Demoted: it was, and the run would act.
        """
        reason = self.health(workflow.id).demoted
        if reason and policy.mode == "act" and not policy.demoted:
            raise Demoted(
                f"workflow {workflow.id} was demoted: {reason}; let the agent do it, try it with --shadow, "
                "compile it again from newer runs, or take the demotion back with --restore"
            )


def _most(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, int], ...]:
    found: dict[str, set[str]] = {}
    for name, run in pairs:
        found.setdefault(name, set()).add(run)
    return tuple(sorted(((name, len(runs)) for name, runs in found.items()), key=lambda p: (-p[1], p[0])))


def _drift(rows: list[tuple[str, str, str, str, int]]) -> tuple[Drift, ...]:
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for run, slot, _, guard, at in rows:
        if guard:
            found.setdefault((slot, guard), []).append((run, at))
    drifts = [
        Drift(step=slot, guard=guard, runs=len({run for run, _ in seen}), last=max(at for _, at in seen))
        for (slot, guard), seen in found.items()
    ]
    return tuple(sorted(drifts, key=lambda d: (-d.runs, d.step, d.guard)))

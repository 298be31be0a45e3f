"""Which change of how agents plan does a figure lead to? A rule for the prompt, and what to watch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tracelode.model.numbers import number
from tracelode.model.plan_policy import Proposal
from tracelode.model.planning import PlanReport, Pooled, SessionPlan
from tracelode.plan.policy.seen import node_class


class _Line(NamedTuple):
    """One figure that leads to a change."""

    code: str
    metric: str
    holds: Callable[[float], bool]
    least: int
    """Cases in the denominator below which it says nothing."""
    finding: str
    change: str
    expect: str


_LINES = (
    _Line("constraints", "human_mid", lambda v: v >= 0.5, 4,
          "people step in during work more than before it: what they know reaches the agent too late",
          "Before you plan, list the business rules and constraints that you assume, ask me to confirm or "
          "correct each, and wait for my answer before the first step.",
          "human_mid and corrective go down, human_pre goes up"),
    _Line("candidates", "unplanned", lambda v: v >= 0.1, 5,
          "steps are worked on that the first plan did not have",
          "In the first plan name at least two candidates for every step with more than one way to do it "
          "(model, method, library), with what would decide between them.",
          "unplanned goes down"),
    _Line("returns", "rollback_rate", lambda v: v >= 0.05, 5,
          "work returns to steps that had been finished",
          "Before you leave a step, say what later steps need from it and check that; if a choice in it "
          "rests on an assumption about the business, confirm it first.",
          "rollback_rate goes down"),
    _Line("support", "supported_completion", lambda v: v < 0.9, 5,
          "steps are ticked off without a tool call since they were begun",
          "Mark a step as done only after a command whose output shows it, and name that command.",
          "supported_completion goes up"),
    _Line("checks", "tested_completion", lambda v: v < 0.3, 5,
          "few steps are checked by a test, a lint or a build before they are ticked off",
          "End every step that changes code with the narrowest test, lint or build that covers it.",
          "tested_completion goes up, observed_rework goes down"),
    _Line("binding", "work_in_plan", lambda v: v < 0.6, 20,
          "much work is done while no step is in progress",
          "Set a step in progress before you work on it; if the work fits no step, add one first.",
          "work_in_plan goes up"),
    _Line("rework", "observed_rework", lambda v: v >= 0.1, 100,
          "lines that were written are taken out again",
          "Before you edit, say in two sentences which approach you take and what would make it wrong.",
          "observed_rework goes down"),
)  # fmt: skip
"""Thresholds are where to begin to look, not norms."""


def proposals(report: PlanReport) -> list[Proposal]:
    """Changes that the figures of some sessions lead to.

    Args:
        report: measured sessions.

    Returns:
        Those whose figure lies beyond its threshold, with enough cases behind it.

    Source:
        plan rules, R10 and R15; TraceML article, 4.4.
    """
    by_name = {row.name: row for row in report.pooled}
    found = [made for line in _LINES if line.metric in by_name
             for made in _proposed(line, by_name[line.metric], report.sessions)]  # fmt: skip
    return [*found, *_confirm(report.sessions)]


def _proposed(line: _Line, row: Pooled, sessions: Sequence[SessionPlan]) -> Iterable[Proposal]:
    parts = [m for s in sessions for m in s.metrics if m.name == line.metric and m.value is not None]
    above = sum(m.numerator or 0 for m in parts)
    below = sum(m.denominator or 0 for m in parts)
    if row.pooled is None or below < line.least or not line.holds(row.pooled):
        return
    yield Proposal(
        code=line.code, metric=line.metric, value=row.pooled, interval=row.pooled_interval,
        basis=f"{above:,.0f} of {below:,.0f}, {number(row.sessions, 'session')}", finding=line.finding,
        change=line.change, expect=line.expect,
    )  # fmt: skip


def _confirm(sessions: Sequence[SessionPlan]) -> Iterable[Proposal]:
    """Kinds of steps that people correct most: approval before them, not after."""
    corrected: Counter[str] = Counter()
    everything: Counter[str] = Counter()
    for one in sessions:
        texts = {node.id: node.text for node in one.nodes}
        for node in one.nodes:
            everything[node_class(node.text)] += 1
        for node_id in {i.node_id for i in one.interventions if i.corrective and i.node_id in texts}:
            corrected[node_class(texts[node_id])] += 1
    for name, count in corrected.most_common(2):
        share = count / everything[name]
        if name and count >= 3 and share >= 0.3:
            yield Proposal(
                code="approval", metric="corrective", value=share, interval=None,
                basis=f"{number(count, 'step')} of {everything[name]:,} that {name}",
                finding=f"people correct steps that {name} while or after they are done",
                change=f"Before any step that is to {name} something, show what you are going to do and "
                "which assumption about the business it rests on, and wait for my approval.",
                expect="corrective and rollback_rate go down, human_pre goes up",
            )  # fmt: skip

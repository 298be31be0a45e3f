"""What do sets of planned work say against each other? Arms, tasks, differences with their certainty."""

from __future__ import annotations

from typing import Literal

import msgspec

FAMILIES = ("procedure", "explore", "domain")
"""Kinds of tasks: a fixed procedure, open exploration, knowledge of the business needed."""
POSITIONS = ("pre", "mid", "post")
"""Where people step in: before, during and after work."""
FOUR = ("coverage", "rollback_rate", "node_duration")
"""Metrics that every study shows, beside the positions of interventions."""

Bounds = tuple[float, float]


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What one session counts for."""

    session: str
    """The session."""
    cluster: str
    """What it is drawn by."""
    figures: dict[str, tuple[float | None, float | None, float | None, str]]
    """Metric to value, numerator, denominator and reason."""
    units: dict[str, str]
    """Metric to its unit."""
    positions: tuple[int, int, int]
    """Interventions before, during and after work, goals left out."""
    seed: str = ""
    """Seed of the run, "" where it tells none."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one arm, over the tasks of one family."""

    family: str
    """A word of FAMILIES, or all."""
    arm: str
    """The arm."""
    metric: str
    """The metric."""
    unit: str
    """Of the figures."""
    pooled: float | None
    """Sum of numerators over sum of denominators."""
    pooled_interval: Bounds | None
    """Bounds, None below 5 tasks."""
    mean: float | None
    """Mean of sessions."""
    mean_interval: Bounds | None
    """Bounds, None below 5 tasks."""
    sessions: int
    """Sessions with a value."""
    clusters: int
    """Tasks with a value."""
    missing: dict[str, int]
    """Reason to sessions without one."""
    pooled_narrow: str = ""
    """Why the bounds of pooled are likely too narrow: no spread, few clusters, long tails; "" where not."""
    mean_narrow: str = ""
    """The same of the mean's."""


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of two sets: other minus base."""

    family: str
    """A word of FAMILIES, or all."""
    base: str
    """Name of the base set."""
    other: str
    """Name of the other set."""
    metric: str
    """The metric."""
    unit: str
    """Of the figures."""
    paired: bool
    """True: task by task. False: the sets share too few tasks, clusters are dealt anew."""
    clusters: tuple[int, int]
    """Tasks with a value in each set; the same two numbers where they are paired."""
    before: float | None
    """Mean over the base set's tasks of the means of their runs; pooled ratio where not paired."""
    after: float | None
    """The same of the other set."""
    interval: Bounds | None
    """Bounds of after - before, bootstrap over tasks; None below 5."""
    shift: float | None
    """Hodges-Lehmann estimate, None where not paired."""
    p: float | None
    """Sign flips where paired, else dealt clusters; None below 5 tasks."""
    exact: bool
    """Every flip was counted."""
    wilcoxon: float | None
    """Signed-rank p value, to look at beside."""
    adjusted: float | None
    """p after Holm (all tasks) or Benjamini-Hochberg (within families)."""
    detectable: float | None
    """Smallest difference that so many pairs, spread as these, would show in 80 % of repetitions."""
    reason: str
    """Why there is no test, "" where there is one."""

    @property
    def net(self) -> float | None:
        """after - before, None where either is unknown."""
        return None if self.before is None or self.after is None else self.after - self.before


class Positions(msgspec.Struct, frozen=True, kw_only=True):
    """Where people step in, in two sets."""

    family: str
    """A word of FAMILIES, or all."""
    base: str
    """Name of the base set."""
    other: str
    """Name of the other set."""
    before: tuple[int, int, int]
    """Interventions before, during and after work in the base set."""
    after: tuple[int, int, int]
    """The same of the other set."""
    divergence: float | None
    """Jensen-Shannon divergence in bits, None where a set has no intervention."""
    interval: Bounds | None
    """Bounds over resampled clusters."""
    chance: float | None
    """What deals of the same clusters give on average: the divergence is never below 0."""
    p: float | None
    """Share of the deals that lie as far apart."""
    adjusted: float | None = None
    """p after Holm or Benjamini-Hochberg."""


class Problem(msgspec.Struct, frozen=True):
    """Something that is off in the design of a study."""

    severity: Literal["error", "warning"]
    """error: differences are not told."""
    message: str
    """What is off, with names of the study file."""


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One way of working that is compared."""

    name: str
    """As in the study."""
    sessions: int
    """Runs that count."""
    left_out: dict[str, int]
    """Reason to runs that do not."""


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """What a study says."""

    name: str
    """What it asks."""
    metrics_version: int
    """Of the definitions."""
    arms: tuple[Arm, ...]
    """The base first."""
    tasks: dict[str, str]
    """Task to family."""
    problems: tuple[Problem, ...]
    """Of the design."""
    groups: tuple[Group, ...]
    """By family, arm and metric; empty where the design fails."""
    contrasts: tuple[Contrast, ...]
    """By family, pair and metric; empty where the design fails."""
    positions: tuple[Positions, ...]
    """By family and pair; empty where the design fails."""
    guide: tuple[str, ...]
    """How to read it, for the families that it has."""
    seed: int = 0
    """Of draws and flips."""

    @property
    def sound(self) -> bool:
        """Does the design hold?"""
        return all(problem.severity != "error" for problem in self.problems)


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """What became of metrics since an earlier set of sessions."""

    metrics_version: int
    """Of the definitions, the same in both."""
    sessions: tuple[int, int]
    """Before and now."""
    clusters: tuple[int, int]
    """Before and now."""
    cluster: str
    """What sessions are drawn by."""
    contrasts: tuple[Contrast, ...]
    """Metric by metric."""
    positions: Positions | None
    """Where people step in; None where nobody did in either."""

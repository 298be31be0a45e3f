"""What can a planner be tried on without running anything? Goals, and the plans that were carried out."""

from __future__ import annotations

import msgspec

FORMAT = "tracelode-plan-bench-1"
Bounds = tuple[float, float]


class BenchStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan."""

    text: str
    """Its wording, redacted."""
    depends_on: tuple[int, ...] = ()
    """Places of steps that must be finished first."""


class Stepped(msgspec.Struct, frozen=True, kw_only=True):
    """Where a person stepped in."""

    position: str
    """pre, mid or post."""
    decision: str
    """What was decided."""
    step: int | None
    """Place among the executed steps, None for the plan as a whole."""


class Returned(msgspec.Struct, frozen=True, kw_only=True):
    """Where work went back."""

    step: int | None
    """Place among the executed steps."""
    cause: str
    """What led to it: a decision, failed, or "" for nothing recorded."""
    initiator: str
    """human, agent or system."""


class BenchItem(msgspec.Struct, frozen=True, kw_only=True):
    """One task for a planner."""

    id: str
    """Digest of what follows; the same session gives the same id."""
    goal: str
    """What was asked, redacted."""
    family: str
    """Kind of task as the trace tells it, "" for unknown."""
    repository: str
    """Pseudonym of where it was done."""
    split: str
    """dev or test: all of a repository are on one side."""
    context: str
    """Keyed digest of project, goal and constraints that were said before work."""
    initial: tuple[BenchStep, ...]
    """The plan as it stood when work began."""
    executed: tuple[BenchStep, ...]
    """What was carried out to the end, in the order in which it was begun."""
    outcome: str
    """Allowed end: success as it was judged, or completed where nobody judged and every step was done."""
    interventions: tuple[Stepped, ...]
    """Where people stepped in, the goal left out."""
    rollbacks: tuple[Returned, ...]
    """Where work went back."""


class BenchHead(msgspec.Struct, frozen=True, kw_only=True):
    """First line of a benchmark file."""

    format: str
    """tracelode-plan-bench-1."""
    metrics_version: int
    """Of the definitions."""
    items: int
    """Lines that follow."""
    sha256: str
    """Of these lines: a benchmark that was changed is another one."""
    splits: dict[str, int]
    """Split to items."""
    left_out: dict[str, int]
    """Reason to sessions that are not in it."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of a planner, and of the plans that were recorded."""

    metric: str
    """recall, precision, in_band, order or fitness."""
    value: float | None
    """Mean over items."""
    interval: Bounds | None
    """Bounds over repositories, None below 5 of them."""
    recorded: float | None
    """The same of the plans as they stood when work began."""
    gap: float | None
    """value - recorded, over items that tell both."""
    gap_interval: Bounds | None
    """Bounds over repositories."""
    items: int
    """With a value."""
    narrow: str = ""
    """Why the bounds of value are likely to be too narrow; "" where not."""


class BenchScore(msgspec.Struct, frozen=True, kw_only=True):
    """How a planner did."""

    items: int
    """Of the benchmark."""
    answered: int
    """With a plan."""
    unknown: int
    """Plans of ids that are not in it."""
    repositories: int
    """Clusters of the intervals."""
    scores: dict[str, tuple[Score, ...]]
    """all, and each split."""
    band: Bounds
    """Steps of a plan over executed ones that count as fit."""

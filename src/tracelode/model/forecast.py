"""Can trouble be foreseen from the beginning of a session? What was tried, and how it fared."""

from __future__ import annotations

from typing import Literal

import msgspec

Label = Literal["failure", "rework", "correction"]
LABELS: tuple[Label, ...] = ("failure", "rework", "correction")
"""What can be foreseen."""
Bounds = tuple[float, float]


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """The beginning of one session, and what came after it."""

    session: str
    """The session."""
    task: str
    """Its task, "" for unknown."""
    project: str
    """Its project, "" for unknown."""
    who: str
    """Agent and model, which may tell by themselves."""
    features: dict[str, float]
    """Of the beginning alone."""
    calls: int
    """Tool calls of the beginning."""
    rest: int
    """Tool calls that came after it."""
    failure: bool | None
    """Did it fail? None where nobody said."""
    correction: bool
    """Did a person interrupt, deny a tool or ask for changes after the beginning?"""
    corrected: int | None
    """Calls from the beginning to that, None where it did not come or has no moment."""
    rework: float | None
    """Share of lines written after the beginning that were taken out again, None where none were."""


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions whose chances are alike."""

    sessions: int
    """How many."""
    said: float
    """Mean chance."""
    came: float
    """Share that came true."""


class Alarms(msgspec.Struct, frozen=True, kw_only=True):
    """What warnings would have been like, at thresholds that were chosen on other groups."""

    budget: float
    """False alarms a session that were accepted."""
    alarms: int
    """Sessions that were warned of."""
    hits: int
    """Of them: rightly."""
    false_rate: float
    """False alarms a session that came of it."""
    precision: float | None
    """Hits over alarms."""
    recall: float | None
    """Hits over what came."""
    lead: float | None
    """Median of calls between warning and event, among hits."""


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """How chances fared on groups that they were not fitted on."""

    by: str
    """task or project: what was held back together; random: nothing was, which leaks."""
    groups: int
    """How many."""
    auroc: float | None
    """Share of pairs in order."""
    auroc_interval: Bounds | None
    """Bootstrap over groups."""
    within: float | None
    """The same among sessions of one group."""
    precision: float | None
    """Average precision."""
    precision_interval: Bounds | None
    """Bootstrap over groups."""
    baseline: float | None
    """AUROC of the rate of each agent and model alone."""
    brier: float
    """Mean squared distance."""
    skill: float | None
    """What part of the base rate's distance is saved."""
    error: float
    """Calibration error over 5 groups of equal size."""
    bins: tuple[Bin, ...]
    """Chances held against what came."""
    alarms: Alarms | None
    """None for random."""
    p: float | None = None
    """Share of deals of the labels to other sessions whose models do as well; None where it was not asked,
    because the bounds refuse already."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One label foreseen at one moment."""

    label: Label
    """What was to be foreseen."""
    at: str
    """After how many calls, or how much time."""
    model: str
    """logistic or boosting."""
    sessions: int
    """That count."""
    positives: int
    """Of them: it came."""
    base: float | None
    """Their share."""
    excluded: dict[str, int]
    """Reason to sessions that do not count."""
    grouped: tuple[Validation, ...]
    """By task, by project: those that are known."""
    random: Validation | None
    """Sessions dealt to folds one by one: optimistic, leaks."""
    level: float
    """Of the intervals: 1 - .05 over the number of trials."""
    skill: bool
    """Does it pass the gate?"""
    reason: str
    """Why not, "" where it does."""
    weights: dict[str, float] = {}
    """Of a logistic model that passed, fitted on all: change of log odds by one standard deviation."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What can be foreseen of the sessions at hand."""

    sessions: int
    """Looked at."""
    trials: tuple[Trial, ...]
    """By label and moment."""
    notes: tuple[str, ...] = ()
    """What a reader should know."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A model that passed the gate, to be used on later sessions."""

    format: str
    """tracelode-forecast-1."""
    metrics_version: int
    """Of the definitions that its features are made by."""
    label: Label
    """What it foresees."""
    at: str
    """When."""
    kind: str
    """logistic or boosting."""
    features: tuple[str, ...]
    """In the order of the weights."""
    coefficients: tuple[float, ...]
    """Of a logistic model."""
    intercept: float
    """Of a logistic model."""
    trees: str
    """Of a boosting model, as its library writes it."""
    threshold: float
    """Chance from which it warns."""
    base: float
    """Share that came in training."""
    sessions: int
    """That it was fitted on."""
    edges: dict[str, tuple[float, ...]]
    """Feature to the bounds of its groups of equal size in training."""
    shares: dict[str, tuple[float, ...]]
    """Feature to the share of training sessions in each group."""
    grouped: tuple[Validation, ...]
    """How it fared."""


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """What a kept model says of a session."""

    session: str
    """The session."""
    chance: float | None
    """None where it is too short."""
    warned: bool
    """At or above the threshold."""
    reason: str
    """Why there is no chance."""


class Risks(msgspec.Struct, frozen=True, kw_only=True):
    """What a kept model says of sessions."""

    label: Label
    """What it foresees."""
    at: str
    """When."""
    threshold: float
    """Chance from which it warns."""
    rows: tuple[Risk, ...]
    """By session."""
    drift: dict[str, float]
    """Feature to its stability index against training; None of fewer than 20 sessions."""

"""What does planned work measure, and what is off in its record? Metrics with their proof, and findings."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""
METRICS_VERSION = 1
"""Of the definitions of metrics; figures of two versions are not compared."""
EXAMPLES = 5
"""Events named with a finding."""


class PlanFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of thing that is off in one session's events."""

    code: str
    """PT and three digits."""
    severity: Severity
    """error, warning or info."""
    message: str
    """What is off; never text of the trace."""
    session_id: str
    """The session, "" where none can be told."""
    count: int
    """How many events."""
    share: float | None
    """Of the events that could have it, None where that says nothing."""
    examples: tuple[str, ...]
    """Event ids, or line numbers where there is no event."""
    path: str
    """The file, "" for a session of the store."""
    line: int | None
    """1-based line of the first, None where it has none."""
    fix: str
    """What to do."""
    ref: str
    """Requirement, checklist item or problem that it answers to."""


class ChecklistItem(msgspec.Struct, frozen=True, kw_only=True):
    """One of the checks of the capture checklist."""

    item: int
    """1 to 10; item 4 has two halves."""
    text: str
    """What is asked."""
    passed: bool | None
    """None where no event could tell."""
    good: int
    """Events or kinds that keep it."""
    of: int
    """Events or kinds that could."""
    note: str = ""
    """Why no event could, "" where some could."""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """One of the five problems of capture."""

    name: str
    """Short name."""
    seen: bool
    """Is its symptom there?"""
    symptom: str
    """What was counted."""
    cause: str
    """What it mostly comes from."""
    remedy: str
    """What to do."""


class PlanCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What is off in the record of plans."""

    sessions: int
    """Sessions looked at."""
    events: int
    """Events that can be used."""
    unusable: int
    """Lines or objects that cannot."""
    duplicates: int
    """Copies of an event that were left out."""
    findings: tuple[PlanFinding, ...]
    """By session and code."""
    checklist: tuple[ChecklistItem, ...]
    """Eleven checks."""
    troubles: tuple[Trouble, ...]
    """Five problems."""


class PlanMetric(msgspec.Struct, frozen=True, kw_only=True):
    """One figure with what it is made of."""

    name: str
    """Its name; those of the article's own code end in _seed."""
    value: float | int | None
    """None where it cannot be told, never 0 for that."""
    numerator: float | int | None
    """What is counted."""
    denominator: float | int | None
    """Of how many."""
    unit: str
    """ratio, nodes, seconds, calls, lines or events."""
    n: int
    """Events or nodes that it rests on."""
    reason: str = ""
    """Why the value is None, "" where it is not; or what was left out."""
    evidence: dict[str, int] = {}
    """Events behind it by evidence."""
    events: tuple[str, ...] = ()
    """Ids of the events in the numerator."""


class Intervention(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a person."""

    event_id: str
    """The event."""
    timestamp: int | None
    """UTC microseconds."""
    event_type: str
    """Its type."""
    node_id: str
    """On which node."""
    status: str
    """Its status."""
    decision: str
    """A word of DECISIONS, goal, or constraint for an undeclared change before work began."""
    declared: bool
    """False where the decision was concluded from the status and the moment."""
    position: Literal["pre", "mid", "post", "unknown"]
    """Before the first execute event of the generation, between, or after the last one; without such an
    event the same by the session's tool calls; unknown where there are none."""
    corrective: bool
    """Does it correct what an agent did or wants to do?"""
    delay: int | None
    """Microseconds from the node's last end to the correction, None where there is none."""
    text: str
    """What was said, bounded; "" where texts are not kept."""


class Rollback(msgspec.Struct, frozen=True, kw_only=True):
    """One event that starts a return to something earlier."""

    event_id: str
    """The event."""
    detectors: tuple[str, ...]
    """D1 repeat, D2 explicit, D3 upstream."""
    timestamp: int | None
    """UTC microseconds."""
    from_node: str
    """What was worked on last, "" where nothing was."""
    to_node: str
    """What work returned to."""
    distance: int | None
    """Ranks between the two, None where one has none."""
    trigger: str
    """Event id of the review, change or failure that led to it, "" for none."""
    initiator: str
    """human, agent or system."""
    reason: bool
    """Does the trigger say why?"""
    corrected: bool
    """Was the plan changed on the way?"""
    diff: bool
    """Does that change say before and after?"""
    cost: int | None
    """Microseconds of the repeated attempt, None if unknown."""
    delay: int | None
    """Microseconds from the end of the first attempt to the trigger, None where there is none."""


class NodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One node with what it took."""

    id: str
    """As in the events."""
    text: str
    """Its wording, bounded; "" where texts are not kept."""
    rank: int
    """Place in the plan as it stood when work began, or at its creation."""
    epoch: int
    """Generation of the plan."""
    initial: bool
    """Was it planned before work began?"""
    status: str
    """planned, running, succeeded, failed or removed; segment for a stretch that nobody planned."""
    attempts: int
    """Starts."""
    time: int | None
    """Microseconds of closed attempts, None if unknown."""
    calls: int | None
    """Tool calls, None where nothing was observed."""
    turns: int | None
    """Turns of dialogue while it was in progress, None where nothing was observed."""
    tokens: int | None
    """Tokens, None where nothing was observed."""
    human: int
    """Events of people on it."""
    depth: int
    """Levels above it, goals left out."""


class Bar(msgspec.Struct, frozen=True):
    """One attempt on the timeline."""

    node: str
    """Node id."""
    started: int | None
    """UTC microseconds."""
    ended: int | None
    """UTC microseconds."""
    end: str
    """succeeded, failed, paused, removed or running; segment for a stretch that nobody planned."""
    implied: bool
    """No start was declared."""


class SessionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How one session planned and worked."""

    session_id: str
    """The session."""
    task_type: str
    """What sort of task, as the goal says; "" for unknown."""
    goal: str
    """Bounded text of the goal, "" where texts are not kept."""
    tier: Literal["declared", "human", "inferred", "none"]
    """Where its nodes come from: a plan tool, a document that a person approved, or stretches of one stage
    where nothing was planned; none: it has none."""
    started: int | None
    """UTC microseconds of the first event."""
    ended: int | None
    """UTC microseconds of the last event."""
    counts: dict[str, int]
    """Events by type."""
    actors: dict[str, int]
    """Events by actor."""
    metrics: tuple[PlanMetric, ...]
    """Strict and literal reading."""
    nodes: tuple[NodeRow, ...]
    """In plan order, goals left out."""
    interventions: tuple[Intervention, ...]
    """In order."""
    rollbacks: tuple[Rollback, ...]
    """In order."""
    weight: float = 1.0
    """Sessions for which it stands: 1 / the rate at which sessions like it were kept."""
    bars: tuple[Bar, ...]
    """Attempts, in order."""
    notes: tuple[str, ...]
    """What keeps the figures from being exact."""
    task: str = ""
    """Task, ticket or benchmark id, "" for unknown."""
    project: str = ""
    """Working folder or repository, "" for unknown."""
    root: str = ""
    """Root session of a sub-agent's thread, "" for itself."""
    outcome: str = ""
    """success or failure, "" for unknown."""
    seed: str = ""
    """Seed of the run, as its goal says; "" for unknown."""

    def metric(self, name: str) -> PlanMetric:
        """The metric of a name.

        Args:
            name: as in metrics.

        Raises:
            KeyError: there is none.
        """
        return next((m for m in self.metrics if m.name == name), None) or _missing(name)

    def rows(self) -> list[dict[str, Any]]:
        """The metrics as rows of a table, one a metric.

        Returns:
            Plain values that a DataFrame takes.
        """
        return [
            {"session_id": self.session_id, "task_type": self.task_type, **msgspec.to_builtins(m)}
            for m in self.metrics
        ]


def _missing(name: str) -> Any:
    raise KeyError(name)


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """One metric over several sessions."""

    name: str
    """Its name."""
    unit: str
    """Its unit."""
    pooled: float | None
    """Sum of numerators over sum of denominators, None where nothing is known."""
    mean: float | None
    """Mean of the sessions' values."""
    median: float | None
    """Median of the sessions' values."""
    low: float | None
    """10th percentile of the sessions' values: too coarse or too fine is said within one's own history.
    None where sessions were left out by lot."""
    high: float | None
    """90th percentile of the sessions' values."""
    sessions: int
    """Sessions with a value."""
    missing: dict[str, int]
    """Reason to sessions without one."""
    pooled_interval: tuple[float, float] | None = None
    """Bounds of pooled, None below 5 clusters."""
    mean_interval: tuple[float, float] | None = None
    """Bounds of the mean, None below 5 clusters."""
    clusters: int = 0
    """Clusters with a value."""
    method: str = ""
    """student, percentile, bca, or "" without bounds."""
    pooled_narrow: str = ""
    """Why the bounds of pooled are likely too narrow: no spread, few clusters, long tails; "" where not."""
    mean_narrow: str = ""
    """The same of the mean's."""
    weighted: bool = False
    """Were sessions left out by lot, so that those that were kept stand for more than themselves?"""


class PeopleRow(msgspec.Struct, frozen=True, kw_only=True):
    """How often people decided one thing, and when."""

    decision: str
    """As of an intervention."""
    pre: int
    """Before work began."""
    mid: int
    """While it went on."""
    post: int
    """After the last work on the plan."""
    unknown: int
    """Where nothing says when work began."""
    corrective: int
    """How many of them correct what an agent did."""


class PlanReport(msgspec.Struct, frozen=True, kw_only=True):
    """How sessions planned and worked, one by one and together."""

    metrics_version: int
    """Of the definitions."""
    sessions: tuple[SessionPlan, ...]
    """The oldest first."""
    pooled: tuple[Pooled, ...]
    """In the order of the sessions' metrics."""
    people: tuple[PeopleRow, ...] = ()
    """What people decided and when, the most frequent first."""
    unusable: int = 0
    """Lines of files that are no event; `plan check` says which."""
    subagents: int = 0
    """How many of the sessions are sub-agents' own threads, which plan for themselves."""
    cluster: str = "session"
    """What sessions are drawn by: task, project or session."""
    clusters: int = 0
    """How many of them there are."""
    level: float = 0.95
    """Of the intervals."""
    resamples: int = 0
    """Draws behind the intervals, 0 where there are too few clusters."""
    seed: int = 0
    """Of the draws."""

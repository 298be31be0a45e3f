"""What is the proof of an edge? Evidence tuples, and the edges that they make."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["L0", "L1", "L2", "L3", "L4", "L5"]
"""How close two values are: typed equal, canonically equal, equal in another format, span of a text, affix
or template, arithmetic."""

EdgeKind = Literal["data_hard", "data_suspected", "effect_hard", "control_hard", "order_soft"]

Suspicion = Literal[
    "low_information",
    "in_prompt",
    "multi_producer",
    "enum",
    "below_support",
    "no_lift",
    "single_run",
    "text_ambiguous",
    "after_error",
]


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value as evidence shows it; the text itself only where values are kept."""

    sha: str
    """Keyed digest, 16 hex digits: equal values of one store have equal digests."""
    type: str
    """JSON type."""
    length: int = 0
    """Characters of its text."""
    bits: float = 0.0
    """Minus log2 of its share among the leaves of the runs; shown, never a filter."""
    text: str | None = None
    """The value as text, None unless values are kept."""


class Producer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The call that is said to have made a value."""

    call: int
    """Index in the run."""
    slot: str
    """Slot of that call."""
    path: str
    """Concrete path in its output."""
    gpath: str
    """The same with list places and keys of maps generalised."""
    span: tuple[int, int] | None = None
    """Characters of a text, where the value is a piece of one."""


class Excluded(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another source that was looked for."""

    kind: str
    """prompt, constant, schema_enum, schema_default, echo, other_producer, earlier_argument, system."""
    result: str
    """What was found, in closed words and counts."""


class CrossRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a source fares over all runs of a slot."""

    runs: int
    """Runs that have both calls."""
    support: float
    """Share of them whose value the path explains."""
    shuffled: float
    """The same share against the outputs of other runs."""
    lift: float
    """support minus shuffled."""
    distinct: int
    """Distinct values."""
    p: float | None = None
    """Permutation p of the support, None where there are too few runs."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One argument leaf of one run: consumer, path, value, producer, excluded alternatives."""

    workflow: str
    """Workflow id."""
    intent: str
    """Intent id."""
    run: str
    """Session key."""
    call: int
    """Consumer: index of the call in the run."""
    slot: str
    """Consumer: slot."""
    tool: str
    """Consumer: tool."""
    arg: str
    """Concrete argument path."""
    value: Value
    """What was passed."""
    producer: Producer | None
    """Putative producer, None where there is none."""
    level: Level | None = None
    """How close."""
    transform: str | None = None
    """Change of form, in the words of compile.transforms."""
    alternatives: tuple[Producer, ...] = ()
    """Further calls that told the same."""
    excluded: tuple[Excluded, ...] = ()
    """What else was searched."""
    cross_run: CrossRun | None = None
    """Over the runs, None for a single run."""
    verdict: str = "none"
    """hard, suspected or none."""
    basis: str = ""
    """single_run, cross_run, declared; "" without verdict."""
    reasons: tuple[Suspicion, ...] = ()
    """Why it is only suspected."""
    rule_version: str = "ev/1"
    """Rules it was made by."""
    file: str = ""
    """File of the consumer, as origins name it."""
    line: int = 0
    """1-based line of it, 0 if unknown."""
    v: int = 1
    """Version of this form."""


class Edge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step before another, and why."""

    id: str
    """e1, e2, ... in the order of the workflow."""
    before: str
    """Slot."""
    after: str
    """Slot."""
    kind: EdgeKind
    """What sort of proof."""
    arg: str = ""
    """Generalised argument path, of a data edge."""
    gpath: str = ""
    """Generalised output path, of a data edge."""
    resource: str = ""
    """What both touch, of an effect edge."""
    guard: str = ""
    """Slot whose existence hangs on it, of a control edge."""
    reason: str = ""
    """Why it is only suspected."""
    basis: str = ""
    """single_run, cross_run, declared, observed, lexicon, default."""
    support: int = 0
    """Runs that show it."""
    runs: int = 0
    """Runs in which both steps occur."""
    numbers: dict[str, Any] = {}
    """Further figures: lift, p, distinct."""

    @property
    def hard(self) -> bool:
        """Does it constrain the order?"""
        return self.kind.endswith("_hard")

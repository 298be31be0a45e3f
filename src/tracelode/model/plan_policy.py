"""Where should people be asked, and how should agents plan otherwise? Proposals with evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

Advice = Literal["require", "ask", "auto"]
"""require: always a person first. ask: as the agent does by itself. auto: without a person."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What became of calls of one kind on nodes of one kind."""

    node: str
    """Closed verb of the node, "" for work outside a plan."""
    tool: str
    """Tool, of a shell with the first words of its command."""
    effect: str
    """Class of what it does to the world, the strongest seen; unknown where no word tells."""
    calls: int
    """Calls."""
    approved: int
    """Reviewed by a person and let be."""
    useful: int
    """Reviewed and denied, interrupted or to be changed: the review was of use."""
    auto: int
    """Run without a review that the record tells."""
    harmed: int
    """Of them: their lines were taken out after a person's next prompt."""
    sessions: int
    """Sessions that hold them."""
    agents: tuple[str, ...] = ()
    """Agents that made them; none where the record does not say."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What is proposed for calls of one kind."""

    seen: Seen
    """What it rests on."""
    advice: Advice
    """What is proposed."""
    low: float
    """Lower bound of the chance that a review is of use, one-sided 95 %."""
    high: float
    """Upper bound of that chance, one-sided 95 %."""
    irreversible: bool
    """May it be beyond undoing? Then it is never auto."""
    why: str
    """In one line."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """One change of how agents plan that a figure leads to."""

    code: str
    """Short name."""
    metric: str
    """What it is to move."""
    value: float | None
    """As it is now."""
    interval: tuple[float, float] | None
    """Bounds over clusters, None below 5 of them."""
    basis: str
    """Numerator of denominator, sessions."""
    finding: str
    """What the figure says."""
    change: str
    """Text for the planning prompt, or what to set up."""
    expect: str
    """Which way the metric goes if it helps."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What is proposed; nothing of it is applied."""

    sessions: int
    """Looked at."""
    human_seconds: float
    """What a review costs a person."""
    rework_seconds: float
    """What a mistake costs."""
    measured: tuple[bool, bool]
    """Are these two measured on the sessions?"""
    tools: tuple[Rule, ...]
    """By tool, as a permission sees it; the most calls first."""
    rules: tuple[Rule, ...]
    """By tool and kind of step; the most calls first."""
    form: str
    """claude or codex."""
    snippet: str
    """Permissions to be put in by hand, "" for none."""
    target: str
    """Where it goes."""
    proposals: tuple[Proposal, ...]
    """Changes of how agents plan."""
    notes: tuple[str, ...]
    """What a reader must know."""

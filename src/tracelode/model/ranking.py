"""What is a ranking of operations, a guide to reading them, a loop? Answers with reasons and controls."""

from __future__ import annotations

import msgspec

from tracelode.model.finding import Finding
from tracelode.model.report import Skipped


class Spectrum(msgspec.Struct, frozen=True):
    """How a group of operations splits failed and succeeded sessions; a session counts once."""

    failed: int
    """Failed sessions that have the group."""
    passed: int
    """Succeeded sessions that have it."""
    all_failed: int
    """Failed sessions."""
    all_passed: int
    """Succeeded sessions."""
    ochiai: float | None
    """0..1, None where no session failed."""
    dstar: float | None
    """0 or more, None where it is infinite or no session failed."""
    wilson: float | None
    """Lower bound of the failed share of the sessions that have the group, None where none has."""


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One operation with why it is worth a look."""

    finding: Finding
    """What, where ("session#index"), score and why."""
    session: str
    """Key of its session, a sub-agent's own."""
    root: str = ""
    """Key of its root session."""
    index: int
    """Its place in the session."""
    id: str
    """Its id."""
    name: str
    """Tool, model or closed word."""
    path: str
    """File it was read from."""
    line: int
    """1-based line, 0 where the format has none."""
    group: tuple[str, ...]
    """Frames of its group."""
    direct: float | None
    """The user's own diagnostic, None where none is given for it."""
    score: float
    """The profile's score; larger is more worth a look."""
    spectrum: Spectrum | None
    """The group's split of the sessions, None where outcomes do not tell failed from succeeded ones."""
    reasons: tuple[str, ...]
    """Closed sentences, the weightiest first."""
    controls: dict[str, int]
    """1-based place of the operation in its session under each control."""
    of: int
    """Operations of its session that were ranked."""
    tokens: int
    """Tokens that reading it takes, about."""


class Direct(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the user's own diagnostic."""

    column: str
    """Name of the column."""
    used: int
    """Operations with a score."""
    without: int
    """Ranked operations without one: they come after those that have one."""
    unmatched: int
    """Scores of operations that were not ranked: not in the store, or filtered out."""
    constant: bool
    """True where all scores are the same, so that they order nothing."""
    skipped: tuple[Skipped, ...] = ()
    """Rows that could not be used, counted and located."""


class Scored(msgspec.Struct, frozen=True):
    """How well an order finds known faults, as means over the sessions that have some."""

    map: float
    """Mean average precision, equal scores in any order."""
    hit_1: float
    """Share of sessions whose first operation is a fault."""
    hit_5: float
    """Share with a fault among the first five."""
    within_3: float
    """Share whose first operation lies at most three steps from a fault."""


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Which operations to look at first."""

    ranked: tuple[Ranked, ...]
    """The first ones, best first."""
    operations: int
    """Operations that were ranked."""
    sessions: int
    """Root sessions they lie in."""
    subagents: int = 0
    """Sub-agents they lie in."""
    tokens: int
    """Tokens that reading all of them takes, about."""
    groups: tuple[str, ...]
    """Fields of the groups."""
    failed: int
    """Root sessions known to have failed, among those that groups are judged by."""
    passed: int
    """Root sessions known to have succeeded."""
    shapes: dict[str, int]
    """Sessions by their shape, which chooses the weights."""
    alike: dict[str, float | None]
    """Share of the first ones that a control puts among its own first ones, by control; None without any."""
    direct: Direct | None = None
    """The user's diagnostic, None where none was given."""
    faults: dict[str, Scored] = {}
    """Our order and the controls against known faults, where those were given."""
    fault_sessions: int = 0
    """Sessions with a known fault among those that were ranked."""
    fault_rows: tuple[Skipped, ...] = ()
    """Rows of the faults that could not be used."""


class Packet(msgspec.Struct, frozen=True, kw_only=True):
    """One group of operations to open."""

    group: tuple[str, ...]
    """Its frames."""
    operations: int
    """Operations it opens."""
    sessions: int
    """Root sessions they lie in."""
    tokens: int
    """Tokens that reading them takes, about."""
    worth: float
    """Its part of the ranking, 0..1: reciprocal places, summed."""
    opened: tuple[Ranked, ...]
    """What it opens, best first."""


class Guide(msgspec.Struct, frozen=True, kw_only=True):
    """Which few groups to read."""

    packets: tuple[Packet, ...]
    """At most as many as asked for, the worthiest first."""
    budget: int
    """Tokens that may be opened."""
    tokens: int
    """Tokens that are opened: never more."""
    of: int
    """Tokens of all ranked operations."""
    worth: float
    """Part of the ranking that is opened, 0..1."""
    ranking: Ranking
    """What it was chosen from."""
    full: Scored | None = None
    """The full order against known faults, where those were given."""
    kept: Scored | None = None
    """The order of a reader who has opened the packets alone."""


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """An action that a session did again and again, with the same result."""

    session: str
    """Session key."""
    stage: str
    """Stage of its first repetition."""
    tool: str
    """Tool frame."""
    sort: str
    """The most frequent sort of its repeats (signals.repeats)."""
    words: str
    """The sort in plain words."""
    places: tuple[int, ...]
    """Places of its actions in the session, the first one first."""
    exact: bool
    """True where all actions and results are equal, False where some are nearly so."""
    alike: float
    """How much its actions are the one before them once more, mean of 0..1."""
    measures: dict[str, int | None]
    """What all but the first cost: sums of stored measures, None where none of them tells a measure."""
    path: str
    """File the first repetition was read from."""
    line: int
    """Its line."""

    @property
    def repeats(self) -> int:
        """Number of repetitions."""
        return len(self.places) - 1


class Loops(msgspec.Struct, frozen=True, kw_only=True):
    """Loops of a store or a session."""

    loops: tuple[Loop, ...]
    """The dearest first."""
    total: int
    """Number of loops found, those not kept counted too."""
    repeats: int
    """Repetitions in them."""
    operations: int
    """Tool calls looked at."""
    sessions: int
    """Root sessions looked at."""
    subagents: int = 0
    """Sub-agents looked at."""
    by_sort: dict[str, int]
    """Repeats of every sort, those that are no loop too."""
    measures: dict[str, int | None]
    """What all repetitions in loops cost."""
    words: dict[str, str]
    """Sort of repeat to its plain words."""

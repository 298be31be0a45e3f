"""What an import and a look at the totals answer with."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tracelode.model.governing import Expired


class Skipped(msgspec.Struct, frozen=True):
    """Something in a file that could not be used: counted and located, never quoted."""

    path: str
    """File as origins name it."""
    line: int
    """1-based line of the first one; 0 where the whole file is meant."""
    reason: str
    """Short closed sentence."""
    count: int = 1
    """How many in this file."""


def merged(skipped: Iterable[Skipped]) -> list[Skipped]:
    """One row a file and reason, by place.

    Args:
        skipped: rows in any order; the first place of each is kept.
    """
    found: dict[tuple[str, str], Skipped] = {}
    for item in skipped:
        key = (item.path, item.reason)
        old = found.get(key)
        count = item.count + (old.count if old else 0)
        found[key] = Skipped(item.path, old.line if old else item.line, item.reason, count)
    return sorted(found.values(), key=lambda s: (s.path, s.line, s.reason))


class ImportReport(msgspec.Struct, kw_only=True):
    """What one import did."""

    files: int = 0
    """Files found."""
    files_read: int = 0
    """Files that were new or had changed and were read."""
    files_known: int = 0
    """Files of a known format that were read before and did not change, or were left out for their age."""
    sessions: int = 0
    """Root sessions in what was read."""
    operations: int = 0
    """Own operations stored from what was read."""
    bytes_read: int = 0
    """Bytes read from sources."""
    skipped: list[Skipped] = []
    """What could not be used."""
    again: list[Skipped] = []
    """Files that did not change since an earlier import found that they cannot be used."""
    effects: dict[str, int] = {}
    """Processes, files and hosts of what was read, by how they were joined to tool calls: id, tree,
    ambiguous, none; empty where there are none."""
    files_read_agents: int = 0
    """Of files_read: sub-agent transcripts."""
    seconds: float = 0.0
    """Wall time."""

    @property
    def useless(self) -> bool:
        """Did none of the files give anything, now or in an earlier import?"""
        return not self.files_known and not self.operations


class Sums(msgspec.Struct, kw_only=True):
    """One row of totals: integers only."""

    sessions: int = 0
    """Root sessions with own operations, forks included."""
    calls: int = 0
    """Model calls."""
    operations: int = 0
    """Own operations of every kind."""
    tokens: dict[str, int | None] = {}
    """input_fresh, cache_read, cache_write_5m, cache_write_1h, output, reasoning (None: not told apart)."""
    cost_picodollars: int = 0
    """Money of the priced calls."""
    unpriced: dict[str, int] = {}
    """Model to tokens without a price, largest first."""
    time_us: dict[str, int] = {}
    """model, tool, blocked, idle, unknown, in microseconds."""
    calls_lower_bound: int = 0
    """Calls whose final token counts the source never wrote."""

    @property
    def total_tokens(self) -> int:
        """All six kinds."""
        return sum(v or 0 for v in self.tokens.values())

    @property
    def untold(self) -> bool:
        """Calls without a single token: the source tells none, so tokens and money are unknown."""
        return self.calls > 0 and not self.total_tokens


class Totals(Sums, kw_only=True):
    """Totals of a store, and the same split along every dimension."""

    by: dict[str, dict[str, Sums]] = {}
    """model, day, project, session, agent, role, kind: each sums to the totals."""
    first: int | None = None
    """UTC microseconds of the earliest own operation."""
    last: int | None = None
    """UTC microseconds of the latest own operation."""
    subagents: int = 0
    """Sub-agent sessions with own operations."""
    forks: int = 0
    """Root sessions that inherited operations."""
    tz: str = "UTC"
    """Zone of the days."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a long piece of work is."""

    what: str
    """Closed word: look, read, link."""
    done: int
    """Bytes done."""
    total: int
    """Bytes in all."""
    files: int
    """Files done."""
    files_total: int
    """Files in all."""


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a source that a number is made of."""

    value: int
    """What it adds."""
    path: str
    """File as origins name it."""
    line: int
    """1-based line."""
    place: str
    """session#index of the operation it became."""
    name: str
    """Name of that operation."""


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """A number and the lines that make it."""

    measure: str
    """The measure."""
    unit: str
    """Its unit."""
    total: int
    """The number."""
    lines: int
    """How many lines it is made of."""
    largest: list[AuditLine]
    """The largest of them."""


class Doctor(msgspec.Struct, kw_only=True):
    """What a store knows, what it lacks, and how exact it is."""

    histories: list[tuple[str, str, int, int]] = []
    """(source, folder, files there, files of it not in the store)."""
    files: int = 0
    """Files the store has read."""
    gone: int = 0
    """Of the local histories' files: no longer on disk, kept in the store."""
    unknown: int = 0
    """Files of no known format."""
    skipped: list[Skipped] = []
    """What could not be used, by reason; path and line are the first place."""
    effects: dict[str, int] = {}
    """How many processes, files and hosts were assigned to a tool call, by how: tree, id, ambiguous, none."""
    prompted_only: int = 0
    """Sessions that a prompt history names and no transcript tells of any more."""
    prompted: int = 0
    """Sessions that prompt histories name."""
    unpriced: dict[str, int] = {}
    """Model to tokens without a price."""
    quality: dict[str, int | None] = {}
    """calls, calls_lower_bound, cost, cost_reported, cost_where_reported, unpriced_where_reported, tool_us,
    tool_us_upper_bound; None where unknown."""


class RedactReport(msgspec.Struct, kw_only=True):
    """What rewriting files under a profile did."""

    profile: str
    """summary, metadata or full."""
    files: int = 0
    """Files written."""
    events: int = 0
    """Plan events in them."""
    records: int = 0
    """Lines and documents of transcripts in them."""
    unusable: int = 0
    """Lines that are no JSON object: left out."""
    replaced: dict[str, int] = {}
    """Kind to how often it was replaced."""
    left: list[Skipped] = []
    """What still goes beyond the profile; such a file is not written."""
    skipped: list[Skipped] = []
    """Files that were left as they are, and why."""
    written: list[str] = []
    """Files as they are named now."""


class GcReport(msgspec.Struct, kw_only=True):
    """What was deleted, or would be."""

    dry: bool
    """Was nothing changed?"""
    expired: list[Expired] = []
    """What went."""
    held: list[str] = []
    """Sessions that legal hold kept."""
    forgotten: list[str] = []
    """Sessions that were deleted because the user said so."""
    kin: list[str] = []
    """Sessions that hold copies of their records, and stay: forks."""
    rewritten: int = 0
    """Shards of the store written anew."""
    freed: int = 0
    """Bytes that the disk has back."""
    tombstones: int = 0
    """Sessions that no import brings back, in all."""
    open: list[str] = []
    """Recorded sessions without a known end: left alone."""

"""Who owns a record that several sessions hold? Decided over the whole store, whatever the order of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

_NEVER = -(2**62)
_LAST = 2**62


RETOLD = frozenset(("atif", "codex-exec"))
"""Sources that tell sessions of other products again, under ids of their own."""


def outranked(adapters: Iterable[str]) -> frozenset[str]:
    """Which sources of one session only repeat what another one tells first-hand?

    Args:
        adapters: the sources that the session's operations came from.

    Returns:
        Those whose operations are inherited.

    Source:
        docs/decisions/0010-retold-sessions.md.
    """
    told = set(adapters)
    return frozenset(told & RETOLD) if told - RETOLD else frozenset()


class Record(msgspec.Struct, frozen=True):
    """One record of a session, as far as ownership needs it."""

    id: str
    """Id of its operation."""
    moment: int | None = None
    """UTC microseconds."""
    replay: str | None = None
    """Ids under which other threads may hold the same record, a space between two."""
    replayed: bool = False
    """Known to be a copy: inherited in any case, it makes its session no holder of the record."""


class Holding(msgspec.Struct, frozen=True):
    """The records of one session in order."""

    session: str
    """Session key."""
    records: tuple[Record, ...]
    """In file order."""
    agent: bool = False
    """Is it a sub-agent's?"""


def owners(holdings: Iterable[Holding]) -> dict[str, set[str]]:
    """Which records does each session inherit?

    A record that several sessions hold is owned by the session whose first record after its last
    shared one is earliest; a session with none comes first; ties by session key. A sub-agent owns
    nothing that a main session holds.

    Args:
        holdings: every session of a connected group; order does not matter.

    Returns:
        Session key to the ids of the records it inherits; sessions that inherit none are absent.

    Source:
        accounting: forks and families; docs/decisions/0002-ownership.md.
    """
    given = list(holdings)
    same = _same(given)
    holders: dict[str, set[str]] = {}
    for holding in given:
        for record in holding.records:
            if not record.replayed:
                holders.setdefault(same.get(record.id, record.id), set()).add(holding.session)
    shared = {name for name, found in holders.items() if len(found) > 1}
    rank = {h.session: (h.agent, _after(h.records, shared, same), h.session) for h in given}
    owner = {name: min(holders[name], key=rank.__getitem__) for name in shared}
    inherited: dict[str, set[str]] = {}
    for holding in given:
        for record in holding.records:
            name = same.get(record.id, record.id)
            if record.replayed or (name in owner and owner[name] != holding.session):
                inherited.setdefault(holding.session, set()).add(record.id)
    return inherited


def _same(holdings: Iterable[Holding]) -> dict[str, str]:
    """Each id to the smallest of the ids that are known to be the same record."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.get(name, name) != name:
            above[name] = above.get(above[name], above[name])
            name = above[name]
        return name

    for holding in holdings:
        for record in holding.records:
            for name in (record.replay or "").split():
                a, b = sorted((top(record.id), top(name)))
                above[b] = a
    return {name: top(name) for name in list(above)}


def _after(records: Sequence[Record], shared: set[str], same: Mapping[str, str]) -> int:
    """Moment of the first record after the last shared one."""
    place = max((i for i, r in enumerate(records) if same.get(r.id, r.id) in shared), default=-1)
    if place + 1 >= len(records):
        return _NEVER
    moment = records[place + 1].moment
    return _LAST if moment is None else moment


def fork_of(inherited: set[str], others: Mapping[str, set[str]], own: str) -> str | None:
    """The session that owns most of what another inherits.

    Args:
        inherited: ids a session inherits.
        others: session key to the ids it owns.
        own: the session's own key.

    Returns:
        A session key, None where nothing is inherited.
    """
    counts = {key: len(inherited & ids) for key, ids in others.items() if key != own}
    best = max(counts.values(), default=0)
    return min((key for key, n in counts.items() if n == best), default=None) if best else None

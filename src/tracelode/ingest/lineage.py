"""Who owns a record that several sessions hold? Decided over the whole store, whatever the order of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

_NEVER = -(2**62)
_LAST = 2**62


class Holding(msgspec.Struct, frozen=True):
    """The records of one session in order, as far as ownership needs them."""

    session: str
    """Session key."""
    records: tuple[tuple[str, int | None], ...]
    """(record id, UTC microseconds or None) in file order."""


def owners(holdings: Iterable[Holding]) -> dict[str, set[str]]:
    """Which records does each session inherit?

    A record that several sessions hold is owned by the session whose first record after its last
    shared one is earliest; a session with none comes first; ties by session key.

    Args:
        holdings: every session of a connected group; order does not matter.

    Returns:
        Session key to the ids of the records it inherits; sessions that inherit none are absent.

    Source:
        accounting: forks and families; docs/decisions/0002-ownership.md.
    """
    given = list(holdings)
    holders: dict[str, list[str]] = {}
    for holding in given:
        for record in {record for record, _ in holding.records}:
            holders.setdefault(record, []).append(holding.session)
    shared = {record for record, found in holders.items() if len(found) > 1}
    rank = {h.session: (_after(h.records, shared), h.session) for h in given}
    inherited: dict[str, set[str]] = {}
    for record in shared:
        found = sorted(holders[record], key=rank.__getitem__)
        for session in found[1:]:
            inherited.setdefault(session, set()).add(record)
    return inherited


def _after(records: Sequence[tuple[str, int | None]], shared: set[str]) -> int:
    """Moment of the first record after the last shared one."""
    place = max((i for i, (record, _) in enumerate(records) if record in shared), default=-1)
    if place + 1 >= len(records):
        return _NEVER
    moment = records[place + 1][1]
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

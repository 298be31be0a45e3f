"""Whose are the records that sessions share? Worked out where the shards are read, group by group."""

from __future__ import annotations

import msgspec

from tracelode.ingest.jobs import FamilyJob
from tracelode.ingest.lineage import Holding, Record, fork_of, owners
from tracelode.model.session import Session
from tracelode.store.shards import Held


class Group(msgspec.Struct, kw_only=True):
    """Sessions that hang together by shared records, with their families as they are stored."""

    keys: set[str]
    """Keys of the sessions."""
    families: list[FamilyJob]
    """The families they lie in."""


class Verdict(msgspec.Struct, kw_only=True):
    """What changes when a group is settled."""

    families: list[FamilyJob] = []
    """Families to store again."""
    inherited: dict[str, set[str]] = {}
    """Session key to the ids it inherits."""
    forks: dict[str, str | None] = {}
    """Session key to the session it was forked from."""
    better: dict[tuple[str, str], tuple[str, str]] = {}
    """(session, id) of a call that another session tells in full, and where."""


def decide(group: Group, held: dict[str, list[Held]]) -> Verdict:
    """Decide who owns what in one group.

    Args:
        group: the sessions and their families.
        held: session key to its records in file order.

    Returns:
        What changes; empty where everything is as it should be.

    Source:
        accounting: forks and families; docs/decisions/0002-ownership.md.
    """
    sessions: list[Session] = [s for job in group.families for s in job.sessions]
    agents = {s.key for s in sessions if s.key != s.root}
    given: list[Holding] = []
    before: dict[str, set[str]] = {}
    for session, records in held.items():
        if session in group.keys:
            rows = tuple(Record(r.id, r.moment, r.replay, r.replayed) for r in records)
            given.append(Holding(session, rows, session in agents))
            before[session] = {r.id for r in records if r.inherited}
    after = owners(given)
    own = {h.session: {r.id for r in h.records} - after.get(h.session, set()) for h in given}
    forks = {key: fork_of(after.get(key, set()), own, key) for key in group.keys}
    lost = {key: after.get(key, set()) for key in group.keys}
    known = {s.key: s.fork_of for s in sessions}
    # what is known to be a copy is inherited from the start; from whom, only the group tells
    changed = {k for k in group.keys if before.get(k, set()) != lost[k] or known.get(k) != forks[k]}
    better = _better(group.keys, held, lost)
    changed |= {session for pair in better.items() for session, _ in pair}
    wanted = [job for job in group.families if any(s.key in changed for s in job.sessions)]
    return Verdict(families=wanted, inherited=lost, forks=forks, better=better) if wanted else Verdict()


def _better(
    keys: set[str], held: dict[str, list[Held]], lost: dict[str, set[str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Calls whose owner tells less of them than another session: a fork may be taken inside of a message."""
    most: dict[str, tuple[int, str]] = {}
    for session in sorted(keys & held.keys()):
        for record in held[session]:
            if record.told > most.get(record.id, (0, ""))[0]:
                most[record.id] = (record.told, session)
    return {
        (session, record.id): (most[record.id][1], record.id)
        for session in keys & held.keys()
        for record in held[session]
        if record.id in most and record.id not in lost[session] and record.told < most[record.id][0]
    }

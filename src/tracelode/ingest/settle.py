"""Whose are the records that sessions share? Worked out where the shards are read, group by group."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.ingest.jobs import FamilyJob
from tracelode.ingest.lineage import Holding, Record, fork_of, owners
from tracelode.model.session import Session


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


def decide(group: Group, held: dict[str, list[tuple[Any, ...]]]) -> Verdict:
    """Decide who owns what in one group.

    Args:
        group: the sessions and their families.
        held: session key to (record id, moment, replayed from, replayed, inherited) in file order.

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
            rows = tuple(Record(r[0], r[1], r[2], r[3]) for r in records)
            given.append(Holding(session, rows, session in agents))
            before[session] = {r[0] for r in records if r[4]}
    after = owners(given)
    own = {h.session: {r.id for r in h.records} - after.get(h.session, set()) for h in given}
    forks = {key: fork_of(after.get(key, set()), own, key) for key in group.keys}
    lost = {key: after.get(key, set()) for key in group.keys}
    known = {s.key: s.fork_of for s in sessions}
    # what is known to be a copy is inherited from the start; from whom, only the group tells
    changed = {k for k in group.keys if before.get(k, set()) != lost[k] or known.get(k) != forks[k]}
    wanted = [job for job in group.families if any(s.key in changed for s in job.sessions)]
    return Verdict(families=wanted, inherited=lost, forks=forks) if wanted else Verdict()

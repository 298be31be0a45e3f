"""Which sessions are compared with which? Two sets by outcome, by a field with two values, or by filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from tracelode.errors import QueryError, UsageError
from tracelode.model.numbers import number
from tracelode.model.query import Query
from tracelode.model.session import Session

GOOD = frozenset({"tests passed", "committed"})
"""Proxies of a session that seems to have succeeded."""
BAD = frozenset({"tests failed", "corrected"})
"""Proxies of one that seems to have failed."""
PAIRS = ("task", "project", "intent", "agent")
"""Facts of a session that pairs may share."""
WORDS = {"success": "succeeded", "failure": "failed"}
"""How a set of sessions of one outcome is called."""
SEEMS = "seem to have "
"""What stands before such a word where only proxies tell it."""


class Side(NamedTuple):
    """One of two sets of sessions."""

    name: str
    """Words for it."""
    query: Query
    """Which operations count."""
    roots: frozenset[str] | None = None
    """Keys of its sessions; None for all that the query leaves."""


def heads(sessions: Iterable[Session]) -> dict[str, Session]:
    """One session per family: the root, or the first of its sub-agents where the root is not stored.

    Args:
        sessions: stored sessions.

    Returns:
        Root key to session.
    """
    found: dict[str, Session] = {}
    for item in sorted(sessions, key=lambda s: (s.key != s.root, s.key)):
        found.setdefault(item.root, item)
    return found


def judged(known: Iterable[Session], *, proxy: bool = False) -> tuple[dict[str, bool], bool]:
    """Which sessions ended well, by outcomes, and by proxies only where none has an outcome.

    Args:
        known: one session per family.
        proxy: go by proxies in any case.

    Returns:
        (root key to whether it ended well, for those of which it is known; whether proxies told it).

    Source:
        docs/decisions/0012-paired-differences.md.
    """
    held = list(known)
    ends = {s.root: s.outcome == "success" for s in held if s.outcome in WORDS}
    if ends and not proxy:
        return ends, False
    return {s.root: s.proxy in GOOD for s in held if s.proxy in GOOD | BAD}, True


def by_outcome(known: Mapping[str, Session], query: Query, *, proxy: bool) -> tuple[Side, Side, bool]:
    """Succeeded and failed sessions.

    Args:
        known: root key to session, of those that count.
        query: filters that both share.
        proxy: go by proxies in any case.

    Returns:
        (succeeded, failed, whether proxies told them apart).

    Raises:
        QueryError: nothing tells how any session ended.
    """
    ends, seems = judged(known.values(), proxy=proxy)
    if not ends:
        raise QueryError(
            f"none of {number(len(known), 'session')} has an outcome or an observed proxy of one; say how "
            "they ended with tracelode outcome set or import"
        )
    sides = [
        Side(
            (SEEMS if seems else "") + word,
            query,
            frozenset(root for root, good in ends.items() if good is wanted),
        )
        for word, wanted in (("succeeded", True), ("failed", False))
    ]
    return sides[0], sides[1], seems


def by_value(field: str, values: Iterable[str], query: Query) -> tuple[Side, Side]:
    """The two sets of a field with two values.

    Args:
        field: the field.
        values: its values among what counts.
        query: filters that both share.

    Returns:
        (set of the value that sorts first, set of the other).

    Raises:
        UsageError: not exactly two values.
    """
    held = sorted(set(values))
    if len(held) != 2:
        there = number(len(held), "value")
        raise UsageError(
            f"--by takes a field with two values, and {field} has {there} here; "
            f"name two sets instead, as {field}=A {field}=B"
        )
    one, two = (
        Side(value, msgspec.structs.replace(query, where=(*query.where, (field, value)))) for value in held
    )
    return one, two


def pair_key(fields: tuple[str, ...], session: Session | None) -> str | None:
    """What a session shares with those it is paired with.

    Args:
        fields: of PAIRS.
        session: the root session, None where it is not stored.

    Returns:
        One text, None where a field of it is unknown.
    """
    values = [getattr(session, field, None) or None for field in fields]
    return None if None in values else "\x1f".join(str(value) for value in values)


def checked_pair(fields: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """The fields that pairs share.

    Args:
        fields: one name, or several; None for task.

    Raises:
        UsageError: one is none of PAIRS, or there is none.
    """
    if fields is None:
        return ("task",)
    named = (fields,) if isinstance(fields, str) else tuple(fields)
    wrong = [name for name in named if name not in PAIRS]
    if wrong or not named:
        what = f"not by {wrong[0]!r}" if wrong else "by at least one of them"
        raise UsageError(f"sessions are paired by {', '.join(PAIRS)}, {what}")
    return named

"""How are two sets of sessions named? FIELD=VALUE and WHEN..WHEN, joined by commas."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import msgspec

from tracelode.cli.view import OUTCOMES, named_filter
from tracelode.cli.when import instant
from tracelode.errors import UsageError
from tracelode.model.query import Query

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

GRAMMAR = "FIELD=VALUE, WHEN..WHEN, or several joined by commas"
"""What a set is written as."""
_ENDED = {"success": "succeeded", "failure": "failed"}
EVERYTHING = "all"


def one_set(
    text: str | None, where: tuple[str, ...], shared: Query, workspace: Workspace, option: str
) -> tuple[Query, str]:
    """The filters that a set's words mean.

    Args:
        text: TERM,TERM,...: FIELD=VALUE, or WHEN..WHEN of which one end may be missing, or the word all; None
            where only where names the set.
        where: FIELD=VALUE each, for values with a comma.
        shared: filters that both sets have.
        workspace: gives the zone of days, and the sessions that short names stand for.
        option: BASE or OTHER, for messages.

    Returns:
        (the query, words for the set).

    Raises:
        UsageError: a term that is none, or two different ends.
        QueryError: a session that is not there.

    Example:
        outcome=failed,model=claude-opus-4-5 and 2026-10-01..2026-10-14 and 28d..
    """
    terms = [] if text is None else [term.strip() for term in text.split(",")]
    if "" in terms:
        raise UsageError(f"{option} {text!r} has an empty term; write it as {GRAMMAR}")
    query, names = shared, []
    for term in (*terms, *where):
        field, equals, value = term.partition("=")
        if term == EVERYTHING:
            names.append(EVERYTHING)
        elif equals and field.strip():
            pair = _pair(workspace, field.strip(), value.strip())
            query = msgspec.structs.replace(query, where=(*query.where, pair))
            ended = _ENDED.get(pair[1]) if pair[0] == "outcome" else None
            names.append(ended or f"{pair[0]}={value.strip()}")
        elif ".." in term and term not in where:
            query = _between(term, query, workspace, option)
            names.append(term)
        else:
            raise UsageError(f"{option} {term!r} is no set of sessions; write it as {GRAMMAR}")
    return query, ",".join(names)


def _pair(workspace: Workspace, field: str, value: str) -> tuple[str, str]:
    if field == "outcome":
        return field, OUTCOMES.get(value, value)
    return named_filter(workspace, field, value)


def _between(term: str, query: Query, workspace: Workspace, option: str) -> Query:
    first, _, last = term.partition("..")
    if not first and not last:
        raise UsageError(f"{option} {term!r} has no moment; write it as 2026-10-01..2026-10-14, or 28d..")
    if (query.since is not None and first) or (query.until is not None and last):
        raise UsageError(f"{option} {term!r} goes with no --since, --until or second time span")
    zone, now = ZoneInfo(workspace.tz), datetime.now(UTC)
    return msgspec.structs.replace(
        query,
        since=instant(first, zone, now) if first else query.since,
        until=instant(last, zone, now, end=True) if last else query.until,
    )


def two_sets(
    base: str | None,
    other: str | None,
    base_where: tuple[str, ...],
    other_where: tuple[str, ...],
    shared: Query,
    workspace: Workspace,
) -> tuple[Query, Query, tuple[str, str]] | None:
    """Both sets.

    Args:
        base: words of the base set.
        other: words of the other set.
        base_where: further FIELD=VALUE of the base set.
        other_where: further FIELD=VALUE of the other set.
        shared: filters that both sets have.
        workspace: as for one_set().

    Returns:
        (base, other, words for them); under --share the words are base and other, apart from outcomes. None
        where neither set is named.

    Raises:
        UsageError: one of them alone is named.
    """
    one, two = base is not None or bool(base_where), other is not None or bool(other_where)
    if not one and not two:
        return None
    if not (one and two):
        raise UsageError(f"{'OTHER' if one else 'BASE'} is missing; name two sets, each as {GRAMMAR}")
    ours, name = one_set(base, base_where, shared, workspace, "BASE")
    theirs, second = one_set(other, other_where, shared, workspace, "OTHER")
    if shared.share:
        name = name if name in _ENDED.values() else "base"
        second = second if second in _ENDED.values() else "other"
    return ours, theirs, (name, second)

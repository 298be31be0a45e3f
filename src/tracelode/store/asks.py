"""How does a query become SQL? One restricted text that every engine of the store's kind runs alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tracelode.errors import QueryError, UnknownField
from tracelode.model.measure import NULLABLE, parts
from tracelode.model.operation import FIELDS
from tracelode.model.query import MOST_FIELDS, Query
from tracelode.store.schema import DIMENSIONS, column, quoted

ONCE = frozenset({"intent", "project", "session", "root", "agent", "day", "task", "outcome"})
"""Fields that a sub-agent's frames do not repeat below those of the operation that started it."""
WORK = frozenset({"stage", "focus", "tool"})
"""Fields that say what was done: without one of them, or a level of segments, in the stack nothing nests."""
SEGMENT = "seg."
"""Before a number from 0: the name of the segment of that level."""
SEPARATOR = "\x1f"
NONE = "(none)"
_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def known_fields() -> tuple[str, ...]:
    """Every field a stack or filter may name, sorted."""
    return tuple(sorted({*DIMENSIONS, *FIELDS, "session", "day", "root"}))


def level(field: str) -> int | None:
    """The level of segments that a field names, None for another field.

    Example:
        >>> level("seg.0"), level("seg.12"), level("seg.x"), level("stage")
        (0, 12, None, None)
    """
    number = field.removeprefix(SEGMENT)
    return int(number) if number != field and number.isdecimal() and len(number) < 3 else None


def optional(field: str) -> bool:
    """Is a field's frame left out where an operation has no value of it?"""
    return field == "focus" or level(field) is not None


def nests(query: Query) -> bool:
    """Do sub-agents lie below the operations that started them?"""
    return query.lane == "nested" and any(f in WORK or level(f) is not None for f in query.stack)


def check_fields(query: Query) -> None:
    """Assert that every field of a query exists.

    Raises:
        UnknownField: one does not; the message lists the nearest.
        QueryError: more fields than a stack may have.
    """
    if len(query.tagroot) + len(query.stack) + len(query.tagleaf) > MOST_FIELDS:
        raise QueryError(f"a stack has at most {MOST_FIELDS} fields")
    for name in (*query.stack, *query.tagroot, *query.tagleaf, *(f for f, _ in query.where)):
        if name not in known_fields() and level(name) is None:
            raise UnknownField(name, (*known_fields(), f"{SEGMENT}0", f"{SEGMENT}1"))


def needs_operations(query: Query) -> bool:
    """Does a query name a field that is not in the frames?"""
    named = (*query.stack, *query.tagroot, *query.tagleaf, *(f for f, _ in query.where))
    return any(f not in (*DIMENSIONS, "session", "day", "root") and level(f) is None for f in named)


def field_sql(name: str, span: tuple[int, int] | None, tz: str) -> str:
    """SQL text of a field's value; NULL where it has none.

    Args:
        name: a known field.
        span: (first, last) moment of the store, for the days of a zone with changing offsets.
        tz: zone of the days.

    Returns:
        An expression over a row f of frames (and o of operations).
    """
    if name == "session":
        return "f.root"
    if name == "day":
        return day_sql(span, tz)
    if name == "root" or name in DIMENSIONS:
        return f"NULLIF(f.{name}, '')"
    number = level(name)
    if number is not None:
        return f"NULLIF(split_part(f.seg, chr(31), {number + 1}), '')"
    return f"""NULLIF(json_extract_string(o.fields, '$."{name}"'), '')"""


def day_sql(span: tuple[int, int] | None, tz: str) -> str:
    """SQL text of the calendar day of f.moment in a zone, by its offsets between two moments.

    Args:
        span: (first, last) UTC microseconds, None for none.
        tz: zone name.

    Returns:
        An expression that gives YYYY-MM-DD, NULL where the moment is unknown.

    Raises:
        QueryError: no such zone.
    """
    shift = str(offset_steps(span, tz)[-1][1])
    for until, offset in reversed(offset_steps(span, tz)[:-1]):
        shift = f"CASE WHEN f.moment < {until} THEN {offset} ELSE {shift} END"
    day = f"CAST(floor((f.moment + {shift}) / {_DAY}.0) AS INTEGER)"
    return f"CAST(DATE '1970-01-01' + {day} AS VARCHAR)"


def offset_steps(span: tuple[int, int] | None, tz: str) -> list[tuple[int, int]]:
    """Offsets of a zone between two moments.

    Args:
        span: (first, last) UTC microseconds, None for none.
        tz: zone name.

    Returns:
        (moment before which it holds, offset in microseconds), in order; the last holds for ever.

    Raises:
        QueryError: no such zone.
    """
    zone = zone_of(tz)
    if span is None:
        return [(0, 0)]

    def offset(moment: int) -> int:
        utc = _EPOCH + timedelta(microseconds=moment)
        return (utc.astimezone(zone).utcoffset() or timedelta()) // timedelta(microseconds=1)

    steps: list[tuple[int, int]] = []
    low, last = span[0], span[1] + _DAY
    while low < last:
        high = min(low + 7 * _DAY, last)
        if offset(low) != offset(high):
            a, b = low, high
            while b - a > 1:
                middle = (a + b) // 2
                a, b = (middle, b) if offset(middle) == offset(low) else (a, middle)
            steps.append((b, offset(low)))
        low = high
    steps.append((last, offset(last)))
    return steps


def zone_of(tz: str) -> ZoneInfo:
    """A zone by name.

    Raises:
        QueryError: no such zone on this machine.
    """
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise QueryError(f"unknown time zone {tz!r}; use a name such as Europe/Berlin or UTC") from error


def measure_sql(measure: str) -> str:
    """SQL text of the sum of a measure."""
    names = parts(measure)
    if len(names) == 1 and names[0] in NULLABLE:
        return f"CAST(SUM(f.{column(names[0])}) AS BIGINT)"
    total = " + ".join(f"COALESCE(f.{column(n)}, 0)" for n in names)
    return f"CAST(COALESCE(SUM({total}), 0) AS BIGINT)"


def where_sql(query: Query, span: tuple[int, int] | None) -> str:
    """SQL text of a query's filters, "" for none."""
    terms = [_equals(name, value, span, query.tz) for name, value in query.where]
    if query.since is not None:
        terms.append(f"f.moment >= {int(query.since)}")
    if query.until is not None:
        terms.append(f"f.moment < {int(query.until)}")
    return f" WHERE {' AND '.join(terms)}" if terms else ""


def _equals(name: str, value: str, span: tuple[int, int] | None, tz: str) -> str:
    field = field_sql(name, span, tz)
    if value == NONE:
        # as views print it: no value
        return f"{field} IS NULL"
    sql = f"{field} = {quoted(value)}"
    if name == "tool":
        # a tool's own name takes all of its frames: Bash also means Bash:git
        return f"({sql} OR starts_with(f.tool, {quoted(value + ':')}))"
    return sql


def stack_sql(query: Query, span: tuple[int, int] | None, lanes: Mapping[str, str] | None) -> str:
    """SQL text of a row's stack as one string with SEPARATOR between the frames.

    Args:
        query: stack, tagroot, tagleaf, zone.
        span: moments of the store.
        lanes: sub-agent session to the frames above it, None to leave lanes apart.

    Returns:
        An expression over f (frames), o (operations) and l (lanes).
    """

    below = bool(lanes)

    def frame(name: str) -> str:
        sql = field_sql(name, span, query.tz)
        # an optional frame is left out where it has no value, any other says that it has none
        return sql if optional(name) else f"COALESCE({sql}, '{NONE}')"

    terms = [frame(name) for name in query.tagroot]
    if below:
        terms.append("l.prefix")
    for name in query.stack:
        if below and name in ONCE:
            terms.append(f"CASE WHEN l.prefix IS NULL THEN {frame(name)} END")
        else:
            terms.append(frame(name))
    terms.extend(frame(name) for name in query.tagleaf)
    return f"concat_ws(chr(31), {', '.join(terms)})"


def lane_prefixes(
    spawners: Sequence[tuple[str, str, Sequence[str | None]]], stack: Sequence[str]
) -> dict[str, str]:
    """The frames above each sub-agent.

    Args:
        spawners: (sub-agent session, session of the spawning operation, its values of the stack).
        stack: the stack's fields.

    Returns:
        Sub-agent session to the frames of the operation that started it, and of those above.

    Source:
        accounting: nested sub-agents show the spawning operation's frames, then their own; no
        second intent.
    """
    known = {child: (parent, values) for child, parent, values in spawners}
    found: dict[str, str] = {}

    def prefix(child: str, depth: int) -> str:
        if child in found:
            return found[child]
        parent, values = known[child]
        above = prefix(parent, depth + 1) if parent in known and depth < 64 and parent != child else ""
        own = [
            NONE if value is None else value
            for name, value in zip(stack, values, strict=True)
            if not (value is None and optional(name)) and not (above and name in ONCE)
        ]
        found[child] = SEPARATOR.join([above, *own] if above else own)
        return found[child]

    for child in sorted(known):
        prefix(child, 0)
    return found

"""What does a log record tell, when, and to which session or span does it belong?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from tracelode.sources.otel import words
from tracelode.sources.otel.tree import product_of
from tracelode.sources.otel.usage import count
from tracelode.wire.message import Log
from tracelode.wire.values import nanoseconds

UNKNOWN = "log record of no known event"
NO_SESSION = "log record without a session or trace"
NO_SPAN = "message of a span that is not in the file"


def event_of(log: Log) -> str:
    """The full name of a record's event.

    Args:
        log: any log record.

    Returns:
        Such as claude_code.api_request; "" for a plain log line.
    """
    name = log.name
    if isinstance(log.body, str) and log.body.endswith(f".{name}") and log.body.startswith("claude_code."):
        return log.body  # Claude Code: the body has the full name, the attribute the short one
    if name and "." not in name and product_of(log.origin.attributes, "") == "claude-code":
        return f"claude_code.{name}"
    if not name and isinstance(log.body, str) and log.body.startswith(("claude_code.", "codex.")):
        return log.body if len(log.body) < 60 else ""
    return name


def log_product(log: Log) -> str:
    """The agent that wrote a record, "" for none that is known.

    Args:
        log: any log record.
    """
    return product_of(log.origin.attributes, event_of(log))


def moment_of(log: Log) -> int | None:
    """When a record's event happened.

    Args:
        log: any log record.

    Returns:
        UTC microseconds: the event's own time before that of the record, which exporters write late.
    """
    own = nanoseconds(log.attributes.get("event.timestamp"))
    at = own if own is not None else log.at
    return None if at is None else at // 1_000


def length_of(log: Log) -> int | None:
    """Own duration of what a record tells.

    Args:
        log: any log record.

    Returns:
        Microseconds, None where none is told.
    """
    value = log.attributes.get("duration_ms")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e10:
        return None
    return round(value * 1_000)


def order_of(log: Log) -> tuple[bool, int, int]:
    """Where a record stands among others: by its moment, then by its number.

    Args:
        log: any log record.
    """
    at = moment_of(log)
    return at is None, at or 0, count(log.attributes.get("event.sequence")) or 0


Place = tuple[str, str]
"""Trace id and span id."""


def sort_out(
    logs: Iterable[Log], session_of: Callable[[Log, str], str], spans: Collection[Place]
) -> tuple[dict[str, list[Log]], list[tuple[Place, Log]], Counter[tuple[int, str]]]:
    """Log records by session; messages that belong to a span apart.

    Args:
        logs: of one file.
        session_of: session key of a record and its event, "" for none.
        spans: the spans that are in the file.

    Returns:
        (session key to records, (span, its message) pairs, complaints by line).
    """
    found: dict[str, list[Log]] = {}
    told: list[tuple[Place, Log]] = []
    complaints: Counter[tuple[int, str]] = Counter()
    for log in logs:
        event = event_of(log)
        if event in words.MESSAGES:
            place = (log.trace or "", log.span or "")
            if place in spans:
                told.append((place, log))
            else:
                complaints[(log.line, NO_SPAN)] += 1
            continue
        session = session_of(log, event)
        if session:
            found.setdefault(session, []).append(log)
        elif event not in words.QUIET:
            complaints[(log.line, NO_SESSION if event in words.EVENTS else UNKNOWN)] += 1
    return found, told, complaints

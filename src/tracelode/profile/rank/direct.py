"""How does the user's own diagnostic reach a ranking? A CSV file, every row used or counted."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from math import isfinite, isnan
from pathlib import Path

import msgspec

from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.files import bounded, why
from tracelode.model.numbers import decimal
from tracelode.model.report import Skipped

MAX_BYTES = 64 * 1024 * 1024


class Told(msgspec.Struct, kw_only=True):
    """What a file says of operations."""

    column: str
    """Name of the score's column, "" for a list of faults."""
    by_index: dict[str, dict[int, float]] = {}
    """Session key to place in it to score."""
    by_id: dict[str, float] = {}
    """Operation id to score."""
    skipped: list[Skipped] = []
    """Rows that could not be used."""

    def of(self, session: str, index: int, ident: str) -> float | None:
        """The score of an operation, None where the file has none."""
        found = self.by_index.get(session, {}).get(index)
        return self.by_id.get(ident) if found is None else found


def split_option(text: str, option: str = "--direct") -> tuple[str, Path]:
    """COLUMN=FILE.csv taken apart.

    Args:
        text: the option's value.
        option: its name, for the message.

    Raises:
        UsageError: not of that form.
    """
    column, equals, path = text.partition("=")
    if not equals or not column.strip() or not path.strip():
        raise UsageError(f"{option} takes COLUMN=FILE.csv, such as {option} score=judge.csv")
    return column.strip(), Path(path.strip()).expanduser()


def read(path: Path, column: str, key_of: Callable[[str], str]) -> Told:
    """Scores of operations from a CSV file.

    Args:
        path: the file: columns session and operation, and the score's. An operation is its number in the
            session, SESSION#N, or its id; with SESSION#N or an id the session may be empty.
        column: name of the score's column, larger is worse; "" for a list of faults, each scored 1.
        key_of: key of a session or a beginning of one to its key; raises QueryError.

    Returns:
        The usable scores; empty, broken, infinite and unknown ones are counted and located, and of two for
        one operation the last one holds.

    Raises:
        SourceError: the file cannot be read, is above 64 MB, lacks a column, or has one twice.
    """
    found = Told(column=column)
    reasons: dict[str, Skipped] = {}
    try:
        text = bounded(path, MAX_BYTES).decode("utf-8-sig", "replace")
        with io.StringIO(text, newline="") as stream:
            for line, reason in _rows(stream, found, key_of, path):
                old = reasons.get(reason)
                first, count = (old.line, old.count) if old else (line, 0)
                reasons[reason] = Skipped(path.name, first, reason, count + 1)
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=path.name) from error
    except csv.Error as error:
        raise SourceError("cannot be read: it is no CSV", path=path.name) from error
    found.skipped = sorted(reasons.values(), key=lambda s: (s.line, s.reason))
    return found


def _rows(
    stream: Iterator[str], found: Told, key_of: Callable[[str], str], path: Path
) -> Iterator[tuple[int, str]]:
    """Take the rows in; (line, reason) of what could not be used."""
    rows = csv.DictReader(stream)
    names = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    lacking = [n for n in ("operation", found.column.lower()) if n and n not in names]
    if lacking:
        raise SourceError(
            "the first line must name the columns session, operation"
            + (" and that of the score" if found.column else "")
            + ", in UTF-8 with commas between",
            path=path.name,
        )
    twice = _twice(rows.fieldnames or (), ("session", "operation", found.column.lower()))
    if twice:
        raise SourceError(f"the first line names the column of the {twice} twice; keep one", path=path.name)
    keys: dict[str, str | None] = {}
    for row in rows:
        given = {key: (row.get(name) or "").strip() for key, name in names.items()}
        score = _score(given[found.column.lower()]) if found.column else 1.0
        if isinstance(score, str):
            yield rows.line_num, score
            continue
        reason = _enter(found, given.get("session", ""), given["operation"], score, keys, key_of)
        if reason:
            yield rows.line_num, reason


def _twice(given: Sequence[str], wanted: tuple[str, str, str]) -> str | None:
    """What of a session, an operation and a score has more than one column; None for nothing."""
    held = [(name or "").strip().lower() for name in given]
    words = zip(wanted, ("session", "operation", "score"), strict=True)
    return next((word for name, word in words if name and held.count(name) > 1), None)


def _score(text: str) -> float | str:
    """A score, or why it is none."""
    if not text:
        return "row without a score"
    value = decimal(text)
    if value is None:
        return "score that is no number"
    if isnan(value):
        return "score that is NaN"
    return value if isfinite(value) else "score that is infinite"


def _enter(
    found: Told,
    session: str,
    operation: str,
    score: float,
    keys: dict[str, str | None],
    key_of: Callable[[str], str],
) -> str | None:
    """Enter one score; why it cannot be, or what was overwritten."""
    named, mark, number = operation.rpartition("#")
    session, number = (named or session, number) if mark else (session, operation)
    again = "another score than in a row before, the last one holds"
    if not number.isascii() or not number.isdigit() or (len(number) == 16 and not mark):
        if not operation:
            return "row without an operation"
        old = found.by_id.get(operation)
        found.by_id[operation] = score
        return again if old is not None and old != score else None
    if not session:
        return "row without a session"
    if session not in keys:
        try:
            keys[session] = key_of(session)
        except QueryError:
            keys[session] = None
    key = keys[session]
    if key is None:
        return "no such session, or several"
    if len(number) > 9:
        return "no such operation"
    place = int(number)
    before = found.by_index.setdefault(key, {}).get(place)
    found.by_index[key][place] = score
    return again if before is not None and before != score else None

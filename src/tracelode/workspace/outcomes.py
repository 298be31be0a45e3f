"""How do outcomes reach the store from a person or a CSV file?"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import msgspec

from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.files import bounded, why
from tracelode.model.report import Skipped

WORDS: dict[str, str] = {
    **dict.fromkeys(("success", "succeeded", "pass", "passed", "true", "1", "1.0", "yes", "ok"), "success"),
    **dict.fromkeys(("failure", "failed", "fail", "false", "0", "0.0", "no"), "failure"),
}
"""Words of a CSV file to outcomes."""


class Verdicts(msgspec.Struct, kw_only=True):
    """What a file or a person says of sessions."""

    by_root: dict[str, tuple[str | None, str | None]] = {}
    """Root key to (outcome, task)."""
    skipped: list[Skipped] = []
    """Rows that could not be used."""


def outcome_of(word: str) -> str:
    """The outcome a word means.

    Raises:
        UsageError: none.
    """
    found = WORDS.get(word.strip().lower())
    if found is None:
        raise UsageError("an outcome is success or failure (also passed, failed, true, false, 1, 0)")
    return found


def file_bytes(path: Path) -> bytes:
    """All bytes of a file that a person names.

    Args:
        path: a regular file of at most files.LARGEST bytes.

    Raises:
        SourceError: it cannot be read, is too large, or is a folder, a pipe or a device, which may never end.
    """
    try:
        return bounded(path)
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=path.name) from error


def read_csv(path: Path, root_of: Callable[[str], str]) -> Verdicts:
    """Outcomes and tasks from a CSV file with the columns session, outcome, task.

    Args:
        path: the file; session is a key or a unique beginning of one; an empty outcome or task leaves
            what is known.
        root_of: session key or beginning to root key; raises QueryError.

    Returns:
        What it says; rows that say nothing usable are counted and located.

    Raises:
        SourceError: the file cannot be read or lacks a column.
    """
    found = Verdicts()
    reasons: dict[str, Skipped] = {}

    def skip(line: int, reason: str) -> None:
        old = reasons.get(reason)
        reasons[reason] = Skipped(path.name, old.line if old else line, reason, (old.count if old else 0) + 1)

    data = io.BytesIO(file_bytes(path))
    try:
        with io.TextIOWrapper(data, encoding="utf-8-sig", errors="replace", newline="") as stream:
            rows = csv.DictReader(stream)
            columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
            if "session" not in columns or not {"outcome", "task"} & set(columns):
                raise SourceError(
                    "the first line must name the column session, and outcome or task or both, in UTF-8 "
                    "with commas between",
                    path=path.name,
                )
            for row in rows:
                given = {key: (row.get(name) or "").strip() for key, name in columns.items()}
                outcome = WORDS.get(given.get("outcome", "").lower())
                if given.get("outcome") and outcome is None:
                    skip(rows.line_num, "outcome is neither success nor failure")
                    continue
                try:
                    root = root_of(given["session"])
                except QueryError:
                    skip(rows.line_num, "no such session, or several")
                    continue
                task = given.get("task") or None
                if outcome is None and task is None:
                    skip(rows.line_num, "row without outcome and task")
                    continue
                said = found.by_root.get(root, (None, None))
                if outcome and said[0] and outcome != said[0]:
                    skip(rows.line_num, "another outcome than in a row before, the last one holds")
                found.by_root[root] = (outcome or said[0], task or said[1])
    except csv.Error as error:
        raise SourceError("cannot be read: it is no CSV", path=path.name) from error
    found.skipped = sorted(reasons.values(), key=lambda s: s.line)
    return found

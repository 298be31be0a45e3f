"""How does an annotator's folder lie on disk? Written into an empty folder, read without trust."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tracelode.errors import ExportError, MarksError, SourceError, UsageError
from tracelode.files import why
from tracelode.model.annotation import Mark
from tracelode.model.words import printable

SCHEMA_VERSION = 1
"""Of the marks file."""
MOST_BYTES = 4 * 1024 * 1024
"""Larger marks files are refused: 5,000 marks take less than 1 MB."""
MOST_FILES = 10_000
"""Marks files of one import."""

_PARTS = ("packets", "marks")
_SHOWN = 80
"""Characters of a file's name in a message."""
_DIGITS = 100
"""Digits of a number that is read."""
_UNSAFE = re.compile(r"[^0-9A-Za-z]+")


class Sheet(NamedTuple):
    """What an annotator gets of one session."""

    session: str
    """Its key."""
    packet: str
    """Text of its packet."""
    operations: int
    """How many operations it has."""
    last: str
    """Id of the last of them."""
    digest: str
    """What tells them from any others."""
    blind: bool
    """Are the current marks left out?"""
    marks: tuple[Mark, ...]
    """Current marks; none where blind."""


class Read(NamedTuple):
    """One marks file."""

    name: str
    """Where it lies, for messages."""
    data: object
    """Decoded JSON."""


def stem(number: int, session: str) -> str:
    """Name of a session's files without suffix, safe in any folder.

    Args:
        number: its place in the export, from 1.
        session: its key, which may hold anything.

    Example:
        >>> stem(3, "../de 02/x"), stem(4, "//")
        ('003-de02x', '004')
    """
    start = _UNSAFE.sub("", session)[:8]
    return f"{number:03d}-{start}" if start else f"{number:03d}"


def write_folder(target: Path, texts: dict[str, str], sheets: Iterable[Sheet]) -> list[str]:
    """Write a folder for annotators, for the owner's eyes only.

    Args:
        target: a folder that is empty or not there.
        texts: file name to text, of the files that go with the sheets.
        sheets: one a session.

    Returns:
        The marks files in order, relative to the folder.

    Raises:
        UsageError: something lies in the folder, or there is a file of that name.
        ExportError: it cannot be written; what was written of it is removed.
    """
    made: list[Path] = []
    names: list[str] = []
    try:
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is no folder; name one that is empty or not there")
        if target.is_dir() and any(target.iterdir()):
            raise UsageError(f"something lies in {target}; name a folder that is empty or not there")
        for folder in (target, *(target / part for part in _PARTS)):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, parents=folder == target)
                made.append(folder)
        for number, sheet in enumerate(sheets, 1):
            name = stem(number, sheet.session)
            _write(target / "packets" / f"{name}.txt", sheet.packet, made)
            _write(target / "marks" / f"{name}.json", marks_text(sheet), made)
            names.append(f"marks/{name}.json")
        for name, text in texts.items():
            _write(target / name, text, made)
    except OSError as error:
        _remove(made)
        raise ExportError(f"{target} cannot be written: {error.strerror or type(error).__name__}") from error
    except BaseException:
        _remove(made)
        raise
    return names


def _write(path: Path, text: str, made: list[Path]) -> None:
    # never through a link, never over a file: what lies there is somebody else's
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
        made.append(path)
        stream.write(text.encode("utf-8", "replace"))


def _remove(made: list[Path]) -> None:
    for path in reversed(made):
        try:
            path.rmdir() if path.is_dir() else path.unlink()
        except OSError:
            continue


def marks_text(sheet: Sheet) -> str:
    """The marks file of a session: one mark on a line.

    Args:
        sheet: what its annotator gets.

    Returns:
        JSON.
    """
    head = {
        "schema_version": SCHEMA_VERSION,
        "session": sheet.session,
        "operations": sheet.operations,
        "last": sheet.last,
        "digest": sheet.digest,
        "blind": sheet.blind,
    }
    rows = [
        json.dumps({"start_operation_id": mark.start_operation_id, "path": list(mark.path)})
        for mark in sheet.marks
    ]
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    body = "\n    " + ",\n    ".join(rows) + "\n  " if rows else ""
    return "{\n" + "\n".join(lines) + f'\n  "marks": [{body}]\n' + "}\n"


def read_files(target: Path) -> tuple[list[Read], list[tuple[str, str]]]:
    """The marks files of a folder, or one of them.

    Args:
        target: the folder of an export, its folder of marks, or one file.

    Returns:
        (files in order of their names, what is wrong with others).

    Raises:
        SourceError: there is no such path, or no marks file in it.
        MarksError: too many files.
    """
    if not target.is_dir():
        if not target.exists():
            raise SourceError("no such file or folder", path=target.name)
        found = [(printable(target.name)[:_SHOWN], target, False)]
    else:
        found = list(_below(target))
    if not found:
        raise SourceError("no marks file (marks/*.json) is in the folder", path=target.name)
    if len(found) > MOST_FILES:
        raise MarksError([(target.name, f"{len(found):,} marks files; at most {MOST_FILES:,} at once")])
    files: list[Read] = []
    problems: list[tuple[str, str]] = []
    for name, path, link in found:
        try:
            if link:
                raise ValueError("a symbolic link, which is not followed")
            files.append(Read(name, _decoded(_bytes(path, follow=path == target))))
        except RecursionError:
            problems.append((name, "nested too deeply"))
        except OSError as error:
            problems.append((name, f"cannot be read: {why(error)}"))
        except ValueError as error:
            problems.append((name, str(error)))
    return files, problems


def _below(target: Path) -> Iterator[tuple[str, Path, bool]]:
    """(name for messages, path, is it a link) of the marks files of a folder."""
    folder = target / "marks"
    inside = folder.is_dir() or folder.is_symlink()
    if inside and folder.is_symlink():
        yield "marks", folder, True
        return
    for path in sorted((folder if inside else target).iterdir()):
        if path.name.endswith(".json") and not path.name.endswith(".schema.json"):
            name = printable(path.name)[:_SHOWN]
            yield (f"marks/{name}" if inside else name), path, path.is_symlink()


def _bytes(path: Path, *, follow: bool) -> bytes:
    # a pipe or a device would make us wait
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(os.open(path, flags), "rb") as stream:
        info = os.fstat(stream.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("no regular file")
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"above {MOST_BYTES // 1024**2} MB; no marks file is that long")
    return data


def _decoded(data: bytes) -> object:
    """JSON as the standard says: no NaN, no key twice."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("not in UTF-8") from None
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_int=_integer)
    except json.JSONDecodeError as error:
        # its own words hold no text of the file
        raise ValueError(f"no JSON: {error.msg.lower()} at line {error.lineno}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"a number of {len(text):,} digits; {_DIGITS} are read")
    return int(text)


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is no number of JSON")

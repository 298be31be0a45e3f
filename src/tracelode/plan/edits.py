"""Which lines does a tool call take out and put in? Read from the inputs of edit tools and patches."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any

import msgspec

MOST_LINES = 50_000
"""Lines of one call that are looked at."""
_PATCH = "*** Begin Patch"
_FILES = ("file_path", "filePath", "path", "filename", "file", "notebook_path", "target_file")
_OLD = ("old_string", "old_str", "old_text", "oldString", "oldText")
_NEW = ("new_string", "new_str", "new_text", "new_source", "newString", "newText")
_WHOLE = ("content", "file_text", "contents")
_COMPARED = 2_000


class Edit(msgspec.Struct, frozen=True):
    """What one call does to one file."""

    path: str
    """The file as the call names it."""
    removed: tuple[str, ...]
    """Digests of lines taken out; of a file written anew this is not known here."""
    added: tuple[str, ...]
    """Digests of lines put in, or the whole file."""
    whole: bool = False
    """True: the file is written anew."""


def digest(line: str) -> str:
    """What lines share that differ in white space alone: a formatter's run is no rework.

    Args:
        line: one line.

    Returns:
        12 characters, "" for a line without a letter or digit (brackets come and go).
    """
    plain = "".join(line.split())
    if not any(char.isalnum() for char in plain):
        return ""
    return blake2b(plain.encode("utf-8", "replace"), digest_size=6).hexdigest()


def edits_of(tool: str, arguments: str, command: str = "") -> tuple[Edit, ...]:
    """The edits of a call.

    Args:
        tool: its name.
        arguments: its whole input: JSON of an edit tool, or a patch.
        command: its shell text, where it has one.

    Returns:
        One for each replacement; none where the call changes no file by its own words, or where its input
        is cut and cannot be read.
    """
    for text in (arguments, command):
        if _PATCH in text:
            given = _decoded(text)
            return tuple(_patched(_patch_in(given) or text))
    given = _decoded(arguments)
    if not isinstance(given, dict):
        return ()
    path = next((given[k] for k in _FILES if isinstance(given.get(k), str)), "")
    if not path:
        return ()
    rows = given["edits"] if isinstance(given.get("edits"), list) else [given]
    found = [edit for row in rows if isinstance(row, dict) and (edit := _replaced(path, row)) is not None]
    if not found:
        whole = next((given[k] for k in _WHOLE if isinstance(given.get(k), str)), "")
        found = [Edit(path, (), _lines(whole), whole=True)] if whole else []
    return tuple(found)


def _decoded(text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _patch_in(given: Any) -> str:
    """The patch among a call's values, which may be a list of words of a command."""
    values = list(given.values()) if isinstance(given, dict) else []
    while values:
        value = values.pop()
        if isinstance(value, str) and _PATCH in value:
            return value
        if isinstance(value, list):
            values += value
    return ""


def _replaced(path: str, row: dict[str, Any]) -> Edit | None:
    old = next((row[k] for k in _OLD if isinstance(row.get(k), str)), None)
    new = next((row[k] for k in _NEW if isinstance(row.get(k), str)), None)
    if old is None and new is None:
        return None
    removed, added = changed(_lines(old or ""), _lines(new or ""))
    return Edit(path, removed, added)


def changed(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What of two texts is not in both.

    Args:
        old: digests of lines.
        new: digests of lines.

    Returns:
        (taken out, put in); of long texts lines that moved count as kept.
    """
    if len(old) + len(new) > _COMPARED:
        both = set(old) & set(new)
        return tuple(x for x in old if x not in both), tuple(x for x in new if x not in both)
    out: list[str] = []
    into: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            out += old[a:b]
            into += new[c:d]
    return tuple(out), tuple(into)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(d for line in text.splitlines()[:MOST_LINES] if (d := digest(line)))


def _patched(text: str) -> Iterator[Edit]:
    """The edits of a patch in the form of apply_patch."""
    path = ""
    out: list[str] = []
    into: list[str] = []
    for line in text.splitlines()[:MOST_LINES]:
        if line.startswith("*** "):
            if path and (out or into):
                yield Edit(path, tuple(out), tuple(into))
            word, _, name = line[4:].partition(" File: ")
            path, out, into = (name.strip() if word in ("Add", "Update", "Delete") else ""), [], []
        elif path and line[:1] in ("-", "+") and (d := digest(line[1:])):
            (out if line[0] == "-" else into).append(d)
    if path and (out or into):
        yield Edit(path, tuple(out), tuple(into))

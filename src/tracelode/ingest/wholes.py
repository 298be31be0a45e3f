"""How are the whole texts of several sessions read, each file once?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tracelode import registry
from tracelode.files import Cursor, Records, is_packed, open_stream, proof, why
from tracelode.ingest.bounds import whole_arguments
from tracelode.ingest.content import Content, Contents, resolve
from tracelode.ingest.discover import MAPPED
from tracelode.model.operation import Operation
from tracelode.model.ports import About, Change, Line
from tracelode.store.catalog import SourceRow
from tracelode.store.shards import read_contents

Wholes = dict[str, dict[str, Content]]
"""Session key to operation id to its texts."""
GONE = "no longer on disk"


def wholes(contents: Contents, sessions: Mapping[str, Sequence[Operation]]) -> Wholes:
    """Whole texts of sessions; a file that holds several of them is read once.

    Args:
        contents: the content port; its gone receives what could not be read and why.
        sessions: key to the session's operations as stored: they say in which lines of a file it stands.

    Returns:
        Texts; operations whose source is gone or has changed are absent.

    Source:
        architecture: store, content port.
    """
    found: Wholes = {}
    wanted: dict[str, tuple[SourceRow, set[str]]] = {}
    archived = bool(contents.catalog.contents())
    for key, operations in sorted(sessions.items()):
        found[key] = _archived(contents, key) if archived else {}
        if operations and len(found[key]) >= len(operations):
            continue
        for row in contents.catalog.sources_with(key):
            wanted.setdefault(row.path, (row, set()))[1].add(key)
    for name, (row, keys) in sorted(wanted.items()):
        path = resolve(name)
        why = _unread(row, path)
        if path is None or why is not None:
            contents.gone[name] = why or GONE
            continue
        found_in = (o.origin for key in keys for o in sessions[key] if o.origin.path == name)
        lines = {origin.line: origin.offset for origin in found_in}
        _read(contents, path, row, keys, lines, found)
    return found


def _archived(contents: Contents, key: str) -> dict[str, Content]:
    catalog = contents.catalog
    rows = read_contents(contents.connection, catalog.folder, catalog.contents(), key)
    return {ident: Content(arguments, output) for ident, arguments, output in rows}


def _unread(row: SourceRow, path: Path | None) -> str | None:
    """Why a source cannot be read again, None where it can."""
    if row.adapter.startswith(MAPPED):
        return "was read through a mapping"
    if path is None:
        return GONE
    try:
        if proof(path, min(row.position, os.stat(path).st_size)) != (row.head, row.tail):
            return "changed since it was imported"
    except OSError as error:
        return f"cannot be read: {why(error)}"
    return None


def _read(
    contents: Contents, path: Path, row: SourceRow, keys: set[str], lines: dict[int, int], found: Wholes
) -> None:
    source = registry.load("sources", row.adapter)
    if getattr(source, "by_line", False) and lines:
        read = _taken(contents, source.read(_some(path, lines), source.fresh(), row.path), keys)
        if keys <= read.keys():
            _keep(read, found)
            return
        # a session that is spread over lines, or the second of two that are equal to the letter
    records = Records(path, whole=source.layout.endswith("document"))
    _keep(_taken(contents, source.read(records, source.fresh(), row.path), keys), found)


def _some(path: Path, wanted: Mapping[int, int]) -> Iterator[Line]:
    """Lines by (number to byte offset, 0 where it is not known): what lies between is not read."""
    with open_stream(path) as stream:
        packed = is_packed(stream)
    lines, line, at = iter(Records(path)), None, 0
    for number, offset in sorted(wanted.items()):
        if number > at + 1 and offset and not packed:
            lines = iter(Records(path, Cursor(offset, number - 1)))
        while at < number:
            line = next(lines, None)
            if line is None:
                return
            at = line.number
        if line is not None and at == number:
            yield line


def _taken(contents: Contents, items: Iterable[object], keys: set[str]) -> Wholes:
    read: Wholes = {}
    current = ""
    clean = contents.redactor
    for item in items:
        if isinstance(item, About):
            current = clean.name(item.session)
        elif current not in keys:
            continue
        elif isinstance(item, Operation):
            content = read.setdefault(current, {}).setdefault(item.id, Content())
            content.arguments = content.arguments or whole_arguments(clean, item)
            content.output = content.output or clean.text(item.output)
        elif isinstance(item, Change) and item.output and item.id in read.get(current, {}):
            content = read[current][item.id]
            content.output = content.output or clean.text(item.output)
    return read


def _keep(read: Wholes, found: Wholes) -> None:
    for key, texts in read.items():
        held = found.setdefault(key, {})
        for ident, text in texts.items():
            held.setdefault(ident, text)

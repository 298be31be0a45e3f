"""Which export formats are there, and which one does a file name choose?"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from tracelode import registry
from tracelode.errors import ExportError, UsageError
from tracelode.model.profile import Profile
from tracelode.store.catalog import Catalog

_FAMILIES = 100
"""Families read at once."""
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,4})")


def write(profile: Profile, target: str | Path | IO[bytes], format: str | None) -> None:
    """Write a profile to a file or stream.

    Args:
        profile: what to write.
        target: a path (written whole or not at all) or an open binary stream.
        format: name of an exporter, None to go by the suffix.

    Raises:
        UsageError: no format of that name or suffix.
        ExportError: the file cannot be written.
    """
    named = isinstance(target, str | Path)
    exporter = exporter_for(str(target) if named else "", format)
    if not named:
        exporter.write(profile, target)
        return
    with private(str(target)) as stream:
        exporter.write(profile, stream)


@contextmanager
def private(target: str) -> Iterator[IO[bytes]]:
    """A file for the owner's eyes, like the store: written whole or not at all.

    What is no regular file (a device, a pipe) is written into. A symbolic link stays: what it points to is
    written.

    Args:
        target: its path.

    Raises:
        ExportError: it cannot be written.
        BrokenPipeError: it is one of this process's own descriptors, whose reader left.
    """
    own = _descriptor(target)
    try:
        if own is not None or _special(target):
            # O_NOCTTY: a terminal that is written to does not become ours
            number = os.open(target, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)) if own is None else os.dup(own)
            with os.fdopen(number, "wb") as stream:
                yield stream
        else:
            with _aside(os.path.realpath(target)) as stream:
                yield stream
    except OSError as error:
        if own is not None and isinstance(error, BrokenPipeError):
            raise
        raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error


def _descriptor(target: str) -> int | None:
    """The open descriptor of this process that a path names, None for any other path."""
    # Opened again by its path, a file that output is appended to would be written from its beginning.
    named = _DESCRIPTOR.fullmatch(target)
    return int(named[1]) if named else _STREAMS.get(target)


def _special(target: str) -> bool:
    """Is there something at a path that is no regular file?"""
    try:
        return not stat.S_ISREG(os.stat(target).st_mode)
    except FileNotFoundError:
        return False


@contextmanager
def _aside(place: str) -> Iterator[IO[bytes]]:
    """A new file beside a place, moved there once it is whole."""
    # A name that nobody can guess, made anew and never through a link: in a folder that others may write
    # to, nobody can lay something into its way.
    aside = os.path.join(os.path.dirname(place), f".tracelode-{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    number = os.open(aside, flags, 0o600)
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
        os.replace(aside, place)
    finally:
        Path(aside).unlink(missing_ok=True)


def write_operations(catalog: Catalog, stream: IO[bytes]) -> int:
    """Write all operations of a store as JSON Lines, family by family.

    Args:
        catalog: of the store.
        stream: an open binary stream.

    Returns:
        Number of operations.

    Source:
        docs/sources/tracelode.md: what another store needs to make the same rows of.
    """
    from tracelode.ingest.family import restore
    from tracelode.ingest.lock import exclusive
    from tracelode.store.engine import connect
    from tracelode.store.shards import read_families

    encode = msgspec.json.Encoder().encode

    def put(what: str, /, **keys: Any) -> None:
        stream.write(encode({"type": what, **keys}) + b"\n")

    put("tracelode", version=1)
    count = 0
    connection = connect()
    # an import that goes on at the same time would move families between shards
    with exclusive(catalog.folder):
        families = sorted((root, shard) for root, (shard, _) in catalog.families().items())
        for start in range(0, len(families), _FAMILIES):
            places = dict(families[start : start + _FAMILIES])
            for root, operations in read_families(connection, catalog.folder, places).items():
                threads = restore(operations, catalog.sessions(root), catalog.ticks(root))
                for thread in threads.values():
                    put("session", session=thread.key, root=root, agent=thread.agent, role=thread.role,
                        project=thread.project, task=thread.task, outcome=thread.outcome)  # fmt: skip
                    for draft in thread.drafts.values():
                        put("operation", root=root, **msgspec.to_builtins(draft))
                    marks = [[t.at, t.ends, t.operation, t.opens, t.closes, t.own] for t in thread.ticks]
                    put("timeline", session=thread.key, root=root, project=thread.project, marks=marks)
                    count += len(thread.drafts)
    return count


def formats() -> dict[str, tuple[str, ...]]:
    """Export formats by name, with their suffixes."""
    return {name: tuple(registry.load("exports", name).suffixes) for name in registry.names("exports")}


def is_binary(name: str) -> bool:
    """Does an export format hold bytes that a terminal cannot show?"""
    return bool(registry.load("exports", name).binary)


def exporter_for(target: str, format: str | None) -> Any:
    """The exporter a format name or a file name's longest known suffix chooses.

    Raises:
        UsageError: there is none.
    """
    names = registry.names("exports")
    if format is not None:
        if format not in names:
            raise UsageError(f"unknown format {format!r}; known: {', '.join(names)}")
        return registry.load("exports", format)
    best: tuple[int, Any] | None = None
    for name in names:
        exporter = registry.load("exports", name)
        for suffix in exporter.suffixes:
            if target.lower().endswith(suffix) and (best is None or len(suffix) > best[0]):
                best = (len(suffix), exporter)
    if best is None:
        known = ", ".join(s for suffixes in formats().values() for s in suffixes)
        raise UsageError(f"the suffix of {Path(target).name!r} names no format; known: {known}")
    return best[1]

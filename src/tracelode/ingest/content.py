"""Where is the whole text of an operation? In the archive where there is one, else in its source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tracelode import registry
from tracelode.files import Records, proof
from tracelode.ingest.bounds import Cleaner, whole_arguments
from tracelode.ingest.discover import MAPPED, Names, local_roots, slugs
from tracelode.model.operation import Operation
from tracelode.model.ports import About, Change
from tracelode.store.catalog import Catalog
from tracelode.store.shards import read_contents


class Content(msgspec.Struct):
    """The whole input and result of one operation, redacted."""

    arguments: str = ""
    """Input."""
    output: str = ""
    """Result."""


class Contents:
    """Reads whole texts again, session by session, redacted on the way.

    Args:
        catalog: the store's catalog.
        redactor: the one choke point, in the mode "full".
        connection: DuckDB connection for the archive.
    """

    def __init__(self, catalog: Catalog, redactor: Cleaner, connection: Any) -> None:
        self.catalog = catalog
        self.redactor = redactor
        self.connection = connection
        self.gone: dict[str, str] = {}
        """Source to why its texts could not be read again."""

    def of(self, session: str) -> dict[str, Content]:
        """Whole texts of a session's operations.

        Args:
            session: session key.

        Returns:
            Operation id to its texts; operations whose source is gone or has changed are absent, and
            the source is in gone.

        Source:
            architecture: store, content port.
        """
        found = {
            ident: Content(arguments, output)
            for ident, arguments, output in read_contents(
                self.connection, self.catalog.folder, self.catalog.contents(), session
            )
        }
        held = next((s for s in self.catalog.sessions() if s.key == session), None)
        if held is not None and len(found) >= held.operations + held.inherited:
            return found
        for row in self.catalog.sources_with(session):
            if row.adapter.startswith(MAPPED):
                self.gone[row.path] = "was read through a mapping"
                continue
            path = resolve(row.path)
            if path is None:
                self.gone[row.path] = "no longer on disk"
                continue
            if proof(path, min(row.position, path.stat().st_size)) != (row.head, row.tail):
                self.gone[row.path] = "changed since it was imported"
                continue
            self._read(path, row.path, row.adapter, session, found)
        return found

    def _read(self, path: Path, name: str, adapter: str, session: str, found: dict[str, Content]) -> None:
        source = registry.load("sources", adapter)
        records = Records(path, whole=source.layout.endswith("document"))
        current = ""
        for item in source.read(records, source.fresh(), name):
            if isinstance(item, About):
                current = self.redactor.name(item.session)
            elif current != session:
                continue
            elif isinstance(item, Operation):
                content = found.setdefault(item.id, Content())
                content.arguments = content.arguments or whole_arguments(self.redactor, item)
                content.output = content.output or self.redactor.text(item.output)
            elif isinstance(item, Change) and item.output and item.id in found:
                content = found[item.id]
                content.output = content.output or self.redactor.text(item.output)


def resolve(name: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """The file that origins call by a name.

    Args:
        name: as origins have it; folder names that carry a user's name are digests.
        environment: variables, os.environ by default.

    Returns:
        Its path, None where it is no longer there.
    """
    env = dict(os.environ) if environment is None else dict(environment)
    home = Path(env.get("HOME") or Path.home())
    starts: list[tuple[Path, str]] = []
    if name.startswith("/"):
        starts.append((Path("/"), name[1:]))
    elif name.startswith("~/"):
        starts.append((home, name[2:]))
    else:
        prefix, _, rest = name.partition(":")
        for source, folder in local_roots(env):
            if Names.prefix(source) == prefix:
                starts.append((folder.parent, rest))
    for start, rest in starts:
        path: Path | None = start
        for part in rest.split("/"):
            path = _step(path, part)
            if path is None:
                break
        if path is not None and path.is_file():
            return path
    return None


def _step(folder: Path | None, part: str) -> Path | None:
    """The entry of a folder that a part of a name means."""
    if folder is None:
        return None
    if (folder / part).exists():
        return folder / part
    try:
        return next((folder / e for e in sorted(os.listdir(folder)) if slugs(e) == part), None)
    except OSError:
        return None

"""Which files must be read, from where, and with whom? What is unchanged is not opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tracelode.files import Cursor, proof, why
from tracelode.ingest.discover import MAPPED, Found, Identity, Lost, identify
from tracelode.ingest.jobs import FamilyJob, FileJob
from tracelode.ingest.joining import NOT_A_LOG
from tracelode.model.report import Skipped
from tracelode.store.catalog import Catalog, SourceRow
from tracelode.store.tombstones import Buried

UNIT_BYTES = 8 * 1024 * 1024
"""Source bytes handed to a worker at once."""


class Plan(msgspec.Struct, kw_only=True):
    """What an import will do."""

    files: int = 0
    """Files found."""
    unchanged: int = 0
    """Of them: known and unchanged."""
    jobs: list[FamilyJob] = []
    """Families to build."""
    rows: list[SourceRow] = []
    """Sources to note without reading: unknown formats, files that were only touched."""
    lost: list[Skipped] = []
    """Places that could not be looked at."""
    known: int = 0
    """Files that need not be read: those of a known format that were read before, and those left out."""
    again: list[Skipped] = []
    """What an earlier import could not use of files that did not change."""

    @property
    def bytes(self) -> int:
        """Bytes to read."""
        return sum(job.bytes for job in self.jobs)


class Planner:
    """Compares what is on disk with what the store has read.

    Args:
        catalog: the store's catalog.
        adapters: sources by name.
        name: the redactor for session keys.
        source: take files for this source alone.
        since: leave out new files last written before this moment (UTC microseconds).
        mapping: mapping file that the one source is made of.
    """

    def __init__(
        self,
        catalog: Catalog,
        adapters: Mapping[str, Any],
        name: Callable[[str], str],
        *,
        source: str | None = None,
        since: int | None = None,
        mapping: Path | None = None,
    ) -> None:
        self.catalog = catalog
        self.mapping = mapping
        self.adapters = adapters
        self.name = name
        self.source = source
        self.since = since
        self._sides: tuple[str, ...] | None = None
        """Endings of files that some format keeps beside its own and that hold nothing to import."""
        self.known = catalog.sources()
        self.joins = catalog.joins()
        self.buried = Buried(catalog)
        self.plan = Plan()
        self.here: dict[str, Found] = {}
        self.groups: dict[str, list[FileJob]] = {}
        self.whole: set[str] = set()
        self.parents: dict[str, str] = {}
        self.likely = ""
        self.fresh: list[tuple[Found, Identity]] = []

    def make(self, found: Iterable[Found | Lost]) -> Plan:
        """Decide what to read.

        Args:
            found: files and places that could not be looked at.

        Returns:
            The plan.
        """
        for item in found:
            if isinstance(item, Lost):
                self._lose(item.name, item.reason)
                continue
            try:
                self._look(item)
            except OSError as error:
                self._lose(item.name, f"cannot be read: {why(error)}")
        for item, identity in self.fresh:
            group = self._group(item, identity)
            if group in self.buried:
                # its user deleted it: it is not opened again
                self.plan.known += 1
                continue
            self.groups.setdefault(group, []).append(self._file(item, identity))
        for root in sorted(self.whole):
            self._reread(root)
        for group, files in sorted(self.groups.items()):
            job = self._job(group, files)
            self.plan.jobs.extend(_pieces(job) if group.startswith("\0") else [job])
        return self.plan

    @property
    def sides(self) -> tuple[str, ...]:
        """Endings of files that lie beside transcripts; asked for only where a file is of no known format."""
        if self._sides is None:
            adapters = self.adapters.values()
            self._sides = tuple(side for adapter in adapters for side in getattr(adapter, "sides", ()))
        return self._sides

    def _lose(self, name: str, reason: str) -> None:
        self.plan.lost.append(Skipped(name, 0, reason))

    def _look(self, item: Found) -> None:
        """Decide on one file."""
        self.plan.files += 1
        old = self.known.get(item.name)
        if old is not None:
            self.here[item.name] = item
            # another mapping, or the first one, reads a file anew that did not change
            same = self.mapping is None or old.adapter == self.source
            # so is one that another version of its source has read
            same = same and self._current(old)
            if same and (old.size, old.mtime) == (item.size, item.mtime):
                self.plan.unchanged += 1
                self._unchanged(old)
                return
            if old.adapter.startswith(MAPPED) and self.mapping is None:
                self._lose(item.name, "changed since it was read through a mapping; give --map again")
                return
        elif self.since is not None and item.mtime // 1000 < self.since:
            self.plan.unchanged += 1
            self.plan.known += 1
            return
        known = old is not None and old.adapter in self.adapters and bool(old.state)
        if known and old is not None and self._current(old) and _grown(item, old):
            self._go_on(item, old)
            return
        identity = identify(item, self.adapters, self.source, self.likely)
        self.likely = identity.adapter or self.likely
        if not identity.adapter and item.name.endswith(self.sides):
            return
        if not identity.adapter:
            if self.source is not None:
                # one source does not know it: that says nothing about the others
                self._lose(item.name, "not of the format asked for")
                return
            if old is not None and old.adapter:
                # nothing replaces what was read from it
                self._lose(item.name, "emptied or of no known format now, what was read from it stays")
                return
            row = SourceRow(path=item.name, size=item.size, mtime=item.mtime, version=self._version(""))
            reason = "empty file" if item.size == 0 else "unknown format"
            skipped = [Skipped(item.name, 0, reason)]
            self.plan.rows.append(msgspec.structs.replace(row, skipped=skipped))
            return
        if old is not None and old.adapter in self.adapters and old.root:
            self.whole.add(old.root)
        if item.name in self.joins:
            identity = self._joined(item, identity)
        if identity.parent and identity.session:
            self.parents[self.name(identity.session)] = self.name(identity.parent)
        self.fresh.append((item, identity))

    def _unchanged(self, old: SourceRow) -> None:
        if old.adapter:
            self.plan.known += 1
        else:
            self.plan.again.extend(old.skipped)

    def _joined(self, item: Found, identity: Identity) -> Identity:
        """A file that the user joined to a session, if it is a log of effects."""
        if not getattr(self.adapters[identity.adapter], "effects", False):
            self._lose(item.name, NOT_A_LOG)
            return identity
        session = self.joins[item.name][0]
        return msgspec.structs.replace(identity, root=session, parent=session)

    def _version(self, adapter: str) -> str:
        """What the results of a source depend on; for no source: which ones there are."""
        if not adapter:
            return ",".join(sorted(self.adapters))
        return str(getattr(self.adapters[adapter], "version", ""))

    def _current(self, old: SourceRow) -> bool:
        """Was a file read as it would be read now? What a source no longer installed has read stays."""
        foreign = bool(old.adapter) and old.adapter not in self.adapters
        return foreign or old.version == self._version(old.adapter)

    def _go_on(self, item: Found, old: SourceRow) -> None:
        """Read a grown file on from its cursor."""
        if old.position == item.size:
            self.plan.known += 1
            self.plan.rows.append(msgspec.structs.replace(old, size=item.size, mtime=item.mtime))
            return
        job = self._file(item, Identity(old.adapter, old.session, old.root))
        if not job.layout.endswith("document"):
            job.cursor, job.state = Cursor(old.position, old.line), old.state
        self.groups.setdefault(old.root or self._loose(item, old.adapter), []).append(job)

    def _file(self, item: Found, identity: Identity) -> FileJob:
        return FileJob(
            path=item.path,
            name=item.name,
            adapter=identity.adapter,
            version=self._version(identity.adapter),
            size=item.size,
            mtime=item.mtime,
            session=identity.session,
            tool=identity.tool,
            layout=self.adapters[identity.adapter].layout,
            mapping=self.mapping,
            skew=self.joins.get(item.name, ("", 0))[1],
        )

    def _loose(self, item: Found, adapter: str) -> str:
        """Group of a file that may hold several sessions: alone, or with all that share its sessions."""
        if self.adapters[adapter].layout.startswith("spread"):
            kin = getattr(self.adapters[adapter], "kin", None)
            return f"\0{adapter}\0{kin(item.name)}" if kin else f"\0{adapter}"
        return f"\0{item.name}"

    def _group(self, item: Found, identity: Identity) -> str:
        """The family a file belongs to, found by following parents; a loose group without one."""
        if not identity.root:
            return self._loose(item, identity.adapter)
        if not identity.parent:
            return self.name(identity.root)
        at, seen = self.name(identity.parent), {self.name(identity.session)}
        while at in self.parents and at not in seen:
            seen.add(at)
            at = self.parents[at]
        return self.catalog.root_of(at) or at

    def _reread(self, root: str) -> None:
        """A file of a family was rewritten: read all of the family's files that are there anew."""
        jobs = self.groups.setdefault(root, [])
        for job in jobs:
            job.cursor, job.state = Cursor(), b""
        named = {job.name for files in self.groups.values() for job in files}
        for row in self.catalog.sources_of(root):
            if row.path in self.here and row.path not in named:
                identity = Identity(row.adapter, row.session, row.root)
                jobs.append(self._file(self.here[row.path], identity))

    def _place(self, job: FileJob) -> str:
        """What files of one family are read in order of: their names, unless the adapter knows better."""
        order = getattr(self.adapters.get(job.adapter), "order", None)
        return str(order(job.name)) if order else job.name

    def _job(self, group: str, files: list[FileJob]) -> FamilyJob:
        files.sort(key=self._place)
        root = "" if group.startswith("\0") else group
        job = FamilyJob(root=root, files=files)
        if not root:
            return job
        # a family whose root turns out to be a sub-agent of this one becomes part of it
        late = {self.name(f.session) for f in files if f.session} - {root}
        for one in (root, *sorted(late)):
            shard = self.catalog.shard_of(one)
            if shard is None:
                continue
            job.stored[one] = shard
            job.sessions.extend(self.catalog.sessions(one))
            job.ticks.update(self.catalog.ticks(one))
        if root in self.whole:
            # a session lives on only where its file is gone; the others come from their files anew
            read = {f.name for f in files}
            gone = {s.session for s in self.catalog.sources_of(root) if s.path not in read}
            # (a file may hold several: sub-agents inside their session's file)
            job.sessions = [s for s in job.sessions if s.key in gone or s.source not in read]
        return job


def _pieces(job: FamilyJob) -> list[FamilyJob]:
    """Files that may hold parts of each other's sessions, a bounded piece at a time, one after the other.

    What a later piece tells of a session that an earlier one began is added to it in the store, just as
    if it came with a later import: memory is that of a piece.
    """
    if job.bytes <= UNIT_BYTES or len(job.files) == 1:
        return [job]
    pieces: list[FamilyJob] = []
    for file in job.files:
        if not pieces or (pieces[-1].files and pieces[-1].bytes + file.size > UNIT_BYTES):
            pieces.append(FamilyJob(root=job.root, files=[], waits=True))
        pieces[-1].files.append(file)
    return pieces


def _grown(item: Found, old: SourceRow) -> bool:
    """Is a changed file the one we know, with more at its end?"""
    if not old.position or item.size < old.position or item.size == old.size:
        # of the same size but another time: it may differ anywhere, so it is read anew
        return False
    with item.path.open("rb") as stream:
        magic = stream.read(4)
    if magic[:2] == b"\x1f\x8b" or magic == b"\x28\xb5\x2f\xfd":
        return False
    return proof(item.path, old.position) == (old.head, old.tail)


def units(jobs: Iterable[FamilyJob], size: int = UNIT_BYTES) -> list[list[FamilyJob]]:
    """Pack families into pieces of work of about equal size, the largest first.

    Args:
        jobs: families.
        size: source bytes in one piece; a larger family is a piece of its own.

    Returns:
        Lists of families.
    """
    packed: list[list[FamilyJob]] = []
    current: list[FamilyJob] = []
    room = 0
    for job in sorted(jobs, key=lambda j: (-j.bytes, j.root)):
        if current and room + job.bytes > size:
            packed.append(current)
            current, room = [], 0
        current.append(job)
        room += job.bytes
    if current:
        packed.append(current)
    return packed

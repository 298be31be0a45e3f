"""Which files must be read, from where, and with whom? What is unchanged is not opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from tracelode.files import Cursor, proof
from tracelode.ingest.discover import Found, Identity, Lost, identify
from tracelode.ingest.work import FamilyJob, FileJob
from tracelode.model.report import Skipped
from tracelode.store.catalog import Catalog, SourceRow

UNIT_BYTES = 16 * 1024 * 1024
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

    @property
    def bytes(self) -> int:
        """Bytes to read."""
        return sum(job.bytes for job in self.jobs)


def make(
    found: Iterable[Found | Lost],
    catalog: Catalog,
    adapters: dict[str, Any],
    name: Callable[[str], str],
    *,
    source: str | None = None,
    since: int | None = None,
) -> Plan:
    """Compare what is on disk with what the store has read.

    Args:
        found: files and places that could not be looked at.
        catalog: the store's catalog.
        adapters: sources by name.
        name: the redactor for session keys.
        source: take files for this source alone.
        since: leave out new files last written before this moment (UTC microseconds).

    Returns:
        The plan.
    """
    known = catalog.sources()
    plan = Plan()
    fresh: dict[str, list[FileJob]] = {}
    whole: set[str] = set()
    here: dict[str, Found] = {}
    for item in found:
        if isinstance(item, Lost):
            plan.lost.append(Skipped(item.name, 0, item.reason))
            continue
        plan.files += 1
        old = known.get(item.name)
        if old is not None:
            here[item.name] = item
            if old.size == item.size and old.mtime == item.mtime:
                plan.unchanged += 1
                continue
        elif since is not None and item.mtime // 1000 < since:
            plan.unchanged += 1
            continue
        try:
            _one(item, old, adapters, name, source, fresh, whole, plan)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            plan.lost.append(Skipped(item.name, 0, f"cannot be read: {reason}"))
    for root in whole:
        _reread(root, known, here, fresh)
    plan.jobs = [_job(root, files, catalog, whole) for root, files in sorted(fresh.items())]
    return plan


def _one(
    item: Found,
    old: SourceRow | None,
    adapters: dict[str, Any],
    name: Callable[[str], str],
    source: str | None,
    fresh: dict[str, list[FileJob]],
    whole: set[str],
    plan: Plan,
) -> None:
    """Decide on one new or changed file."""
    if old is not None and old.adapter in adapters and old.session:
        if _grown(item, old):
            if old.position == item.size:
                plan.rows.append(msgspec.structs.replace(old, size=item.size, mtime=item.mtime))
                return
            job = _file(item, Identity(old.adapter, old.session, old.root))
            job.cursor, job.state = Cursor(old.position, old.line), old.state
            fresh.setdefault(old.root, []).append(job)
            return
        whole.add(old.root)
    identity = identify(item, adapters, source)
    if not identity.adapter:
        row = SourceRow(path=item.name, size=item.size, mtime=item.mtime)
        reason = "empty file" if item.size == 0 else "unknown format"
        plan.rows.append(msgspec.structs.replace(row, skipped=[Skipped(item.name, 0, reason)]))
        return
    root = name(identity.root)
    fresh.setdefault(root, []).append(_file(item, identity))


def _grown(item: Found, old: SourceRow) -> bool:
    """Is a changed file the one we know, with more at its end?"""
    if not old.position or item.size < old.position or not old.state:
        return False
    with item.path.open("rb") as stream:
        magic = stream.read(4)
    if magic[:2] == b"\x1f\x8b" or magic == b"\x28\xb5\x2f\xfd":
        return False
    return proof(item.path, old.position) == (old.head, old.tail)


def _file(item: Found, identity: Identity) -> FileJob:
    return FileJob(
        path=item.path,
        name=item.name,
        adapter=identity.adapter,
        size=item.size,
        mtime=item.mtime,
        session=identity.session,
        tool=identity.tool,
    )


def _reread(
    root: str, known: Mapping[str, SourceRow], here: Mapping[str, Found], fresh: dict[str, list[FileJob]]
) -> None:
    """A file of a family was rewritten: read all of the family's files that are there from the start."""
    jobs = fresh.setdefault(root, [])
    for job in jobs:
        job.cursor, job.state = Cursor(), b""
    named = {job.name for job in jobs}
    for path, row in known.items():
        if row.root == root and path in here and path not in named:
            item = here[path]
            if not any(job.name == path for files in fresh.values() for job in files):
                jobs.append(_file(item, Identity(row.adapter, row.session, row.root)))


def _job(root: str, files: list[FileJob], catalog: Catalog, whole: set[str]) -> FamilyJob:
    files.sort(key=lambda f: f.name)
    job = FamilyJob(root=root, files=files)
    job.shard = catalog.shard_of(root) if root else None
    if job.shard is None:
        return job
    sessions = catalog.sessions(root)
    if root in whole:
        # a session lives on only where its file is gone; the others come from their files anew
        read = {f.name for f in files}
        gone = {s.session for s in catalog.sources_of(root) if s.path not in read}
        sessions = [s for s in sessions if s.key in gone]
    job.sessions = sessions
    job.ticks = catalog.ticks(root)
    return job


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

"""What does one worker do? Read the files of some families and write one shard (importable by processes)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from tracelode import registry
from tracelode.files import Cursor, Records, proof
from tracelode.ingest.draft import Builder, Thread, reclassify
from tracelode.ingest.family import Finished, Rules, finish, restore, spawner_id
from tracelode.ingest.timeline import IDLE
from tracelode.model.report import Skipped
from tracelode.model.session import Session
from tracelode.pricing.table import PriceTable
from tracelode.redact.fast import Redactor
from tracelode.store.catalog import SourceRow
from tracelode.store.shards import ShardWriter, connect, operation_row, read_families

ROWS = 50_000
"""Operations in one shard, at most, unless a family alone has more."""


class FileJob(msgspec.Struct, kw_only=True):
    """A file to read."""

    path: Path
    """Where it lies."""
    name: str
    """What origins call it."""
    adapter: str
    """Source adapter."""
    size: int
    """Bytes on disk when it was found."""
    mtime: int
    """Modification time when it was found."""
    cursor: Cursor = Cursor()
    """Where to go on."""
    state: bytes = b""
    """Resume state, b"" to start anew."""
    session: str = ""
    """Session key known from an earlier read."""
    tool: str | None = None
    """Tool use that started the sub-agent, from its side file."""


class FamilyJob(msgspec.Struct, kw_only=True):
    """A family to build."""

    root: str
    """Root session key."""
    files: list[FileJob]
    """Files to read, in the order of their names."""
    shard: str | None = None
    """Shard that holds what is stored of it."""
    sessions: list[Session] = []
    """Stored sessions to keep and go on with."""
    ticks: dict[str, bytes] = {}
    """Their timelines."""

    @property
    def bytes(self) -> int:
        """Bytes to read."""
        return sum(max(0, f.size - f.cursor.offset) for f in self.files)


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    """What every worker of an import needs to know."""

    store: Path
    """Workspace folder."""
    redact: str = "summary"
    """Redaction mode."""
    home_names: tuple[str, ...] = ()
    """User names to keep out."""
    segmenter: str = "phase"
    """Registered segmenter."""
    prices: Path | None = None
    """The user's price file."""
    idle: int = IDLE
    """Idle limit in microseconds."""


class FamilyResult(msgspec.Struct, kw_only=True):
    """A family that was built."""

    finished: Finished
    """What the catalog keeps."""
    sources: list[SourceRow]
    """Files as they are known now."""


class Result(msgspec.Struct, kw_only=True):
    """What a worker hands back."""

    shard: str
    """Shard it wrote, "" for none."""
    operations: int
    """Rows in the shard."""
    families: list[FamilyResult]
    """The families in it."""
    bytes_read: int
    """Bytes read from sources."""
    files: int
    """Files read."""


class Worker:
    """Holds what is made once a process: redactor, prices, segmenter, DuckDB.

    Args:
        settings: what the import needs to know.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.redactor = Redactor(settings.redact, settings.home_names)
        self.rules = Rules(
            prices=PriceTable.load(settings.prices),
            segmenter=registry.load("segmenters", settings.segmenter),
            idle=settings.idle,
        )
        self._connection: Any = None

    @property
    def connection(self) -> Any:
        """The process's DuckDB."""
        if self._connection is None:
            self._connection = connect()
        return self._connection

    def run(self, jobs: list[FamilyJob]) -> Result:
        """Build families and write them as one shard.

        Args:
            jobs: the families; none is in another worker's hands.

        Returns:
            What to commit.
        """
        stored = {j.root: j.shard for j in jobs if j.shard and j.sessions}
        loaded = read_families(self.connection, self.settings.store, stored) if stored else {}
        writer: ShardWriter | None = None
        results: list[FamilyResult] = []
        read = files = 0
        for job in jobs:
            keys = {s.key for s in job.sessions}
            old = [o for o in loaded.pop(job.root, []) if o.session in keys]
            threads = restore(old, job.sessions, job.ticks)
            inherited = {key: {d.id for d in t.drafts.values() if d.inherited} for key, t in threads.items()}
            del old
            rows: list[SourceRow] = []
            for file in job.files:
                row, size = self._read(file, threads)
                rows.append(row)
                read += size
                files += 1
            threads = {key: t for key, t in threads.items() if t.drafts}
            finished, operations, frames = finish(job.root, threads, inherited, self.rules)
            if operations:
                writer = writer or ShardWriter(self.settings.store, self.connection)
                writer.add(job.root, (operation_row(o, job.root) for o in operations), frames)
            results.append(FamilyResult(finished=finished, sources=rows))
        shard = writer.write() if writer else ""
        count = writer.operations if writer else 0
        return Result(shard=shard, operations=count, families=results, bytes_read=read, files=files)

    def _read(self, job: FileJob, threads: dict[str, Thread]) -> tuple[SourceRow, int]:
        adapter = registry.load("sources", job.adapter)
        builder = Builder(self.redactor, job.name, adapter.agent, threads)
        state = adapter.fresh()
        if job.state:
            state = msgspec.msgpack.decode(job.state, type=type(state))
            if job.session in threads:
                builder.resume(threads[job.session])
        records = Records(job.path, job.cursor)
        try:
            for item in adapter.read(records, state, job.name):
                builder.take(item)
        except OSError as error:
            builder.skip(0, f"cannot be read: {type(error).__name__}")
        for broken in records.broken:
            builder.skip(broken.line, broken.reason)
        thread = builder.thread
        if thread is not None and job.tool:
            thread.spawner = spawner_id(adapter.agent, job.tool)
        offset = records.cursor.offset
        head, tail = proof(job.path, min(offset, job.size)) if job.path.exists() else ("", "")
        row = SourceRow(
            path=job.name,
            session=thread.key if thread else "",
            root=thread.root if thread else "",
            adapter=job.adapter,
            size=job.size,
            mtime=job.mtime,
            head=head,
            tail=tail,
            position=offset,
            line=records.cursor.line,
            state=msgspec.msgpack.encode(self._clean(state)),
            skipped=list(builder.skipped.values()),
        )
        return row, records.bytes_read

    def _clean(self, state: Any) -> Any:
        """A resume state without anything a source wrote: every string goes through the redactor."""
        return msgspec.convert(_names(msgspec.to_builtins(state), self.redactor), type(state))

    def refinish(
        self,
        jobs: list[FamilyJob],
        inherited: dict[str, set[str]] | None = None,
        forks: dict[str, str | None] | None = None,
        renew: bool = False,
    ) -> Result:
        """Store families again under other rules or owners, without reading a source.

        Args:
            jobs: the families, each with its sessions and timelines and no files.
            inherited: session key to the ids it inherits; sessions not named keep theirs.
            forks: session key to the session it was forked from, for the sessions named above.
            renew: classify tool calls again, from their stored fields: the lexicon may be another one.

        Returns:
            What to commit.
        """
        loaded = read_families(self.connection, self.settings.store, {j.root: j.shard or "" for j in jobs})
        writer = ShardWriter(self.settings.store, self.connection)
        results = []
        for job in jobs:
            threads = restore(loaded[job.root], job.sessions, job.ticks)
            lost = {key: {d.id for d in t.drafts.values() if d.inherited} for key, t in threads.items()}
            lost.update({key: ids for key, ids in (inherited or {}).items() if key in threads})
            for key, thread in threads.items():
                if forks and key in forks:
                    thread.fork_of = forks[key]
                if renew:
                    reclassify(thread)
            finished, operations, frames = finish(job.root, threads, lost, self.rules)
            writer.add(job.root, (operation_row(o, job.root) for o in operations), frames)
            results.append(FamilyResult(finished=finished, sources=[]))
        name = writer.write()
        return Result(shard=name, operations=writer.operations, families=results, bytes_read=0, files=0)


def _names(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.name(value)
    if isinstance(value, list):
        return [_names(item, redactor) for item in value]
    if isinstance(value, dict):
        return {redactor.name(key): _names(item, redactor) for key, item in value.items()}
    return value


_worker: Worker | None = None


def start(settings: Settings) -> None:
    """Make this process's worker (a pool's initializer)."""
    global _worker
    _worker = Worker(settings)


def run(jobs: list[FamilyJob]) -> Result:
    """Run jobs in this process's worker.

    Args:
        jobs: families to build.

    Returns:
        What to commit.
    """
    assert _worker is not None, "start() comes first"
    return _worker.run(jobs)


__all__ = ["FamilyJob", "FileJob", "Result", "Settings", "Skipped", "Worker", "run", "start"]

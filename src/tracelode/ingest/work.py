"""What does one worker do? Read the files of some families and write one shard (importable by processes)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tracelode import registry
from tracelode.files import Cursor, Records, proof, why
from tracelode.ingest import below, segmenters, spread
from tracelode.ingest.attribute import complete
from tracelode.ingest.cleaning import cleaned
from tracelode.ingest.draft import Builder, Thread, absorb, reclassify
from tracelode.ingest.family import Finished, Rules, finish, restore, spawner_id
from tracelode.ingest.jobs import FamilyJob, FileJob, Result, Settings
from tracelode.ingest.naming import banned_words
from tracelode.ingest.settle import Group, decide
from tracelode.model.operation import Operation
from tracelode.pricing.table import PriceTable
from tracelode.profile.name.bans import people
from tracelode.redact.fast import Redactor
from tracelode.redact.people import taken
from tracelode.sources.map import made_of
from tracelode.store.annotations import latest
from tracelode.store.catalog import Catalog, SourceRow
from tracelode.store.shards import (
    ShardWriter,
    connect,
    holdings,
    operation_row,
    read_families,
    write_contents,
)
from tracelode.store.tombstones import Buried


class Worker:
    """Holds what is made once a process: redactor, prices, segmenter, DuckDB.

    Args:
        settings: what the import needs to know.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.redactor = Redactor(settings.redact, settings.home_names)
        segmenter = segmenters.make(settings.segmenter, settings.store)
        prices = PriceTable.load(settings.prices)
        self.rules = Rules(prices=prices, segmenter=segmenter, idle=settings.idle)
        self._connection: Any = None
        self._catalog: Catalog | None = None
        self._texts: dict[tuple[str, str], list[str]] = {}

    @property
    def catalog(self) -> Catalog:
        """The store's catalog, to look things up."""
        if self._catalog is None:
            self._catalog = Catalog(self.settings.store)
        return self._catalog

    @property
    def connection(self) -> Any:
        """The process's DuckDB."""
        if self._connection is None:
            self._connection = connect()
        return self._connection

    def rest(self) -> None:
        """Give DuckDB's memory back between imports."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def run(self, jobs: list[FamilyJob]) -> Result:
        """Build families and write them as one shard.

        Args:
            jobs: the families; none is in another worker's hands.

        Returns:
            What to commit.
        """
        places = {root: shard for job in jobs if job.sessions for root, shard in job.stored.items()}
        loaded = read_families(self.connection, self.settings.store, places) if places else {}
        result = Result()
        writer: ShardWriter | None = None
        self._texts = {}
        loose: dict[str, dict[str, Thread]] = {}
        # files that may hold several sessions come first: what they tell joins the families of the others
        for job in sorted(jobs, key=lambda job: bool(job.root)):
            threads = self._stored(job, loaded)
            ahead = set[str]()
            for file in job.files:
                if not job.root and file.state and file.layout == "sessions":
                    # what a file goes on with may change what it told before
                    more = self._told_by(file.name)
                    threads.update(more)
                    ahead |= more.keys()
                row, size = self._read(file, job.root, threads)
                result.sources.append(row)
                result.bytes_read += size
            threads = {key: t for key, t in threads.items() if t.drafts}
            if _spread(job):
                threads = spread.joined(threads, self.catalog.holding)
                self._texts = spread.rekeyed(self._texts, threads)
            result.joined.extend(root for root in job.stored if root != job.root)
            result.built_on.update(job.stored)
            families = self._unburied(self._families(job, threads, result, ahead), result)
            if job.root:
                for root, family in families.items():
                    _together(family, loose.pop(root, {}))
                    writer = self._finish(root, family, result, writer)
                continue
            for root, family in families.items():
                # two files may tell of one session: a copy adds nothing, a later state what is new
                _together(loose.setdefault(root, {}), family)
        for root, family in loose.items():
            writer = self._finish(root, family, result, writer)
        if writer:
            result.shard, result.operations = writer.write(), writer.operations
        result.bans |= people({*taken(), *self.settings.home_names})
        if self._texts:
            rows = [(s, i, texts[0], texts[1]) for (s, i), texts in sorted(self._texts.items())]
            result.contents, result.archived = write_contents(self.connection, self.settings.store, rows)
        return result

    def _unburied(
        self, families: dict[str, dict[str, Thread]], result: Result
    ) -> dict[str, dict[str, Thread]]:
        """Families without those that were deleted: a file that holds several tells of them again."""
        buried = Buried(self.catalog)
        if not len(buried):
            return families
        gone = {key for root, threads in families.items() if root in buried for key in threads}
        self._texts = {place: texts for place, texts in self._texts.items() if place[0] not in gone}
        result.sources = [
            msgspec.structs.replace(row, session="") if row.session in gone else row for row in result.sources
        ]
        return {root: threads for root, threads in families.items() if root not in buried}

    def _finish(
        self, root: str, family: dict[str, Thread], result: Result, writer: ShardWriter | None
    ) -> ShardWriter | None:
        """Write a family's rows."""
        finished, operations, frames = self._closed(root, family, _inherited(family))
        result.bans |= banned_words(operations)
        if operations:
            writer = writer or ShardWriter(self.settings.store, self.connection)
            writer.add(root, (operation_row(o, root) for o in operations), frames)
        result.families.append(finished)
        return writer

    def _closed(
        self, root: str, threads: dict[str, Thread], lost: dict[str, set[str]]
    ) -> tuple[Finished, list[Operation], list[tuple[Any, ...]]]:
        """Finish a family with what its user said of it."""
        verdict, marks = self.catalog.verdict(root), latest(self.catalog, list(threads))
        return finish(root, threads, lost, self.rules, verdict, marks)

    def settle(self, groups: list[Group]) -> Result:
        """Store the families again whose records turn out to be owned by others than they say.

        Args:
            groups: sessions that share records, each session in one group.

        Returns:
            What to commit, without families where nothing changes.
        """
        places = {root: shard for g in groups for job in g.families for root, shard in job.stored.items()}
        held = holdings(self.connection, self.settings.store, places)
        verdicts = [decide(group, held) for group in groups]
        families = {job.root: job for verdict in verdicts for job in verdict.families}
        if not families:
            return Result()
        lost = {key: ids for v in verdicts for key, ids in v.inherited.items()}
        forks = {key: fork for v in verdicts for key, fork in v.forks.items()}
        better = {place: best for v in verdicts for place, best in v.better.items()}
        return self.refinish([families[root] for root in sorted(families)], lost, forks, better)

    def join(self, shard: str, families: list[Finished], stored: list[FamilyJob]) -> Result:
        """Add families that were just built to what the store got of them meanwhile.

        Args:
            shard: where the new rows are.
            families: the new families.
            stored: the same families as the store has them, in the same order.

        Returns:
            The joined families in a shard of their own.
        """
        fresh = read_families(self.connection, self.settings.store, {f.root: shard for f in families})
        loaded = read_families(
            self.connection, self.settings.store, {r: s for job in stored for r, s in job.stored.items()}
        )
        writer = ShardWriter(self.settings.store, self.connection)
        result = Result()
        for family, job in zip(families, stored, strict=True):
            threads = self._stored(job, loaded)
            sessions = [session for session, _, _ in family.sessions]
            ticks = {session.key: marks for session, marks, _ in family.sessions}
            for key, thread in restore(fresh[family.root], sessions, ticks).items():
                if key in threads:
                    absorb(threads[key], thread)
                else:
                    threads[key] = thread
            finished, operations, frames = self._closed(family.root, threads, _inherited(threads))
            writer.add(family.root, (operation_row(o, family.root) for o in operations), frames)
            result.families.append(finished)
        result.shard, result.operations = writer.write(), writer.operations
        return result

    def _stored(self, job: FamilyJob, loaded: dict[str, list[Operation]]) -> dict[str, Thread]:
        """Threads of a job's stored sessions."""
        keys = {s.key for s in job.sessions}
        old = [o for root in job.stored for o in loaded.pop(root, []) if o.session in keys]
        threads = restore(old, job.sessions, job.ticks)
        if job.root:
            for thread in threads.values():
                thread.root = job.root
        return threads

    def _families(
        self, job: FamilyJob, threads: dict[str, Thread], result: Result, ahead: set[str]
    ) -> dict[str, dict[str, Thread]]:
        """Threads by root, each family with what the store holds of it already but for those ahead."""
        gone, built_on = result.gone, result.built_on
        if job.root:
            return {job.root: threads}
        families: dict[str, dict[str, Thread]] = {}
        for key, thread in threads.items():
            families.setdefault(thread.root, {})[key] = thread
        # a session is replaced where its whole file was read again, else what is new is added to it
        anew = {f.name for f in job.files if not f.state and not f.layout.startswith("spread")}
        for name in sorted(anew):
            gone.extend(s.key for s in self.catalog.sessions_from(name) if s.key not in threads)
        for root, family in families.items():
            shard = self.catalog.shard_of(root)
            if shard is not None:
                built_on[root] = shard
            for key, thread in self._kept(root, anew).items():
                if key in ahead:
                    continue
                if key in family:
                    absorb(thread, family[key])
                family[key] = thread
            if _spread(job):
                for trace in sorted(spread.traces(family.values()) - families.keys()):
                    for thread in self._kept(trace, anew).values():
                        gone.append(thread.key)
                        spread.take_in(family, root, thread)
                spread.settle(family)
        return families

    def _told_by(self, path: str) -> dict[str, Thread]:
        """Stored sessions that a file told last."""
        found: dict[str, Thread] = {}
        keys = {s.key: s.root for s in self.catalog.sessions_from(path)}
        for root in sorted(set(keys.values())):
            found.update({key: t for key, t in self._kept(root, set()).items() if key in keys})
        return found

    def _kept(self, root: str, anew: set[str]) -> dict[str, Thread]:
        """What the store holds of a family, but for sessions whose file was read anew."""
        shard = self.catalog.shard_of(root)
        sessions = [s for s in self.catalog.sessions(root) if s.source not in anew] if shard else []
        if shard is None or not sessions:
            return {}
        keys = {s.key for s in sessions}
        operations = read_families(self.connection, self.settings.store, {root: shard})[root]
        ticks = self.catalog.ticks(root)
        return restore((o for o in operations if o.session in keys), sessions, ticks)

    def _read(self, job: FileJob, root: str, threads: dict[str, Thread]) -> tuple[SourceRow, int]:
        adapter = made_of(job.mapping) if job.mapping else registry.load("sources", job.adapter)
        builder = Builder(self.redactor, job.name, adapter.agent, threads, root)
        builder.archive = self._texts if self.settings.archive else None
        state, cursor = adapter.fresh(), job.cursor
        if job.state and job.layout == "session" and job.session not in threads:
            # so far the file told of no operation, and what it told of its session was not kept
            cursor = Cursor()
        elif job.state:
            state = msgspec.msgpack.decode(job.state, type=type(state))
            if job.session in threads:
                builder.resume(threads[job.session])
        records = Records(job.path, cursor, whole=job.layout.endswith("document"))
        told, before = False, set(threads)
        try:
            for item in adapter.read(records, state, job.name):
                told = told or isinstance(item, Operation)
                builder.take(item)
        except OSError as error:
            builder.skip(0, f"cannot be read: {why(error)}")
        for broken in records.broken:
            builder.skip(broken.line, broken.reason)
        if job.layout == "document" and not told and not builder.skipped:
            # of lines, and of parts of a session, more may follow
            builder.skip(0, "nothing in it that can be used")
        thread = builder.thread
        if thread is not None and job.skew:
            below.doubt(thread, job.skew)
        if thread is not None and job.tool:
            thread.spawner = spawner_id(adapter.agent, job.tool)
        offset = records.cursor.offset
        try:
            head, tail = proof(job.path, min(offset, job.size))
        except OSError:
            # it went away or became something else meanwhile: what was read stays, the next look is new
            head = tail = ""
        # of a session without an operation nothing is kept: what the file told of it must be read again
        bare = job.layout == "sessions" and any(not threads[k].drafts for k in threads.keys() - before)
        row = SourceRow(
            path=job.name,
            session=thread.key if thread else "",
            root=root,
            adapter=job.adapter,
            version=job.version,
            size=job.size,
            mtime=job.mtime,
            head=head,
            tail=tail,
            position=offset,
            line=records.cursor.line,
            state=b"" if bare or builder.renamed else msgspec.msgpack.encode(cleaned(state, self.redactor)),
            skipped=list(builder.skipped.values()),
        )
        return row, records.bytes_read

    def refinish(
        self,
        jobs: list[FamilyJob],
        inherited: dict[str, set[str]] | None = None,
        forks: dict[str, str | None] | None = None,
        better: dict[tuple[str, str], tuple[str, str]] | None = None,
        renew: bool = False,
    ) -> Result:
        """Store families again under other rules or owners, without reading a source.

        Args:
            jobs: the families, each with its sessions and timelines and no files.
            inherited: session key to the ids it inherits; sessions not named keep theirs.
            forks: session key to the session it was forked from, for the sessions named above.
            better: (session, id) of calls to where they are told in full; both families are among the jobs.
            renew: classify tool calls again, from their stored fields: the lexicon may be another one.

        Returns:
            What to commit.
        """
        places = {root: shard for job in jobs for root, shard in job.stored.items()}
        loaded = read_families(self.connection, self.settings.store, places)
        writer = ShardWriter(self.settings.store, self.connection)
        result = Result()
        stored: Iterable[dict[str, Thread]] = (self._stored(job, loaded) for job in jobs)
        if better:
            stored = list(stored)
            complete({key: t for threads in stored for key, t in threads.items()}, better)
        for job, threads in zip(jobs, stored, strict=True):
            lost = _inherited(threads)
            lost.update({key: ids for key, ids in (inherited or {}).items() if key in threads})
            for key, thread in threads.items():
                if forks and key in forks:
                    thread.fork_of = forks[key]
                if renew:
                    reclassify(thread)
            finished, operations, frames = self._closed(job.root, threads, lost)
            writer.add(job.root, (operation_row(o, job.root) for o in operations), frames)
            result.families.append(finished)
        result.shard, result.operations = writer.write(), writer.operations
        return result


def _spread(job: FamilyJob) -> bool:
    """May sessions of a job lie in several files?"""
    return not job.root and any(f.layout.startswith("spread") for f in job.files)


def _together(old: dict[str, Thread], new: dict[str, Thread]) -> None:
    """Add what another file tells of the sessions of a family."""
    for key, thread in new.items():
        if key in old:
            absorb(old[key], thread)
        else:
            old[key] = thread


def _inherited(threads: Mapping[str, Thread]) -> dict[str, set[str]]:
    """What the threads inherit as they were stored."""
    return {key: {d.id for d in t.drafts.values() if d.inherited} for key, t in threads.items()}

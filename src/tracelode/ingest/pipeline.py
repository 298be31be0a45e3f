"""How does an import run? Lock, look, read in workers, commit piece by piece, settle who owns what."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import chain
from pathlib import Path
from typing import Any

from tracelode.ingest import plan as planning
from tracelode.ingest import process
from tracelode.ingest.cleaning import renamed
from tracelode.ingest.discover import Found, Lost, Names, local_roots, sources, walk
from tracelode.ingest.forget import Forgetter
from tracelode.ingest.jobs import FamilyJob, Result, Settings
from tracelode.ingest.joining import Joiner, summed
from tracelode.ingest.lock import exclusive
from tracelode.ingest.naming import Naming, Renamed
from tracelode.ingest.settle import Group
from tracelode.ingest.work import Worker
from tracelode.model.report import ImportReport, Progress, Skipped, merged
from tracelode.redact.people import taken
from tracelode.sources.map import made_of
from tracelode.store import cuts
from tracelode.store.catalog import Catalog, SourceRow
from tracelode.store.compact import Healed, compact, heal
from tracelode.store.shards import sweep

INLINE_BYTES = 12 * 1024 * 1024
"""Below this many bytes no worker processes are started."""
SWEEP_SECONDS = 60.0
TOGETHER = 8
"""Pieces of work that one transaction commits."""
Report = Callable[[Progress], None]


class Importer:
    """Brings files into a store.

    Args:
        catalog: the store's catalog.
        settings: what workers need to know.
        processes: worker processes, None for one a core.
    """

    def __init__(self, catalog: Catalog, settings: Settings, processes: int | None = None) -> None:
        self.catalog = catalog
        self.settings = settings
        self.naming = Naming(catalog)
        self.processes = processes or process.cores()
        self._here: Worker | None = None
        self._pool: Executor | None = None
        self._effects: dict[str, dict[str, int]] = {}
        """Root key to how its effects were assigned, of the families stored by the present import."""

    @property
    def here(self) -> Worker:
        """The worker of this process."""
        if self._here is None:
            self._here = Worker(self.settings)
        return self._here

    @property
    def joiner(self) -> Joiner:
        """What keeps which session a log of effects belongs to."""
        return Joiner(self.catalog, self._stored, lambda job: self._store(self.here.refinish([job])))

    @property
    def forgetter(self) -> Forgetter:
        """What deletes families."""
        return Forgetter(self.catalog, self.naming, self._stored, self.here.settle, self._store)

    def add(
        self,
        paths: Iterable[Path] | None,
        *,
        source: str | None = None,
        since: int | None = None,
        mapping: Path | None = None,
        into: tuple[str, int] | None = None,
        progress: Report | None = None,
    ) -> ImportReport:
        """Import what is new below some paths.

        Args:
            paths: files and folders, None for the local history.
            source: take files of this source alone.
            since: leave out files last written before this moment, UTC microseconds.
            mapping: read the files through this mapping file.
            into: (root key of the session that logs of effects belong to, skew in microseconds).
            progress: told how far it is.

        Returns:
            What was done.
        """
        begun = time.monotonic()
        with exclusive(self.catalog.folder):
            healed = heal(self.catalog)
            self._effects = {}
            taken()  # names met before are another store's
            plan = self._plan(paths, source, since, mapping, into)
            report = ImportReport(files=plan.files, files_known=plan.known, again=plan.again)
            roots = self._read(plan, report, progress)
            self._tell(healed, report)
            if plan.rows:
                with self.catalog.transaction():
                    for row in plan.rows:
                        self.catalog.put_source(row)
                report.skipped.extend(s for row in plan.rows for s in row.skipped)
            report.skipped.extend(plan.lost)
            self.refresh()
            kept = [s for root in roots if root for s in self.catalog.sessions(root)]
            report.operations = sum(s.operations for s in kept)
            report.sessions = len({s.root for s in kept if s.operations})
            report.effects = summed(self._effects.values())
            if report.files_read:
                compact(self.catalog, self.here.connection)
            self.here.rest()
            sweep(
                self.catalog.folder,
                (*self.catalog.shards(), *self.catalog.contents()),
                older=SWEEP_SECONDS,
            )
        report.skipped = merged(report.skipped)
        report.seconds = time.monotonic() - begun
        return report

    def _tell(self, healed: Healed, report: ImportReport) -> None:
        """Say what became of damaged shards, once the files that are still there were read again."""
        gone = [root for root in healed.lost if self.catalog.shard_of(root) is None]
        counts = {
            "shard of the store was damaged: session made again from its operations": len(healed.named),
            "shard of the store was damaged: session read again from its files": len(healed.lost) - len(gone),
            "shard of the store was damaged and the session's files are gone: lost, the shard is kept in "
            "the folder damaged": len(gone),
        }
        name = self.catalog.folder.name
        report.skipped.extend(Skipped(name, 0, reason, count) for reason, count in counts.items() if count)

    def _read(self, plan: planning.Plan, report: ImportReport, progress: Report | None) -> set[str]:
        """Read and commit what the plan says, into the report; the roots that were built."""
        roots: set[str] = set()
        for results in self._results(plan):
            self._commit(results)
            for result in results:
                report.files_read += len(result.sources)
                report.bytes_read += result.bytes_read
                roots.update(family.root for family in result.families)
                report.skipped.extend(s for row in result.sources for s in row.skipped)
            if progress:
                progress(
                    Progress(
                        what="read", done=min(report.bytes_read, plan.bytes), total=plan.bytes,
                        files=report.files_read, files_total=plan.files - plan.unchanged,
                    )
                )  # fmt: skip
        return roots

    def _plan(
        self,
        paths: Iterable[Path] | None,
        source: str | None,
        since: int | None,
        mapping: Path | None,
        into: tuple[str, int] | None = None,
    ) -> planning.Plan:
        adapters = sources()
        if mapping is not None:
            mapped = made_of(mapping)
            source, adapters = mapped.key, {mapped.key: mapped}
        roots = local_roots()
        names = Names(Path.home(), roots)
        if paths is None:
            # in a product's own folder only its own endings are worth a look
            found: Iterable[Found | Lost] = chain.from_iterable(
                walk([folder], names, adapters[owner].suffixes) for owner, folder in roots
            )
        else:
            found = walk(paths, names, tuple(sorted({s for a in adapters.values() for s in a.suffixes})))
        redactor = self.here.redactor
        known = self.catalog.source_paths()
        # a name the catalog has is clean already: redaction changes nothing twice
        clean: Iterator[Any] = (item if item.name in known else renamed(item, redactor) for item in found)
        if into is not None:
            clean = self.joiner.among(clean, *into)
        planner = planning.Planner(
            self.catalog, adapters, redactor.name, source=source, since=since, mapping=mapping
        )
        return planner.make(clean)

    def _results(self, plan: planning.Plan) -> Iterator[list[Result]]:
        """Results of the plan's work, a few at a time: what is committed together is settled together."""
        units = planning.units(job for job in plan.jobs if not job.waits)
        ordered = [[job] for job in plan.jobs if job.waits]
        if plan.bytes < INLINE_BYTES or self.processes < 2:
            for unit in (*units, *ordered):
                yield [self.here.run(unit)]
            return
        import multiprocessing
        from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait

        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        with ProcessPoolExecutor(
            self.processes,
            mp_context=multiprocessing.get_context(method),
            initializer=process.start,
            initargs=(self.settings, os.getpid()),
        ) as pool:
            # two in flight for each worker: while this process waits for an answer they go on working
            ahead = self.processes * 2
            with process.unseen_by_children():
                waiting = {pool.submit(process.call, "run", unit) for unit in units[:ahead]}
            rest = units[ahead:]
            self._pool = pool
            ready: list[Result] = []
            try:
                while waiting:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in done:
                        if rest:
                            waiting.add(pool.submit(process.call, "run", rest.pop(0)))
                        ready.append(future.result())
                    if len(ready) >= TOGETHER or not waiting:
                        yield ready
                        ready = []
                for unit in ordered:
                    # committed before the next one is asked for
                    yield [pool.submit(process.call, "run", unit).result()]
            except BaseException:
                # what nobody waits for any more is not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            finally:
                self._pool = None

    def _ask(self, name: str, *given: Any) -> Any:
        """Have a worker do something with the shards: this process stays free of the engine meanwhile."""
        if self._pool is not None:
            return self._pool.submit(process.call, name, *given).result()
        return getattr(self.here, name)(*given)

    # committing ---------------------------------------------------------------------------------

    def _commit(self, results: Sequence[Result]) -> None:
        with self.catalog.transaction():
            numbers = [n for result in results for n in self._store(self._met(result))]
            self._settle(numbers)

    def _met(self, result: Result) -> Result:
        """A result with the families that another file of the same import brought as well, joined."""
        twice = [
            family
            for family in result.families
            if family.sessions
            and self.catalog.shard_of(family.root) not in (None, result.built_on.get(family.root))
        ]
        if not twice:
            return result
        stored = [self._stored(family.root) for family in twice]
        joined: Result = self._ask("join", result.shard, twice, stored)
        self.catalog.put_shard(joined.shard, joined.operations, len(joined.families))
        for family in joined.families:
            self.catalog.put_family(family.root, joined.shard, self.here.rules.version)
        roots = {family.root for family in twice}
        result.families = [*(f for f in result.families if f.root not in roots), *joined.families]
        result.placed = dict.fromkeys(roots, joined.shard)
        return result

    def _store(self, result: Result) -> list[int]:
        """Enter a shard and its families; the row numbers of their sessions."""
        catalog = self.catalog
        living = [f for f in result.families if f.sessions and f.root not in result.placed]
        if result.shard and living:
            catalog.put_shard(result.shard, result.operations, len(living) + len(result.placed))
            for root in result.placed:
                # its rows here were joined with others: they count where they are now
                catalog.bury(result.shard, root)
        numbers: list[int] = []
        moved: set[str] = set()
        self.naming.ban(result.bans)
        catalog.drop_sessions(result.gone)
        for family in result.families:
            if family.effects:
                self._effects[family.root] = family.effects
            kept = {session.key for session, _, _ in family.sessions}
            catalog.drop_sessions(s.key for s in catalog.sessions(family.root) if s.key not in kept)
            if family.sessions:
                shard = result.placed.get(family.root, result.shard)
                catalog.put_family(family.root, shard, self.here.rules.version)
                self.naming.put(family.root, family.ladders, family.origin)
                cuts.put(catalog, family.cuts)
            else:
                catalog.drop_family(family.root)
            for session, ticks, ids in family.sessions:
                moved.add(catalog.root_of(session.key) or family.root)
                number = catalog.put_session(session, ticks)
                records = array("q")
                records.frombytes(ids)
                catalog.put_ids(number, records)
                numbers.append(number)
            moved.discard(family.root)
        for root in result.joined:
            catalog.drop_family(root)
        # a session that two files tell of under two roots is in the family of the later one alone
        for root in sorted(r for r in moved if catalog.shard_of(r)):
            if catalog.sessions(root):
                self._store(self._ask("refinish", [self._stored(root)]))
            else:
                catalog.drop_family(root)
        if result.gone:
            for root in [r for r in catalog.families() if not catalog.sessions(r)]:
                catalog.drop_family(root)
        if result.contents:
            catalog.put_contents(result.contents, result.archived)
        for row in result.sources:
            self._note_source(row)
        return numbers

    def _note_source(self, row: SourceRow) -> None:
        old = self.catalog.source(row.path)
        if old is not None and old.skipped and row.line > old.line and row.head == old.head:
            row.skipped[:0] = [s for s in old.skipped if s.reason != "truncated last line"]
        self.catalog.put_source(row)

    def _settle(self, numbers: Iterable[int]) -> None:
        """Decide who owns records that the given sessions share with others, all groups at once."""
        done: set[int] = set()
        groups: list[Group] = []
        for number in numbers:
            if number in done:
                continue
            group = self.catalog.group(number)
            done |= group
            if len(group) > 1:
                named = self.catalog.keys(group).values()
                families = [self._stored(root) for root in sorted({root for _, root in named})]
                groups.append(Group(keys={key for key, _ in named}, families=families))
        if groups:
            settled: Result = self._ask("settle", groups)
            if settled.families:
                self._store(settled)

    def _stored(self, root: str) -> FamilyJob:
        return FamilyJob(
            root=root,
            files=[],
            stored={root: self.catalog.shard_of(root) or ""},
            sessions=self.catalog.sessions(root),
            ticks=self.catalog.ticks(root),
        )

    def judge(self, verdicts: Mapping[str, tuple[str | None, str | None]]) -> None:
        """Keep outcomes and tasks that the user gives root sessions, and store their families anew.

        Args:
            verdicts: root key to (outcome, task).
        """
        with exclusive(self.catalog.folder):
            roots = sorted(r for r in verdicts if self.catalog.shard_of(r) is not None)
            for start in range(0, len(roots), 50):
                part = roots[start : start + 50]
                with self.catalog.transaction():
                    for root in part:
                        self.catalog.put_verdict(root, *verdicts[root])
                # workers read verdicts from the catalog: they must be committed before
                with self.catalog.transaction():
                    self._store(self.here.refinish([self._stored(root) for root in part]))
            self.naming.settle()
            self.here.rest()

    def refresh_locked(self) -> int:
        """refresh() under the import lock."""
        with exclusive(self.catalog.folder):
            return self.refresh()

    def refresh(self) -> int:
        """Store families again whose prices, segmenter or idle limit are not the ones in force.

        Returns:
            Number of families.
        """
        version = self.here.rules.version
        stale = [root for root, (_, v) in sorted(self.catalog.families().items()) if v != version]
        for start in range(0, len(stale), 50):
            with self.catalog.transaction():
                jobs = [self._stored(root) for root in stale[start : start + 50]]
                self._store(self.here.refinish(jobs, renew=True))
        self.naming.settle()
        if known := self.catalog.families():
            cuts.note(self.catalog, self.here.rules.cut, min(len(stale), len(known)))
        return len(stale)

    def rename(self) -> list[Renamed]:
        """Give every ladder of the store the name that its registry of now has for it."""
        with exclusive(self.catalog.folder):
            return self.naming.rename()

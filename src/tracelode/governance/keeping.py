"""What of a store is over, and what becomes of it? By class and age, never what is held."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from tracelode.governance import shards
from tracelode.ingest.forget import clear
from tracelode.ingest.lock import exclusive
from tracelode.ingest.pipeline import Importer
from tracelode.model.governing import CLASSES, Class, Expired, Policy
from tracelode.model.report import GcReport
from tracelode.model.session import Session
from tracelode.store.answers import FOLDER as ANSWERS
from tracelode.store.catalog import Catalog
from tracelode.store.tombstones import Buried

DAY = 86_400_000_000


class Keeper:
    """Applies a policy to a store.

    Args:
        importer: of the store.
        policy: what its owner decided.
        now: the present, UTC microseconds; None for the clock.
    """

    def __init__(self, importer: Importer, policy: Policy, now: int | None = None) -> None:
        self.importer, self.policy = importer, policy
        self.catalog: Catalog = importer.catalog
        self.now = now if now is not None else time.time_ns() // 1_000

    def run(self, report: GcReport) -> None:
        """Delete what is over, and finish what a run that was killed left.

        Args:
            report: is added to; where it is dry nothing is changed.
        """
        with exclusive(self.catalog.folder):
            plan = self.plan(report)
            if report.dry:
                report.tombstones = len(Buried(self.catalog))
                return
            gone = plan["aggregates"]
            if gone:
                self.importer.forgetter.forget(gone, "expired")
            self._strip(plan["redacted"] - gone, "metadata", report)
            self._raw(plan["raw"] - plan["redacted"] - gone, plan["raw"] - gone, report)
            self._finish(report)

    def forget(self, roots: Collection[str], report: GcReport) -> list[str]:
        """Delete families because the user says so.

        Args:
            roots: root keys; none of them is held.
            report: is added to.

        Returns:
            Sessions that hold copies of their records, and stay.
        """
        with exclusive(self.catalog.folder):
            gone = self.importer.forgetter.forget(roots, "asked")
            report.forgotten += gone.sessions
            # what a model answered cannot be told apart by session
            shutil.rmtree(self.catalog.folder / ANSWERS, ignore_errors=True)
            self._finish(report)
        return gone.kin

    def _finish(self, report: GcReport) -> None:
        before = _size(self.catalog.folder)
        report.rewritten += shards.purge(self.catalog, self.importer.here.connection)
        clear(self.catalog)
        self.importer.here.rest()
        report.freed += max(0, before - _size(self.catalog.folder))
        report.tombstones = len(Buried(self.catalog))

    # what is over -------------------------------------------------------------------------------

    def plan(self, report: GcReport) -> dict[str, set[str]]:
        """Class to the root keys of the families of which it is over, into the report as well."""
        found: dict[str, set[str]] = {kind: set() for kind in CLASSES}
        limits = {kind: self.policy.retention.limit(kind) for kind in CLASSES}
        families: dict[str, list[Session]] = {}
        for session in self.catalog.sessions():
            families.setdefault(session.root, []).append(session)
        ages = {root: age for root, of in families.items() if (age := self._age(of)) is not None}
        held = {root for root, of in families.items() if self._held(of)}
        for kind, limit in limits.items():
            if limit is not None:
                found[kind] = {root for root, age in ages.items() if age > limit}
        report.held += sorted(held & set().union(*found.values()))
        for over in found.values():
            over -= held
        connection = self.importer.here.connection
        told = shards.texts(self.catalog, connection, found["redacted"] | found["raw"])
        archived = set().union(*shards.archived(self.catalog, connection).values())
        whole = {root for root, of in families.items() if archived & {s.key for s in of}}
        found["raw"] = {r for r in found["raw"] if r in whole or told.get(r, (False, False))[1]}
        found["redacted"] = {r for r in found["redacted"] if told.get(r, (False, False))[0]}
        self._tell(found, families, ages, report)
        return found

    def _tell(
        self,
        found: dict[str, set[str]],
        families: dict[str, list[Session]],
        ages: dict[str, int],
        report: GcReport,
    ) -> None:
        """Each family once, with the most that goes."""
        told: set[str] = set()
        names: tuple[Class, ...] = ("aggregates", "redacted", "raw")
        for name in names:
            for root in sorted(found[name] - told):
                size = sum(s.operations for s in families[root])
                report.expired.append(
                    Expired(session=root, what=name, where="store", days=ages[root], size=size)
                )
            told |= found[name]

    def _age(self, family: Iterable[Session]) -> int | None:
        moments = [at for s in family for at in (s.started, s.ended) if at is not None]
        return (self.now - max(moments)) // DAY if moments else None

    def _held(self, family: Iterable[Session]) -> bool:
        return any(s.key.startswith(hold) for s in family for hold in self.policy.hold)

    # what becomes of it -------------------------------------------------------------------------

    def _strip(self, roots: set[str], mode: str, report: GcReport) -> None:
        catalog, connection = self.catalog, self.importer.here.connection
        projects = {s.key: s.project for root in roots for s in catalog.sessions(root)}
        change = shards.cleaned(mode, projects)
        for name, of in sorted(shards.by_shard(catalog, roots).items()):
            shards.rewrite(catalog, connection, name, of, change)
            report.rewritten += 1

    def _raw(self, bounded: set[str], archive: set[str], report: GcReport) -> None:
        catalog, connection = self.catalog, self.importer.here.connection
        long = {r for r, (_, beyond) in shards.texts(catalog, connection, bounded).items() if beyond}
        self._strip(long, "summary", report)
        keys = {s.key for root in archive for s in catalog.sessions(root)}
        for name, sessions in shards.archived(catalog, connection).items():
            if gone := sessions & keys:
                shards.drop_contents(catalog, connection, name, gone)
                report.rewritten += 1


def holding(catalog: Catalog, connection: Any, names: Collection[str]) -> set[str]:
    """Root keys of the families in whose operations one of some names occurs.

    Args:
        catalog: the store's catalog.
        connection: DuckDB connection.
        names: pseudonyms, or names as they are.
    """
    from tracelode.store.schema import quoted
    from tracelode.store.shards import relation, shard_file

    if not catalog.shards() or not names:
        return set()
    texts = ("fields", "arguments", "output", "path", "name")
    pattern = quoted("|".join(map(whole_word, sorted(names))))
    tests = [f"regexp_matches({column}, {pattern})" for column in texts]
    source = relation(catalog.folder, "operations", catalog.shards())
    rows = connection.execute(f"SELECT DISTINCT root FROM ({source}) WHERE {' OR '.join(tests)}").fetchall()
    found = {row[0] for row in rows}
    for name in catalog.contents():
        file = quoted(shard_file(catalog.folder, "content", name))
        tests = [f"regexp_matches({column}, {pattern})" for column in ("arguments", "output")]
        text = f"SELECT DISTINCT session FROM read_parquet({file}) WHERE {' OR '.join(tests)}"
        roots = (catalog.root_of(row[0]) for row in connection.execute(text).fetchall())
        found |= {root for root in roots if root is not None}
    return found


def whole_word(name: str) -> str:
    """A regular expression for a name that is not part of a longer one.

    Args:
        name: any text.
    """
    plain = "".join(c if c.isalnum() and c.isascii() else f"\\{c}" if c.isascii() else c for c in name)
    return f"(?:^|[^A-Za-z0-9_]){plain}(?:$|[^A-Za-z0-9_])"


def shown(catalog: Catalog, connection: Any, is_it: Callable[[str], bool]) -> set[str]:
    """Root keys of the families with a frame that is shown under a pseudonym of --share.

    Args:
        catalog: the store's catalog.
        connection: DuckDB connection.
        is_it: tells whether a frame has the pseudonym that is asked for.
    """
    from tracelode.store.shards import relation

    if not catalog.shards():
        return set()
    source = relation(catalog.folder, "frames", catalog.shards())
    found: set[str] = set()
    for column in ("project", "agent", "model", "task", "tool", "focus"):
        rows = connection.execute(f"SELECT DISTINCT root, {column} FROM ({source})").fetchall()
        found |= {root for root, frame in rows if frame and is_it(frame)}
    return found


def _size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())

"""What can be done with a store? The facade for faces and scripts: open, add, totals, profile, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec

from tracelode import registry
from tracelode.errors import QueryError, UsageError
from tracelode.model.finding import Finding
from tracelode.model.measure import STORED, parts
from tracelode.model.operation import Operation
from tracelode.model.profile import Profile
from tracelode.model.query import Query
from tracelode.model.report import ImportReport, Progress, Sums, Totals
from tracelode.model.session import Session
from tracelode.store.catalog import Catalog
from tracelode.workspace.places import at_home, checked_prices, default_store, local_zone
from tracelode.workspace.totals import add, empty_sums
from tracelode.workspace.writing import formats, write

__all__ = ["Progress", "Workspace", "default_store", "demo", "formats", "local_zone", "open"]

MODES = ("summary", "metadata", "full")


def open(
    store: str | Path | None = None,
    *,
    redact: str | None = None,
    tz: str | None = None,
    idle: float | None = None,
    prices: str | Path | None = None,
) -> Workspace:
    """Open a store, made if it does not exist.

    Args:
        store: its folder; default $TRACELODE_STORE, else the XDG data folder.
        redact: summary, metadata or full, for what is imported from now on; default: the store's.
        tz: zone of days; default the local one.
        idle: seconds of waiting above which time counts as idle; default: the store's, at first 300.
        prices: a price file of your own on top of the shipped table; "none" for the shipped table
            alone; default: the store's.

    Returns:
        The workspace.

    Raises:
        StoreError: the folder cannot be used, or was written by a newer tracelode.
        UsageError: an unknown mode or a bad limit.

    Example:
        >>> import tempfile
        >>> open(tempfile.mkdtemp()).empty()
        True
    """
    if redact is not None and redact not in MODES:
        raise UsageError(f"unknown redaction mode {redact!r}; use one of {', '.join(MODES)}")
    if idle is not None and not 0 <= idle <= 86_400 * 365:
        raise UsageError("the idle limit must be between 0 seconds and a year")
    folder = Path(store).expanduser() if store is not None else default_store()
    return Workspace(folder, redact=redact, tz=tz, idle=idle, prices=Path(prices) if prices else None)


class Workspace:
    """A store and what can be asked of it; made by open().

    Args:
        folder: the workspace folder.
        redact: redaction mode for new imports, None for the store's.
        tz: zone of days, None for the local one.
        idle: idle limit in seconds, None for the store's.
        prices: the user's price file, None for the store's.
    """

    def __init__(
        self,
        folder: Path,
        *,
        redact: str | None = None,
        tz: str | None = None,
        idle: float | None = None,
        prices: Path | None = None,
    ) -> None:
        self.path = folder
        self.tz = tz or local_zone()
        if tz is not None:
            from tracelode.store.asks import zone_of

            zone_of(tz)
        self._catalog = Catalog(folder)
        self._settings: dict[str, str] = {}
        given = {
            "redact": redact,
            "idle": None if idle is None else str(round(idle * 1_000_000)),
            "prices": None if prices is None else checked_prices(prices),
        }
        for key, value in given.items():
            stored = self._catalog.meta(key)
            chosen = value if value is not None else stored
            if chosen:
                self._settings[key] = chosen
            if value is not None and value != stored:
                self._catalog.set_meta(key, value)
        self._asker: Any = None
        self._importer: Any = None
        if not self.empty() and (idle is not None or prices is not None):
            self._import().refresh_locked()

    # making -------------------------------------------------------------------------------------

    def _import(self) -> Any:
        if self._importer is None:
            from tracelode.ingest.pipeline import Importer
            from tracelode.ingest.timeline import IDLE
            from tracelode.ingest.work import Settings

            prices = self._settings.get("prices")
            if prices and not Path(prices).expanduser().exists():
                raise UsageError(
                    f"the store's price file {prices} is gone; "
                    "give it again with --price-file FILE, or --price-file none for the shipped prices"
                )
            settings = Settings(
                store=self.path,
                redact=self._settings.get("redact", "summary"),
                home_names=(Path.home().name,) if Path.home().name not in ("", "root") else (),
                prices=Path(prices).expanduser() if prices else None,
                idle=int(self._settings.get("idle", IDLE)),
            )
            self._importer = Importer(self._catalog, settings)
        return self._importer

    def add(
        self,
        *paths: str | Path,
        source: str | None = None,
        since: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """Import what is new: into the store goes only what has passed the redactor.

        Args:
            paths: files and folders; none for the history found on this machine.
            source: take files of this source alone.
            since: leave out files last written before this moment, UTC microseconds.
            progress: told how far it is.

        Returns:
            Counts, and what could not be used and where.

        Raises:
            UsageError: unknown source.
        """
        if source is not None and source not in registry.names("sources"):
            raise UsageError(f"unknown source {source!r}; known: {', '.join(registry.names('sources'))}")
        given = [Path(p).expanduser() for p in paths] if paths else None
        report: ImportReport = self._import().add(given, source=source, since=since, progress=progress)
        return report

    def local_history(self) -> list[tuple[str, Path, int]]:
        """Histories found on this machine: (source name, folder, number of candidate files)."""
        from tracelode.ingest.discover import Found, Names, local_roots, sources, walk

        adapters = sources()
        found = []
        for name, folder in local_roots():
            files = walk([folder], Names(Path.home()), tuple(adapters[name].suffixes))
            found.append((name, folder, sum(isinstance(f, Found) for f in files)))
        return found

    # asking -------------------------------------------------------------------------------------

    def _ask(self) -> Any:
        if self._asker is None:
            from tracelode.store.duckdb import DuckAsker

            self._asker = DuckAsker(self._catalog)
        return self._asker

    def empty(self) -> bool:
        """Does the store hold no operation?"""
        return not self._catalog.shards()

    def query(self, **kw: Any) -> Query:
        """A query in this workspace's zone.

        Args:
            kw: fields of Query; stack, measures, tagroot and tagleaf may be lists; measure="m" is
                measures=["m"].

        Raises:
            UsageError: an unknown keyword.
        """
        if "measure" in kw:
            one = kw.pop("measure")
            kw["measures"] = (one,) if isinstance(one, str) else one
        for key in ("stack", "measures", "tagroot", "tagleaf", "where"):
            if isinstance(kw.get(key), list):
                kw[key] = tuple(kw[key])
        if isinstance(kw.get("where"), dict):
            kw["where"] = tuple(kw["where"].items())
        if kw.get("where"):
            kw["where"] = tuple((field, at_home(value)) for field, value in kw["where"])
        if "measures" not in kw:
            kw["measures"] = (self.default_measure(),)
        try:
            return Query(**{"tz": self.tz, **kw})
        except TypeError as error:
            raise UsageError(f"{error}; a query has: {', '.join(Query.__struct_fields__)}") from error

    def default_measure(self) -> str:
        """cost if at least one call is priced, else tokens.output."""
        if self.empty():
            return "cost"
        return "cost" if self._ask().priced() else "tokens.output"

    def totals(self, query: Query | None = None) -> Totals:
        """Totals of the store, and the same along every dimension.

        Args:
            query: filters (where, since, until) and zone; None for everything.

        Returns:
            Integers that reconcile: every dimension sums to the totals.

        Source:
            accounting: what counts.
        """
        from tracelode.store.duckdb import CELLS

        query = query or Query(tz=self.tz)
        cells = self._ask().cells(query)
        whole = add(cells, None).get("", empty_sums())
        span = self._ask().span(query)
        inherited = {s.key for s in self._catalog.sessions() if s.key == s.root and s.inherited}
        threads = {row[7] for row in cells if row[5] == "subagent"}
        return Totals(
            **{name: getattr(whole, name) for name in Sums.__struct_fields__},
            by={name: add(cells, place) for place, name in enumerate(CELLS)},
            first=span[0] if span else None,
            last=span[1] if span else None,
            subagents=len(threads),
            forks=len(inherited & {row[3] for row in cells}),
            tz=query.tz,
        )

    def profile(self, query: Query | None = None, **kw: Any) -> Profile:
        """Fold the store on a stack.

        Args:
            query: what to fold; or give its fields as keywords.
            kw: stack=[...], measure="cost", where={...}, focus="...", lane="separate", ...

        Returns:
            Totals per stack per measure.

        Raises:
            UnknownField: a field that no operation has.
            UnknownMeasure: a measure that does not exist.
            QueryError: a regular expression or zone that is none.
        """
        query = query if query is not None else self.query(**kw)
        for measure in query.measures:
            parts(measure)
        from tracelode.profile.view import shape

        profile: Profile = self._ask().fold(query)
        return shape(profile, query, comments=self.comments(query), salt=self._salt())

    def comments(self, query: Query) -> tuple[str, ...]:
        """What a profile was made with, for its readers: versions, filters, zone."""
        versions = sorted({v for _, v in self._catalog.families().values()})
        given = [f"{k}={v}" for k, v in msgspec.to_builtins(query).items() if v and k in ("lane", "tz")]
        return ("tracelode", *versions, *given)

    def _salt(self) -> str:
        """Secret of this store that makes its pseudonyms its own."""
        salt = self._catalog.meta("salt")
        if salt is None:
            import secrets

            salt = secrets.token_hex(16)
            self._catalog.set_meta("salt", salt)
        return salt

    def set_salt(self, salt: str) -> None:
        """Fix the secret that makes this store's pseudonyms its own."""
        self._catalog.set_meta("salt", salt)

    def sessions(self) -> list[Session]:
        """Stored sessions and sub-agents, newest first."""
        return sorted(self._catalog.sessions(), key=lambda s: (-(s.started or 0), s.key))

    def session(self, key: str) -> Session:
        """One session by its key or a unique beginning of it.

        Raises:
            QueryError: none or several match.
        """
        found = [s for s in self._catalog.sessions() if s.key == key]
        if not found:
            found = [s for s in self._catalog.sessions() if s.key.startswith(key) and s.key == s.root]
        if not found:
            found = [s for s in self._catalog.sessions() if s.key.startswith(key)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise QueryError(f"no session begins with {key!r}; run: tracelode sessions")
        some = ", ".join(s.key[:13] for s in found[:4])
        raise QueryError(f"{len(found)} sessions begin with {key!r} ({some}, ...); give more of the key")

    def operations(self, session: str) -> list[Operation]:
        """The operations of one session in order, named by intent, stage and tool.

        Args:
            session: its key or a unique beginning of it.

        Returns:
            Operations with redacted previews; fields intent, stage and frame (the tool frame) and
            the stored measures are added.

        Raises:
            QueryError: none or several sessions match.
        """
        key = self.session(session).key
        named = {row[0]: row[1:] for row in self._ask().named(key)}
        found: list[Operation] = []
        for operation in self._ask().operations(key):
            row = named.get(operation.index)
            if row is not None:
                fields = {**operation.fields, "intent": row[0], "stage": row[1], "frame": row[2]}
                measures = dict(operation.measures)
                measures.update({m: v for m, v in zip(STORED, row[3:], strict=True) if v})
                operation = msgspec.structs.replace(operation, fields=fields, measures=measures)
            found.append(operation)
        return found

    def sessions_by(self, query: Query, depth: int) -> dict[tuple[str, ...], int]:
        """Number of root sessions under each stack prefix of a length."""
        counts: dict[tuple[str, ...], int] = self._ask().sessions_by(query, depth)
        return counts

    def findings(self, query: Query | None = None) -> list[Finding]:
        """What looks wrong, most worth a look first.

        Args:
            query: filters; None for the whole store.
        """
        query = query or Query(tz=self.tz)
        from tracelode.profile.findings import repeated_failures

        return repeated_failures(self._ask().failures(query), self._ask().attempts(query))

    # writing ------------------------------------------------------------------------------------

    def export(self, profile: Profile, target: str | Path | IO[bytes], format: str | None = None) -> None:
        """Write a profile to a file, the format chosen by its suffix.

        Args:
            profile: what to write.
            target: a path or an open binary stream.
            format: name of an exporter, None to go by the suffix.

        Raises:
            UsageError: no format of that name or suffix.
            ExportError: the format cannot hold the profile, or the file cannot be written.
        """
        write(profile, target, format)


def demo(store: str | Path, *, tz: str | None = None) -> Workspace:
    """A workspace on the bundled sample sessions.

    Args:
        store: its folder.
        tz: zone of days.

    Returns:
        The workspace, with the samples imported.
    """
    from importlib.resources import as_file, files

    workspace = open(store, tz=tz)
    # the samples are nobody's: their pseudonyms may be the same everywhere
    workspace.set_salt("demo")
    with as_file(files("tracelode.samples") / "projects") as folder:
        workspace.add(folder)
    return workspace

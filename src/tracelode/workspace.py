"""What can be done with a store? The facade that faces and scripts use: open, add, totals, profile, export."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from tracelode import registry
from tracelode.errors import ExportError, QueryError, UsageError
from tracelode.model.finding import Finding
from tracelode.model.measure import STORED, TIME_KINDS, TOKEN_KINDS, parts
from tracelode.model.operation import Operation
from tracelode.model.profile import Profile
from tracelode.model.query import Query
from tracelode.model.report import ImportReport, Progress, Sums, Totals
from tracelode.model.session import Session
from tracelode.store.catalog import Catalog

DIMENSIONS = ("model", "day", "project", "session", "agent", "role", "kind")
"""What totals are split by."""
MODES = ("summary", "metadata", "full")


def default_store() -> Path:
    """The workspace folder when none is named: $TRACELODE_STORE, else tracelode below the XDG data folder."""
    named = os.environ.get("TRACELODE_STORE")
    if named:
        return Path(named).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    base = Path(data) if data and os.path.isabs(data) else Path.home() / ".local" / "share"
    return base / "tracelode"


def local_zone() -> str:
    """Name of the machine's time zone, UTC where it cannot be told."""
    from zoneinfo import ZoneInfo

    candidates = [os.environ.get("TZ", "").lstrip(":")]
    try:
        candidates.append(os.path.realpath("/etc/localtime").split("/zoneinfo/", 1)[1])
    except IndexError:
        pass
    try:
        candidates.append(Path("/etc/timezone").read_text("utf-8").strip())
    except OSError:
        pass
    for name in candidates:
        if name:
            try:
                ZoneInfo(name)
            except (OSError, ValueError):
                continue
            return name
    return "UTC"


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
        prices: a price file of your own on top of the shipped table; default: the store's.

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
            "prices": None if prices is None else str(prices.resolve()),
        }
        for key, value in given.items():
            stored = self._catalog.meta(key)
            chosen = value if value is not None else stored
            if chosen is not None:
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
            from tracelode.ingest.work import Settings

            prices = self._settings.get("prices")
            extra = {"idle": int(self._settings["idle"])} if "idle" in self._settings else {}
            settings = Settings(
                store=self.path,
                redact=self._settings.get("redact", "summary"),
                home_names=(Path.home().name,) if Path.home().name not in ("", "root") else (),
                prices=Path(prices) if prices else None,
                **extra,
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
        whole = _add(cells, None).get("", _empty_sums())
        span = self._ask().span()
        inherited = {s.key for s in self._catalog.sessions() if s.key == s.root and s.inherited}
        threads = {row[7] for row in cells if row[5] == "subagent"}
        return Totals(
            **{name: getattr(whole, name) for name in Sums.__struct_fields__},
            by={name: _add(cells, place) for place, name in enumerate(CELLS)},
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

    def findings(self) -> list[Finding]:
        """What looks wrong, most worth a look first."""
        from tracelode.profile.findings import repeated_failures

        return repeated_failures(self._ask().failures())

    # writing ------------------------------------------------------------------------------------

    def export(self, profile: Profile, target: str | Path | IO[bytes], format: str | None = None) -> None:
        """Write a profile to a file, the format chosen by its suffix.

        Args:
            profile: what to write.
            target: a path or an open binary stream.
            format: name of an exporter, None to go by the suffix.

        Raises:
            ExportError: no format of that name or suffix, or it cannot hold the profile.
        """
        exporter = _exporter(str(target) if isinstance(target, str | Path) else "", format)
        if isinstance(target, str | Path):
            aside = Path(f"{target}.part")
            try:
                with aside.open("wb") as stream:
                    exporter.write(profile, stream)
                os.replace(aside, target)
            except OSError as error:
                raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error
            finally:
                aside.unlink(missing_ok=True)
        else:
            exporter.write(profile, target)


def formats() -> dict[str, tuple[str, ...]]:
    """Export formats by name, with their suffixes."""
    found = {name: tuple(registry.load("exports", name).suffixes) for name in registry.names("exports")}
    found["parquet"] = (".parquet",)
    return found


def _exporter(target: str, format: str | None) -> Any:
    if format == "parquet" or (format is None and target.endswith(".parquet")):
        from tracelode.store.tables import ParquetExporter

        return ParquetExporter()
    names = registry.names("exports")
    if format is not None:
        if format not in names:
            raise ExportError(f"unknown format {format!r}; known: {', '.join((*names, 'parquet'))}")
        return registry.load("exports", format)
    best: tuple[int, Any] | None = None
    for name in names:
        exporter = registry.load("exports", name)
        for suffix in exporter.suffixes:
            if target.endswith(suffix) and (best is None or len(suffix) > best[0]):
                best = (len(suffix), exporter)
    if best is None:
        known = ", ".join(s for suffixes in formats().values() for s in suffixes)
        raise ExportError(f"the suffix of {Path(target).name!r} names no format; known: {known}")
    return best[1]


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
    with as_file(files("tracelode.samples") / "projects") as folder:
        workspace.add(folder)
    return workspace


def _empty_sums() -> Sums:
    return Sums(
        tokens={k.removeprefix("tokens."): (None if k == "tokens.reasoning" else 0) for k in TOKEN_KINDS},
        time_us={k.removeprefix("time."): 0 for k in TIME_KINDS},
    )


def _add(cells: Iterable[tuple[Any, ...]], place: int | None) -> dict[str, Sums]:
    """Cells summed along one of their keys, or as a whole under the key ""."""
    sums: dict[str, list[int | None]] = {}
    roots: dict[str, set[str]] = {}
    unpriced: dict[str, dict[str, int]] = {}
    lacking = len(_KEYS) + STORED.index("tokens.unpriced")
    for row in cells:
        key = "" if place is None else "(none)" if row[place] is None else row[place]
        old = sums.get(key)
        values = row[len(_KEYS) :]
        sums[key] = list(values) if old is None else [_plus(a, b) for a, b in zip(old, values, strict=True)]
        roots.setdefault(key, set()).add(row[3])
        if row[lacking]:
            models = unpriced.setdefault(key, {})
            model = row[0] or "(unknown)"
            models[model] = models.get(model, 0) + row[lacking]
    return {
        key: _as_sums(sums[key], len(roots[key]), unpriced.get(key, {})) for key in sorted(sums)
    }


_KEYS = (*DIMENSIONS, "thread")


def _plus(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b


def _as_sums(values: Sequence[int | None], sessions: int, unpriced: dict[str, int]) -> Sums:
    measures = dict(zip(STORED, values, strict=True))
    return Sums(
        sessions=sessions,
        calls=measures["calls"] or 0,
        operations=measures["operations"] or 0,
        tokens={k.removeprefix("tokens."): measures[k] for k in TOKEN_KINDS},
        cost_picodollars=measures["cost"] or 0,
        unpriced=dict(sorted(unpriced.items(), key=lambda item: (-item[1], item[0]))),
        time_us={k.removeprefix("time."): measures[k] or 0 for k in TIME_KINDS},
        calls_lower_bound=measures["calls.lower_bound"] or 0,
    )

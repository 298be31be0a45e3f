"""What can be done with a store? The facade for faces and scripts: open, add, totals, profile, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracelode import registry
from tracelode.errors import TracelodeError, UsageError
from tracelode.model.report import Doctor, ImportReport, Progress, Skipped
from tracelode.store.catalog import Catalog
from tracelode.workspace.advising import Advising
from tracelode.workspace.alerting import Alerting
from tracelode.workspace.annotating import Annotating
from tracelode.workspace.certainty import Certainty
from tracelode.workspace.compiling import Compiling
from tracelode.workspace.doors import ask_opening, guarded, inside
from tracelode.workspace.governing import Governing
from tracelode.workspace.guarding import door, regroup
from tracelode.workspace.judging import Judging
from tracelode.workspace.model_cut import ModelCutting
from tracelode.workspace.naming import NamingNames
from tracelode.workspace.places import (
    assert_store,
    checked_prices,
    default_store,
    local_zone,
    segmenters,
    stamp,
)
from tracelode.workspace.ranking import RankingOperations
from tracelode.workspace.reporting import Reporting
from tracelode.workspace.segmenting import Segmenting
from tracelode.workspace.warehousing import Warehousing
from tracelode.workspace.writing import formats, is_binary

__all__ = [
    "Progress",
    "Workspace",
    "admitted",
    "default_store",
    "demo",
    "formats",
    "is_binary",
    "local_zone",
    "open",
    "segmenters",
]

if TYPE_CHECKING:
    from tracelode.ingest.content import Content

MODES = ("summary", "metadata", "full")


def open(
    store: str | Path | None = None,
    *,
    redact: str | None = None,
    tz: str | None = None,
    idle: float | None = None,
    prices: str | Path | None = None,
    renew: bool = False,
    make: bool = True,
) -> Workspace:
    """Open a store, made if it does not exist.

    Args:
        store: its folder; default $TRACELODE_STORE, else the XDG data folder.
        redact: summary, metadata or full, for what is imported from now on; default: the store's.
        tz: zone of days; default the local one.
        idle: seconds of waiting above which time counts as idle; default: the store's, at first 300.
        prices: a price file of your own on top of the shipped table; "none" for the shipped table
            alone; default: the store's.
        renew: put a store of an older layout into a folder beside it and begin a new one.
        make: make the store if it does not exist.

    Returns:
        The workspace.

    Raises:
        AccessDenied: the store's policy has this user not change what the store keeps.
        QueryError: there is no store, and none is to be made.
        StoreError: the folder cannot be used, or was written by another version of tracelode.
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
    if not make:
        assert_store(folder, named=store is not None)
    own = Path(prices) if prices else None
    return Workspace(folder, redact=redact, tz=tz, idle=idle, prices=own, renew=renew)


def admitted(store: str | Path | None = None, **how: Any) -> Workspace:
    """Open a store for a face that has asked its policy already, as every command has.

    Args:
        store: its folder.
        how: as open() takes it.

    Returns:
        A workspace whose methods do not ask again.
    """
    with inside(Path(store).expanduser() if store is not None else default_store()):
        opened = open(store, **how)
    opened.door = None
    return opened


@guarded
class Workspace(
    Reporting,
    Annotating,
    Segmenting,
    ModelCutting,
    NamingNames,
    Certainty,
    RankingOperations,
    Judging,
    Compiling,
    Advising,
    Alerting,
    Governing,
    Warehousing,
):
    """A store and what can be asked of it; made by open().

    Args:
        folder: the workspace folder.
        redact: redaction mode for new imports, None for the store's.
        tz: zone of days, None for the local one.
        idle: idle limit in seconds, None for the store's.
        prices: the user's price file, None for the store's.
        renew: put a store of an older layout aside.
    """

    def __init__(
        self,
        folder: Path,
        *,
        redact: str | None = None,
        tz: str | None = None,
        idle: float | None = None,
        prices: Path | None = None,
        renew: bool = False,
    ) -> None:
        self.path = folder
        self.door = door(folder)
        """What the store's policy lets this user do; None where it has none."""
        ask_opening(self.door, redact, idle, prices, renew)
        if tz is not None:
            from tracelode.store.asks import zone_of

            zone_of(tz)
        super().__init__(Catalog(folder, renew=renew), tz or local_zone())
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
        self._importer: Any = None
        self._history: list[tuple[str, Path, int]] | None = None
        self.notes: list[str] = []
        """What its user should know: a price file that is gone or broken."""
        if not self.empty() and (idle is not None or prices is not None):
            self._import().refresh_locked()
        self._follow_prices(given=prices is not None)

    def _follow_prices(self, *, given: bool) -> None:
        """Price anew where the kept price file has another content than when it was last read."""
        own = self._settings.get("prices")
        if not own:
            return
        try:
            seen = stamp(Path(own).expanduser())
            if seen == self._catalog.meta("prices seen"):
                return
            if not given and not self.empty():
                self._import().refresh_locked()
            self._catalog.set_meta("prices seen", seen)
        except (OSError, TracelodeError) as error:
            why = str(error) if isinstance(error, TracelodeError) else f"the price file {own} is gone"
            self.notes.append(f"{why}; costs stay those of its last reading")

    # making -------------------------------------------------------------------------------------

    def _import(self, archive: bool = False) -> Any:
        if self._importer is None or self._importer.settings.archive != archive:
            from tracelode.ingest.jobs import Settings
            from tracelode.ingest.pipeline import Importer
            from tracelode.ingest.timeline import IDLE

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
                segmenter=self.segmenter,
                archive=archive,
            )
            self._importer = Importer(self._catalog, settings)
        return self._importer

    def add(
        self,
        *paths: str | Path,
        source: str | None = None,
        since: int | None = None,
        archive: bool = False,
        map: str | Path | None = None,
        into: str | None = None,
        skew: float = 0.0,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """Import what is new: into the store goes only what has passed the redactor.

        Args:
            paths: files and folders; none for the history found on this machine.
            source: take files of this source alone.
            since: leave out files last written before this moment, UTC microseconds.
            archive: keep whole texts, redacted and compressed, beside the bounded previews.
            map: a mapping file: read the paths as JSON Lines of a shape of your own.
            into: session whose processes, files and hosts the paths tell: a key or unique beginning of one.
            skew: seconds by which their clock may differ from the session's.
            progress: told how far it is.

        Returns:
            Counts, and what could not be used and where.

        Raises:
            UsageError: unknown source, a mapping file with a mistake, or into without paths.
            QueryError: none or several sessions match into.
        """
        if source is not None and source not in registry.names("sources"):
            raise UsageError(f"unknown source {source!r}; known: {', '.join(registry.names('sources'))}")
        if map is not None and (source is not None or not paths):
            raise UsageError("a mapping reads the paths named with it: name at least one, and no source")
        given = [Path(p).expanduser() for p in paths] if paths else None
        mapping = None if map is None else Path(map).expanduser()
        if into is not None and given is None:
            raise UsageError("a log is joined to a session by name: name the file to import")
        joined = None if into is None else (self.session(into).root, int(skew * 1_000_000))
        report: ImportReport = self._import(archive).add(
            given, source=source, since=since, mapping=mapping, into=joined, progress=progress
        )
        regroup(self.path)
        return report

    def contents(self, session: str) -> tuple[dict[str, Content], dict[str, str]]:
        """Whole inputs and results of a session, redacted: from the archive, else read again.

        Args:
            session: key or unique beginning of one.

        Returns:
            (operation id to its texts, source to why it could not be read again).

        Raises:
            QueryError: none or several sessions match.
        """
        from tracelode.ingest.content import Contents

        key = self.session(session).key
        worker = self._import().here
        reader = Contents(self._catalog, worker.redactor, worker.connection)
        return reader.of(key), reader.gone

    def local_history(self) -> list[tuple[str, Path, int]]:
        """Histories found on this machine: (source name, folder, number of candidate files).

        Looked for once; a new workspace looks again.
        """
        from tracelode.ingest.discover import Found, Names, local_roots, sources, walk

        if self._history is None:
            adapters = sources()
            self._history = []
            for name, folder in local_roots():
                files = walk([folder], Names(Path.home()), tuple(adapters[name].suffixes))
                self._history.append((name, folder, sum(isinstance(f, Found) for f in files)))
        return self._history

    def doctor(self) -> Doctor:
        """What the store knows and lacks, and how exact its figures are."""
        from tracelode.workspace.doctor import examine

        return examine(self._catalog, self._ask(), self.totals().unpriced)

    def judge(self, session: str, outcome: str | None = None, task: str | None = None) -> str:
        """Say how a session ended, and which task it was about; views then split by it.

        Args:
            session: key or unique beginning of one; a sub-agent stands for its root session.
            outcome: success or failure, None to leave it open.
            task: ticket or benchmark id, None to keep what is known.

        Returns:
            The root session's key.

        Raises:
            QueryError: none or several sessions match.
            UsageError: another word than success or failure.
        """
        from tracelode.workspace.outcomes import outcome_of

        root = self.session(session).root
        verdict = (None if outcome is None else outcome_of(outcome), self._name(task) if task else None)
        self._import().judge({root: verdict})
        return root

    def judge_from(self, path: str | Path) -> tuple[int, list[Skipped]]:
        """Take outcomes and tasks from a CSV file with the columns session, outcome, task.

        Args:
            path: the file.

        Returns:
            (number of sessions that were judged, rows that could not be used).

        Raises:
            SourceError: the file cannot be read or lacks a column.
        """
        from tracelode.workspace.outcomes import read_csv

        found = read_csv(Path(path).expanduser(), lambda key: self.session(key).root)
        named = {root: (o, self._name(t) if t else None) for root, (o, t) in found.by_root.items()}
        self._import().judge(named)
        return len(named), found.skipped

    def _name(self, text: str) -> str:
        return str(self._import().here.redactor.name(text))


def demo(store: str | Path, *, tz: str | None = None) -> Workspace:
    """A workspace on the bundled sample sessions.

    Args:
        store: its folder.
        tz: zone of days.

    Returns:
        The workspace, with the samples imported.
    """
    from importlib.resources import as_file, files

    workspace = open(store, tz=tz, renew=True)
    # the samples are nobody's: their pseudonyms may be the same everywhere
    workspace.set_salt("demo")
    with as_file(files("tracelode.samples") / "projects") as folder:
        workspace.add(folder)
    return workspace

"""tracelode import: read traces into the workspace; files, folders, or the local history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.model.report import ImportReport
    from tracelode.workspace import Workspace

SKIPS = 5
"""Reasons named on the screen."""


def import_(
    *paths: Annotated[
        Path, Parameter(help="Files or folders; none means the local history.", converter=path)
    ],
    source: Annotated[
        str | None, Parameter(help="Format, where it should not be told by content.", metavar="NAME")
    ] = None,
    map: Annotated[
        Path | None,
        Parameter(
            help="Mapping file: read the paths as JSON Lines of your own shape.",
            metavar="FILE",
            converter=path,
        ),
    ] = None,
    since: Annotated[
        str | None, Parameter(help="Only files changed since: 28d, 2026-10-01, RFC 3339.", metavar="WHEN")
    ] = None,
    redact: Annotated[
        str | None,
        Parameter(
            help="What is kept of arguments and results: short redacted previews, nothing, or redacted text.",
            metavar="summary|metadata|full",
        ),
    ] = None,
    into: Annotated[
        str | None,
        Parameter(help="Session whose processes, files and hosts the logs tell.", metavar="SESSION"),
    ] = None,
    skew: Annotated[
        str | None,
        Parameter(help="How far the clock of those logs may be off (with --into): 2s.", metavar="LENGTH"),
    ] = None,
    archive: Annotated[
        bool, Parameter(help="Keep whole texts too, redacted and compressed; they outlive the files.")
    ] = False,
    store: StoreOptions = STORE,
) -> int:
    """Read traces into the workspace. Files that were read before and did not change cost nothing.

    Args:
        paths: files or folders; none means the local history.
        source: name of a source adapter.
        map: mapping file.
        since: start.
        redact: redaction mode.
        into: session that logs of effects belong to.
        skew: difference of clocks.
        archive: keep whole texts.
        store: where.

    Returns:
        Exit code.
    """
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.progress import bar
    from tracelode.cli.view import open_workspace
    from tracelode.cli.when import instant

    workspace = open_workspace(store, redact=redact, fresh=True, renew=True)
    session, off = _joined(workspace, into, skew)
    start = None if since is None else instant(since, ZoneInfo(workspace.tz), datetime.now(UTC))
    with bar() as progress:
        report = workspace.add(
            *paths,
            source=source,
            since=start,
            archive=archive,
            map=map,
            into=session,
            skew=off,
            progress=progress,
        )
    answer = shapes.import_report(report) if store.json else None
    if not report.files or (paths and report.useless):
        if answer is None:
            _say(report, str(workspace.path))
        return nothing_found(_why_nothing(report, bool(paths)), answer)
    if answer is not None:
        shapes.write(answer)
    else:
        _say(report, str(workspace.path))
    _end(workspace, report, since)
    return 0


def _why_nothing(report: ImportReport, named: bool) -> str:
    """One sentence on what was named and gave nothing: which file, and why."""
    from tracelode.cli.text import clean

    found = [*report.skipped, *report.again]
    if not found or not named:
        if report.files:
            return "nothing was imported: the files hold no session; name a trace, or try tracelode demo"
        place = "at these paths" if named else "of agents on this machine"
        return f"no file {place}; name a file or folder, or try tracelode demo"
    told = [f"{clean(s.path)}{f':{s.line}' if s.line else ''}: {clean(s.reason)}" for s in found[:SKIPS]]
    more = [f"and {len(found) - SKIPS:,} more"] if len(found) > SKIPS else []
    return f"nothing was imported: {', '.join([*told, *more])}; name a trace, or try tracelode demo"


def _joined(workspace: Workspace, into: str | None, skew: str | None) -> tuple[str | None, float]:
    """Key of the session that logs are joined to, and seconds by which their clock may be off."""
    from tracelode.cli.keys import resolve
    from tracelode.cli.when import seconds
    from tracelode.errors import UsageError

    if into is None:
        if skew is not None:
            raise UsageError("--skew goes with --into SESSION")
        return None, 0.0
    return resolve(into, workspace.sessions()).root, 0.0 if skew is None else seconds(skew)


def _end(workspace: Workspace, report: ImportReport, since: str | None) -> None:
    from tracelode.cli.nothing import nothing_stored
    from tracelode.cli.screen import warn

    if since is not None and not report.files_read and not report.skipped:
        warn(f"no new file of {report.files:,} has changed since {since}; without --since all are read")
    elif not report.sessions and workspace.empty():
        warn(nothing_stored(workspace))


def effects_told(effects: dict[str, int]) -> list[str]:
    """Words for how processes, files and hosts were assigned to tool calls.

    Args:
        effects: how to number.

    Returns:
        One phrase each, the surest first.
    """
    told = {
        "tree": "to a tool call by its process tree",
        "id": "by its id",
        "ambiguous": "ambiguous",
        "none": "to none",
    }
    return [f"{effects[how]:,} {word}" for how, word in told.items() if effects.get(how)]


def _say(report: ImportReport, path: str) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, home, number
    from tracelode.model.words import count, size

    screen = Screen()
    files = f"{report.files_read:,} of {number(report.files, 'file')}"
    screen.flow("read", [files, size(report.bytes_read), f"{report.seconds:.1f} s"], joint=", ", indent=9)
    made = [number(report.sessions, "session"), f"{count(report.operations)} operations"]
    screen.flow("stored", [*made, f"in {clean(home(path))}"], joint=", ", indent=9)
    if report.effects:
        screen.flow("effects", effects_told(report.effects), joint=", ", indent=9)
    reasons: dict[str, tuple[int, str]] = {}
    for skip in report.skipped:
        n, place = reasons.get(skip.reason, (0, f"{skip.path}:{skip.line}" if skip.line else skip.path))
        reasons[skip.reason] = (n + skip.count, place)
    if not reasons:
        return
    order = sorted(reasons.items(), key=lambda item: (-item[1][0], item[0]))
    screen.flow("skipped", [f"{sum(n for n, _ in reasons.values()):,}, by reason and first place:"], indent=9)
    screen.places([(n, clean(reason), clean(place)) for reason, (n, place) in order[:SKIPS]], indent=9)
    if len(order) > SKIPS:
        screen.flow("", [f"{number(len(order) - SKIPS, 'more reason')}; --json names every one"], indent=9)

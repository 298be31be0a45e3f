"""tracelode import: read traces into the workspace; files, folders, or the local history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.model.report import ImportReport

SKIPS = 5
"""Reasons named on the screen."""


def import_(
    *paths: Path,
    source: Annotated[str | None, Parameter(help="Format, where it should not be told by content.")] = None,
    map: Annotated[
        Path | None,
        Parameter(help="Mapping file: read the paths as JSON Lines of your own shape.", metavar="FILE"),
    ] = None,
    since: Annotated[
        str | None, Parameter(help="Only files changed since: 28d, 2026-10-01, RFC 3339.")
    ] = None,
    redact: Annotated[
        str | None,
        Parameter(
            help="What is kept of arguments and results: short redacted previews, nothing, or redacted text.",
            metavar="summary|metadata|full",
        ),
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
        archive: keep whole texts.
        store: where.

    Returns:
        Exit code.
    """
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from tracelode.cli import shapes
    from tracelode.cli.progress import bar
    from tracelode.cli.screen import warn
    from tracelode.cli.view import open_workspace
    from tracelode.cli.when import instant

    workspace = open_workspace(store, redact=redact, fresh=True)
    start = None if since is None else instant(since, ZoneInfo(workspace.tz), datetime.now(UTC))
    with bar() as progress:
        report = workspace.add(
            *paths, source=source, since=start, archive=archive, map=map, progress=progress
        )
    if store.json:
        shapes.write(shapes.import_report(report))
    else:
        _say(report, str(workspace.path))
    if not report.files:
        place = "at these paths" if paths else "of agents on this machine"
        warn(f"no file {place}; name a file or folder, or try tracelode demo")
        return 3
    return 0


def _say(report: ImportReport, path: str) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean, home, number
    from tracelode.model.words import count, size

    screen = Screen()
    files = f"{report.files_read:,} of {report.files:,} files"
    screen.flow("read", [files, size(report.bytes_read), f"{report.seconds:.1f} s"], joint=", ", indent=9)
    made = [number(report.sessions, "session"), f"{count(report.operations)} operations"]
    screen.flow("stored", [*made, f"in {clean(home(path))}"], joint=", ", indent=9)
    reasons: dict[str, tuple[int, str]] = {}
    for skip in report.skipped:
        n, place = reasons.get(skip.reason, (0, f"{skip.path}:{skip.line}" if skip.line else skip.path))
        reasons[skip.reason] = (n + skip.count, place)
    if not reasons:
        return
    order = sorted(reasons.items(), key=lambda item: (-item[1][0], item[0]))
    screen.flow("skipped", [f"{sum(n for n, _ in reasons.values()):,}, by reason and first place:"], indent=9)
    screen.table(
        [Column(right=True), Column(), Column()],
        [[f"{n:,}", Flex(reason), Flex(place, "cyan")] for reason, (n, place) in order[:SKIPS]],
        indent=9,
        heading=False,
    )
    if len(order) > SKIPS:
        screen.flow("", [f"{len(order) - SKIPS} more reasons; --json names every one"], indent=9)

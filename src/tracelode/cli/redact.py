"""tracelode redact: how are recorded files brought under a profile? Texts go, ids and shape stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import JsonFlag

if TYPE_CHECKING:
    from tracelode.model.report import RedactReport

FAILED = 4
"""Exit code where something still goes beyond the profile."""
PLACES = 10
"""Places on the screen."""


def redact(
    *paths: Annotated[
        Path, Parameter(help="Files or folders of plan events, or transcripts.", converter=path)
    ],
    profile: Annotated[
        Literal["summary", "metadata", "full"],
        Parameter(
            help="metadata: no texts, only hashes and lengths. summary: redacted, cut. full: redacted. "
            "Default: summary."
        ),
    ] = "summary",
    output: Annotated[
        Path | None,
        Parameter(name=("--output", "-o"), help="File or folder to write.", converter=path, metavar="OUT"),
    ] = None,
    in_place: Annotated[
        bool, Parameter(help="Replace the files themselves, each whole or not at all.")
    ] = False,
    pseudonyms: Annotated[
        bool,
        Parameter(help="Keyed pseudonyms for people, hosts, paths and repositories; in metadata always."),
    ] = False,
    key: Annotated[
        Path | None,
        Parameter(
            help="File of the pseudonyms' key, made if absent. Default: in the workspace folder.",
            converter=path,
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        bool, Parameter(help="Write nothing; exit 4 where something goes beyond the profile (PT100).")
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Rewrite recorded files under a profile of redaction; ids of events stay.

    What is written is checked again; a file that still goes beyond the profile is not put in place.

    Args:
        paths: what is read.
        profile: how much stays.
        output: where to.
        in_place: replace the files.
        pseudonyms: for names.
        key: of the pseudonyms.
        check: only look.
        json: print JSON.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import shapes
    from tracelode.errors import UsageError
    from tracelode.workspace import redacting

    if not paths:
        raise UsageError("name files or folders; write it as: tracelode redact traces -o clean")
    if check:
        if output is not None or in_place or pseudonyms:
            raise UsageError("--check writes nothing; it goes with --profile alone")
        report = redacting.check_files(paths, profile)
    else:
        if (output is None) == (not in_place):
            raise UsageError("say where to: -o OUT, or --in-place")
        report = redacting.redact_files(paths, profile, output, in_place=in_place, names=pseudonyms, key=key)
    if json:
        shapes.write({"checked_only": check, **msgspec.to_builtins(report)})
    else:
        _draw(report, check)
    return FAILED if report.left else 0


def _draw(report: RedactReport, check: bool) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column
    from tracelode.cli.text import clean, number

    screen = Screen()
    words = [number(report.files, "file"), number(report.events, "event")]
    if report.records:
        words.append(number(report.records, "record"))
    if report.unusable:
        words.append(f"{number(report.unusable, 'line')} no JSON object" + ("" if check else ", left out"))
    screen.sentence(f"{'looked at' if check else 'wrote'} {', '.join(words)}; profile {report.profile}")
    if report.replaced:
        rows = [[kind, f"{count:,}"] for kind, count in report.replaced.items()]
        screen.table([Column("replaced"), Column("count", right=True)], rows)
    for one in report.skipped[:PLACES]:
        screen.flow("left", [f"{clean(one.path)}: {one.reason}"], indent=9)
    for one in report.left[:PLACES]:
        screen.flow("beyond", [f"{clean(one.path)}:{one.line}: {one.reason}"], indent=9)
    if len(report.left) > PLACES:
        screen.sentence(f"and {len(report.left) - PLACES:,} more; see --json")
    if not report.left:
        screen.sentence("checked again: nothing goes beyond the profile")

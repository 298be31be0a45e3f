"""Which options do commands share? Each is declared here once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import file, path, share, whole
from tracelode.model.query import MOST_FIELDS

_STORE = Group("Workspace and output", sort_key=9)
_VIEW = Group("What is counted", sort_key=1)
_FRAMES = Group("Which frames are seen", sort_key=2)

JsonFlag = Annotated[bool, Parameter(name="--json", group=_STORE, help="Print JSON.")]
"""--json: on every command."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where the workspace is and how it is read."""

    store: Annotated[
        Path | None,
        Parameter(
            group=_STORE,
            help="Workspace folder (or $TRACELODE_STORE; default: XDG data folder).",
            converter=path,
            metavar="DIR",
        ),
    ] = None
    """Folder of the workspace."""
    tz: Annotated[
        str | None,
        Parameter(group=_STORE, help="Zone of days and clock times, as Europe/Berlin.", metavar="ZONE"),
    ] = None
    """Zone name."""
    idle: Annotated[
        str | None,
        Parameter(
            group=_STORE, help="Longer waits for a person are idle: 5m, 90s, 1h; kept.", metavar="TIME"
        ),
    ] = None
    """Duration."""
    price_file: Annotated[
        Path | None,
        Parameter(
            group=_STORE,
            help="Your own prices (TOML or JSON); kept. The word none: the shipped prices alone again.",
            converter=path,
            metavar="FILE|none",
        ),
    ] = None
    """Path of a price table."""
    json: JsonFlag = False
    """Whether the answer is JSON."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Which operations are counted."""

    where: Annotated[
        tuple[str, ...],
        Parameter(
            group=_VIEW, help="Only operations whose field has the value; repeatable.", metavar="FIELD=VALUE"
        ),
    ] = ()
    """FIELD=VALUE, all must hold."""
    since: Annotated[
        str | None,
        Parameter(group=_VIEW, help="From then on: 28d, 12h, 2026-10-01, RFC 3339.", metavar="WHEN"),
    ] = None
    """Start, inclusive."""
    until: Annotated[
        str | None, Parameter(group=_VIEW, help="Up to then; a bare day counts whole.", metavar="WHEN")
    ] = None
    """End, exclusive."""
    outcome: Annotated[
        str | None,
        Parameter(group=_VIEW, help="Only sessions that ended so.", metavar="failed|succeeded"),
    ] = None
    """Outcome of the session."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ViewOptions(FilterOptions):
    """What a view of a profile folds and shows."""

    stack: Annotated[
        str,
        Parameter(
            group=_VIEW,
            help=f"Fields, root to leaf, at most {MOST_FIELDS} with those of --tagroot and --tagleaf. "
            "Default: intent,stage,tool.",
            metavar="FIELD,...",
        ),
    ] = "intent,stage,tool"
    """Fields, separated by commas."""
    measure: Annotated[
        tuple[str, ...],
        Parameter(
            group=_VIEW,
            help="cost, tokens, tokens.output, time.active, ...; repeatable; the first sorts. "
            "Default: cost where calls are priced, else tokens.output.",
            metavar="MEASURE,...",
        ),
    ] = ()
    """Names of measures."""
    lane: Annotated[
        Literal["nested", "separate"],
        Parameter(
            group=_VIEW, help="Sub-agents below what spawned them, or as roots of their own. Default: nested."
        ),
    ] = "nested"
    """nested or separate."""
    share: Annotated[
        bool, Parameter(group=_VIEW, help="Closed vocabulary only; other names become pseudonyms.")
    ] = False
    """Whether the answer may leave the machine."""
    focus: Annotated[
        str | None, Parameter(group=_FRAMES, help="Only stacks with a frame that matches.", metavar="REGEX")
    ] = None
    """Regular expression."""
    ignore: Annotated[
        str | None, Parameter(group=_FRAMES, help="No stacks with a frame that matches.", metavar="REGEX")
    ] = None
    """Regular expression."""
    show: Annotated[str | None, Parameter(group=_FRAMES, help="Only frames that match.", metavar="REGEX")] = (
        None
    )
    """Regular expression."""
    hide: Annotated[str | None, Parameter(group=_FRAMES, help="No frames that match.", metavar="REGEX")] = (
        None
    )
    """Regular expression."""
    tagroot: Annotated[
        tuple[str, ...],
        Parameter(group=_FRAMES, help="Put a field above the stack; repeatable.", metavar="FIELD"),
    ] = ()
    """Fields."""
    tagleaf: Annotated[
        tuple[str, ...],
        Parameter(group=_FRAMES, help="Put a field below the stack; repeatable.", metavar="FIELD"),
    ] = ()
    """Fields."""
    nodecount: Annotated[
        int | None,
        Parameter(
            group=_FRAMES,
            help="At most so many rows or nodes; the rest is named (other n).",
            converter=whole,
            metavar="N",
        ),
    ] = None
    """Number of rows or nodes."""
    nodefraction: Annotated[
        float | None,
        Parameter(
            group=_FRAMES,
            help="Fold nodes below this share of the total, such as 0.005.",
            converter=share,
            metavar="SHARE",
        ),
    ] = None
    """Share, 0 to 1."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Where a profile is written to instead of the screen."""

    output: Annotated[
        str | None,
        Parameter(
            name=("--output", "-o"),
            group=_STORE,
            help="Write a file, format by suffix: .pb.gz .folded .speedscope.json .svg .html .json "
            ".csv .parquet; - streams.",
            metavar="FILE",
            converter=file,
        ),
    ] = None
    """Path, or - for standard output."""
    format: Annotated[
        str | None,
        Parameter(group=_STORE, help="Format where the suffix does not say it (with -o).", metavar="NAME"),
    ] = None
    """Name of an exporter."""


STORE, FILTERS, VIEW, FILES = StoreOptions(), FilterOptions(), ViewOptions(), FileOptions()
"""No option given."""

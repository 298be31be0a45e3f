"""Which options do the compiler's commands share? What intents are told apart by, and what is declared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import share, whole

_GROUP = Group("How runs are read", sort_key=3)
FEWEST = 5


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """How intents are found and what is declared beforehand."""

    declare: Annotated[
        tuple[Path, ...],
        Parameter(
            group=_GROUP,
            help="File or folder with tool lists, OpenAPI documents, SKILL.md files, or a table of effects; "
            "repeatable.",
            metavar="PATH",
        ),
    ] = ()
    """Files and folders."""
    similarity: Annotated[
        float | None,
        Parameter(
            group=_GROUP,
            help="How alike runs of one intent are. Default: 0.65, or 0.5 with --by text.",
            converter=share,
            metavar="SHARE",
        ),
    ] = None
    """Share."""
    by: Annotated[
        Literal["text+tools", "text"],
        Parameter(group=_GROUP, help="What runs are told apart by. Default: text+tools."),
    ] = "text+tools"
    """text+tools or text."""
    embedder: Annotated[
        str,
        Parameter(
            group=_GROUP,
            help="Plug-in that turns requests into vectors, by its name in tracelode.embedders. Default: "
            "none; the words themselves are compared.",
            metavar="NAME",
        ),
    ] = ""
    """Name."""
    fewest: Annotated[
        int,
        Parameter(
            group=_GROUP,
            help=f"Runs below which an intent is provisional, 3 at least. Default: {FEWEST}.",
            converter=whole,
            metavar="N",
        ),
    ] = FEWEST
    """Count."""


OPTIONS = CompileOptions()
"""No option given."""


def settings(given: CompileOptions, **more: Any) -> Any:
    """Settings of the compiler.

    Args:
        given: options.
        more: further settings.
    """
    from tracelode.workspace.compiling import options_of

    return options_of(
        similarity=given.similarity, variant=given.by, fewest=given.fewest, embedder=given.embedder, **more
    )

"""tracelode report: what are the main findings, on one page to send to a colleague?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import file
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

TARGET = "report.html"
"""File that is written without -o."""


def report(
    *,
    output: Annotated[
        str,
        Parameter(
            name=("--output", "-o"),
            help=f"File to write, or - for standard output. Default: {TARGET}.",
            converter=file,
            metavar="FILE",
        ),
    ] = TARGET,
    share: Annotated[
        bool,
        Parameter(
            help="For other eyes: no text of a trace, no file; pseudonyms for projects, sessions, and tools "
            "and models that are not public names."
        ),
    ] = False,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Write the main findings as one HTML page that asks for nothing outside.

    Totals, where the money went, kinds of work as a table and a flame graph, failed against succeeded
    sessions, steps to look at first, circles, plans, work that repeats, and what is unknown.

    Args:
        output: file to write.
        share: whether it may leave the machine.
        filters: which sessions.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace
    from tracelode.errors import QueryError, UsageError

    if output != "-" and not output.lower().endswith((".html", ".htm")):
        raise UsageError(f"a report is HTML; write it as -o {TARGET}, not {clean(output)!r}")
    workspace = open_workspace(store)
    empty = {"wrote": None} if store.json else None
    if workspace.empty():
        return nothing_found(nothing_stored(workspace), empty)
    query = query_of(filters, workspace)
    target = sys.stdout.buffer if output == "-" else Path(output).expanduser()
    if output == "-":
        sys.stdout.flush()
    try:
        page = workspace.export_report(target, query, share=share)
    except QueryError as error:
        if "nothing to report" not in str(error):
            raise
        return nothing_found("nothing matches; loosen --where, --since, --until or --outcome", empty)
    if output == "-":
        sys.stdout.buffer.flush()
        return 0
    titles = [section.title for section in page.sections if section.title]
    if store.json:
        size = Path(output).expanduser().stat().st_size
        shapes.write({"wrote": output, "bytes": size, "shared": share, "sections": titles})
    else:
        sys.stderr.write(f"wrote {clean(output)}: {number(len(titles), 'section')}\n")
    return 0

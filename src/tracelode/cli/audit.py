"""tracelode audit: which lines of which files make a number?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions


def audit(
    number: Annotated[str, Parameter(help="A measure: cost, tokens.output, calls, time.tool, ...")],
    /,
    *,
    limit: Annotated[int, Parameter(help="So many lines, the largest first.")] = 20,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Print the lines a number is made of, the largest first, and how many there are in all.

    Args:
        number: a measure.
        limit: lines shown.
        filters: which operations count.
        store: where.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.screen import Screen, warn
    from tracelode.cli.table import Cell, Column, Flex
    from tracelode.cli.text import clean
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace
    from tracelode.model.words import percent, value_text

    workspace = open_workspace(store)
    found = workspace.audit(number, query_of(filters, workspace.tz), max(1, limit))
    if store.json:
        shapes.write(msgspec.to_builtins(found))
        return 0 if found.lines else 3
    if not found.lines:
        warn("nothing makes this number; loosen the filters or try another measure")
        return 3
    screen = Screen()
    screen.print(f"{clean(number)}  {value_text(number, found.total)}, made of {found.lines:,} lines")
    columns = [Column("value", right=True), Column("%", right=True), Column("what"), Column("line")]
    rows: list[list[Cell]] = [
        [
            value_text(number, line.value),
            percent(line.value, found.total),
            Flex(line.name),
            Flex(f"{line.path}:{line.line}"),
        ]
        for line in found.largest
    ]
    screen.table(columns, rows)
    rest = found.lines - len(found.largest)
    if rest > 0:
        left = found.total - sum(line.value for line in found.largest)
        screen.print(f"{value_text(number, left)} more in {rest:,} lines; --limit {found.lines} shows all")
    return 0

"""tracelode audit: which lines of which files make a number?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import whole
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.model.report import Audit


def audit(
    number: Annotated[str, Parameter(help="A measure: cost, tokens.output, calls, time.tool, ...")],
    /,
    *,
    limit: Annotated[
        int, Parameter(help="So many lines, the largest first.", converter=whole, metavar="N")
    ] = 20,
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
    from tracelode.cli.keys import short_keys
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    found = workspace.audit(number, query_of(filters, workspace), limit)
    answer = msgspec.to_builtins(found) if store.json else None
    if not found.lines:
        loosen = "nothing makes this number; loosen the filters or try another measure"
        return nothing_found(nothing_stored(workspace) if workspace.empty() else loosen, answer)
    if answer is not None:
        shapes.write(answer)
    else:
        _draw(found, short_keys(workspace.sessions()))
    return 0


def _draw(found: Audit, short: dict[str, str]) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell, Column, Flex
    from tracelode.cli.text import clean, cut_path, number
    from tracelode.model.words import percent, value_text

    screen, measure = Screen(), found.measure
    lines = number(found.lines, "line")
    screen.sentence(f"{clean(measure)}  {value_text(measure, found.total)}, made of {lines}")
    columns = [
        Column("value", right=True),
        Column("%", right=True, rank=2),
        Column("what", rank=1),
        Column("operation", style="cyan"),
        Column("line", least=16),
    ]
    rows: list[list[Cell]] = []
    for line in found.largest:
        session, _, index = line.place.rpartition("#")
        shares = [value_text(measure, line.value), percent(line.value, found.total)]
        place = Flex(f"{line.path}:{line.line}", shorten=cut_path)
        rows.append([*shares, Flex(line.name), f"{short.get(session, clean(session))}#{index}", place])
    screen.table(columns, rows)
    rest = found.lines - len(found.largest)
    if rest > 0:
        left = value_text(measure, found.total - sum(line.value for line in found.largest))
        screen.sentence(f"{left} more in {number(rest, 'line')}; --limit {found.lines} shows all")

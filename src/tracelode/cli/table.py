"""How do rows of cells become lines that fit? One line a row, numbers to the right, long names give way.

rich's tables wrap, measure and merge styles per cell: a session of 5,000 operations took 3.2 s to print.
This layout never wraps and takes 0.4 s; styles and widths of characters still come from rich.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tracelode.cli.text import JOINT, clean, cut, cut_stack, width

GAP = 2
"""Blanks between columns, where nothing else is asked for."""
SPREAD = 120
"""Cells of a line up to which a column takes what is left over; in a wider one the eye loses the row."""
LEAST = 8
"""Cells a column that gives way keeps, if the line allows."""


@dataclass(frozen=True)
class Styled:
    """A text that stays whole, in a style."""

    text: str
    """Clean text."""
    style: str = ""
    """rich style."""


@dataclass(frozen=True)
class Flex:
    """A text that gives way: neutralised, and cut to what its column gets."""

    text: str
    """Text of a trace or our own."""
    style: str = ""
    """rich style."""
    depth: int = 0
    """Steps of indentation, two blanks each."""
    shorten: Callable[[str, int], str] = cut
    """How it is cut: in the middle, as a stack, as a path, or at its end."""
    spill: bool = False
    """Takes the room of the empty cells behind it too; its column does not grow for it."""


Cell: TypeAlias = str | Styled | Flex
"""What a table cell can be; a str is clean and stays whole."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str = ""
    """Heading."""
    right: bool = False
    """Aligned to the right."""
    style: str = ""
    """rich style of cells that have none."""
    grow: bool = False
    """Takes what the line leaves over, as far as SPREAD."""
    short: str = ""
    """Heading where the line is too narrow for the headings; "" for the same."""
    least: int = LEAST
    """Cells that texts which give way keep, as long as another column can be left out."""
    rank: int = 0
    """Where the line is too narrow, columns are left out, the highest rank first; 0 stays."""


class Layout:
    """How a table fits into a line."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell]],
        cells: int,
        *,
        heading: bool = True,
        gap: int = GAP,
    ) -> None:
        """Choose the columns that are shown, and their widths.

        Args:
            columns: m columns.
            rows: n rows of m cells.
            cells: width of a line.
            heading: whether the titles come first.
            gap: blanks between columns.
        """
        self._rows, self._heading, self._gap = rows, heading, gap
        self._texts = [[_text(cell) for cell in row] for row in rows]
        bodies = [max([0, *(self._need(n, i) for n in range(len(rows)))]) for i in range(len(columns))]
        gives = [any(isinstance(row[i], Flex) for row in rows) for i in range(len(columns))]
        self._kept = list(range(len(columns)))
        self._columns, self._titles = columns, [c.title if heading else "" for c in columns]
        if not self._fits(bodies, gives, cells):
            self._titles = [c.short or c.title if heading else "" for c in columns]
        while not self._fits(bodies, gives, cells):
            last = max(self._kept, key=lambda i: (columns[i].rank, i))
            if not columns[last].rank:
                break
            self._kept.remove(last)
        self.left_out = [c.title for i, c in enumerate(columns) if i not in self._kept]
        """Titles of the columns that are not shown."""
        room = cells - gap * (len(self._kept) - 1)
        need = [max(width(self._titles[i]), bodies[i]) for i in self._kept]
        least = [columns[i].least for i in self._kept]
        self._sizes = _fit(need, [gives[i] for i in self._kept], least, room)
        for place, i in enumerate(self._kept):
            if columns[i].grow:
                self._sizes[place] += max(0, min(cells, SPREAD) - cells + room - sum(self._sizes))

    def _need(self, row: int, column: int) -> int:
        """Cells that a cell asks of its column."""
        cell = self._rows[row][column]
        taken = width(self._texts[row][column])
        return min(taken, 2 * cell.depth + LEAST) if isinstance(cell, Flex) and cell.spill else taken

    def _fits(self, bodies: list[int], gives: list[bool], cells: int) -> bool:
        taken = self._gap * (len(self._kept) - 1)
        for i in self._kept:
            need = max(width(self._titles[i]), bodies[i])
            taken += min(need, max(self._columns[i].least, LEAST)) if gives[i] else need
        return taken <= cells

    def lines(self) -> Iterator[list[tuple[str, str]]]:
        """Lines of the table as styled pieces.

        Returns:
            (text, style) pieces per line, without trailing blanks; joined, no line is wider than cells.
        """
        columns = [self._columns[i] for i in self._kept]
        if self._heading:
            titles = [
                cut_stack(self._titles[i], size) if JOINT in self._titles[i] else self._titles[i]
                for i, size in zip(self._kept, self._sizes, strict=True)
            ]
            yield _line(columns, titles, ["dim"] * len(columns), self._sizes, self._gap)
        for row, texts in zip(self._rows, self._texts, strict=True):
            sizes = self._spilt(row, texts)
            shown, styles = [], []
            for i, size in zip(self._kept, sizes, strict=True):
                cell = row[i]
                shown.append(_give(cell, size) if isinstance(cell, Flex) else texts[i])
                styles.append(("" if isinstance(cell, str) else cell.style) or self._columns[i].style)
            yield _line(columns, shown, styles, sizes, self._gap)

    def _spilt(self, row: Sequence[Cell], texts: Sequence[str]) -> list[int]:
        """Widths of one row: what spills takes the columns that are empty behind it, gaps included."""
        sizes, taker = list(self._sizes), -1
        for place, i in enumerate(self._kept):
            cell = row[i]
            if taker >= 0 and not texts[i]:
                sizes[taker] += self._gap + sizes[place]
                sizes[place] = -self._gap
            else:
                taker = place if isinstance(cell, Flex) and cell.spill else -1
        return sizes


def _text(cell: Cell) -> str:
    if isinstance(cell, Flex):
        return "  " * cell.depth + clean(cell.text)
    return cell if isinstance(cell, str) else cell.text


def _fit(need: list[int], gives: list[bool], least: list[int], room: int) -> list[int]:
    """Widths that fit: the widest column that gives way shrinks first, then whatever is widest."""
    sizes = list(need)
    everywhere = [True] * len(need)
    for floors, candidates in (
        (least, gives),
        ([min(n, LEAST) for n in least], gives),
        ([1] * len(need), everywhere),
    ):
        while sum(sizes) > room:
            places = [i for i, may in enumerate(candidates) if may and sizes[i] > floors[i]]
            if not places:
                break
            widest = max(places, key=lambda i: (sizes[i], -i))
            others = sorted((sizes[i] for i in places if i != widest), reverse=True)
            floor = max(floors[widest], others[0] - 1 if others else floors[widest])
            sizes[widest] = max(floor, sizes[widest] - (sum(sizes) - room))
    return sizes


def _give(cell: Flex, size: int) -> str:
    text = clean(cell.text)
    # Deep indentation gives way first: a name must stay readable.
    indent = min(2 * cell.depth, max(0, size - min(width(text), 12)))
    return " " * indent + cell.shorten(text, max(1, size - indent))


def _line(
    columns: Sequence[Column], texts: Sequence[str], styles: Sequence[str], sizes: Sequence[int], gap: int
) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    for column, text, style, size in zip(columns, texts, styles, sizes, strict=True):
        shown = cut(text, size) if width(text) > size else text
        if size < 0:
            continue
        blanks = " " * (size - width(shown))
        if pieces:
            pieces.append((" " * gap, ""))
        pieces += [(blanks, ""), (shown, style)] if column.right else [(shown, style), (blanks, "")]
    while pieces and not pieces[-1][0].strip():
        pieces.pop()
    return pieces

"""How does an answer look in a terminal? Width, colour, tables and wrapped lines, all in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import COLOR_SYSTEMS
from rich.padding import Padding
from rich.text import Text

from tracelode.cli.ending import tell
from tracelode.cli.plain import Plain
from tracelode.cli.table import GAP, Cell, Column, Layout
from tracelode.cli.text import NARROWEST, clean, cut, fold, width

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS = 80
"""Width where the output is no terminal."""


class Screen:
    """Standard output: a colour terminal, or plain text of 80 columns."""

    def __init__(self) -> None:
        """Look at the process's standard output and environment."""
        terminal = sys.stdout.isatty()
        asked = os.environ.get("COLUMNS", "")
        wide = int(asked) if asked.isdigit() and int(asked) else None if terminal else COLUMNS
        self._console = Plain(
            file=sys.stdout, width=wide, highlight=False, markup=False, emoji=False, legacy_windows=False
        )
        self._console.width = max(NARROWEST, self._console.width)
        self.width = self._console.width
        """Terminal cells of a line."""
        self.colour = self._console.color_system is not None and not self._console.no_color
        """Whether colours show."""

    def print(self, item: RenderableType = "") -> None:
        """Write one renderable; trailing blanks are dropped.

        Args:
            item: a table, a Text, or clean text.
        """
        with self._console.capture() as capture:
            self._console.print(item, soft_wrap=isinstance(item, str | Text))
        text = capture.get()
        sys.stdout.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def table(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell]],
        *,
        indent: int = 0,
        heading: bool = True,
        gap: int = GAP,
    ) -> list[str]:
        """Write a table; Flex cells give way, then columns are left out, until it fits.

        Args:
            columns: m columns.
            rows: m cells each.
            indent: blanks before the first column.
            heading: whether the titles are written.
            gap: blanks between columns.

        Returns:
            Titles of the columns that were left out.
        """
        before = " " * indent
        layout = Layout(columns, rows, self.width - indent, heading=heading, gap=gap)
        for pieces in layout.lines():
            line = "".join(self._styled(text, style) for text, style in pieces)
            sys.stdout.write(f"{before}{line}\n" if line else "\n")
        return layout.left_out

    def _styled(self, text: str, style: str) -> str:
        if not style or not self.colour or self._console.color_system is None:
            return text
        return self._console.get_style(style).render(
            text, color_system=COLOR_SYSTEMS[self._console.color_system]
        )

    def flow(
        self,
        label: str,
        parts: Iterable[str | Text],
        *,
        joint: str = " | ",
        indent: int = 7,
        whole: bool = False,
    ) -> None:
        """Write a label and parts behind it, wrapped between parts, and inside of those that are too long.

        Args:
            label: what the line is about; bold.
            parts: clean texts.
            joint: between parts of one line.
            indent: where parts start.
            whole: parts are for copying and stay on one line each, however long.
        """
        line = Text().append(label.ljust(indent), style="bold" if label else "")
        used, fresh = max(indent, width(label)), True
        for part in parts:
            text = part if isinstance(part, Text) else Text(part)
            if not fresh and used + width(joint) + width(text.plain) > self.width:
                self.print(line)
                line, used, fresh = Text(" " * indent), indent, True
            if not fresh:
                line.append(joint, style="dim")
                used += width(joint)
            room = max(2, self.width - indent)
            first, *rest = [text.plain] if whole else fold(text.plain, self.width - used, room)
            line.append(first, style=text.style)
            for more in rest:
                self.print(line)
                line, first = Text(" " * indent).append(more, style=text.style), more
                used = indent
            used, fresh = used + width(first), False
        self.print(line)

    def sentence(self, text: str) -> None:
        """Write a line of our own words, wrapped.

        Args:
            text: clean text.
        """
        self.flow("", [text], indent=0)

    def places(self, rows: Sequence[tuple[int, str, str]], *, indent: int) -> None:
        """Write counts, reasons and first places: side by side where that fits, else below each other, whole.

        Args:
            rows: (count, clean reason, clean place).
            indent: blanks before each.
        """
        counts = [f"{n:,}" for n, _, _ in rows]
        first = max(map(len, counts))
        taken = max(width(reason) for _, reason, _ in rows) + max(width(place) for _, _, place in rows)
        if indent + first + taken + 2 * GAP <= self.width:
            columns = [Column(right=True), Column(), Column(style="cyan")]
            self.table(columns, [[f"{n:,}", *row] for n, *row in rows], indent=indent, heading=False)
            return
        room = self.width - indent - first - GAP
        for number, (_, reason, place) in zip(counts, rows, strict=True):
            lead = " " * indent + number.rjust(first)
            for line in fold(reason, room, room):
                self.print(f"{lead}{' ' * GAP}{line}")
                lead = " " * (indent + first)
            for line in fold(place, room - GAP, room - GAP):
                self.print(Text(lead + " " * 2 * GAP).append(line, style="cyan"))

    def pairs(self, label: str, pairs: Sequence[tuple[str, str]], *, indent: int) -> None:
        """Write keys and values below each other, values folded where they are too long.

        Args:
            label: what they are; bold.
            pairs: clean keys and values.
            indent: where keys start.
        """
        most = max(1, (self.width - indent) // 2)
        column = min(max(width(key) for key, _ in pairs), most)
        room = max(2, self.width - indent - column - GAP)
        for place, (key, value) in enumerate(pairs):
            line = Text().append(("" if place else label).ljust(indent), style="bold")
            name = cut(key, column)
            line.append(name, style="dim").append(" " * (column - width(name) + GAP))
            first, *rest = fold(value, room, room)
            self.print(line.append(first))
            for more in rest:
                self.print(" " * (indent + column + GAP) + more)

    def block(self, lines: Iterable[str], *, indent: int = 2) -> None:
        """Write lines of foreign text, folded where they are too long.

        Args:
            lines: clean lines.
            indent: blanks before each.
        """
        text = Text("\n".join(lines), overflow="fold", no_wrap=False)
        self.print(Padding(text, (0, 0, 0, indent)))


def bar(value: int, largest: int, cells: int = 10) -> str:
    """A bar of line characters.

    Args:
        value: its length stands for this.
        largest: value of the longest bar.
        cells: length of the longest bar.

    Returns:
        At most that many characters; a bar of something is never empty.
    """
    if value <= 0 or largest <= 0:
        return ""
    halves = max(1, 2 * cells * value // largest)
    return "━" * (halves // 2) + "╸" * (halves % 2)


def columns() -> int:
    """Cells of a line of standard error: $COLUMNS, else the terminal's, else 80."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns if sys.stderr.isatty() else COLUMNS
    except (OSError, ValueError):
        return COLUMNS


def say(text: str) -> None:
    """Say what is being done, on standard error, wrapped.

    Args:
        text: one phrase.
    """
    room = max(NARROWEST, columns())
    tell("\n  ".join(fold(clean(text), room, room - 2)) + "\n")


def warn(text: str) -> None:
    """Say something beside the answer, on standard error.

    Args:
        text: one sentence.
    """
    say(f"tracelode: {text}")

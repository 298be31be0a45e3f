"""How does an answer look in a terminal? Width, colour, tables and wrapped lines, all in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import chop_cells
from rich.console import COLOR_SYSTEMS, Console
from rich.padding import Padding
from rich.text import Text

from tracelode.cli.table import GAP, Cell, Column, lay_out
from tracelode.cli.text import clean, cut, width

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
        wide = int(asked) if asked.isdigit() and int(asked) >= 20 else None if terminal else COLUMNS
        self._console = Console(
            file=sys.stdout, width=wide, highlight=False, markup=False, emoji=False, legacy_windows=False
        )
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
    ) -> None:
        """Write a table; Flex cells give way until it fits.

        Args:
            columns: m columns.
            rows: m cells each.
            indent: blanks before the first column.
            heading: whether the titles are written.
            gap: blanks between columns.
        """
        before = " " * indent
        for pieces in lay_out(columns, rows, self.width - indent, heading=heading, gap=gap):
            line = "".join(self._styled(text, style) for text, style in pieces)
            sys.stdout.write(f"{before}{line}\n" if line else "\n")

    def _styled(self, text: str, style: str) -> str:
        if not style or not self.colour or self._console.color_system is None:
            return text
        return self._console.get_style(style).render(
            text, color_system=COLOR_SYSTEMS[self._console.color_system]
        )

    def flow(self, label: str, parts: Iterable[str | Text], *, joint: str = " | ", indent: int = 7) -> None:
        """Write a label and parts behind it, wrapped between parts.

        Args:
            label: what the line is about; bold.
            parts: clean texts.
            joint: between parts of one line.
            indent: where parts start.
        """
        line = Text().append(label.ljust(indent), style="bold" if label else "")
        used, fresh = max(indent, width(label)), True
        for part in parts:
            text = part if isinstance(part, Text) else Text(part)
            need = width(text.plain) + (0 if fresh else width(joint))
            if not fresh and used + need > self.width:
                self.print(line)
                line, used, fresh = Text(" " * indent), indent, True
                need = width(text.plain)
            if not fresh:
                line.append(joint, style="dim")
            if used + width(text.plain) > self.width:
                text = Text(cut(text.plain, self.width - used), style=text.style)
            line.append_text(text)
            used, fresh = used + need, False
        self.print(line)

    def long(self, label: str, text: str, *, indent: int = 7) -> None:
        """Write a label and one text behind it, folded where it is too long, never cut.

        Args:
            label: what the line is about.
            text: clean text.
            indent: where the text starts.
        """
        lines = chop_cells(text, max(1, self.width - indent)) or [""]
        for place, line in enumerate(lines):
            self.flow("" if place else label, [line], indent=indent)

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


def say(text: str) -> None:
    """Say what is being done, on standard error, in one line of a terminal.

    Args:
        text: one phrase.
    """
    sys.stderr.write(f"{cut(clean(text), COLUMNS)}\n")


def warn(text: str) -> None:
    """Say something beside the answer, on standard error.

    Args:
        text: one sentence.
    """
    sys.stderr.write(f"tracelode: {clean(text)}\n")

"""How does an answer look in a terminal? Width, colour, tables and wrapped lines, all in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tracelode.cli.text import clean, cut, width

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS = 80
"""Width where the output is no terminal."""

Cell: TypeAlias = "str | Text | Flex"
"""What a table cell can be."""


class Flex:
    """A text that gives way: cut in the middle to the width its column gets."""

    def __init__(self, text: str, style: str = "", *, depth: int = 0) -> None:
        """Hold a text.

        Args:
            text: text of a trace or our own; neutralised here.
            style: rich style.
            depth: steps of indentation, two blanks each.
        """
        self.text, self.style, self.indent = clean(text), style, "  " * depth

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Smallest and natural width."""
        natural = len(self.indent) + width(self.text)
        return Measurement(min(natural, 8), natural)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The text, cut to what there is."""
        style = console.get_style(self.style) if self.style else None
        # Deep indentation gives way first: a name must stay readable.
        indent = self.indent[: max(0, options.max_width - min(width(self.text), 12))]
        yield Segment(indent + cut(self.text, max(1, options.max_width - len(indent))), style)


class Column:
    """One column of a table."""

    def __init__(self, title: str = "", *, right: bool = False, style: str = "", grow: bool = False) -> None:
        """Describe a column.

        Args:
            title: heading.
            right: align to the right.
            style: rich style of its cells.
            grow: take what the line leaves over.
        """
        self.title, self.right, self.style, self.grow = title, right, style, grow


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
        rows: Iterable[Sequence[Cell]],
        *,
        indent: int = 0,
        heading: bool = True,
    ) -> None:
        """Write a table; Flex cells give way until it fits.

        Args:
            columns: m columns.
            rows: m cells each.
            indent: blanks before the first column.
            heading: whether the titles are written.
        """
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=heading, header_style="dim")
        table.expand = any(column.grow for column in columns)
        rows = list(rows)
        for place, column in enumerate(columns):
            gives = any(isinstance(row[place], Flex) for row in rows)
            table.add_column(
                column.title,
                justify="right" if column.right else "left",
                style=column.style,
                no_wrap=not gives,
                overflow="ellipsis",
                ratio=1 if column.grow else None,
            )
        for row in rows:
            table.add_row(*row)
        self.print(Padding(table, (0, 0, 0, indent)) if indent else table)

    def flow(self, label: str, parts: Iterable[str | Text], *, joint: str = " | ", indent: int = 7) -> None:
        """Write a label and parts behind it, wrapped between parts.

        Args:
            label: what the line is about; dim.
            parts: clean texts.
            joint: between parts of one line.
            indent: where parts start.
        """
        line, used = Text().append(label.ljust(indent), style="bold"), max(indent, width(label))
        fresh = True
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


def warn(text: str) -> None:
    """Say something beside the answer, on standard error.

    Args:
        text: one sentence.
    """
    sys.stderr.write(f"tracelode: {clean(text)}\n")

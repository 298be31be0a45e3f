"""How far is an import? A bar on standard error, only where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tracelode.model.report import Progress


@contextmanager
def bar() -> Iterator[Callable[[Progress], None] | None]:
    """A progress bar that disappears when the work is done.

    Yields:
        What to call with each Progress; None where standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from tracelode.cli.text import clean

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with Bar(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=None)

        def step(now: Progress) -> None:
            text = f"{clean(now.what)} {now.files:,}/{now.files_total:,}"
            bars.update(task, description=text, completed=now.done, total=now.total or None)

        yield step

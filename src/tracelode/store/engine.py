"""How is DuckDB asked, so that an interrupt stays one? The only place that makes a connection."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN = 0.05
"""Seconds after which a question that was interrupted is told so again."""


@contextmanager
def _interruptible(made: Any) -> Iterator[None]:
    """Let a signal's handler end what runs inside by raising.

    DuckDB runs the handler itself, and then makes an error of its own of what it raised, or drops it and goes
    on (seen with 2.0.1): neither can be relied on.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[BaseException] = []
    over = threading.Event()

    def insist() -> None:
        # a question that only begins forgets that it was interrupted
        while not over.wait(AGAIN):
            made.interrupt()

    def heard(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except BaseException as error:
            if not raised:
                threading.Thread(target=insist, daemon=True).start()
            raised.append(error)
            made.interrupt()
            raise

    signal.signal(signal.SIGINT, heard)
    try:
        yield
    except Exception:
        if not raised:
            raise
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)
    if raised:
        raise raised[0]


class Appender:
    """Appends rows to a table.

    Args:
        connection: of DuckDB's.
        table: its name.
    """

    def __init__(self, connection: Any, table: str) -> None:
        self._connection = connection
        self._made = connection.appender(table)

    def append_rows(self, rows: Any) -> None:
        """Append rows.

        Args:
            rows: sequences of one value a column.
        """
        with _interruptible(self._connection):
            self._made.append_rows(rows)

    def flush(self) -> None:
        """Hand over what is held."""
        with _interruptible(self._connection):
            self._made.flush()


class Engine:
    """A connection or cursor; what it answers is fetched from itself.

    Args:
        made: a connection of DuckDB's.
    """

    def __init__(self, made: Any) -> None:
        self._made = made

    def execute(self, text: str, values: Sequence[Any] = ()) -> Engine:
        """Run a statement.

        Args:
            text: SQL.
            values: of its parameters.

        Returns:
            This connection.

        Raises:
            KeyboardInterrupt: the user interrupted it.
        """
        with _interruptible(self._made):
            if values:
                self._made.execute(text, values)
            else:
                self._made.execute(text)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that are left."""
        with _interruptible(self._made):
            rows: list[tuple[Any, ...]] = self._made.fetchall()
        return rows

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows.

        Args:
            size: at most this many.
        """
        with _interruptible(self._made):
            rows: list[tuple[Any, ...]] = self._made.fetchmany(size)
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, None after the last one."""
        with _interruptible(self._made):
            row: tuple[Any, ...] | None = self._made.fetchone()
        return row

    def cursor(self) -> Engine:
        """A second connection to the same data, with results of its own."""
        return Engine(self._made.cursor())

    def appender(self, table: str) -> Appender:
        """What appends rows to a table.

        Args:
            table: its name.
        """
        return Appender(self._made, table)

    def close(self) -> None:
        """Close it."""
        self._made.close()


def connect(threads: int = 1) -> Engine:
    """A DuckDB connection that keeps nothing on disk and asks for nothing outside.

    Args:
        threads: worker threads.

    Returns:
        The connection.
    """
    import duckdb

    made = duckdb.connect(
        config={
            "threads": threads,
            "memory_limit": "400MB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    made.execute("SET preserve_insertion_order = true")
    return Engine(made)

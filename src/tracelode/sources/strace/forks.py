"""Which threads are starting a process now? Kept so that a new number is looked up, not searched for."""

from __future__ import annotations


class Forks:
    """Threads in a call that starts something, by what it would be the child or thread of."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[str, bool]] = {}
        self._threads: dict[tuple[str, bool], dict[int, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, thread: int, what: tuple[str, bool]) -> None:
        """A thread begins such a call.

        Args:
            thread: its number.
            what: native name of its process, and whether the call starts one more thread of it.
        """
        self._of[thread] = what
        self._threads.setdefault(what, {})[thread] = None

    def drop(self, thread: int) -> None:
        """A thread is in no such call any more.

        Args:
            thread: its number.
        """
        what = self._of.pop(thread, None)
        if what is not None:
            threads = self._threads[what]
            del threads[thread]
            if not threads:
                del self._threads[what]

    def only(self) -> int | None:
        """The thread that began first, where all are in calls that start the same; else None."""
        if len(self._threads) != 1:
            return None
        (threads,) = self._threads.values()
        return next(iter(threads))

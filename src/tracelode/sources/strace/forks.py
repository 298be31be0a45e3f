"""What can a number be that a log has not told yet? Calls that start something and have no answer."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from tracelode.sources.strace.lines import Entry
from tracelode.sources.strace.state import Held

Start = tuple[str, bool]
"""What starts something: native name of a process, and whether one more thread of it."""
MOST_HELD = 4_096
"""Lines held, a long one counting as several."""


class Forks:
    """Open calls that start something, and children of them that showed before the answer.

    Args:
        early: number to what it was put down to; part of the resume state, changed in place.
    """

    def __init__(self, early: dict[int, Start]) -> None:
        self._early = early
        self._of: dict[int, Start] = {}
        self._threads: dict[Start, dict[int, None]] = {}
        self._shown: dict[Start, set[int]] = {}
        self._lack: dict[Start, None] = {}
        self._over: list[Start] = []
        for number, start in early.items():
            self._shown.setdefault(start, set()).add(number)

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, thread: int, start: Start) -> None:
        """A thread begins such a call.

        Args:
            thread: its number.
            start: what the call starts.
        """
        self._of[thread] = start
        self._threads.setdefault(start, {})[thread] = None
        self._count(start)

    def drop(self, thread: int) -> None:
        """A thread is in no such call any more.

        Args:
            thread: its number.
        """
        start = self._of.pop(thread, None)
        if start is None:
            return
        threads = self._threads[start]
        del threads[thread]
        if not threads:
            del self._threads[start]
            self._over.append(start)
        self._count(start)

    def shows(self, number: int, start: Start) -> None:
        """A child is seen before its call was answered: that call starts nothing else.

        Args:
            number: of the child.
            start: what started it.
        """
        self.told(number)
        self._early[number] = start
        self._shown.setdefault(start, set()).add(number)
        self._count(start)

    def told(self, number: int) -> None:
        """The call that started a number was answered.

        Args:
            number: of the child.
        """
        start = self._early.pop(number, None)
        if start is not None:
            self._shown[start].discard(number)
            self._count(start)

    def unanswered(self) -> list[int]:
        """Numbers that were put down to calls which ended without an answer; they are forgotten."""
        found: list[int] = []
        while self._over:
            start = self._over.pop()
            if start not in self._threads:
                found.extend(self._shown.pop(start, ()))
        for number in found:
            del self._early[number]
        return found

    def only(self) -> tuple[int, Start] | None:
        """The thread that alone can have started a new number, and what it starts; None if several can."""
        if len(self._lack) != 1:
            return None
        (start,) = self._lack
        threads = self._threads[start]
        return (next(iter(threads)), start) if len(threads) == 1 else None

    def _count(self, start: Start) -> None:
        """Is there an open call whose child did not show yet?"""
        if len(self._threads.get(start, ())) > len(self._shown.get(start, ())):
            self._lack[start] = None
        else:
            self._lack.pop(start, None)


class Waiting:
    """Lines of numbers that several open calls may have started, until one of them says it was it.

    Args:
        held: number to its lines; part of the resume state, changed in place.
    """

    def __init__(self, held: dict[int, list[Held]]) -> None:
        self._held = held
        self._weight = sum(_weight(h.entry) for lines in held.values() for h in lines)
        self._ready: list[tuple[int, Held]] = []

    def __bool__(self) -> bool:
        return bool(self._held or self._ready)

    def __contains__(self, number: int) -> bool:
        return number in self._held

    @property
    def full(self) -> bool:
        """Are more lines held than may be?"""
        return self._weight > MOST_HELD

    def hold(self, entry: Entry, line: int, offset: int) -> None:
        """Keep a line for later.

        Args:
            entry: its parts.
            line: its number.
            offset: bytes before it.
        """
        self._held.setdefault(entry.pid, []).append(Held(entry, line, offset))
        self._weight += _weight(entry)

    def first(self, number: int) -> Entry:
        """The first line held of a number."""
        return self._held[number][0].entry

    def numbers(self) -> list[int]:
        """Whose lines are held, in the order in which they showed."""
        return list(self._held)

    def release(self, number: int) -> None:
        """Let the lines of a number come next.

        Args:
            number: it is known now.
        """
        for held in self._held.pop(number):
            heappush(self._ready, (held.line, held))

    def released(self) -> Iterator[Held]:
        """Lines of numbers that are known now, also of those that become known by them, in file order."""
        while self._ready:
            _, held = heappop(self._ready)
            self._weight -= _weight(held.entry)
            yield held


def _weight(entry: Entry) -> int:
    return 1 + len(entry.arguments) // 1_024

"""Where did a session's time go? One sweep over a root session and its sub-agents."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise

import msgspec

from tracelode.model.measure import split_evenly
from tracelode.model.ports import Tick

IDLE = 300 * 1_000_000
"""Default limit above which waiting counts as idle, in microseconds."""

_ENDS = ("other", "model", "human", "tool", "family")


class Piece(msgspec.Struct):
    """A stretch of one session's timeline with what it was spent on."""

    start: int
    """UTC microseconds."""
    stop: int
    """UTC microseconds, after start."""
    charges: tuple[tuple[int, str], ...]
    """(operation index, time measure) of each activity; several tools at once give several."""
    waits: bool = False
    """A wait for another session of the family: it counts only where none of them does anything."""


class Mark(msgspec.Struct, array_like=True):
    """A tick with indices for ids: what is stored."""

    at: int
    """UTC microseconds."""
    ends: int
    """Place in _ENDS."""
    operation: int
    """Index charged, -1 where no operation came yet that could be."""
    opens: tuple[int, ...] = ()
    """Indices of tools that start here."""
    closes: tuple[int, ...] = ()
    """Indices of tools that end here."""
    own: int | None = None
    """Own duration of the closed tool."""


def pack(marks: Sequence[Mark]) -> bytes:
    """Marks as stored bytes."""
    return zlib.compress(msgspec.msgpack.encode(marks), 1)


def unpack(data: bytes | None) -> list[Mark]:
    """Stored bytes as marks."""
    if not data:
        return []
    return msgspec.msgpack.decode(zlib.decompress(data), type=list[Mark])


def marks_of(ticks: Sequence[Tick], places: Mapping[str, int]) -> list[Mark]:
    """Ticks with indices for ids.

    Args:
        ticks: of one session in file order.
        places: operation id to index; ids that are gone (dropped) are skipped.

    Returns:
        One mark a tick; a tick without an operation is charged to the next one in file order, -1 where
        none came yet: the file may go on.
    """
    following = -1
    marks: list[Mark] = []
    for tick in reversed(ticks):
        index = places.get(tick.operation, -1) if tick.operation is not None else -1
        if index < 0:
            index = following
        else:
            following = index
        opens = tuple(places[i] for i in tick.opens if i in places)
        closes = tuple(places[i] for i in tick.closes if i in places)
        marks.append(Mark(tick.at, _ENDS.index(tick.ends), index, opens, closes, tick.own))
    marks.reverse()
    return marks


def charged(marks: list[Mark], last: int) -> list[Mark]:
    """Marks that all have an operation, as far as the session has any.

    Args:
        marks: of marks_of().
        last: index of the session's last operation, which is charged for what came after it.
    """
    if not marks or marks[-1].operation >= 0:
        return marks
    return [msgspec.structs.replace(m, operation=last) if m.operation < 0 else m for m in marks]


def pieces_of(
    marks: Sequence[Mark],
    asks: frozenset[int] = frozenset(),
    covered: Mapping[int, Sequence[tuple[int, int]]] | None = None,
    idle: int = IDLE,
) -> list[Piece]:
    """Cut one session's span into pieces by activity.

    Args:
        marks: of one session in file order; a step back of the clock counts 0.
        asks: indices of tools whose time is a person's (answers, denials): never running.
        covered: tool index to (start, stop) stretches in which its sub-agents run.
        idle: limit of blocked time in one gap, microseconds.

    Returns:
        Pieces that partition [first mark, last mark], in order; a stretch in which a sub-agent
        stands in for its parent's waiting tool has no charges.

    Source:
        accounting: time.
    """
    windows = _tool_windows(marks, asks)
    covered = covered or {}
    pieces: list[Piece] = []
    at: int | None = None
    running: list[tuple[int, int, int]] = []
    place = 0
    windows.sort()
    for mark in marks:
        if at is None:
            at = mark.at
            continue
        if mark.at <= at:
            continue
        start, stop = at, mark.at
        at = stop
        while place < len(windows) and windows[place][0] < stop:
            running.append(windows[place])
            place += 1
        running = [w for w in running if w[1] > start]
        _gap(pieces, start, stop, mark, running, covered, idle)
    return pieces


def _tool_windows(marks: Sequence[Mark], asks: frozenset[int]) -> list[tuple[int, int, int]]:
    """(start, stop, tool index) of every tool call that has a result and ran."""
    opened: dict[int, int] = {}
    windows: list[tuple[int, int, int]] = []
    now: int | None = None
    for mark in marks:
        now = mark.at if now is None else max(now, mark.at)
        for tool in mark.opens:
            opened.setdefault(tool, now)
        for tool in mark.closes:
            start = opened.pop(tool, None)
            if start is None or tool in asks:
                continue
            if mark.own is not None:
                start = max(start, now - mark.own)
            if start < now:
                windows.append((start, now, tool))
    return windows


def _gap(
    pieces: list[Piece],
    start: int,
    stop: int,
    mark: Mark,
    running: Sequence[tuple[int, int, int]],
    covered: Mapping[int, Sequence[tuple[int, int]]],
    idle: int,
) -> None:
    """Cut one interval between two records at the borders of tools and of their sub-agents."""
    if not running:
        _waiting(pieces, start, stop, mark, idle, start)
        return
    borders = {start, stop}
    for begin, end, tool in running:
        borders.update(b for b in (begin, end) if start < b < stop)
        for pair in covered.get(tool, ()):
            borders.update(b for b in pair if start < b < stop)
    cuts = sorted(borders)
    for left, right in pairwise(cuts):
        tools = [w[2] for w in running if w[0] <= left and w[1] >= right]
        if not tools:
            _waiting(pieces, left, right, mark, idle, start)
            continue
        own = [t for t in tools if not any(a <= left and b >= right for a, b in covered.get(t, ()))]
        _add(pieces, left, right, tuple((tool, "time.tool") for tool in sorted(own)))


def _waiting(pieces: list[Piece], start: int, stop: int, mark: Mark, idle: int, since: int) -> None:
    """A stretch in which no tool runs, by what the interval ends in."""
    ends = _ENDS[mark.ends]
    if ends == "family":
        pieces.append(Piece(start, stop, ((mark.operation, "time.idle"),), waits=True))
    elif ends == "model":
        _add(pieces, start, stop, ((mark.operation, "time.model"),))
    elif ends == "human":
        limit = since + idle
        if start < limit:
            _add(pieces, start, min(stop, limit), ((mark.operation, "time.blocked"),))
        if stop > limit:
            _add(pieces, max(start, limit), stop, ((mark.operation, "time.idle"),))
    else:
        name = "time.idle" if stop - start > idle else "time.unknown"
        _add(pieces, start, stop, ((mark.operation, name),))


def _add(pieces: list[Piece], start: int, stop: int, charges: tuple[tuple[int, str], ...]) -> None:
    if stop > start:
        pieces.append(Piece(start, stop, charges))


Charge = tuple[int, int, str]


def sweep(threads: Sequence[Sequence[Piece]]) -> dict[tuple[int, int], dict[str, int]]:
    """Share the time of parallel sessions of one family so that the parts sum to the span.

    Args:
        threads: pieces of each session, the root first.

    Returns:
        (thread, operation index) to time measures in microseconds.

    Source:
        accounting: k activities at once get 1/k each, largest remainder; waiting for one is none.
    """
    found: dict[tuple[int, int], dict[str, int]] = {}

    def charge(key: tuple[int, int], name: str, amount: int) -> None:
        if amount:
            row = found.setdefault(key, {})
            row[name] = row.get(name, 0) + amount

    busy = [(number, pieces) for number, pieces in enumerate(threads) if pieces]
    if len(busy) == 1:
        number, pieces = busy[0]
        for piece in pieces:
            if piece.charges:
                parts = split_evenly(piece.stop - piece.start, len(piece.charges))
                for (index, name), part in zip(piece.charges, parts, strict=True):
                    charge((number, index), name, part)
        return found
    for start, stop, charges in _overlaps(busy):
        parts = split_evenly(stop - start, len(charges))
        for (number, index, name), part in zip(charges, parts, strict=True):
            charge((number, index), name, part)
    return found


def _overlaps(busy: Sequence[tuple[int, Sequence[Piece]]]) -> list[tuple[int, int, list[Charge]]]:
    """Elementary stretches with everything that goes on in them."""
    events: list[tuple[int, int, int, int]] = []
    for number, pieces in busy:
        for place, piece in enumerate(pieces):
            heappush(events, (piece.start, 1, number, place))
            heappush(events, (piece.stop, 0, number, place))
    by_number = dict(busy)
    active: dict[int, Piece] = {}
    found: list[tuple[int, int, list[Charge]]] = []
    last: int | None = None
    while events:
        at, starts, number, place = heappop(events)
        if last is not None and at > last and active:
            works = [n for n in sorted(active) if not active[n].waits] or sorted(active)
            charges = [(n, i, name) for n in works for i, name in active[n].charges]
            if charges:
                found.append((last, at, charges))
        last = at
        piece = by_number[number][place]
        if starts:
            active[number] = piece
        elif active.get(number) is piece:
            del active[number]
    return found

r"""Which stretches of a text go? The one walk both redaction engines share.

An engine finds the leftmost trigger of the table; readers judge it and measure the secret. Standard
library only. Four facts the preview windows rest on: no cut holds a line feed except private keys, no
cut is longer than LIMIT, what a reader decides depends on nothing further left than BEFORE and nothing at
or behind its `reach`, and a line knows of another only through a cut's `more`, which begins on a line at
most SPAN below and does not change what is cut above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tracelode.redact import addresses, context, homes, keys, lines, people, prose, shell
from tracelode.redact.span import LIMIT, PROBE, SPAN, Cut, Reader, whole
from tracelode.redact.table import Row

Found: TypeAlias = tuple[Row, "re.Match[bytes]"]
Find: TypeAlias = Callable[[int], "Found | None"]
"""Leftmost trigger at or behind an offset."""

Bind: TypeAlias = Callable[[bytes], Find]
"""Binds an engine to bytes."""

PASSES: Final = 4
"""How often a line that changed is read at most."""

READERS: Final[dict[str, Reader]] = {
    **keys.READERS,
    **context.READERS,
    **prose.READERS,
    **lines.READERS,
    **shell.READERS,
    **addresses.READERS,
    **homes.READERS,
}


def _place(cut: Cut) -> tuple[int, int]:
    return cut.start, cut.stop


def walk(data: bytes, find: Find, start: int = 0) -> Iterable[Cut]:
    """Judge every trigger from left to right; accepted cuts do not overlap.

    Args:
        data: n bytes of UTF-8.
        find: the engine, bound to the same bytes.
        start: where to begin; what stands before is context only.

    Yields:
        Cuts in order, refused ones (text None) included.
    """
    position = floor = start
    waiting: list[Cut] = []
    while (found := find(position)) is not None or waiting:
        if found is None or (waiting and waiting[0].start <= found[1].start()):
            cut, least = waiting.pop(0), position
            if cut.stop <= floor:
                continue
            # What an earlier cut has taken of it is gone already; the rest goes too.
            cut = cut._replace(start=max(cut.start, floor))
        else:
            row, match = found
            cut, least = READERS[row.kind](data, row, match, floor), match.start() + 1
            if row.kind in people.KINDS and cut.text is not None:
                people.note(data[cut.start : cut.stop])
            if cut.more:
                waiting = sorted((*waiting, *cut.more), key=_place)
            elif waiting and cut.text is not None:
                early, waiting = _split(waiting, cut, floor)
                yield from early
        if cut.stop - cut.start >= LIMIT:
            cut = cut._replace(stop=whole(data, cut.start + LIMIT))
        yield cut
        position = max(cut.stop, least)
        if cut.text is not None:
            floor = cut.stop


def _split(waiting: list[Cut], cut: Cut, floor: int) -> tuple[list[Cut], list[Cut]]:
    """What of the cuts that wait stands before a cut, and what behind."""
    early = [w._replace(start=max(w.start, floor), stop=min(w.stop, cut.start)) for w in waiting]
    later = [w._replace(start=max(w.start, cut.stop)) for w in waiting]
    return [w for w in early if w.start < w.stop], [w for w in later if w.start < w.stop]


def apply(data: bytes, cuts: Iterable[Cut], start: int = 0, stop: int | None = None) -> bytes:
    """The bytes with every accepted cut replaced.

    Args:
        data: n bytes of UTF-8.
        cuts: as walk() yields them, all within [start, stop).
        start: first byte of interest.
        stop: byte behind the last of interest; None: n.

    Returns:
        UTF-8.
    """
    pieces: list[bytes] = []
    done = start
    for cut in cuts:
        if cut.text is not None:
            pieces += (data[done : cut.start], cut.text)
            done = cut.stop
    pieces.append(data[done:stop])
    return b"".join(pieces)


def settle(line: bytes, bind: Bind, passes: int) -> bytes:
    """A line with every cut replaced, until nothing changes any more.

    Args:
        line: UTF-8 without a line feed, or with feeds inside private keys only.
        bind: the engine.
        passes: most passes.

    Returns:
        UTF-8.
    """
    for _ in range(passes):
        cuts = [cut for cut in walk(line, bind(line)) if cut.text is not None]
        if not cuts:
            break
        line = apply(line, cuts)
    return line


def tells(data: bytes, end: int, bind: Bind) -> bool:
    """Does a mark before an offset tell of secrets at or behind it?

    Args:
        data: UTF-8.
        end: the offset.
        bind: the engine.

    Returns:
        True if so.
    """
    find, position = bind(data), 0
    while (found := find(position)) is not None and found[1].start() < end:
        row, match = found
        position = match.start() + 1
        if any(cut.start >= end for cut in READERS[row.kind](data, row, match, 0).more):
            return True
    return False


def redact(data: bytes, bind: Bind, rounds: int = PASSES) -> bytes:
    """The whole text redacted.

    A replacement is shorter than its secret and may bring into reach what was too far off before, so
    every line that changed is read again until it settles; if it tells of lines below only then, so is
    the whole text.

    Args:
        data: n bytes of UTF-8.
        bind: the engine.
        rounds: how often the whole text is read at most.

    Returns:
        UTF-8.
    """
    pieces: list[bytes] = []
    done = low = high = 0
    cuts: list[Cut] = []
    again = False

    def close() -> bool:
        line = settle(apply(data, cuts, low, high), bind, PASSES - 1)
        pieces.extend((data[done:low], line))
        # Every line that tells of lines below holds one of these.
        signs = b"|" in line or b"\\" in line or b"ame" in line or b"<<" in line or b": >" in line
        return signs and tells(line + data[high : high + SPAN + PROBE], len(line), bind)

    for cut in walk(data, bind(data)):
        if cut.text is None:
            continue
        if cuts and cut.start >= high:
            again = close() or again
            done, cuts = high, []
        if not cuts:
            low = data.rfind(b"\n", done, cut.start) + 1 or done
        if not cuts or cut.stop > high:
            end = data.find(b"\n", cut.stop)
            high = len(data) if end < 0 else end
        cuts.append(cut)
    if cuts:
        again = close() or again
        done = high
    pieces.append(data[done:])
    result = b"".join(pieces)
    return redact(result, bind, rounds - 1) if again and rounds > 1 and result != data else result

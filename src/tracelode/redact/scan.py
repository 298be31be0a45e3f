r"""Which stretches of a text go? The one walk both redaction engines share.

An engine finds the leftmost trigger of the table; readers judge it and measure the secret. Standard
library only. Three facts the preview windows rest on: no cut holds a line feed except private keys, no
cut is longer than LIMIT, and what a reader decides depends on nothing further left than BEFORE and
nothing at or behind its `reach`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tracelode.redact import addresses, context, homes, keys
from tracelode.redact.span import LIMIT, Cut, Reader, whole
from tracelode.redact.table import Row

Found: TypeAlias = tuple[Row, "re.Match[bytes]"]
Find: TypeAlias = Callable[[int], "Found | None"]
"""Leftmost trigger at or behind an offset."""

Bind: TypeAlias = Callable[[bytes], Find]
"""Binds an engine to bytes."""

PASSES: Final = 4
"""How often a line that changed is read at most."""

READERS: Final[dict[str, Reader]] = {**keys.READERS, **context.READERS, **addresses.READERS, **homes.READERS}


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
    while (found := find(position)) is not None:
        row, match = found
        cut = READERS[row.kind](data, row, match, floor)
        if cut.stop - cut.start >= LIMIT:
            cut = cut._replace(stop=whole(data, cut.start + LIMIT))
        yield cut
        position = max(cut.stop, match.start() + 1)
        if cut.text is not None:
            floor = position


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


def redact(data: bytes, bind: Bind) -> bytes:
    """The whole text redacted.

    A replacement is shorter than its secret and may bring into reach what was too far off before, so
    every line that changed is read again until it settles.

    Args:
        data: n bytes of UTF-8.
        bind: the engine.

    Returns:
        UTF-8.
    """
    pieces: list[bytes] = []
    done = low = high = 0
    cuts: list[Cut] = []

    def close() -> None:
        pieces.extend((data[done:low], settle(apply(data, cuts, low, high), bind, PASSES - 1)))

    for cut in walk(data, bind(data)):
        if cut.text is None:
            continue
        if cuts and cut.start >= high:
            close()
            done, cuts = high, []
        if not cuts:
            low = data.rfind(b"\n", done, cut.start) + 1 or done
        if not cuts or cut.stop > high:
            end = data.find(b"\n", cut.stop)
            high = len(data) if end < 0 else end
        cuts.append(cut)
    if cuts:
        close()
        done = high
    pieces.append(data[done:])
    return b"".join(pieces)


def encode(text: str) -> bytes:
    """UTF-8, lone surrogates as question marks.

    Args:
        text: any string.

    Returns:
        Valid UTF-8.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")

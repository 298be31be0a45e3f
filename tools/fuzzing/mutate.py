"""How is a good file damaged? Each mutator takes bytes and gives other bytes, by chance alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from fuzzing.values import CANARY, HOSTILE, NOISE, NUMBERS, OTHERS

Mutator = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
_RAW = re.compile(r'"@raw:(\d+)@"')
_TEXT = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_TIME = re.compile(rb"(20\d\d)-(\d\d)-(\d\d)T(\d\d)")
MOST = 400_000
"""Bytes above which nothing is made larger."""


# JSON -------------------------------------------------------------------------------------------------


class Document:
    """JSON bytes as something that can be changed: one value, or one line of many.

    Args:
        rng: chooses the line.
        data: a file.
    """

    def __init__(self, rng: random.Random, data: bytes) -> None:
        self.before, self.after, self.value, self.found = b"", b"", None, False
        self._raw: list[bytes] = []
        whole = decoded(data)
        if whole is not None:
            self.value, self.found = whole, True
            return
        lines = data.split(b"\n")
        for place in rng.sample(range(len(lines)), min(4, len(lines))):
            value = decoded(lines[place])
            if value is not None:
                self.value, self.found = value, True
                self.before = b"".join(line + b"\n" for line in lines[:place])
                self.after = b"".join(b"\n" + line for line in lines[place + 1 :])
                return

    def raw(self, text: bytes) -> str:
        """A string that becomes these very bytes in the file."""
        self._raw.append(text)
        return f"@raw:{len(self._raw) - 1}@"

    def bytes(self, ascii: bool = True) -> bytes:
        """The file again."""
        text = json.dumps(self.value, ensure_ascii=ascii, separators=(",", ":"))
        data = text.encode("utf-8", "surrogatepass")
        if self._raw:
            data = re.sub(rb'"@raw:(\d+)@"', lambda m: self._raw[int(m[1])], data)
        return self.before + data + self.after


def decoded(data: bytes) -> Any:
    """A list or object of JSON bytes, None for anything else.

    Args:
        data: any bytes.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def spots(node: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or place) of a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        for key, child in list(one.items() if isinstance(one, dict) else enumerate(one)):
            found.append((one, key))
            if isinstance(child, dict | list):
                waiting.append(child)
    return found


def _changed(rng: random.Random, data: bytes, change: Callable[[Document, Any, Any], None]) -> bytes:
    """The file with one spot of one of its JSON values changed, at times inside JSON kept as text."""
    made = Document(rng, data)
    places = spots(made.value) if made.found else []
    if not places:
        return data
    node, key = rng.choice(places)
    inner = decoded(node[key].encode("utf-8", "replace")) if isinstance(node[key], str) else None
    if inner and rng.random() < 0.7:
        change(made, *rng.choice(spots(inner)))
        node[key] = json.dumps(inner)
    else:
        change(made, node, key)
    return made.bytes(rng.random() < 0.8)


def strange(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A value becomes one of another type, an odd number or a hostile text."""
    kind = rng.choice((HOSTILE, NUMBERS, OTHERS))

    def change(_: Document, node: Any, key: Any) -> None:
        value = rng.choice(kind)
        node[key] = f"{CANARY}{value}" if isinstance(value, str) and rng.random() < 0.3 else value

    return _changed(rng, data, change)


def number(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A number becomes an odd one: huge, negative, no number."""
    made = Document(rng, data)
    places = [(n, k) for n, k in spots(made.value) if type(n[k]) in (int, float)] if made.found else []
    if not places:
        return strange(rng, data, others)
    node, key = rng.choice(places)
    node[key] = rng.choice((*NUMBERS, str(node[key]), -node[key], float(node[key]), made.raw(b"9" * 5_000)))
    return made.bytes()


def key_gone(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A key or an entry goes away."""

    def change(_: Document, node: Any, key: Any) -> None:
        del node[key]

    return _changed(rng, data, change)


def key_renamed(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A key becomes a hostile one."""

    def change(_: Document, node: Any, key: Any) -> None:
        if isinstance(node, dict):
            node[rng.choice(HOSTILE)] = node.pop(key)

    return _changed(rng, data, change)


def swapped(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Two values of one record change places."""
    made = Document(rng, data)
    places = spots(made.value) if made.found else []
    if len(places) < 2:
        return data
    (one, a), (two, b) = rng.sample(places, 2)
    if isinstance(one[a], dict | list) or isinstance(two[b], dict | list):
        one[a] = json.loads(json.dumps(two[b]))  # a copy: no value holds itself
    else:
        one[a], two[b] = two[b], one[a]
    return made.bytes()


def deep(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A value nests deeper than anybody looks, sound or cut."""
    count = rng.choice((100, 127, 129, 600, 1_100, 20_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"content":', b"}]")))
    sound = rng.random() < 0.7

    def change(made: Document, node: Any, key: Any) -> None:
        node[key] = made.raw(opening * count + b"1" + (closing * count if sound else b""))

    return _changed(rng, data, change)


def huge(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A text, a list or an object with very many parts."""
    size = rng.choice((5_000, 50_000, 200_000))
    unit = rng.choice(("x", "a b ", "\n", "/", "\\", '"', "\u20ac", "a=1;", "../", "<b>", "x@y.z ", "A" * 40))

    def change(_: Document, node: Any, key: Any) -> None:
        old, kind = node[key], rng.random()
        if kind < 0.6:
            node[key] = (unit * size)[:size]
        elif kind < 0.8:
            node[key] = [old] * min(size // 50, MOST // max(1, len(json.dumps(old))))
        else:
            node[key] = {f"k{n}": n for n in range(size // 50)}

    return _changed(rng, data, change) if len(data) < MOST else data


def same_id(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A text of the file takes the place of another: ids double, parents go in a circle."""
    found = sorted({m[1] for m in _TEXT.finditer(data) if 3 <= len(m[1]) <= 64})
    if len(found) < 2:
        return data
    old, new = rng.sample(found, 2)
    return data.replace(b'"' + old + b'"', b'"' + new + b'"', rng.choice((1, 1, -1)))


def times(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A moment goes back, far ahead, or to where no calendar is."""
    found = list(_TIME.finditer(data))
    if not found:
        return number(rng, data, others)
    where = rng.choice(found)
    year = rng.choice((b"0001", b"1969", b"1970", b"2020", b"2026", b"2199", b"9999"))
    hour = rng.choice((b"00", b"23", b"24", where[4]))
    new = year + b"-" + where[2] + b"-" + rng.choice((b"01", b"28", b"31", where[3])) + b"T" + hour
    return data[: where.start()] + new + data[where.end() :]


# bytes and lines --------------------------------------------------------------------------------------


def flipped(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Some bytes are other ones."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64)) if made else 0):
        made[rng.randrange(len(made))] = rng.choice((rng.randrange(256), 0, 34, 92, 123, 125, 10))
    return bytes(made)


def noise(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Bytes are put in, or take the place of some."""
    place = rng.randrange(len(data) + 1)
    put = rng.choice((*NOISE, rng.randbytes(20)))
    return data[:place] + put + data[place + rng.choice((0, 0, 1, 5, 200)) :]


def cut(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The file ends early, begins late, or lacks a piece."""
    one, two = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return rng.choice((data[:two], data[one:], data[:one] + data[two:]))


def lines(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Lines are doubled, left out, moved or joined."""
    found = data.split(b"\n")
    place, to = rng.randrange(len(found)), rng.randrange(len(found))
    how = rng.randrange(6)
    if how == 0:
        found.insert(to, found[place])
    elif how == 1:
        del found[place]
    elif how == 2:
        found.insert(to, found.pop(place))
    elif how == 3:
        found[place : place + 2] = [b"".join(found[place : place + 2])]
    elif how == 4:
        rng.shuffle(found)
    else:
        found.insert(place, b"\n" * rng.choice((1, 50)))
    return b"\n".join(found)


def repeated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A line, or all of the file, stands there many times."""
    found = data.split(b"\n")
    place = rng.randrange(len(found))
    size = len(found[place]) + 1
    if rng.random() < 0.3 and len(data) < MOST // 4:
        return data + b"\n" + data
    found[place : place + 1] = [found[place]] * max(1, min(rng.choice((5, 200, 2_000)), MOST // size))
    return b"\n".join(found)


def mixed(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Lines or pieces of another format stand in the file."""
    other = rng.choice(others) if others else data
    theirs = other.split(b"\n")
    start = rng.randrange(len(theirs))
    piece = b"\n".join(theirs[start : start + rng.choice((1, 3, 1_000))])[: MOST // 2]
    found = data.split(b"\n")
    place = rng.randrange(len(found) + 1)
    return b"\n".join((*found[:place], piece, *found[place:]))


def ends(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Other line ends, other spaces, other encodings, a mark at the start."""
    how = rng.randrange(7)
    if how == 0:
        return data.replace(b"\n", b"\r\n")
    if how == 1:
        return data.replace(b"\n", b"\r")
    if how == 2:
        return b"\xef\xbb\xbf" + data
    if how == 3:
        return data.rstrip(b"\n")
    if how == 4:
        return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-16-le", "utf-32")))
    if how == 5:
        return data.replace(b"\n", b"\n\n\x00\n")
    return data.replace(b":", b" : ").replace(b",", b" ,\t") if len(data) < MOST else data


MUTATORS: dict[str, Mutator] = {
    one.__name__: one
    for one in (
        strange, number, key_gone, key_renamed, swapped, deep, huge, same_id, times,
        flipped, noise, cut, lines, repeated, mixed, ends,
    )
}  # fmt: skip
WEIGHTS = (6, 5, 4, 2, 3, 2, 2, 4, 3, 2, 3, 2, 3, 2, 2, 1)

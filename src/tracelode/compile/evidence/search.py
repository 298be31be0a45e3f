"""Where in an output does a wanted value lie: as a leaf, in another format, or as a piece of a text?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from tracelode.compile import transforms
from tracelode.compile.evidence.wanted import PIECE, Wanted
from tracelode.compile.normalise.maps import Shape
from tracelode.compile.paths import ANY_PLACE, Key
from tracelode.compile.transforms import Shared
from tracelode.model.binding import Transform
from tracelode.model.run import Tree

Way: TypeAlias = tuple["Way", Key] | None
"""A place in an output, from the leaf up."""

PLAIN = re.compile(r"\w+")
"""A word: a piece that is bounded has whole ones."""
LONG = 200
"""Characters from which a text is no leaf that is compared whole in another format."""
KNOWN = 200_000
"""Texts whose keys are remembered."""


@dataclass
class Memory:
    """Keys of texts that were seen: outputs of repeated runs are alike."""

    texts: dict[str, tuple[Shared, ...]] = field(default_factory=dict)
    """Text to its keys."""
    paths: dict[tuple[str, tuple[Key, ...]], str] = field(default_factory=dict)
    """Tool and place without list places to its generalised path."""

    def path(self, tool: str, shape: Shape, keys: tuple[Key, ...]) -> str:
        """The generalised path of a place.

        Args:
            tool: producer.
            shape: of its outputs.
            keys: dict keys and list places.
        """
        at = (tool, wide(keys))
        found = self.paths.get(at)
        if found is None:
            found = self.paths[at] = shape.general(keys)
        return found

    def keys(self, text: str) -> tuple[Shared, ...]:
        """The keys of a produced text.

        Args:
            text: leaf.
        """
        found = self.texts.get(text)
        if found is None:
            if len(self.texts) >= KNOWN:
                self.texts.clear()
            found = transforms.keys(text) if len(text) <= LONG else transforms.canonical(text)
            self.texts[text] = found
        return found

    def of(self, leaf: Tree) -> tuple[Shared, ...]:
        """The keys of any produced leaf.

        Args:
            leaf: JSON value.
        """
        return self.keys(leaf) if isinstance(leaf, str) else transforms.keys(leaf)


@dataclass
class Found:
    """What one output holds of what is wanted."""

    hits: dict[int, list[tuple[Way, Tree]]] = field(default_factory=dict)
    """Place of a wanted leaf to (way, produced leaf), in the order of the output."""
    texts: list[str] = field(default_factory=list)
    """Texts that may hold pieces, in the order of the output."""
    ways: list[Way] = field(default_factory=list)
    """Where the list or dict of each text lies, apart from its last key: so nothing is made per text."""
    last: list[Key | None] = field(default_factory=list)
    """And its key in there, None where the output is the text."""
    leaves: int = 0
    """Leaves that were looked at."""

    def place(self, text: int) -> tuple[Key, ...]:
        """The keys of a text.

        Args:
            text: its number.
        """
        key = self.last[text]
        return () if key is None else (*way_of(self.ways[text]), key)


def scan(output: Tree, wanted: Wanted, memory: Memory) -> Found:
    """Look at every leaf of an output once.

    Args:
        output: JSON value.
        wanted: what is looked for.
        memory: keys that are known.

    Returns:
        Leaves that have a key of a wanted one.
    """
    found = Found()
    _Scan(wanted, memory, found).value(output, None)
    return found


class _Scan:
    def __init__(self, wanted: Wanted, memory: Memory, found: Found) -> None:
        self.by_key, self.by_number, self.places = wanted.by_key, wanted.by_number, wanted.places
        self.memory, self.found = memory, found
        self.known = memory.texts

    def value(self, tree: Tree, way: Way) -> None:
        """Look at a value; containers loop here, since most of the time goes into this."""
        kind = type(tree)
        if kind is not dict and kind is not list:
            self.found.leaves += 1
            self.leaf(tree, way)
            return
        known, texts, ways, last = self.known, self.found.texts, self.found.ways, self.found.last
        by_key, by_number = self.by_key, self.by_number
        self.found.leaves += len(tree)
        for key, inner in tree.items() if kind is dict else enumerate(tree):
            kind_of = type(inner)
            if kind_of is str:
                if len(inner) > PIECE:
                    texts.append(inner)
                    ways.append(way)
                    last.append(key)
                keys = known.get(inner)
                for one in self.memory.keys(inner) if keys is None else keys:
                    if one in by_key:
                        self._hit(one, (way, key), inner)
            elif kind_of is dict or kind_of is list:
                self.found.leaves -= 1
                self.value(inner, (way, key))
            elif kind_of is int:
                if inner in by_number:
                    self._hit(("n", inner), (way, key), inner)
            elif inner is not None:
                self.leaf(inner, (way, key))

    def leaf(self, leaf: Tree, way: Way) -> None:
        if isinstance(leaf, str):
            if len(leaf) > PIECE:
                self.found.texts.append(leaf)
                self.found.ways.append(None if way is None else way[0])
                self.found.last.append(None if way is None else way[1])
            keys = self.memory.keys(leaf)
        elif isinstance(leaf, float):
            keys = transforms.canonical(leaf)
            if keys and self.places:
                keys += tuple(("round", k, round(leaf, k)) for k in self.places)
        else:
            keys = transforms.canonical(leaf)
        for one in keys:
            if one in self.by_key:
                self._hit(one, way, leaf)

    def _hit(self, key: Shared, way: Way, leaf: Tree) -> None:
        for n in self.by_key[key]:
            self.found.hits.setdefault(n, []).append((way, leaf))


def wide(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """A place with every list place generalised.

    Args:
        keys: dict keys and list places.
    """
    return tuple([ANY_PLACE if type(key) is int else key for key in keys])


@lru_cache(maxsize=65536, typed=True)
def explained(produced: Tree, passed: Tree) -> tuple[Literal["L0", "L1", "L2"], tuple[Transform, ...]] | None:
    """transforms.explain, remembered: the same pairs come in every run.

    Args:
        produced: leaf.
        passed: leaf.
    """
    return transforms.explain(produced, passed)


def way_of(way: Way) -> tuple[Key, ...]:
    """The keys of a place.

    Args:
        way: from the leaf up.

    Returns:
        From the top down.
    """
    keys: list[Key] = []
    while way is not None:
        way, key = way
        keys.append(key)
    return tuple(keys[::-1])


class Pieces:
    """The texts of one output as one text, to look for pieces in.

    Args:
        texts: in the order of the output.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        lowered = [text.lower() for text in texts]
        # a few letters grow when they are made small: then places would be wrong
        lowered = [low if len(low) == len(text) else text for low, text in zip(lowered, texts, strict=True)]
        self.all = "\0".join(lowered)
        self.known: dict[str, tuple[tuple[int, str, int, int], ...]] = {}
        self.held: frozenset[str] | None = None
        self.starts: list[int] = []
        at = 0
        for low in lowered:
            self.starts.append(at)
            at += len(low) + 1

    @property
    def words(self) -> frozenset[str]:
        """The words of the texts."""
        if self.held is None:
            self.held = frozenset(PLAIN.findall(self.all))
        return self.held

    def places(self, needle: str, most: int) -> tuple[tuple[int, str, int, int], ...]:
        """find(), remembered: arguments come again.

        Args:
            needle: in lower case.
            most: places that are given, the same for every needle.
        """
        found = self.known.get(needle)
        if found is None:
            found = self.known[needle] = tuple(self.find(needle, most))
        return found

    def find(self, needle: str, most: int) -> Iterator[tuple[int, str, int, int]]:
        """Where a text lies as a piece that is no part of a longer word.

        Args:
            needle: in lower case.
            most: places that are given.

        Yields:
            (number of the text, whole text, start, stop) in the order of the output.
        """
        at, given = self.all.find(needle), 0
        while at >= 0 and given < most:
            end = at + len(needle)
            if bounded(self.all, at, end):
                place = bisect_right(self.starts, at) - 1
                start = at - self.starts[place]
                yield place, self.texts[place], start, start + len(needle)
                given += 1
            at = self.all.find(needle, at + 1)


def bounded(text: str, start: int, stop: int) -> bool:
    """Is a piece of a text no part of a longer word or number?

    Args:
        text: whole.
        start: first character.
        stop: after the last one.
    """
    first, last = text[start], text[stop - 1]
    before = text[start - 1] if start else " "
    after = text[stop] if stop < len(text) else " "
    if (first.isalnum() and (before.isalnum() or before == "_")) or (
        last.isalnum() and (after.isalnum() or after == "_")
    ):
        return False
    if first.isdigit() and before in ".,-:" and start > 1 and text[start - 2].isdigit():
        return False
    return not (last.isdigit() and after in ".,:-" and stop + 1 < len(text) and text[stop + 1].isdigit())

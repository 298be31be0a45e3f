"""Which outputs of a run tell a value, and which of its arguments say enough to be looked for?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from tracelode.compile.paths import general, leaves
from tracelode.model.run import Call, Run, Tree

SHORT, LONG = 4, 200
"""Characters between which a value is looked for."""
MOST = 64
"""Leaves of one call's arguments that are looked for."""
_WORD = re.compile(rb"[A-Za-z0-9_]")
_APART = bytes(sign if _WORD.match(bytes((sign,))) else 32 for sign in range(256))
"""Every byte that is no part of a word, as a space."""
FEW = 64
"""Values that are looked for without an index of words, which takes longer to make."""
_TRIES = 20
_DULL = re.compile(r"-?\d{1,3}|true|false|null|[a-z]{1,12}", re.IGNORECASE)


def texts(tree: Tree) -> list[tuple[str, str]]:
    """The leaves of arguments as texts.

    Args:
        tree: arguments.

    Returns:
        (generalised path, text) for the first MOST leaves that are not empty.
    """
    found = []
    for keys, value in leaves(tree):
        if value is None or value == {} or value == [] or value == "":
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        found.append((general(keys), text))
        if len(found) == MOST:
            break
    return found


def informative(text: str) -> bool:
    """Does a value say enough that it is not told by chance?

    Args:
        text: of an argument leaf.

    Example:
        >>> informative("12"), informative("economy"), informative("LAX.AIRPORT"), informative("San Jose")
        (False, False, True, True)
    """
    return SHORT <= len(text) <= LONG and not _DULL.fullmatch(text)


class Told:
    """What the calls of a run tell.

    Args:
        run: which.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.arguments = [texts(call.arguments) for call in run.calls]
        """Per call: its argument leaves."""
        self._own = [{text for _, text in found} for found in self.arguments]
        self._held: dict[str, frozenset[int]] = {}
        said = [turn for turn in run.turns if turn.role != "assistant"]
        self._asked = [
            "\n".join(turn.text.lower() for turn in said if turn.before <= n) for n in range(len(run.calls))
        ]

    def asked(self, call: int, text: str) -> bool:
        """Does what was said before a call tell a value?

        Args:
            call: index.
            text: the value.
        """
        return text.lower() in self._asked[call]

    def tells(self, call: int, text: str) -> bool:
        """Does the output of a call tell a value that it was not given itself?

        Args:
            call: index.
            text: the value.

        Returns:
            True where it stands there as a whole word.
        """
        if text in self._own[call]:
            return False
        return call in self._holders(text)

    def _holders(self, text: str) -> frozenset[int]:
        """All calls in whose outputs a value stands, their own arguments or not; asked once a value."""
        found = self._held.get(text)
        if found is None:
            needle = msgspec.json.encode(text)[1:-1]
            places = self._places(needle)
            found = self._held[text] = frozenset(n for n in places if standing(self._blobs[n], needle) >= 0)
        return found

    def _places(self, needle: bytes) -> Iterable[int]:
        """The calls whose outputs may hold a value: all, or where all of its words stand."""
        if len(self._held) < FEW:
            return range(len(self._blobs))
        # each word of the value is a whole word of what tells it: most outputs need not be searched
        words = needle.translate(_APART).split()
        return (
            sorted(set.intersection(*(self._where.get(word, set()) for word in words)))
            if words
            else range(len(self._blobs))
        )

    @cached_property
    def _blobs(self) -> list[bytes]:
        return [_encoded(call) for call in self.run.calls]

    @cached_property
    def _where(self) -> dict[bytes, set[int]]:
        """Word to the calls in whose outputs it stands."""
        found: dict[bytes, set[int]] = {}
        for n, blob in enumerate(self._blobs):
            for word in set(blob.translate(_APART).split()):
                found.setdefault(word, set()).add(n)
        return found

    def tellers(self, call: int, text: str, among: Sequence[int]) -> list[int]:
        """The earlier calls whose outputs tell a value.

        Args:
            call: index of the call that was given it.
            text: the value.
            among: indexes of the calls that are looked at.
        """
        held = self._holders(text)
        return [n for n in among if n < call and n in held and text not in self._own[n]] if held else []


def standing(blob: bytes, needle: bytes) -> int:
    """Where a value stands in an output as a whole word.

    Args:
        blob: outputs as JSON.
        needle: the value as JSON, without its quotes.

    Returns:
        Its first place; -1 where it stands nowhere, or only in longer words.
    """
    at = blob.find(needle)
    for _ in range(_TRIES):
        if at < 0:
            break
        end = at + len(needle)
        before = at > 0 and _WORD.match(needle) and _WORD.match(blob, at - 1)
        after = _WORD.match(needle, len(needle) - 1) and _WORD.match(blob, end)
        if not before and not after:
            return at
        at = blob.find(needle, at + 1)
    return -1


def _encoded(call: Call) -> bytes:
    return b"" if call.missing else msgspec.json.encode(call.output)

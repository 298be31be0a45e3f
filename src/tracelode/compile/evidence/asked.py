"""Does something that was said tell a value? Words of people and of the system, before a call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tracelode.compile import forms, transforms
from tracelode.compile.evidence.search import bounded
from tracelode.compile.evidence.wanted import Leaf
from tracelode.compile.mentions import mentions
from tracelode.compile.transforms import Shared
from tracelode.model.binding import Transform
from tracelode.model.run import Run

MOST = 200_000
"""Characters of what was said that are looked at: the last ones."""
_NUMBERS = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?!\w)|(?<![\w.,])\.\d+", re.ASCII)
_WORDS = {
    word: n
    for n, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_YEARLESS = re.compile(
    rf"\b(?:(?P<a>{'|'.join(f'{m}|{m[:3]}' for m in forms.MONTHS)})\.? (?P<b>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<c>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<d>{'|'.join(f'{m}|{m[:3]}' for m in forms.MONTHS)}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Words:
    """What was said up to a call."""

    text: str
    """In lower case."""
    keys: frozenset[Shared]
    """Of the dates, times and numbers in it."""

    def tell(self, leaf: Leaf) -> tuple[Transform, ...] | None:
        """Do they tell a value?

        Args:
            leaf: what was passed.

        Returns:
            The changes that lead from how it was said to what was passed, () where they are not known; None
            where it was not said.
        """
        value = leaf.value
        if not self.text or isinstance(value, bool):
            return None
        folded = " ".join(transforms.text(value).split()).lower()
        at = _place(self.text, folded)
        if at >= 0:
            return ()
        if isinstance(value, str):
            for moment in forms.read(value):
                if self._moment(moment):
                    return ()
            for needle in leaf.needles:
                if _place(self.text, needle) >= 0:
                    return ()
        known = transforms.number(value)
        if known is not None and ("n", known) in self.keys:
            return ()
        return None

    def _moment(self, moment: forms.Moment) -> bool:
        day = ("day", moment.month, moment.day) in self.keys if moment.month else True
        clock = ("time", moment.clock) in self.keys if moment.clock else True
        return day and clock and bool(moment.form)


def _place(text: str, needle: str) -> int:
    if not needle:
        return -1
    at = text.find(needle)
    while at >= 0 and not bounded(text, at, at + len(needle)):
        at = text.find(needle, at + 1)
    return at


def words(texts: Iterable[str]) -> Words:
    """What some texts tell.

    Args:
        texts: in order.

    Returns:
        Their text and the keys of what they mention.
    """
    return _words("\n".join(texts)[-MOST:])


@lru_cache(maxsize=1024)
def _words(whole: str) -> Words:
    keys: set[Shared] = set()
    for mention in mentions(whole):
        for moment in forms.read(str(mention.value)) if mention.kind != "number" else ():
            if moment.month:
                keys.add(("day", moment.month, moment.day))
            if moment.clock:
                keys.add(("time", moment.clock))
    for match in _YEARLESS.finditer(whole):
        name, day = match["a"] or match["d"], match["b"] or match["c"]
        keys.add(("day", forms.month(name), int(day)))
    for number in _NUMBERS.findall(whole):
        known = transforms.number(number)
        if known is not None:
            keys.add(("n", known))
    keys.update(("n", _WORDS[word.lower()]) for word in _WORD.findall(whole))
    return Words(" ".join(whole.split()).lower(), frozenset(keys))


class Said:
    """What was said in a run, up to each of its calls.

    Args:
        run: which.
    """

    def __init__(self, run: Run) -> None:
        self.turns = [turn for turn in run.turns if turn.role == "user"]
        self.system = words(turn.text for turn in run.turns if turn.role == "system")
        self.known: dict[int, Words] = {}

    def before(self, call: int) -> Words:
        """What a person had said before a call.

        Args:
            call: its index.
        """
        count = sum(turn.before <= call for turn in self.turns)
        if count not in self.known:
            self.known[count] = words(turn.text for turn in self.turns[:count])
        return self.known[count]

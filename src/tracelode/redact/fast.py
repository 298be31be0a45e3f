"""What does a text look like without its secrets? The RE2 engine and the choke point of an import."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import re2

from tracelode.errors import UsageError
from tracelode.redact.marks import compiled, encode, rows
from tracelode.redact.nested import write
from tracelode.redact.scan import Find, Found, redact
from tracelode.redact.table import TRIGGER_MAX
from tracelode.redact.window import cut, first, join, last

MODES: Final = ("summary", "metadata", "full")
"""summary: redacted, bounded previews; metadata: no previews; full: redacted, unbounded."""

_WHOLE: Final = 4_096
_NAME: Final = 200
_JOINED: Final = re.compile(r"(?<=[-_.~*$)\]}])(?=/(?:home|Users|root|mnt)/)")
_PARTS: Final = 20
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


class Engine:
    """Finds the leftmost trigger with one RE2 automaton over all rows, and its row with another.

    Args:
        home_names: n user names.
    """

    def __init__(self, home_names: tuple[str, ...]) -> None:
        self._rows = rows(home_names)
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.max_mem = 128 << 20
        options.log_errors = False
        triggers = [row.trigger.encode("latin-1") for row in self._rows]
        # Without groups RE2 answers from its automaton alone, at memory speed.
        options.never_capture = True
        self._probe = re2.compile(b"|".join(triggers), options)
        # Which rows match at one place, asked of one automaton as well; their patterns are compiled on need.
        self._kinds = re2.Set.MatchSet(options)
        for trigger in triggers:
            self._kinds.Add(trigger)
        self._kinds.Compile()

    def clean(self, data: bytes) -> bool:
        """Is there no trigger at all?

        Args:
            data: n bytes of UTF-8.

        Returns:
            True if nothing needs judging.
        """
        return self._probe.search(data) is None

    def __call__(self, data: bytes) -> Find:
        """Bind to one text.

        Args:
            data: n bytes of UTF-8.

        Returns:
            What finds the leftmost trigger at or behind an offset.
        """
        search, kinds, order = self._probe.search, self._kinds.Match, self._rows

        def find(position: int) -> Found | None:
            while (hit := search(data, position)) is not None:
                at: int = hit.start()
                # All of them if the automaton ran out of memory.
                for number in sorted(kinds(data[at : at + TRIGGER_MAX])) or range(len(order)):
                    match = compiled(order[number].trigger).match(data, at)
                    if match is not None:
                        return order[number], match
                position = at + 1
            return None

        return find


@lru_cache(maxsize=16)
def engine(home_names: tuple[str, ...]) -> Engine:
    """The engine for given home names, built once.

    Args:
        home_names: n user names, sorted.

    Returns:
        The engine.
    """
    return Engine(home_names)


def _redact(text: str, home_names: tuple[str, ...]) -> str:
    data = encode(text)
    bound = engine(home_names)
    if bound.clean(data):
        return text if text.isascii() else data.decode()
    return redact(data, bound).decode()


def redact_text(text: str, home_names: Iterable[str] = ()) -> str:
    """A text with secrets, e-mail addresses and home folders replaced.

    Args:
        text: any string; lone surrogates become question marks.
        home_names: user names that are to go from paths and slugs.

    Returns:
        The text; redacting it again changes nothing.
    """
    return _redact(text, tuple(sorted(home_names)))


class Redactor:
    """The one place all text of a trace passes before it is stored.

    Args:
        mode: one of MODES.
        home_names: user names that are to go from paths and slugs, besides those paths show.

    Raises:
        UsageError: unknown mode.
    """

    def __init__(self, mode: str = "summary", home_names: Iterable[str] = ()) -> None:
        if mode not in MODES:
            raise UsageError(f"unknown redaction mode; choose one of {', '.join(MODES)}")
        self.mode = mode
        self.home_names = tuple(sorted(set(home_names)))

    def text(self, s: str) -> str:
        """A whole text.

        Args:
            s: any string.

        Returns:
            It, redacted; "" in mode metadata.
        """
        return "" if self.mode == "metadata" else _redact(s, self.home_names)

    def preview(self, s: str, head: int, tail: int = 0) -> str:
        """The bounded preview of a text: cut after redaction, at the cost of the windows only.

        Args:
            s: any string.
            head: characters kept at the start.
            tail: characters kept at the end.

        Returns:
            cut(text(s), head, tail, len(s)); the whole in mode full, "" in mode metadata.
        """
        if self.mode != "summary":
            return self.text(s)
        if len(s) > head + tail + _WHOLE:
            find = engine(self.home_names)
            begin = first(s, head, find)
            end = last(s, tail, find) if begin is not None and tail else ("", len(s))
            if begin is not None and end is not None:
                (left, used), (right, point) = begin, end
                if used <= point and len(left) + len(right) > head + tail:
                    return join(left[:head], right[len(right) - tail :] if tail else "", len(s) - head - tail)
        return cut(_redact(s, self.home_names), head, tail, len(s))

    def start(self, s: str, count: int) -> str:
        """The first characters of a redacted text, in every mode.

        Args:
            s: any string.
            count: characters wanted.

        Returns:
            At most count characters.
        """
        if len(s) > count + _WHOLE and (begin := first(s, count, engine(self.home_names))) is not None:
            return begin[0][:count]
        return _redact(s, self.home_names)[:count]

    def path(self, s: str) -> str:
        r"""A file path: home folder as ~, backslashes as slashes, then redacted; in every mode.

        Args:
            s: a path in any spelling: /home/x, C:\Users\x, -Users-x-src.

        Returns:
            The path.
        """
        # the unit separator stands between frames inside the store
        return _redact(s.replace("\\", "/").replace("\x1f", " "), self.home_names)

    def name(self, s: str) -> str:
        """A short identifier: tool name, model id, branch; in every mode.

        Args:
            s: any string.

        Returns:
            One line of at most 200 characters, redacted, without control characters.
        """
        if "/" in s and _JOINED.search(s):
            # mcp__server__/home/x: what joins words hides that a path begins
            s = "".join(self.start(part, _NAME) for part in _JOINED.split(s)[:_PARTS])
        return _CONTROL.sub(" ", self.start(s, _NAME))

    def value(self, obj: Any, limit: int) -> str:
        """A decoded JSON value as compact JSON text, every key and string redacted.

        Args:
            obj: dict, list, str, int, float, bool or None, nested.
            limit: characters kept; ignored in mode full.

        Returns:
            At most limit characters and an ellipsis; "" in mode metadata. Work is bounded by limit,
            not by the size of the value.
        """
        if self.mode == "metadata":
            return ""
        return write(obj, None if self.mode == "full" else limit, self.start, self.text)

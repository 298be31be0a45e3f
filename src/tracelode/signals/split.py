"""Which simple commands does a shell line hold? A tolerant splitter: quotes, heredocs, substitutions."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LENGTH = 4_000
"""Characters looked at; stored commands are shorter."""
MAX_DEPTH = 8
"""Nested substitutions followed; a deeper one hides the rest of the text."""


class Part(NamedTuple):
    """One simple command of a line."""

    words: tuple[str, ...]
    """Words without quotes and redirections."""
    target: str = ""
    """File that the output is redirected to; "" for none."""
    body: str = ""
    """Text of its here-documents."""
    inner: tuple[Part, ...] = ()
    """Commands of its substitutions."""
    piped: bool = False
    """True where it reads another part's output."""
    background: bool = False
    """True where & ends it."""


_PLAIN = re.compile(r"[^\s;|&<>()'\"`\\$#]+")
_DOUBLE = re.compile(r"[^\"\\$`]+")
_ASSIGN = re.compile(r"[A-Za-z_]\w*\+?=$")
_REDIRECT = re.compile(r"&>>?|<<<|<<-?|<&|>&|>>|>\||<>|<|>")
_DELIMITER = re.compile(r"[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([A-Za-z_][\w.-]*))")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&?|[;|&\n]")
_UPPER = re.compile(r"[A-Z_]{2,}$")
_TAG = re.compile(r"^\s*\[run\]\s*", re.MULTILINE)
_NOWHERE = re.compile(r"/dev/(?:null|stderr|stdout|tty)$|\d+$|-$|\$")
_WINDOWS = re.compile(r"(?:[A-Za-z]:|\.\.?)(?:/|$)")
_BLANK = " \t\r"


def split(command: str) -> list[Part]:
    """Cut a shell line at its operators.

    Args:
        command: the line or lines; may be cut off anywhere.

    Returns:
        Its simple commands in order; never raises, whatever the text.

    Source:
        naming rules, step 1, shell.

    Example:
        >>> [part.words[0] for part in split("cd a && git log | head")]
        ['cd', 'git', 'head']
    """
    if "[run]" in command:
        command = _TAG.sub("", command)
    return _Scanner(command[:MAX_LENGTH]).commands(0, nested=False)[0]


class _Draft:
    """The command being read."""

    def __init__(self, piped: bool) -> None:
        self.words: list[str] = []
        self.text: list[str] | None = None  # the word being read; None between words
        self.redirect = ""
        self.target = ""
        self.bodies: list[str] = []
        self.inner: list[Part] = []
        self.piped = piped
        self.background = False

    def add(self, text: str) -> None:
        if self.text is None:
            self.text = [text]
        else:
            self.text.append(text)

    def end_word(self) -> None:
        if self.text is None:
            return
        word = "".join(self.text)
        self.text = None
        if not self.redirect:
            self.words.append(word)
            return
        if ">" in self.redirect and not _NOWHERE.match(word):
            self.target = word
        self.redirect = ""

    def part(self) -> Part:
        return Part(
            tuple(self.words),
            self.target,
            "\n".join(self.bodies),
            tuple(self.inner),
            self.piped,
            self.background,
        )


class _Level:
    """The commands of one nesting level while they are read."""

    def __init__(self) -> None:
        self.drafts: list[_Draft] = []
        self.draft = _Draft(piped=False)
        self.waiting: list[tuple[str, bool, _Draft]] = []  # here-documents opened on this line
        self.groups = 0

    def close(self, operator: str) -> None:
        self.draft.end_word()
        self.draft.background = operator == "&"
        self.drafts.append(self.draft)
        self.draft = _Draft(piped=operator in ("|", "|&"))

    def parts(self) -> list[Part]:
        self.close(";")
        return [d.part() for d in self.drafts if d.words or d.target or d.bodies or d.inner]


class _Scanner:
    """Reads one text; every method takes a position and gives the next one."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.depth = depth

    def commands(self, at: int, nested: bool) -> tuple[list[Part], int]:
        """Read commands up to the end, or past the ) that closes a substitution."""
        text, end = self.text, len(self.text)
        level = _Level()
        while at < end:
            plain = _PLAIN.match(text, at)
            if plain is not None:
                level.draft.add(plain.group())
                at = plain.end()
                continue
            char = text[at]
            if char in _BLANK:
                level.draft.end_word()
                at += 1
            elif char in "'\"`\\$":
                at = self._quoted(at, level.draft)
            elif char == "#":
                at = self._hash(at, level.draft)
            elif char in "<>" or text.startswith("&>", at):
                at = self._redirect(at, level)
            elif char == ")" and nested and not level.groups:
                at += 1
                break
            elif char in "()":
                at = self._group(at, level)
            else:
                at = self._operator(at, level)
        return level.parts(), at

    def _operator(self, at: int, level: _Level) -> int:
        match = _OPERATOR.match(self.text, at)
        if match is None:  # rare white space
            level.draft.end_word()
            return at + 1
        level.close(match.group())
        at = match.end()
        if match.group() == "\n" and level.waiting:
            at = self._bodies(at, level.waiting)
            level.waiting = []
        return at

    def _group(self, at: int, level: _Level) -> int:
        draft = level.draft
        if self.text[at] == "(" and draft.text and _ASSIGN.search(draft.text[-1]):  # an array
            close = self.text.find(")", at)
            draft.add("()")
            return len(self.text) if close < 0 else close + 1
        level.close(";")
        level.groups = max(0, level.groups + (1 if self.text[at] == "(" else -1))
        return at + 1

    def _quoted(self, at: int, draft: _Draft) -> int:
        text, char = self.text, self.text[at]
        if char == "\\":
            if draft.text is not None and _WINDOWS.match("".join(draft.text)):
                draft.add("/")
                return at + 1
            following = text[at + 1 : at + 2]
            if following != "\n":
                draft.add(following)
            return at + 2
        if char == "'":
            close = text.find("'", at + 1)
            close = len(text) if close < 0 else close
            draft.add(text[at + 1 : close])
            return close + 1
        if char == '"':
            return self._double(at + 1, draft)
        if char == "`":
            return self._backtick(at, draft)
        return self._dollar(at, draft)

    def _double(self, at: int, draft: _Draft) -> int:
        text, end = self.text, len(self.text)
        draft.add("")
        while at < end:
            plain = _DOUBLE.match(text, at)
            if plain is not None:
                draft.add(plain.group())
                at = plain.end()
                continue
            char = text[at]
            if char == '"':
                return at + 1
            if char == "\\":
                following = text[at + 1 : at + 2]
                # inside double quotes a backslash stays before an ordinary character
                draft.add(following if following in ('"', "\\", "$", "`") else "\\" + following)
                at += 2
            elif char == "`":
                at = self._backtick(at, draft)
            else:
                at = self._dollar(at, draft, in_double=True)
        return at

    def _dollar(self, at: int, draft: _Draft, in_double: bool = False) -> int:
        text = self.text
        if text.startswith("$((", at):
            close = text.find("))", at)
            draft.add("$()")
            return len(text) if close < 0 else close + 2
        if text.startswith("$(", at):
            return self._substitution(at + 2, draft)
        if text.startswith("${", at):
            close = text.find("}", at)
            close = len(text) if close < 0 else close + 1
            draft.add(text[at:close])
            return close
        if not in_double and text.startswith(("$'", '$"'), at):
            return self._quoted(at + 1, draft)
        draft.add("$")
        return at + 1

    def _substitution(self, at: int, draft: _Draft) -> int:
        draft.add("$()")
        if self.depth >= MAX_DEPTH:
            return len(self.text)
        self.depth += 1
        inner, at = self.commands(at, nested=True)
        self.depth -= 1
        draft.inner.extend(inner)
        return at

    def _backtick(self, at: int, draft: _Draft) -> int:
        close = self.text.find("`", at + 1)
        close = len(self.text) if close < 0 else close
        draft.add("$()")
        if self.depth < MAX_DEPTH:
            scanner = _Scanner(self.text[at + 1 : close], self.depth + 1)
            draft.inner.extend(scanner.commands(0, nested=False)[0])
        return close + 1

    def _hash(self, at: int, draft: _Draft) -> int:
        if draft.text is not None:  # a # inside a word is a letter
            draft.add("#")
            return at + 1
        close = self.text.find("\n", at)
        return len(self.text) if close < 0 else close

    def _redirect(self, at: int, level: _Level) -> int:
        draft, match = level.draft, _REDIRECT.match(self.text, at)
        if match is None:
            return at + 1
        operator, after = match.group(), match.end()
        if operator in ("<", ">") and self.text.startswith("(", after):
            return self._substitution(after + 1, draft)
        if draft.text is not None and "".join(draft.text).isdigit():
            draft.text = None  # the file descriptor of 2>
        draft.end_word()
        if operator not in ("<<", "<<-"):
            draft.redirect = operator
            return after
        delimiter = _DELIMITER.match(self.text, after)
        if delimiter is None:
            return after
        bare = delimiter.group(3)
        # without its end in sight a quoted or upper-case word still opens a here-document: the text was cut
        word = bare or delimiter.group(1) or delimiter.group(2)
        level.waiting.append((word, bare is None or _UPPER.match(word) is not None, draft))
        return delimiter.end()

    def _bodies(self, at: int, waiting: list[tuple[str, bool, _Draft]]) -> int:
        """Read the here-documents that begin at this position."""
        text = self.text
        for word, sure, draft in waiting:
            close = re.compile(rf"^[ \t]*{re.escape(word)}[ \t]*$", re.MULTILINE).search(text, at)
            if close is not None:
                draft.bodies.append(text[at : close.start()].rstrip("\n"))
                at = min(len(text), close.end() + 1)
            elif sure:
                draft.bodies.append(text[at:])
                at = len(text)
        return at

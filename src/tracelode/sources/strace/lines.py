"""What does one line of strace say? Who, when, and which call with which answer; no meaning yet."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEAD = re.compile(
    r"\s*(?:\[pid\s+(?P<shown>\d{1,10})\]\s+|(?P<pid>\d{1,10})\s+)?"
    r"(?:(?P<epoch>\d{9,11}\.\d{1,9})|(?P<clock>\d\d:\d\d:\d\d(?:\.\d{1,9})?)|(?P<step>\d{1,8}\.\d{6}))?\s*"
)
_CALL = re.compile(r"(?P<name>[a-z_][a-z0-9_]*|\?+)\(")
_RESUMED = re.compile(r"<\.\.\. (?P<name>[a-z_?][a-z0-9_]*|\?+) resumed>")
_ANSWER = re.compile(r"\)\s+= (?P<value>0x[0-9a-f]{1,16}\b|-?\d{1,19}\b|\?)(?P<rest>[^\n]*)$")
_LAST = re.compile(r".*(?P<answer>\)\s+= (?:0x[0-9a-f]{1,16}\b|-?\d{1,19}\b|\?).*)$", re.DOTALL)
_ERROR = re.compile(r" (E[A-Z0-9]+)\b")
_TOLD = re.compile(r"^(?:<(?P<what>.*)>)?(?: |$)")
_EXITED = re.compile(r"\+\+\+ exited with (\d{1,10}) \+\+\+")
_KILLED = re.compile(r"\+\+\+ killed by (SIG[A-Z0-9+]+)")
_REPLACED = re.compile(r"\+\+\+ superseded by execve in pid (\d{1,10}) \+\+\+")
_OUTER = re.compile(r"^ /\* (\d{1,10}) in strace's PID NS \*/")
"""Of a process in another namespace: its number as the log's lines begin with it."""
_TIME = re.compile(r" <\d+\.\d+>$")
UNFINISHED = " <unfinished ...>"


class Entry(NamedTuple):
    """One line, cut into its parts."""

    pid: int
    """Process or thread; 0 where the log does not say."""
    at: int | None
    """UTC microseconds, None where the line has no date."""
    slack: int
    """Microseconds by which the moment may be later."""
    what: str
    """call, begun (no answer yet), resumed (the rest of one), exited, killed, replaced, other or bad."""
    name: str = ""
    """Name of the call, the exit code or signal, or the number of the thread that replaces this one."""
    arguments: str = ""
    """Text between the parentheses, as far as this line has it."""
    value: int | None = None
    """What the call answered, None if nothing."""
    error: str = ""
    """Name of the error, "" for none."""
    told: str = ""
    """What strace -y says the answered descriptor is."""


def parse(text: str) -> Entry:
    """Cut one line.

    Args:
        text: a line without its end.

    Returns:
        Its parts; what is "bad" for a line that strace does not write.
    """
    head = _HEAD.match(text)
    assert head is not None, "every part of it may be empty"
    pid = int(head["shown"] or head["pid"] or 0)
    at, slack = _moment(head["epoch"])
    rest = text[head.end() :]
    if rest.startswith("<... "):
        found = _RESUMED.match(rest)
        if found is None:
            return Entry(pid, at, slack, "bad")
        return _answered(pid, at, slack, "resumed", found["name"], rest[found.end() :])
    call = _CALL.match(rest)
    if call is not None:
        tail = rest[call.end() :]
        if tail.endswith(UNFINISHED):
            return Entry(pid, at, slack, "begun", call["name"], tail[: -len(UNFINISHED)])
        return _answered(pid, at, slack, "call", call["name"], tail)
    if rest.startswith("+++ "):
        gone = _EXITED.match(rest)
        if gone is not None:
            return Entry(pid, at, slack, "exited", gone[1])
        killed = _KILLED.match(rest)
        if killed is not None:
            return Entry(pid, at, slack, "killed", killed[1])
        replaced = _REPLACED.match(rest)
        if replaced is not None:
            return Entry(pid, at, slack, "replaced", replaced[1])
        return Entry(pid, at, slack, "other" if rest.endswith(" +++") else "bad")
    if rest.startswith(("--- ", "strace: ")) or rest.endswith(("<detached ...>", "<unfinished ...>")):
        return Entry(pid, at, slack, "other")
    return Entry(pid, at, slack, "bad")


def _answered(pid: int, at: int | None, slack: int, what: str, name: str, tail: str) -> Entry:
    """A call with its answer: the last one on the line, since texts may hold anything."""
    if tail.endswith(">"):
        tail = _TIME.sub("", tail)
    if tail.endswith("<detached ...>"):
        return Entry(pid, at, slack, "other")
    place = tail.rfind(")")
    answer = _ANSWER.match(tail, place) if place >= 0 else None
    if answer is None:
        # a parenthesis after the answer: an error's words, a path
        last = _LAST.match(tail)
        place = last.start("answer") if last else 0
        answer = _ANSWER.match(tail, place) if last else None
        if answer is None:
            return Entry(pid, at, slack, "bad")
    value = None if answer["value"] == "?" else integer(answer["value"])
    rest = answer["rest"]
    outer = _OUTER.search(rest)
    if outer is not None:
        value = int(outer[1])
    error = _ERROR.match(rest)
    told = _TOLD.match(rest)
    return Entry(
        pid, at, slack, what, name, tail[:place], value, error[1] if error else "",
        (told["what"] or "") if told else "",
    )  # fmt: skip


def integer(text: str) -> int:
    """A number as strace writes it: decimal, or hexadecimal after 0x."""
    return int(text, 16) if text.startswith("0x") else int(text)


def _moment(epoch: str | None) -> tuple[int | None, int]:
    """UTC microseconds of seconds since the epoch, and how coarse they are."""
    if epoch is None:
        return None, 0
    whole, _, part = epoch.partition(".")
    digits = (part + "000000")[:6]
    return int(whole) * 1_000_000 + int(digits), 10 ** (6 - min(len(part), 6)) - 1


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([0-7]{1,3})|(.))", re.DOTALL)
_PLAIN = {"n": b"\n", "t": b"\t", "r": b"\r", "v": b"\v", "f": b"\f", "a": b"\a", "b": b"\b"}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\.\.\.)?')


def unescaped(text: str) -> str:
    """A string as the program gave it.

    Args:
        text: what stands between the quotes.
    """
    if "\\" not in text:
        return text
    made = bytearray()
    place = 0
    for found in _ESCAPE.finditer(text):
        made += text[place : found.start()].encode("utf-8", "replace")
        hexed, octal, letter = found.groups()
        if hexed:
            made.append(int(hexed, 16))
        elif octal:
            made.append(int(octal, 8) & 255)
        else:
            made += _PLAIN.get(letter, letter.encode("utf-8", "replace"))
        place = found.end()
    made += text[place:].encode("utf-8", "replace")
    return made.decode("utf-8", "replace")


def strings(text: str) -> list[str]:
    """The quoted strings of some arguments; one that was cut ends with an ellipsis."""
    found = []
    place = text.find('"')
    while place >= 0:
        # one that does not end is the last: looking for others inside it would take the square of its length
        string = STRING.match(text, place)
        if string is None:
            break
        found.append(unescaped(string[1]) + ("…" if string[2] else ""))
        place = text.find('"', string.end())
    return found

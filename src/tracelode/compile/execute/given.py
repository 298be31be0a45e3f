"""Is a value that somebody gave for an input one of its type, and is it a secret?"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from tracelode.errors import InputError
from tracelode.model.run import Tree
from tracelode.model.workflow import Workflow

_LARGEST = 2**63
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
"""A tab and the end of a line are text."""
_UNSEEN = re.compile(r"[\u00ad\u200b\u2028-\u202e\u2060-\u2069\ufeff]")
"""Signs that nobody sees, or that turn what is seen around."""
_LONG = 100_000
"""Characters of one text."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OURS = re.compile(r"[\ue000\ue001]")
"""Signs that stand for a secret in what is written."""
_MARK = re.compile(r"\[[a-z]+(?::[^\[\]]*)?\]")
_FORM = {
    "string": "text",
    "date": "a date that there is, as 2027-03-02",
    "time": "a time of the day, as 09:30",
    "integer": "a whole number of at most 64 bits",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
}


def check(workflow: Workflow, given: Mapping[str, Tree]) -> None:
    """Hold every given value against the type of its input.

    Args:
        workflow: which.
        given: name to value.

    Raises:
        InputError: a value is of another type, or of signs that no value may have; the message names the
            input and never the value.
    """
    for one in workflow.inputs:
        if one.name not in given:
            continue
        if why := _wrong(one.type, given[one.name], lines=one.multiline, empty=one.blank):
            raise InputError(f"input {one.name} must be of type {one.type}: {why}")


def _wrong(kind: str, value: Tree, *, lines: bool = False, empty: bool = False) -> str:
    """What is wrong with a value, "" for nothing."""
    if not _typed(kind, value):
        return _FORM.get(kind, "a JSON value")
    if value == "" and not empty:
        return "a text must not be empty"
    try:
        leaves = list(_leaves(value))
    except RecursionError:
        return "it is too deep"
    for leaf in leaves:
        if isinstance(leaf, float) and not math.isfinite(leaf):
            return "a number must be finite"
        if isinstance(leaf, int) and not -_LARGEST <= leaf < _LARGEST:
            return "a whole number has at most 64 bits"
        if isinstance(leaf, str) and (_CONTROL.search(leaf) or _OURS.search(leaf)):
            return "a text must hold no control characters"
        if isinstance(leaf, str) and (why := _text(leaf, lines)):
            return why
        if isinstance(leaf, str) and _SURROGATE.search(leaf):
            return "a text must hold no half characters (lone surrogates)"
    return ""


def _text(text: str, lines: bool) -> str:
    if text and not text.strip():
        return "a text must not be blank"
    if len(text) > _LONG:
        return f"a text has at most {_LONG:,} characters"
    if _UNSEEN.search(text):
        return "a text must hold no characters that are not seen"
    if not lines and len(text.splitlines()) > 1:
        return "a text must be one line, as it was in every run"
    return ""


def _typed(kind: str, value: Tree) -> bool:
    if isinstance(value, bool):
        return kind not in _FORM or kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) and -_LARGEST <= value < _LARGEST
    if kind == "number":
        return isinstance(value, int | float)
    if kind == "date":
        return isinstance(value, str) and _DATE.fullmatch(value) is not None and _there_is(value)
    if kind == "time":
        return (
            isinstance(value, str) and _TIME.fullmatch(value) is not None and _there_is(f"2000-01-01T{value}")
        )
    if kind == "list":
        return isinstance(value, list)
    return kind != "boolean" and (kind != "string" or isinstance(value, str))


def _there_is(moment: str) -> bool:
    try:
        dt.datetime.fromisoformat(moment)
    except ValueError:
        return False
    return True


def _leaves(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, dict):
        yield from tree
        for inner in tree.values():
            yield from _leaves(inner)
    elif isinstance(tree, list | tuple):
        for inner in tree:
            yield from _leaves(inner)
    else:
        yield tree


def secrets(workflow: Workflow, given: Mapping[str, Tree]) -> frozenset[str]:
    """Which of the given inputs are never written: those marked so, and those that look like a secret.

    Args:
        workflow: which.
        given: name to value.
    """
    marked = {one.name for one in workflow.inputs if one.secret}
    return frozenset(name for name, value in given.items() if name in marked or _looks(name, value))


def _looks(name: str, value: Tree) -> bool:
    """Would the one redactor replace the value, or a part of it, as a secret?"""
    if value is None or isinstance(value, bool):
        return False
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    named = msgspec.json.encode({name: value}).decode()
    return any(_redacted(one).count("[secret:") > one.count("[secret:") for one in (text, named))


@lru_cache(maxsize=256)
def _redacted(text: str) -> str:
    from tracelode.redact.fast import redact_text

    return redact_text(text)


def parts(value: Tree) -> list[str]:
    """The texts of a secret that are hidden at every place: all of it, and what the redactor finds in it.

    Args:
        value: of a secret input.

    Returns:
        The longest first; each once.
    """
    found: dict[str, None] = {}
    for leaf in _leaves(value):
        if leaf is None or isinstance(leaf, bool) or leaf == "":
            continue
        text = str(leaf)
        found[text] = None
        kept = _MARK.split(_redacted(text))
        if len(kept) > 1 and (match := re.fullmatch("(.+?)".join(map(re.escape, kept)), text, re.DOTALL)):
            found.update(dict.fromkeys(match.groups()))
    return sorted(found, key=lambda text: (-len(text), text))

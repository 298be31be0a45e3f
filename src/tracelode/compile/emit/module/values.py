"""What is a binding's value in an emitted module? As compile.evaluate says, with the standard library alone.

Its source is copied into what is emitted, as far as that needs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from tracelode.compile.evaluate import holds
from tracelode.compile.paths import ANY_KEY, ANY_PLACE, Key, _get, put
from tracelode.compile.transforms import apply, derive, number, same
from tracelode.model.binding import Transform

Tree: TypeAlias = Any
"""A JSON value."""


EVERY = ANY_PLACE
"""Stands for every place of a list in a path."""
EVERY_KEY = ANY_KEY
"""Stands for every key of a map in a path."""


class Missing(LookupError):
    """A value is not there: the path leads nowhere, the list is empty, several elements fit."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(what)
        self.code, self.what = code, what


class Asked(LookupError):
    """An argument that no rule explains."""

    def __init__(self, key: tuple[str, int], candidates: tuple[Tree, ...] | None = None) -> None:
        super().__init__("needs a decision")
        self.key, self.candidates = key, candidates


@dataclass
class Scene:
    """What is known at a moment of a run."""

    inputs: Mapping[str, Tree]
    outputs: Mapping[str, Tree]
    state: Mapping[str, Tree] = field(default_factory=dict)
    element: Tree = None
    answers: dict[tuple[str, int], Tree] = field(default_factory=dict)

    def input(self, name: str) -> Tree:
        """An input."""
        if name not in self.inputs:
            raise Missing("missing_input", f"input {name} was not given")
        return self.inputs[name]

    def now(self, name: str) -> Tree:
        """A value of the moment."""
        if name not in self.state:
            raise Missing("missing_input", f"{name} is not known here")
        return self.state[name]

    def output(self, slot: str) -> Tree:
        """The output of a step."""
        if slot not in self.outputs:
            raise Missing("unseen_branch", f"step {slot} did not run")
        return self.outputs[slot]

    def decided(self, argument: str, place: int) -> Tree:
        """A value that only a model or a person can say."""
        if (argument, place) not in self.answers:
            raise Asked((argument, place))
        return self.answers[argument, place]

    def chosen(self, argument: str, place: int, rows: list[Tree], keys: tuple[Key, ...]) -> Tree:
        """A field of the candidate that a model or a person chooses."""
        if not rows:
            raise Missing("empty_selection", "there is nothing to choose from")
        if (argument, place) not in self.answers:
            raise Asked((argument, place), tuple(rows))
        answer = self.answers[argument, place]
        if not isinstance(answer, int) or isinstance(answer, bool) or not 0 <= answer < len(rows):
            raise Missing("ambiguous_selection", "none of the candidates was chosen")
        return at(rows[answer], keys)


def as_text(value: Tree) -> str:
    """A value as text."""
    if isinstance(value, str):
        return value
    return "" if value is None else _written(value)


def _written(value: Tree) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{_written(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, float):
        if 1e-5 <= abs(value) < 1e-4:
            return f"{Decimal(repr(value)):f}"
        return re.sub(r"e([+-]?)0*", lambda m: "e" + m[1].strip("+"), repr(value))
    return json.dumps(value, ensure_ascii=False)


def path_words(keys: tuple[Key, ...]) -> str:
    """A path as text."""
    return ".".join("*" if key in (EVERY, EVERY_KEY) else str(key) for key in keys)


def at(tree: Tree, keys: tuple[Key, ...]) -> Tree:
    """The value at a path."""
    try:
        return _get(tree, keys)
    except LookupError as error:
        raise Missing("empty_selection", f"the output has nothing at {path_words(keys)}") from error


def filled(tree: Tree, keys: tuple[Key, ...], value: Tree) -> Tree:
    """The arguments with one more."""
    try:
        return put(tree, keys, value)
    except LookupError as error:
        raise Missing("guard_failed", "the arguments leave out an element of a list") from error


def has(tree: Tree, keys: tuple[Key, ...]) -> bool:
    """Is there a value at a path?"""
    try:
        _get(tree, keys)
    except LookupError:
        return False
    return True


def piece(pattern: str, text: Tree) -> str:
    """The piece of a text that an expression finds."""
    match = re.search(pattern, text, re.ASCII) if isinstance(text, str) else None
    if match is None:
        raise Missing("empty_selection", "the text does not have the piece that was there in the runs")
    return match[1] or ""


def listed(rows: Tree) -> list[Tree]:
    """The rows of a list, or the values of a map."""
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        raise Missing("empty_selection", "there is no list")
    return rows


def pick(rows: list[Tree], index: int) -> list[Tree]:
    """The row at a place."""
    return _some(rows[index : (index + 1) or None])


def where(
    rows: list[Tree], keys: tuple[Key, ...], op: str, wanted: Tree, last: bool, first: bool
) -> list[Tree]:
    """The rows whose field compares so with a value."""
    found = [row for row in rows if has(row, keys) and holds(op, _get(row, keys), wanted)]
    if last and len(found) > 1 and not first:
        raise Missing("ambiguous_selection", f"{len(found)} elements fit")
    return _some(found)


def ranked(rows: list[Tree], keys: tuple[Key, ...], least: bool, alone: bool = False) -> list[Tree]:
    """The row with the smallest or largest value of a field."""
    numbers = [(number(_get(row, keys)), row) for row in rows if has(row, keys)]
    known = [(n, row) for n, row in numbers if n is not None]
    best = (min if least else max)((n for n, _ in known), default=None)
    found = [row for n, row in known if n == best]
    if alone and len(found) > 1:
        raise Missing("ambiguous_selection", f"{len(found)} elements are equal")
    return _some(found[:1])


def _some(rows: list[Tree]) -> list[Tree]:
    if not rows:
        raise Missing("empty_selection", "no element fits")
    return rows


def first_of(*sources: Callable[[], Tree]) -> Tree:
    """The value of the first source that has one."""
    why: Missing | None = None
    for source in sources:
        try:
            return source()
        except Missing as error:
            why = why or error
    raise why or Missing("empty_selection", "no source")


def agreed(user: int, *sources: Callable[[], Tree]) -> Tree:
    """The value of the first source that has one; the user's must be there, and none may differ."""
    wanted = sources[user]()
    for source in sources:
        try:
            other = source()
        except Missing:
            continue
        if not same(other, wanted):
            raise Missing("guard_failed", "a tool says something else than who asked, of what is written to")
    return first_of(*sources)


def reckoned(op: str, operands: list[Tree], amount: int | float) -> Tree:
    """The result of arithmetic."""
    try:
        return derive(op, operands, amount)
    except ValueError as error:
        raise Missing("guard_failed", f"values are not of the form that {op} takes") from error


class Change(NamedTuple):
    """A named change of form; stands for Transform where msgspec is not there."""

    name: str
    with_: str = ""


def shaped(value: Tree, *changes: Transform) -> Tree:
    """A value after some changes of form."""
    try:
        for change in changes:
            value = apply(change, value)
    except ValueError as error:
        raise Missing("guard_failed", "a value is not of the form that the change takes") from error
    return value


def unsupported(what: str) -> Tree:
    """A rule that the standard library alone cannot follow: it escalates."""
    raise Missing("guard_failed", what)


def compared(op: str, negated: bool, right: Tree, left: Tree) -> bool:
    """Does a test hold?"""
    return holds(op, left, right) != negated


def present(negated: bool, source: Callable[[], Tree]) -> bool:
    """Is a value there?"""
    try:
        source()
    except Missing:
        return negated
    return not negated

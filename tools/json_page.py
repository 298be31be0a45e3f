"""What does every command answer with --json? Each is run on the samples, and its answer described.

What a key means is said once, where the code says it: the docstring of the noun's field that the answer is
made of. Keys that no noun has are in json_words.py.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from json_asked import ASKED, PREPARED, Ask
from json_meanings import Meanings
from json_words import MAPS, OPAQUE, WORDS
from tracelode.__main__ import main as tracelode
from tracelode.cli.shapes import SCHEMA_VERSION

_HEAD = """# JSON

What every command answers with `--json`, as it was on the bundled samples: one object on one line (indented
where it is read in a terminal). Each has `schema_version`, now {version}; it grows when a key changes its
meaning or goes away, and new keys may come without. `null` is unknown and never zero. `[]` is a list,
`{{…}}` a map whose keys are data. A key with a question mark is not in every answer. Where nothing was
found, the exit code is 3 and `reason` says why.

Money is an integer of picodollars (10⁻¹² dollars), and where it can be larger than a double holds also a
text of its digits; `cost` and what ends in `_dollars` are exact decimal texts. Times are RFC 3339 in UTC;
what ends in `_us` or is a `time` measure is in microseconds.

Not here: `plan schema` (it is a JSON Schema itself), `plan check --sarif` (SARIF), and what is asked of a
model or learned (`segment --with llm`, `segment --train`).
"""
_NAMES = {"int": "integer", "float": "number", "str": "text", "bool": "true or false", "NoneType": "null"}
_ALIKE = 4
"""Objects of so many keys or more are described once and then referred to."""
_DEEP = 6
"""Levels below which an object is only called one."""

Known = frozenset[tuple[str, str]]
"""Keys of an object with their meanings."""


@dataclass
class Shape:
    """What was seen at one place of an answer."""

    scalars: set[str] = field(default_factory=set)
    """Names of types that are no objects and no lists."""
    keys: dict[str, Shape] = field(default_factory=dict)
    """Of objects."""
    always: set[str] | None = None
    """Keys that every object here had."""
    items: Shape | None = None
    """Of lists."""
    empty: bool = False
    """Was a list without items seen?"""


def seen(shape: Shape, value: Any, place: str) -> Shape:
    """Add a value to a shape.

    Args:
        shape: what was seen before; changed.
        value: decoded JSON.
        place: the command, then names with dots between; keys of a map are one name.

    Returns:
        The shape.
    """
    if isinstance(value, dict):
        if _is(place, MAPS):
            for one in value.values():
                seen(shape.keys.setdefault("*", Shape()), one, f"{place}.*")
            shape.always = {"*"}
            return shape
        if _is(place, OPAQUE):
            shape.always = set()
            return shape
        shape.always = set(value) if shape.always is None else shape.always & set(value)
        for key, inner_value in value.items():
            seen(shape.keys.setdefault(key, Shape()), inner_value, f"{place}.{key}")
    elif isinstance(value, list):
        shape.items = shape.items or Shape()
        shape.empty |= not value
        for one in value:
            seen(shape.items, one, place)
    else:
        shape.scalars.add(type(value).__name__)
    return shape


def _is(place: str, names: frozenset[str]) -> bool:
    """Is a place among some, by all of its names with the command, its last two names or its last one?"""
    command, *parts = place.split(".")
    if not parts or parts[-1] == "*":
        return False
    parts = [part for part in parts if part != "*"]
    return f"{command}:{'.'.join(parts)}" in names or any(".".join(parts[-n:]) in names for n in (1, 2))


class Home:
    """A folder in which the commands run, with a home, a zone and a clock of its own.

    Args:
        folder: empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Home:
        self._old = dict(os.environ), os.getcwd()
        for name in list(os.environ):
            if name.startswith(("TRACELODE", "XDG", "CLAUDE", "CODEX")):
                del os.environ[name]
        os.environ |= {"HOME": str(self.folder), "TZ": "UTC", "COLUMNS": "80"}
        os.chdir(self.folder)
        return self

    def __exit__(self, *_: object) -> None:
        os.environ.clear()
        os.environ.update(self._old[0])
        os.chdir(self._old[1])

    def run(self, words: list[str]) -> tuple[int, str]:
        """Run tracelode.

        Args:
            words: after the program's name.

        Returns:
            Exit code, standard output.
        """
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = tracelode(words)
        return code, out.getvalue()


def _asking(words: list[str]) -> list[str]:
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], "--json", *words[end:]]


def answers() -> Iterator[tuple[Ask, list[Any]]]:
    """Run every command on the samples.

    Yields:
        What was asked, and its answers.

    Raises:
        RuntimeError: a command answered with no JSON.
    """
    with tempfile.TemporaryDirectory() as place, Home(Path(place)) as home:
        for prepare in PREPARED:
            prepare(home)
        for ask in ASKED:
            found = []
            for words in ask.lines(home.folder):
                code, text = home.run(_asking(words))
                if not text:
                    raise RuntimeError(f"tracelode {' '.join(words)}: exit code {code}, no answer")
                found.append(json.loads(text))
            yield ask, found


def page() -> str:
    """The page of answers."""
    meanings = Meanings()
    out = [_HEAD.format(version=SCHEMA_VERSION)]
    known: dict[Known, tuple[str, str]] = {}
    for ask, found in answers():
        shape = Shape()
        for one in found:
            shape = seen(shape, one, ask.command)
        rows = list(_rows(shape, ask.command, "", meanings, known))
        out.append(f"\n## {ask.command}\n\n{ask.about}\n\n| key | what | meaning |\n| --- | --- | --- |\n")
        out += [f"| `{key}`{'?' if may else ''} | {what} | {text} |\n" for key, what, text, may in rows]
    if unneeded := set(WORDS) - meanings.used:
        raise RuntimeError("json_words.py says what nothing needs: " + ", ".join(sorted(unneeded)))
    if meanings.missing:
        raise RuntimeError("json_words.py says nothing of: " + ", ".join(sorted(meanings.missing)))
    return "".join(out)


def _rows(
    shape: Shape, command: str, place: str, meanings: Meanings, known: dict[Known, tuple[str, str]]
) -> Iterator[tuple[str, str, str, bool]]:
    """Rows of the keys of an object: name, types, meaning, whether it may be absent."""
    texts = meanings.of(frozenset(shape.keys), command, place)
    for key, inner in shape.keys.items():
        if key == "schema_version" and not place:
            continue
        name = f"{place}.{'{…}' if key == '*' else key}".lstrip(".")
        below, marks = inner, ""
        while below.items is not None and not below.keys:
            below, marks = below.items, marks + "[]"
        keys = frozenset(below.keys)
        # Described once where the keys and their meanings are the same.
        alike = frozenset(meanings.of(keys, command, name + marks).items())
        text = texts[key].replace("|", "\\|")
        again = known.get(alike) if len(keys) >= _ALIKE else None
        if again:
            text = f"{text} Keys as of {_reference(again, command)}.".strip()
        may = key != "*" and key not in (shape.always or ())
        yield name + marks, _types(inner, below), text, may
        if not keys or again or name.count(".") >= _DEEP:
            continue
        if "*" not in keys:
            known.setdefault(alike, (command, name + marks))
        yield from _rows(below, command, name + marks, meanings, known)


def _reference(known: tuple[str, str], command: str) -> str:
    told, name = known
    if told == command:
        return f"`{name}`"
    anchor = re.sub(r"[^\w\s-]", "", told).strip().lower().replace(" ", "-")
    return f"`{name}` of [{told}](#{anchor})"


def _types(shape: Shape, below: Shape) -> str:
    names = [_NAMES[n] for n in sorted((shape.scalars | below.scalars) - {"NoneType"})]
    if below.always is not None:
        names.append("map" if "*" in below.always else "object")
    if not names and shape.items is not None:
        names.append("list")
    return ", ".join(names + ["null"] * ("NoneType" in shape.scalars | below.scalars))

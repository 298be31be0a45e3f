"""What does a file of rules say, and where is it wrong? TOML with regular expressions, checked when read."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import re2

from tracelode.errors import UsageError
from tracelode.model.operation import KINDS, STATUSES, Operation
from tracelode.profile.name.grammar import well_formed
from tracelode.profile.name.stage import vocabulary

LARGEST = 1 << 20
"""Bytes of a file."""
MOST = 1_000
"""Rules in a file."""

_FIELDS = (
    "asked", "automated", "background", "branch", "command", "cwd", "description", "domain", "error", "human",
    "mode", "model", "path", "path_role", "said", "verb",
)  # fmt: skip


def _tool(operation: Operation) -> str:
    return operation.fields.get("tool") or (operation.name if operation.kind == "tool" else "")


def _text(operation: Operation) -> str:
    fields = operation.fields
    told = (fields.get(key, "") for key in ("command", "description", "path"))
    return "\n".join(part for part in (operation.arguments, *told, operation.output) if part)


PLACES: dict[str, Callable[[Operation], str]] = {
    "kind": lambda operation: operation.kind,
    "status": lambda operation: operation.status,
    "actor": lambda operation: operation.actor,
    "name": lambda operation: operation.name,
    "tool": _tool,
    "arguments": lambda operation: operation.arguments,
    "output": lambda operation: operation.output,
    "text": _text,
}
"""What a pattern may look at, beside _FIELDS; text is input and output together."""
_CLOSED = {"kind": KINDS, "status": STATUSES, "actor": ("human", "agent", "system")}
_REST = ("stage", "only")
"""Keys of a rule that are no pattern."""


def _field(name: str) -> Callable[[Operation], str]:
    return lambda operation: operation.fields.get(name, "")


PLACES |= {name: _field(name) for name in _FIELDS}


class Rule(NamedTuple):
    """One rule: all its patterns must be found in an operation."""

    patterns: tuple[tuple[Callable[[Operation], str], Any], ...]
    """What to look at, and the compiled expression."""
    name: str
    """Stage name of its segments, "" for what the rule of names gives."""
    only: bool
    """Does the segment end with the run of turns that match?"""

    def matches(self, operation: Operation) -> bool:
        """Does an operation match every pattern?"""
        return all(pattern.search(place(operation)) is not None for place, pattern in self.patterns)


class Rulebook(NamedTuple):
    """The rules of a file."""

    rules: tuple[Rule, ...]
    """In the order of the file: the first that matches counts."""
    version: str
    """Digest of the file."""


def read(content: bytes) -> Rulebook:
    """The rules of a file.

    Args:
        content: TOML of [[segment]] tables; each holds patterns by what they look at, and may hold stage
            (a name) and only (true or false).

    Returns:
        The rules.

    Raises:
        UsageError: what is wrong, and in which line or rule.

    Example:
        >>> len(read(b'[[segment]]\\ntool = "^Bash$"\\ncommand = "pytest"\\nstage = "test code"').rules)
        1
    """
    if len(content) > LARGEST:
        raise UsageError(f"the rule file is larger than {LARGEST:,} bytes; it holds [[segment]] tables")
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError("the rule file is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line \d+, column \d+|at end of document", str(error))
        raise UsageError(f"the rule file is no valid TOML {place[0] if place else ''}".rstrip()) from error
    other = sorted(data.keys() - {"segment"})
    if other:
        raise UsageError(f"the rule file holds [[segment]] tables and nothing else; it has {other[0]!r}")
    tables = data.get("segment")
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise UsageError("the rule file needs at least one table that begins with [[segment]]")
    if len(tables) > MOST:
        raise UsageError(f"the rule file holds {len(tables):,} rules; at most {MOST:,} are read")
    rules = tuple(_rule(table, f"rule {number}") for number, table in enumerate(tables, 1))
    return Rulebook(rules, blake2b(content, digest_size=4).hexdigest())


def _rule(table: Mapping[str, Any], where: str) -> Rule:
    patterns = []
    for key, value in table.items():
        if key in _REST:
            continue
        if key not in PLACES:
            raise UsageError(f"{where} of the rule file: no {key!r} to look at; {_near(key)}")
        patterns.append((PLACES[key], _pattern(value, key, where)))
    if not patterns:
        raise UsageError(f'{where} of the rule file has no pattern; give one, such as tool = "^Bash$"')
    only = table.get("only", False)
    if not isinstance(only, bool):
        raise UsageError(f"{where} of the rule file: only is true or false")
    return Rule(tuple(patterns), _name(table.get("stage", ""), where), only)


def _pattern(value: Any, key: str, where: str) -> Any:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{where} of the rule file: {key} takes a regular expression as a text in quotes")
    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(value, options=options)
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else error
        raise UsageError(f"{where} of the rule file: {key} is no regular expression of RE2: {why}") from error
    words = _CLOSED.get(key)
    if words and not any(found.search(word) for word in words):
        raise UsageError(f"{where} of the rule file: {key} matches none of {', '.join(words)}")
    return found


def _name(name: Any, where: str) -> str:
    if name == "" or (isinstance(name, str) and well_formed(name) and name in vocabulary()):
        return str(name)
    near = difflib.get_close_matches(str(name), vocabulary(), n=3, cutoff=0.4)
    like = f", such as {_listed(near)}" if near else ""
    raise UsageError(
        f"{where} of the rule file: stage takes a name of the closed list of stages{like}; "
        "without it the segment is named by what is done in it"
    )


def _near(key: str) -> str:
    return f"known: {_listed([*difflib.get_close_matches(key, PLACES, n=1), *sorted(PLACES)])}"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))

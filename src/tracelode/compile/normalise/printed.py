"""Which value does a text hold that is no JSON: JSON lines, a Python literal, a table, a YAML block?"""

from __future__ import annotations

import ast
import csv
import re
from typing import Any, Final

import msgspec

from tracelode.model.run import Tree


class _Nothing:
    """The text holds no such value; None is one."""


NOTHING: Final = _Nothing()
LONGEST = 1_000_000
"""Characters of a text that these readers look into."""
DEEPEST = 60
"""Levels of a literal or a block."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?\Z")
_WORDS: dict[str, Tree] = {"true": True, "True": True, "false": False, "False": False}
_NULLS = frozenset({"", "~", "null", "None"})
_KEY = re.compile(r"""(?:[\w$@][\w$@./-]*(?: [\w$@./()-]+){0,4}|"[^"\n]{1,80}"|'[^'\n]{1,80}'):(?: |$)""")
_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?\Z")
_HEADING = re.compile(r"[\w$@][\w$@ ./()%-]{0,60}\Z")
_CELL = re.compile(r"(?<!\\)\|")


def scalar(text: str) -> Tree:
    """The value of a bare word in a table or a block.

    Args:
        text: without quotes.

    Returns:
        A number in canonical form, true, false or null as such; any other text as it is.

    Example:
        >>> scalar("12"), scalar("007"), scalar("true"), scalar("yes"), scalar("")
        (12, '007', True, 'yes', None)
    """
    text = text.strip()
    if text in _NULLS:
        return None
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.match(text) is None:
        return text
    number = float(text)
    if number in (float("inf"), float("-inf")):
        return text
    return int(text) if text.lstrip("-").isdigit() else number


def lines(text: str) -> Any:
    """JSON values, one a line.

    Args:
        text: two lines or more.

    Returns:
        List of objects, or NOTHING.
    """
    if not text.startswith("{") or "\n" not in text:
        return NOTHING
    try:
        found = msgspec.json.Decoder().decode_lines(text)
    except (ValueError, RecursionError):
        return NOTHING
    return found if all(isinstance(row, dict) for row in found) else NOTHING


def literal(text: str) -> Any:
    """A list, tuple or dict as Python prints it.

    Args:
        text: all of it must be the literal.

    Returns:
        The value, tuples and sets as lists; or NOTHING.
    """
    if text[0] not in "[{(" or text[-1] not in "]})" or len(text) > LONGEST or "'" not in text:
        return NOTHING
    depth = deepest = 0
    for sign in text:
        depth += (sign in "[{(") - (sign in "]})")
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        return NOTHING
    try:
        return _json(ast.literal_eval(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return NOTHING


def _json(value: Any) -> Tree:
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json(inner) for inner in value]
    if isinstance(value, set | frozenset):
        return sorted((_json(inner) for inner in value), key=repr)
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    return str(value)


def table(text: str) -> Any:
    """A table in Markdown, or with commas or tabs between its cells, as a list of rows.

    Args:
        text: all of it must be the table: a line of headings and one row or more; with commas or tabs, two.

    Returns:
        List of dicts by heading, or NOTHING.
    """
    if len(text) > LONGEST or "\n" not in text:
        return NOTHING
    first, _, rest = text.partition("\n")
    second = rest.partition("\n")[0].strip()
    if "|" in first and "-" in second and _RULE.match(second):
        heads = _cells(first)
        rows = [_cells(line) for line in rest.splitlines()[1:] if line.strip()]
        return _rows(heads, rows, 1)
    for mark in ("\t", ","):
        if mark in first and all(_HEADING.match(head.strip()) for head in first.split(mark)):
            try:
                heads, *rows = csv.reader(text.splitlines(), delimiter=mark, strict=True)
            except csv.Error:
                return NOTHING
            return _rows([head.strip() for head in heads], rows, 2)
    return NOTHING


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|")
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)]


def _rows(heads: list[str], rows: list[list[str]], fewest: int) -> Any:
    even = len(rows) >= fewest and all(len(row) == len(heads) for row in rows)
    if not even or len(heads) < 2 or len(set(heads)) < len(heads) or not all(heads):
        return NOTHING
    return [dict(zip(heads, map(scalar, row), strict=True)) for row in rows]


def yaml(text: str) -> Any:
    """A YAML block: keys with values, or a list; nothing of YAML that makes objects or links.

    Args:
        text: all of it must be the block.

    Returns:
        The value, bare words as scalar() reads them; NOTHING for prose, for anchors and tags, and for one
        line alone.
    """
    if len(text) > LONGEST or "\n" not in text:
        return NOTHING
    tops = [line for line in text.split("\n") if line and not line[0].isspace()]
    listed = tops[0] == "-" or tops[0].startswith("- ")
    if not all((line == "-" or line.startswith("- ")) or (not listed and _KEY.match(line)) for line in tops):
        return NOTHING
    found = _block(text)
    if found is NOTHING and not listed and len(tops) == len(text.split("\n")):
        found = _pairs(tops)
    if isinstance(found, dict):
        nested = any(isinstance(inner, dict | list) and inner for inner in found.values())
        return found if len(found) > 1 or nested else NOTHING
    if isinstance(found, list):
        return found if len(found) > 1 or isinstance(found[0], dict) else NOTHING
    return NOTHING


def _pairs(rows: list[str]) -> Any:
    """Keys with values that YAML would read as more than that, such as `at: 12: 30`."""
    pairs = [row.partition(":") for row in rows if not row.startswith("- ")]
    found = {key.strip(): scalar(value) for key, _, value in pairs}
    return found if len(found) == len(rows) else NOTHING


def _block(text: str) -> Any:
    import yaml as library

    loader = getattr(library, "CBaseLoader", library.BaseLoader)
    stack: list[tuple[list[Tree] | dict[str, Tree], list[str]]] = []
    whole: list[Tree] = []
    try:
        for event in library.parse(text, Loader=loader):
            kind = type(event).__name__
            if kind == "AliasEvent" or getattr(event, "anchor", None) or getattr(event, "tag", None):
                return NOTHING
            if kind in ("MappingStartEvent", "SequenceStartEvent"):
                stack.append(({} if kind == "MappingStartEvent" else [], []))
                if len(stack) > DEEPEST:
                    return NOTHING
            elif kind == "ScalarEvent":
                bare = event.style in (None, "")
                if not _add(stack, whole, event.value, bare):
                    return NOTHING
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                done, _ = stack.pop()
                if not _add(stack, whole, done, bare=False):
                    return NOTHING
    except (library.YAMLError, ValueError, RecursionError):
        return NOTHING
    return whole[0] if len(whole) == 1 else NOTHING


def _add(
    stack: list[tuple[list[Tree] | dict[str, Tree], list[str]]], whole: list[Tree], value: Any, bare: bool
) -> bool:
    """Put a finished value where it belongs; False where a key is no text, or comes twice."""
    if not stack:
        whole.append(scalar(value) if bare else value)
        return True
    outer, waiting = stack[-1]
    if isinstance(outer, dict):
        if not waiting:
            if not isinstance(value, str) or value in outer:  # lines of a log repeat their words
                return False
            waiting.append(value)
            return True
        outer[waiting.pop()] = scalar(value) if bare else value
        return True
    outer.append(scalar(value) if bare else value)
    return True

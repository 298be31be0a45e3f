"""Which value does a tool's text hold? JSON first, then the forms that tools print; else it is a text.

Nothing is guessed away: text around a value is kept beside it, under "text" and "data". What JSON cannot hold
(NaN, integers beyond 64 bits) becomes the text it was written as; of a repeated key the last one counts.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from tracelode.compile.normalise import printed
from tracelode.compile.paths import deeper
from tracelode.model.run import Tree

LARGEST = 10_000_000
"""Characters of a text that is looked into; a longer one stays a text."""
DEPTH = 100
"""Levels of lists and dicts; a deeper value stays a text."""
ASIDE = 500
"""Characters that may stand around a value."""

_FENCE = re.compile(r"```[\w-]{0,20}[ \t]*\n(.*?)\n?```", re.DOTALL)
_OPENS = re.compile(r"(?m)(?:^|[:=] ?)(?=[\[{])")
_NINES = bytes(57 if 48 <= sign <= 57 else sign for sign in range(256))
"""Every digit as a nine: many digits in a row are then found much faster than by a pattern."""
_HUGE = b"9" * 19
_SURROGATE = re.compile(r"[\ud800-\udfff]")
LOST = "\ufffd"
"""In the place of half a character, which cannot be written: what it was is not known."""
_ONE_TEXT = frozenset({"result", "output", "content", "text", "response"})
_ERRORS = (ValueError, RecursionError, MemoryError, OverflowError)  # msgspec's and unicode's are ValueErrors


def parse(text: str, loose: bool = True) -> Tree:
    """The value that a tool's text holds.

    Args:
        text: arguments or result, of any length.
        loose: also forms that are no JSON: fenced or introduced JSON, Python literals, YAML blocks, tables.
            False for shells and file tools, whose text is the thing itself.

    Returns:
        A JSON value, at most DEPTH deep, with integers of 64 bits; the text itself where it holds none.
        Never raises.

    Source:
        compiler rules, S0.

    Example:
        >>> parse('{"id": 7}'), parse("id: 7\\nname: Jo"), parse("all is well")
        ({'id': 7}, {'id': 7, 'name': 'Jo'}, 'all is well')
    """
    if not text.isascii() and _SURROGATE.search(text):
        text = _SURROGATE.sub(LOST, text)
    bare = text.strip()
    if not bare or len(text) > LARGEST:
        return text
    found = decode(bare)
    if found is printed.NOTHING and loose:
        found = _loose(bare)
    if found is printed.NOTHING or deeper(found, DEPTH):
        return text
    return _opened(found, loose)


def arguments(given: str) -> Tree:
    """The arguments of a call.

    Args:
        given: as recorded.

    Returns:
        The JSON value, {} for no text; a str where it is no JSON.
    """
    return parse(given, loose=False) if given.strip() else {}


def decode(text: str) -> Any:
    """The JSON value of a text.

    Args:
        text: all of it must be one value.

    Returns:
        The value, printed.NOTHING where the text is no JSON. NaN, infinities and integers beyond 64 bits
        are text.
    """
    if text[0] not in '[{"-0123456789tfnNI':
        return printed.NOTHING
    raw = text.encode("utf-8", "surrogatepass")
    if raw.translate(_NINES).find(_HUGE) < 0:
        try:
            return msgspec.json.decode(raw)
        except _ERRORS:
            pass
    try:
        return _clean(_JSON.decode(text))
    except _ERRORS:
        return printed.NOTHING


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= 20 and -(2**63) <= int(text) < 2**63 else text


def _real(text: str) -> float | str:
    number = float(text)
    return text if number in (float("inf"), float("-inf")) else number


_JSON = json.JSONDecoder(parse_int=_integer, parse_float=_real, parse_constant=str)


def _clean(tree: Tree) -> Tree:
    """A decoded value without lone surrogates, which the lenient decoder lets through."""
    if isinstance(tree, str):
        return _SURROGATE.sub(LOST, tree)
    if isinstance(tree, list):
        return [_clean(inner) for inner in tree]
    if isinstance(tree, dict):
        return {_clean(key): _clean(inner) for key, inner in tree.items()}
    return tree


def _opened(found: Tree, loose: bool) -> Tree:
    """A value without the wrappings that carry it: content blocks of MCP, JSON kept as one text."""
    if isinstance(found, str):
        inner = found.strip()
        if inner[:1] in ("{", "["):
            value = decode(inner)
            if isinstance(value, dict | list) and not deeper(value, DEPTH):
                return value
        return found
    if isinstance(found, dict) and isinstance(found.get("content"), list):
        if isinstance(found.get("structuredContent"), dict):
            return found["structuredContent"]
        if set(found) <= {"content", "isError", "_meta", "structuredContent"}:
            found = found["content"]
    if isinstance(found, list) and found and all(map(_is_text, found)):
        whole = "\n".join(block["text"] for block in found)
        return parse(whole, loose) if whole.strip() else whole
    if isinstance(found, dict) and len(found) == 1:
        ((key, value),) = found.items()
        if key in _ONE_TEXT and isinstance(value, str) and value.strip()[:1] in ("{", "["):
            return {key: _opened(value, loose)}
    return found


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _loose(text: str) -> Any:
    for reader in (_fenced, printed.lines, printed.literal, _within, printed.table, printed.yaml):
        found = reader(text)
        if found is not printed.NOTHING:
            return found
    return printed.NOTHING


def _fenced(text: str) -> Any:
    blocks = _FENCE.findall(text) if "```" in text else []
    if len(blocks) != 1 or not blocks[0].strip():
        return printed.NOTHING
    found = decode(blocks[0].strip())
    around = _FENCE.sub("", text).strip()
    if not isinstance(found, dict | list) or len(around) > ASIDE:
        return printed.NOTHING
    return {"text": around, "data": found} if around else found


def _within(text: str) -> Any:
    """JSON after a line or a few words, with little behind it."""
    start = _OPENS.search(text, 0, ASIDE + 2)
    if start is None:
        return printed.NOTHING
    try:
        found, stop = _JSON.raw_decode(text, start.end())
        found = _clean(found)
    except _ERRORS:
        return printed.NOTHING
    before, after = text[: start.end()].strip(), text[stop:].strip()
    small = len(before) + len(after) <= min(ASIDE, stop - start.end())
    if not isinstance(found, dict | list) or not found or not small:
        return printed.NOTHING
    return {"text": f"{before}\n{after}".strip(), "data": found}

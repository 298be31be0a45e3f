"""Which keys does the beginning of a JSON file hold, and where? What sniffing adapters ask."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+|"', re.DOTALL)
_TOKENS = 3_000
_DEPTH = 6


@lru_cache(maxsize=4)
def outline(head: bytes) -> frozenset[str]:
    """Paths of the keys in the first values of a file, told without decoding it.

    Args:
        head: first bytes of JSON or JSON Lines; may end anywhere.

    Returns:
        Paths such as messages[].role; [] stands for the elements of an array. Values that follow each
        other (lines) share one set. Long files are looked at up to 3,000 tokens, nesting up to 6.

    Example:
        >>> sorted(outline(b'[{"role": "user", "content": [{"te'))
        ['[].content', '[].role']
    """
    found: set[str] = set()
    # one entry for each open container: its path, and whether it is an object that waits for a key
    paths: list[str] = [""]
    waits: list[bool] = [False]
    key = ""
    for number, match in enumerate(_TOKEN.finditer(head)):
        token = match[0]
        first = token[:1]
        if number >= _TOKENS or token == b'"':
            break
        if first in b"{[":
            path = key if waits[-1] or not paths[-1].endswith("[]") else paths[-1]
            paths.append(f"{path}[]" if first == b"[" else path)
            waits.append(first == b"{")
            key = ""
        elif first in b"}]":
            if len(paths) > 1:
                paths.pop()
                waits.pop()
            key = ""
        elif first == b'"' and waits[-1] and not key and len(paths) <= _DEPTH:
            above = paths[-1]
            name = token[1:-1].decode("utf-8", "replace")
            key = f"{above}.{name}" if above else name
            found.add(key)
        elif first == b",":
            key = ""
    return frozenset(found)

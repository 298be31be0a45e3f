"""What of the scripts and styles in web/ goes into a page? Texts as they are, modules put together."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent / "web"
"""Folder of the files that every install has."""
MODULES = (
    "numbers.js",
    "dom.js",
    "data.js",
    "layout.js",
    "paint.js",
    "pattern.js",
    "search.js",
    "link.js",
    "table.js",
    "details.js",
    "tip.js",
    "flame.js",
)
"""Modules of the flame viewer, each after those it imports."""
_IMPORT = re.compile(r"^import .+ from \"\./[a-z]+\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async |)(?:class|const|function|let) )", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)


@cache
def style(*names: str) -> str:
    """Style sheets, one after the other.

    Args:
        names: of files in web/, without .css.
    """
    return "".join((WEB / f"{name}.css").read_text(encoding="utf-8") for name in names)


@cache
def viewer() -> str:
    """The flame viewer as one module.

    Returns:
        The modules in order, without imports and exports of each other, comments and indents (no text of
        theirs goes over lines); a page from file:// cannot load one module from another.
    """
    found = "".join(_IMPORT.sub("", (WEB / name).read_text(encoding="utf-8")) for name in MODULES)
    for left_out in (_EXPORT, _COMMENT, _INDENT):
        found = left_out.sub("", found)
    return found

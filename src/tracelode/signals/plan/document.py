"""Which steps does a plan document have? Its headings and list items, where no plan tool keeps a list."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 100
"""Steps taken from one document."""
LINES = 2_000
"""Lines of a document that are looked at."""

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX~]\]\s+)?(\S.*)$")
_MARKS = re.compile(r"[*_`]+")
_PROPOSED = re.compile(r"<proposed_plan>\s*(.*?)\s*</proposed_plan>", re.DOTALL)


class Part(NamedTuple):
    """One step of a document."""

    text: str
    """Its wording without marks."""
    above: int
    """Place of the heading it stands under, -1 for none."""


def parts_of(document: str) -> list[Part]:
    """The steps of a plan document.

    Args:
        document: Markdown.

    Returns:
        Headings below the title, and the outermost list items under each, in order; what stands in code is
        none. At most MOST.

    Source:
        plan rules, section 5.5: headings and list items as nodes.

    Example:
        >>> [(p.text, p.above) for p in parts_of("# Plan\\n## Parser\\n- read **lines**\\n- tests\\n## Docs")]
        [('Parser', -1), ('read lines', 0), ('tests', 0), ('Docs', -1)]
    """
    found: list[Part] = []
    headings: list[tuple[int, int]] = []
    fenced, indent = False, None
    for line in document.splitlines()[:LINES]:
        if len(found) == MOST:
            break
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            indent = None
            level = len(heading[1])
            headings = [h for h in headings if h[0] < level]
            if level > 1 and (text := _plain(heading[2])):
                above = headings[-1][1] if headings else -1
                headings.append((level, len(found)))
                found.append(Part(text, above))
            continue
        item = _ITEM.match(line)
        if item is None:
            continue
        deep = len(item[1].expandtabs(4))
        indent = deep if indent is None else min(indent, deep)
        if deep <= indent and (text := _plain(item[2])):
            found.append(Part(text, headings[-1][1] if headings else -1))
    return found


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())


def proposed_in(answer: str) -> str:
    """The plan that a model's answer proposes in a block of its own, "" for none.

    Args:
        answer: the whole text.

    Example:
        >>> proposed_in("Done looking. <proposed_plan>\\n# Fix it\\n</proposed_plan>")
        '# Fix it'
    """
    if "<proposed_plan>" not in answer:
        return ""
    found = _PROPOSED.findall(answer)
    return str(found[-1]) if found else ""

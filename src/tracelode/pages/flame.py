"""What does the flame viewer read? A profile or a difference as columns of exact integers over a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from tracelode.model.behind import Behind
from tracelode.model.difference import Difference
from tracelode.model.measure import unit
from tracelode.model.profile import Profile, Stack
from tracelode.model.words import noun
from tracelode.pages.assets import viewer
from tracelode.pages.document import embedded
from tracelode.pages.tree import NODES, Node, build, place

HUES = 16
"""Colours of frames, by name: the same as in the SVG."""


def block(payload: dict[str, Any]) -> str:
    """The viewer's place in a page, with its data.

    Args:
        payload: of payload() or contrast().

    Returns:
        HTML; the page needs the style sheet "flame" and the script of viewer().
    """
    without = "This picture is drawn by a script of this file; tracelode flame -o x.svg needs none."
    return (
        f'<div class="flame"><noscript><p class="note">{without}</p></noscript></div>'
        f'<script type="application/json" data-flame>{embedded(payload)}</script>'
    )


def script() -> str:
    """The viewer's script."""
    return viewer()


def payload(
    profile: Profile,
    shown: Sequence[str] | None = None,
    behind: Behind | None = None,
    *,
    nodes: int = NODES,
) -> dict[str, Any]:
    """A profile as the viewer reads it.

    Args:
        profile: what is drawn; its values are not below 0.
        shown: measures to choose from, the first at first; None for all. The others are only spoken of, as
            tokens without a price are.
        behind: operations behind the frames, None for none.
        nodes: frames kept, at most.

    Returns:
        Plain values for JSON.
    """
    shown = profile.measures if shown is None else tuple(shown)
    measures = (*shown, *(m for m in profile.measures if m not in shown))
    order = [profile.measures.index(m) for m in measures]
    rows = [
        (stack, [values[i] for i in order])
        for stack, values in ((stack, profile.told(stack)) for stack in sorted(profile.totals))
    ]
    tree = build(rows, len(measures), len(shown), nodes)
    columns = [
        {
            "key": measure,
            "word": noun(measure),
            "unit": unit(measure),
            "values": _column(tree, i),
            **({} if measure in shown else {"hidden": True}),
        }
        for i, measure in enumerate(measures)
    ]
    found = {"mode": "flame", **_frames(tree), "columns": columns, **_about(profile.fields)}
    if behind is not None and behind.counts:
        found["operations"] = _operations(tree[0], behind)
    return found


def contrast(difference: Difference, *, nodes: int = NODES) -> dict[str, Any]:
    """A difference as the viewer reads it.

    Args:
        difference: two sets of sessions.
        nodes: frames kept, at most.

    Returns:
        Plain values for JSON; values are integers of 1/scale of the unit.
    """
    rows = sorted((row.stack, [row.base, row.other]) for row in difference.rows)
    tree = build(rows, 2, 2, nodes)
    columns = [
        {"key": key, "word": name, "unit": difference.unit, "values": _column(tree, i)}
        for i, (key, name) in enumerate(zip(("base", "other"), difference.names, strict=True))
    ]
    support: dict[int, list[int]] = {}
    enough: list[int] = []
    for stack, one in difference.support.items():
        at = place(tree[0], stack)
        if at is None or tree[at].rest:
            continue
        support[at] = [one.base, one.other, one.tasks]
        if difference.supported(stack):
            enough.append(at)
    return {
        "mode": "diff",
        **_frames(tree),
        "columns": columns,
        "scale": str(difference.scale),
        "support": support,
        "enough": sorted(enough),
        **_about(difference.fields),
    }


def _about(fields: Sequence[str]) -> dict[str, Any]:
    stack = " › ".join(fields)
    return {"title": f"Flame graph by {stack}" if stack else "Flame graph", "stack": stack}


def _frames(tree: list[Node]) -> dict[str, Any]:
    names: dict[str, int] = {}
    for node in tree:
        names.setdefault(node.name, len(names))
    return {
        "names": list(names),
        "hues": [crc32(name.encode("utf-8", "replace")) % HUES for name in names],
        "name": [names[node.name] for node in tree],
        "parent": [-1 if node.parent is None else node.parent.index for node in tree],
        "rest": [[node.index, node.rest] for node in tree if node.rest],
    }


def _column(tree: list[Node], place: int) -> str:
    """Own values of one column: "." where no stack ends, "-" where it is unknown."""
    own = (None if node.own is None else (node.own[place],) for node in tree)
    return " ".join("." if v is None else "-" if v[0] is None else str(v[0]) for v in own)


def _operations(root: Node, behind: Behind) -> dict[str, Any]:
    counts: dict[int, int] = {}
    places: dict[Stack, int | None] = {stack: place(root, stack) for stack in behind.counts}
    for stack, number in behind.counts.items():
        at = places[stack]
        if at is not None:
            counts[at] = counts.get(at, 0) + number
    paths: dict[str, int] = {}
    sessions: dict[str, int] = {}
    rows = []
    for row in behind.rows:
        at = places.get(row.stack)
        if at is None:
            continue
        path = paths.setdefault(row.path, len(paths))
        session = sessions.setdefault(row.session, len(sessions))
        values = ["-" if value is None else str(value) for value in row.values]
        rows.append([at, session, row.index, row.name, path, row.line, *values])
    return {
        "columns": list(behind.measures),
        "sessions": list(sessions),
        "paths": list(paths),
        "rows": rows,
        "counts": sorted(counts.items()),
    }

"""tracelode flame: what does the whole look like? A flame graph in the terminal or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelode.cli.options import FILES, STORE, VIEW, FileOptions, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.cli.nodes import Node


def flame(
    *,
    view: ViewOptions = VIEW,
    file: FileOptions = FILES,
    store: StoreOptions = STORE,
) -> int:
    """Draw a flame graph: roots on top, width is the measure. With -o FILE as a picture or profile.

    Args:
        view: what is counted and shown.
        file: write a file instead; - streams SVG.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.flame_text import draw, named
    from tracelode.cli.heading import heading, nothing
    from tracelode.cli.nodes import build, prune
    from tracelode.cli.screen import Screen
    from tracelode.cli.target import wanted, write_file
    from tracelode.cli.view import load, unpriced

    if wanted(file):
        return write_file(view, store, file, suffix="svg")
    loaded = load(view, store)
    profile = loaded.shown()
    answer = None
    if store.json:
        root = prune(build(profile), view.nodefraction, view.nodecount)
        answer = {**shapes.head(profile, unpriced(loaded)), "root": _answer(root)}
    if not profile.totals:
        return nothing(loaded, answer)
    if answer is not None:
        shapes.write(answer)
    else:
        screen = Screen()
        heading(screen, loaded)
        root = prune(build(profile), view.nodefraction, view.nodecount)
        # What would be too narrow to read is put together, unless a limit was asked for.
        if view.nodefraction is None:
            root = named(root, screen.width)
        total = loaded.text(loaded.measure, root.cum, loaded.total("tokens.unpriced"))
        draw(screen, root, loaded.measure, total)
    return 0


def _answer(root: Node) -> dict[str, Any]:
    top: dict[str, Any] = {"name": root.frame or "root", "value": root.cum, "children": []}
    waiting = [(root, top)]
    while waiting:
        node, shape = waiting.pop()
        for child in node.children:
            below: dict[str, Any] = {"name": child.frame, "value": child.cum, "children": []}
            shape["children"].append(below)
            waiting.append((child, below))
    return top

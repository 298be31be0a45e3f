"""tracelode tree: how do the stacks nest, and what does each level take?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.options import FILES, STORE, VIEW, FileOptions, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.cli.nodes import Node
    from tracelode.cli.table import Cell
    from tracelode.cli.view import View
    from tracelode.model.profile import Profile


def tree(
    *,
    view: ViewOptions = VIEW,
    file: FileOptions = FILES,
    store: StoreOptions = STORE,
) -> int:
    """Print the stacks as an indented tree, largest first. Small nodes are folded into (other n).

    Args:
        view: what is counted and shown.
        file: write a file instead.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.heading import nothing
    from tracelode.cli.nodes import beside, build, prune
    from tracelode.cli.target import wanted, write_file
    from tracelode.cli.view import load, unpriced

    if wanted(file):
        return write_file(view, store, file)
    loaded = load(view, store)
    profile = loaded.shown()
    if not profile.totals:
        head = shapes.head(profile, unpriced(loaded))
        return nothing(loaded, {**head, "nodes": []} if store.json else None)
    root = prune(build(profile), view.nodefraction, view.nodecount)
    if store.json:
        sums = beside(profile, root) if len(profile.measures) > 1 else {}
        nodes = [
            {
                **shapes.node(n.stack, *n.values, profile.units[0]),
                **({"values": dict(zip(profile.measures, sums[n.stack], strict=True))} if sums else {}),
            }
            for n in root.walk()
            if n.stack
        ]
        shapes.write({**shapes.head(profile, unpriced(loaded)), "nodes": nodes})
    else:
        _draw(loaded, profile, root)
    return 0


def _draw(loaded: View, profile: Profile, root: Node) -> None:
    from tracelode.cli.heading import heading, not_shown
    from tracelode.cli.nodes import beside
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.model.words import SHORT, percent

    screen, measure, total = Screen(), loaded.measure, root.cum
    heading(screen, loaded)
    more = profile.measures[1:]
    sums = beside(profile, root) if more else {}
    bare, own = beside(loaded.bare, root), loaded.bare.totals
    rows: list[list[Cell]] = []
    for node in root.walk():
        if not node.stack:
            continue
        flat, cum = node.values
        lack = bare[node.stack][0]
        alone = lack if node.folded else own.get(node.stack, (0,))[0]
        beside_it = sums[node.stack][1:] if more else ()
        ends = flat or (measure == "cost" and alone)
        style = "dim" if node.folded else "bold" if len(node.stack) == 1 else ""
        rows.append(
            [
                loaded.text(measure, cum, lack),
                percent(cum, total),
                loaded.text(measure, flat, alone) if ends else "-",
                percent(flat, total) if ends else "-",
                *(loaded.text(m, v, lack) for m, v in zip(more, beside_it, strict=True)),
                Flex(node.frame, style, depth=len(node.stack) - 1),
            ]
        )
    titles = {"cum": 0, "cum %": 4, "flat": 5, "flat %": 6}
    columns = [Column(title, right=True, rank=rank) for title, rank in titles.items()]
    columns += [Column(m, right=True, short=SHORT.get(m, ""), rank=3) for m in more]
    gone = screen.table([*columns, Column(" > ".join(loaded.fields), least=24)], rows)
    not_shown(screen, gone, more)

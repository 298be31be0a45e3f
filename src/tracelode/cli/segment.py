"""tracelode segment: how are sessions cut into stretches of one kind of work, and by what?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.segment import Segmentation
    from tracelode.workspace import Workspace


def segment(
    session: Annotated[
        str | None,
        Parameter(help="Show how one is cut: key, a unique start of it, or its short name."),
    ] = None,
    /,
    *,
    with_: Annotated[
        str | None,
        Parameter(
            name="--with",
            metavar="NAME",
            help="Segmenter. Without SESSION every session is cut anew with it, and so are later imports; "
            "with SESSION it is tried, and nothing is stored.",
        ),
    ] = None,
    store: StoreOptions = STORE,
) -> int:
    """Say what cuts the sessions, cut them with another segmenter, or show how one session is cut.

    Args:
        session: key, unique start of a key, or short name.
        with_: name of a segmenter.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    if session is None:
        return _all(workspace, with_, store.json)
    found = workspace.segmentation(resolve(session, workspace.sessions()).key, with_)
    if store.json:
        shapes.write(shapes.segmentation(found))
    else:
        _draw(workspace, found)
    return 0


def _all(workspace: Workspace, name: str | None, json: bool) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import number
    from tracelode.workspace import segmenters

    count = 0 if name is None else workspace.segment(name)
    known = list(segmenters())
    if json:
        shapes.write({"segmenter": workspace.segmenter, "known": known, "sessions": count})
        return 0
    screen = Screen()
    if name is not None:
        screen.sentence(f"cut      {number(count, 'session')} anew with {workspace.segmenter}")
        return 0
    screen.sentence(f"sessions are cut by {workspace.segmenter}; known: {', '.join(known)}")
    return 0


def _draw(workspace: Workspace, found: Segmentation) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean, number
    from tracelode.model.words import percent

    screen = Screen()
    screen.sentence(f"{clean(found.session)}  {number(len(found.segments), 'segment')} by {found.segmenter}")
    pieces = sorted(found.segments, key=lambda s: (s.start, s.level))
    told = any(piece.confidence is not None for piece in pieces)
    rows: list[list[Cell]] = []
    for piece in pieces:
        row: list[Cell] = [f"#{piece.start}", f"{piece.stop - piece.start:,}"]
        if told:
            row.append(percent(None if piece.confidence is None else round(piece.confidence * 1000), 1000))
        rows.append([*row, Flex(piece.name, depth=piece.level), Flex(piece.observed, "dim")])
    columns = [Column("from", right=True), Column("operations", right=True)]
    columns += [Column("sure", right=True)] if told else []
    last = [Column("observed", rank=5)] if any(piece.observed for piece in pieces) else []
    if not last:
        rows = [row[:-1] for row in rows]
    screen.table([*columns, Column("segment", least=16), *last], rows)

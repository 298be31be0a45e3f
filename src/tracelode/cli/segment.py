"""tracelode segment: how are sessions cut into stretches of one kind of work, and by what?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import factor, path
from tracelode.cli.options import STORE, StoreOptions
from tracelode.cli.segment_model import LLM, MODEL, ModelOptions, segment_model
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.segment import Segmentation
    from tracelode.workspace import Workspace

OTHERS = ("annotations", "llm")
"""What cuts sessions too, and is no registered segmenter: imported marks, and a model that is asked."""
SHOWN = 5
"""Changes of the segmenter that are listed."""


def segment(
    *session: Annotated[
        str,
        Parameter(help="Show how one is cut: key, a unique start of it, or its short name."),
    ],
    with_: Annotated[
        str | None,
        Parameter(
            name="--with",
            metavar="NAME",
            help="Segmenter. Without SESSION every session is cut anew with it, and so are later imports; "
            "with SESSION it is tried, and nothing is stored. The word llm: a model is asked, once.",
        ),
    ] = None,
    granularity: Annotated[
        float | None,
        Parameter(
            metavar="X",
            help="How finely the segmenter learned cuts, alone or in the chain: 1 as people who label "
            "sessions do, 2 more often, 0.5 more seldom. Kept for the store; with SESSION it is tried.",
            converter=factor,
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="Keep a file of your own rules (TOML), and cut every session anew by them.",
            converter=path,
        ),
    ] = None,
    train: Annotated[
        str | None,
        Parameter(
            metavar="bayes|learned",
            help="Teach a segmenter how your sessions are cut. What it learned is kept if it cuts sessions "
            "that it did not see better than blind windows; else exit code 4.",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        Parameter(
            metavar="marks|plan|FILE",
            help="What --train learns from: marks made of sessions, the plans that agents kept, or a file. "
            "Default: the marks if there are enough, else the plans.",
        ),
    ] = None,
    forget: Annotated[
        str | None,
        Parameter(metavar="NAME", help="Throw away what a segmenter learned here, or the rules."),
    ] = None,
    model: ModelOptions = MODEL,
    store: StoreOptions = STORE,
) -> int:
    """Say what cuts the sessions, cut them otherwise, teach a segmenter, or show how one session is cut.

    Args:
        session: key, unique start of a key, or short name; several with --with llm alone.
        with_: name of a segmenter, or llm.
        granularity: how finely.
        model: who is asked with llm.
        rules: a rule file.
        train: name of a segmenter that learns.
        labels: what it learns from.
        forget: name of a segmenter.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.view import open_workspace

    changes = {"--rules": rules, "--train": train, "--forget": forget}
    _alone([name for name, given in changes.items() if given], session or with_ or granularity is not None)
    if labels and not train:
        raise UsageError("--labels says what --train learns from: give both")
    if with_ == LLM or model.given():
        return segment_model(session, with_, model, store)
    if len(session) > 1:
        raise UsageError("segment shows one SESSION at a time; only --with llm takes several")
    workspace = open_workspace(store)
    if train:
        return _train(workspace, train, labels, store.json)
    if not session:
        return _all(workspace, _cut_anew(workspace, with_, granularity, rules, forget), store.json)
    found = workspace.segmentation(
        resolve(session[0], workspace.sessions()).key, with_, granularity=granularity
    )
    if store.json:
        shapes.write(shapes.segmentation(found))
    else:
        _draw(workspace, found)
    return 0


def _alone(changes: list[str], beside: object) -> None:
    """Refuse two ways of changing how sessions are cut, or one beside a session or a segmenter."""
    if len(changes) > 1 or (changes and beside):
        raise UsageError(f"{changes[0]} changes how sessions are cut: give it alone")


def _cut_anew(
    workspace: Workspace,
    with_: str | None,
    granularity: float | None,
    rules: Path | None,
    forget: str | None,
) -> int | None:
    """Change what cuts every session; how many were cut anew, None where nothing is to change."""
    if rules is not None:
        return workspace.rules(rules)
    if forget is not None:
        return workspace.forget(forget)
    if with_ is not None or granularity is not None:
        return workspace.segment(with_, granularity=granularity)
    return None


def _train(workspace: Workspace, name: str, labels: str | None, json: bool) -> int:
    from tracelode.cli import shapes, training_text

    if json:
        found = workspace.train(name, labels)
        shapes.write(training_text.shape(found))
    else:
        found = workspace.train(name, labels, told=training_text.draw_figures)
        training_text.draw_end(found, workspace.segmenter)
    return 0 if found.kept else 4


def _all(workspace: Workspace, count: int | None, json: bool) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import moment, number
    from tracelode.workspace import segmenters

    known = sorted([*segmenters(), *OTHERS])
    past = workspace.cuts()
    if json:
        history = [{"since": c.made, "segmenter": c.segmenter, "families": c.families} for c in past]
        shapes.write(
            {
                "segmenter": workspace.segmenter,
                "known": known,
                "sessions": count or 0,
                "history": history,
                "unfinished": workspace.uncut(),
            }
        )
        return 0
    screen = Screen()
    if count is not None:
        screen.sentence(f"cut      {number(count, 'session')} anew with {workspace.segmenter}")
        return 0
    screen.sentence(f"sessions are cut by {workspace.segmenter}; known: {', '.join(known)}")
    for name, left in workspace.uncut().items():
        screen.sentence(
            f"not yet  {number(left, 'root session')} still cut by {name}: the change was stopped; "
            f"tracelode segment --with {workspace.segmenter} goes on with it"
        )
    for cut in reversed(past[-SHOWN:]):
        screen.sentence(f"since    {moment(cut.made, workspace.tz)}  {cut.segmenter.partition(' ')[0]}")
    return 0


def _draw(workspace: Workspace, found: Segmentation) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean, number
    from tracelode.model.words import percent

    screen = Screen()
    # a segment that is the whole of the one around it and has its name says nothing new
    around = {(s.level, s.start, s.stop, s.name) for s in found.segments}
    new = (s for s in found.segments if (s.level - 1, s.start, s.stop, s.name) not in around)
    pieces = sorted(new, key=lambda s: (s.start, s.level))
    screen.sentence(f"{clean(found.session)}  {number(len(pieces), 'segment')} by {clean(found.segmenter)}")
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

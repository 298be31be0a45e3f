"""tracelode diff: where do two sets of sessions differ?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import file, integer, whole
from tracelode.cli.options import STORE, VIEW, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.model.difference import Difference
    from tracelode.model.query import Query
    from tracelode.workspace import Workspace

_SETS = Group("What is compared", sort_key=0)
_SET = "FIELD=VALUE, WHEN..WHEN, or several joined by commas"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SetOptions:
    """Which sets are compared, and how their sessions are paired."""

    base_where: Annotated[
        tuple[str, ...],
        Parameter(
            group=_SETS, help="A term of BASE whose value has a comma; repeatable.", metavar="FIELD=VALUE"
        ),
    ] = ()
    """Further FIELD=VALUE of the base set."""
    other_where: Annotated[
        tuple[str, ...],
        Parameter(group=_SETS, help="The same of OTHER; repeatable.", metavar="FIELD=VALUE"),
    ] = ()
    """Further FIELD=VALUE of the other set."""
    pair: Annotated[
        str | None,
        Parameter(
            group=_SETS,
            help="What sessions of a pair share: task (default), project, intent, agent, or several.",
            metavar="FIELD,...",
        ),
    ] = None
    """Fields, separated by commas; None for task, where it pairs sessions."""

    def fields(self) -> tuple[str, ...] | None:
        """The fields that were asked for."""
        if self.pair is None:
            return None
        return tuple(word.strip() for word in self.pair.split(",") if word.strip())


SETS = SetOptions()
"""No option given."""
VANISHED = 500
"""Stacks of which those that one set has alone get an interval."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DiffOptions:
    """How a difference is counted and shown."""

    by: Annotated[
        str | None,
        Parameter(
            group=_SETS,
            help="Instead of two sets: outcome (failed minus succeeded), proxy, or a field with two values.",
            metavar="FIELD",
        ),
    ] = None
    """Field that tells the sets apart."""
    per: Annotated[
        Literal["task", "session", "total"] | None,
        Parameter(
            group=_SETS,
            help="task: pairs of one task, each task weighs one; session: means; total: plain sums. Default: "
            "task with --by outcome and where 2 tasks are on both sides, else session.",
        ),
    ] = None
    """task, session or total."""
    least_sessions: Annotated[
        int,
        Parameter(
            group=_SETS, help="Sessions a frame needs to be called different. Default: 3.", converter=whole,
            metavar="N",
        ),
    ] = 3  # fmt: skip
    """Number of sessions."""
    least_tasks: Annotated[
        int,
        Parameter(
            group=_SETS, help="Tasks it needs, and pairs need. Default: 2.", converter=whole, metavar="N"
        ),
    ] = 2
    """Number of tasks."""
    vanished: Annotated[
        bool, Parameter(group=_SETS, help="Only stacks that one set has and the other has not.")
    ] = False
    """Whether stacks of both sets are left out."""
    sensitivity: Annotated[
        bool,
        Parameter(group=_SETS, help="How far the shares of stages move when sessions are cut otherwise."),
    ] = False
    """Whether shares under other segmenters are shown instead."""
    held_out: Annotated[
        bool,
        Parameter(
            group=_SETS, help="With --by outcome: does what differs hold on tasks it was not learned on?"
        ),
    ] = False
    """Whether held-out pairs are told apart too."""
    seed: Annotated[
        int, Parameter(group=_SETS, help="Of the resamples. Default: 0.", metavar="N", converter=integer)
    ] = 0
    """Seed."""
    output: Annotated[
        str | None,
        Parameter(
            name=("--output", "-o"),
            group="Workspace and output",
            help="Write a file, format by suffix: .pb.gz .folded .svg .html .json .csv; - streams.",
            metavar="FILE",
            converter=file,
        ),
    ] = None
    """Path, or - for standard output."""
    format: Annotated[
        str | None,
        Parameter(
            group="Workspace and output", help="Format where the suffix does not say it (with -o).",
            metavar="NAME",
        ),
    ] = None  # fmt: skip
    """pprof, folded, svg, html, json or csv."""


DIFF = DiffOptions()
"""No option given."""


def diff(
    base: Annotated[str | None, Parameter(help=f"Set of sessions: {_SET}.")] = None,
    other: Annotated[str | None, Parameter(help="The set it is taken from: OTHER minus BASE.")] = None,
    /,
    *,
    sets: SetOptions = SETS,
    options: DiffOptions = DIFF,
    view: ViewOptions = VIEW,
    store: StoreOptions = STORE,
) -> int:
    """Say where two sets of sessions differ: tracelode diff BASE OTHER, or tracelode diff --by outcome.

    More in one set is where to look, and no cause.

    Args:
        base: words of the base set.
        other: words of the other set.
        sets: further words, and what pairs share.
        options: how it is counted and shown.
        view: stack, measure, filters that both sets share.
        store: where.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import difference_text, shapes
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.screen import Screen
    from tracelode.cli.view import open_workspace
    from tracelode.model.difference_json import answer, sensitivity_answer

    workspace = open_workspace(store)
    query, words = _asked(workspace, view, base, other, sets, options)
    if workspace.empty():
        return nothing_found(nothing_stored(workspace), {} if store.json else None)
    pair = sets.fields()
    found = workspace.difference(
        *words[:2], by=options.by, query=query, names=words[2], per=options.per, pair=pair,
        least=(options.least_sessions, options.least_tasks), seed=options.seed,
        headline=VANISHED if options.vanished else view.nodecount,
    )  # fmt: skip
    if options.sensitivity:
        moved = workspace.sensitivity(
            *words[:2], by=options.by, query=query, names=words[2], per=found.per, pair=pair
        )
        if store.json:
            shapes.write(sensitivity_answer(moved, view.nodecount))
        else:
            difference_text.draw_cuts(Screen(), found, moved, view.nodecount)
        return 0
    if options.held_out:
        held = workspace.told_apart(query, by=options.by or "", pair=pair, seed=options.seed)
        if store.json:
            shapes.write({**answer(found, view.nodecount), "held_out": msgspec.to_builtins(held)})
        else:
            difference_text.heading(Screen(), found)
            difference_text.draw_held_out(Screen(), held)
        return 0
    if options.output is not None:
        return _write(workspace, found, options.output, options.format, store.json)
    if store.json:
        shapes.write(answer(found, view.nodecount, vanished=options.vanished))
    else:
        difference_text.draw(Screen(), found, view.nodecount, vanished=options.vanished, share=view.share)
    return 0


def _asked(
    workspace: Workspace,
    view: ViewOptions,
    base: str | None,
    other: str | None,
    sets: SetOptions,
    options: DiffOptions,
) -> tuple[Query, tuple[Query | None, Query | None, tuple[str, str]]]:
    """The query both sets share, and the sets."""
    import msgspec

    from tracelode.cli.sets import two_sets
    from tracelode.cli.view import query_of
    from tracelode.errors import UsageError

    if options.output is None and options.format is not None:
        raise UsageError("--format goes with -o; write it as -o FILE, or -o - for standard output")
    if options.held_out and options.by not in ("outcome", "proxy"):
        raise UsageError("--held-out goes with --by outcome or --by proxy")
    if options.output is not None and (options.sensitivity or options.vanished or options.held_out):
        raise UsageError("-o writes the whole difference; leave out --sensitivity, --vanished and --held-out")
    query = query_of(view, workspace)
    if len(query.measures) > 1:
        raise UsageError("a difference has one --measure; ask again for the others")
    if not query.measures:
        query = msgspec.structs.replace(query, measures=(workspace.default_measure(),))
    held = two_sets(base, other, sets.base_where, sets.other_where, query, workspace)
    if (held is None) == (options.by is None):
        raise UsageError(
            "name two sets or one field that tells them apart, as diff BASE OTHER or diff --by outcome"
        )
    return query, held or (None, None, ("base", "other"))


def _write(workspace: Workspace, found: Difference, target: str, form: str | None, json: bool) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.text import clean, number
    from tracelode.errors import UsageError

    if target == "-":
        if form is None:
            raise UsageError("-o - needs --format, one of pprof, folded, svg, html, json, csv")
        if form == "pprof" and sys.stdout.isatty():
            raise UsageError("pprof is binary; pipe it, or name a file with -o")
        sys.stdout.flush()
        workspace.export_difference(found, sys.stdout.buffer, form)
        sys.stdout.buffer.flush()
        return 0
    path = Path(target).expanduser()
    workspace.export_difference(found, path, form)
    if json:
        size = path.stat().st_size if path.is_file() else None
        shapes.write({"wrote": target, "bytes": size, "stacks": len(found.rows), "measure": found.measure})
    else:
        sys.stderr.write(f"wrote {clean(target)}: {number(len(found.rows), 'stack')} by {found.measure}\n")
    return 0

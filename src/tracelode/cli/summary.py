"""tracelode: what is there? Reads what is new of the local history and prints one screen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

SyncFlag = Annotated[
    bool | None,
    Parameter(
        name="--import",
        negative="--no-import",
        help="Read the local history first. Default: yes, but a workspace named by --store or "
        "$TRACELODE_STORE that holds other traces is left alone.",
    ),
]
"""--import / --no-import."""


def summary(
    *,
    sync: SyncFlag = None,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Read what is new of the local history and print one screen: totals, work by cost, what to look at.

    Args:
        sync: whether to read the local history first.
        filters: what is counted.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import board, shapes
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import shell_path
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace

    chosen = store.store is not None or "TRACELODE_STORE" in os.environ
    workspace = open_workspace(
        store, fresh=sync is not False, renew=sync is True or (sync is None and not chosen)
    )
    query = query_of(filters, workspace)
    looked = None
    if sync is True or (sync is None and _follows(workspace, store)):
        looked = _read_history(workspace)
    found = board.ask(workspace, query, split=store.json)
    answer = board.answer(found) if store.json else None
    if not found.totals.operations:
        if not workspace.empty():
            reason = "nothing matches; loosen --where, --since, --until or --outcome"
        elif looked == 0:
            reason = "no agent history found; try tracelode demo, or tracelode import PATH"
        else:
            reason = nothing_stored(workspace)
        return nothing_found(reason, answer)
    if answer is not None:
        shapes.write(answer)
    else:
        screen = Screen()
        board.draw(screen, found, "tracelode")
        named = None if store.store is None else shell_path(store.store)
        board.follow(screen, found, wrote=None, store=named, picture="my.svg")
    return 0


def _follows(workspace: Workspace, store: StoreOptions) -> bool:
    """Whether this workspace is one that the local history belongs into."""
    if (store.store is None and not os.environ.get("TRACELODE_STORE")) or workspace.empty():
        return True
    # A named workspace holds what was put there: it follows the history only if it began with it.
    names = {name.split("-")[0] for name, _, _ in workspace.local_history()}
    return any(s.source.partition(":")[0] in names for s in workspace.sessions())


def _read_history(workspace: Workspace) -> int:
    """Import the local history, and say how many files it has."""
    from tracelode.cli.progress import bar
    from tracelode.cli.screen import say
    from tracelode.cli.text import home, number
    from tracelode.model.words import count

    history = [entry for entry in workspace.local_history() if entry[2]]
    files = sum(n for _, _, n in history)
    if not history:
        return files
    if workspace.empty():
        more = len(history) - 1
        places = home(history[0][1]) + (f" and {number(more, 'more folder')}" if more else "")
        say(f"reading {number(files, 'file')} of {places} into {home(workspace.path)}")
    with bar() as progress:
        report = workspace.add(progress=progress)
    if report.operations:
        say(f"read {number(report.files_read, 'new file')}, {count(report.operations)} operations")
    skipped = sum(skip.count for skip in report.skipped)
    if skipped and not workspace.empty():
        say(f"skipped {skipped:,} places; tracelode doctor says what and where")
    return files

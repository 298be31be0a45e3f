"""Which sessions of a store are labelled? By marks made of them, or by the plans that agents kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tracelode.model.report import Skipped
from tracelode.model.session import Session
from tracelode.profile.marks import to_segments
from tracelode.profile.train.labelled import Labelled, marked, read
from tracelode.profile.train.silver import silver
from tracelode.profile.train.trial import LEAST_SESSIONS, LEAST_TASKS
from tracelode.store.annotations import latest
from tracelode.store.catalog import Catalog

MARKS, PLAN = "marks", "plan"
"""Words for labels that the store itself holds."""


class Labels(NamedTuple):
    """Labelled sessions."""

    whose: str
    """Where the labels are from: marks, plan, or the name of a file."""
    grouped: str
    """What no division takes apart: task, project or session."""
    sessions: list[Labelled]
    """The sessions."""
    skipped: list[Skipped]
    """Labels that could not be used."""


def labels_of(catalog: Catalog, ask: Any, given: str | Path | None) -> Labels:
    """The labels that somebody asks for.

    Args:
        catalog: the store's catalog.
        ask: the store's DuckAsker.
        given: marks, plan, or a file; None for the marks if enough sessions have some, else the plans.

    Raises:
        UsageError: the file cannot be read.
    """
    if given is None:
        enough = len(latest(catalog)) >= LEAST_SESSIONS
        given = MARKS if enough else PLAN
    if given == MARKS:
        return of_marks(catalog, ask)
    if given == PLAN:
        return of_plans(catalog, ask)
    path = Path(given).expanduser()
    found, skipped = read(path)
    return Labels(path.name, "task", found, skipped)


def of_marks(catalog: Catalog, ask: Any) -> Labels:
    """Sessions whose stretches people or models marked."""
    known = {session.key: session for session in catalog.sessions()}
    found: list[Labelled] = []
    changed = 0
    for key, annotation in sorted(latest(catalog).items()):
        held = ask.operations(key) if key in known else []
        segments = to_segments(annotation, held)
        if segments is None:
            changed += 1
            continue
        made = marked(key, key, held, segments)
        if made is not None:
            found.append(made)
    skipped = (
        [Skipped("marks", 0, "a session that is gone or became another one", changed)] if changed else []
    )
    return _grouped(MARKS, found, known, skipped)


def of_plans(catalog: Catalog, ask: Any) -> Labels:
    """Parts of sessions in which one item of a plan follows another."""
    known = {session.key: session for session in catalog.sessions()}
    found: list[Labelled] = []
    # few sessions keep a plan: the others are not read whole
    planned = {operation.session for operation in ask.planning() if operation.kind == "plan"}
    for key in sorted(planned & known.keys()):
        # what a fork inherits is labelled where it was done
        held = [operation for operation in ask.operations(key) if not operation.inherited]
        found += silver(key, key, held)
    return _grouped(PLAN, found, known, [])


def _grouped(
    whose: str, found: Sequence[Labelled], known: Mapping[str, Session], skipped: list[Skipped]
) -> Labels:
    """Sessions with what keeps them together: task or project where there are enough, else their root."""

    def session(one: Labelled) -> Session:
        # a part of a session is named by its first operation
        return known[one.key if one.key in known else one.key.rpartition("#")[0]]

    tasks = [session(one).task or session(one).project or session(one).root for one in found]
    name = "task" if any(session(one).task for one in found) else "project"
    if len(set(tasks)) < LEAST_TASKS:
        name, tasks = "session", [_origin(session(one), known) for one in found]
    made = [one._replace(task=task) for one, task in zip(found, tasks, strict=True)]
    return Labels(whose, name, made, skipped)


def _origin(session: Session, known: Mapping[str, Session]) -> str:
    """Root of the session that this one was forked from, at the end of all forks."""
    seen = {session.root}
    key = session.root
    while key in known and (fork := known[key].fork_of) is not None and fork not in seen:
        seen.add(fork)
        key = fork
    return key

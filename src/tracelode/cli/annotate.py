"""tracelode annotate: how do people and agents say where stages begin? In a folder that goes out and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import integer, path, whole
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

Action = Literal["export", "import", "review", "history"]


def annotate(
    action: Annotated[
        Action,
        Parameter(
            help="Write a folder for annotators, take one in, write one to review the cuts, or list the "
            "revisions of marks."
        ),
    ],
    /,
    *targets: Annotated[
        str, Parameter(help="SESSION... (export, review, history), or the folder or marks file (import).")
    ],
    output: Annotated[
        Path | None,
        Parameter(
            name=("--output", "-o"),
            help="Folder to write, empty or not there (export, review).",
            metavar="DIR",
            converter=path,
        ),
    ] = None,
    sample: Annotated[
        int | None,
        Parameter(
            help="So many sessions at random (export), or alike many of the least, middle and most certain "
            "(review; default 9).",
            metavar="N",
            converter=whole,
        ),
    ] = None,
    seed: Annotated[
        int,
        Parameter(help="The same seed takes the same sample. Default: 0.", metavar="S", converter=integer),
    ] = 0,
    budget: Annotated[
        int | None,
        Parameter(
            help="Characters of a packet at most; about 3 are a token. Default: 24000.",
            metavar="N",
            converter=whole,
        ),
    ] = None,
    marks: Annotated[
        bool, Parameter(name="--with-marks", help="Show how sessions are cut now (review is blind without).")
    ] = False,
    author: Annotated[
        str | None, Parameter(help="Who made the marks (import). Default: unnamed.", metavar="NAME")
    ] = None,
    reason: Annotated[str, Parameter(help="Why, in a few words (import).", metavar="TEXT")] = "",
    check: Annotated[bool, Parameter(help="Say what import would do; store nothing.")] = False,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Let people and agents mark where stages begin, and cut the sessions by their marks.

    Packets hold redacted text of the sessions: there is no --share for them. An import takes in everything,
    or nothing if anything is wrong.

    Args:
        action: export, import, review or history.
        targets: sessions, or what is imported.
        output: folder to write.
        sample: number of sessions.
        seed: of the sample.
        budget: characters of a packet.
        marks: whether a review shows the current cut.
        author: who made the marks.
        reason: why.
        check: store nothing.
        filters: which sessions, where none is named.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli.view import open_workspace

    given = {
        "--output": output is not None, "--sample": sample is not None, "--seed": seed != 0,
        "--budget": budget is not None, "--with-marks": marks, "--author": author is not None,
        "--reason": bool(reason), "--check": check, "a filter": filters != FILTERS,
    }  # fmt: skip
    _only(action, {name for name, there in given.items() if there})
    if action in ("export", "review"):
        if output is None:
            raise UsageError(f"annotate {action} needs a folder; write it as: annotate {action} -o DIR")
        workspace = open_workspace(store)
        if action == "review":
            sample, blind = (sample or (None if targets else _REVIEWED)), not marks
        else:
            blind = False
        return _write(
            workspace, targets, filters, output, store.json,
            sample=sample, seed=seed, budget=budget, blind=blind, review=action == "review",
        )  # fmt: skip
    workspace = open_workspace(store)
    if action == "import":
        if len(targets) != 1 or not targets[0]:
            raise UsageError("annotate import takes one folder or marks file")
        return _take(workspace, targets[0], author, reason, check=check, json=store.json)
    if len(targets) > 1:
        raise UsageError("annotate history takes one SESSION, or none for all")
    return _history(workspace, targets[0] if targets else None, store.json)


_REVIEWED = 9
"""Sessions of a review."""
_TAKES: dict[str, frozenset[str]] = {
    "export": frozenset({"--output", "--sample", "--seed", "--budget", "a filter"}),
    "review": frozenset({"--output", "--sample", "--seed", "--budget", "--with-marks", "a filter"}),
    "import": frozenset({"--author", "--reason", "--check"}),
    "history": frozenset(),
}


def _only(action: str, given: set[str]) -> None:
    """Refuse options that an action does not take."""
    wrong = sorted(given - _TAKES[action])
    if wrong:
        takes = ", ".join(sorted(_TAKES[action])) or "no option of its own"
        raise UsageError(f"annotate {action} does not go with {wrong[0]}; it takes {takes}")


def _write(
    workspace: Workspace,
    targets: tuple[str, ...],
    filters: FilterOptions,
    output: Path,
    json: bool,
    *,
    sample: int | None,
    seed: int,
    budget: int | None,
    blind: bool,
    review: bool,
) -> int:
    from tracelode.cli import annotate_text, shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.view import filters as query_of

    filtered = filters != FILTERS
    if targets and (filtered or sample is not None):
        raise UsageError("name sessions, or choose them by filters and --sample; not both")
    if not targets and not filtered and sample is None:
        raise UsageError("which sessions? Name them, or add --where FIELD=VALUE, --since WHEN or --sample N")
    if workspace.empty():
        return nothing_found(nothing_stored(workspace), {} if json else None)
    everything = workspace.sessions()
    report = workspace.annotate_export(
        output,
        sessions=[resolve(target, everything).key for target in targets],
        query=query_of(filters, workspace) if filtered else None,
        sample=sample,
        seed=seed,
        budget=budget,
        blind=blind,
        by_confidence=review,
    )
    if json:
        shapes.write(annotate_text.exported_shape(report))
    else:
        annotate_text.exported(report, everything)
    return 0


def _take(
    workspace: Workspace, source: str, author: str | None, reason: str, *, check: bool, json: bool
) -> int:
    from tracelode.cli import annotate_text, shapes
    from tracelode.errors import MarksError
    from tracelode.workspace.annotating import AUTHOR

    named = AUTHOR if author is None else author
    try:
        report = workspace.annotate_import(source, author=named, reason=reason, check=check)
    except MarksError as error:
        if json:
            rows = [{"place": place, "reason": why} for place, why in error.problems]
            shapes.write({"stored": False, "problems": rows})
        else:
            annotate_text.refused(error.problems)
        return 1
    if json:
        shapes.write(annotate_text.imported_shape(report))
    else:
        annotate_text.imported(report, workspace.sessions())
    return 0


def _history(workspace: Workspace, session: str | None, json: bool) -> int:
    from tracelode.cli import annotate_text, shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.nothing import nothing_found

    everything = workspace.sessions()
    found = workspace.annotations(None if session is None else resolve(session, everything).key)
    if not found:
        reason = "no marks; tracelode annotate export SESSION -o DIR begins some"
        return nothing_found(reason, {"revisions": []} if json else None)
    if json:
        shapes.write({"revisions": [annotate_text.revision_shape(item) for item in found]})
    else:
        annotate_text.history(found, everything, workspace.tz, one=session is not None)
    return 0

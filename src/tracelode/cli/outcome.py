"""tracelode outcome: how did sessions end? Said by a person, or taken from a file or a git repository."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import STORE, StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.workspace import Workspace


def outcome(
    action: Annotated[Literal["set", "import"], Parameter(help="Set one session, or import many.")],
    target: Annotated[
        str | None,
        Parameter(help="SESSION (a unique beginning is enough), or a CSV file, or issues as a .json file."),
    ] = None,
    word: Annotated[str | None, Parameter(help="How it ended: success or failure (with set).")] = None,
    /,
    *,
    task: Annotated[str | None, Parameter(help="Ticket or benchmark id (with set).", metavar="ID")] = None,
    git: Annotated[
        Path | None,
        Parameter(
            help="Judge sessions by their commits in this repository (with import).",
            converter=path,
            metavar="REPO",
        ),
    ] = None,
    branch: Annotated[
        str | None,
        Parameter(help="Branch the commits must be on (with --git; default: HEAD).", metavar="NAME"),
    ] = None,
    project: Annotated[
        str | None,
        Parameter(help="Only sessions in this folder or below it (with a .json file).", metavar="DIR"),
    ] = None,
    store: StoreOptions = STORE,
) -> int:
    """Say how sessions ended; views then split by the fields outcome and task.

    The CSV file has the columns session, outcome, task; outcome or task may be empty. The JSON file is what
    gh issue list --state all --json number,state,stateReason prints; a session's task is the issue's number.
    With --git, sessions whose commits are on the branch succeeded, those whose commits were all reverted
    there failed. What is only observed (tests passed, a commit) is the field proxy, and never becomes an
    outcome.

    Args:
        action: set or import.
        target: session key, CSV file or JSON file.
        word: success or failure.
        task: ticket or benchmark id.
        git: a local repository.
        branch: branch, tag or commit of it.
        project: folder of sessions.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    if action == "set":
        if git is not None or branch is not None or project is not None:
            raise UsageError("--git, --branch and --project go with outcome import")
        return _set(workspace, target, word, task, store.json)
    if word is not None or task is not None:
        raise UsageError("outcome import takes a file alone, or --git REPO")
    if project is not None and (not _lists_issues(target) or not project):
        raise UsageError("--project names the folder that the issues of a .json file are of")
    return _import(workspace, target, git, branch, project, store.json)


def _set(workspace: Workspace, target: str | None, word: str | None, task: str | None, json: bool) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean

    if target is None or (word is None and task is None):
        raise UsageError("outcome set takes SESSION and success or failure, or --task")
    if task is not None and not task.strip():
        raise UsageError("--task is empty; write it as --task TICKET-12")
    session = resolve(target, workspace.sessions())
    root = workspace.judge(session.key, word, task)
    if json:
        shapes.write({"sessions": [root]})
    else:
        Screen().print(f"noted    {clean(root)}")
    return 0


def _lists_issues(target: str | None) -> bool:
    return target is not None and target.lower().endswith(".json")


def _import(
    workspace: Workspace,
    target: str | None,
    git: Path | None,
    branch: str | None,
    project: str | None,
    json: bool,
) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.screen import Screen, warn
    from tracelode.cli.text import number

    if target == "":
        raise UsageError("outcome import needs a path, and got an empty word")
    if (target is None) == (git is None):
        raise UsageError("outcome import takes a CSV or JSON file, or --git REPO")
    if branch is not None and (git is None or not branch.strip()):
        raise UsageError(
            "--branch names a branch of the repository that --git names; write it as --branch main"
        )
    if git is not None:
        count, skipped = workspace.judge_from_git(git, branch)
        told = [f"{number(row.count, 'session')} left open: {row.reason}" for row in skipped]
        nothing = (
            "no session is judged; only those whose results show a commit that stayed or was reverted are"
        )
    elif _lists_issues(target):
        count, skipped = workspace.judge_from_issues(Path(target or ""), project)
        place = "skipped, first at place {} of the list: {}"
        told = [f"{number(row.count, 'issue')} {place.format(row.line, row.reason)}" for row in skipped]
        nothing = "no session is judged; tracelode outcome set SESSION --task NUMBER names a session's issue"
    else:
        count, skipped = workspace.judge_from(Path(target or ""))
        place = "skipped, first at line {}: {}"
        told = [f"{number(row.count, 'row')} {place.format(row.line, row.reason)}" for row in skipped]
        nothing = "no session is judged; tracelode sessions lists the keys for the column session"
    rows = [{"path": s.path, "line": s.line, "reason": s.reason, "count": s.count} for s in skipped]
    answer = {"judged": count, "skipped": rows}
    if json:
        if not count:
            return nothing_found(nothing, answer)
        shapes.write(answer)
        return 0
    if count:
        Screen().print(f"noted    {number(count, 'session')}")
    for line in told:
        warn(line)
    return 0 if count else nothing_found(nothing)

"""tracelode outcome: how did sessions end? Said by a person, or taken from a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions
from tracelode.errors import UsageError


def outcome(
    action: Annotated[Literal["set", "import"], Parameter(help="Set one session, or import a CSV file.")],
    target: Annotated[str, Parameter(help="SESSION (a unique beginning is enough), or the CSV file.")],
    word: Annotated[str | None, Parameter(help="How it ended: success or failure (with set).")] = None,
    /,
    *,
    task: Annotated[str | None, Parameter(help="Ticket or benchmark id (with set).", metavar="ID")] = None,
    store: StoreOptions = STORE,
) -> int:
    """Say how sessions ended; views then split by the fields outcome and task.

    The CSV file has the columns session, outcome, task; outcome or task may be empty. What is only
    observed (tests passed, a commit) is the field proxy, and never becomes an outcome.

    Args:
        action: set or import.
        target: session key or CSV file.
        word: success or failure.
        task: ticket or benchmark id.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.keys import resolve
    from tracelode.cli.screen import Screen, warn
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    if action == "set":
        if word is None and task is None:
            raise UsageError("outcome set takes SESSION and success or failure, or --task")
        if task is not None and not task.strip():
            raise UsageError("--task is empty; write it as --task TICKET-12")
        session = resolve(target, workspace.sessions())
        root = workspace.judge(session.key, word, task)
        if store.json:
            shapes.write({"sessions": [root]})
        else:
            Screen().print(f"noted    {clean(root)}")
        return 0
    if word is not None or task is not None:
        raise UsageError("outcome import takes a CSV file alone")
    if not target:
        raise UsageError("outcome import needs a path, and got an empty word")
    count, skipped = workspace.judge_from(Path(target))
    if store.json:
        rows = [{"path": s.path, "line": s.line, "reason": s.reason, "count": s.count} for s in skipped]
        shapes.write({"judged": count, "skipped": rows})
    else:
        Screen().print(f"noted    {number(count, 'session')}")
        for row in skipped:
            warn(f"{number(row.count, 'row')} skipped, first at line {row.line}: {row.reason}")
    return 0 if count else 3

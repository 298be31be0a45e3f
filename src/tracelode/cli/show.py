"""tracelode show: what happened in one session, operation by operation, down to file and line?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions
from tracelode.errors import QueryError, UsageError

if TYPE_CHECKING:
    from tracelode.model.operation import Operation
    from tracelode.model.session import Session
    from tracelode.workspace import Workspace


def show(
    session: Annotated[
        str,
        Parameter(help="Key of a session, a unique start of it, or its short name; #N for one operation."),
    ],
    /,
    *,
    nested: Annotated[bool, Parameter(help="Sub-agents' operations too, indented.")] = False,
    outline: Annotated[
        bool, Parameter(help="Segments, what people said, sub-agents; no other operations.")
    ] = False,
    whole: Annotated[
        bool,
        Parameter(
            help="With #N: whole texts in place of previews, redacted; from the archive (import --archive), "
            "else from the source, read again."
        ),
    ] = False,
    store: StoreOptions = STORE,
) -> int:
    """Print a session's segments with their operations, or everything about one operation (SESSION#N).

    Args:
        session: key, unique start of a key, or either with #N.
        nested: print sub-agents in place.
        outline: leave out what is no segment, moment of a person or sub-agent.
        whole: print whole texts of one operation.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.keys import place, with_roots
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    everything = workspace.sessions()
    found, index = place(session, with_roots(everything))
    # Of some roots only sub-agents are there.
    here = found in everything
    operations = workspace.operations(found.key) if here else []
    if whole and index is None:
        raise UsageError("--whole shows one operation; write it as: tracelode show KEY#N --whole")
    if index is not None:
        return _one(workspace, found, operations, index, store.json, whole)
    children = [s for s in everything if s.root == found.root and s.key != found.key]
    if store.json:
        shapes.write(_answer(workspace, found, operations, children if nested or not here else None))
        return 0
    from tracelode.cli.session_text import SessionText

    SessionText(workspace, everything).draw(found, operations, children, nested=nested, outline=outline)
    return 0


def _answer(
    workspace: Workspace, found: Session, operations: list[Operation], children: list[Session] | None
) -> dict[str, Any]:
    """A session as JSON, with sub-agents where they are given."""
    from tracelode.cli import shapes

    answer: dict[str, Any] = {
        "session": shapes.session(found),
        "operations": [shapes.operation(o) for o in operations],
    }
    if operations:
        answer["segments"] = shapes.segmentation(workspace.segmentation(found.key))["segments"]
    if children is not None:
        answer["subagents"] = [
            {
                "session": shapes.session(child),
                "operations": [shapes.operation(o) for o in workspace.operations(child.key)],
            }
            for child in children
        ]
    return answer


def _one(
    workspace: Workspace, session: Session, operations: list[Operation], index: int, json: bool, whole: bool
) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.operation_text import draw, whole_call

    found = next((o for o in operations if o.index == index), None)
    if found is None:
        last = max((o.index for o in operations), default=None)
        if last is None:
            raise QueryError(f"session {session.key} has no operation of its own, only its sub-agents have")
        raise QueryError(f"session {session.key} has no operation {index}; its last is #{last}")
    if whole:
        found = _whole(workspace, session, found)
    if json:
        call = whole_call(found, operations)
        answer = {"session": session.key, "operation": shapes.operation(found, previews=True), "call": None}
        if call is not None:
            answer["call"] = {
                "index": call.index,
                "operations": [o.index for o in call.parts],
                "measures": call.measures,
            }
        shapes.write(answer)
    else:
        draw(workspace, session, operations, found, whole=whole)
    return 0


def _whole(workspace: Workspace, session: Session, found: Operation) -> Operation:
    """The operation with its whole texts; what cannot be had is said and keeps its preview."""
    import msgspec

    from tracelode.cli.screen import warn
    from tracelode.cli.text import clean

    texts, gone = workspace.contents(session.key)
    for source, why in gone.items():
        warn(f"{clean(source)}: {why}; a preview is shown where nothing was archived")
    text = texts.get(found.id)
    if text is None:
        return found
    return msgspec.structs.replace(
        found, arguments=text.arguments or found.arguments, output=text.output or found.output
    )

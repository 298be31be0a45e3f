"""tracelode explain: why is one step before another, and where does an argument come from?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tracelode.cli.compile_options import OPTIONS, CompileOptions
from tracelode.cli.options import STORE, StoreOptions


def explain(
    edge: Annotated[str, Parameter(help="Id of an edge, as e3; a step; STEP.ARGUMENT; or STEP>STEP.")],
    workflow: Annotated[
        str | None,
        Parameter(
            help="Folder or file that compile wrote, or an intent, which is compiled again. Default: "
            "the only folder in ./tracelode-workflows."
        ),
    ] = None,
    /,
    *,
    keep_values: Annotated[bool, Parameter(help="Show values of the traces (with an intent).")] = False,
    how: CompileOptions = OPTIONS,
    store: StoreOptions = STORE,
) -> int:
    """Print the proof of an edge in words, with the file and line of each run.

    Args:
        edge: which.
        workflow: of what.
        keep_values: values too.
        how: what intents are told apart by.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.compile_options import settings
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean
    from tracelode.cli.workflow_word import at_hand, named

    target = workflow or at_hand()
    more = {}
    if named(target):
        from tracelode.workspace import compiling_words

        lines = compiling_words.explain(edge, target)
    else:
        from tracelode.cli.view import open_workspace

        more = {"options": settings(how, keep_values=keep_values), "declare": how.declare}
        lines = open_workspace(store).explain(edge, target, **more)
    if store.json:
        shapes.write({"edge": edge, "workflow": target, "lines": lines})
        return 0
    screen = Screen()
    for line in lines:
        inside = len(line) - len(line.lstrip(" -"))
        screen.flow(line[:inside], [clean(line)] if not inside else [clean(line[inside:])], indent=inside)
    return 0

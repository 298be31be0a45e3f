"""tracelode verify: does a workflow hold together, and do its runs still make the same one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.compile_options import OPTIONS, CompileOptions
from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.model.compiled import Checked

FAILED = 4


def verify(
    workflow: Annotated[
        str | None,
        Parameter(
            help="Folder or file that compile wrote, or an intent. Default: the only folder in "
            "./tracelode-workflows."
        ),
    ] = None,
    /,
    *,
    accept_edits: Annotated[bool, Parameter(help="Take a file that was edited by hand.")] = False,
    how: CompileOptions = OPTIONS,
    store: StoreOptions = STORE,
) -> int:
    """Check a workflow's structure, compile its runs again, leave each out, try other orders and values.

    Args:
        workflow: which.
        accept_edits: take edits.
        how: what intents are told apart by.
        store: where its runs are.

    Returns:
        0, or 4 where something speaks against it.
    """
    from tracelode.cli import shapes, shapes_compile
    from tracelode.cli.compile_options import settings
    from tracelode.cli.view import open_workspace
    from tracelode.cli.workflow_word import at_hand, named
    from tracelode.errors import QueryError

    target = workflow or at_hand()
    options = {"options": settings(how), "declare": how.declare}
    try:
        opened = open_workspace(store)
    except QueryError:
        if not named(target):
            raise
        # a workflow may be looked at where its runs are not
        from tracelode.workspace.compiling_files import looked_at

        found = looked_at(target, accept_edits=accept_edits)
    else:
        found = opened.verify(target, accept_edits=accept_edits, **options)
    if store.json:
        shapes.write(shapes_compile.checked(found))
    else:
        _draw(found)
    return 0 if found.holds else FAILED


def _draw(found: Checked) -> None:
    from tracelode.cli import compile_text
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, number

    screen, workflow = Screen(), found.workflow
    word = "holds" if found.holds else "fails"
    screen.flow(word, [f"{clean(workflow.name)} ({clean(workflow.id)})"], indent=10)
    screen.flow(
        "", [number(len(workflow.steps), "step"), f"learned from {number(workflow.runs, 'run')}",
             compile_text.trust_text(workflow)], joint=", ", indent=10,
    )  # fmt: skip
    structure = [clean(p) for p in found.problems] or ["sound: every value is there when its step is taken"]
    screen.flow("structure", structure, joint="; ", indent=10)
    if found.compiled is None:
        screen.flow("runs", [f"not compiled again: {found.reason}"], indent=10)
        return
    if found.same is not None:
        words = "compiled again, its runs give the same workflow"
        other = "compiled again, with these options, its runs give another workflow"
        screen.flow("runs", [words if found.same else other], indent=10)
        for place, phrase in enumerate(found.differs):
            screen.flow("" if place else "differs", [clean(phrase)], indent=10)
    compile_text.proof(screen, found.compiled)
    compile_text.unread(screen, found.compiled.reading)

"""tracelode run: do a workflow; it asks before it writes, and stops where its runs do not carry it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions
from tracelode.cli.run_options import (
    FAR,
    GIVEN,
    OPEN,
    TOOLS,
    FarOptions,
    GivenOptions,
    OpenRunOptions,
    ToolOptions,
)
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.model.compiled import Chosen
    from tracelode.model.workflow import Workflow

STANDS = 4


class Unfit(Exception):
    """The request asks for something else than the workflow does."""


def run_workflow(
    workflow: Annotated[
        str | None,
        Parameter(
            help="Folder or file that compile wrote. Default: the only folder in ./tracelode-workflows."
        ),
    ] = None,
    /,
    *,
    given: GivenOptions = GIVEN,
    tools: ToolOptions = TOOLS,
    far: FarOptions = FAR,
    opened: OpenRunOptions = OPEN,
    store: StoreOptions = STORE,
) -> int:
    """Run a workflow: step by step, each value by its proven rule, with a yes before every write.

    Args:
        workflow: which.
        given: inputs.
        tools: toolboxes.
        far: policy, engine, journal.
        opened: runs that have not ended.
        store: where a recorded session is.

    Returns:
        0, or 4 where it stands still, was stopped, or would write a second time.
    """
    from tracelode.cli import run_open
    from tracelode.cli.workflow_word import at_hand
    from tracelode.workspace import running, running_open

    target = workflow or at_hand()
    loaded, folder = running.load(target, accept_edits=far.accept_edits)
    chosen = _chosen(tools, far, opened, folder)
    if opened.open_:
        return run_open.listed(running_open.open_runs(loaded, chosen), loaded, json=store.json)
    asks = sys.stdin.isatty() if far.ask is None else far.ask
    running.policy_of(loaded, chosen)
    asker = running_open.settled(
        loaded, chosen, running.askers(person=asks, backend=_backend(far)),
        done=opened.done, not_done=opened.not_done, output=opened.output,
    )  # fmt: skip
    with run_open.aside():
        # a module of tools may print as it is imported
        box = toolbox_of(chosen, tools)
    try:
        inputs = _inputs(loaded, given, asks, resumed=bool(opened.resume))
    except Unfit as error:
        return _unfit(str(error), store.json)
    if far.restore:
        running_open.restore(loaded, chosen)
    if not opened.resume and not opened.again:
        running_open.unrepeated(loaded, inputs, chosen)
    recorded = None if far.recorded is None else _recorded(far, store)
    going = run_open.Going(loaded, target, chosen, accept_edits=far.accept_edits, json=store.json)
    try:
        with run_open.aside():
            going.say()
            outcome = running.run(
                loaded, inputs, box, chosen, name=going.run, asker=asker, recorded=recorded,
                beat=_beat(store.json),
            )  # fmt: skip
    except BaseException as error:
        if not going.interrupted(error):
            raise
        return going.broken_off()
    going.tell(running.printed(loaded, outcome, inputs))
    return 0 if outcome.status in ("done", "handed_over") else STANDS


def toolbox_of(chosen: Chosen, tools: ToolOptions) -> Any:
    """The tools that words name.

    Args:
        chosen: words.
        tools: what they are reached with.

    Raises:
        UsageError: a word names none.
    """
    from tracelode.workspace.tooling import toolbox

    return toolbox(
        chosen.tools,
        environment=tools.pass_env,
        headers=_pairs(tools.header, "--header"),
        timeout=tools.timeout,
    )


def _unfit(why: str, json: bool) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.screen import warn

    if json:
        shapes.write({"status": "unfit", "reason": why})
    warn(why)
    return STANDS


def _beat(json: bool) -> Any:
    from tracelode.cli import run_text

    return None if json else run_text.progress


def _chosen(tools: ToolOptions, far: FarOptions, opened: OpenRunOptions, folder: Path) -> Chosen:
    from tracelode.model.compiled import Chosen
    from tracelode.workspace.running import journal_of

    if far.recorded is not None and not far.shadow:
        raise UsageError("--recorded compares the writes of a shadow run: give --shadow")
    if far.backend is None and (far.model or far.base_url or far.key_env):
        raise UsageError("--model, --base-url and --key-env go with --backend")
    chosen = Chosen(
        tools=tools.tools, engine=far.engine, journal=far.journal, shadow=far.shadow, writes=far.yes_write,
        restored=far.demoted, again=opened.again, resume=opened.resume, calls=far.calls,
        timeout=tools.timeout,
    )  # fmt: skip
    import msgspec

    return msgspec.structs.replace(chosen, journal=journal_of(folder, chosen))


def _backend(far: FarOptions) -> Any:
    if far.backend is None:
        return None
    from tracelode.model.asked import Backend

    return Backend(name=far.backend, model=far.model, base_url=far.base_url, key_env=far.key_env)


def _pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"{option} {text!r} is no NAME=VALUE")
        if name.strip() in found:
            raise UsageError(f"{option} gives {name.strip()} twice: which of the two?")
        found[name.strip()] = value
    return found


def _inputs(loaded: Workflow, given: GivenOptions, asks: bool, *, resumed: bool) -> dict[str, Any]:
    """What was given: in the request, the file, one by one; the last counts. What is missing is asked for."""
    from tracelode.cli import run_text
    from tracelode.workspace import running

    found: dict[str, Any] = {}
    if given.inputs is not None:
        for name, value in running.given_file(loaded, given.inputs).items():
            found[running.known(loaded, name).name] = value
    for name, text in _pairs(given.input, "--input").items():
        found[name] = running.typed(running.known(loaded, name), text)
    unclear: dict[str, tuple[Any, ...]] = {}
    if given.request is not None:
        told = running.told(loaded, given.request, found)
        found = {**told.inputs, **found}
        unclear = {name: told.readings.get(name, ()) for name in told.unclear if name not in found}
        # of "T-1 and T-2" the second is a word that nothing accounts for: that there are two says more
        if told.against and (asks or resumed or not unclear or any(w[0] != "+" for w in told.against)):
            raise Unfit(run_text.unfit(told.against))
    if resumed:
        return found
    lacks = running.lacking(loaded, found)
    if lacks and asks:
        for name, text in run_text.ask_inputs(lacks).items():
            found[name] = running.typed(running.known(loaded, name), text)
        lacks = running.lacking(loaded, found)
    if lacks:
        raise UsageError(run_text.missing(lacks, unclear))
    return found


def _recorded(far: FarOptions, store: StoreOptions) -> Any:
    from tracelode.cli.keys import resolve
    from tracelode.cli.view import open_workspace
    from tracelode.errors import QueryError

    workspace = open_workspace(store)
    key = resolve(far.recorded or "", workspace.sessions()).key
    found = workspace.runs(sessions=[key])
    if not found:
        raise QueryError("the recorded session has no tool call")
    return found[0]

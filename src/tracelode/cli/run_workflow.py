"""tracelode run: do a workflow; it asks before it writes, and stops where its runs do not carry it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import factor, path, whole
from tracelode.cli.options import STORE, StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.model.compiled import Chosen
    from tracelode.model.execution import Outcome
    from tracelode.model.workflow import Workflow

STANDS = 4
_INPUTS = Group("What it is given", sort_key=1)
_TOOLS = Group("What it calls", sort_key=2)
_FAR = Group("How far it may go", sort_key=3)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GivenOptions:
    """Inputs."""

    input: Annotated[
        tuple[str, ...], Parameter(group=_INPUTS, help="An input; repeatable.", metavar="NAME=VALUE")
    ] = ()
    """NAME=VALUE each."""
    inputs: Annotated[
        Path | None,
        Parameter(group=_INPUTS, help="JSON object with inputs by name.", converter=path, metavar="FILE"),
    ] = None
    """A file."""
    request: Annotated[
        str | None,
        Parameter(
            group=_INPUTS,
            help="What is asked, in words: inputs are found in it as in the runs.",
            metavar="TEXT",
        ),
    ] = None
    """A text."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ToolOptions:
    """Toolboxes."""

    tools: Annotated[
        tuple[str, ...],
        Parameter(
            group=_TOOLS,
            help="mcp:COMMAND, https://HOST/PATH (MCP), MODULE:FUNCTION,..., openapi:FILE@URL or shell:FILE; "
            "NAME= before it names the server; repeatable.",
            metavar="TOOLS",
        ),
    ] = ()
    """Words for toolboxes."""
    pass_env: Annotated[
        tuple[str, ...],
        Parameter(
            group=_TOOLS,
            help="Variable that commands of MCP servers get too; repeatable.",
            metavar="VARIABLE",
        ),
    ] = ()
    """Names of variables."""
    header: Annotated[
        tuple[str, ...],
        Parameter(
            group=_TOOLS,
            help="HTTP header whose value a variable holds; repeatable.",
            metavar="HEADER=VARIABLE",
        ),
    ] = ()
    """HEADER=VARIABLE each."""
    timeout: Annotated[
        float,
        Parameter(
            group=_TOOLS, help="Seconds that one call may take. Default: 120.", converter=factor, metavar="S"
        ),
    ] = 120.0
    """Seconds."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FarOptions:
    """Policy, engine, journal."""

    shadow: Annotated[bool, Parameter(group=_FAR, help="Do what reads; only tell what would be written.")] = (
        False
    )
    """Shadow mode."""
    recorded: Annotated[
        str | None,
        Parameter(
            group=_FAR,
            help="Compare a shadow run's writes with those of a recorded session.",
            metavar="SESSION",
        ),
    ] = None
    """Session key."""
    yes_write: Annotated[
        str,
        Parameter(
            group=_FAR,
            help="ask: every write needs a yes. proven: what is proven and harmless needs none. STEP,...: "
            "these steps need none. Default: ask.",
            metavar="POLICY",
        ),
    ] = "ask"
    """ask, proven, or steps."""
    ask: Annotated[
        bool | None,
        Parameter(group=_FAR, negative="--no-ask", help="Ask at the terminal. Default: if there is one."),
    ] = None
    """--ask or --no-ask."""
    backend: Annotated[
        Literal["openai", "anthropic", "agent"] | None,
        Parameter(group=_FAR, help="Let a model decide what no rule explains; it approves no write."),
    ] = None
    """Who is asked."""
    model: Annotated[
        str, Parameter(group=_FAR, help="The model's name (with --backend).", metavar="NAME")
    ] = ""
    """Model."""
    base_url: Annotated[
        str, Parameter(group=_FAR, help="Another address than the vendor's (with --backend).", metavar="URL")
    ] = ""
    """Address."""
    key_env: Annotated[
        str, Parameter(group=_FAR, help="Variable that holds the key (with --backend).", metavar="VARIABLE")
    ] = ""
    """Variable."""
    engine: Annotated[
        str, Parameter(group=_FAR, help="What runs it: embedded or dbos. Default: embedded.", metavar="NAME")
    ] = "embedded"
    """Engine."""
    journal: Annotated[
        str,
        Parameter(
            group=_FAR,
            help="Where the run is noted: a file, or the engine's address. Default: "
            "journal.sqlite beside the workflow.",
            metavar="PLACE",
        ),
    ] = ""
    """File or address."""
    resume: Annotated[
        str, Parameter(group=_FAR, help="Go on with a run that waits or whose process died.", metavar="RUN")
    ] = ""
    """Run id."""
    demoted: Annotated[bool, Parameter(group=_FAR, help="Run it although it was demoted.")] = False
    """Against a demotion."""
    calls: Annotated[
        int, Parameter(group=_FAR, help="Tool calls at most. Default: 1000.", converter=whole, metavar="N")
    ] = 1_000
    """Budget."""
    accept_edits: Annotated[bool, Parameter(group=_FAR, help="Take a file that was edited by hand.")] = False
    """Against the digest."""


class Unfit(Exception):
    """The request asks for something else than the workflow does."""


GIVEN, TOOLS, FAR = GivenOptions(), ToolOptions(), FarOptions()
"""No option given."""


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
    store: StoreOptions = STORE,
) -> int:
    """Run a workflow: step by step, each value by its proven rule, with a yes before every write.

    Args:
        workflow: which.
        given: inputs.
        tools: toolboxes.
        far: policy, engine, journal.
        store: where a recorded session is.

    Returns:
        0, or 4 where it stands still or was stopped.
    """
    import secrets

    from tracelode.cli.workflow_word import at_hand
    from tracelode.workspace import running
    from tracelode.workspace.tooling import toolbox

    target = workflow or at_hand()
    loaded, folder = running.load(target, accept_edits=far.accept_edits)
    asks = sys.stdin.isatty() if far.ask is None else far.ask
    chosen = _chosen(tools, far, folder)
    running.policy_of(loaded, chosen)
    asker = running.askers(person=asks, backend=_backend(far))
    box = toolbox(
        chosen.tools,
        environment=tools.pass_env,
        headers=_pairs(tools.header, "--header"),
        timeout=tools.timeout,
    )
    try:
        inputs = _inputs(loaded, given, asks, resumed=bool(far.resume))
    except Unfit as error:
        return _unfit(str(error), store.json)
    recorded = None
    if far.recorded is not None:
        recorded = _recorded(far, store)
    outcome = running.run(
        loaded, inputs, box, chosen, name=f"run_{secrets.token_hex(8)}", asker=asker, recorded=recorded,
        beat=_beat(store.json),
    )  # fmt: skip
    _told(loaded, outcome, target, chosen, json=store.json)
    return 0 if outcome.status in ("done", "handed_over") else STANDS


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


def _chosen(tools: ToolOptions, far: FarOptions, folder: Path) -> Chosen:
    from tracelode.model.compiled import Chosen
    from tracelode.workspace.running import journal_of

    if far.recorded is not None and not far.shadow:
        raise UsageError("--recorded compares the writes of a shadow run: give --shadow")
    if far.backend is None and (far.model or far.base_url or far.key_env):
        raise UsageError("--model, --base-url and --key-env go with --backend")
    chosen = Chosen(
        tools=tools.tools, engine=far.engine, journal=far.journal, shadow=far.shadow, writes=far.yes_write,
        restored=far.demoted, resume=far.resume, calls=far.calls, timeout=tools.timeout,
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
        found[name.strip()] = value
    return found


def _inputs(loaded: Workflow, given: GivenOptions, asks: bool, *, resumed: bool) -> dict[str, Any]:
    """What was given: in the request, the file, one by one; the last counts. What is missing is asked for."""
    from tracelode.cli import run_text
    from tracelode.workspace import running

    found: dict[str, Any] = {}
    unclear: tuple[str, ...] = ()
    if given.request is not None:
        told = running.told(loaded, given.request)
        if told.against:
            raise Unfit(run_text.unfit(told.against))
        found.update(told.inputs)
        unclear = told.unclear
    if given.inputs is not None:
        for name, value in running.given_file(loaded, given.inputs).items():
            found[running.known(loaded, name).name] = value
    for name, text in _pairs(given.input, "--input").items():
        found[name] = running.typed(running.known(loaded, name), text)
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


def _told(loaded: Workflow, outcome: Outcome, target: str, chosen: Chosen, *, json: bool) -> None:
    from tracelode.cli import run_text, shapes, shapes_compile
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, shell_word

    words = [f"tracelode run {shell_word(clean(target))} --resume {clean(outcome.run)}"]
    words += [f"--tools {shell_word(clean(one))}" for one in chosen.tools]
    words.append(f"--journal {shell_word(clean(chosen.journal))}")
    if chosen.shadow:
        words.append("--shadow")
    if json:
        shapes.write({**shapes_compile.outcome(outcome), "journal": chosen.journal})
    else:
        run_text.draw(Screen(), loaded, outcome, " ".join(words))

"""Which options has tracelode run: its inputs, its tools, how far it may go, and runs that are open?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import factor, path, whole

_INPUTS = Group("What it is given", sort_key=1)
_TOOLS = Group("What it calls", sort_key=2)
_FAR = Group("How far it may go", sort_key=3)
_OPEN = Group("Runs that have not ended", sort_key=4)


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
    demoted: Annotated[
        bool, Parameter(group=_FAR, help="Run it this once although it was demoted.", negative="")
    ] = False
    """Against a demotion."""
    restore: Annotated[bool, Parameter(group=_FAR, help="Take a demotion back, then run.", negative="")] = (
        False
    )
    """Ends a demotion."""
    calls: Annotated[
        int, Parameter(group=_FAR, help="Tool calls at most. Default: 1000.", converter=whole, metavar="N")
    ] = 1_000
    """Budget."""
    accept_edits: Annotated[bool, Parameter(group=_FAR, help="Take a file that was edited by hand.")] = False
    """Against the digest."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class OpenRunOptions:
    """Runs that have not ended."""

    open_: Annotated[
        bool, Parameter(name="--open", group=_OPEN, help="List them, and run nothing.", negative="")
    ] = False
    """List."""
    resume: Annotated[
        str, Parameter(group=_OPEN, help="Go on with a run that waits or whose process died.", metavar="RUN")
    ] = ""
    """Run id."""
    done: Annotated[
        str,
        Parameter(group=_OPEN, help="With --resume: this write in doubt did happen.", metavar="STEP"),
    ] = ""
    """Slot."""
    output: Annotated[
        str | None, Parameter(group=_OPEN, help="With --done: what its tool gave.", metavar="JSON")
    ] = None
    """JSON."""
    not_done: Annotated[
        str,
        Parameter(
            group=_OPEN, help="With --resume: this write in doubt did not happen; make it.", metavar="STEP"
        ),
    ] = ""
    """Slot."""
    again: Annotated[
        bool,
        Parameter(
            group=_OPEN,
            help="Begin another run although one of the same inputs wrote and has not ended.",
            negative="",
        ),
    ] = False
    """Write once more."""


GIVEN, TOOLS, FAR, OPEN = GivenOptions(), ToolOptions(), FarOptions(), OpenRunOptions()
"""No option given."""

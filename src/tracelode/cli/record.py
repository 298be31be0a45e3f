"""tracelode record: what does a command do below itself? Runs it, and writes down what it touches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import JsonFlag


def record(
    *command: Annotated[str, Parameter(help="Program and its arguments, after --.", metavar="COMMAND")],
    output: Annotated[
        Path | None,
        Parameter(
            name=("--output", "-o"),
            help="The recording (default: a new file here).",
            metavar="FILE",
            converter=path,
        ),
    ] = None,
    with_: Annotated[
        Literal["strace", "proc"] | None,
        Parameter(name="--with", help="How: strace where it may be used, else by looking at /proc."),
    ] = None,
    json: JsonFlag = False,
) -> int:
    """Run an agent, or any command, and write down the processes, files and hosts below it (Linux).

    Input, output and exit code are the command's own. The recording is joined to the session that the
    command wrote under this folder meanwhile, if that is one alone; import reads it, and redacts it
    only then: it holds command lines and paths as they are, and no content of files.

    Args:
        command: what to run.
        output: the recording.
        with_: tracer.
        json: print JSON when it has ended.

    Returns:
        Exit code of the command; 128 and the signal where one ended it.
    """
    from tracelode.cli import shapes
    from tracelode.cli.screen import say
    from tracelode.cli.text import clean, shell_path
    from tracelode.workspace import recording

    done = recording.record(command, output, with_)
    found = recording.join(done)
    place = shell_path(done.target)
    if json:
        shapes.write(
            {
                "recording": str(done.target),
                "tracer": done.tracer,
                "exit": done.code,
                "session": found[0] if len(found) == 1 else None,
                "sessions": found,
            }
        )
    else:
        how = "strace" if done.tracer == "strace" else "/proc: what is short is missed"
        say(f"recorded: {place}, with {how}")
        if len(found) == 1:
            say(f"session: {clean(found[0])}")
            say(f"next: tracelode import && tracelode import {place}")
        else:
            why = "no session was" if not found else f"{len(found)} sessions were"
            say(f"session: unknown, {why} written under this folder meanwhile")
            say(f"next: tracelode import {place} --into SESSION")
    return done.code if done.code >= 0 else 128 - done.code

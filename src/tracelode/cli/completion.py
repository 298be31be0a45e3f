"""tracelode completion: how does the shell learn the commands?"""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from tracelode.errors import UsageError


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"] | None, Parameter(help="Default: the shell this runs in.")
    ] = None,
    /,
    *,
    install: Annotated[
        bool, Parameter(help="Write it where the shell looks, and name it in the shell's start file.")
    ] = False,
) -> int:
    """Print a completion script, or install it.

    Args:
        shell: which shell.
        install: write it instead of printing it.

    Returns:
        Exit code.

    Raises:
        UsageError: the shell cannot be told.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from tracelode.cli.app import build
    from tracelode.cli.screen import warn
    from tracelode.cli.text import home

    app = build()
    try:
        if install:
            warn(f"wrote {home(app.install_completion(shell=shell))}; open a new shell to use it")
        else:
            sys.stdout.write(app.generate_completion(shell=shell))
    except ShellDetectionError as error:
        raise UsageError("which shell? write it as tracelode completion bash") from error
    return 0

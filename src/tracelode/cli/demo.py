"""tracelode demo: how does it look? The first screen and a flame graph of bundled sample sessions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import JsonFlag


def demo(
    *,
    output: Annotated[
        Path,
        Parameter(
            name=("--output", "-o"), help="Where the flame graph goes.", metavar="FILE", converter=path
        ),
    ] = Path("tracelode-demo.svg"),
    open_: Annotated[bool, Parameter(name="--open", help="Open the flame graph.")] = False,
    store: Annotated[
        Path | None,
        Parameter(help="Workspace folder (default: XDG cache folder).", converter=path, metavar="DIR"),
    ] = None,
    tz: Annotated[str | None, Parameter(help="Zone of days and clock times.", metavar="ZONE")] = None,
    json: JsonFlag = False,
) -> int:
    """Read the bundled sample sessions, print the first screen and draw a flame graph.

    Args:
        output: the picture; its suffix picks the format.
        open_: show the picture in the desktop's viewer.
        store: workspace for the samples; never the one of the real history unless named.
        tz: zone name.
        json: print JSON.

    Returns:
        Exit code.
    """
    from tracelode import workspace as facade
    from tracelode.cli import board, shapes
    from tracelode.cli.screen import Screen
    from tracelode.cli.target import check_target
    from tracelode.cli.text import shell_path
    from tracelode.cli.view import check_zone
    from tracelode.model.query import Query

    check_target(str(output))
    place = store or _cache()
    if tz is not None:
        check_zone(tz)
    workspace = facade.demo(place, tz=tz)
    found = board.ask(workspace, Query(tz=workspace.tz), split=json)
    # the picture is made to be shown around: closed words only
    drawn = workspace.profile(Query(measures=(found.measure,), tz=workspace.tz, share=True))
    if json:
        workspace.export(drawn, output)
        shapes.write({**board.answer(found), "wrote": str(output)})
    else:
        screen = Screen()
        board.draw(screen, found, "tracelode demo")
        workspace.export(drawn, output)
        shown = output if output.is_absolute() or output.parent != Path() else f"./{output}"
        board.follow(screen, found, wrote=str(shown), store=shell_path(place), picture="my.svg")
    if open_:
        import webbrowser

        webbrowser.open(output.absolute().as_uri())
    return 0


def _cache() -> Path:
    from tracelode import __version__

    named = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of these folders: a relative one is none.
    root = named if os.path.isabs(named) else "~/.cache"
    # The version in the name: other samples never meet an older workspace.
    return Path(root).expanduser() / "tracelode" / f"demo-{__version__}"

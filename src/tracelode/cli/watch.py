"""tracelode watch: which rules fire while sessions are being recorded? Follows a folder until it is left."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import JsonFlag

if TYPE_CHECKING:
    from tracelode.model.alerting import Alert
    from tracelode.workspace.alerting import Watching


def watch(
    place: Annotated[
        Path, Parameter(help="Folder or file of plan events; it may come later.", converter=path)
    ],
    /,
    *,
    rules: Annotated[
        Path | None,
        Parameter(help="Rules in YAML. Default: the built-in ones.", converter=path, metavar="FILE"),
    ] = None,
    every: Annotated[str, Parameter(help="Look again after so long. Default: 1s.", metavar="TIME")] = "1s",
    until: Annotated[
        str | None,
        Parameter(help="Leave after so long without a new event. Default: on Ctrl-C.", metavar="TIME"),
    ] = None,
    new: Annotated[bool, Parameter(help="Say nothing of what is there at the beginning.")] = False,
    fail_on: Annotated[
        Literal["error", "warning", "info"],
        Parameter(help="Exit 4 where an alert is at least that. Default: error."),
    ] = "error",
    output: Annotated[
        Path | None,
        Parameter(
            name=("--output", "-o"),
            help="File to which alerts are added, JSON Lines.",
            converter=path,
            metavar="FILE",
        ),
    ] = None,
    json: JsonFlag = False,
) -> int:
    """Tell which alert rules fire while events are being written.

    Files are read on from where reading stopped; a line that is still being written is waited for.

    Args:
        place: what is followed.
        rules: what is watched.
        every: pause between looks.
        until: leave when nothing comes any more.
        new: only what is new.
        fail_on: lowest severity that makes the exit code 4.
        output: file of alerts.
        json: one JSON object a line.

    Returns:
        Exit code.
    """
    from tracelode.cli import plan_alerts
    from tracelode.cli.screen import say
    from tracelode.cli.text import clean, number
    from tracelode.cli.when import seconds
    from tracelode.errors import UsageError
    from tracelode.workspace import alerting

    pause, quiet = seconds(every), None if until is None else seconds(until)
    if not 0.01 <= pause <= 3600:
        raise UsageError("--every is 0.01s to 1h")
    following = alerting.Watching(place, alerting.rules_from(rules), old=not new)
    if not json:
        say(f"watching {clean(str(place))}; Ctrl-C ends it")
    kept = _Kept(output)
    worst = _follow(following, pause, quiet, kept, fail_on, json=json)
    if not json:
        words = [number(following.events, "event"), number(following.sessions, "session"),
                 number(kept.count, "alert")]  # fmt: skip
        if following.unusable:
            words.append(f"{number(following.unusable, 'line')} cannot be used")
        say(", ".join(words))
    return plan_alerts.FAILED if worst else 0


class _Kept:
    """Alerts as they are written: a line is in the file once it was said."""

    def __init__(self, output: Path | None) -> None:
        self.output, self.count = output, 0

    def add(self, found: Sequence[Alert]) -> None:
        """Add alerts to the file."""
        from tracelode.workspace.alerting import append

        self.count += len(found)
        if self.output is not None and found:
            append(found, self.output)


def _follow(
    following: Watching, pause: float, quiet: float | None, kept: _Kept, limit: str, *, json: bool
) -> bool:
    """Poll until Ctrl-C or quiet; did an alert reach the limit?"""
    import time
    from json import dumps

    from tracelode.cli import plan_alerts
    from tracelode.workspace import alerting

    worst, last, events = False, time.monotonic(), -1
    with _leaving() as left:
        while True:
            found = following.poll()
            kept.add(found)
            worst = worst or alerting.fires(found, limit)
            if json:
                for alert in found:
                    sys.stdout.write(dumps(alerting.row(alert)) + "\n")
                sys.stdout.flush()
            else:
                plan_alerts.draw_new(found)
            now = time.monotonic()
            if following.events != events:
                events, last = following.events, now
            if left.is_set() or (quiet is not None and now - last >= quiet) or left.wait(pause):
                return worst


@contextmanager
def _leaving() -> Iterator[threading.Event]:
    """Set by Ctrl-C or SIGTERM: what was read is told before the end, and the end is no error."""
    left = threading.Event()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, lambda *_: left.set())
    try:
        yield left
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

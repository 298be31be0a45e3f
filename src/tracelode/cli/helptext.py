"""What does tracelode --help print? Makes cli/help.txt, so that help costs no import: run after a change.

python -m tracelode.cli.helptext
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tracelode.cli.app import COMMANDS

HELP = Path(__file__).with_name("help.txt")
"""The generated file."""

_HEAD = """\
tracelode: where do the tokens, the money and the time of your agents go?

Usage: tracelode [COMMAND] [OPTIONS]

Without a command: read what is new of the local history, print one screen
(--no-import: only print it).
"""

_TAIL = """\
Views share their options; tracelode top --help lists them:
  --stack intent,stage,tool   --measure cost|tokens|time.active|...
  --where FIELD=VALUE   --since 28d   --until 2026-10-31   --outcome failed
  --focus, --ignore, --show, --hide REGEX   -o FILE (format by suffix)

Every command takes:
  --store DIR   workspace folder (or $TRACELODE_STORE)   --json   for scripts
  --tz ZONE     zone of days and clock times             --help

Exit codes: 0 ok, 1 error, 2 usage, 3 nothing found, 4 gate failed.
Nothing leaves this machine unless you name a model to ask.
"""


def text() -> str:
    """The help text.

    Returns:
        ASCII lines of at most 80 characters.
    """
    parts = [_HEAD]
    for group, commands in groupby(COMMANDS, key=lambda command: command[0]):
        lines = [f"  {name:<12}{line}" for _, name, _, line in commands]
        parts.append("\n".join([f"{group}:", *lines, ""]))
    return "\n".join([*parts, _TAIL])


if __name__ == "__main__":
    HELP.write_text(text(), encoding="ascii")

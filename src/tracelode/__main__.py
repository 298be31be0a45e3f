"""What happens first when somebody types tracelode? The cheap answers come from here, the rest from cli."""

from __future__ import annotations

import os
import sys

_HELP = frozenset(("--help", "-h", "help"))


def main(argv: list[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the words after the program's name; None takes them from the process.

    Returns:
        Exit code: 0 ok, 1 error, 2 usage, 3 nothing found, 4 a gate failed, 130 interrupted.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    if sys.stdout is None or sys.stderr is None:
        from tracelode.cli import ending

        if not ending.begin():
            return ending.FAILED
    try:
        if len(words) == 1 and words[0] in _HELP:
            return _say(_help_text())
        if words == ["--version"]:
            from tracelode import __version__

            return _say(f"tracelode {__version__}\n")
        from tracelode.cli import ending

        if argv is None:
            ending.heed()
        from tracelode.cli.run import run

        code = run(words)
        if argv is None:
            ending.deaf()
        return code
    except KeyboardInterrupt:
        from tracelode.cli import ending

        ending.deaf()
        ending.tell("tracelode: interrupted\n")
        return 130


def _help_text() -> str:
    # A generated text, so that help costs a file read and no import.
    with open(os.path.join(os.path.dirname(__file__), "cli", "help.txt"), encoding="ascii") as file:
        return file.read()


def _say(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from tracelode.cli import ending

        return ending.lost(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())

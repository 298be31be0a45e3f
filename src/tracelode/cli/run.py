"""How does a command line run? Parse, call, and turn every ending into one line and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress

from tracelode.cli import ending
from tracelode.errors import (
    Demoted,
    EditedWorkflow,
    NoRun,
    QueryError,
    Repeated,
    TracelodeError,
    UnknownField,
    UnknownMeasure,
    UsageError,
)

OK, ERROR, USAGE, NOTHING, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Exit codes; GATE: a gate failed, findings at or above a limit, compile refused."""

_VALUED = frozenset(("--store", "--tz", "--idle", "--price-file"))
_ABOUT = re.compile(r'^(?:Command "[^"]*" )?[Pp]arameter (?=\S+ requires)')
_COMPILER = frozenset(("intents", "compile", "explain", "verify", "run"))
_TEXTS = frozenset(("--help", "-h", "--version"))
_WRITING = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF))

WIDEST = 1000
"""A larger COLUMNS is not believed."""


def run(words: list[str]) -> int:
    """Run one command line.

    Args:
        words: what follows the program's name.

    Returns:
        Exit code.
    """
    _believe_width()
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that cannot show a character gets "?", not an exception.
            reconfigure(errors="replace")
    try:
        code = _call(words)
    except BrokenPipeError as error:
        return ending.lost(error)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        if ending.interrupted():
            # a library made an error of its own of it
            return _interrupted()
        if os.environ.get("TRACELODE_DEBUG") == "1":
            raise
        text, code = _explain(error)
        return _fail(text, code, json=_wants_json(words) and (code == NOTHING or _compiles(words)))
    try:
        sys.stdout.flush()
    except OSError as error:
        return ending.lost(error)
    return code


def _call(words: list[str]) -> int:
    from cyclopts import CycloptsError

    from tracelode.cli.app import COMMANDS, build

    names = [name for _, name, _, _ in COMMANDS]
    words = _command_first(words, names)
    if words and not words[0].startswith("-") and words[0] not in names:
        raise UsageError(_no_command(words[0], names))
    if not {"--help", "-h"}.isdisjoint(words) and words[0].startswith("-"):
        from tracelode.cli.helptext import HELP

        sys.stdout.write(HELP.read_text(encoding="ascii"))
        return OK
    app = build()
    if not _TEXTS.isdisjoint(words):
        from tracelode.cli.plain import Plain

        app.console = Plain()
    try:
        command, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise UsageError(_usage(error, words, names)) from error
    if _TEXTS.isdisjoint(words):
        _believe_home()
        from tracelode.cli.guard import admit

        admit(words, bound)
    return int(command(*bound.args, **bound.kwargs) or OK)


def _believe_width() -> None:
    """Correct a COLUMNS that is none: help lays itself out by it, and at one column would never end."""
    asked = os.environ.get("COLUMNS", "")
    if not asked:
        return
    from tracelode.cli.text import NARROWEST

    # "²" is a digit to Python, and no number
    width = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    if 0 < width <= WIDEST:
        os.environ["COLUMNS"] = str(max(NARROWEST, width))
    else:
        del os.environ["COLUMNS"]


def _believe_home() -> None:
    """Correct a HOME that is none, before a path with ~ is made from it: it would lie in the root folder."""
    if "HOME" in os.environ and not os.path.isabs(os.environ["HOME"]):
        from tracelode.workspace.places import home_folder

        os.environ["HOME"] = str(home_folder())


def _command_first(words: list[str], names: list[str]) -> list[str]:
    """Let options of every command stand before the command: tracelode --store DIR top."""
    for at in range(len(words) - 1):
        if words[at] == "--":
            # What follows is another program's.
            break
        if words[at] in ("-o", "--output") and words[at + 1] == "-":
            # The parser takes a lone hyphen for an option.
            words = [*words[:at], "--output=-", *words[at + 2 :]]
            break
    if words[:1] == ["help"]:
        return [*(word for word in words[1:] if word != "help"), "--help"]
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] in _VALUED else 1
    if at < len(words) and words[at] in names:
        return [words[at], *words[:at], *words[at + 1 :]]
    return words


def _no_command(word: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"no command {word!r}; " + (f"did you mean {near[0]!r}?" if near else "see tracelode --help")


def _usage(error: Exception, words: list[str], names: list[str]) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    unused = getattr(error, "unused_tokens", None)
    if type(error).__name__ == "UnusedCliTokensError" and unused:
        text = f"unexpected argument {unused[0]!r}"
    about = f" {words[0]}" if words and words[0] in names else ""
    told = _ABOUT.sub("", text)
    # An option or an argument is named as it is typed; a sentence goes on behind a colon.
    text = told if told != text else text[:1].lower() + text[1:].replace(". Did you mean", "; did you mean")
    return f"{text}{' See' if text.endswith('?') else '; see'} tracelode{about} --help"


def _explain(error: Exception) -> tuple[str, int]:
    if isinstance(error, UsageError | UnknownField | UnknownMeasure):
        return str(error), USAGE
    if isinstance(error, QueryError | NoRun):
        return str(error), NOTHING
    if isinstance(error, EditedWorkflow | Demoted | Repeated):
        return str(error), GATE
    if isinstance(error, TracelodeError):
        return str(error), ERROR
    if isinstance(error, OSError) and not error.filename and error.errno in _WRITING:
        return ending.unwritten(error), ERROR
    if isinstance(error, OSError) and error.strerror:
        place = f" {error.filename}" if error.filename else ""
        return f"cannot use{place}: {error.strerror.lower()}; check the path and its permissions", ERROR
    # The text of a foreign exception may quote a trace: only its type is named.
    return (
        f"unexpected {type(error).__name__}; run again with TRACELODE_DEBUG=1 to see where, and report it",
        ERROR,
    )


def _interrupted() -> int:
    ending.deaf()
    return _fail("interrupted", INTERRUPTED)


def _wants_json(words: list[str]) -> bool:
    """Was JSON asked for? What follows -- is another program's."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _compiles(words: list[str]) -> bool:
    """Is it a command of the compiler? Of these every ending is told as JSON."""
    return not _COMPILER.isdisjoint(_command_first(words, list(_COMPILER))[:1])


def _fail(text: str, code: int, *, json: bool = False) -> int:
    from tracelode.cli.text import clean

    if json:
        from tracelode.cli import shapes

        # the standard output may be what fails
        with suppress(OSError):
            shapes.write({"reason": text})
    ending.settle(sys.stdout)
    if sys.stderr.isatty() or "COLUMNS" in os.environ:
        from tracelode.cli.screen import warn

        warn(text)
    else:
        # a log has one line for one error
        ending.tell(f"tracelode: {clean(text)}\n")
    return code

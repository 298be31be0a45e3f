"""How are commands offered as tools? From a list of allowed forms, word by word, never through a shell."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec
import re2

from tracelode.errors import ToolFailed, ToolUnsure, UsageError
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import LARGEST, keyed

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PASSED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TERM", "TMPDIR", "TZ", "USER")
"""Variables of the environment that every command gets."""
_GRACE = 2.0


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One allowed form of a command."""

    name: str
    """Tool name."""
    words: tuple[str, ...]
    """Program and arguments; {name} stands for an argument of the call, within a word or as one."""
    description: str = ""
    """What it does."""
    output: Literal["text", "json"] = "text"
    """How its standard output is read."""
    hints: Mapping[str, bool] = {}
    """What it declares: readOnlyHint and the like."""
    allowed: Mapping[str, str] = {}
    """Argument to an expression that all of its text must match."""
    optional: tuple[str, ...] = ()
    """Arguments that may be left out; words with them are then left out."""
    environment: tuple[str, ...] = ()
    """Further variables that it gets."""
    folder: str = ""
    """Where it runs, "" for here."""


class ShellTools:
    """A toolbox of commands; each call is a process of its own, in a group of its own.

    An exit code other than 0 is the command's word that it failed. One that is ended by a signal or by its
    time may have done its work.

    Args:
        commands: what may be run, and nothing else.
        server: what the tools are offered as.
        timeout: seconds that one call may take.

    Raises:
        UsageError: a form that cannot be taken.
    """

    def __init__(self, commands: Iterable[Command], *, server: str = "", timeout: float = 120.0) -> None:
        self._commands = {command.name: command for command in commands}
        self._server, self._timeout = server, timeout
        for command in self._commands.values():
            _look(command)

    async def describe(self) -> list[ToolSpec]:
        """What the commands say of themselves; see Toolbox."""
        return [self._spec(self._commands[name]) for name in sorted(self._commands)]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Run a command once; see Toolbox."""
        command = self._commands.get(name)
        if command is None or server not in ("", self._server):
            raise ToolFailed(f"there is no allowed command {name!r}", kind="absent")
        words = filled(command, keyed(self._spec(command), arguments, key))
        out = await self._run(command, words)
        if command.output == "text":
            return out.decode("utf-8", "replace")
        try:
            return msgspec.json.decode(out)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ToolUnsure(f"the command {name!r} wrote what is no JSON", kind="malformed") from None

    async def close(self) -> None:
        """Nothing to end: a call ends its process."""

    def _spec(self, command: Command) -> ToolSpec:
        names = sorted({name for word in command.words for name in _PLACE.findall(word)})
        kinds = {"type": ["string", "integer", "number"]}
        return ToolSpec(
            name=command.name,
            server=self._server,
            description=command.description,
            parameters={
                "type": "object",
                "properties": {
                    name: {**kinds, **({"pattern": command.allowed[name]} if name in command.allowed else {})}
                    for name in names
                },
                "required": [name for name in names if name not in command.optional],
                "additionalProperties": False,
            },
            hints=dict(command.hints),
        )

    async def _run(self, command: Command, words: list[str]) -> bytes:
        passed = {*_PASSED, *command.environment}
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=command.folder or None,
                env={name: value for name, value in os.environ.items() if name in passed},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or type(error).__name__).lower()
            raise ToolFailed(
                f"the command {command.name!r} cannot be started: {why}", kind="unreachable"
            ) from None
        try:
            out = await asyncio.wait_for(_read(process), self._timeout)
        except TimeoutError:
            what = f"the command {command.name!r} did not end within {self._timeout:g} seconds"
            raise ToolUnsure(what, kind="timeout") from None
        finally:
            await _end(process)
        if len(out) > LARGEST:
            what = f"the command {command.name!r} wrote more than {LARGEST >> 20} MB"
            raise ToolUnsure(what, kind="large")
        code = process.returncode
        if code is None or code < 0:
            raise ToolUnsure(f"the command {command.name!r} was ended by a signal", kind="cut")
        if code:
            raise ToolFailed(f"the command {command.name!r} ended with code {code}", kind="failed")
        return out


def filled(command: Command, arguments: Tree) -> list[str]:
    """The words of a call.

    Args:
        command: the form.
        arguments: of the call: texts and numbers.

    Returns:
        Program and arguments.

    Raises:
        ToolFailed: an argument that is missing, unknown, of another form, or that would be read as an option.
    """
    places = {name for word in command.words for name in _PLACE.findall(word)}
    if strange := sorted({*arguments} - places):
        raise ToolFailed(f"the command {command.name!r} does not take {strange[0]!r}", kind="refused")
    texts: dict[str, str] = {}
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ToolFailed(f"the argument {name!r} is neither text nor number", kind="refused")
        text = str(value)
        if "\0" in text or (name in command.allowed and not re2.fullmatch(command.allowed[name], text)):
            raise ToolFailed(f"the argument {name!r} is not of the allowed form", kind="refused")
        texts[name] = text
    if missing := sorted(places - {*texts, *command.optional}):
        raise ToolFailed(f"the command {command.name!r} needs {missing[0]!r}", kind="refused")
    words: list[str] = []
    for word in command.words:
        names = _PLACE.findall(word)
        if any(name not in texts for name in names):
            continue
        made = _PLACE.sub(lambda place: texts[place[1]], word)
        if names and made.startswith("-") and not word.startswith("-") and "--" not in words:
            raise ToolFailed(f"the argument {names[0]!r} would be read as an option", kind="refused")
        words.append(made)
    return words


def _look(command: Command) -> None:
    if not command.words or _PLACE.search(command.words[0]):
        raise UsageError(f"the command {command.name!r} must begin with a fixed program")
    for name, pattern in command.allowed.items():
        try:
            re2.compile(pattern)
        except re2.error:
            raise UsageError(f"the command {command.name!r}: the form of {name!r} is no expression") from None


async def _read(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    found: list[bytes] = []
    size = 0
    while size <= LARGEST and (piece := await process.stdout.read(65_536)):
        found.append(piece)
        size += len(piece)
    if size <= LARGEST:
        await process.wait()
    return b"".join(found)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the process and all that it started; what it left behind has the same group."""
    if process.returncode is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
    _signal(process, signal.SIGKILL)
    if process.returncode is None:
        await process.wait()
    # a pipe that something left behind still holds would be closed after the loop is
    getattr(process, "_transport").close()  # noqa: B009


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

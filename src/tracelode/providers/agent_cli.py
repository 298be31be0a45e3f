"""How is a local agent asked? As a command that reads the question from standard input, in an empty folder.

Never through a shell: the words of a command are fixed or the user's own; no question is among them.
What such an agent sends to whom is its own affair; docs/ask-a-model.md says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable
from typing import IO

from tracelode.errors import ProviderError, UsageError
from tracelode.model.answer import Answer, Request, Sending
from tracelode.providers.agent_answers import claude, codex, plain

LARGEST = 8 * 1024 * 1024
"""Bytes of an answer; an agent that writes more is ended."""
_GRACE = 2.0

PRESETS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[bytes, str], Answer]]] = {
    "claude": (
        (
            "claude",
            "-p",
            "--output-format",
            "json",
            "--tools",
            "",
            "--strict-mcp-config",
            "--no-session-persistence",
        ),
        ("--model",),
        claude,
    ),
    "codex": (
        ("codex", "exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral"),
        ("--model",),
        codex,
    ),
}
"""Name to the command's words, the words before a model's name, and how its answer is read. Tools are off or
can only read, and no session is kept: what is asked here must not come back as a trace."""
_LAST = {"codex": ("-",)}


class AgentCli:
    """Asks a local agent; each question is a process of its own.

    Args:
        agent: a name of PRESETS.
        command: a command of your own instead: its words as a shell would split them; it reads the question
            from standard input and writes the answer to standard output.
        model: the model's name, for a preset; "" for the agent's own choice.
        timeout: seconds that one answer may take.

    Raises:
        UsageError: neither or both of agent and command, or no such preset.
    """

    backend = "agent"

    def __init__(
        self, agent: str = "", *, command: str = "", model: str = "", timeout: float = 300.0
    ) -> None:
        self._words, self._read, name = _chosen(agent, command, model)
        self.model = f"{name}:{model}" if model and agent else model or name
        self.place = shlex.join(self._words)
        self._timeout = timeout
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def ready(self) -> None:
        """Look for the command; nothing is started."""
        if shutil.which(self._words[0]) is None:
            raise UsageError(
                f"there is no command {self._words[0]!r}; install it, or name another with --command"
            )

    def sending(self, request: Request) -> Sending:
        """The command and what it reads; see model.answer.Provider."""
        return Sending(to=self.place, body=_text(request))

    def complete(self, request: Request) -> Answer:
        """Start the command once; see model.answer.Provider."""
        with tempfile.TemporaryDirectory(prefix="tracelode-", ignore_cleanup_errors=True) as folder:
            process = self._started(folder)
            try:
                out, late = _talk(process, _text(request).encode("utf-8", "replace"), self._timeout)
            finally:
                _end(process)
                with self._lock:
                    self._running.discard(process)
        if late:
            raise ProviderError(f"{self._words[0]} did not answer in time; see --timeout", kind="timeout")
        if self._closed:
            raise ProviderError(f"{self._words[0]} was ended", kind="cut")
        if len(out) > LARGEST:
            what = f"{self._words[0]} wrote more than {LARGEST >> 20} MB"
            raise ProviderError(what, kind="malformed")
        if process.returncode:
            what = f"{self._words[0]} ended with code {process.returncode}; run it by hand to see why"
            raise ProviderError(what, kind="failed")
        return self._read(out, self._words[0])

    def close(self) -> None:
        """End every process that still runs."""
        with self._lock:
            self._closed = True
            for process in self._running:
                _signal(process, signal.SIGTERM)

    def _started(self, folder: str) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise ProviderError(f"{self._words[0]} was ended", kind="cut")
            try:
                process = subprocess.Popen(
                    self._words,
                    cwd=folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError as error:
                why = (error.strerror or type(error).__name__).lower()
                raise ProviderError(
                    f"{self._words[0]} cannot be started: {why}", kind="misdirected"
                ) from None
            self._running.add(process)
            return process


def _chosen(agent: str, command: str, model: str) -> tuple[list[str], Callable[[bytes, str], Answer], str]:
    if bool(agent) == bool(command):
        known = ", ".join(PRESETS)
        raise UsageError(f"--backend agent needs either --agent ({known}) or --command with your own")
    if agent:
        if agent not in PRESETS:
            raise UsageError(f"unknown agent {agent!r}; known: {', '.join(PRESETS)}; or use --command")
        words, before, read = PRESETS[agent]
        if model.startswith("-"):
            raise UsageError("--model takes a model's name, which does not begin with a hyphen")
        return [*words, *((*before, model) if model else ()), *_LAST.get(agent, ())], read, agent
    try:
        own = shlex.split(command)
    except ValueError:
        raise UsageError("--command has a quotation that does not end") from None
    if not own:
        raise UsageError("--command is empty")
    return own, plain, os.path.basename(own[0])


def _text(request: Request) -> str:
    """A question as one text: an agent takes no roles and no schema."""
    said = {"user": "", "assistant": "Your earlier answer was:\n"}
    parts = [request.system, f"The JSON Schema of the answer:\n{json.dumps(request.schema)}"]
    parts += [said[turn.role] + turn.text for turn in request.turns]
    return "\n\n".join(parts) + "\n"


def _talk(process: subprocess.Popen[bytes], text: bytes, seconds: float) -> tuple[bytes, bool]:
    """Write the question, read the answer; (what was read, was it late?)."""
    assert process.stdin is not None
    assert process.stdout is not None
    found: list[bytes] = []
    writer = threading.Thread(target=_write, args=(process.stdin, text), daemon=True)
    reader = threading.Thread(target=_take, args=(process.stdout, found), daemon=True)
    writer.start()
    reader.start()
    reader.join(seconds)
    late = reader.is_alive()
    if not late:
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            late = sum(map(len, found)) <= LARGEST  # it closed its output, and goes on
    return b"".join(found), late


def _write(stream: IO[bytes], text: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):
        stream.write(text)
        stream.close()


def _take(stream: IO[bytes], found: list[bytes]) -> None:
    size = 0
    with contextlib.suppress(OSError, ValueError):
        while size <= LARGEST and (piece := os.read(stream.fileno(), 65_536)):
            found.append(piece)
            size += len(piece)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal(process, signal.SIGKILL)  # what it left behind has the same group
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    # its group keeps the number while one member lives, and Python has not waited for the leader before
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

"""How does a hook of Claude Code record the plan without keeping the agent waiting?

In the settings, for PreToolUse, PostToolUse, UserPromptSubmit, SubagentStop and SessionEnd:

    {"type": "command", "command": "python -m tracelode.record.hook"}

Events go to TRACELODE_DIR, else ~/.local/state/tracelode/traces. The call is read and its turn taken while
the agent waits; a child that lets go of the agent's pipes cleans and writes. Whatever happens, the agent is
not disturbed: the exit code is 0 and nothing is printed but a line on standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStop", "SessionEnd")
"""Hooks that tell something; others are passed over."""
LARGEST = 16 * 1024 * 1024
"""Bytes of input that are read; more is no call of a hook."""


def main() -> int:
    """Read one call from standard input and have it recorded.

    Returns:
        0, whatever happens: another exit code would stop the agent's tool.
    """
    try:
        told = json.loads(sys.stdin.buffer.read(LARGEST))
        if isinstance(told, dict) and told.get("hook_event_name") in EVENTS:
            take_turn(told)
    except Exception as error:
        sys.stderr.write(f"tracelode: the hook recorded nothing: {type(error).__name__}\n")
    return 0


def take_turn(told: dict[str, Any], *, wait: bool = False) -> None:
    """Lock the session's state and record a call.

    Args:
        told: the hook's input.
        wait: record here, and not in a child that is not waited for.

    Raises:
        OSError: nothing can be written.
        ValueError: it names no session.
    """
    import fcntl

    session_id = told.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        raise ValueError("no session")
    place = os.environ.get("TRACELODE_DIR") or os.path.join(_state_home(), "tracelode", "traces")
    folder = os.path.join(place, "hooks")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{_plain(session_id)}.state")
    with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b") as stream:
        # a fork shares the lock: calls are recorded in the order in which they came
        fcntl.flock(stream, fcntl.LOCK_EX)
        if not wait and os.fork():
            return
        try:
            if not wait:
                _let_go()
            _record(told, place, stream)
        finally:
            if not wait:
                os._exit(0)


def _record(told: dict[str, Any], place: str, stream: IO[bytes]) -> None:
    # loaded here, in the child: half of the time of a call
    from pathlib import Path

    from tracelode.record.claude_state import record

    record(told, Path(place), stream)


def _let_go() -> None:
    """Leave the agent's process group and pipes: it waits for their end."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)


def _plain(session_id: str) -> str:
    """A session's id as a file name: hex of its end, which in every agent's ids is random."""
    return session_id.encode("utf-8", "replace")[-60:].hex()


def _state_home() -> str:
    return os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")


if __name__ == "__main__":
    sys.exit(main())

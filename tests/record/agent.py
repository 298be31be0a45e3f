"""What does an agent look like from below? Runs commands, and writes a transcript of Claude Code's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

PAUSE = 0.05
"""Seconds between a record and what comes after it."""


def main(key: str, commands: list[str]) -> None:
    """Run commands as tool calls of one session.

    Args:
        key: session id.
        commands: shell commands.
    """
    path = Path("~/.claude/projects/-work").expanduser() / f"{key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)

    def note(role: str, **message: object) -> None:
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {"uuid": os.urandom(8).hex(), "sessionId": key, "cwd": os.getcwd(), "version": "2.1.0"}
        body = {"role": role, **message}
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps({**record, "timestamp": stamp, "type": role, "message": body}) + "\n")
        time.sleep(PAUSE)

    note("user", content="write a report")
    for number, command in enumerate(commands):
        ident = f"toolu_01{key[-2:]}{number}AbCdEfGhJkMnPqRs"
        use = {"type": "tool_use", "id": ident, "name": "Bash", "input": {"command": command}}
        note(
            "assistant", id=f"msg_01{key[-2:]}{number}", model="claude-opus-4-5-20251101", content=[use],
            stop_reason="tool_use", usage={"input_tokens": 1, "output_tokens": 1},
        )  # fmt: skip
        ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        time.sleep(PAUSE)
        note("user", content=[{"type": "tool_result", "tool_use_id": ident, "content": ran.stdout}])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""mini-swe-agent trajectories: one .traj.json file a run, a list of messages with what the run knew of them.

The format is described at https://mini-swe-agent.com/latest/usage/output_files/; how versions differ is in
docs/sources/mini-swe-agent.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.model.ports import Item, Line, Skip
from tracelode.outline import outline
from tracelode.sources.mini_swe_agent.reader import NAME, Reader
from tracelode.sources.mini_swe_agent.records import Trajectory

__all__ = ["MiniSweAgent"]

_MARKS = re.compile(rb"```(?:mswea_bash_command|bash)\b|<returncode>|MINI_SWE_AGENT_FINAL_OUTPUT")


class State(msgspec.Struct):
    """Nothing: a trajectory is read whole each time."""


class MiniSweAgent:
    """Reads mini-swe-agent trajectories: 2.x with tool calls, 1.x, and the oldest, which are bare lists."""

    name = NAME
    version = "1"
    agent = NAME
    layout = "document"
    suffixes: tuple[str, ...] = (".traj.json", ".traj.json.gz", ".traj.json.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a mini-swe-agent trajectory?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 where the run says so, 0.8 for a list of messages with its code blocks, else 0.0.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if start.startswith(b"{") and b'"info"' in head:
            keys = outline(head)
            told = "info.mini_version" in keys or "trajectory_format" in keys
            told = told or {"info.model_stats", "info.config"} <= keys
            return 1.0 if told and "trajectory" not in keys else 0.0
        if start.startswith(b"[") and _MARKS.search(head):
            keys = outline(head)
            return 0.8 if {"[].role", "[].content"} <= keys else 0.0
        return 0.0

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a trajectory into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, message by message.

        Source:
            formats: benchmarks' trajectories, mini-swe-agent.
        """
        for line in records:
            data = line.data
            if data.lstrip()[:1] == b"[":
                data = b'{"messages":' + data + b"}"
            found, complaints = lenient.decode(data, Trajectory)
            for reason in complaints:
                yield Skip(line.number, reason)
            for trajectory in found[:1]:
                yield from Reader(trajectory, line, path).items()

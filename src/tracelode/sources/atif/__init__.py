"""ATIF trajectories (Harbor and others): one JSON object a trajectory, versions 1.0 to 1.8.

Specification: the Agent Trajectory Interchange Format, harborframework.com/docs/trajectory-format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.sources.atif.reader import NAME, read_trajectory

__all__ = ["Atif"]

_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-v\d')
_STEPS = re.compile(rb'"(steps|step_id|session_id|trajectory_id|agent)"\s*:')


class State(msgspec.Struct):
    """Nothing: a trajectory is read whole."""


class Atif:
    """Reads a trajectory with the sub-agents inside it, leaving copied context out."""

    name = NAME
    version = "1"
    agent = NAME
    # a continuation and a sub-agent may lie in files beside the trajectory
    layout = "spread-document"
    suffixes: tuple[str, ...] = (".json",)

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is an ATIF trajectory?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 with the format's version in it, 0.0 otherwise. Keys may be sorted, so the version may
            lie behind the first 64 KiB of a long file: steps with the format's own keys give 0.7.
        """
        if not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
            return 0.0
        if _VERSION.search(head):
            return float(bool(_STEPS.search(head)))
        own = (rb'"step_id"', rb'"function_name"', rb'"source_call_id"', rb'"total_prompt_tokens"')
        return 0.7 if sum(key in head for key in own) >= 3 else 0.0

    def kin(self, path: str) -> str:
        """Files with the same answer may hold parts of one family: those of one folder.

        Args:
            path: the file as origins name it.
        """
        return path.rpartition("/")[0]

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
            Items in the order of the steps, sub-agents after the trajectory that started them.

        Source:
            formats: benchmarks' trajectories, ATIF; token semantics; acceptance case D6.
        """
        for line in records:
            yield from read_trajectory(line, path)

"""Chat-message lists: JSON and JSON Lines of messages with a role, as model APIs and benchmarks write them.

There is no one specification: the messages are those of the OpenAI and Anthropic APIs; what is put around
them by tau-bench, tau2, AgentDojo and Magentic-One is described in docs/sources/chat.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode.model.ports import Item, Line
from tracelode.outline import outline
from tracelode.sources.chat.reader import Reader
from tracelode.sources.chat.shapes import REQUEST

__all__ = ["Chat"]

_LISTS = re.compile(rb'"(?:messages|conversations|simulations|tasks|traj)"\s*:\s*\[')
_OTHERS = (
    "trajectory", "trajectory_format", "info.mini_version", "projectHash", "sessionId", "payload", *REQUEST
)  # fmt: skip
_MINI = re.compile(rb"```(?:mswea_bash_command|bash)\b|MINI_SWE_AGENT_FINAL_OUTPUT|<returncode>")


class State(msgspec.Struct):
    """Nothing: a file is read whole each time."""


class Chat:
    """Reads lists of chat messages, and the files that tau-bench, tau2, AgentDojo and Magentic-One write."""

    name = "chat"
    version = "1"
    agent = "chat"
    layout = "document"
    by_line = True
    """Of JSON Lines, a line with a whole conversation can be read without the others."""
    suffixes: tuple[str, ...] = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file holds chat messages?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            0.95 for the files of a known benchmark, 0.6 for messages alone, 0.0 otherwise.
        """
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if start.startswith(b"{"):
            # the keys of every line of other agents' logs need not be looked at
            if not _LISTS.search(head) and b'"role"' not in start[:400]:
                return 0.0
        elif not start.startswith(b"["):
            return 0.0
        return _certainty(outline(head), head)

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn messages into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, conversation by conversation.

        Source:
            formats: benchmarks' trajectories; other agents, chat lists.
        """
        reader = Reader(path)
        for line in records:
            yield from reader.read(line)


def _certainty(keys: frozenset[str], head: bytes) -> float:
    if "[].traj" in keys and ("[].task_id" in keys or "[].reward" in keys):
        return 0.95
    if "info.agent_info" in keys and ("tasks" in keys or "simulations" in keys):
        return 0.95
    listed = ("messages[].role", "conversations[].role")
    if any(key in keys for key in listed) and ("suite_name" in keys or "metadata.suite_name" in keys):
        return 0.95
    if any(key in keys for key in _OTHERS):
        return 0.0
    bare = "[].role" in keys and ("[].content" in keys or "[].tool_calls" in keys)
    if bare and _MINI.search(head):
        # the oldest trajectories of mini-swe-agent are bare lists of messages
        return 0.3
    lines = "role" in keys and "content" in keys and "type" not in keys
    nested = any(
        key in keys for key in (*listed, "[].messages[].role", "[].conversations[].role", "[][].role")
    )
    return 0.6 if bare or lines or nested else 0.0

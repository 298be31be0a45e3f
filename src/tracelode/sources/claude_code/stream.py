"""Output of `claude -p --output-format stream-json`: JSON Lines, one run or several in one file.

The messages are described at https://code.claude.com/docs/en/headless; what is known beside that is in
docs/sources/claude-code.md, and what is made of the result's totals in docs/decisions/0006-stream-json.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tracelode import lenient
from tracelode.model.ports import Change, Item, Line, Skip
from tracelode.sources.claude_code.assistant import AssistantRecords
from tracelode.sources.claude_code.context import AGENT
from tracelode.sources.claude_code.meter import Meter
from tracelode.sources.claude_code.records import Message, Record, microseconds
from tracelode.sources.claude_code.run import Run, RunState, StreamRecord
from tracelode.sources.claude_code.user import UserRecords
from tracelode.sources.claude_code.words import STREAM_NOTES, STREAM_QUIET

__all__ = ["ClaudeStream"]

_SESSION = re.compile(rb'"session_id"\s*:\s*"')
_TYPE = re.compile(rb'"type"\s*:\s*"(system|assistant|user|result)"')
_OWN = re.compile(rb'"(parent_tool_use_id|claude_code_version|slash_commands|num_turns)"\s*:')
_TRANSCRIPT = re.compile(rb'"(sessionId|isSidechain)"\s*:')


class ClaudeStream:
    """Reads what a run without a screen prints."""

    name = "claude-stream"
    version = "1"
    agent = AGENT
    layout = "session"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", "claude-code.txt")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is such output?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for messages of a run with the fields only Claude Code writes, 0.8 for such a message among
            more lines that are no JSON, else 0.0.
        """
        if not _SESSION.search(head) or not _TYPE.search(head) or not _OWN.search(head):
            return 0.0
        if _TRANSCRIPT.search(head):
            return 0.0
        lines = [line for line in head.split(b"\n") if line.strip()]
        # a line of it may stand in the log of another program
        return 1.0 if 2 * sum(line.lstrip().startswith(b"{") for line in lines) >= len(lines) else 0.8

    def fresh(self) -> RunState:
        """A resume state for the start of a file."""
        return RunState()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn messages into operations and facts.

        Args:
            records: numbered lines from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.

        Source:
            formats: Claude Code, stream-json.
        """
        return StreamReader(state, path).read(records)


class StreamReader:
    """Reads one file of runs from a state on.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: RunState, path: str) -> None:
        self.context = Run(state, path)
        self.meter = Meter(self.context)
        self.handlers: dict[str, Callable[[Record, int | None], Iterator[Item]]] = {
            "assistant": Metered(self.context, self.meter).read,
            "user": UserRecords(self.context).read,
        }

    def read(self, records: Iterable[Line]) -> Iterator[Item]:
        """Items of all messages, in file order."""
        for line in records:
            self.context.at(line)
            found, complaints = lenient.decode(line.data, StreamRecord)
            for reason in complaints:
                yield Skip(line.number, reason)
            for message in found:
                yield from self._message(message)
        back = self.context.leave()
        if back is not None:
            yield back

    def _message(self, given: StreamRecord) -> Iterator[Item]:
        context = self.context
        kind = given.type or ""
        if kind not in ("assistant", "user", "system", "result"):
            if kind not in STREAM_QUIET:
                yield Skip(context.line.number, "unknown record type" if kind else "record without a type")
            return
        if given.session_id:
            context.switch(given.session_id)
        record = given.record()
        agent = context.state.run
        if given.parent_tool_use_id:
            agent, spawner = context.helper(given.parent_tool_use_id)
            if spawner is not None:
                caller, operation = spawner
                if context.agent != caller:
                    yield context.enter(caller, record)
                yield Change(id=operation, fields={"spawns": context.child(agent)})
        if agent != context.agent or (record.cwd and not context.state.project):
            yield context.enter(agent, record)
        at = microseconds(given.timestamp)
        if at is None and given.timestamp is not None:
            yield Skip(context.line.number, "timestamp is not a moment")
        if kind == "system":
            yield from self._system(given, at)
        elif kind == "result":
            yield from self._result(given, at)
        else:
            yield from self.handlers[kind](record, at)

    def _system(self, given: StreamRecord, at: int | None) -> Iterator[Item]:
        name = STREAM_NOTES.get(given.subtype or "")
        if name:
            trigger = given.compact_metadata.trigger if given.compact_metadata is not None else None
            yield self.context.operation(
                given.uuid,
                "system",
                "note",
                name,
                "error" if name == "api error" else "ok",
                at,
                fields={"compaction": trigger} if trigger else {},
            )

    def _result(self, given: StreamRecord, at: int | None) -> Iterator[Item]:
        complaints: list[str] = []
        failed = bool(given.is_error) or (given.subtype or "").startswith("error")
        cost = self.meter.cost(given.total_cost_usd, complaints)
        yield self.context.operation(
            given.uuid,
            "system",
            "note",
            "run result",
            "error" if failed else "ok",
            at,
            measures={} if cost is None else {"cost.reported": cost},
            output=given.result or "" if failed else "",
        )
        yield from self.meter.settle(given, at, complaints)
        for reason in complaints:
            yield Skip(self.context.line.number, reason)


class Metered(AssistantRecords):
    """Reads assistant messages and keeps count of what they tell.

    Args:
        context: the file.
        meter: what is told so far.
    """

    def __init__(self, context: Run, meter: Meter) -> None:
        super().__init__(context)
        self.meter = meter

    def measured(self, record: Record, message: Message, complaints: list[str]) -> dict[str, int]:
        """What a record tells of its call's tokens; nothing where it tells zero of every kind."""
        measures = super().measured(record, message, complaints)
        return self.meter.told(message, record.uuid, measures)

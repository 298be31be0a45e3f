"""How is one event after another recorded? A session that takes them, in memory or into its file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tracelode.record.clean import Cleaner
from tracelode.record.event import TraceEvent
from tracelode.record.scope import here
from tracelode.record.sink import Sink


class RecordError(ValueError):
    """An event that cannot be one, in strict mode."""


class TraceSession:
    """Takes the events of one task.

    Args:
        session_id: its id.
        sink: where events are written at once; None to keep them in memory for dump_jsonl().
        strict: raise for what is no event, instead of counting it.
        task_id: what joins it with other sessions, None for nothing.
        redact: mode of redaction where there is no sink.

    Example:
        >>> session = TraceSession("demo")
        >>> event = session.record(actor="agent", event_type="plan", node_id="plan_1")
        >>> event.status, session.problems
        ('planned', {})
    """

    def __init__(
        self,
        session_id: str,
        sink: Sink | None = None,
        *,
        strict: bool = False,
        task_id: str | None = None,
        redact: str = "summary",
    ) -> None:
        self.session_id = session_id
        self.task_id = task_id
        self.strict = strict
        self.events: list[TraceEvent] = []
        """Events in memory; empty where they are written at once."""
        self.problems: dict[str, int] = {}
        """What could not be recorded, to how often."""
        self.count = 0
        """Events recorded."""
        self._sink = sink
        self._cleaner = sink.cleaner if sink is not None else Cleaner(redact)

    def record(
        self,
        actor: str,
        event_type: str,
        node_id: str = "",
        parent_node_id: str | None = None,
        status: str = "planned",
        payload: dict[str, Any] | None = None,
        **more: Any,
    ) -> TraceEvent | None:
        """Record an event.

        Args:
            actor: human, agent or system.
            event_type: plan, execute, review, revise or complete.
            node_id: the node; "" for the one being executed here.
            parent_node_id: the node it is part of.
            status: planned, running, succeeded, failed or updated.
            payload: what else is known.
            more: depends_on, evidence, actor_id, task_id.

        Returns:
            The event, None where it could not be recorded: `problems` says why.

        Raises:
            RecordError: in strict mode, for what is no event.
        """
        try:
            scope = here()
            if not node_id and scope.session is self and scope.nodes:
                node_id = scope.nodes[-1]
            more.setdefault("actor_id", scope.lane if scope.session is self else None)
            more.setdefault("task_id", self.task_id)
            event = TraceEvent(
                session_id=self.session_id,
                actor=actor,
                event_type=event_type,
                node_id=node_id,
                parent_node_id=parent_node_id,
                status=status,
                payload=dict(payload) if payload else {},
                **more,
            )
            self._take(event)
        except Exception as error:
            if self.strict and isinstance(error, ValueError | TypeError):
                raise RecordError(str(error)) from error
            self._problem(error)
            return None
        return event

    event = record

    def _take(self, event: TraceEvent) -> None:
        if self._sink is None:
            event.seq = len(self.events)
            self._cleaner.ids(event)
            self.events.append(event)
        else:
            self._sink.write(event)
        self.count += 1

    def _problem(self, error: Exception) -> None:
        """Count what went wrong; the first time of each kind it is said."""
        reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
        self.problems[reason] = self.problems.get(reason, 0) + 1
        if self.problems[reason] == 1:
            import logging

            logging.getLogger("tracelode.record").warning("an event was not recorded: %s", reason)

    def dump_jsonl(self, path: str | os.PathLike[str]) -> None:
        """Write the session's events to a file, replacing it: one JSON object a line, redacted.

        Args:
            path: the file.

        Raises:
            OSError: it cannot be written.
        """
        target = Path(path)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as stream:
            stream.writelines(self._lines())
        os.replace(part, target)

    def _lines(self) -> list[bytes]:
        if self._sink is None:
            clean = self._cleaner
            return [event.line(clean.payload(event.payload)) for event in self.events]
        import json

        folder = self._sink.path.parent
        found: list[tuple[str, str, int, bytes]] = []
        for file in sorted(folder.glob("*.jsonl")):
            for line in file.read_bytes().splitlines(keepends=True):
                try:
                    row = json.loads(line)
                    key = (row["timestamp"], row["writer"], row["seq"])
                except (ValueError, KeyError, TypeError):
                    continue
                if row["session_id"] == self.session_id:
                    found.append((*key, line))
        return [line for *_, line in sorted(found)]

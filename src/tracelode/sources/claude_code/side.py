"""What do the records beside the conversation say? Compactions, API errors, queued messages."""

from __future__ import annotations

from collections.abc import Iterator

from tracelode.model.operation import Operation, Status
from tracelode.model.ports import Change, Item, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.context import Context, digest
from tracelode.sources.claude_code.records import Record, text_of


class SideRecords:
    """Reads system, queue and attachment records.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def system(self, record: Record, at: int | None) -> Iterator[Item]:
        """Items of a system record."""
        name = words.SYSTEM_NOTES.get(record.subtype or "")
        note = None
        if name:
            fields = {}
            if record.compactMetadata is not None and record.compactMetadata.trigger:
                fields["compaction"] = record.compactMetadata.trigger
            status: Status = "error" if name == "api error" else "ok"
            note = self.context.operation(record.uuid, "system", "note", name, status, at, fields=fields)
            yield note
        if at is not None:
            yield Tick(at, "other", note.id if note else None)

    def queue(self, record: Record, at: int | None) -> Iterator[Item]:
        """Items of a queue operation."""
        state = self.context.state
        text = text_of(record.content)
        if record.operation == "enqueue":
            if text and not words.is_harness(text) and not text.startswith(("{", "/")):
                steer = self._steer(record, text, at)
                state.queued.append((steer.id, digest(text)))
                yield steer
                if at is not None:
                    yield Tick(at, "human", steer.id)
                return
        elif record.operation in ("dequeue", "remove") and state.queued:
            # what is dequeued comes again as a record of its own; what is removed was taken back
            place = next((i for i, q in enumerate(state.queued) if text and q[1] == digest(text)), 0)
            yield Change(id=state.queued.pop(place)[0], dropped=True)
        elif record.operation == "popAll":
            for queued, _ in state.queued:
                yield Change(id=queued, dropped=True)
            state.queued.clear()
        if at is not None:
            yield Tick(at, "other", None)

    def attachment(self, record: Record, at: int | None) -> Iterator[Item]:
        """Items of an attachment."""
        attachment = record.attachment
        if attachment is not None and attachment.type == "queued_command":
            text = text_of(attachment.prompt)
            if text and not words.is_harness(text):
                place = next(
                    (i for i, q in enumerate(self.context.state.queued) if q[1] == digest(text)), None
                )
                if place is not None:
                    yield Change(id=self.context.state.queued.pop(place)[0], dropped=True)
                steer = self._steer(record, text, at)
                yield steer
                if at is not None:
                    yield Tick(at, "other", steer.id)
                return
        if at is not None:
            yield Tick(at, "other", None)

    def _steer(self, record: Record, text: str, at: int | None) -> Operation:
        automated = words.is_automated(record)
        return self.context.operation(
            record.uuid,
            "system" if automated else "human",
            "prompt",
            "steer",
            "ok",
            at,
            fields={"automated": "1"} if automated else {"human": "steer"},
            arguments=text,
        )

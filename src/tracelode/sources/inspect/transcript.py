"""How do the events of a sample become runs? Calls and tools, tools around others, texts by hash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.lenient import block_text, microseconds
from tracelode.model.operation import Status
from tracelode.runs import Prompt, Run
from tracelode.said import asked, said
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.sources.inspect.records import Event, Output, Sample
from tracelode.sources.inspect.usage import measures_of
from tracelode.sources.inspect.words import NOTES, QUIET, message_of, status_of

_REFERENCE = re.compile(r"(?:attachment|tc)://([0-9a-fA-F]{32})")
DEPTH = 32
"""Events inside events are followed this deep."""
LENGTH = 1_000_000
"""A text with its attachments put in is cut to this many characters."""


class Texts:
    """Puts attachments in the place of references to them, once: what they refer to stays a reference.

    Args:
        sample: the sample whose attachments they are.
    """

    def __init__(self, sample: Sample) -> None:
        self._known = sample.attachments or {}
        if not self._known and sample.transcript is not None:
            self._known = sample.transcript.content or {}
        self.missing = 0

    def full(self, text: str) -> str:
        """A text with its attachments.

        Args:
            text: any text.
        """
        if "://" not in text:
            return text
        parts: list[str] = []
        at = size = 0
        for match in _REFERENCE.finditer(text):
            found = self._known.get(match[1])
            if not isinstance(found, str):
                self.missing += 1
                found = match[0]
            parts += [text[at : match.start()], found[:LENGTH]]
            at = match.end()
            size += len(parts[-1]) + len(parts[-2])
            if size > LENGTH:
                return "".join(parts)[:LENGTH]
        return "".join([*parts, text[at:]])

    def value(self, value: Any, depth: int = 8) -> Any:
        """A decoded value with the attachments of its texts.

        Args:
            value: anything.
            depth: how deep to look.
        """
        if isinstance(value, str):
            return self.full(value)
        if depth and isinstance(value, list):
            return [self.value(item, depth - 1) for item in value]
        if depth and isinstance(value, dict):
            return {key: self.value(item, depth - 1) for key, item in value.items()}
        return value


def events_of(sample: Sample) -> list[Event]:
    """A sample's events, wherever its version keeps them."""
    if sample.events:
        return sample.events
    return (sample.transcript.events if sample.transcript else None) or []


def prompt_of(sample: Sample, key: str, events: list[Event], texts: Texts) -> Prompt | None:
    """What a sample begins with, at the moment of its first event."""
    text = said(texts.value(sample.input))
    moments = [at for at in (microseconds(e.timestamp) for e in events) if at is not None]
    return Prompt(f"{key}/input", text, min(moments, default=None)) if text.strip() else None


def runs_of_events(
    events: list[Event], key: str, texts: Texts, complaints: list[str]
) -> tuple[list[Run], list[Prompt]]:
    """Runs and further prompts of a sample's events.

    Args:
        events: as recorded.
        key: session key.
        texts: attachments.
        complaints: receives closed words on what was left out.
    """
    runs: list[Run] = []
    prompts: list[Prompt] = []
    spans = _spans(events)
    before: int | None = None
    for number, (event, around) in enumerate(_walk(events, None, 0, complaints)):
        native = event.uuid or f"{key}/event/{number}"
        at = microseconds(event.timestamp)
        if at is None and event.timestamp:
            complaints.append("timestamp is not a moment")
        if event.event == "model":
            runs.append(_model(event, native, around, before, texts, complaints))
        elif event.event == "tool":
            runs.append(_tool(event, native, around, texts))
        elif event.event == "input":
            prompts.append(Prompt(native, texts.full(_text(event.input)), at))
        elif event.event in NOTES:
            name, status = NOTES[event.event]
            text = message_of(event.error) or _text(event.message)
            runs.append(Run(id=native, kind="note", name=name, start=at, status=status, output=text))
        elif event.event not in QUIET and event.event != "subtask":
            complaints.append("unknown kind of event")
        if runs and runs[-1].id == native and around is None:
            runs[-1].parent = spans.get(event.span_id or "")
        before = at if at is not None else before
    _within(runs, spans, events)
    return runs, prompts


def _walk(
    events: list[Event], around: str | None, depth: int, complaints: list[str]
) -> Iterator[tuple[Event, str | None]]:
    """Events with those inside them, and the id of the tool's event around each."""
    if depth > DEPTH:
        complaints.append("nested too deep")
        return
    for event in events:
        yield event, around
        if event.events:
            yield from _walk(event.events, event.uuid or around, depth + 1, complaints)


def _spans(events: list[Event]) -> dict[str, str | None]:
    """Span id to the id of the nearest span of a tool at or around it."""
    begun = {e.id: e for e in events if e.event == "span_begin" and e.id}
    found: dict[str, str | None] = {}
    for ident in begun:
        above: str | None = ident
        steps = 0
        while above in begun and begun[above].type != "tool" and steps < 1_000:
            above, steps = begun[above].parent_id, steps + 1
        found[ident] = above if above in begun and begun[above].type == "tool" else None
    return found


def _within(runs: list[Run], spans: dict[str, str | None], events: list[Event]) -> None:
    """Name the tool's run, not its span, as what a run lies in: spans do not know the call they are for."""
    begun = {e.id: e for e in events if e.event == "span_begin" and e.type == "tool" and e.id}
    tools = [run for run in runs if run.kind == "tool"]
    owner: dict[str, str] = {}
    for ident, span in begun.items():
        at = microseconds(span.timestamp)
        around = [
            run
            for run in tools
            if run.name == span.name
            and None not in (at, run.start, run.end)
            and (run.start or 0) <= (at or 0) <= (run.end or 0)
        ]
        if around:
            owner[ident] = max(around, key=lambda run: run.start or 0).id
    known = {run.id for run in runs}
    for run in runs:
        if run.parent is not None and run.parent not in known:
            run.parent = owner.get(run.parent)
        if run.parent == run.id:
            run.parent = None


def _model(
    event: Event, native: str, around: str | None, before: int | None, texts: Texts, complaints: list[str]
) -> Run:
    output = event.output if isinstance(event.output, Output) else Output()
    start, end = microseconds(event.timestamp), microseconds(event.completed)
    if end is None and start is not None:
        if output.time is not None and 0 <= output.time < 10**6:
            end = start + round(output.time * 1_000_000)
        elif output.time is None:
            # the oldest logs write a call when it is over; it began after the event before it
            start, end = before if before is not None and before <= start else start, start
    status: Status = "error" if event.error else "ok"
    text = texts.full(_answer(output)) or message_of(event.error)
    if event.cache == "read":
        # an answer kept from an earlier evaluation: nothing was asked
        return Run(id=native, parent=around, kind="note", name="cached answer", start=start, status="ok",
                   output=text)  # fmt: skip
    return Run(
        id=native,
        parent=around,
        kind="model",
        name="model",
        start=start,
        end=end,
        status=status,
        model=event.model or output.model or "",
        measures=measures_of(output.usage, complaints),
        output=text,
        asks=asked(output.choices),
    )


def _tool(event: Event, native: str, around: str | None, texts: Texts) -> Run:
    start, end = microseconds(event.timestamp), microseconds(event.completed)
    if start is not None and end is not None and end < start:
        end = None
    name = event.function or "unknown tool"
    given = texts.value(event.arguments)
    fields = argument_fields(given)
    status = status_of(event.error, end is not None or event.result is not None)
    result = texts.full(_text(event.result)) or message_of(event.error)
    return Run(
        id=native,
        parent=around,
        kind="tool",
        name=name,
        start=start,
        end=end,
        status=status,
        fields=fields,
        arguments=msgspec.json.encode(given).decode() if given is not None else "",
        output=result,
        sort=tool_kind(name),
        answers=event.id or "",
    )


def _answer(output: Output) -> str:
    """The text of a model's first answer."""
    choice = (output.choices or [None])[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    return block_text(message.get("content")) if isinstance(message, dict) else ""


def _text(value: Any) -> str:
    """A result as text."""
    if value is None or isinstance(value, str):
        return value or ""
    found = block_text(value)
    return found if found else msgspec.json.encode(value).decode()

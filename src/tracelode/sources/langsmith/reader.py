"""How do LangSmith runs become operations?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tracelode.lenient import microseconds, moment
from tracelode.making import Maker
from tracelode.model.operation import Status
from tracelode.model.ports import About, Item, Skip
from tracelode.runs import Prompt, Run, items_of
from tracelode.said import asked, opened, said, text_of
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.sources.langsmith.records import Export, Record
from tracelode.sources.langsmith.usage import measures_of

NAME = "langsmith"
MODELS = frozenset(("llm", "chat_model", "embedding"))
"""Run types that are calls of a model."""
TOOLS = frozenset(("tool", "retriever"))
"""Run types that are calls of a tool."""
HOLDERS = frozenset(("chain", "prompt", "parser"))
"""Run types that only hold others."""
THREADS = ("session_id", "thread_id", "conversation_id")
"""Metadata by which traces make up a conversation, first one that is there."""


def read_runs(values: list[Any], path: str) -> Iterator[Item]:
    """Items of one file.

    Args:
        values: decoded JSON values.
        path: the file as origins name it.
    """
    complaints: list[str] = []
    export = Export(complaints)
    for value in values:
        export.add(value)
    sessions: dict[str, list[Record]] = {}
    for record in export.runs.values():
        sessions.setdefault(_session(record, export.runs), []).append(record)
    maker = Maker(NAME, NAME, path)
    for key, records in sessions.items():
        maker.session = key
        yield About(key, key, "")
        runs = [_run(record, complaints) for record in records]
        yield from items_of(runs, maker, _prompts(records, runs))
    for reason, number in Counter(complaints).items():
        yield Skip(1, reason, number)


def _metadata(record: Record) -> dict[str, Any]:
    found = (record.extra or {}).get("metadata")
    return found if isinstance(found, dict) else {}


def _session(record: Record, runs: dict[str, Record]) -> str:
    """The conversation that a run's outermost run names, else its trace."""
    trace = record.trace_id or record.id or "unknown"
    for place in (record, runs.get(trace)):
        metadata = _metadata(place) if place is not None else {}
        for key in THREADS:
            if isinstance(metadata.get(key), str) and metadata[key]:
                return str(metadata[key])
    return trace


def _prompts(records: list[Record], runs: list[Run]) -> list[Prompt]:
    """What outermost runs begin with."""
    found = []
    for record, run in zip(records, runs, strict=True):
        text = said(record.inputs) if record.parent_run_id is None else ""
        if text.strip():
            found.append(Prompt(f"{run.id}/input", text, run.start))
    return found


def _moment(value: Any) -> int | None:
    """A run's moment; the API writes UTC without a zone."""
    return microseconds(value, 0) if isinstance(value, str) else moment(value)


def _run(record: Record, complaints: list[str]) -> Run:
    kind = _kind(record, complaints)
    start, end = _moment(record.start_time), _moment(record.end_time)
    if (start is None and record.start_time) or (end is None and record.end_time):
        complaints.append("timestamp is not a moment")
    if start is not None and end is not None and end < start:
        complaints.append("step that ends before it starts, end left out")
        end = None
    failed = bool(record.error)
    status: Status = "error" if failed else "ok" if end is not None else "unknown"
    text = text_of(record.outputs) if record.outputs else ""
    if failed and not text:
        text = record.error if isinstance(record.error, str) else ""
    given = _given(record.inputs)
    name = record.name or ""
    return Run(
        id=record.id or "",
        parent=record.parent_run_id,
        kind=kind,
        name=name,
        start=start,
        end=end,
        status=status,
        model=_model(record) if kind == "model" else "",
        measures=measures_of(record, complaints),
        fields=argument_fields(given) if kind == "tool" else {},
        arguments=text_of(given) if kind == "tool" else "",
        output=text if kind else "",
        sort=tool_kind(name) if kind == "tool" else "tool",
        asks=asked(record.outputs) if kind == "model" else frozenset(),
        answers=_answers(record) if kind == "tool" else "",
    )


def _kind(record: Record, complaints: list[str]) -> str:
    if record.run_type in MODELS:
        return "model"
    if record.run_type in TOOLS:
        return "tool"
    if record.run_type is None:
        complaints.append("update of a run that the file does not hold")
    elif record.run_type not in HOLDERS:
        complaints.append("unknown type of run")
    return ""


def _model(record: Record) -> str:
    """The model that answered, else the one that was asked for."""
    outputs = record.outputs if isinstance(record.outputs, dict) else {}
    inputs = record.inputs if isinstance(record.inputs, dict) else {}
    called = (record.extra or {}).get("invocation_params")
    called = called if isinstance(called, dict) else {}
    for value in (
        outputs.get("model"), _metadata(record).get("ls_model_name"), called.get("model"),
        called.get("model_name"), inputs.get("model"),
    ):  # fmt: skip
        if isinstance(value, str) and value:
            return value
    return ""


def _given(inputs: Any) -> Any:
    """A tool's input: LangChain wraps it as text under one key."""
    if isinstance(inputs, dict) and set(inputs) == {"input"}:
        return opened(inputs["input"])
    return inputs


def _answers(record: Record) -> str:
    """The tool call that a tool's run answers, "" where nothing tells it."""
    outputs = record.outputs if isinstance(record.outputs, dict) else {}
    inner = outputs.get("output")
    for place in (outputs, inner, _metadata(record), record.extra or {}):
        value = place.get("tool_call_id") if isinstance(place, dict) else None
        if isinstance(value, str) and value:
            return value
    return ""

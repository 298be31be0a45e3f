"""How do Langfuse traces become operations?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tracelode.lenient import microseconds
from tracelode.making import Maker
from tracelode.model.operation import Status
from tracelode.model.ports import About, Item, Skip
from tracelode.runs import Prompt, Run, items_of
from tracelode.said import asked, opened, said, text_of
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.sources.langfuse.records import Export, Observation, Trace, attributes_of
from tracelode.sources.langfuse.usage import measures_of

NAME = "langfuse"
MODELS = frozenset(("GENERATION", "EMBEDDING"))
"""Types that are calls of a model."""
TOOLS = frozenset(("TOOL", "RETRIEVER", "GUARDRAIL"))
"""Types that are calls of a tool."""
HOLDERS = frozenset(("SPAN", "AGENT", "CHAIN", "EVALUATOR"))
"""Types that only hold others, unless their attributes name a tool."""
TOOL_NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
"""Attributes by which a span is known as a tool's."""
CALL_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool.id")
"""Attributes that name the call a tool answers."""


def read_traces(values: list[Any], path: str) -> Iterator[Item]:
    """Items of one file.

    Args:
        values: decoded JSON values.
        path: the file as origins name it.
    """
    complaints: list[str] = []
    export = Export(complaints)
    for value in values:
        export.add(value)
    maker = Maker(NAME, NAME, path)
    for key, traces in export.sessions():
        maker.session = key
        yield About(key, key, "")
        runs: list[Run] = []
        prompts: list[Prompt] = []
        for trace in traces:
            found = [_run(step, trace, complaints) for step in trace.observations]
            if not found:
                complaints.append("trace without an observation")
            runs.extend(found)
            prompt = _prompt(trace, found)
            if prompt is not None:
                prompts.append(prompt)
        yield from items_of(runs, maker, prompts)
    for reason, number in Counter(complaints).items():
        yield Skip(1, reason, number)


def _prompt(trace: Trace, runs: list[Run]) -> Prompt | None:
    text = said(opened(trace.input))
    if not text.strip():
        return None
    starts = [run.start for run in runs if run.start is not None]
    at = microseconds(trace.timestamp)
    if starts:
        # the trace's own moment may be that of its last update
        at = min([*starts, *([at] if at is not None else [])])
    return Prompt(f"{trace.id}/input", text, at)


def _run(step: Observation, trace: Trace, complaints: list[str]) -> Run:
    _, attributes, _ = attributes_of(step)
    kind = _kind(step, attributes)
    if step.type not in MODELS | TOOLS | HOLDERS and step.type != "EVENT":
        complaints.append("unknown type of observation")
    start, end = microseconds(step.startTime), microseconds(step.endTime)
    if (start is None and step.startTime) or (end is None and step.endTime):
        complaints.append("timestamp is not a moment")
    if start is not None and end is not None and end < start:
        complaints.append("step that ends before it starts, end left out")
        end = None
    failed = step.level == "ERROR"
    status: Status = "error" if failed else "ok" if end is not None or kind == "note" else "unknown"
    message = step.statusMessage if isinstance(step.statusMessage, str) else ""
    output = text_of(step.output) or (message if failed else "")
    given = opened(step.input)
    name = _first(attributes, TOOL_NAMES) or step.name or ""
    fields = argument_fields(given) if kind == "tool" else {}
    return Run(
        id=f"{trace.id}/{step.id}",
        parent=f"{trace.id}/{step.parentObservationId}" if step.parentObservationId else None,
        kind=kind,
        name=name,
        start=start,
        end=end,
        status=status,
        model=step.model or "",
        measures=measures_of(step, complaints),
        fields=fields,
        arguments=text_of(step.input) if kind == "tool" else "",
        output=output if kind else "",
        sort=tool_kind(name) if kind == "tool" else "tool",
        asks=asked(step.output) if kind == "model" else frozenset(),
        answers=_first(attributes, CALL_IDS) or "",
    )


def _kind(step: Observation, attributes: dict[str, Any]) -> str:
    if step.type in MODELS:
        return "model"
    if step.type in TOOLS or (step.type in HOLDERS and _first(attributes, TOOL_NAMES)):
        return "tool"
    return "note" if step.type == "EVENT" else ""


def _first(attributes: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((v for v in (attributes.get(name) for name in names) if isinstance(v, str) and v), None)

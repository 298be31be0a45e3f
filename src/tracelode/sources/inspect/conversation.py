"""How does a sample without events become runs? From its messages, which know no time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tracelode.lenient import block_text
from tracelode.model.measure import split_evenly
from tracelode.runs import Run
from tracelode.signals.arguments import argument_fields, tool_kind
from tracelode.sources.inspect.records import Message, Sample, Spec
from tracelode.sources.inspect.transcript import Texts
from tracelode.sources.inspect.usage import measures_of
from tracelode.sources.inspect.words import message_of, status_of


def runs_of_messages(sample: Sample, spec: Spec, key: str, texts: Texts, complaints: list[str]) -> list[Run]:
    """Runs of a sample's messages.

    Args:
        sample: the sample.
        spec: what was evaluated.
        key: session key.
        texts: attachments.
        complaints: receives closed words on what was left out.

    Returns:
        Runs in order, prompts among them; the sample's sums are shared by its calls and marked as such.
    """
    runs: list[Run] = []
    open_calls: dict[str, Run] = {}
    calls: list[Run] = []
    for number, message in enumerate(sample.messages or []):
        native = f"{key}/message/{message.id or number}"
        text = texts.full(block_text(message.content))
        if message.role == "user":
            runs.append(Run(id=native, kind="prompt", output=text))
        elif message.role == "assistant":
            tools = _tools(message, native, texts)
            model = message.model or spec.model or ""
            call = Run(id=native, kind="model", name="model", status="ok", model=model, output=text,
                       asks=frozenset(tool.answers for tool in tools if tool.answers))  # fmt: skip
            calls.append(call)
            runs += [call, *tools]
            open_calls.update({tool.answers: tool for tool in tools if tool.answers})
        elif message.role == "tool":
            tool = open_calls.pop(message.tool_call_id or "", None)
            if tool is None:
                tool = Run(id=native, kind="tool", name=message.function or "unknown tool")
                runs.append(tool)
            tool.status = status_of(message.error, True)
            tool.output = text or message_of(message.error)
    _share(sample, calls, complaints)
    return runs


def _tools(message: Message, native: str, texts: Texts) -> list[Run]:
    found = []
    for place, call in enumerate(message.tool_calls or []):
        if not isinstance(call, dict):
            continue
        name = call.get("function")
        name = name if isinstance(name, str) and name else "unknown tool"
        given = texts.value(call.get("arguments"))
        ident = call.get("id")
        found.append(
            Run(
                id=f"{native}/{place}",
                kind="tool",
                name=name,
                fields=argument_fields(given),
                arguments=msgspec.json.encode(given).decode() if given is not None else "",
                sort=tool_kind(name),
                answers=ident if isinstance(ident, str) else "",
            )
        )
    return found


def _share(sample: Sample, calls: Sequence[Run], complaints: list[str]) -> None:
    """Share a sample's sums by model out to its calls; without sums, the last call's own."""
    if not calls:
        return
    sums: dict[str, Any] = dict(sample.model_usage or {})
    if not sums:
        if sample.output is not None:
            calls[-1].measures = measures_of(sample.output.usage, complaints)
        return
    for model, usage in sums.items():
        measures = measures_of(usage, complaints)
        own = [call for call in calls if call.model and model.endswith(call.model)] or list(calls)
        for name, value in measures.items():
            for call, part in zip(own, split_evenly(value, len(own)), strict=True):
                call.measures[name] = call.measures.get(name, 0) + part
        for call in own:
            call.model = model if len(sums) == 1 else call.model
            call.fields["usage_quality"] = "shared"

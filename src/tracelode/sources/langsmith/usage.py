"""How do LangSmith's usage figures become tokens and money?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracelode.making import picodollars, put_count, put_input, usage_counts
from tracelode.sources.langsmith.records import Record

DEPTH = 6
"""Outputs are searched this deep for the usage of a message."""


def measures_of(run: Record, complaints: list[str]) -> dict[str, int]:
    """Token measures and reported cost of one run.

    Args:
        run: the run.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name, {} without any.

    Source:
        formats: other agents, LangSmith. usage_metadata: input_tokens is the sum of all kinds of input, its
        details are parts of it; output_tokens likewise.
    """
    found: dict[str, int] = {}
    usage: dict[str, Any] = {}
    for usage in _usages(run):
        found = _from(usage, complaints)
        if found:
            break
    if not found and (run.prompt_tokens or run.completion_tokens):
        put_count(found, "tokens.input_fresh", run.prompt_tokens, complaints)
        put_count(found, "tokens.output", run.completion_tokens, complaints)
    if not any(found.values()):
        found = {}
    cost = picodollars(run.total_cost)
    if cost is None:
        cost = picodollars(usage.get("total_cost"))
    if cost is not None and (found or cost):
        found["cost.reported"] = cost
    return found


def _usages(run: Record) -> Iterator[dict[str, Any]]:
    """Usage objects of a run, the surest first."""
    metadata = (run.extra or {}).get("metadata")
    outputs = run.outputs if isinstance(run.outputs, dict) else {}
    for place in (run.usage_metadata, metadata.get("usage_metadata") if isinstance(metadata, dict) else None):
        if isinstance(place, dict):
            yield place
    if isinstance(outputs.get("usage_metadata"), dict):
        yield outputs["usage_metadata"]
    inner = _message(outputs, DEPTH)
    if inner is not None:
        yield inner
    llm = outputs.get("llm_output")
    for place in (outputs.get("usage"), (llm or {}).get("token_usage") if isinstance(llm, dict) else None):
        if isinstance(place, dict):
            yield place


def _message(value: Any, depth: int) -> dict[str, Any] | None:
    """The usage_metadata of the first message in an output."""
    if depth <= 0:
        return None
    if isinstance(value, dict):
        found = value.get("usage_metadata")
        if isinstance(found, dict):
            return found
        inside = [value[key] for key in ("generations", "message", "kwargs", "output") if key in value]
    else:
        inside = value[:1] if isinstance(value, list) else []
    return next((found for found in (_message(inner, depth - 1) for inner in inside) if found), None)


def _from(usage: dict[str, Any], complaints: list[str]) -> dict[str, int]:
    if "input_token_details" not in usage and "output_token_details" not in usage and (
        {"prompt_tokens", "completion_tokens", "input_tokens_details"} & set(usage)
    ):  # fmt: skip
        return usage_counts(usage, complaints)
    found: dict[str, int] = {}
    parts, made = _object(usage, "input_token_details"), _object(usage, "output_token_details")
    read = _count(parts, "cache_read")
    short, hour = _count(parts, "ephemeral_5m_input_tokens"), _count(parts, "ephemeral_1h_input_tokens")
    write = _count(parts, "cache_creation")
    if not write and (short or hour):
        write = (short or 0) + (hour or 0)
    put_input(found, _count(usage, "input_tokens"), read, write, complaints)
    long = min(hour or 0, found.get("tokens.cache_write_5m", 0))
    if long > 0:
        found["tokens.cache_write_5m"] -= long
        found["tokens.cache_write_1h"] = long
    output, reasoning = _count(usage, "output_tokens"), _count(made, "reasoning")
    if output is not None and reasoning is not None and reasoning > output:
        complaints.append("reasoning exceeds the output it should be part of, left out")
        reasoning = None
    put_count(found, "tokens.reasoning", reasoning, complaints)
    inside = found.get("tokens.reasoning", 0)
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)
    return found


def _object(value: dict[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _count(value: dict[str, Any], key: str) -> int | None:
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None

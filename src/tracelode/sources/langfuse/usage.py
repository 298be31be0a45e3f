"""How do Langfuse's usage and cost details become tokens and money?

Keys of usageDetails exclude each other by definition: input is what no cache held. Some writers enter an
input that includes the cached tokens, and Langfuse adds them again. Such a record is known by its own
figures: a total that leaves the cached tokens out, or the count that OpenTelemetry wrote beside it.
"""

from __future__ import annotations

import re
from typing import Any

from tracelode.making import picodollars, put_count
from tracelode.sources.langfuse.records import Observation, attributes_of

_KINDS = (
    (re.compile(r"cache.*1h|1h.*cache"), "tokens.cache_write_1h"),
    (re.compile(r"cache.*(creat|writ)|(creat|writ).*cache"), "tokens.cache_write_5m"),
    (re.compile(r"cache"), "tokens.cache_read"),
    (re.compile(r"reason|thought|thinking"), "tokens.reasoning"),
    (re.compile(r"^(input|prompt)"), "tokens.input_fresh"),
    (re.compile(r"^(output|completion|accepted_prediction|rejected_prediction)"), "tokens.output"),
)
"""Shape of a usage key to what it counts, first match."""
INPUTS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
          "ai.usage.inputTokens", "ai.usage.promptTokens")  # fmt: skip
"""Attributes in which OpenTelemetry tells the input, cached tokens included."""
OUTPUTS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
"""Attributes in which OpenTelemetry tells the output, reasoning included."""
OWN_SCOPE = "langfuse"
"""Scopes of Langfuse's own SDKs begin so; their details are given by the application."""

INCLUSIVE = "input that includes cached tokens, taken out of it"
UNKNOWN = "unknown kind of usage, left out"


def measures_of(step: Observation, complaints: list[str]) -> dict[str, int]:
    """Token measures and reported cost of one observation.

    Args:
        step: the observation.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name, {} without any.

    Source:
        formats: token semantics, Langfuse; acceptance cases C1 and C4.
    """
    details = step.usageDetails or step.usage or {}
    found: dict[str, int] = {}
    total: int | None = None
    for key, value in details.items():
        if value is None or key == "unit":
            continue
        number = _count(value)
        name = _kind(key)
        if number is None or (name is None and key != "total"):
            if not (key.lower().endswith("cost") or number == 0):
                complaints.append(UNKNOWN)
        elif key == "total":
            total = number
        elif name is not None and number < 0:
            put_count(found, name, number, complaints)
        elif name is not None:
            put_count(found, name, found.get(name, 0) + number, complaints)
    if any(found.values()) or total:
        _take_out(step, found, total, complaints)
    else:
        # zeros stand for a provider that told nothing
        found = {}
    cost = cost_of(step)
    if cost is not None and (found or cost):
        found["cost.reported"] = cost
    return found


def _kind(key: str) -> str | None:
    lower = key.lower()
    return next((name for shape, name in _KINDS if shape.search(lower)), None)


def _count(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) else None


def _take_out(step: Observation, found: dict[str, int], total: int | None, complaints: list[str]) -> None:
    """Take cached tokens out of an input that includes them, and reasoning out of such an output."""
    whole, output = found.get("tokens.input_fresh", 0), found.get("tokens.output", 0)
    cached = sum(
        found.get(f"tokens.{name}", 0) for name in ("cache_read", "cache_write_5m", "cache_write_1h")
    )
    reasoning = found.get("tokens.reasoning", 0)
    scope, attributes, otel = attributes_of(step)
    otel = otel and not scope.startswith(OWN_SCOPE)
    if cached and whole >= cached and _inclusive(whole, cached, output, reasoning, total, attributes, otel):
        found["tokens.input_fresh"] = whole - cached
        complaints.append(INCLUSIVE)
        if total is not None and total == whole + output + cached + reasoning:
            total -= cached
    told = _first(attributes, OUTPUTS) if otel else None
    if reasoning and output >= reasoning and (told == output or total == whole + output):
        found["tokens.output"] = output - reasoning


def _inclusive(
    whole: int, cached: int, output: int, reasoning: int, total: int | None, attributes: dict[str, Any],
    otel: bool,
) -> bool:  # fmt: skip
    """Does an input that is at least as large as the cached tokens include them?"""
    told = _first(attributes, INPUTS) if otel else None
    if told is not None:
        # what the writer told, by the conventions with cached tokens: Langfuse took them out, or did not
        return told == whole
    if total is not None and total != whole + output + cached + reasoning:
        return total in (whole + output, whole + output + reasoning)
    return otel and not attributes


def _first(attributes: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next((n for n in (_count(attributes.get(name)) for name in names) if n is not None), None)


def cost_of(step: Observation) -> int | None:
    """The cost an observation states.

    Args:
        step: the observation.

    Returns:
        Picodollars, None where none is stated.
    """
    details = step.costDetails or {}
    if details.get("total") is not None:
        return picodollars(details["total"])
    parts = [picodollars(value) for value in details.values()]
    if parts and all(part is not None for part in parts):
        return sum(part or 0 for part in parts)
    for value in (step.calculatedTotalCost, step.totalCost):
        if value is not None:
            return picodollars(value)
    return None

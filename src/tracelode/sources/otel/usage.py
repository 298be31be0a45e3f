"""How do token counts of any writer become disjoint measures? Input includes cache unless shown otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tracelode.making import picodollars, put_count, put_input, usage_counts
from tracelode.sources.otel import words

Attributes = Mapping[str, Any]

EXCLUSIVE = "input smaller than its total says, cached tokens taken as beside it"
BESIDE = "reasoning exceeds the output it should be part of, counted beside it"
NO_NUMBER = "token count that is no number left out"
SUM_ONLY = "sum of tokens without their kinds left out"


_KINDS = (
    words.INPUT, words.OUTPUT, words.CACHE_READ, words.CACHE_WRITE, words.REASONING, words.TOTAL,
)  # fmt: skip
_PLACES = {name: (kind, rank) for kind, names in enumerate(_KINDS) for rank, name in enumerate(names)}
"""Every name of a count: which one it is of _KINDS, and its rank among the names of that."""


class Told:
    """The token counts of one span or log record under our names.

    Args:
        attributes: its attributes.
        complaints: receives closed words on what is no count.
    """

    def __init__(self, attributes: Attributes, complaints: list[str]) -> None:
        found: list[int | None] = [None] * len(_KINDS)
        # a span has few of the fifty names: only these are looked at, the best name of each kind first
        for (kind, _), name in sorted((_PLACES[n], n) for n in attributes if n in _PLACES):
            value = attributes[name]
            if value is not None and found[kind] is None:
                found[kind] = number = count(value)
                if number is None:
                    complaints.append(NO_NUMBER)
        self.whole, self.output, self.read, self.write, self.reasoning, self.total = found


def count(value: Any) -> int | None:
    """A count in any spelling.

    Args:
        value: an integer, a whole float, or the text of an integer.

    Returns:
        The integer, None for anything else.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else None
    if isinstance(value, str):
        text = value.strip()
        return int(text) if len(text) < 20 and text.removeprefix("-").isdecimal() else None
    return None


def measures_of(attributes: Attributes, complaints: list[str]) -> dict[str, int]:
    """Token measures of a span.

    Args:
        attributes: its attributes.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name; what the span does not tell is absent. Reasoning is taken out of output.

    Source:
        formats: token semantics; acceptance cases C1 and C4. Semantic conventions: input includes cache
        reads and writes, output includes reasoning. Where the total says otherwise, or the parts exceed the
        whole, the counts were written as disjoint ones, and that is flagged.
    """
    own = _langfuse(attributes, complaints)
    if own:
        return own
    told = Told(attributes, complaints)
    if told.whole is None and told.output is None and told.read is None and told.write is None:
        if told.total:
            complaints.append(SUM_ONLY)
        return {}
    cached = (told.read or 0) + (told.write or 0)
    apart, beside = _total_says(told, cached)
    found: dict[str, int] = {}
    if apart:
        if told.whole is not None and told.whole >= cached:
            # below it the input alone shows what was written, and says so in its own words
            complaints.append(EXCLUSIVE)
        put_disjoint(found, told.whole, told.read, told.write, complaints)
    else:
        put_input(found, told.whole, told.read, told.write, complaints)
    put_output(found, told.output, told.reasoning, beside, complaints)
    return found


def _total_says(told: Told, cached: int) -> tuple[bool, bool]:
    """Does the total show that cached tokens, or reasoning, are not part of input and output?"""
    if told.total is None or told.whole is None or told.output is None:
        return False, False
    rest = told.total - told.whole - told.output
    reasoning = told.reasoning or 0
    if rest <= 0:
        return False, False
    return cached in (rest, rest - reasoning) and cached > 0, reasoning in (
        rest,
        rest - cached,
    ) and reasoning > 0


def put_disjoint(
    found: dict[str, int], fresh: int | None, read: int | None, write: int | None, complaints: list[str]
) -> None:
    """Enter input counts that do not include each other.

    Args:
        found: measures by name, changed in place.
        fresh: input that no cache held.
        read: tokens read from a cache.
        write: tokens written to a cache.
        complaints: receives closed words where a figure cannot be a count.
    """
    put_count(found, "tokens.input_fresh", fresh, complaints)
    put_count(found, "tokens.cache_read", read, complaints)
    put_count(found, "tokens.cache_write_5m", write, complaints)


def put_output(
    found: dict[str, int], output: int | None, reasoning: int | None, beside: bool, complaints: list[str]
) -> None:
    """Enter an output count and the reasoning in it.

    Args:
        found: measures by name, changed in place.
        output: output tokens.
        reasoning: reasoning tokens, None where they are not told apart.
        beside: reasoning is known to be no part of output.
        complaints: receives closed words on contradictions.
    """
    put_count(found, "tokens.reasoning", reasoning, complaints)
    inside = 0 if beside else found.get("tokens.reasoning", 0)
    if output is not None and inside > output >= 0:
        complaints.append(BESIDE)
        inside = 0
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)


_LANGFUSE_KINDS = {
    "input": "tokens.input_fresh",
    "input_cache_read": "tokens.cache_read",
    "input_cached_tokens": "tokens.cache_read",
    "cache_read_input_tokens": "tokens.cache_read",
    "input_cache_creation": "tokens.cache_write_5m",
    "cache_creation_input_tokens": "tokens.cache_write_5m",
    "input_cache_creation_5m": "tokens.cache_write_5m",
    "input_cache_creation_1h": "tokens.cache_write_1h",
    "output": "tokens.output",
    "output_reasoning": "tokens.reasoning",
    "output_reasoning_tokens": "tokens.reasoning",
}


def _langfuse(attributes: Attributes, complaints: list[str]) -> dict[str, int]:
    """Counts of Langfuse's own SDK: its keys exclude each other, unless they are OpenAI's."""
    given = opened(attributes.get("langfuse.observation.usage_details"))
    if not isinstance(given, dict):
        return {}
    if "prompt_tokens" in given or "input_tokens" in given:
        return usage_counts(given, complaints)
    found: dict[str, int] = {}
    for key, name in _LANGFUSE_KINDS.items():
        number = count(given.get(key))
        if number is not None and name not in found:
            put_count(found, name, number, complaints)
    return found


def opened(value: Any) -> Any:
    """A value that may be JSON in a text.

    Args:
        value: anything.

    Returns:
        What the text decodes to; the value itself where it is no JSON.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def cost_of(attributes: Attributes) -> int | None:
    """The cost that a span states.

    Args:
        attributes: its attributes.

    Returns:
        Picodollars, None where none is stated.
    """
    for name in words.COST:
        if attributes.get(name) is not None:
            return picodollars(attributes[name])
    details = opened(attributes.get("langfuse.observation.cost_details"))
    return picodollars(details.get("total")) if isinstance(details, dict) else None

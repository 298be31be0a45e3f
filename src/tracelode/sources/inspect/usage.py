"""How do Inspect's usage figures become disjoint tokens? The total tells what is part of what."""

from __future__ import annotations

from tracelode.making import picodollars, put_count, put_input
from tracelode.sources.inspect.records import Usage


def measures_of(usage: Usage | None, complaints: list[str]) -> dict[str, int]:
    """Token measures and reported cost.

    Args:
        usage: as recorded.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name, {} without any.

    Source:
        formats: token semantics, Inspect. Providers differ in whether input includes cached tokens and
        whether output includes reasoning; total_tokens is the sum of what excludes each other.
    """
    if usage is None:
        return {}
    found: dict[str, int] = {}
    read, write = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    cached = (read or 0) + (write or 0)
    whole, output, reasoning = usage.input_tokens, usage.output_tokens, usage.reasoning_tokens
    beside, apart = _total_says(usage, cached)
    if whole is not None and (beside or (0 <= whole < cached)):
        put_count(found, "tokens.input_fresh", whole, complaints)
        put_count(found, "tokens.cache_read", read, complaints)
        put_count(found, "tokens.cache_write_5m", write, complaints)
    else:
        put_input(found, whole, read, write, complaints)
    put_count(found, "tokens.reasoning", reasoning, complaints)
    inside = 0 if apart else found.get("tokens.reasoning", 0)
    if output is not None and inside > output >= 0:
        complaints.append("reasoning exceeds the output it should be part of, counted beside it")
        inside = 0
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)
    money = picodollars(usage.total_cost)
    if money is not None:
        found["cost.reported"] = money
    return found


def _total_says(usage: Usage, cached: int) -> tuple[bool, bool]:
    """Does the total count cached tokens beside the input, and reasoning beside the output?"""
    if usage.total_tokens is None:
        return False, False
    rest = usage.total_tokens - (usage.input_tokens or 0) - (usage.output_tokens or 0)
    reasoning = usage.reasoning_tokens or 0
    if rest <= 0:
        return False, False
    return cached > 0 and rest in (cached, cached + reasoning), reasoning > 0 and rest in (
        reasoning,
        cached + reasoning,
    )

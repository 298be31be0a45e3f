"""How do the running totals of a thread become the tokens of single calls?"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.lenient import storable
from tracelode.making import put_count, put_input
from tracelode.sources.codex.records import Info, Usage

_PARTS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)
_INPUT, _CACHED, _WRITE, _OUTPUT, _REASONING, _TOTAL = range(6)


class Meter(msgspec.Struct):
    """Where a thread's counters stood; part of a resume state."""

    totals: list[int] = []
    """Last total by _PARTS; empty before the first."""
    epoch: int = 0
    """How often the counters began again."""


def advance(meter: Meter, info: Info, copied: bool, complaints: list[str]) -> dict[str, int] | None:
    """What one token_count adds.

    Args:
        meter: the thread's counters, changed in place.
        info: the event's counters.
        copied: the thread may go on with the counters of another one.
        complaints: receives closed words on figures that contradict each other.

    Returns:
        Token measures of the call; None where there was none: the total is unchanged, or it was set
        to zero, or to the size of the context because that is full.

    Source:
        formats: token semantics; acceptance cases B1, B2, B5, B6, B8.
    """
    usage = info.total_token_usage
    if usage is None:
        return None
    total, last = _vector(usage), _vector(info.last_token_usage)
    if total is None:
        complaints.append("token count with a negative figure left out")
        return None
    before, meter.totals = meter.totals, total
    if total == before:
        return None
    delta = _added(meter, before, total, last, copied)
    if not any(delta[:_TOTAL]):
        return None
    if delta[_TOTAL] != delta[_INPUT] + delta[_OUTPUT]:
        complaints.append("total tokens differ from the sum of their parts, parts kept")
    return _measures(delta, usage, complaints)


def _vector(usage: Usage | None) -> list[int] | None:
    if usage is None:
        return None
    # as a resume state keeps them: ids are made of the totals
    values: list[int] = [storable(getattr(usage, name) or 0) for name in _PARTS]
    if usage.total_tokens is None:
        values[_TOTAL] = values[_INPUT] + values[_OUTPUT]
    return values if min(values) >= 0 else None


def _added(
    meter: Meter, before: list[int], total: list[int], last: list[int] | None, copied: bool
) -> list[int]:
    """Total minus the baseline that holds for it."""
    fits = last is not None and any(last[:_TOTAL]) and all(t >= n for t, n in zip(total, last, strict=True))
    base = [t - n for t, n in zip(total, last, strict=True)] if fits and last is not None else []
    if not before:
        # a copy may begin in the middle: then what came before was never this thread's
        return _minus(total, base) if copied and base else total
    if all(t >= b for t, b in zip(total, before, strict=True)):
        return _minus(total, before)
    if base and 2 * base[_TOTAL] >= before[_TOTAL] > 0:
        # a small step back is a correction of the same counter, not a new one
        return _minus(total, base)
    meter.epoch += 1
    return total


def _minus(total: list[int], base: list[int]) -> list[int]:
    return [t - b for t, b in zip(total, base, strict=True)]


def _measures(delta: list[int], told: Usage, complaints: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    put_input(
        found,
        _if(delta[_INPUT], told.input_tokens),
        _if(delta[_CACHED], told.cached_input_tokens),
        _if(delta[_WRITE], told.cache_write_input_tokens),
        complaints,
    )
    put_count(found, "tokens.reasoning", _if(delta[_REASONING], told.reasoning_output_tokens), complaints)
    inside = found.get("tokens.reasoning", 0)
    if inside > delta[_OUTPUT]:
        complaints.append("reasoning exceeds the output it should be part of, counted beside it")
        inside = 0
    put_count(found, "tokens.output", _if(delta[_OUTPUT] - inside, told.output_tokens), complaints)
    return found


def _if(value: int, told: Any) -> int | None:
    return None if told is None else value

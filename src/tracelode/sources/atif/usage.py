"""How do the metrics of ATIF steps become the tokens and the money of calls?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracelode.making import picodollars, put_count, put_input
from tracelode.model.measure import split_evenly
from tracelode.sources.atif.records import Metrics, Step, Totals

_WRITES = ("cache_creation_input_tokens", "cache_write_tokens")


def measures_of(metrics: Metrics | None, complaints: list[str]) -> dict[str, int]:
    """Token measures and reported cost of one step.

    Args:
        metrics: as recorded.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name.

    Source:
        formats: token semantics, ATIF (cached tokens are part of prompt_tokens, cache writes are in extra).
    """
    if metrics is None:
        return {}
    write = next((w for w in (_count(metrics.extra, key) for key in _WRITES) if w is not None), None)
    return _measures(
        metrics.prompt_tokens,
        metrics.cached_tokens,
        write,
        metrics.completion_tokens,
        metrics.cost_usd,
        _hour(metrics.extra),
        complaints,
    )


def _measures(
    whole: int | None,
    read: int | None,
    write: int | None,
    output: int | None,
    cost: float | None,
    hour: int | None,
    complaints: list[str],
) -> dict[str, int]:
    found: dict[str, int] = {}
    if whole is not None and (read or 0) <= whole < (read or 0) + (write or 0):
        # producers disagree whether cache writes are part of the input; here they cannot be
        whole += write or 0
    put_input(found, whole, read, write, complaints)
    long = min(hour or 0, found.get("tokens.cache_write_5m", 0))
    if long > 0:
        found["tokens.cache_write_5m"] -= long
        found["tokens.cache_write_1h"] = long
    put_count(found, "tokens.output", output, complaints)
    money = picodollars(cost)
    if money is not None:
        found["cost.reported"] = money
    return found


def shared(totals: Totals | None, calls: int, complaints: list[str]) -> list[dict[str, int]]:
    """Totals of a trajectory in equal parts, for one whose steps tell no metrics.

    Args:
        totals: as recorded, None for none.
        calls: number of calls.
        complaints: receives closed words on figures that were left out.

    Returns:
        One dict of measures a call, empty ones where there is nothing to share.
    """
    if totals is None or not calls:
        return [{} for _ in range(calls)]
    write = next(
        (w for w in (_count(totals.extra, f"total_{key}") for key in _WRITES) if w is not None), None
    )
    whole = _measures(
        totals.total_prompt_tokens,
        totals.total_cached_tokens,
        write,
        totals.total_completion_tokens,
        totals.total_cost_usd,
        None,
        complaints,
    )
    parts: list[dict[str, int]] = [{} for _ in range(calls)]
    for name, value in whole.items():
        for part, share in zip(parts, split_evenly(value, calls), strict=True):
            part[name] = share
    return parts


def differ(totals: Totals | None, steps: Sequence[Step]) -> bool:
    """Do a trajectory's own sums differ from those of its steps, copied ones counted or not?

    Args:
        totals: as recorded.
        steps: all steps.
    """
    if totals is None:
        return False
    for copied in (False, True):
        told = [s.metrics for s in steps if s.metrics and (copied or not s.is_copied_context)]
        prompt = sum(m.prompt_tokens or 0 for m in told)
        completion = sum(m.completion_tokens or 0 for m in told)
        if (
            totals.total_prompt_tokens in (None, prompt)
            and totals.total_completion_tokens in (None, completion)
        ):  # fmt: skip
            return False
    return True


def _count(extra: dict[str, Any] | None, key: str) -> int | None:
    value = (extra or {}).get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _hour(extra: dict[str, Any] | None) -> int | None:
    split = (extra or {}).get("cache_creation")
    return _count(split, "ephemeral_1h_input_tokens") if isinstance(split, dict) else None

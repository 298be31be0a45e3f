"""How do the store's finest sums become totals that reconcile along every dimension?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tracelode.model.measure import STORED, TIME_KINDS, TOKEN_KINDS
from tracelode.model.report import Sums

DIMENSIONS = ("model", "day", "project", "session", "agent", "role", "kind")
"""What totals are split by."""
KEYS = (*DIMENSIONS, "thread")
"""Keys of a cell, before its measures."""


def empty_sums() -> Sums:
    """Totals of nothing."""
    return Sums(
        tokens={k.removeprefix("tokens."): (None if k == "tokens.reasoning" else 0) for k in TOKEN_KINDS},
        time_us={k.removeprefix("time."): 0 for k in TIME_KINDS},
    )


def add(cells: Iterable[tuple[Any, ...]], place: int | None) -> dict[str, Sums]:
    """Cells summed along one of their keys, or as a whole under the key ""."""
    sums: dict[str, list[int | None]] = {}
    roots: dict[str, set[str]] = {}
    unpriced: dict[str, dict[str, int]] = {}
    lacking = len(KEYS) + STORED.index("tokens.unpriced")
    for row in cells:
        key = "" if place is None else "(none)" if row[place] is None else row[place]
        old = sums.get(key)
        values = row[len(KEYS) :]
        sums[key] = list(values) if old is None else [_plus(a, b) for a, b in zip(old, values, strict=True)]
        roots.setdefault(key, set()).add(row[3])
        if row[lacking]:
            models = unpriced.setdefault(key, {})
            model = row[0] or "(unknown)"
            models[model] = models.get(model, 0) + row[lacking]
    return {key: _as_sums(sums[key], len(roots[key]), unpriced.get(key, {})) for key in sorted(sums)}


def _plus(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b


def _as_sums(values: Sequence[int | None], sessions: int, unpriced: dict[str, int]) -> Sums:
    measures = dict(zip(STORED, values, strict=True))
    return Sums(
        sessions=sessions,
        calls=measures["calls"] or 0,
        operations=measures["operations"] or 0,
        tokens={k.removeprefix("tokens."): measures[k] for k in TOKEN_KINDS},
        cost_picodollars=measures["cost"] or 0,
        unpriced=dict(sorted(unpriced.items(), key=lambda item: (-item[1], item[0]))),
        time_us={k.removeprefix("time."): measures[k] or 0 for k in TIME_KINDS},
        calls_lower_bound=measures["calls.lower_bound"] or 0,
    )

"""What may stand anywhere in somebody's JSON, and does a source survive it there?"""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hypothesis import strategies as st

from tracelode.model.operation import Operation
from tracelode.model.ports import Line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
"""Any JSON value, and NaN."""


def spots(node: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or place) of a JSON value, outer ones first."""
    found: list[tuple[Any, Any]] = []
    if isinstance(node, dict | list):
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            found.append((node, key))
            found.extend(spots(child))
    return found


def survives(source: Any, records: list[Any], seed: int, value: Any, path: str = "t.json") -> None:
    """Put a value anywhere into a source's records; what it yields must still be operations.

    Args:
        source: an adapter.
        records: decoded lines, or the one document.
        seed: chooses the place.
        value: what is put there.
        path: the file as origins name it.
    """
    spoiled = copy.deepcopy(records)
    places = spots(spoiled)
    node, key = random.Random(seed).choice(places)
    node[key] = copy.deepcopy(value)
    well_formed(source, spoiled, path)


def well_formed(source: Any, records: list[Any], path: str = "t.json") -> None:
    """Read records; what a source yields must be operations.

    Args:
        source: an adapter.
        records: decoded lines, or the one document.
        path: the file as origins name it.
    """
    lines = [Line(n, 0, json.dumps(record).encode()) for n, record in enumerate(records, 1)]
    for item in source.read(lines, source.fresh(), path):
        if isinstance(item, Operation):
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())
            assert all(isinstance(v, str) for v in item.fields.values())

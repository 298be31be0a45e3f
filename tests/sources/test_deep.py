"""Does a value nested as deep as JSON allows end the reading of a file? It must not."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from strange import spots
from tracelode import registry
from tracelode.lenient import DEPTH, clean
from tracelode.model.ports import Line

SAMPLES = Path(__file__).parent / "samples"
NAMES = ("atif", "copilot-cli", "gemini-cli", "inspect", "langfuse", "langsmith", "openhands")


@pytest.mark.parametrize("name", NAMES)
def test_deep_values_anywhere(name: str) -> None:
    rng = random.Random(name)
    source = registry.load("sources", name)
    (sample,) = SAMPLES.glob(f"{name}.*")
    records = [json.loads(line) for line in sample.read_bytes().splitlines()]
    for depth in (150, 500, 900, 5_000):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            spoiled = copy.deepcopy(records)
            node, key = rng.choice(spots(spoiled))
            node[key] = "@"
            text = "\n".join(json.dumps(record) for record in spoiled)
            data = text.replace('"@"', opening * depth + "1" + closing * depth).encode()
            whole = source.layout.endswith("document")
            lines = [data] if whole else data.splitlines()
            items = source.read(
                [Line(n, 0, d) for n, d in enumerate(lines, 1)], source.fresh(), "x/events/3.json"
            )
            assert all(item is not None for item in items)


def test_levels_below_the_limit_are_left_out() -> None:
    value: Any = 1
    for _ in range(DEPTH + 5):
        value = [value]
    levels, at = 0, clean(value)
    while isinstance(at, list):
        levels, at = levels + 1, at[0]
    assert (levels, at) == (DEPTH, None)

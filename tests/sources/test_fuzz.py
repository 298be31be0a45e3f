"""Does any damage to any source's sample crash it, or make it lose what it cannot read without a word?"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading import spoiled, unharmed
from sources.test_claude_old_cases import branched, old_layout, with_progress
from strange import VALUES, spots, survives, well_formed
from tracelode import registry
from tracelode.files import Records
from tracelode.ingest.draft import Builder, Thread
from tracelode.redact.fast import Redactor
from tracelode.sources.claude_code import ClaudeCode

HERE = Path(__file__).parent
ROUNDS = 60
JSON_NAMES = [name for name in registry.names("sources") if name != "strace"]
"""Sources whose files are made of JSON; damage to the lines of strace is in its own tests."""
STRANGE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x" * 5000,
    "\ud800",
    [],
    {},
    [[]],
    {"a": {"b": []}},
    [None, 1],
]


def read(name: str, path: Path) -> list[Any]:
    """Read a file as a worker does; what became of it."""
    source = registry.load("sources", name)
    threads: dict[str, Thread] = {}
    builder = Builder(Redactor(), "file", source.agent, threads)
    records = Records(path, whole=source.layout.endswith("document"))
    for item in source.read(records, source.fresh(), "file"):
        builder.take(item)
    return [
        *builder.skipped.values(),
        *records.broken,
        *(d for t in threads.values() for d in t.drafts.values()),
    ]


def spoil(value: Any, rng: random.Random) -> Any:
    """A copy of a JSON value with one part replaced by something strange, or left out."""
    made = json.loads(json.dumps(value))
    places = spots(made)
    if places:
        node, key = rng.choice(places)
        if isinstance(node, dict) and rng.random() < 0.25:
            del node[key]
        else:
            node[key] = rng.choice(STRANGE)
    return made


def spoiled_json(data: bytes, rng: random.Random) -> bytes | None:
    """The sample with one field spoiled, None where it is not JSON."""
    try:
        return json.dumps(spoil(json.loads(data), rng)).encode()
    except (ValueError, UnicodeDecodeError):
        pass
    lines = data.splitlines()
    place = rng.randrange(len(lines))
    try:
        lines[place] = json.dumps(spoil(json.loads(lines[place]), rng)).encode()
    except (ValueError, UnicodeDecodeError):
        return None
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("name", registry.names("sources"))
def test_damage_is_survived_and_counted(name: str, tmp_path: Path) -> None:
    (sample,) = (HERE / "samples").glob(f"{name}.*")
    data = sample.read_bytes()
    rng = random.Random(name)
    path = tmp_path / sample.name
    kept = 0
    for _ in range(ROUNDS):
        place, size = rng.randrange(len(data)), rng.choice([0, 1, 5, 200])
        noise = rng.choice([b"", b"\x00", b"\xff\xfe", b"}{", b'"', b"[" * 300, rng.randbytes(20)])
        for damaged in (data[:place] + noise + data[place + size :], data[:place], spoiled_json(data, rng)):
            if damaged is not None:
                path.write_bytes(damaged)
                kept += bool(read(name, path))
    assert kept > ROUNDS


def decoded(name: str) -> list[Any]:
    """The records of a source's sample."""
    (sample,) = (HERE / "samples").glob(f"{name}.*")
    data = sample.read_bytes()
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("name", JSON_NAMES)
@given(seed=st.integers(0, 2**32), value=VALUES)
@settings(max_examples=150, deadline=None)
def test_any_field_may_hold_anything(name: str, seed: int, value: Any) -> None:
    survives(registry.load("sources", name), decoded(name), seed, value)


@pytest.mark.parametrize("name", JSON_NAMES)
def test_any_number_may_be_below_zero(name: str) -> None:
    source, records = registry.load("sources", name), decoded(name)
    for node, key in spots(records):
        if type(node[key]) in (int, float):
            before, node[key] = node[key], -1
            well_formed(source, records)
            node[key] = before


@given(seed=st.integers(0, 2**32), value=VALUES)
@settings(max_examples=100, deadline=None)
def test_any_field_of_an_old_layout_may_hold_anything(seed: int, value: Any) -> None:
    for records in (with_progress(beside=True).records, old_layout().records, branched().records):
        unharmed(ClaudeCode(), spoiled(records, value, seed))

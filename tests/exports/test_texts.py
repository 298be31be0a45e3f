"""Do the text formats hold any name, choose a measure, and stay the same under any hash seed?"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import ExportError, UnknownMeasure
from tracelode.exports.csv_ import CsvExporter
from tracelode.exports.folded import FoldedExporter
from tracelode.exports.json_ import JsonExporter
from tracelode.exports.speedscope import SpeedscopeExporter
from tracelode.model.profile import Profile, fold
from tracelode.model.words import printable
from tracelode.testing import export_profiles

from . import readers

# Any character UTF-8 can hold.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
STACKS = st.lists(TEXT, min_size=1, max_size=4).map(tuple)
PROFILES = st.lists(st.tuples(STACKS, st.tuples(st.integers(1, 2**70), st.integers(1, 9))), max_size=8).map(
    lambda rows: fold(rows, ("cost", "calls"))
)


def written(exporter: Any, profile: Profile) -> bytes:
    stream = io.BytesIO()
    exporter.write(profile, stream)
    return stream.getvalue()


@given(PROFILES)
def test_every_name_comes_back(profile: Profile) -> None:
    cost = {stack: values[0] for stack, values in profile.totals.items()}
    assert readers.folded(written(FoldedExporter(), profile))[""].values == cost
    assert readers.json_table(written(JsonExporter(), profile))["cost"].values == cost
    assert readers.csv_table(written(CsvExporter(), profile))["cost"].values == cost
    shown = {tuple(map(printable, stack)) for stack in cost}
    assert set(readers.speedscope(written(SpeedscopeExporter(), profile))["calls"].values) == shown


@given(PROFILES)
def test_readers_that_know_no_escapes_cut_in_the_right_places(profile: Profile) -> None:
    lines = written(FoldedExporter(), profile).decode().splitlines()
    assert len(lines) == len(profile.totals)
    for line, (stack, values) in zip(lines, sorted(profile.totals.items()), strict=True):
        frames, _, number = line.rpartition(" ")
        assert len(frames.split(";")) == len(stack)
        assert int(number) == values[0]
        assert tuple(map(unquote, frames.split(";"))) == stack


def test_folded_leaves_zeros_out_and_sorts() -> None:
    profile = fold([(("b",), (1, 0)), (("a", "x"), (2, 0)), (("c",), (0, 5))], ("tokens", "calls"))
    assert written(FoldedExporter(), profile) == b"a;x 2\nb 1\n"
    assert written(FoldedExporter("calls"), profile) == b"c 5\n"
    with pytest.raises(UnknownMeasure, match="calls"):
        written(FoldedExporter("call"), profile)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@a", "'=1", "＝1"])
def test_no_cell_is_a_formula(name: str) -> None:
    header, rows = readers.csv_rows(written(CsvExporter(), fold([((name, "x"), (-5,))], ("calls",))))
    assert header == ["stack", "calls"]
    assert rows == [[f"'{name};x", "-5"]]


@pytest.mark.parametrize("name", ["a=1", "'a", "(answer)", "Bash:git"])
def test_other_cells_are_left_alone(name: str) -> None:
    _, rows = readers.csv_rows(written(CsvExporter(), fold([((name,), (5,))], ("calls",))))
    assert rows == [[name, "5"]]


def test_csv_shows_dollars_beside_picodollars() -> None:
    profile = fold([(("a",), (7_420_000_000_000, 1))], ("cost", "tokens"))
    assert written(CsvExporter(), profile) == b"stack,cost,cost_dollars,tokens\na,7420000000000,7.42,1\n"


def test_json_layout() -> None:
    document = json.loads(written(JsonExporter(), export_profiles()["ordinary"]))
    assert list(document) == ["schema_version", "fields", "measures", "units", "comments", "total", "rows"]
    assert document["total"]["cost_dollars"] == "5.274500000015"
    assert document["rows"][0] == {
        "stack": ["fix bug", "diagnose error", "Bash:pytest"],
        "cost": 2_310_000_000_001,
        "cost_dollars": "2.310000000001",
        "tokens": 4_100_000,
        "time.active": 31_000_001,
    }


def test_what_is_unknown_is_empty_or_null() -> None:
    rows = [(("a",), (None, None)), (("b",), (None, 5))]
    profile = fold(rows, ("cost.reported", "tokens.reasoning"))
    assert written(CsvExporter(), profile).decode().splitlines()[1:] == ["a,,,", "b,,,5"]
    table = json.loads(written(JsonExporter(), profile))
    assert table["total"] == {"cost.reported": None, "cost.reported_dollars": None, "tokens.reasoning": 5}
    assert [row["tokens.reasoning"] for row in table["rows"]] == [None, 5]


def test_speedscope_units() -> None:
    profile = fold([(("a",), (1_500, 2, 3, 4))], ("cost", "tokens.output", "time", "bytes.output"))
    profiles = json.loads(written(SpeedscopeExporter(), profile))["profiles"]
    assert [(p["name"], p["unit"], p["weights"]) for p in profiles] == [
        ("cost (nanodollars)", "none", [2]),
        ("tokens.output (tokens)", "none", [2]),
        ("time", "microseconds", [3]),
        ("bytes.output", "bytes", [4]),
    ]


def test_speedscope_refuses_values_below_zero() -> None:
    with pytest.raises(ExportError, match="below 0"):
        written(SpeedscopeExporter(), fold([(("a",), (-1,))], ("tokens",)))


@pytest.mark.parametrize(
    "change",
    [
        {"$schema": "https://example.org/other.json"},
        {"shared": {}},
        {"profiles": [{"type": "evented"}]},
        {"profiles": []},
    ],
)
def test_the_speedscope_rules_can_fail(change: dict[str, Any]) -> None:
    document = json.loads(written(SpeedscopeExporter(), export_profiles()["ordinary"]))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, **change}, readers.SPEEDSCOPE)


_DIGESTS = """
import hashlib, io
from tracelode import registry
from tracelode.testing import export_profiles
digest = hashlib.blake2b()
for name in registry.names("exports"):
    for profile in export_profiles().values():
        stream = io.BytesIO()
        registry.load("exports", name).write(profile, stream)
        digest.update(stream.getvalue())
print(digest.hexdigest())
"""


def test_the_hash_seed_does_not_show() -> None:
    runs = {
        subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


_MODULES = """
import sys
from tracelode import registry
for name in registry.names("exports"):
    registry.load("exports", name)
print("google.protobuf" in sys.modules)
"""


def test_loading_exporters_loads_no_protobuf() -> None:
    run = subprocess.run([sys.executable, "-c", _MODULES], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"

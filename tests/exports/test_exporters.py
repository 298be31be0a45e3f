"""Do all exporters keep the promises of their port, and do their files stay what they were?"""

from __future__ import annotations

import io
import json
import os
import pprint
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tracelode import registry
from tracelode.model.measure import unit
from tracelode.model.profile import Profile
from tracelode.model.words import encodable, printable
from tracelode.testing import Reading, check_exporter, export_profiles

from . import readers

NAMES = ("csv", "folded", "html", "json", "parquet", "pprof", "speedscope", "svg")
READERS: dict[str, Callable[[bytes], Mapping[str, Reading]]] = {
    "csv": readers.csv_table,
    "folded": readers.folded,
    "html": readers.html,
    "json": readers.json_table,
    "parquet": readers.parquet_table,
    "pprof": readers.pprof,
    "speedscope": readers.speedscope,
    "svg": readers.svg,
}
SPELLED: dict[str, Callable[[str], str]] = {
    "pprof": printable,
    "speedscope": printable,
    "svg": lambda frame: printable(frame) or "(empty)",
}
GOLDEN = Path(__file__).parent / "golden"


class _Remembering:
    """An exporter and a reader that know which profile is on the way: some files name no measure."""

    def __init__(self, name: str) -> None:
        self.inner = registry.load("exports", name)
        self.name, self.suffixes, self.binary = self.inner.name, self.inner.suffixes, self.inner.binary
        self.profile = Profile(measures=("cost",), totals={})

    def write(self, profile: Profile, stream: Any) -> None:
        self.profile = profile
        self.inner.write(profile, stream)

    def read(self, data: bytes) -> dict[str, Reading]:
        found = {}
        for measure, reading in READERS[self.name](data).items():
            known = measure or self.profile.measures[0]
            stored = unit(known)
            # "none" of speedscope: the measure's name is its unit.
            named = reading.unit if reading.unit not in ("", known) else stored
            found[known] = Reading(named, reading.values)
        return found


def test_ours_are_registered() -> None:
    assert registry.names("exports") == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_exporter(name: str) -> None:
    exporter = _Remembering(name)
    check_exporter(exporter, exporter.read, spell=SPELLED.get(name, encodable))


def _decoded(name: str, data: bytes) -> str:
    """Text of a file; of a compressed one its content."""
    if name == "parquet":
        header, rows = readers.parquet_rows(data)
        return "".join(f"{row!r}\n" for row in (tuple(header), *rows))
    if name == "html":
        # the script and the styles have tests of their own
        return json.dumps(readers.html_data(data), indent=1) + "\n"
    if name != "pprof":
        return data.decode()
    return pprint.pformat(readers.pprof_file(data), width=110) + "\n"


@pytest.mark.parametrize("profile", ["ordinary", "hostile names", "detail"])
@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, profile: str) -> None:
    exporter = registry.load("exports", name)
    stream = io.BytesIO()
    exporter.write(export_profiles()[profile], stream)
    text = _decoded(name, stream.getvalue())
    path = GOLDEN / f"{profile.replace(' ', '-')}{exporter.suffixes[0]}{'.txt' if exporter.binary else ''}"
    if os.environ.get("TRACELODE_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


def test_no_golden_is_left_over() -> None:
    suffixes = [registry.load("exports", name).suffixes[0] for name in NAMES]
    expected = {
        f"{profile}{suffix}{'.txt' if suffix in ('.pb.gz', '.parquet') else ''}"
        for profile in ("ordinary", "hostile-names", "detail")
        for suffix in suffixes
    }
    assert {path.name for path in GOLDEN.iterdir()} == expected

"""Does check_exporter catch an exporter that breaks a promise?"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import IO, Any

import pytest

from tracelode.exports.json_ import JsonExporter
from tracelode.model.profile import Profile
from tracelode.testing import Reading, check_exporter

from . import readers


class Broken(JsonExporter):
    """JSON with one promise broken by what is passed in."""

    def __init__(self, change: Callable[[bytes], bytes], **attributes: Any) -> None:
        self.change = change
        for key, value in attributes.items():
            setattr(self, key, value)

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        inner = io.BytesIO()
        super().write(profile, inner)
        stream.write(self.change(inner.getvalue()))


def same(data: bytes) -> bytes:
    return data


class Unsorted(JsonExporter):
    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        super().write(profile, stream)
        stream.write(b" " * len(next(iter(profile.totals), ())))


class Closing(JsonExporter):
    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        super().write(profile, stream)
        stream.close()


class Changing(JsonExporter):
    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        super().write(profile, stream)
        for stack in sorted(profile.totals, reverse=True):
            profile.totals[stack] = profile.totals.pop(stack)


@pytest.mark.parametrize(
    ("exporter", "promise"),
    [
        (Broken(same, name="Json File"), "plain word"),
        (Broken(same, suffixes=()), "there is a suffix"),
        (Broken(same, suffixes=("json",)), "suffix is like"),
        (Broken(same, suffixes=(".a", ".a.json")), "longest suffix"),
        (Broken(lambda data: data + str(time.perf_counter_ns()).encode()), "same bytes"),
        (Broken(lambda data: data + b"\x1b[0m"), "printable"),
        (Unsorted(), "order does not show"),
        (Closing(), "stream stays open"),
        (Changing(), "stays as it was"),
    ],
)
def test_broken_writers(exporter: Any, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_exporter(exporter, readers.json_table)


def _off_by_one(reading: Reading) -> Reading:
    values = dict(reading.values)
    for stack in list(values)[:1]:
        values[stack] += 1
    return Reading(reading.unit, values)


def _swapped(reading: Reading) -> Reading:
    stacks, numbers = list(reading.values), list(reading.values.values())
    return Reading(reading.unit, dict(zip(stacks, numbers[1:] + numbers[:1], strict=True)))


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        (_off_by_one, "sum to the profile's total"),
        (_swapped, "every stack keeps its value"),
        (lambda reading: Reading("cents", reading.values), "the unit is"),
        (lambda reading: Reading("nanodollars", reading.values), "the unit is|sum to"),
    ],
)
def test_broken_files(change: Callable[[Reading], Reading], promise: str) -> None:
    def read(data: bytes) -> dict[str, Reading]:
        return {measure: change(reading) for measure, reading in readers.json_table(data).items()}

    with pytest.raises(AssertionError, match=promise):
        check_exporter(JsonExporter(), read)


def test_missing_and_made_up_measures() -> None:
    with pytest.raises(AssertionError, match="first measure"):
        check_exporter(JsonExporter(), lambda data: {})
    with pytest.raises(AssertionError, match="made up"):
        check_exporter(JsonExporter(), lambda data: {**readers.json_table(data), "x": Reading("count", {})})


def test_a_good_one_passes() -> None:
    check_exporter(JsonExporter(), readers.json_table)

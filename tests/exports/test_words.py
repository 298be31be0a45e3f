"""Do numbers and names read to a person as the screens promise?"""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import UnknownMeasure
from tracelode.model import words
from tracelode.model.measure import known

ANY_TEXT = st.text(st.characters(), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (words.measure_text("tokens", 4_100_000), "tokens 4.1M"),
        (words.measure_text("tokens.input_fresh", 12_000), "fresh 12k"),
        (words.measure_text("cost", 2_310_000_000_000), "$2.31"),
        (words.measure_text("time", 100 * 60 * 10**6), "1 h 40"),
        (words.measure_text("time.tool", 52 * 60 * 10**6), "tool 52 min"),
        (words.measure_text("calls", None), "calls unknown"),
        (words.duration(31 * 10**6), "31 s"),
        (words.dollars(4 * 10**9), "$0.004"),
        (words.dollars(99_960_000_000), "$0.10"),
        (words.dollars(999_999_999_999), "$1.00"),
        (words.dollars(None), "unknown"),
        (words.count(99_500), "100k"),
        (words.count(9_960), "10k"),
        (words.count(999_500), "1M"),
        (words.count(-1_234), "-1.2k"),
        (words.count(1_234_000_000_000), "1,234B"),
        (words.size(999), "999 B"),
        (words.duration(999_999), "1 s"),
        (words.duration(59_600_000), "1 min"),
        (words.duration(599_600_000), "10 min"),
        (words.duration(3_599 * 10**6), "1 h"),
        (words.duration(3_900 * 10**6), "1 h 05"),
        (words.duration(47 * 3_600 * 10**6), "47 h"),
        (words.duration((12 * 24 + 22) * 3_600 * 10**6), "12 d 22 h"),
        (words.duration(-31 * 10**6), "-31 s"),
        (words.percent(9_996, 10_000), "99.9%"),
        (words.percent(996, 1_000), "99.6%"),
        (words.percent(1_500, 1_000), "150%"),
        (words.percent(None, 5), "-"),
        (words.percent(1, -4), "-25%"),
    ],
)
def test_style(text: str, expected: str) -> None:
    assert text == expected


def test_every_measure_has_a_word_and_a_value() -> None:
    for measure in known():
        assert measure in words.SHORT
        assert words.value_text(measure, 0) in ("0", "$0", "0 s", "0 B")
        assert words.measure_text(measure, None).endswith("unknown")
    assert set(words.SHORT) == set(known())
    with pytest.raises(UnknownMeasure):
        words.value_text("coast", 1)


@given(st.integers(-(10**24), 10**24))
def test_exact_dollars_are_exact(picodollars: int) -> None:
    assert Decimal(words.exact_dollars(picodollars)) * 10**12 == picodollars


@given(st.integers(10**6, 10**20))
def test_dollars_are_near(picodollars: int) -> None:
    shown = Decimal(words.dollars(picodollars).replace("$", "").replace(",", "")) * 10**12
    assert abs(shown - picodollars) <= Decimal(picodollars) / 19


@given(st.integers(1, 10**15))
def test_counts_are_near_and_short(n: int) -> None:
    text = words.count(n)
    factor = {"k": 10**3, "M": 10**6, "B": 10**9}.get(text[-1], 1)
    shown = Decimal(text.rstrip("kMB").replace(",", "")) * factor
    assert abs(shown - n) <= Decimal(n) / 19
    # from here on it rounds to 1,000B and more: there is no larger unit
    assert len(text) <= 5 or n >= 999_500_000_000


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_only_the_whole_reads_as_the_whole(part: int, whole: int) -> None:
    assert (words.percent(part, whole) == "100%") == (part == whole) or part > whole
    assert (words.percent(part, whole) == "0%") == (part == 0)


@given(ANY_TEXT)
def test_printable_text_steers_nothing(text: str) -> None:
    shown = words.printable(text)
    shown.encode()
    assert len(shown) == len(text)
    assert words.printable(shown) == shown
    forbidden = {
        *range(0x20),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        0x2028,
        0x2029,
    }
    assert not forbidden & set(map(ord, shown))


@given(ANY_TEXT)
def test_json_text_is_json_and_printable(text: str) -> None:
    shown = words.json_text([text, 2**80, None])
    assert words.printable(shown) == shown
    assert json.loads(shown) == [words.encodable(text), 2**80, None]


@given(st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_stack_text_is_one_line(stack: list[str]) -> None:
    line = words.stack_text(stack)
    assert len(line.splitlines()) <= 1
    assert len(line.split(";")) == len(stack)

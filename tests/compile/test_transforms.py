"""Do changes of form give what they say, and do keys find exactly what explain can explain?"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.compile import forms
from tracelode.compile.transforms import (
    apply,
    derive,
    explain,
    keys,
    number,
    same,
    shaped,
    text,
    wants,
)
from tracelode.model.binding import Transform

EXPLAINED: list[tuple[Any, Any, str]] = [
    (7, 7, "L0"),
    ("berth 7", "berth 7", "L0"),
    (20022668, "20022668", "L1"),
    ("32.873055", 32.873055, "L1"),
    (32.873055, "32.8730550", "L1"),
    (5, 5.0, "L1"),
    ("1,250", 1250, "L1"),
    (True, "True", "L1"),
    ("TRUE", True, "L1"),
    ("North Pier", "north pier", "L1"),
    ("north  pier", "North Pier", "L1"),
    ("2024-11-18T13:05:00", "2024-11-18", "L2"),
    ("2024-11-18T13:05:00", "13:05", "L2"),
    ("2024-11-18T13:05:00.250Z", "13:05:00", "L2"),
    ("2024-11-18", "November 18th, 2024", "L2"),
    ("Monday, 18 November 2024", "2024-11-18", "L2"),
    ("03/04/2024", "2024-04-03", "L2"),
    ("03/04/2024", "2024-03-04", "L2"),
    ("2024-05-26", "26 May", "L2"),
    ("10 AM", "10:00", "L2"),
    ("13:05", "1:05 p.m.", "L2"),
    ("(415) 555-0134", "4155550134", "L2"),
    ("4155550134", "415-555-0134", "L2"),
    ("New York", "New%20York", "L2"),
    ("New+York", "New York", "L2"),
    ("$1,234.50", 1234.5, "L2"),
    ("$1,234.5", "$1,234.50", "L2"),
    ("USD 12", "12", "L2"),
    ("5 km", 5, "L2"),
    (33.9440994262695, 33.9441, "L2"),
    (33.9440994262695, "33.94", "L2"),
]
APART: list[tuple[Any, Any]] = [
    ("5,8", 58),
    ("1,25", 125),
    ("007", 7),
    (True, 1),
    (0, False),
    (None, None),
    ("", ""),
    (None, ""),
    (None, "null"),
    ("2024-11-18", "2024-11-18T00:00:00"),
    ("26 May", "2024-05-26"),
    ("2024-11-18", "2024-11-19"),
    ("2024-11-18", 20241118),
    ("13:05", "2024-11-18T13:05:00"),
    (33.94, 33.9441),
    ("7 km", "7 kg "),
    (7, "7 kg"),
    ("pier", "pierce"),
    ("31/02/2024", "2024-02-31"),
    (float("nan"), float("nan")),
    (float("inf"), "inf"),
]


@pytest.mark.parametrize(("produced", "passed", "level"), EXPLAINED)
def test_a_change_of_form_is_named_and_gives_what_was_passed(produced: Any, passed: Any, level: str) -> None:
    found = explain(produced, passed)
    assert found is not None
    assert found[0] == level
    made = shaped(found[1], produced)
    assert (type(made), made) == (type(passed), passed)


@pytest.mark.parametrize(("produced", "passed"), APART)
def test_other_values_stay_apart(produced: Any, passed: Any) -> None:
    assert explain(produced, passed) is None


_words = st.sampled_from(
    ["pier", "North Pier", "n p", "true", "a%20b", "a+b", "a b", "50%", "Ünder", "straße", "İ"]
)
_whole = st.integers(-2000, 2000) | st.integers(10**7, 10**9) | st.integers(-(10**25), 10**25)
_floats = st.floats(allow_nan=True, allow_infinity=True) | st.decimals(-999, 999, places=4).map(float)
_moments = st.datetimes().flatmap(
    lambda at: st.sampled_from(
        [
            at.strftime(form)
            for form in (
                "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y", "%b %d, %Y", "%A, %d %B %Y", "%H:%M",
                "%H:%M:%S", "%I:%M %p", "%I %p", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ",
                "%Y%m%d", "%d %b",
            )
        ]
    )
)  # fmt: skip
_shown = st.tuples(
    st.sampled_from(["", "$", "USD ", "€", "+", "-"]),
    st.decimals(0, 99999, places=2) | st.integers(0, 10**7),
    st.sampled_from(["", " EUR", " km", "%", " nights", ".0"]),
    st.sampled_from(["{}{}{}", "{}{:,}{}"]),
).map(lambda p: p[3].format(*p[:3]))
_phones = st.from_regex(r"\+?\(?[0-9]{3}\)?[ \-]?[0-9]{3}[ \-]?[0-9]{4}", fullmatch=True)
LEAVES = st.one_of(
    st.none(), st.booleans(), _whole, _whole.map(str), _floats, _floats.map(str), _words,
    _words.map(str.upper), _moments, _moments.map(str.upper), _shown, _phones, st.text(max_size=12),
)  # fmt: skip


def _near(value: Any) -> st.SearchStrategy[Any]:
    """Values that could be the same in another form."""
    known = number(value)
    some = [value, text(value), text(value).upper(), text(value).title(), f" {text(value)}  "]
    if known is not None and abs(known) < 10**30:
        some += [known, float(known), f"{known:,}", f"${known:,}", f"{known} km", round(known, 2)]
        some += [int(known), str(int(known))]
    if isinstance(value, str):
        for moment in forms.read(value):
            for form in (
                "YYYY-MM-DD",
                "D Month",
                "Ddd, DD Mon YYYY",
                "HH:mm",
                "h:mm AM",
                "YYYY-MM-DDTHH:mm:ss",
            ):
                try:
                    some.append(forms.write(moment, form))
                except ValueError:
                    continue
    return st.sampled_from(some)


PAIRS = st.tuples(LEAVES, LEAVES) | LEAVES.flatmap(lambda v: st.tuples(st.just(v), _near(v)))


@settings(max_examples=1500, deadline=None)
@given(PAIRS)
def test_keys_find_exactly_what_explain_explains(pair: tuple[Any, Any]) -> None:
    produced, passed = pair
    found = explain(produced, passed)
    assert (found is not None) == bool(set(keys(produced)) & set(wants(passed)))


@settings(max_examples=1500, deadline=None)
@given(PAIRS)
def test_what_is_explained_is_made_again(pair: tuple[Any, Any]) -> None:
    produced, passed = pair
    found = explain(produced, passed)
    if found is None:
        return
    level, chain = found
    made = shaped(chain, produced)
    assert type(made) is type(passed)
    assert same(made, passed)
    if level == "L0":
        assert (made, chain) == (passed, ())
    if not isinstance(passed, str) or passed in (passed.lower(), passed.upper()):
        assert made == passed or " ".join(text(passed).split()) != passed


@settings(max_examples=500, deadline=None)
@given(LEAVES)
def test_a_value_offers_at_least_what_it_wants(value: Any) -> None:
    assert set(wants(value)) <= set(keys(value))
    assert len(keys(value)) == len(set(keys(value)))
    assert same(value, value) == (value == value)  # not-a-number is nothing's equal


@settings(max_examples=800, deadline=None)
@given(PAIRS)
def test_canonical_equality_looks_the_same_from_both_sides(pair: tuple[Any, Any]) -> None:
    assert same(*pair) == same(*pair[::-1])
    if same(*pair) and explain(*pair) is not None:
        assert explain(*pair)[0] in ("L0", "L1")  # type: ignore[index]


@settings(max_examples=600, deadline=None)
@given(_moments.filter(lambda v: "/" not in v), st.integers(-400, 400))
def test_days_and_minutes_go_there_and_back_in_the_same_form(value: str, by: int) -> None:
    for op in ("days", "minutes"):
        try:
            later = derive(op, [value], by)
        except ValueError:
            continue
        try:
            back = {m[1:7] for m in forms.read(derive(op, [later], -by))}
            assert back & {m[1:7] for m in forms.read(value)}
        except ValueError:
            assert later[:2] not in ("19", "20")  # the calendar of the forms ends there


def test_every_form_is_written_as_it_is_read() -> None:
    noon = forms.read("2024-11-08 12:00:00")[0]._replace(zone="Z")
    for form in forms.FORMS:
        written = forms.write(noon, form)
        assert form in [moment.form for moment in forms.read(written)], form


def test_arithmetic() -> None:
    assert derive("add", [0.1], 1) == 1.1
    assert derive("add", [0.1, 0.2]) == 0.3
    assert derive("subtract", ["1,000", 1]) == 999
    assert derive("subtract", ["2024-12-31", "2024-12-25T08:00:00"]) == 6
    assert derive("multiply", [3], 4) == 12
    assert derive("sum", [[1, "2", 3.5]]) == 6.5
    assert derive("sum", [1, 2]) == 3
    assert derive("count", [["a", "b"]]) == 2
    assert derive("days", ["December 31, 2024"], 1) == "January 1, 2025"
    assert derive("days", ["2024-12-31", 2]) == "2025-01-02"
    assert derive("minutes", ["11:30 pm"], 45) == "12:15 am"
    assert derive("minutes", ["2024-12-31T23:30:00Z"], 60) == "2025-01-01T00:30:00Z"


@pytest.mark.parametrize(
    ("op", "operands"),
    [("add", ["a"]), ("add", []), ("root", [4]), ("days", ["10:00"]), ("days", [5]),
     ("minutes", ["2024-01-01"]),
     ("sum", [[None]]), ("minutes", ["10:00", 1.5]), ("multiply", [True])],
)  # fmt: skip
def test_arithmetic_refuses_what_it_cannot_reckon(op: str, operands: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        derive(op, operands, 1)


@pytest.mark.parametrize(
    ("transform", "value"),
    [(Transform("int"), 1.5), (Transform("lower"), 5), (Transform("date", "YYYY-MM-DD"), "soon"),
     (Transform("date", "nonsense"), "2024-01-01"), (Transform("time", "HH:mm"), "2024-01-01"),
     (Transform("rot13"), "a"), (Transform("bool"), "yes"), (Transform("format", "none"), 5),
     (Transform("phone", "##"), "415 555 0134"), (Transform("float"), float("nan")),
     (Transform("digits"), "abc")],
)  # fmt: skip
def test_a_change_refuses_other_forms(transform: Transform, value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        apply(transform, value)


def test_text_and_number() -> None:
    assert [text(v) for v in (None, True, 5, 5.0, "a", [1])] == ["", "true", "5", "5.0", "a", "[1]"]
    assert [number(v) for v in ("1,000", " 5 ", "-2.5", "5,8", "1e3", "", None, True, float("inf"))] == [
        1000, 5, -2.5, None, None, None, None, None, None,
    ]  # fmt: skip


def test_equality_of_lists_and_dicts_goes_part_by_part() -> None:
    assert same({"a": [1, "B"]}, {"a": ["1", "b"]})
    assert not same({"a": 1}, {"a": 1, "b": 2})
    assert not same([1], [1, 2])
    assert not same([], {})


def test_what_keys_find_among_thousands_of_odd_texts_is_explained() -> None:
    chance = random.Random(1)
    signs = "0123456789 ,.:-/+%$TZ()apmAM"
    pool: list[Any] = ["".join(chance.choices(signs, k=chance.randint(1, 12))) for _ in range(2500)]
    pool += [chance.uniform(-50, 50) for _ in range(200)]
    pool += [round(chance.uniform(-50, 50), 2) for _ in range(200)]
    pool += [f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}" for _ in range(200)]
    offering: dict[Any, list[Any]] = {}
    for value in pool:
        for key in keys(value):
            offering.setdefault(key, []).append(value)
    pairs = [(produced, passed) for passed in pool for key in wants(passed) for produced in offering[key]]
    assert len(pairs) > len(pool)
    for produced, passed in pairs:
        found = explain(produced, passed)
        assert found is not None, (produced, passed)
        made = shaped(found[1], produced)
        assert (type(made), same(made, passed)) == (type(passed), True), (produced, passed)

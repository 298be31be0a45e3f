"""Moments, lengths of time, and text that must not steer a terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.cli.screen import bar
from tracelode.cli.text import clean, clean_lines, cut, home, iso, moment, rough, shell_path, width
from tracelode.cli.when import instant, seconds
from tracelode.errors import UsageError

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("28d", False, "2026-11-01T12:00:00+00:00"),
        ("1d12h", False, "2026-11-28T00:00:00+00:00"),
        ("2026-10-01", False, "2026-10-01T00:00:00+02:00"),
        ("2026-10-01", True, "2026-10-02T00:00:00+02:00"),
        ("2026-10-25", True, "2026-10-26T00:00:00+01:00"),  # a day of 25 hours
        ("2026-10-01T09:30:00Z", False, "2026-10-01T09:30:00+00:00"),
        ("2026-10-01T09:30:00Z", True, "2026-10-01T09:30:00+00:00"),
        ("2026-10-01T09:30", False, "2026-10-01T09:30:00+02:00"),
    ],
)
def test_moments(text: str, end: bool, expected: str) -> None:
    assert instant(text, BERLIN, NOW, end=end) == at(expected)


@pytest.mark.parametrize(
    "text", ["", "d", "28", "28x", "x28d", "28d x", "2026-1-1", "2026-02-30", "9999999d", "-3d"]
)
def test_no_moments(text: str) -> None:
    with pytest.raises(UsageError):
        instant(text, BERLIN, NOW)


def test_lengths() -> None:
    assert [seconds(t) for t in ("90s", "5m", "1h30m", "2d", "1w", "0.5h")] == [
        90,
        300,
        5400,
        172800,
        604800,
        1800,
    ]


@given(st.text())
def test_clean_is_one_printable_line(text: str) -> None:
    shown = clean(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)
    assert clean(shown) == shown
    for line in clean_lines(text):
        assert "\n" not in line
        assert "\x1b" not in line


@given(st.text(alphabet="ab漢e\u0301 ", max_size=40), st.integers(1, 20))
def test_cut_fits_and_keeps_both_ends(text: str, cells: int) -> None:
    shown = cut(text, cells)
    assert width(shown) <= cells
    if width(text) <= cells:
        assert shown == text
    else:
        left, gap, right = shown.partition("…")
        assert gap
        assert text.startswith(left.rstrip(" "))
        assert text.endswith(right)


def test_times_for_people_and_programs() -> None:
    assert moment(1_790_000_000_000_000, "Europe/Berlin") == "2026-09-21 16:13"
    assert (moment(None, "UTC"), moment(10**30, "UTC"), iso(None), iso(10**30)) == ("-", "-", None, None)
    assert iso(1_790_000_000_000_001) == "2026-09-21T14:13:20.000001Z"
    assert [rough(s * 1_000_000) for s in (0, 59, 89, 91, 3600)] == ["", "59 s", "1 min", "2 min", "1 h"]


def test_paths_as_words_of_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/kim")
    assert shell_path(Path("/home/kim/.cache/x-1")) == "~/.cache/x-1"
    assert shell_path(Path("~/x")) == "~/x"
    assert shell_path(Path("/home/kim/my traces")) == "'/home/kim/my traces'"
    assert shell_path(Path("x")) == home(Path.cwd() / "x")


def test_a_bar_of_something_is_never_empty() -> None:
    assert [bar(v, 1000) for v in (0, 1, 500, 1000)] == ["", "╸", "━━━━━", "━━━━━━━━━━"]
    assert bar(1, 0) == ""

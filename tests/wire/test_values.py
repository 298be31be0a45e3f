"""Is every spelling of an id, a moment, a length and a status understood, and nothing else?"""

from __future__ import annotations

from typing import Any

import pytest

from tracelode.wire.values import duration, ident, nanoseconds, status

SECOND = 1_790_000_000
NANO = 10**9


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (str(SECOND * NANO + 7), SECOND * NANO + 7),
        (SECOND * NANO + 7, SECOND * NANO + 7),
        ("2026-09-21T14:13:20Z", SECOND * NANO),
        ("2026-09-21T14:13:20.123456789Z", SECOND * NANO + 123_456_789),
        ("2026-09-21T14:13:20.1234567Z", SECOND * NANO + 123_456_700),
        ("2026-09-21T16:13:20+02:00", SECOND * NANO),
        ("2026-09-21T14:13:20", SECOND * NANO),
        ("2026-09-21 14:13:20 UTC", SECOND * NANO),
        ([SECOND, 5], SECOND * NANO + 5),
        (SECOND, SECOND * NANO),
        (SECOND * 1000, SECOND * NANO),
        (SECOND * 10**6, SECOND * NANO),
        (SECOND + 0.5, SECOND * NANO + NANO // 2),
        (0, None),
        ("0", None),
        (-5, None),
        (True, None),
        (None, None),
        ("", None),
        ("soon", None),
        ([1], None),
        ([SECOND, -1], None),
        ([10**12, 0], None),
        (2**63, None),
        ("9" * 30, None),
        (float("nan"), None),
        (float("inf"), None),
        ({}, None),
        ("٣", None),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_moments(given: Any, wanted: int | None) -> None:
    assert nanoseconds(given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("PT1M11.3S", 71_300_000_000),
        ("PT0.017S", 17_000_000),
        ("P1DT1H", 90_000 * NANO),
        ([1, 5], NANO + 5),
        (500, 500),
        ("PT", None),
        ("P", None),
        ("", None),
        ("-PT1S", None),
        (-1, None),
        (True, None),
        (None, None),
        ("PT" + "9" * 40 + "S", None),
        ("PT1X", None),
    ],
)
def test_lengths(given: Any, wanted: int | None) -> None:
    assert duration(given) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("EEE19B7EC3C1B174", "eee19b7ec3c1b174"),
        ("0xeee19b7ec3c1b174", "eee19b7ec3c1b174"),
        ("7uGbfsPBsXQ=", "eee19b7ec3c1b174"),
        (b"\x01\x02", "0102"),
        (255, "00000000000000ff"),
        ("span-7", "span-7"),
        ("0" * 16, None),
        (b"\0" * 8, None),
        ("", None),
        (None, None),
        (True, None),
        (-1, None),
        (2**64, None),
        ("????????????=", "????????????="),
    ],
)
def test_ids(given: Any, wanted: str | None) -> None:
    assert ident(given, 8) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (2, "error"),
        ("2", "error"),
        ("STATUS_CODE_ERROR", "error"),
        ("Error", "error"),
        ("StatusCode.ERROR", "error"),
        (1, "ok"),
        ("OK", "ok"),
        (0, "unset"),
        ("Unset", "unset"),
        (None, "unset"),
        (True, "unset"),
        ([], "unset"),
        (7, "unset"),
    ],
)
def test_statuses(given: Any, wanted: str) -> None:
    assert status(given) == wanted

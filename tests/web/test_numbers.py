"""Do the viewer's words for numbers agree with those of the command line, for every unit and size?"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tracelode.model.difference import each_text
from tracelode.model.measure import unit
from tracelode.model.words import percent, value_text
from tracelode.pages.assets import WEB
from web.browser import chromium

MEASURES = ("cost", "tokens", "time.active", "operations", "bytes.read")
pytestmark = pytest.mark.xdist_group("browser")


def values() -> list[int]:
    """Around every step of every scale, and beyond what a double holds."""
    made = random.Random(3)
    edges = [d * 10**e + n for e in range(17) for d in (1, 5, 6, 9, 95, 995) for n in (-1, 0, 1)]
    edges += [60 * 10**6 * n + k for n in (1, 9, 10, 59, 60, 2879, 2880) for k in (-(10**6), -1, 0, 500_000)]
    return [0, *edges, *(made.randrange(10 ** made.randint(1, 21)) for _ in range(500)), 2**53 + 1, 2**70 + 1]


def asked(words: str, rows: list[Any]) -> list[str]:
    with chromium() as browser:
        page = browser.new_page()
        source = (WEB / "numbers.js").read_text(encoding="utf-8")
        page.add_script_tag(content=f"{source}\nwindow.told = {{ valueText, percent }};", type="module")
        page.wait_for_function("window.told")
        return list(page.evaluate(f"(rows) => rows.map({words})", rows))


def test_values_read_as_in_the_terminal() -> None:
    rows = [(m, n * sign) for m in MEASURES for n in values() for sign in (1, -1) if n or sign > 0]
    told = asked("([u, n]) => window.told.valueText(u, BigInt(n))", [(unit(m), str(n)) for m, n in rows])
    expected = [value_text(m, n) for m, n in rows]
    assert [(r, t, e) for r, t, e in zip(rows, told, expected, strict=True) if t != e] == []


def test_means_and_signs_read_as_in_the_terminal() -> None:
    rows = [(m, n, d) for m in MEASURES for n in values()[:300] for d in (1, 2, 7, 60)]
    words = "([u, n, d]) => window.told.valueText(u, BigInt(n), BigInt(d), true)"
    told = asked(words, [(unit(m), str(n), str(d)) for m, n, d in rows])
    expected = [each_text(m, n, d, sign=True) for m, n, d in rows]
    assert [(r, t, e) for r, t, e in zip(rows, told, expected, strict=True) if t != e] == []


def test_shares_read_as_in_the_terminal() -> None:
    made = random.Random(4)
    rows = [(made.randrange(-(10**9), 10**9), made.randrange(-(10**6), 10**9)) for _ in range(400)]
    rows += [(n, 1000) for n in range(-20, 1021)] + [(1, 10**6), (1, 0), (999_999, 10**6)]
    told = asked("([p, w]) => window.told.percent(BigInt(p), BigInt(w))", [(str(p), str(w)) for p, w in rows])
    expected = [percent(p, w) for p, w in rows]
    assert [(r, t, e) for r, t, e in zip(rows, told, expected, strict=True) if t != e] == []

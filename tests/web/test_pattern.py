"""Does the viewer's matcher find what a browser's own regular expressions find?"""

from __future__ import annotations

import random

import pytest

from tracelode.pages.assets import WEB
from web.browser import chromium

pytestmark = pytest.mark.xdist_group("browser")
ATOMS = (
    "a", "b", "A", ".", r"\w", r"\d", "[ab]", "[^a]", r"[\]a-c]", "^", "$", r"\b", r"\B", "ä", r"\.", "1",
    " ", r"\s", r"\u{61}", r"\p{L}", "(?:", "(?<n>", "(",
)  # fmt: skip
TIMES = ("*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?", "+?")


def expression(made: random.Random, deep: int = 0) -> str:
    found = ""
    for _ in range(made.randint(1, 4)):
        atom = made.choice(ATOMS)
        if atom.startswith("("):
            if deep > 2:
                continue
            atom += expression(made, deep + 1) + ")"
        found += atom
        if atom not in ("^", "$", r"\b", r"\B") and made.random() < 0.3:
            found += made.choice(TIMES)
        if made.random() < 0.15:
            found += "|"
    return found


def test_it_finds_what_a_browser_finds() -> None:
    made = random.Random(11)
    rows = [
        (expression(made), ["".join(made.choices("abABä1 .c\nx]", k=made.randint(0, 8))) for _ in range(6)])
        for _ in range(4_000)
    ]
    with chromium() as browser:
        page = browser.new_page()
        source = (WEB / "pattern.js").read_text(encoding="utf-8")
        page.add_script_tag(content=f"{source}\nwindow.made = {{ pattern }};", type="module")
        page.wait_for_function("window.made")
        told = page.evaluate(
            """(rows) => rows.map(([words, texts]) => {
              let own;
              try { own = new RegExp(words, "iu"); } catch { return null; }  // a name of a group stands twice
              const ours = window.made.pattern(words);
              return texts.map((text) => [ours(text, () => false), own.test(text)]);
            })""",
            rows,
        )
    compared = [(rows[i], pair) for i, pairs in enumerate(told) if pairs for pair in pairs]
    assert len(compared) > 20_000
    assert {own for _, (_, own) in compared} == {True, False}
    assert [one for one in compared if one[1][0] != one[1][1]] == []

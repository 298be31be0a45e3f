"""Does the flame viewer work in a browser: zoom, search, measures, keys, link, nothing from outside?"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tracelode.exports.html_ import HtmlExporter
from tracelode.exports.html_diff import DiffHtmlExporter
from tracelode.model.profile import Profile, fold
from tracelode.model.words import value_text
from web import pictures
from web.browser import Tab, chromium

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


def written(folder: Path, exporter: Any, what: Any) -> Path:
    stream = io.BytesIO()
    exporter.write(what, stream)
    path = folder / "page.html"
    path.write_bytes(stream.getvalue())
    return path


SHOWN = pictures.MEASURES[:4]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return written(tmp_path, HtmlExporter(SHOWN, pictures.behind()), pictures.small())


def test_it_asks_for_nothing_and_shows_every_measure(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    assert tab.asked == [page.as_uri()]
    assert tab.troubles == []
    assert tab.rows()[0] == [
        "▾all", "$4.00+", "100%", "$0", "21k", "300", "1 min 07", "1,981"
    ]  # fmt: skip
    assert [row[0] for row in tab.rows()[1:]] == ["▸fix bug", "▸write docs"]
    heads = tab.page.locator(".frames th").all_text_contents()
    assert heads == [
        "intent › stage › tool", "cost", "share", "itself", "tokens", "reasoning tokens", "active time",
        "unpriced tokens",
    ]  # fmt: skip


def test_what_is_unknown_or_has_no_price_is_never_nothing(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page, "#z=write%20docs")
    (docs, *_) = tab.rows()
    assert docs[:3] == ["▾write docs", "unpriced", "0%"]
    assert docs[5] == "unknown"
    values = tab.page.locator(".values").inner_text()
    assert "unpriced 777 tokens" in values
    tab.open(page, "#z=fix%20bug/test%20code")
    assert "$1.00 + unpriced 1,204 tokens" in tab.page.locator(".values").inner_text()


def test_a_click_zooms_and_names_the_operations_behind(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    tab.frame_at(0.2, 3)
    assert tab.title() == "Read"
    panel = tab.page.locator(".details").inner_text()
    assert "12 operations, the largest first" in panel
    assert "9 smaller operations of it are not in this file" in panel
    assert tab.page.locator(".operations code").first.get_attribute("title") == "~/logs/a.jsonl:10"
    assert [b.strip() for b in tab.page.locator(".operations li > b").all_text_contents()][:1] == ["$1.00"]
    assert tab.page.locator(".crumbs").inner_text().split("\n")[-1].endswith("Read")


def test_an_operation_without_a_price_says_so(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page, "#f=write%20docs/edit%20docs/Edit")
    assert tab.page.locator(".operations li > b").all_text_contents() == ["unpriced 777 tokens"]


def test_the_link_restores_measure_zoom_selection_and_search(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    tab.page.get_by_label("tokens", exact=True).check()
    tab.frame_at(0.2, 1)
    tab.page.fill("input[type=search]", "bash|read")
    tab.page.locator("canvas").focus()
    tab.page.keyboard.press("ArrowDown")
    link = tab.page.evaluate("location.hash")
    assert link == "#m=tokens&z=fix%20bug&f=fix%20bug/read%20code&s=bash%7Cread"
    other = Tab(browser)
    other.open(page, link)
    assert other.title() == "read code"
    assert other.rows()[0][:2] == ["▾fix bug", "20k"]
    assert other.page.locator("output").text_content() == "3 matches · 96%"
    assert other.page.locator("input[type=search]").input_value() == "bash|read"
    assert other.page.evaluate("location.hash") == link


@pytest.mark.parametrize(
    "fragment", ["#m=nothing", "#z=gone/away", "#%", "#z=%E0%A4%A", "#s=(", "#f=a/b&q=1"]
)
def test_a_link_that_does_not_fit_shows_the_whole(browser: Any, page: Path, fragment: str) -> None:
    tab = Tab(browser)
    tab.open(page, fragment)
    assert tab.troubles == []
    assert tab.rows()[0][0] == "▾all"


def test_search_counts_what_nests_once_and_says_what_is_no_expression(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    tab.page.fill("input[type=search]", "code|pytest")
    assert tab.page.locator("output").text_content() == "3 matches · 100%"
    tab.page.fill("input[type=search]", "(")
    assert tab.page.locator("output").text_content() == "no regular expression"
    tab.page.fill("input[type=search]", "pytest")
    tab.page.keyboard.press("Enter")
    assert tab.title() == "Bash:pytest"


@pytest.mark.parametrize(
    ("words", "told"),
    [("(a+)+$", "0 matches"), ("(.*.*.*)*x", "0 matches"), ("(a{1000}){1000}", "too long"),
     ("a(?=b)", "looks around")],
)  # fmt: skip
def test_no_expression_makes_the_page_hang(browser: Any, tmp_path: Path, words: str, told: str) -> None:
    tab = Tab(browser)
    names = ["a" * 5_000 + "!", *(f"{'a' * 40}{i}!" for i in range(400))]
    opened = tab.open(written(tmp_path, HtmlExporter(), fold([((n,), (5,)) for n in names], ("tokens",))))
    opened.set_default_timeout(5_000)
    taken = opened.evaluate(
        """(words) => { const field = document.querySelector("input[type=search]"); field.value = words;
        const begun = performance.now(); field.dispatchEvent(new Event("input"));
        return performance.now() - begun }""",
        words,
    )
    assert taken < 1_500
    assert told in answer(opened, words)
    opened.locator("canvas").press("ArrowDown")
    assert tab.title() != ""
    assert answer(opened, "a{40}7!").startswith("1 match")


def answer(page: Any, words: str) -> str:
    """What a search says; asked again where a busy machine used up the time that a search has."""
    said = ""
    for _ in range(20):
        page.fill("input[type=search]", "")
        page.fill("input[type=search]", words)
        said = page.locator(".search output").text_content()
        if said != "too slow: stopped early":
            break
    return said


def test_keys_alone_reach_every_frame_and_say_where_they_are(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    said = tab.page.locator("p[aria-live]")
    tab.page.locator("canvas").focus()
    for key, told in (
        ("ArrowDown", "fix bug, $4.00 + unpriced 1,204 tokens 100%, level 1"),
        ("ArrowRight", "write docs, unpriced 777 tokens 0%, level 1"),
        ("ArrowLeft", "fix bug, $4.00 + unpriced 1,204 tokens 100%, level 1"),
        ("Enter", "fix bug, $4.00 + unpriced 1,204 tokens 100%, level 1"),
        ("m", "tokens: 20k"),
        ("Escape", "all, 21k 100%, level 0"),
    ):
        tab.page.keyboard.press(key)
        assert said.text_content() == told
    tab.page.keyboard.press("/")
    assert tab.page.evaluate("document.activeElement.type") == "search"


def test_the_table_is_a_tree_for_screen_readers(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    tab.open(page)
    first = tab.page.locator(".frames tbody tr").nth(1)
    assert first.get_attribute("aria-level") == "2"
    assert first.get_attribute("aria-expanded") == "false"
    tab.page.locator(".frames tbody tr").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        tab.page.keyboard.press(key)
    assert [row[0] for row in tab.rows()] == [
        "▾all", "▾fix bug", "▾read code", "Read", "▸test code", "▸write docs"
    ]  # fmt: skip
    focus = "document.activeElement.closest('tr').querySelector('td').textContent"
    assert tab.page.evaluate(focus) == "▾read code"
    tab.page.keyboard.press("ArrowLeft")
    tab.page.keyboard.press("ArrowLeft")
    assert tab.page.evaluate(focus) == "▾fix bug"
    tab.page.keyboard.press("Enter")
    assert tab.page.evaluate("location.hash") == "#z=fix%20bug"


def test_text_of_a_trace_stays_text(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    tab.open(written(tmp_path, HtmlExporter(), pictures.hostile()))
    assert tab.troubles == []
    assert len(tab.asked) == 1
    assert tab.page.evaluate("window.bad") is None
    names = [row[0].lstrip("▾▸") for row in tab.rows()[1:]]
    assert set(pictures.HOSTILE[:3]) < set(names)
    assert not any(sign in "".join(names) for sign in ("‮", "\x1b"))
    assert tab.page.locator("img").count() == 0


def test_the_policy_lets_no_other_script_run(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    opened = tab.open(page)
    opened.evaluate(
        """() => { const made = document.createElement("script"); made.textContent = "window.bad = 1";
        document.body.append(made); const image = new Image(); image.src = "https://example.invalid/x.png";
        document.body.append(image); }"""
    )
    opened.wait_for_timeout(100)
    assert opened.evaluate("window.bad") is None
    assert len([line for line in tab.troubles if "Content Security Policy" in line]) == 2


def test_frames_too_small_to_draw_are_counted(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    tab.open(written(tmp_path, HtmlExporter(), pictures.wide(2_000)))
    drawn, small = tab.page.locator(".status").first.text_content().split("; ")
    frames = int(drawn.split()[0].replace(",", "")) + int(small.split()[0].replace(",", ""))
    assert frames == 2 + 4 + 40 + 2_000
    tab.page.mouse.move(0, 0)
    box = tab.page.locator("canvas").bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + 26 * 3 + 13)
    tab.page.wait_for_timeout(80)
    tip = tab.page.locator(".tip").inner_text()
    assert tip.startswith("+")
    assert "frames too small to draw" in tip


def test_what_a_file_leaves_out_is_put_together_and_still_sums(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    profile = pictures.wide(2_000)
    tab.open(written(tmp_path, HtmlExporter(nodes=60), profile))
    rows = tab.rows()
    assert rows[0][1] == value_text("tokens", profile.total())
    assert "2,046 frames, 3 levels" in tab.page.locator(".details").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 768, 1280, 2560])
def test_nothing_is_wider_than_the_page(browser: Any, page: Path, width: int, scheme: str) -> None:
    tab = Tab(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = tab.open(page)
    root = "document.documentElement"
    assert opened.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    canvas = opened.locator("canvas").bounding_box()
    assert canvas["width"] > 0.85 * width
    boxes = [opened.locator(name).bounding_box() for name in (".switch", ".search", ".stage", ".below")]
    for above, below in pairwise(boxes[1:]):
        assert above["y"] + above["height"] <= below["y"] + 1
    light = "rgb(250, 248, 245)"
    assert (opened.evaluate("getComputedStyle(document.body).backgroundColor") == light) == (
        scheme == "light"
    )


def test_light_and_dark_can_be_chosen(browser: Any, page: Path) -> None:
    tab = Tab(browser)
    opened = tab.open(page)
    pixel = """() => { const c = document.querySelector("canvas"); const r = devicePixelRatio;
        return [...c.getContext("2d").getImageData(20 * r, 24 * r, 1, 1).data].slice(0, 3).join() }"""
    before = opened.evaluate(pixel)
    opened.get_by_label("Dark", exact=True).check()
    opened.wait_for_timeout(150)
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 20, 18)"
    assert opened.evaluate(pixel) != before


def test_a_difference_has_signs_and_words_beside_its_colours(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    found = pictures.contrasted()
    tab.open(written(tmp_path, DiffHtmlExporter(), found))
    assert tab.troubles == []
    cells = {row[0].lstrip("▾▸"): row for row in tab.rows()}
    assert cells["test"][1].startswith("+")
    assert cells["fix"][1].startswith("-")
    tones = {
        name: tab.page.locator(f".frames tr:has-text('{name}') td.lead").get_attribute("class")
        for name in ("test", "fix", "rare")
    }
    assert [tones[n].split()[-1] for n in ("test", "fix", "rare")] == ["more", "less", "lead"]
    assert "more in failed" in tab.page.locator(".legend").inner_text()
    assert cells["fix"][4:] == ["6 and 5", "3"]
    tab.page.locator(".frames tr:has-text('rare')").click()
    assert "too little to call it different" in tab.page.locator(".details").inner_text()


def test_deep_stacks_can_be_followed_to_their_end(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser, viewport={"width": 1280, "height": 5_000})
    deep = tuple(f"level {i}" for i in range(300))
    opened = tab.open(written(tmp_path, HtmlExporter(), fold([(deep, (5,))], ("tokens",))))
    status = opened.locator(".status").first
    assert (
        status.text_content()
        == "159 frames drawn; 141 too small or too deep: zoom in, or read them in the table"
    )
    tab.frame_at(0.5, 150)
    assert status.text_content() == "151 frames drawn"
    assert opened.locator(".crumbs > *").count() == 151
    tab.frame_at(0.5, 0)
    assert tab.title() == "level 141"


def test_a_measure_that_is_nowhere_says_so(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    profile = fold([(("a", "b"), (None, 3)), (("c",), (None, 0))], ("tokens.reasoning", "tokens"))
    tab.open(written(tmp_path, HtmlExporter(), profile))
    status = tab.page.locator(".status").first
    assert status.text_content() == "nothing to draw: reasoning tokens is unknown here"
    tab.page.get_by_label("tokens", exact=True).check()
    assert status.text_content() == "2 frames drawn; 1 too small: zoom in, or read them in the table"
    assert tab.rows()[0][:2] == ["▾all", "3"]


def test_an_empty_profile_is_no_trouble(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser)
    tab.open(written(tmp_path, HtmlExporter(), Profile(measures=("cost",), totals={})))
    assert tab.troubles == []
    assert tab.rows() == [["all", "$0", "-", "$0"]]

"""Does the data of a page hold every integer, also what is cut, and nothing that could end its element?"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import ExportError
from tracelode.exports.html_ import HtmlExporter
from tracelode.model.profile import Profile, fold
from tracelode.pages.assets import MODULES, WEB, style, viewer
from tracelode.pages.document import embedded
from tracelode.pages.flame import contrast, payload
from tracelode.pages.tree import NODES
from web import pictures
from web.pages import Page, is_safe

STACKS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5).map(tuple)
LIMIT = 60_000
"""Bytes of the viewer beside its data."""


def sums(found: dict[str, Any]) -> list[list[int | None]]:
    """The columns as sums of whole subtrees, by a reader of its own."""
    made = []
    for column in found["columns"]:
        own = [None if word in ".-" else int(word) for word in column["values"].split(" ")]
        for node in range(len(own) - 1, 0, -1):
            above = found["parent"][node]
            assert above < node
            if own[node] is not None:
                own[above] = own[node] + (own[above] or 0)
        made.append(own)
    return made


@given(
    st.lists(st.tuples(STACKS, st.tuples(st.integers(0, 2**80), st.integers(0, 9))), min_size=1, max_size=60),
    st.integers(1, 30),
)
def test_totals_stay_whatever_is_cut(rows: list[tuple[Any, Any]], most: int) -> None:
    profile = fold(rows, ("cost", "tokens"))
    found = payload(profile, nodes=most)
    assert [column[0] for column in sums(found)] == [profile.total(0), profile.total(1)]
    cut = dict(found["rest"])
    assert len(found["name"]) - 1 - len(cut) <= most
    prefixes = {stack[:depth] for stack in profile.totals for depth in range(1, len(stack) + 1)}
    assert len(found["name"]) - 1 - len(cut) + sum(cut.values()) == len(prefixes)


@given(st.lists(st.tuples(STACKS, st.integers(0, 99)), min_size=1, max_size=40))
def test_frames_have_the_values_of_the_profile(rows: list[tuple[Any, int]]) -> None:
    profile = fold([(stack, (value,)) for stack, value in rows], ("tokens",))
    found = payload(profile)
    (told,) = sums(found)
    paths: list[tuple[str, ...]] = [()]
    for node in range(1, len(found["name"])):
        paths.append((*paths[found["parent"][node]], found["names"][found["name"][node]]))
    # a frame comes before those below it, and they come right after it
    assert paths == sorted(paths)
    cum = {prefix: value for prefix, _, value in profile.flat_cum()}
    assert {path: told[i] for i, path in enumerate(paths) if path} == cum


def test_what_is_unknown_is_told_apart_from_nothing() -> None:
    found = payload(pictures.small(), pictures.MEASURES[:4])
    words = [column["values"].split(" ") for column in found["columns"]]
    names = [found["names"][i] for i in found["name"]]
    assert names == ["all", "fix bug", "read code", "Read", "test code", "Bash:pytest", "write docs",
                     "edit docs", "Edit"]  # fmt: skip
    assert words[2] == [".", ".", ".", "300", "-", "-", ".", ".", "-"]
    assert words[0] == [".", ".", ".", "3000000000000", "1000000000", "1000000000001", ".", ".", "0"]
    assert [column.get("hidden") for column in found["columns"]] == [None, None, None, None, True]


def test_operations_lie_at_their_frame_also_where_it_is_cut() -> None:
    held = pictures.behind()
    found = payload(pictures.small(), behind=held)["operations"]
    assert [row[0] for row in found["rows"]] == [3, 3, 3, 8]
    assert found["counts"] == [(3, 12), (8, 1)]
    cut = payload(pictures.small(), behind=held, nodes=1)
    assert [frames for _, frames in cut["rest"]] == [4, 3]
    assert sum(n for _, n in cut["operations"]["counts"]) == 13


def test_a_difference_keeps_both_sides() -> None:
    difference = pictures.contrasted()
    found = contrast(difference)
    assert [column[0] for column in sums(found)] == list(difference.totals)
    assert found["scale"] == str(difference.scale)
    names = [found["names"][i] for i in found["name"]]
    assert {names[i] for i in found["enough"]} == {"fix", "Bash", "Read", "test"}
    assert names.index("rare") not in found["enough"]


@pytest.mark.parametrize("text", [*pictures.HOSTILE, "]]>", "  "])
def test_nothing_ends_the_element_of_the_data(text: str) -> None:
    made = embedded({text: [text]})
    assert not re.search("[<>&\u2028\u2029]", made)
    if "\ud800" not in text:
        assert json.loads(made) == {text: [text]}


@pytest.mark.parametrize("make", [pictures.small, pictures.hostile])
def test_a_page_is_safe(make: Any) -> None:
    stream = io.BytesIO()
    HtmlExporter().write(make(), stream)
    is_safe(Page(stream.getvalue()))


def test_the_modules_make_one() -> None:
    sources = {name: (WEB / name).read_text(encoding="utf-8") for name in MODULES}
    assert {path.name for path in WEB.glob("*.js")} == set(MODULES)
    declared = [
        name
        for text in sources.values()
        for name in re.findall(r"^(?:export )?(?:async )?(?:const|let|class|function) (\w+)", text, re.M)
    ]
    assert len(declared) == len(set(declared)) > 30
    seen: set[str] = set()
    for name, text in sources.items():
        assert set(re.findall(r'from "\./([a-z]+\.js)";', text)) <= seen, name
        seen.add(name)
        assert text.startswith("// "), name
    joined = viewer()
    assert not re.search(r"^(?:import|export) ", joined, re.M)
    assert "innerHTML" not in joined
    assert "insertAdjacent" not in joined
    assert "eval(" not in joined


def test_the_viewer_is_small() -> None:
    assert len(viewer().encode()) + len(style("base", "flame").encode()) <= LIMIT


def test_a_page_of_five_thousand_frames_is_small() -> None:
    rows = [
        ((f"work {i % 9}", f"stage {i % 97}", f"tool {i}"), (10**12 + i, i, 7, i, 1)) for i in range(9_000)
    ]
    stream = io.BytesIO()
    HtmlExporter().write(fold(rows, pictures.MEASURES), stream)
    (found,) = Page(stream.getvalue()).payloads
    assert NODES <= len(found["name"]) <= NODES + 1_000
    assert len(stream.getvalue()) <= 1_500_000


def test_values_below_nothing_are_refused() -> None:
    with pytest.raises(ExportError, match="below 0"):
        HtmlExporter().write(fold([(("a",), (-1,))], ("tokens",)), io.BytesIO())


def test_an_empty_profile_is_a_page() -> None:
    stream = io.BytesIO()
    HtmlExporter().write(Profile(measures=("cost",), totals={}), stream)
    assert Page(stream.getvalue()).payloads[0]["name"] == [0]

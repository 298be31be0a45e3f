"""What gives way where a line is too narrow? The inside of frames, then whole columns; never a figure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake
from tracelode.cli.table import Column, Flex, Layout
from tracelode.cli.text import cut_path, cut_stack, fold, width
from tracelode.model.report import Doctor

names = st.text(alphabet="ab漢/ ", min_size=1, max_size=30).map(str.strip).filter(bool)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (66, "change code > explore code > spawn_agent > explore code > Bash:git"),
        (60, "chang…code > explo…code > spawn…gent > explo…code > Bash:git"),
        (48, "cha…ode > exp…ode > spa…ent > exp…ode > Bash:git"),
        (38, "chang…code > … > explo…code > Bash:git"),
        (26, "change code > … > Bash:git"),
        (13, "… > Bash:git"),
        (12, "… > Bash:git"),
        (10, "Bash:git"),
        (7, "Bas…git"),
    ],
)
def test_a_stack_gives_way_inside_its_frames(cells: int, expected: str) -> None:
    shown = cut_stack("change code > explore code > spawn_agent > explore code > Bash:git", cells)
    assert width(shown) <= cells
    assert shown == expected


@given(st.lists(names, min_size=1, max_size=8), st.integers(1, 90))
def test_separators_and_the_last_frame_stay(frames: list[str], cells: int) -> None:
    shown = cut_stack(" > ".join(frames), cells)
    assert width(shown) <= cells
    if width(" > ".join(frames)) <= cells:
        assert shown == " > ".join(frames)
    elif cells >= width(frames[-1]) + 4:
        parts = shown.split(" > ")
        assert parts[-1] == frames[-1]
        if "…" not in parts:
            assert len(parts) == len(frames)
        for part, frame in zip(reversed(parts), reversed(frames), strict=False):
            if part == "…":
                break
            left, _, right = part.partition("…")
            assert frame.startswith(left.rstrip(" "))
            assert frame.endswith(right)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (31, "~/src/shop/sessions/a.jsonl:12"),
        (30, "~/src/shop/sessions/a.jsonl:12"),
        (19, "…essions/a.jsonl:12"),
        (1, "…"),
    ],
)
def test_a_path_keeps_its_end(cells: int, expected: str) -> None:
    assert cut_path("~/src/shop/sessions/a.jsonl:12", cells) == expected


@given(st.text(alphabet="ab漢/ ", max_size=200), st.integers(2, 60), st.integers(2, 60))
def test_folded_text_loses_nothing(text: str, first: int, rest: int) -> None:
    lines = fold(text, first, rest)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= (rest if place else first) for place, line in enumerate(lines))


def test_text_is_folded_at_blanks_then_at_slashes() -> None:
    assert fold("read 12 files of ~/.claude/projects/one into ~/x", 24, 20) == [
        "read 12 files of",
        "~/.claude/projects/",
        "one into ~/x",
    ]


def drawn(columns: list[Column], rows: list[list[str | Flex]], cells: int) -> list[str]:
    """Lines of a table without styles."""
    layout = Layout(columns, rows, cells)
    return ["".join(text for text, _ in line) for line in layout.lines()]


def test_columns_are_left_out_before_they_collide() -> None:
    columns = [
        Column("tokens.output", right=True, short="output"),
        Column("%", right=True, rank=1),
        Column("sum %", right=True, rank=2),
        Column("intent > stage", least=16),
    ]
    rows: list[list[str | Flex]] = [
        ["1.2k", "50%", "50%", Flex("change code > edit code", shorten=cut_stack)]
    ]
    assert drawn(columns, rows, 60)[0] == "tokens.output    %  sum %  intent > stage"
    assert drawn(columns, rows, 43)[0] == "tokens.output    %  sum %  intent > stage"
    assert drawn(columns, rows, 42)[0] == "output    %  sum %  intent > stage"
    assert drawn(columns, rows, 33) == ["output    %  intent > stage", "  1.2k  50%  chan…ode > edit code"]
    assert drawn(columns, rows, 25)[0] == "output  intent > stage"
    assert Layout(columns, rows, 25).left_out == ["%", "sum %"]
    assert Layout(columns, rows, 60).left_out == []


SCREENS = [
    ["--no-import"],
    ["sessions"],
    ["top"],
    ["top", "--measure", "cost,tokens,tokens.output,time.active,calls"],
    ["tree"],
    ["peek", "edit"],
    ["show", "aaaa1111"],
    ["audit", "cost", "--limit", "1"],
    ["doctor"],
]


@pytest.mark.parametrize("words", SCREENS, ids=" ".join)
@pytest.mark.parametrize("columns", ["40", "50", "60"])
def test_figures_and_keys_are_whole_at_any_width(
    words: list[str],
    columns: str,
    run: fake.Run,
    small: fake.FakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small.report.skipped = fake.skips()
    small.known = Doctor(files=12_345, unknown=1_234, skipped=fake.skips(), unpriced={"model-1": 10**6})
    wide = run(*words)[1]
    monkeypatch.setenv("COLUMNS", columns)
    out = run(*words)[1]
    assert max(map(width, out.splitlines())) <= int(columns)
    # Whatever is cut is a name: every word with a figure in it is one of the wide screen.
    known = {word.strip(",;") for word in wide.replace("|", " ").split()}
    figures = {word.strip(",;") for word in out.split() if re.search(r"\d", word) and "#" not in word}
    assert {word for word in figures if "…" in word} == set()
    assert figures - known <= {columns}


def test_measures_that_were_asked_for_and_left_out_are_named(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["top", "--measure", "cost,tokens,tokens.output,time.active,time.tool,calls"]
    monkeypatch.setenv("COLUMNS", "40")
    out = run(*words)[1]
    assert "not shown at 40 columns: " in " ".join(out.split())
    assert "calls" in out.splitlines()[-1] + out.splitlines()[-2]
    monkeypatch.setenv("COLUMNS", "160")
    assert "not shown" not in run(*words)[1]

"""Is what has no price, or was never told, said to be so in every view, and never $0 or blank?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claude import Transcript, used
from cli import fake


def fill(empty: fake.FakeWorkspace, key: str, *operations: dict[str, Any]) -> None:
    made = [fake.operation(key, i, **more) for i, more in enumerate(operations)]
    empty.store[key] = (fake.session(key, made), made)


@pytest.fixture
def mixed(empty: fake.FakeWorkspace) -> fake.FakeWorkspace:
    """A stack without a price, one priced in part, one priced, one that took nothing."""
    bare = {"cost": 0, "tokens.unpriced": 100, "calls": 1}
    fill(
        empty, "s",
        {"fields": {"tool": "Bare", "stage": "run"}, "measures": bare, "kind": "model", "name": "model"},
        {"fields": {"tool": "Both"}, "measures": bare},
        {"fields": {"tool": "Both"}},
        {"fields": {"tool": "Priced"}},
        {"fields": {"tool": "Nothing"}, "measures": {"cost": 0, "tokens.output": 0}},
    )  # fmt: skip
    return empty


@pytest.fixture
def untold(empty: fake.FakeWorkspace) -> fake.FakeWorkspace:
    """Calls, and not one token of them is told."""
    nothing = {"cost": 0, "tokens.output": 0}
    fill(
        empty,
        "u",
        {"kind": "model", "name": "model", "measures": {**nothing, "calls": 1}},
        {"measures": nothing},
    )
    return empty


def cells(said: str, name: str) -> list[str]:
    """The cells of the row that ends with a name."""
    return next(line.split() for line in said.splitlines() if line.rstrip().endswith(name))


def test_rows_of_top_tree_and_peek(run: fake.Run, mixed: fake.FakeWorkspace) -> None:
    top = run("top", "--stack", "tool", "--measure", "cost,tokens")[1]
    firsts = {name: cells(top, name)[0] for name in ("Bare", "Both", "Priced", "Nothing")}
    assert firsts == {"Bare": "unpriced", "Both": "$0.001+", "Priced": "$0.001", "Nothing": "$0"}
    assert top.splitlines()[0].startswith("cost  $0.002+")
    assert cells(run("top", "--stack", "tool", "--nodecount", "1")[1], "(other 3)")[0] == "$0.001+"
    beside = run("top", "--stack", "tool", "--measure", "operations,cost")[1]
    assert cells(beside, "Bare")[-2] == "unpriced"
    tree = run("tree", "--stack", "stage,tool", "--nodefraction", "0")[1]
    assert cells(tree, "Bare")[:4] == ["unpriced", "0%", "unpriced", "0%"]
    assert cells(tree, "edit code")[0] == "$0.002+"
    assert cells(run("tree", "--stack", "tool")[1], "(other 2)")[:3] == ["unpriced", "0%", "unpriced"]
    peek = run("peek", "^Bare$", "--stack", "stage,tool")[1]
    assert cells(peek, "  run")[0] == "unpriced"
    assert cells(peek, "Bare")[0] == "unpriced"
    assert "all $0.002+" in run("flame")[1]


def test_rows_of_sessions_and_show(run: fake.Run, mixed: fake.FakeWorkspace) -> None:
    fill(mixed, "t", {"measures": {"cost": 0, "tokens.unpriced": 100, "calls": 1}})
    said = run("sessions")[1]
    assert "$0.002+" in said
    assert "unpriced" in said
    assert "own      1 operation, 1 call, 100 tokens, 100 tokens unpriced" in run("show", "t")[1].splitlines()
    shown = run("show", "s")[1]
    assert "own      5 operations, 2 calls, 400 tokens, $0.002+, 200 tokens unpriced" in shown.splitlines()
    assert "unpriced" in next(line for line in shown.splitlines() if " run " in line)
    assert "unpriced" in next(line for line in shown.splitlines() if " model " in line)
    assert "$0.002+" in next(line for line in shown.splitlines() if " edit code " in line)


def test_the_whole_without_a_price(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    fill(empty, "t", {"measures": {"cost": 0, "tokens.unpriced": 100, "calls": 1}, "fields": {"model": "m"}})
    assert "cost   unpriced  m 100 tokens" in run()[1].splitlines()
    assert run("top", "--measure", "cost")[1].splitlines()[0] == "cost  unpriced, 1 stack"
    assert "cost is unpriced everywhere" in run("flame", "--measure", "cost")[1]


def test_what_no_source_tells_is_unknown(run: fake.Run, untold: fake.FakeWorkspace) -> None:
    board = run()[1].splitlines()
    assert "tokens unknown  1 call, no source tells them" in board
    assert "cost   unknown  where no tokens are known" in board
    for words in (("top",), ("tree",), ("peek", "Edit"), ("sessions",), ("show", "u")):
        said = run(*words, *(("--measure", "cost,tokens") if words[0] in ("top", "tree", "peek") else ()))[1]
        assert "unknown" in said, words
        assert "$0" not in said, words
    assert "own      2 operations, 1 call, tokens unknown, cost unknown" in run("show", "u")[1].splitlines()
    assert "cost is unknown everywhere" in run("flame", "--measure", "cost")[1]


@pytest.mark.parametrize("width", [40, 80])
def test_lines_fit(
    run: fake.Run, mixed: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (
        ("top", "--measure", "cost,tokens"),
        ("tree",),
        ("peek", "Both"),
        ("sessions",),
        ("show", "s"),
    ):
        assert max(map(len, run(*words)[1].splitlines())) <= width, words


def test_files_say_what_cost_lacks(run: fake.Run, tmp_path: Path) -> None:
    t = Transcript("11111111-2222-4333-8444-555555555599").user("go")
    t.assistant("Done.", model="home-made-7", usage=used(100, output=5)).user("again").assistant("Done.")
    t.write(tmp_path / "claude")
    store = ("--store", str(tmp_path / "store"))
    assert run("import", str(tmp_path / "claude"), *store)[0] == 0
    for form in ("svg", "json"):
        code, out, _ = run("export", "-o", "-", "--format", form, "--measure", "cost", *store)
        assert (code, "unpriced 105 tokens are not in cost" in out) == (0, True), form
    assert "unpriced" not in run("export", "-o", "-", "--format", "svg", "--measure", "tokens", *store)[1]

"""tracelode rank, guide, loops: answers, screens at 80 and 40 columns, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import tracelode
from cli import fake
from tracelode import workspace

FAULTS = "session,operation\nde000002,22\nde000005,43\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")
    return store


@pytest.fixture
def store(made: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TZ", "UTC")
    return str(made)


@pytest.fixture
def judged(made: Path, tmp_path: Path) -> str:
    """The samples, five of their sessions judged."""
    copy = Path(shutil.copytree(made, tmp_path / "store"))
    opened = tracelode.open(copy, tz="UTC")
    for key in ("de000002", "de000005", "de000007"):
        opened.judge(key, "failure")
    for key in ("de000001", "de000003"):
        opened.judge(key, "success")
    return str(copy)


def answer(run: fake.Run, *words: str, code: int = 0) -> dict[str, Any]:
    found, out, err = run(*words, "--json")
    assert found == code, err
    return json.loads(out)


def test_rank_says_where_and_why(store: str, run: fake.Run) -> None:
    found = answer(run, "rank", "--store", store, "--limit", "5")
    assert len(found["ranked"]) == 5
    first = found["ranked"][0]
    assert first["kind"] == "ranked-operation"
    assert first["path"].endswith(".jsonl")
    assert first["line"] > 0
    assert first["reasons"]
    assert first["spectrum"] is None
    assert set(first["controls"]) == {"latest first", "longest text", "raw-action groups"}
    assert [r["score"] for r in found["ranked"]] == sorted(
        (r["score"] for r in found["ranked"]), reverse=True
    )
    opened = tracelode.open(store, tz="UTC")
    shown = next(o for o in opened.operations(first["session"]) if o.index == first["index"])
    assert (shown.origin.path, shown.origin.line) == (first["path"], first["line"])


def test_outcomes_make_groups_count(judged: str, run: fake.Run) -> None:
    found = answer(run, "rank", "--store", judged, "--outcome", "failed", "--limit", "40")
    assert found["outcomes"] == {"failed": 3, "succeeded": 2}
    assert {r["session"][:8] for r in found["ranked"]} <= {"de000002", "de000005", "de000007"}
    split = next(r for r in found["ranked"] if r["name"] == "Bash:sshpass")
    assert split["spectrum"]["failed"] == 3
    assert split["spectrum"]["succeeded"] == 0
    assert split["spectrum"]["ochiai"] == 1.0
    assert any("of 3 failed and 0 of 2 succeeded" in reason for reason in split["reasons"])
    assert found["controls_alike"]["raw-action groups"] is not None
    assert "3 failed and 2 succeeded" in run("rank", "--store", judged)[1]


@pytest.mark.parametrize("columns", [80, 40, 120])
@pytest.mark.parametrize("words", [["rank"], ["guide"], ["loops"], ["rank", "de000003", "--limit", "3"]])
def test_screens_fit(
    store: str, run: fake.Run, monkeypatch: pytest.MonkeyPatch, columns: int, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = run(*words, "--store", store)
    assert (code, err) == (0, "")
    assert all(len(line) <= columns for line in out.splitlines())
    assert "#" in out


def test_a_session_with_its_subagents(store: str, run: fake.Run) -> None:
    opened = tracelode.open(store, tz="UTC")
    root = next(s.root for s in opened.sessions() if s.key != s.root)
    family = {s.key for s in opened.sessions() if s.root == root and s.operations}
    found = answer(run, "rank", root[:8], "--store", store, "--limit", "500")
    assert {r["session"] for r in found["ranked"]} == family
    assert (found["sessions"], found["subagents"]) == (1, len(family) - 1)
    child = next(key for key in family if key != root)
    assert {r["session"] for r in answer(run, "rank", child, "--store", store)["ranked"]} == {child}


def test_the_guide_stays_in_its_budget(store: str, run: fake.Run) -> None:
    last = 0.0
    for budget in ("100", "1000", "5000", "50000"):
        found = answer(run, "guide", "--store", store, "--budget", budget, "--groups", "3")
        assert found["tokens"] <= int(budget)
        assert len(found["packets"]) <= 3
        assert found["worth"] >= last
        assert all(p["operations"] == len(p["opened"]) for p in found["packets"])
        last = found["worth"]
    assert found["of"] == found["ranking"]["tokens"]


def test_known_faults(store: str, run: fake.Run, tmp_path: Path) -> None:
    file = tmp_path / "faults.csv"
    file.write_text(FAULTS, encoding="utf-8")
    found = answer(run, "guide", "--store", store, "--faults", str(file))
    assert found["ranking"]["faults"]["sessions"] == 2
    assert 0 < found["kept"]["map"] <= found["full"]["map"] <= 1
    assert set(found["ranking"]["faults"]["orders"]) >= {"rank", "latest first", "random"}
    screen = run("rank", "--store", store, "--faults", str(file))[1]
    assert "known faults in 2 sessions:" in screen
    assert "this order" in screen


def test_a_diagnostic(store: str, run: fake.Run, tmp_path: Path) -> None:
    file = tmp_path / "judge.csv"
    file.write_text("session,operation,bad\nde000001,3,0.7\nde000002,3,0.9\nde000002,4,nan\nx,1,1\n")
    code, out, err = run("rank", "--store", store, "--direct", f"bad={file}", "--json")
    found = json.loads(out)
    assert code == 0
    assert [(r["session"][:8], r["index"]) for r in found["ranked"][:2]] == [("de000002", 3), ("de000001", 3)]
    assert (found["direct"]["used"], found["direct"]["constant"]) == (2, False)
    assert [s["line"] for s in found["direct"]["skipped"]] == [4, 5]
    assert "judge.csv:4: 1 x score that is NaN" in err
    file.write_text("session,operation,bad\nde000001,3,nan\n")
    code, out, err = run("rank", "--store", store, "--direct", f"bad={file}")
    assert (code, out) == (3, "")
    assert "no score of the file is of a ranked operation" in " ".join(err.split())
    file.write_text("session,operation,bad,Bad\nde000001,3,0.7,0.1\n")
    code, out, err = run("rank", "--store", store, "--direct", f"bad={file}")
    assert (code, out) == (1, "")
    assert "names the column of the score twice" in " ".join(err.split())


def test_loops_cost_what_their_repetitions_cost(store: str, run: fake.Run) -> None:
    found = answer(run, "loops", "--store", store, "--measure", "cost,tokens")
    opened = tracelode.open(store, tz="UTC")
    assert found["total"] == len(found["loops"]) > 0
    for loop in found["loops"]:
        places = set(loop["places"][1:])
        again = [o for o in opened.operations(loop["session"]) if o.index in places]
        assert loop["measures"]["cost"] == sum(o.measures["cost"] for o in again)
        assert len(places) == loop["repeats"]
    assert found["measures"]["cost"] == sum(loop["measures"]["cost"] for loop in found["loops"])
    assert set(found["by_sort"]) >= {"retry", "poll", "recheck"}


@pytest.mark.parametrize(
    "words",
    [
        ["rank", "--where", "tool=NoSuchTool"],
        ["guide", "--where", "tool=NoSuchTool"],
        ["guide", "--budget", "1"],
        ["loops", "--least", "40"],
    ],
)
def test_nothing_found_is_3_and_said(store: str, run: fake.Run, words: list[str]) -> None:
    code, _, err = run(*words, "--store", store)
    assert code == 3
    assert err.startswith("tracelode: ")
    answer(run, *words, "--store", store, code=3)


def test_an_empty_store_is_3(tmp_path: Path, run: fake.Run) -> None:
    tracelode.open(tmp_path / "store")
    for word in ("rank", "guide", "loops"):
        code, _, err = run(word, "--store", str(tmp_path / "store"))
        assert code == 3
        assert "nothing imported yet" in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["rank", "--group", ","], 2),
        (["rank", "--direct", "bad"], 2),
        (["rank", "--limit", "0"], 2),
        (["guide", "--groups", "0"], 2),
        (["guide", "--budget", "x"], 2),
        (["loops", "--measure", ","], 2),
        (["rank", "--group", "stag"], 2),
        (["loops", "--measure", "weight"], 2),
        (["rank", "--faults", "/none.csv"], 1),
        (["rank", "zzzzzz"], 3),
    ],
)
def test_off_words(store: str, run: fake.Run, words: list[str], code: int) -> None:
    found, out, err = run(*words, "--store", store)
    assert found == code
    assert out == ""
    assert err.startswith("tracelode: ")

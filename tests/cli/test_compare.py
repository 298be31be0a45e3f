"""What does tracelode compare answer, and with which exit code?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from paired_runs import Told, paired
from tracelode.__main__ import main

SLOW, FAST = ("git status", "!curl x", "!curl x", "pytest -q"), ("git status", "pytest -q")
TASKS = 24


def made(folder: Path, *, lost: int = 0, model: str = "claude-sonnet-4-5-20250929") -> str:
    """24 tasks, one run before and one after; so many of the runs after are failures."""
    runs = [Told(f"a{t}", f"t{t}", "success", SLOW) for t in range(TASKS)]
    runs += [
        Told(f"b{t}", f"t{t}", "failure" if t < lost else "success", FAST, hour=24 * 30, model=model)
        for t in range(TASKS)
    ]
    paired(folder, runs)
    return str(folder / "store")


WORDS = ("..2026-09-30", "2026-10-01..", "--tz", "UTC")


def ask(run: fake.Run, store: str, *words: str) -> tuple[int, dict[str, object]]:
    code, out, _ = run("compare", *WORDS, *words, "--store", store, "--json")
    return code, json.loads(out)


def test_a_fix_that_pays(run: fake.Run, tmp_path: Path) -> None:
    store = made(tmp_path)
    code, answer = ask(run, store, "--measure", "tokens", "--hold", "success", "--margin", "0.1")
    assert code == 0
    assert (answer["base"], answer["other"], answer["tasks"]) == (400.0, 200.0, TASKS)
    assert answer["net"] == {"value": -200.0, "low": -200.0, "high": -200.0}
    assert answer["change"]["value"] == -0.5  # type: ignore[index]
    assert answer["p"] == pytest.approx(1 / 10_001)
    gate = answer["gate"]
    assert (gate["passed"], gate["base"], gate["other"]) == (True, 1.0, 1.0)  # type: ignore[index]
    assert -0.1 < gate["low"] < 0  # type: ignore[index]


def test_a_gate_that_fails_is_exit_code_4(run: fake.Run, tmp_path: Path) -> None:
    store = made(tmp_path, lost=6)
    words = ("--measure", "tokens", "--hold", "success", "--margin", "0.1")
    code, answer = ask(run, store, *words)
    assert code == 4
    assert answer["gate"]["passed"] is False  # type: ignore[index]
    code, out, err = run("compare", *WORDS, *words, "--store", store)
    assert (code, err) == (4, "")
    assert "success not shown to hold" in out
    assert run("compare", *WORDS, "--measure", "tokens", "--store", store)[0] == 0


def test_a_margin_too_small_for_so_few_tasks(run: fake.Run, tmp_path: Path) -> None:
    store = made(tmp_path)
    words = ("--measure", "tokens", "--hold", "success", "--margin", "0.05")
    code, out, _ = run("compare", *WORDS, *words, "--store", store)
    assert code == 4
    assert "24 tasks alike on both sides hold 8.9% at best" in " ".join(out.split())


def test_runs_without_a_price_are_left_out_of_costs(run: fake.Run, tmp_path: Path) -> None:
    store = made(tmp_path, model="nobodys-model-1")
    code, out, err = run("compare", *WORDS, "--measure", "cost", "--store", store)
    assert (code, out) == (3, "")
    assert "cost is unknown in every session of '2026-10-01..' (24: calls without a price)" in " ".join(
        err.split()
    )
    assert ask(run, store, "--measure", "tokens")[0] == 0


def test_no_outcome_no_gate(run: fake.Run, tmp_path: Path) -> None:
    runs = [Told(f"a{t}", f"t{t}", None, ("git status",)) for t in range(8)]
    runs += [Told(f"b{t}", f"t{t}", None, ("git log",), hour=720) for t in range(8)]
    paired(tmp_path, runs)
    code, answer = ask(run, str(tmp_path / "store"), "--measure", "tokens", "--hold", "success")
    assert code == 4
    gate = answer["gate"]
    assert (gate["hold"], gate["low"], gate["left_out"]) == ("proxy", None, 16)  # type: ignore[index]
    assert "proxies" in answer["notes"][0]  # type: ignore[index]


def test_what_is_asked_amiss(run: fake.Run, tmp_path: Path) -> None:
    store = made(tmp_path)

    def fails(code: int, what: str, *words: str) -> None:
        got, out, err = run("compare", *words, "--store", store)
        assert (got, out) == (code, "")
        assert what in " ".join(err.split())

    fails(2, "takes two sets of runs")
    fails(2, "OTHER is missing", "..2026-09-30")
    fails(2, "unknown measure", *WORDS, "--measure", "tokenz")
    fails(2, "is no share from 0 to 1", *WORDS, "--measure", "tokens", "--hold", "success", "--margin", "5")
    fails(2, "both sets are the same", "model=a", "model=a")
    fails(
        3,
        "no session matches '2027-01-01..' (24 match",
        "..2026-09-30",
        "2027-01-01..",
        "--measure",
        "tokens",
    )


@pytest.mark.parametrize("columns", ["80", "40"])
def test_lines_fit_the_screen(
    columns: str, run: fake.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = made(tmp_path, lost=3)
    monkeypatch.setenv("COLUMNS", columns)
    out = run("compare", *WORDS, "--measure", "tokens.output", "--hold", "success", "--store", store)[1]
    assert max(map(len, out.splitlines())) <= int(columns)


def test_the_bundled_runs_pay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tracelode.samples import runs

    path = tmp_path / "runs.jsonl"
    text = "".join(json.dumps(line) + "\n" for line in runs.lines())
    path.write_text(text, encoding="utf-8")
    assert text == "".join(json.dumps(line) + "\n" for line in runs.lines())
    store = str(tmp_path / "store")
    assert main(["import", str(path), "--store", store]) == 0
    capsys.readouterr()
    words = [*WORDS, "--measure", "tokens", "--hold", "success", "--json", "--store", store]
    assert main(["compare", *words]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["tasks"], answer["sessions"]) == (24, {"base": 72, "other": 72})
    assert answer["change"]["high"] < 0

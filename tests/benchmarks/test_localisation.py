"""Do the benchmarks of rank, guide and loops say what is so? Small sets by hand, and what is missing."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def lines(path: Path, rows: list[dict[str, Any]], broken: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("\n".join([*(json.dumps(row) for row in rows), broken]))


def run(project: Path, name: str, *words: object, code: int = 0) -> dict[str, Any]:
    command = [sys.executable, str(project / "benchmarks" / f"{name}.py"), *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def team(number: int) -> dict[str, Any]:
    """A talk of two agents in which the fault is always the long third message."""
    texts = ["plan the work", "looks fine", "I assume that " + "the value might be seven " * 20, "done", "ok"]
    return {
        "traj_id": f"talk-{number}",
        "split_key": f"q:{number}",
        "success": False,
        "steps": [{"i": i, "tool": ("Planner", "Coder")[i % 2], "text": t} for i, t in enumerate(texts)],
        "fault_steps": [2],
    }


def test_localisation(project: Path, tmp_path: Path) -> None:
    lines(tmp_path / "localisation" / "who-and-when.x.jsonl.gz", [team(n) for n in range(12)], "{broken")
    answer = run(project, "localisation", "--data", tmp_path)
    rows = {row["order"]: row for row in answer["rows"]}
    assert rows["ours"]["sessions"] == 12
    assert rows["ours"]["MAP"] == rows["longest text"]["MAP"] == 1.0
    assert rows["latest"]["MAP"] == pytest.approx(1 / 3)
    assert rows["random"]["MAP"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5)
    assert rows["ours"]["beside"] == "longest text"
    assert rows["ours"]["gain"] == 0
    assert rows["noisy judge + ours"]["MAP"] >= rows["noisy judge"]["MAP"]
    assert rows["guided, tool alone"]["opened"] <= 0.5
    assert any("broken line" in note for note in answer["notes"])
    assert sum(note.startswith("missing: ") for note in answer["notes"]) == 3


def test_without_data_it_says_so(project: Path, tmp_path: Path) -> None:
    for name, count in (("localisation", 4), ("looping", 1), ("categories", 1)):
        answer = run(project, name, "--data", tmp_path, code=3)
        assert answer["rows"] == []
        assert len([note for note in answer["notes"] if note.startswith("missing: ")]) == count


def act(number: int) -> dict[str, Any]:
    """A run that searches twice in the same words, then edits."""
    call = {
        "tool": "search_code",
        "text": f"{{'name': 'search_code', 'args': {{'words': 'width {number}'}}}}",
    }
    steps = [
        {**call, "label": "Search", "obs": "none"},
        {**call, "label": "Search", "obs": "none"},
        {"tool": "write_patch", "text": "write_patch", "label": "Generate Fix", "obs": "ok"},
    ]
    relations = {"action_action": ["Repetition", "Follow-up"]}
    return {
        "traj_id": f"r/{number}",
        "task": f"t{number}",
        "agent": "a",
        "steps": steps,
        "relations": relations,
    }


def test_looping_and_categories(project: Path, tmp_path: Path) -> None:
    unaligned = {**act(99), "relations": {"action_action": ["Follow-up"]}}
    lines(tmp_path / "naming" / "thought-action-result.x.jsonl.gz", [*(act(n) for n in range(8)), unaligned])
    answer = run(project, "looping", "--data", tmp_path, "--times", 50)
    rows = {row["score"]: row for row in answer["rows"]}
    assert rows["ours"]["AP"] == 1.0
    assert rows["random"]["AP"] < 0.7
    assert rows["ours"]["pairs"] == 16
    assert rows["random"]["low"] > 0
    assert "1 of 9 runs" in answer["notes"][0]
    answer = run(project, "categories", "--data", tmp_path, "--times", 50)
    rows = {row["method"]: row for row in answer["rows"]}
    assert rows["verb"]["accuracy"] == rows["verb"]["macro F1"] == 1.0
    assert rows["most frequent"]["accuracy"] == pytest.approx(2 / 3)


def test_the_fit_finds_what_tells_faults(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    from logistic import fit  # type: ignore[import-not-found]

    rows = [[[float(i == 2), float(i), 1.0] for i in range(5)] for _ in range(20)]
    bias, weights = fit(rows, [{2}] * 20, 1.0)
    assert weights[0] > 1
    assert weights[2] == 0.0
    scores = [bias + sum(w * v for w, v in zip(weights, row, strict=True)) for row in rows[0]]
    assert max(range(5), key=lambda i: scores[i]) == 2


def test_paired_figures_by_hand(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    from paired import cluster_interval, sign_flip  # type: ignore[import-not-found]

    assert cluster_interval([0.2] * 6, list("aabbcc"), 1) == (pytest.approx(0.2), pytest.approx(0.2))
    # one task alone: whichever way it is flipped, the gap is as large
    assert sign_flip([0.3, 0.1], ["t", "t"], 1) == 1.0
    assert sign_flip([0.2] * 12, list(range(12)), 1) < 0.01
    low, high = cluster_interval([1.0, -1.0], ["a", "b"], 1)
    assert (low, high) == (-1.0, 1.0)

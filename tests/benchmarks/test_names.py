"""Do the benchmarks of names count by hand-made runs what can be counted by hand?"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shared import need
from tracelode.profile.segment.phase import PhaseSegmenter

NAMES = ("names", "names_focus", "name_pairs", "labelled", "segments_data")


@pytest.fixture
def bench(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The scripts as modules."""
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    yield {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        sys.modules.pop(name, None)


def row(key: str, task: str, *files: str) -> dict[str, Any]:
    """A run that edits some files, four calls each."""
    text = [json.dumps({"file_path": file}) for file in files for _ in range(4)]
    steps = [{"tool": "Edit", "text": t, "obs": "ok", "thought": None, "error": False} for t in text]
    return {"traj_id": key, "task": task, "steps": steps}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [row("a", "shop", "x/rate.py"), row("b", "shop", "x/rates.py"), row("c", "mail", "y/letter.py")]
    folder = tmp_path / "data" / "outcomes"
    folder.mkdir(parents=True)
    with gzip.open(folder / "terminal-bench-claude-code.dev.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(r) + "\n" for r in rows)
    return tmp_path / "data"


def test_focus_by_hand(bench: dict[str, ModuleType], data: Path) -> None:
    table, _ = bench["names"].measure(data, 7)
    rows = {r["method"]: r for r in table if r["set"] == "terminal-bench-claude-code"}
    assert set(rows) == {"phase", "chain", "focus", "focus or stage"}
    focus, both = rows["focus"], rows["focus or stage"]
    assert (focus["names"], focus["segments"], focus["reuse"], focus["top 1"]) == (1, 2, 1, 1)
    assert focus["named"] == pytest.approx(2 / 3)
    assert (both["names"], both["segments"], both["reuse"]) == (2, 3, pytest.approx(2 / 3))
    assert 0 <= focus["churn"] <= 1


def test_a_late_session_changes_names_only_when_all_is_recomputed(bench: dict[str, ModuleType]) -> None:
    focus, run_of = bench["names_focus"], bench["labelled"].run_of
    runs = [run_of(row(key, "t", "x/rate.py")) for key in "ab"]
    told = focus.stretches(runs, PhaseSegmenter())
    assert focus.named(told, set()) == ["write rate", "write rate"]
    assert focus.named(told, {"rate"}) == [None, None]
    assert focus.named(told, set(), frozenset({0})) == [None, None]
    # with four fifths of two runs both are early: nothing arrives late
    assert focus.churn(told, runs, 7) == {"churn": 0.0, "churn, bans grow": 0.0}


def test_pairs_are_of_different_runs_and_follow_the_seed(
    bench: dict[str, ModuleType], data: Path, tmp_path: Path
) -> None:
    pairs = bench["name_pairs"]
    runs = [
        bench["labelled"].run_of(r)
        for r in bench["labelled"].rows(data / "outcomes", "terminal-bench-claude-code")
    ]
    drawn = pairs.pairs(runs, "phase", 40, 3)
    assert [(p.kind, p.name) for p in drawn] == [("focus", "write rate"), *[("stage", "edit code")] * 3]
    assert all(p.one.family != p.other.family for p in drawn)
    assert pairs.pairs(runs, "phase", 40, 3) == drawn
    verdicts = ["1\tfocus\twrite rate\tright\tyes", *(f"{n}\tstage\tedit code\twrong\tno" for n in (2, 3, 4))]
    file = tmp_path / "v.tsv"
    file.write_text("# a comment\n" + "\n".join(verdicts) + "\n")
    assert pairs.score(drawn, file) == [
        "focus: 1 of 1 right, 1.000 [0.21, 1.00]",
        "stage: 0 of 3 right, 0.000 [0.00, 0.56]",
    ]
    file.write_text("\n".join(verdicts).replace("write rate", "edit letter"))
    with pytest.raises(SystemExit, match="pair 1 of this draw"):
        pairs.score(drawn, file)
    file.write_text("\n".join(verdicts[:3]))
    with pytest.raises(SystemExit, match="4 pairs were drawn, 3 were judged"):
        pairs.score(drawn, file)


def test_the_filed_verdicts_hold_no_text_of_a_trace(project: Path) -> None:
    lines = (project / "benchmarks" / "judged" / "pairs.tsv").read_text().splitlines()
    given = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(given) == 80
    for number, (place, kind, name, verdict, reason) in enumerate(given, 1):
        assert (int(place), kind) == (number, "focus" if number <= 40 else "stage")
        assert name.replace(" ", "").isalpha()
        assert verdict in ("right", "wrong")
        assert 0 < len(reason) < 90
        assert "/" not in reason


def test_the_bars_hold_on_public_runs(bench: dict[str, ModuleType]) -> None:
    folder = need("data", "outcomes")
    runs = [
        bench["labelled"].run_of(r)
        for r in bench["labelled"].rows(folder, "terminal-bench-claude-code")
        if r["steps"]
    ]
    focus, both = bench["names"].focus("terminal-bench", runs, 7)
    assert both["reuse"] >= 0.70
    assert both["AUC"] > both["AUC null"] + 0.1
    assert focus["churn"] <= 0.04
    assert both["top 1"] <= 0.35

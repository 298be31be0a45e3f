"""Does the evidence hold on public runs, in any order of runs and hashes? Do its benchmarks count right?"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared import need

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def edges() -> Any:
    """The benchmark of edges as a module."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("compile_edges")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def spans() -> Any:
    """The benchmark of pieces of texts as a module."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("compile_spans")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def runs(edges: Any) -> Any:
    """Forty runs of ComplexFuncBench, if its wheel was downloaded before."""
    folder = Path(os.environ.get("TRACELODE_BENCH_WHEELS") or Path.home() / ".cache" / "tracelode-bench")
    found = sorted(folder.glob("nestful_wrapper-0.1.7-*.whl"))
    if not found:
        pytest.skip("the wheel with ComplexFuncBench was not downloaded; the benchmarks do that")
    return importlib.import_module("compile_data").complexfuncbench(30, 70, found[0])


def test_references_are_resolved(runs: Any) -> None:
    assert [run.key for run in runs][:2] == ["cfb-0030", "cfb-0031"]
    assert not any("$var" in json.dumps(call.arguments) for run in runs for call in run.calls)
    assert all(run.request and run.calls for run in runs)


def test_the_bars_hold_on_a_few_intents(edges: Any, runs: Any) -> None:
    known = edges.truths(need("data"), runs)
    found = edges.ours(edges.works(runs), "L0 L1")
    for truth, (precision, recall) in edges.BARS.items():
        row = edges.score(found.items(), known[truth], runs)
        assert row["P"] >= precision
        assert row["R"] >= recall


def test_shuffled_runs_give_the_same_verdicts(edges: Any, runs: Any) -> None:
    first = edges.works(runs[:10])[0]
    turned = list(runs[:10])
    random.Random(5).shuffle(turned)
    second = edges.works(turned)[0]
    assert first.edges == second.edges
    key = lambda e: (e.run, e.call, e.arg)  # noqa: E731
    assert sorted(first.evidence, key=key) == sorted(second.evidence, key=key)


SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import compile_data, compile_edges, msgspec
work = compile_edges.works(compile_data.complexfuncbench(30, 40))[0]
print(hashlib.sha256(msgspec.json.encode((work.evidence, work.edges))).hexdigest())
"""


def test_the_order_of_hashes_says_nothing_on_public_runs(runs: Any) -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(BENCHMARKS)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for seed in "0123"
    }
    assert len(found) == 1


def test_scores_count_arguments_and_producers(edges: Any, runs: Any) -> None:
    run = runs[0]
    truth = edges.Truth(
        {(run.key, 1, "a"): frozenset({0}), (run.key, 1, "b"): frozenset({0})}, lambda t, a: a != "c"
    )
    found = [((run.key, 1, "a"), 0), ((run.key, 1, "a"), 7), ((run.key, 1, "c"), 0)]
    row = edges.score(found, truth, [run])
    assert (row["P"], row["R"], row["right"], row["wrong"]) == (0.5, 0.5, 1, 1)


def test_pieces_are_found_in_prose(spans: Any) -> None:
    need("data", "workflow", "agentdojo", "ground_truth_traces.json")
    data = importlib.import_module("compile_data")
    found, count = spans.findings(data.agentdojo(need("data"))[:48])
    sourced = [f for f in found if f.evidence.producer is not None]
    assert len(found) < count
    assert len(sourced) >= spans.RECALL * len(found)


def test_verdicts_are_read_and_stale_ones_are_counted(spans: Any, tmp_path: Path) -> None:
    need("data", "workflow", "agentdojo", "ground_truth_traces.json")
    data = importlib.import_module("compile_data")
    found, _ = spans.findings(data.agentdojo(need("data"))[:10])
    rows = spans.sample(found, 7)
    path = tmp_path / "told.tsv"
    spans.write(path, rows)
    lines = path.read_text().splitlines()
    assert len(lines) == len(rows) + 1
    with pytest.raises(spans.Absent):
        spans.judged(path, found)
    verdicts = ["right"] * (len(rows) - 1) + ["wrong"]
    told = [line.split("\t") for line in lines]
    for cells, verdict in zip(told[1:], verdicts, strict=True):
        cells[7] = verdict
    told.append(["elsewhere", *told[1][1:]])
    path.write_text("\n".join("\t".join(cells[:8]) for cells in told) + "\n")
    report = spans.judged(path, found)
    assert (report["judged"], report["right"], report["stale"]) == (len(rows), len(rows) - 1, 1)
    assert report["low"] < report["precision"] < report["high"]


def test_the_interval_is_wilsons(spans: Any) -> None:
    low, high = spans.wilson(90, 100)
    assert (round(low, 4), round(high, 4)) == (0.8256, 0.9448)
    assert spans.wilson(0, 0) == (0.0, 1.0)
    assert spans.wilson(5, 5)[1] == 1.0

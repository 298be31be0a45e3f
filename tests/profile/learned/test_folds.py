"""Is nothing that is scored ever trained on?"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from signals.build import session
from tracelode.profile.learned.features import matrix, readings

CALLS = ["Read a.py", "Grep src", "Edit a.py", "Write b.py", "$ pytest", "$ git push"]


@pytest.fixture
def bench(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The scripts that train and divide."""
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    before = set(sys.modules)
    yield {
        name: importlib.import_module(name) for name in ("segments_data", "segments_fit", "segments_folds")
    }
    for name in set(sys.modules) - before:
        if name.startswith(("segments", "labelled", "report", "measure")):
            sys.modules.pop(name)


def made(bench: dict[str, ModuleType]) -> list[Any]:
    """Twenty-four examples of nine tasks and three frameworks, made by rule."""
    found = []
    for number in range(24):
        operations = session(*(CALLS[(i * i + number) % 6] for i in range(30)))
        truth = [place // 5 for place in range(30)]
        places = [i for i, op in enumerate(operations) if op.kind == "tool"]
        given = bench["segments_data"].Session(
            f"s{number}", "xyz"[number % 3], [operations[i] for i in places], operations, places, truth, None,
            f"task {number % 9}",
        )  # fmt: skip
        dataset = bench["segments_data"].Dataset("codetrace", "human", [given])
        found += bench["segments_fit"].examples([dataset])[1]
    return found


def test_no_task_is_on_both_sides(bench: dict[str, ModuleType]) -> None:
    given = made(bench)
    for divide in (bench["segments_folds"].by_task, bench["segments_folds"].by_framework):
        scored = []
        for train, test in divide(given, 0):
            assert not {given[i].session.task for i in train} & {given[i].session.task for i in test}
            scored += test
        assert sorted(scored) == list(range(len(given)))
    for train, test in bench["segments_folds"].by_framework(given, 0):
        assert not {given[i].session.framework for i in train} & {given[i].session.framework for i in test}


def test_examples_are_the_features_and_the_cuts_of_turns(bench: dict[str, ModuleType]) -> None:
    [one, *_] = made(bench)
    assert np.array_equal(one.table, matrix(readings(one.session.whole))[1])
    assert np.flatnonzero(one.cuts).tolist() == [5, 10, 15, 20, 25]


def test_features_can_be_left_out(bench: dict[str, ModuleType]) -> None:
    [one, *_] = made(bench)
    names = matrix(readings(one.session.whole))[0]
    left, [slim] = bench["segments_folds"].kept(names, [one], ["cue", "said"])
    assert not any(name.startswith(("cue", "said")) for name in left)
    assert slim.table.shape == (30, len(left))


def test_the_whole_protocol_on_sessions_made_by_rule(bench: dict[str, ModuleType]) -> None:
    pytest.importorskip("lightgbm", reason="the training library is not installed")
    given, folds = made(bench), bench["segments_folds"]
    dataset = bench["segments_data"].Dataset("codetrace", "human", [one.session for one in given])
    variant = folds.Variant("x")
    tallies, held = folds.protocol(given, dataset, variant, folds.by_task, 1, {})
    assert len(tallies) == len(given)
    assert sum(n for _, _, n in held["bins"]) == 29 * len(given)
    named, _ = folds.protocol(given, dataset, variant._replace(merged=True), folds.by_task, 1, {})
    # names can join groups and never split them
    assert sum(one.predicted for one in named) <= sum(one.predicted for one in tallies)
    assert [one.true for one in named] == [5] * len(given)

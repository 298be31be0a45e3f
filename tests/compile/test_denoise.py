"""Is each call told for what it was: repeats, tries, waits, loops, detours, habits, and what is needed?"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compile import fixtures
from shared import need
from tracelode.compile.denoise import denoise, near
from tracelode.compile.work import Label, Work
from tracelode.model.run import Run

WRITES = frozenset({"redundant", "retry", "exploratory", "dead_output"})


def told(work: Work) -> str:
    rows = []
    for run, labels in zip(work.runs, work.labels, strict=True):
        for n, label in enumerate(labels):
            rows.append(f"{run.key}{n} {label.kind}{f' {label.of}' if label.of >= 0 else ''}")
    return "\n".join(rows)


@pytest.mark.parametrize("case", fixtures.cases("denoise"))
def test_fixtures(case: fixtures.Case) -> None:
    assert told(denoise(case.work())) == case.expected


@pytest.mark.parametrize("case", fixtures.cases("denoise"))
def test_the_order_of_runs_does_not_matter(case: fixtures.Case) -> None:
    work = case.work()
    turned = denoise(replace(work, runs=work.runs[::-1]))
    assert turned.labels[::-1] == denoise(work).labels


def test_a_work_without_calls_is_left_alone() -> None:
    assert denoise(fixtures.work([])).labels == ()
    assert denoise(fixtures.work([Run(key="a", calls=())])).labels == ((),)


def test_every_label_says_why() -> None:
    for parameter in fixtures.cases("denoise"):
        for labels in denoise(parameter.values[0].work()).labels:
            assert all(bool(label.why) == (label.kind != "essential") for label in labels)


def test_writes_are_not_dropped_whatever_stands_around_them() -> None:
    chance = random.Random(4)
    calls = [
        'get_x(id=1) -> {"a": 1}',
        'delete_x(id=1) -> {"a": 1}',
        "send_x(to=2) -> {}",
        "frob(y=3) -> []",
        "add_x(n=4) !timeout -> slow",
    ]
    for _ in range(60):
        text = "\n".join(
            f"run r{n}:\n" + "\n".join(chance.choices(calls, k=chance.randint(1, 9))) for n in range(4)
        )
        work = denoise(fixtures.work(fixtures.runs(text)))
        for run, labels in zip(work.runs, work.labels, strict=True):
            for call, label in zip(run.calls, labels, strict=True):
                assert call.name == "get_x" or label.kind not in WRITES


def test_arguments_are_near_up_to_a_third_of_their_keys() -> None:
    one: dict[str, Any] = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert near(one, one)
    assert near(one, {**one, "a": 9, "b": 9})
    assert not near(one, {**one, "a": 9, "b": 9, "c": 9})
    assert not near("x", "y")


def test_a_missing_result_is_no_repeat() -> None:
    runs = fixtures.runs("run a:\nget_x(id=1) -> missing\nget_x(id=1) -> missing")
    assert [label.kind for label in denoise(fixtures.work(runs)).labels[0]] == ["essential", "essential"]


def test_planted_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark's planting, on a small set of runs made here."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    noise = pytest.importorskip("compile_noise")
    text = "\n".join(
        f"run r{n}:\nuser: Send the bill of customer {n}-Smith to the desk\n"
        f'find_customer(name="{n}-Smith") -> {{"id": "C-{n}00{n}", "town": "Kiel"}}\n'
        f'list_bills(customer="C-{n}00{n}") -> [{{"bill": "B-{n}77{n}", "eur": {n}}}]\n'
        f'get_bill(bill="B-{n}77{n}") -> {{"text": "bill no {n}", "file": "F-{n}88{n}"}}\n'
        f'send_file(file="F-{n}88{n}") -> {{"ok": true}}'
        for n in range(12)
    )
    given = fixtures.runs(text)
    noisy, truth = noise.inject(given, 0.6, 1)
    assert noise.inject(given, 0.6, 1)[0] == noisy
    assert [msgspec.structs.replace(r, calls=()) for r in noisy] == [
        msgspec.structs.replace(r, calls=()) for r in given
    ]
    found = denoise(fixtures.work(noisy))
    right = sum(
        (label.kind if label.kind in noise.KINDS else "essential") == planted.kind
        for labels, kinds in zip(found.labels, truth, strict=True)
        for label, planted in zip(labels, kinds, strict=True)
    )
    every = sum(map(len, truth))
    planted = sum(p.kind != "essential" for kinds in truth for p in kinds)
    assert planted > 15
    # retries and repeats of the sending are kept, since it is a write
    assert right / every > 0.85
    for labels, kinds in zip(found.labels, truth, strict=True):
        for label, what in zip(labels, kinds, strict=True):
            assert what.kind != "essential" or label.kind in ("essential", "fan_out")


def test_airline_runs_are_labelled_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = need("data", "workflow", "tau_bench").parents[1]
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    data = pytest.importorskip("compile_data")
    runs = [r for r in data.tau_bench(folder) if r.task == "0"]
    work = denoise(fixtures.work([msgspec.structs.replace(r, outcome=None) for r in runs]))
    for run, labels in zip(work.runs, work.labels, strict=True):
        assert len(labels) == len(run.calls)
        assert all(isinstance(label, Label) for label in labels)

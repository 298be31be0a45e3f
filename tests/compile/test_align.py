"""Are calls put into slots by what they are for, whatever their place and the order of the runs?"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile.fixtures import Case, cases, work
from tracelode.compile.align import align
from tracelode.compile.matching import matched
from tracelode.compile.work import Alignment, Label, Work
from tracelode.model.run import Call, Run, Turn


def _labelled(case: Case) -> Work:
    told = {}
    for key, value in case.options:
        if key == "label":
            run, call, kind, *of = value.split()
            told[run, int(call)] = Label(kind, int(of[0]) if of else -1)  # type: ignore[arg-type]
    given_work = case.work()
    labels = tuple(
        tuple(told.get((run.key, call.index), Label("essential")) for call in run.calls)
        for run in given_work.runs
    )
    return _with_labels(given_work, labels) if told else given_work


def _with_labels(given_work: Work, labels: tuple[tuple[Label, ...], ...]) -> Work:
    return replace(given_work, labels=labels)


def _shown(done: Work) -> str:
    found = done.alignment
    assert found is not None
    lines = [f"slots: {' '.join(slot.name for slot in found.slots)}"]
    for run, of in zip(done.runs, found.of, strict=True):
        lines.append(f"{run.key}: {' '.join(name or '-' for name in of)}")
    shown = [f"{' '.join(sorted(v.slots))} x{len(v.runs)}" for v in found.variants]
    lines.append(f"variants: {'; '.join(shown)}")
    for run, of in zip(done.failed, found.failed, strict=True):
        lines.append(f"failed {run.key}: {' '.join(name or '-' for name in of)}")
    return "\n".join([*lines, f"left out: {found.rare}"] if found.rare else lines)


@pytest.mark.parametrize("case", cases("align"))
def test_fixture(case: Case) -> None:
    assert _shown(align(_labelled(case))) == case.expected


@pytest.mark.parametrize("case", cases("align"))
def test_the_order_of_the_runs_says_nothing(case: Case) -> None:
    given_work = _labelled(case)
    want = align(given_work).alignment
    assert want is not None
    for order in itertools.islice(itertools.permutations(range(len(given_work.runs))), 24):
        turned = _with_labels(
            work([given_work.runs[n] for n in order] + list(given_work.failed)),
            tuple(given_work.labels[n] for n in order) if given_work.labels else (),
        )
        found = align(turned).alignment
        assert found is not None
        assert found.slots == want.slots
        assert [found.of[place] for place, _ in enumerate(order)] == [want.of[n] for n in order]
        assert [v.slots for v in found.variants] == [v.slots for v in want.variants]


def _journey(key: str, cities: tuple[str, ...], rng: random.Random) -> tuple[Run, tuple[str, ...]]:
    """A run of 2 legs whose look-ups come in any order, and the role of each call."""
    legs = list(itertools.pairwise(cities))
    looked = list(enumerate(cities))
    rng.shuffle(looked)
    calls = [("place", {"query": city}, {"id": f"{key}-{city}.ID"}) for _, city in looked]
    roles = [f"place {n}" for n, _ in looked]
    passed = [{"from": f"{key}-{a}.ID", "to": f"{key}-{b}.ID"} for a, b in legs]
    calls.append(("flights", {"legs": passed}, {"token": f"tok-{key}"}))
    calls.append(("details", {"token": f"tok-{key}"}, "fine"))
    run = Run(
        key=key,
        calls=tuple(
            Call(index=n, name=name, arguments=arguments, output=output)
            for n, (name, arguments, output) in enumerate(calls)
        ),
        turns=(Turn("user", "A journey of two legs", 0),),
        outcome="success",
    )
    return run, (*roles, "flights", "details")


@given(st.integers(0, 2**32))
def test_roles_follow_what_they_are_bound_to(seed: int) -> None:
    rng = random.Random(seed)
    names = ["Oslo", "Turin", "Riga", "Porto", "Bonn", "Lyon"]
    made = [_journey(f"r{n}", tuple(rng.sample(names, 3)), rng) for n in range(6)]
    found = align(work([run for run, _ in made])).alignment
    assert found is not None
    pairs = {
        pair for (_, roles), of in zip(made, found.of, strict=True) for pair in zip(roles, of, strict=True)
    }
    assert len(pairs) == 5 == len(found.slots)
    assert len(found.variants) == 1


def _columns(scores: list[list[float | None]]) -> tuple[int, float]:
    """(pairs, sum) of the best matching, by trying all."""
    width = len(scores[0])
    best = (0, 0.0)
    for choice in itertools.product([None, *range(width)], repeat=len(scores)):
        taken = [c for c in choice if c is not None]
        if len(set(taken)) == len(taken):
            made = [scores[n][c] for n, c in enumerate(choice) if c is not None]
            if None not in made:
                best = max(best, (len(made), sum(s for s in made if s is not None)))
    return best


@given(st.data())
def test_matching_is_the_best_there_is(data: st.DataObject) -> None:
    rows, width = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    cell = st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 16))
    scores = [[data.draw(cell) for _ in range(width)] for _ in range(rows)]
    found = matched(scores)
    made = [scores[n][c] for n, c in enumerate(found) if c is not None]
    assert None not in made
    assert max(Counter(c for c in found if c is not None).values(), default=1) == 1
    pairs, total = _columns(scores)
    assert len(made) == pairs
    assert sum(s for s in made if s is not None) == pytest.approx(total)


def test_no_runs() -> None:
    assert align(work([])).alignment == Alignment((), (), ())


def test_arguments_that_are_no_object() -> None:
    runs = [
        Run(key=f"r{n}", calls=(Call(index=0, name="say", arguments=given_),), outcome="success")
        for n, given_ in enumerate(("plain text", None, [1, 2], {}, 7))
    ]
    found = align(work(runs)).alignment
    assert found is not None
    assert all(len(of) == 1 for of in found.of)


def test_a_thousand_runs_take_well_below_a_second() -> None:
    rng = random.Random(7)
    names = ["Oslo", "Turin", "Riga", "Porto", "Bonn", "Lyon"]
    runs = [_journey(f"r{n}", tuple(rng.sample(names, 3)), rng)[0] for n in range(1_000)]
    start = time.process_time()
    align(work(runs))
    assert time.process_time() - start < 2.0  # measured: a fifth of it


def test_the_order_of_hashing_says_nothing() -> None:
    """Slots are the same in processes that hash text differently."""
    code = (
        "import random, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import importlib.util as u\n"
        "spec = u.spec_from_file_location('compile', sys.argv[1] + '/compile/__init__.py',"
        " submodule_search_locations=[sys.argv[1] + '/compile'])\n"
        "sys.modules['compile'] = u.module_from_spec(spec)\n"
        "from compile.fixtures import FOLDER, case\n"
        "from tracelode.compile.align import align\n"
        "for path in sorted((FOLDER / 'align').glob('*.txt')):\n"
        "    found = align(case(path).work()).alignment\n"
        "    print(found.slots, found.of, [sorted(v.slots) for v in found.variants])\n"
    )
    tests = str(Path(__file__).parents[1])
    told = {
        subprocess.run(
            [sys.executable, "-c", code, tests],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
    assert told != {b""}


def test_more_units_than_a_workflow_has_are_told_by_their_order() -> None:
    runs = [
        Run(
            key=f"r{n}",
            calls=tuple(
                Call(index=k, name="read", arguments={"path": f"f{k * 7 % 11}"}) for k in range(60 + n)
            ),
            outcome="success",
        )
        for n in range(3)
    ]
    found = align(work(runs)).alignment
    assert found is not None
    assert found.of[0] == tuple(f"read#{k + 1}" for k in range(60))
    assert found.of[2][-1] == "", "the last call of the longest run is of no other run"
    assert len(found.slots) == 61

"""What repeats what? Cases worked out by hand, and laws."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw
from tracelode.model.operation import Operation
from tracelode.signals.likeness import SPAN, likeness
from tracelode.signals.repeats import LOOPS, SORTS, WINDOW, chains, repeats

LONG = "python solve.py --input data/train.csv --output out/model.bin --seed 7 --epochs 40 --rate 0.01"
NEARLY = LONG.replace("--seed 7", "--seed 8")


def sorts(*operations: Operation) -> list[tuple[int, int, str]]:
    return [(r.place, r.of, r.sort) for r in repeats(operations)]


FAILS = {"status": "nonzero", "output": "boom"}

CASES: dict[str, tuple[list[Operation], list[tuple[int, int, str]]]] = {
    "nothing": ([], []),
    "other files": ([call("Read a.py"), call("Read b.py")], []),
    "other tools": ([call("Read a.py"), call("Grep a.py")], []),
    "the same look": ([call("Read a.py", output="x"), call("Read a.py", output="x")], [(1, 0, "redundant")]),
    "another result": (
        [call("$ git status", output="clean"), call("$ git status", output="three files changed here")],
        [(1, 0, "poll")],
    ),
    "a wait": ([call("$ sleep 5"), call("$ sleep 5")], [(1, 0, "poll")]),
    "a look after a change": (
        [call("Read a.py", output="x"), call("Edit b.py"), call("Read a.py", output="x")],
        [(2, 0, "recheck")],
    ),
    "a test after a change": (
        [call("$ pytest", **FAILS), call("Edit a.py"), call("$ pytest", output="1 passed")],
        [(2, 0, "recheck")],
    ),
    "tried again": ([call("$ make", **FAILS), call("$ make", output="done")], [(1, 0, "retry")]),
    "tried again twice": (
        [call("$ make", **FAILS), call("$ make", **FAILS), call("$ make", **FAILS)],
        [(1, 0, "retry"), (2, 1, "retry")],
    ),
    "tried with another seed": (
        [call(f"$ {LONG}", **FAILS), call(f"$ {NEARLY}", **FAILS)],
        [(1, 0, "retry")],
    ),
    "the same write": ([call("$ rm -r build"), call("$ rm -r build")], [(1, 0, "again")]),
    "written again after a failure": (
        [call("Edit a.py", arg="1"), call("$ pytest", **FAILS), call("Edit a.py", arg="2")],
        [(2, 0, "rework")],
    ),
    "written again, all well": (
        [call("Write a.py"), call("$ pytest", output="1 passed"), call("Read b.py"), call("Edit a.py")],
        [],
    ),
    "far apart and equal": (
        [
            call("Read a.py", output="x"),
            *(call(f"Read {n}.py") for n in "bcdefgh"),
            call("Read a.py", output="x"),
        ],
        [(8, 0, "redundant")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_by_hand(name: str) -> None:
    operations, expected = CASES[name]
    assert sorts(*operations) == expected


def test_near_actions_are_looked_for_in_a_window() -> None:
    filler = [call(f"$ echo {'abcdefghij'[n] * 60}") for n in range(WINDOW)]
    assert sorts(call(f"$ {LONG}"), *filler[:-1], call(f"$ {NEARLY}"))
    assert not sorts(call(f"$ {LONG}"), *filler, call(f"$ {NEARLY}"))


def test_prompts_answers_plans_and_copies_do_not_act() -> None:
    words = [raw("prompt", "p"), raw("model", "m"), raw("note", "n"), raw("plan", "TodoWrite")]
    copies = [raw("tool", "Read", inherited=True)] * 2
    assert sorts(*words, *words, *copies) == []


def test_a_result_that_is_nearly_the_same_is_the_same() -> None:
    text = "line of a log that goes on\n" * 12
    found = repeats([call("Read a.log", output=text), call("Read a.log", output=text + "x")])
    assert found[0].same_result
    assert found[0].likeness == 1.0


def test_a_failure_and_a_success_are_not_the_same_result() -> None:
    assert not repeats([call("$ make", **FAILS), call("$ make", output="boom")])[0].same_result


def test_every_sort_has_words_and_loops_are_sorts() -> None:
    assert set(SORTS) >= LOOPS
    assert {sort for _, rows in CASES.values() for *_, sort in rows} == set(SORTS)


texts = st.text(alphabet="ab c/\n", max_size=40)
actions = st.lists(
    st.builds(
        call,
        st.sampled_from(["Read a.py", "Edit a.py", "$ make", "$ pytest -q", "$ git status", "TodoWrite"]),
        status=st.sampled_from(["ok", "nonzero", "error"]),
        output=texts,
    ),
    max_size=25,
)


@given(actions)
def test_repeats_point_back_and_come_once(operations: list[Operation]) -> None:
    found = repeats(operations)
    assert [r.place for r in found] == sorted({r.place for r in found})
    assert all(0 <= r.of < r.place < len(operations) for r in found)
    assert found == repeats(list(operations))


@given(actions, actions)
def test_what_comes_later_changes_nothing_before(first: list[Operation], later: list[Operation]) -> None:
    known = repeats(first)
    assert repeats([*first, *later])[: len(known)] == known


@given(actions)
def test_chains_hold_every_repeat_once(operations: list[Operation]) -> None:
    found = repeats(operations)
    made = chains(found)
    assert sorted(r for chain in made for r in chain) == sorted(found)
    assert all(b.of == a.place for chain in made for a, b in pairwise(chain))


@given(texts, texts)
def test_likeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1


def test_likeness_by_hand() -> None:
    # abcd bcde cdef and bcde cdef defg: two of three in common
    assert likeness("abcdef", "bcdefg") == pytest.approx(2 / 3)
    assert likeness("", "") == 1.0
    assert likeness("", "abcd") == 0.0
    assert likeness("a \n b", "a b") == 1.0


def test_least_gives_nothing_for_lengths_that_lie_apart() -> None:
    assert likeness("abcd", "abcd" * 50, 0.9) == 0.0


def test_a_hostile_text_stays_cheap() -> None:
    assert likeness("a" * 10_000_000, "a" * 9_000_000) == 1.0  # only the first SPAN characters count
    assert SPAN < 10_000

"""Do several tellings of one run count once?"""

from __future__ import annotations

from pathlib import Path

import msgspec

from compile.chats import store, talk
from compile.fixtures import runs, work
from tracelode.compile.copies import unforked, unrepeated
from tracelode.compile.gate import gate
from tracelode.compile.intents import intents
from tracelode.compile.work import State
from tracelode.model.run import Run


def _forked(run: Run, key: str, shared: int, outcome: str | None = None) -> Run:
    """A run that goes on by itself after the first calls of another one."""
    calls = tuple(
        msgspec.structs.replace(c, operation=f"{run.key if n < shared else key}-{n}")
        for n, c in enumerate(run.calls)
    )
    return msgspec.structs.replace(run, key=key, calls=calls, outcome=outcome)


TEXT = 'user: Find the bill of P-{0}\nfind(of="P-{0}") -> {{"bill": "B-{0}7"}}\nget(bill="B-{0}7") -> {0}\n'


def test_forks_of_a_run_are_one_run_and_the_longest_is_kept() -> None:
    (origin,) = runs(f"run a:\n{TEXT.format(4711)}")
    short = _forked(msgspec.structs.replace(origin, calls=origin.calls[:1]), "a", 1)
    forks = [_forked(origin, key, 1) for key in ("b", "c", "d")]
    # a fork of a fork hangs together with all of them
    forks[2] = msgspec.structs.replace(forks[2], calls=(forks[1].calls[1], *forks[2].calls[1:]))
    failed = _forked(origin, "e", 1, "failure")
    (other,) = (_forked(run, "z", 0) for run in runs(f"run z:\n{TEXT.format(815)}"))
    kept, left = unforked([short, *forks, failed, other])
    assert ([run.key for run in kept], left) == (["b", "e", "z"], 3)
    again, _ = unforked([other, failed, *reversed(forks), short])
    assert {run.key for run in again} == {"b", "e", "z"}


def test_runs_without_operations_are_no_forks() -> None:
    given = runs(f"run a:\n{TEXT.format(1)}run b:\n{TEXT.format(2)}")
    assert unforked(given) == (given, 0)


def test_a_copy_says_word_for_word_the_same() -> None:
    one, other = TEXT.format(4711), TEXT.format(815)
    odd = one.replace("-> 4711", "-> 4712")
    given = runs(
        f"run a:\n{one}run b:\n{one}run c (success):\n{one}run d:\n{odd}run e:\n{other}run f:\n{other}"
    )
    kept, left = unrepeated(given)
    assert ([run.key for run in kept], left) == (["a", "c", "d", "e"], 2)


def test_the_gate_says_how_many_count_once() -> None:
    one = TEXT.format(4711)
    done = gate(work(runs("".join(f"run r{n} (success):\n{one}" for n in range(6)))))
    assert (len(done.runs), done.forks, done.copies, done.aside) == (1, 0, 5, 0)


def test_forks_make_no_intent() -> None:
    (origin,) = runs(f"run a:\n{TEXT.format(4711)}")
    alike = tuple(
        _forked(r, r.key, 0) for r in runs("".join(f"run q{n}:\n{TEXT.format(n)}" for n in range(4)))
    )
    state = intents(State((*(_forked(origin, f"f{n}", 1) for n in range(5)),)))
    assert (state.intents, state.alone, state.forks) == ((), ("f0",), 4)
    both = intents(State((*alike, *(_forked(origin, f"f{n}", 1) for n in range(5)))))
    assert [len(one.runs) for one in both.intents] == [5]
    assert both.forks == 4


def test_six_copies_are_too_few_to_learn_from(tmp_path: Path) -> None:
    calls = [
        ("find_order", {"id": "ORD-4711"}, {"customer": "CUST-88"}),
        ("send_note", {"customer": "CUST-88"}, {"status": "sent"}),
    ]
    talks = [talk(f"{n:02}", "Send a note for order ORD-4711.", calls) for n in range(6)]
    (found,) = store(tmp_path, talks).compile()
    assert found.workflow is None
    (too_few,) = (r for r in found.verdict.refusals if r.code == "R3" and not r.slot)
    assert "5 of them copies of another, counted once" in too_few.message
    assert (len(found.sessions), found.copies) == (1, 5)

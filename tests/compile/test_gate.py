"""Are workflows compiled from successful runs alone, with failed ones kept and unknown ones told apart?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile.fixtures import Case, cases, work
from tracelode.compile.gate import FEWEST, gate
from tracelode.compile.work import Work
from tracelode.model.intent import Intent
from tracelode.model.run import Run


@pytest.mark.parametrize("case", cases("gate"))
def test_fixture(case: Case) -> None:
    done = gate(work(case.runs))
    shown = [f"compiled: {' '.join(run.key for run in done.runs)}".strip()]
    shown += [f"failed: {' '.join(run.key for run in done.failed)}".strip(), f"left aside: {done.aside}"]
    assert "\n".join(shown) == case.expected


@given(st.lists(st.sampled_from(("success", "failure", None, "odd")), max_size=12), st.randoms())
def test_every_run_is_somewhere_once(outcomes: list[str | None], rng: object) -> None:
    runs = [Run(key=f"r{n:02d}", calls=(), outcome=outcome) for n, outcome in enumerate(outcomes)]
    intent = Intent(id="i_00000000", name="test", runs=tuple(run.key for run in runs))
    done = gate(Work(intent=intent, runs=tuple(runs)))
    rng.shuffle(runs)  # type: ignore[attr-defined]
    assert gate(Work(intent=intent, runs=tuple(runs))) == done
    assert gate(done) == done or done.aside
    assert len(done.runs) + len(done.failed) + done.aside == len(runs)
    assert all(run.outcome == "failure" for run in done.failed)
    assert all(run.outcome != "failure" for run in done.runs)
    if sum(outcome == "success" for outcome in outcomes) >= FEWEST:
        assert {run.outcome for run in done.runs} == {"success"}
    else:
        assert not done.aside

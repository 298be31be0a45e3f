"""Does what the compiler makes of runs run: bound, chosen, checked, stored and read back from its file?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compile import fixtures
from compile.execution import YES, Box, answering, bound, start, step, workflow
from tracelode.compile.files import dump, load
from tracelode.compile.passes import run
from tracelode.compile.work import Declared, State
from tracelode.model import binding as b
from tracelode.model.execution import Policy, Question, Reply
from tracelode.model.workflow import Effect, Guard, Workflow
from tracelode.model.workflow import Test as Comparison

CITIES = ("Rome", "Oslo", "Bern", "Kyiv", "Riga", "Lima")
EFFECTS = {
    "find_rooms": Effect("read", "configured", family="hotel"),
    "create_booking": Effect("append", "configured", family="hotel"),
}


def recorded() -> str:
    """Six runs that book the cheapest of three rooms, wherever it stands."""
    lines = []
    for n, city in enumerate(CITIES):
        cheap, dear = f"{city[:2]}-{n}77y", f"{city[:2]}-{n}93x"
        rows = [
            f'{{"id": "{name}", "price": {price}}}'
            for name, price in ((dear, 90 + n), (cheap, 50 + n), (f"{city[:2]}-{n}31z", 80 - n))
        ]
        lines += [
            f"run r{n} (success):",
            f"user: Book the cheapest room in {city} for guest {1000 + 7 * n}",
            f'find_rooms(city="{city}") -> {{"rooms": [{", ".join(rows[n % 3 :] + rows[: n % 3])}]}}',
            f'create_booking(room="{cheap}", guest="{1000 + 7 * n}") -> '
            f'{{"status": "ok", "booking": "BK{n}4{n}8"}}',
            "assistant: Done.",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    state = run(State(runs=fixtures.runs(recorded()), declared=Declared(effects=EFFECTS)))
    (made,) = (w.verdict for w in state.works if isinstance(w.verdict, Workflow))
    path = tmp_path_factory.mktemp("compiled") / "workflow.json"
    dump(made, path)
    return load(path)


def rooms(city: str) -> Any:
    return {"rooms": [{"id": f"{city}-a", "price": 70}, {"id": f"{city}-b", "price": 60}]}


def test_a_compiled_workflow_runs(compiled: Workflow, tmp_path: Path) -> None:
    box = Box(find_rooms=rooms, create_booking=lambda room, guest: {"status": "ok", "booking": "B1"})
    outcome = start(compiled, box, tmp_path / "r.db", {"city": "Paris", "guest": "42"})
    assert outcome.status == "done"
    assert [given for _, given, _ in box.calls] == [{"city": "Paris"}, {"room": "Paris-b", "guest": "42"}]


def test_a_compiled_workflow_that_no_longer_fits_stands(compiled: Workflow, tmp_path: Path) -> None:
    box = Box(find_rooms=lambda city: {"message": "moved"}, create_booking=lambda room, guest: {})
    outcome = start(compiled, box, tmp_path / "r.db", {"city": "Paris", "guest": "42"})
    assert outcome.escalation is not None
    assert outcome.escalation.step == "find_rooms#1"
    assert box.names() == ["find_rooms"]


def test_a_branch_that_a_model_decides_is_no_yes_to_its_write(tmp_path: Path) -> None:
    guard = Guard((Comparison(b.Free(), "eq", b.Constant(True)),))
    work = workflow(
        step("send#1", effect=Effect("append", "configured"), when=guard, arguments=bound(to=b.Constant(1)))
    )
    heard: list[Question] = []
    box = Box(send=lambda to: to)
    asker = answering(Reply(by="model", value=True), Reply(by="model", yes=True), heard=heard)
    assert start(work, box, tmp_path / "r.db", asker=asker, policy=YES).status == "escalated"
    assert [q.kind for q in heard] == ["value", "approval"]
    assert box.calls == []
    asker = answering(Reply(by="model", value=False))
    outcome = start(work, box, tmp_path / "r.db", asker=asker, policy=Policy(writes="proven"), run="no")
    assert (outcome.status, outcome.skipped) == ("done", ("send#1",))

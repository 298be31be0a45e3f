"""Is a workflow that does not fit any more found out, and does it act no more?"""

from __future__ import annotations

from pathlib import Path

import pytest

from compile.execution import WRITE, YES, Box, bound, start, step, workflow
from tracelode.compile.execute.journal import Journal
from tracelode.compile.execute.monitor import Monitor
from tracelode.errors import RunError, ToolFailed, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Policy, Question, Reply
from tracelode.model.run import ToolSpec
from tracelode.model.workflow import Check, Workflow

READS = workflow(step("find#1", checks=(Check("nonempty", "rooms"),)))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def runs(work: Workflow, place: Path, box: Box, count: int, name: str) -> None:
    for n in range(count):
        start(work, box, place, run=f"{name}-{n}")


GOOD, BAD = Box(find=lambda: {"rooms": [1]}), Box(find=lambda: {"rooms": []})


def test_more_than_a_tenth_of_thirty_runs_demotes(place: Path) -> None:
    runs(READS, place, GOOD, 20, "good")
    runs(READS, place, BAD, 3, "bad")
    with Journal(place) as journal:
        health = Monitor(journal).health(READS.id)
    assert (health.runs, health.stood, health.demoted) == (23, 3, "")
    assert health.steps == (("find#1", 3),)
    assert (health.guards[0].guard, health.guards[0].runs) == ("check rooms", 3)
    runs(READS, place, BAD, 1, "last")
    with pytest.raises(RunError, match="demoted: 4 of the last 24 runs"):
        start(READS, GOOD, place, run="no")
    assert start(READS, GOOD, place, run="shadow", policy=Policy(mode="shadow")).status == "done"
    assert start(READS, GOOD, place, run="forced", policy=Policy(demoted=True)).status == "done"
    with Journal(place) as journal:
        Monitor(journal).restore(READS.id)
    assert start(READS, GOOD, place, run="again").status == "done"


def test_old_runs_are_forgotten(place: Path) -> None:
    runs(READS, place, BAD, 3, "bad")
    runs(READS, place, GOOD, 30, "good")
    runs(READS, place, BAD, 3, "later")
    with Journal(place) as journal:
        health = Monitor(journal).health(READS.id)
    assert (health.runs, health.stood, health.demoted) == (30, 3, "")


def test_one_failed_check_of_a_write_demotes(place: Path) -> None:
    check = Check("equals", "status", "ok", "success")
    work = workflow(step("send#1", effect=WRITE, arguments=bound(to=b.Constant("x")), checks=(check,)))
    start(work, Box(send=lambda to: {"status": "odd"}), place)
    with pytest.raises(RunError, match="the output of the write send#1"):
        start(work, Box(send=lambda to: {"status": "ok"}), place, run="b")


def test_what_tells_of_who_asked_does_not_count(place: Path) -> None:
    work = workflow(step("send#1", effect=WRITE, arguments=bound(to=b.Free())))
    for n in range(6):
        assert start(work, Box(send=lambda to: to), place, run=f"r{n}").status == "escalated"
    with Journal(place) as journal:
        assert Monitor(journal).health(work.id).stood == 0


def test_runs_of_another_engine_are_taken_in(place: Path, tmp_path: Path) -> None:
    def broken() -> None:
        raise ToolFailed("no")

    with Journal(place) as journal:
        for n in range(4):
            outcome = start(READS, Box(find=broken), tmp_path / f"{n}.db", run=f"r{n}", policy=YES)
            Monitor(journal).take(outcome)
        assert Monitor(journal).health(READS.id).stood == 4
        assert "4 of the last 4" in Monitor(journal).judge(READS)


class Unreached(Box):
    """A toolbox behind a server that is not reached."""

    async def describe(self) -> list[ToolSpec]:
        raise ToolUnsure("the server is not reached", kind="unreachable")


def unreached() -> None:
    raise ToolUnsure("the server is gone", kind="unreachable")


@pytest.mark.parametrize("box", [Unreached(), Box(other=lambda: 1), Box(find=unreached)])
def test_mistakes_of_setup_do_not_count(place: Path, box: Box) -> None:
    for n in range(5):
        assert start(READS, box, place, run=f"r{n}").status == "escalated"
    with Journal(place) as journal:
        assert Monitor(journal).health(READS.id).stood == 0
    assert start(READS, GOOD, place, run="good").status == "done"


def test_a_no_does_not_count_and_asks_for_no_output(place: Path) -> None:
    work = workflow(step("send#1", effect=WRITE, arguments=bound(to=b.Constant("x"))))

    async def no(question: Question) -> Reply | None:
        if question.kind == "approval":
            return Reply(by="person", yes=False)
        assert question.escalation is not None
        assert question.escalation.actions == ("skip", "stop")
        return Reply(by="person", action="stop")

    for n in range(5):
        policy = Policy(writes="ask")
        assert start(work, Box(send=str), place, run=f"r{n}", policy=policy, asker=no).status == "stopped"
    with Journal(place) as journal:
        assert Monitor(journal).health(work.id).stood == 0

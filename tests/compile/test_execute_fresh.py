"""Does a run that stood too long stand still, rather than write with what ran out meanwhile?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compile.execution import READ, WRITE, YES, Box, answering, bound, resume, start, step, workflow
from compile.expiring import UNKNOWN, Clock, ordering
from tracelode.compile import lasting
from tracelode.compile.execute.journal import Journal
from tracelode.compile.execute.monitor import Monitor
from tracelode.errors import RunError, ToolFailed, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Outcome, Policy, Question, Reply
from tracelode.model.workflow import Check, ForEach, Fresh, Guard
from tracelode.model.workflow import Test as Comparison

ASK = Policy(writes="ask")
MINUTE = 60 * lasting.SECOND
ACTIONS = ("retry", "output", "accept", "skip", "stop")
YES_REPLY = Reply(by="person", yes=True)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(lasting, "time_ns", made)
    return made


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def shop(**offer: Any) -> Box:
    return Box(offer=lambda: {"id": "o-1", **offer}, take=lambda id: {"taken": id})


def stale(outcome: Outcome) -> str:
    """What an outcome that stands at an expiry says."""
    assert (outcome.status, outcome.escalation and outcome.escalation.code) == ("escalated", "stale")
    assert outcome.escalation is not None
    assert outcome.escalation.bound == {"id": "o-1"}
    assert outcome.escalation.actions == ACTIONS
    return outcome.escalation.message


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("seconds", lambda c: 60),
        ("milliseconds", lambda c: 60_000),
        ("moment", lambda c: c.iso(60)),
        ("moment", lambda c: c.at // lasting.SECOND + 60),
        ("moment", lambda c: c.at // 1_000 + 60_000),
    ],
)
def test_a_yes_that_comes_too_late_writes_nothing(
    clock: Clock, place: Path, kind: str, told: Callable[[Clock], Any]
) -> None:
    work, box = ordering(kind), shop(ttl=told(clock))
    assert start(work, box, place, policy=ASK).question.kind == "approval"  # type: ignore[union-attr]
    clock.at += 3 * 24 * 60 * MINUTE
    outcome = resume(work, box, place, policy=ASK, reply=YES_REPLY)
    assert stale(outcome) == "what offer#1 gave no longer holds: it ran out 2 days ago"
    assert box.names() == ["offer"]
    assert resume(work, box, place, policy=ASK).status == "escalated"
    assert box.names() == ["offer"]


@pytest.mark.parametrize("kind", ["seconds", "moment"])
def test_a_yes_in_time_writes(clock: Clock, place: Path, kind: str) -> None:
    work, box = ordering(kind), shop(ttl=60 if kind == "seconds" else clock.iso(60))
    start(work, box, place, policy=ASK)
    clock.at += MINUTE
    outcome = resume(work, box, place, policy=ASK, reply=YES_REPLY)
    assert (outcome.status, outcome.outputs["take#1"]) == ("done", {"taken": "o-1"})


def test_nobody_is_asked_for_a_yes_to_what_ran_out(clock: Clock, place: Path) -> None:
    heard: list[Question] = []

    def late() -> Any:
        clock.at += 2 * MINUTE
        return {"id": "o-1", "ttl": 60}

    box = Box(offer=late, take=lambda id: id)
    outcome = start(ordering(), box, place, policy=ASK, asker=answering(None, heard=heard))
    # counted from when the call began: nobody knows at which moment of it the offer was made
    assert stale(outcome) == "what offer#1 gave no longer holds: it ran out 60 seconds ago"
    assert [one.kind for one in heard] == ["escalation"]


def test_a_person_who_takes_long_in_the_same_process_is_too_late_as_well(clock: Clock, place: Path) -> None:
    box = shop(ttl=60)

    async def ask(question: Question) -> Reply | None:
        if question.kind == "approval":
            clock.at += 5 * MINUTE
            return YES_REPLY
        return None

    assert "ran out 4 minutes ago" in stale(start(ordering(), box, place, policy=ASK, asker=ask))
    assert box.names() == ["offer"]


@pytest.mark.parametrize(
    ("reply", "status", "out", "calls"),
    [
        (Reply(by="person", action="accept"), "done", {"taken": "o-1"}, ["offer", "take"]),
        (
            Reply(by="person", action="output", value={"taken": "by hand"}),
            "done",
            {"taken": "by hand"},
            ["offer"],
        ),
        (Reply(by="person", action="skip"), "done", None, ["offer"]),
        (Reply(by="person", action="retry"), "escalated", None, ["offer"]),
        (Reply(by="person", action="stop"), "stopped", None, ["offer"]),
    ],
)
def test_what_a_person_may_answer(
    clock: Clock, place: Path, reply: Reply, status: str, out: Any, calls: list[str]
) -> None:
    work, box = ordering(), shop(ttl=60)
    start(work, box, place, policy=ASK)
    clock.at += 60 * MINUTE
    stale(resume(work, box, place, policy=ASK, reply=YES_REPLY))
    with pytest.raises(RunError, match="nothing about a write"):
        resume(work, box, place, policy=ASK, reply=Reply(by="model", action="accept"))
    outcome = resume(work, box, place, policy=ASK, reply=reply)
    assert (outcome.status, outcome.outputs.get("take#1"), box.names()) == (status, out, calls)
    if reply.action == "skip":
        assert outcome.skipped == ("take#1",)


def test_what_was_accepted_stays_so_and_other_answers_are_no_acceptance(clock: Clock, place: Path) -> None:
    """An output that fails its check after an accepted expiry is not accepted with it; a no stays a no."""
    offer, take = ordering().steps
    work = workflow(
        offer, msgspec.structs.replace(take, checks=(Check("equals", "taken", "other", "success"),))
    )
    box = shop(ttl=60)
    start(work, box, place, policy=ASK)
    clock.at += 60 * MINUTE
    resume(work, box, place, policy=ASK, reply=YES_REPLY)
    clock.at += 60 * MINUTE
    outcome = resume(work, box, place, policy=ASK, reply=Reply(by="person", action="accept"))
    assert outcome.escalation is not None
    assert (outcome.status, outcome.escalation.code) == ("escalated", "guard_failed")
    assert box.names() == ["offer", "take"]
    assert resume(work, box, place, policy=ASK).status == "escalated"
    assert box.names() == ["offer", "take"]


def test_a_step_that_is_done_is_not_looked_at_again(clock: Clock, place: Path) -> None:
    work = workflow(
        *ordering().steps,
        step("tell#1", "take#1", effect=WRITE, order=2, arguments=bound(of=b.Copy("take#1", "taken"))),
    )
    box = shop(ttl=60)
    box.functions["tell"] = lambda of: "told"
    policy = Policy(writes="ask", approved=("take#1",))
    assert start(work, box, place, policy=policy).question.step == "tell#1"  # type: ignore[union-attr]
    clock.at += 60 * MINUTE
    outcome = resume(work, box, place, policy=policy, reply=YES_REPLY)
    assert (outcome.status, box.names()) == ("done", ["offer", "take", "tell"])


@pytest.mark.parametrize(("offer", "why"), UNKNOWN)
def test_an_expiry_that_is_not_known_holds_a_write_and_no_read(
    clock: Clock, place: Path, offer: Any, why: str
) -> None:
    box = shop(**offer)
    assert stale(start(ordering(), box, place)) == f"what offer#1 gave may not hold any more: {why}"
    assert box.names() == ["offer"]
    assert start(ordering(effect=READ), box, place, run="reads").status == "done"


def test_what_some_runs_did_not_tell_need_not_be_told(clock: Clock, place: Path) -> None:
    assert start(ordering(always=False), shop(), place).status == "done"
    assert start(ordering(always=False), shop(ttl=None), place, run="null").status == "done"
    stale(start(ordering(always=False), shop(ttl="soon"), place, run="other"))


def test_a_read_is_not_called_with_what_ran_out(clock: Clock, place: Path) -> None:
    work, box = ordering("moment", effect=READ), shop(ttl=clock.iso(-1))
    assert "ran out 1 second ago" in stale(start(work, box, place))
    outcome = resume(work, box, place, reply=Reply(by="model", action="accept"))
    assert (outcome.status, box.names()) == ("done", ["offer", "take"])


def test_a_clock_that_goes_back_stops_a_write_and_crashes_nothing(clock: Clock, place: Path) -> None:
    work, box = ordering(), shop(ttl=60)
    start(work, box, place, policy=ASK)
    clock.at -= 60 * MINUTE
    outcome = resume(work, box, place, policy=ASK, reply=YES_REPLY)
    assert "the clock stands before the moment at which it was given" in stale(outcome)
    clock.at += 60 * MINUTE
    outcome = resume(work, box, place, policy=ASK, reply=Reply(by="person", action="retry"))
    assert (outcome.status, box.names()) == ("done", ["offer", "take"])


def test_a_read_that_failed_first_counts_from_the_call_that_answered(clock: Clock, place: Path) -> None:
    """Its note begins anew, though it has the same key."""
    down = [True]

    def offer() -> Any:
        if down:
            raise ToolFailed("down", kind="failed")
        return {"id": "o-1", "ttl": 60}

    box = Box(offer=offer, take=lambda id: {"taken": id})
    assert start(ordering(), box, place).status == "escalated"
    clock.at += 60 * MINUTE
    down.clear()
    assert resume(ordering(), box, place).status == "done"


def test_a_write_that_gives_the_token_counts_from_when_it_began(clock: Clock, place: Path) -> None:
    limit = Fresh("hold#1", b.Copy("hold#1", "ttl"), "seconds", True)
    work = workflow(
        step("hold#1", effect=WRITE),
        step(
            "pay#1",
            "hold#1",
            effect=WRITE,
            order=1,
            arguments=bound(id=b.Copy("hold#1", "id")),
            fresh=(limit,),
        ),
    )

    def cut() -> Any:
        raise ToolUnsure("cut", kind="timeout")

    box = Box(hold=cut, pay=lambda id: "paid")
    outcome = start(work, box, place)
    assert outcome.escalation is not None
    assert outcome.escalation.code == "in_doubt"
    clock.at += 5 * MINUTE
    told = Reply(by="person", action="output", value={"id": "o-1", "ttl": 60})
    assert "ran out 4 minutes ago" in stale(resume(work, box, place, reply=told))
    clock.at += MINUTE
    assert "ran out 5 minutes ago" in stale(resume(work, box, place))
    assert box.names() == ["hold"]


def test_a_time_that_was_not_noted_is_not_known(clock: Clock, place: Path) -> None:
    box = Box(offer=lambda: {"error": "gone"}, take=lambda id: id)
    offer, take = ordering().steps
    guarded = msgspec.structs.replace(offer, arguments=bound(of=b.FromState("desk")))
    work = workflow(guarded, take)
    outcome = start(work, box, place)
    assert outcome.escalation is not None
    assert outcome.escalation.code == "missing_input"
    told = Reply(by="person", action="output", value={"id": "o-1", "ttl": 60})
    assert "when it was given was not noted" in stale(resume(work, box, place, reply=told))


def test_each_element_is_held_against_its_own_expiry(clock: Clock, place: Path) -> None:
    limit = Fresh("list#1", b.Each("until"), "moment", True)
    work = workflow(
        step("list#1"),
        step(
            "put#1",
            "list#1",
            effect=WRITE,
            order=1,
            each=ForEach(b.Copy("list#1", "rows"), most=3),
            arguments=bound(id=b.Each("id")),
            fresh=(limit,),
        ),
    )
    rows = [{"id": n, "until": clock.iso(60 - 120 * (n == 2))} for n in range(3)]
    box = Box(list=lambda: {"rows": rows}, put=lambda id: id)
    outcome = start(work, box, place)
    assert outcome.escalation is not None
    assert (outcome.escalation.code, outcome.escalation.bound) == ("stale", {"id": 2})
    assert [args for name, args, _ in box.calls if name == "put"] == [{"id": 0}, {"id": 1}]
    outcome = resume(work, box, place, reply=Reply(by="person", action="skip"))
    assert (outcome.status, outcome.outputs["put#1"]) == ("done", [0, 1])


def test_of_several_calls_the_first_counts(clock: Clock, place: Path) -> None:
    limit = Fresh("mint#1", b.Copy("mint#1", "[1].ttl"), "seconds", True)
    work = workflow(
        step("list#1"),
        step("mint#1", "list#1", order=1, each=ForEach(b.Copy("list#1", "rows"), most=3)),
        step(
            "use#1",
            "mint#1",
            effect=WRITE,
            order=2,
            arguments=bound(id=b.Copy("mint#1", "[1].id")),
            fresh=(limit,),
        ),
    )

    def mint() -> Any:
        clock.at += MINUTE
        return {"id": "o-1", "ttl": 90}

    box = Box(list=lambda: {"rows": [0, 1]}, mint=mint, use=lambda id: id)
    assert "ran out 30 seconds ago" in stale(start(work, box, place, policy=Policy(writes="proven", jobs=1)))


def test_a_producer_that_was_left_out_limits_nothing(clock: Clock, place: Path) -> None:
    offer, take = ordering().steps
    never = Guard((Comparison(b.Constant(1), "eq", b.Constant(2)),))
    either = b.Alias((b.Copy("offer#1", "id"), b.Constant("o-2")))
    work = workflow(
        msgspec.structs.replace(offer, when=never), msgspec.structs.replace(take, arguments=bound(id=either))
    )
    outcome = start(work, shop(), place)
    assert (outcome.status, outcome.outputs) == ("done", {"take#1": {"taken": "o-2"}})


def test_standing_still_so_tells_nothing_of_the_workflow(clock: Clock, place: Path) -> None:
    for n in range(6):
        stale(
            start(
                ordering(), shop(ttl="soon"), place, run=f"r{n}", policy=Policy(writes="proven", again=True)
            )
        )
    with Journal(place) as journal:
        health = Monitor(journal).health(ordering().id)
    assert (health.runs, health.stood, health.demoted) == (6, 0, "")


def test_a_journal_of_before_is_read(clock: Clock, place: Path) -> None:
    """It has the same columns; of a read it noted the end as the beginning, which is the nearest known."""
    work, box = ordering(), shop(ttl=60)
    start(work, box, place, policy=ASK)
    with sqlite3.connect(place) as journal:
        columns = [row[1] for row in journal.execute("PRAGMA table_info(calls)")]
        journal.execute("UPDATE calls SET begun = ended")
    names = "run key state arguments output size error baseline tries begun ended seal"
    assert columns == names.split()
    clock.at += 60 * MINUTE
    stale(resume(work, box, place, policy=YES, reply=YES_REPLY))


def test_a_shadow_run_tells_its_writes_whatever_the_clock_says(clock: Clock, place: Path) -> None:
    outcome = start(ordering(), shop(ttl=0), place, policy=Policy(mode="shadow"))
    assert (outcome.status, [one.arguments for one in outcome.proposed]) == ("done", [{"id": "o-1"}])

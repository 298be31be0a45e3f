"""Is what a journal holds whole, its owner's alone, kept no longer than needed, distrusted once changed?"""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, YES, Box, answering, bound, resume, start, step, workflow
from tracelode import registry
from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.compile.execute.journal import DONE, Journal, Row
from tracelode.errors import Repeated, RunError, SchemaTooNew, StoreError, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Policy, Reply
from tracelode.model.workflow import Input


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def rows(place: Path, text: str) -> list[Any]:
    with sqlite3.connect(place) as journal:
        return journal.execute(text).fetchall()


def change(place: Path, text: str) -> None:
    with sqlite3.connect(place) as journal:
        journal.execute(text)


HALF = workflow(
    step("find#1"),
    step("send#1", "find#1", effect=WRITE, order=1, arguments=bound(to=b.Copy("find#1", "to"))),
)


def half(place: Path) -> Box:
    """A run that stands at its second step."""
    box = Box(find=lambda: {"to": "somebody"}, send=lambda to: {"sent": to})
    assert start(HALF, box, place, policy=Policy()).status == "escalated"
    return box


def test_the_file_is_its_owners_alone_and_no_lock_is_left(place: Path) -> None:
    half(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [p.name for p in place.parent.iterdir() if p.suffix == ".lock"] == []


def test_outputs_are_whole_while_needed_and_gone_afterwards(place: Path) -> None:
    box = half(place)
    assert rows(place, "SELECT output FROM calls") == [(b'{"to":"somebody"}',)]
    assert resume(HALF, box, place, reply=Reply(by="person", yes=True)).status == "done"
    assert box.names() == ["find", "send"]
    assert rows(place, "SELECT key, state, output, size FROM calls ORDER BY key") == [
        ("find#1", "done", None, 17),
        ("send#1", "done", None, 19),
    ]
    assert rows(place, "SELECT inputs, state, pending, status FROM runs") == [(None, None, None, "done")]
    with pytest.raises(RunError, match="has ended"):
        resume(HALF, box, place)


def test_a_note_that_was_changed_stops_the_run(place: Path) -> None:
    box = half(place)
    change(place, 'UPDATE calls SET output = CAST(\'{"to":"thief"}\' AS BLOB)')
    with pytest.raises(RunError, match="changed by something else"):
        resume(HALF, box, place, reply=Reply(by="person", yes=True))
    assert box.names() == ["find"]


def test_another_version_of_the_workflow_is_refused(place: Path) -> None:
    box = half(place)
    other = workflow(*HALF.steps, runs=10)
    with pytest.raises(RunError, match="another version"):
        resume(other, box, place)
    with pytest.raises(RunError, match="mode act"):
        resume(HALF, box, place, policy=Policy(mode="shadow"))
    with pytest.raises(RunError, match="no run"):
        resume(HALF, box, place, run="nobody")
    with pytest.raises(RunError, match="no journal"):
        resume(HALF, box, place.with_name("none.db"))
    with pytest.raises(RunError, match="already"):
        start(HALF, box, place)


def test_one_run_has_one_process(place: Path) -> None:
    async def slow() -> int:
        await asyncio.sleep(0.3)
        return 1

    async def twice() -> None:
        engine, work, box = EmbeddedEngine(), workflow(step("slow#1")), Box(slow=slow)
        one = asyncio.create_task(engine.start(work, box, {}, place=str(place), run="r", policy=YES))
        await asyncio.sleep(0.1)
        with pytest.raises(RunError, match="under way in another process"):
            await engine.resume(work, box, place=str(place), run="r", policy=YES)
        other = await engine.start(work, box, {}, place=str(place), run="other", policy=YES)
        assert other.status == (await one).status == "done"

    asyncio.run(twice())


def test_files_that_are_no_journal_of_ours(tmp_path: Path) -> None:
    newer, other, broken = tmp_path / "newer.db", tmp_path / "other.db", tmp_path / "broken.db"
    Journal(newer).close()
    change(newer, "PRAGMA user_version = 99")
    with pytest.raises(SchemaTooNew, match="newer"):
        Journal(newer)
    change(other, "CREATE TABLE mine(x)")
    with pytest.raises(StoreError, match="something else"):
        Journal(other)
    broken.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError, match="no journal"):
        Journal(broken)
    assert rows(other, "SELECT name FROM sqlite_master") == [("mine",)]


def test_a_damaged_journal_stops_before_the_next_write(place: Path) -> None:
    box = half(place)
    data = bytearray(place.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    place.write_bytes(data)
    with pytest.raises((StoreError, RunError)):
        resume(HALF, box, place, reply=Reply(by="person", yes=True))
    assert box.names() == ["find"]


def test_a_journal_that_cannot_be_written_stops_before_the_write(place: Path, monkeypatch: Any) -> None:
    box = Box(find=lambda: {"to": "x"}, send=lambda to: to)
    real = Journal.write

    def full(self: Journal, run: str, key: str, row: Row, **more: Any) -> None:
        if row.state != DONE:
            raise StoreError("disk full")
        real(self, run, key, row, **more)

    monkeypatch.setattr(Journal, "write", full)
    with pytest.raises(StoreError):
        start(HALF, box, place)
    assert box.names() == ["find"]


def test_secrets_are_written_nowhere(place: Path) -> None:
    secret = Input(name="pin", type="string", secret=True)
    sent: list[str] = []

    def send(pin: str) -> None:
        sent.append(pin)
        raise ToolUnsure("cut")

    given = bound(pin=b.Copy("find#1", "echo"))
    work = workflow(
        step("find#1", arguments=bound(pin=b.FromInput("pin"))),
        step("send#1", "find#1", effect=WRITE, order=1, arguments=given),
        inputs=(secret,),
    )
    box = Box(find=lambda pin: {"echo": pin, "text": f"pin={pin}."}, send=send)
    outcome = start(work, box, place, {"pin": "hunter2!"})
    assert outcome.escalation is not None
    assert "hunter2!" not in repr(outcome.escalation)
    assert all(b"hunter2!" not in path.read_bytes() for path in place.parent.iterdir())
    with pytest.raises(RunError, match="once more: pin"):
        resume(work, box, place)
    done = resume(
        work, box, place, secrets={"pin": "hunter2!"}, reply=Reply(by="person", action="output", value=1)
    )
    assert done.outputs["find#1"] == {"echo": "hunter2!", "text": "pin=hunter2!."}
    assert (sent, box.names()) == (["hunter2!"], ["find", "send"])


def test_the_moment_is_that_of_the_start(place: Path) -> None:
    seen: list[Any] = []
    work = workflow(
        step("a#1", arguments=bound(who=b.FromState("who"))),
        step("c#1", "a#1", order=1, effect=WRITE, arguments=bound(now=b.FromState("now"))),
        step("c#2", "c#1", order=2, arguments=bound(now=b.FromState("now"))),
    )
    box = Box(a=lambda who: seen.append(who), c=lambda now: seen.append(now))
    start(work, box, place, state={"who": "me"}, policy=Policy())
    change(place, "UPDATE runs SET state = CAST(replace(CAST(state AS TEXT), '20', '19') AS BLOB)")
    resume(work, box, place, reply=Reply(by="person", yes=True))
    assert seen[0] == "me"
    assert seen[1] == seen[2]
    assert seen[1].startswith("19")


def test_engines_are_registered() -> None:
    assert set(registry.names("engines")) >= {"dbos", "embedded"}
    assert registry.load("engines", "embedded").name == "embedded"


def test_an_answer_that_is_kept_is_not_asked_for_twice(place: Path) -> None:
    work = workflow(
        step("say#1", arguments=bound(word=b.Generated())),
        step("send#1", "say#1", order=1, effect=WRITE, arguments=bound(to=b.Constant("x"))),
    )
    box = Box(say=lambda word: word, send=lambda to: to)
    heard: list[Any] = []
    start(work, box, place, asker=answering(Reply(by="model", text="hi"), heard=heard), policy=Policy())
    outcome = resume(work, box, place, asker=answering(heard=heard), reply=Reply(by="person", yes=True))
    assert outcome.outputs == {"say#1": "hi", "send#1": "x"}
    assert [q.kind for q in heard] == ["generate", "approval"]


def test_an_open_run_of_the_same_inputs_is_not_begun_again(place: Path) -> None:
    find = step("find#1", arguments=bound(city=b.FromInput("city")))
    book = step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(room=b.Copy("find#1", "id")))
    pay = step("pay#1", "book#1", effect=WRITE, order=2, arguments=bound(sum=b.Free()))
    work = workflow(find, book, pay, inputs=("city",))
    box = Box(find=lambda city: {"id": city}, book=lambda room: room, pay=lambda sum: sum)
    assert start(work, box, place, {"city": "Oslo"}, run="first").status == "escalated"
    with pytest.raises(Repeated, match=r"run first .* made book#1") as told:
        start(work, box, place, {"city": "Oslo"}, run="second")
    assert told.value.run == "first"
    assert box.names().count("book") == 1
    assert start(work, box, place, {"city": "Bergen"}, run="other").status == "escalated"
    shadow = Policy(mode="shadow")
    assert start(work, box, place, {"city": "Oslo"}, run="shadow", policy=shadow).status != "stopped"
    again = Policy(writes="proven", again=True)
    assert start(work, box, place, {"city": "Oslo"}, run="third", policy=again).status == "escalated"

"""Does a real DBOS keep runs by the same rules, on SQLite and, where a server is there, on PostgreSQL?"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, YES, Box, answering, bound, step, workflow
from tracelode import registry
from tracelode.compile import lasting
from tracelode.errors import Repeated, RunError, ToolFailed, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Outcome, Policy, Reply
from tracelode.model.workflow import Fresh, Input

pytest.importorskip("dbos", reason="the extra dbos is not installed")
dbos_ = pytest.importorskip("tracelode.compile.execute.dbos_")

FIND = step("find#1", arguments=bound(city=b.FromInput("city")))
BOOK = step("book#1", "find#1", effect=WRITE, order=1, arguments=bound(room=b.Copy("find#1", "id")))
WORK = workflow(FIND, BOOK, inputs=("city",))


def _postgres(folder: Path) -> Iterator[str]:
    """A server of our own on a socket in a folder, or a skip that says why not."""
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        pytest.skip("there is no PostgreSQL server here")
    as_user: dict[str, Any] = {}
    if os.getuid() == 0:  # it refuses to run as root
        import pwd

        try:
            known = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user for it")
        as_user = {"user": known.pw_uid, "group": known.pw_gid}
        os.chown(folder, known.pw_uid, known.pw_gid)
    data = folder / "data"
    quiet: dict[str, Any] = {"check": True, "capture_output": True, "timeout": 60, "cwd": folder, **as_user}
    subprocess.run(["initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync"], **quiet)
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    subprocess.run(
        ["pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start"],
        **{**quiet, "capture_output": False, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL},
    )
    try:
        subprocess.run(["createdb", "-h", folder, "-U", "tester", "runs"], **quiet)
        yield f"postgresql+psycopg://tester@/runs?host={folder}"
    finally:
        subprocess.run(["pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('dbos') / 'runs.db'}"
        dbos_.stop()
        return
    # the path of a socket has 107 signs at most
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        for url in _postgres(Path(folder)):
            yield url
            dbos_.stop()


def start(work: Any, box: Any, place: str, run: str, inputs: Any = None, **more: Any) -> Outcome:
    engine = registry.load("engines", "dbos")
    given = {"policy": YES, **more}
    return asyncio.run(engine.start(work, box, inputs or {}, place=place, run=run, **given))


def resume(work: Any, box: Any, place: str, run: str, **more: Any) -> Outcome:
    engine = registry.load("engines", "dbos")
    given = {"policy": YES, **more}
    return asyncio.run(engine.resume(work, box, place=place, run=run, **given))


def test_the_same_workflow_gives_the_same(place: str) -> None:
    box = Box(find=lambda city: {"id": f"{city}-1"}, book=lambda room: {"booked": room})
    outcome = start(WORK, box, place, "same", {"city": "Rome"})
    assert outcome.status == "done"
    assert outcome.outputs == {"find#1": {"id": "Rome-1"}, "book#1": {"booked": "Rome-1"}}
    assert outcome.calls == 2
    with pytest.raises(RunError, match="already"):
        start(WORK, box, place, "same", {"city": "Rome"})
    with pytest.raises(RunError, match="has ended"):
        resume(WORK, box, place, "same")
    with pytest.raises(RunError, match="no run"):
        resume(WORK, box, place, "nobody")


def test_a_write_in_doubt_is_not_made_again(place: str) -> None:
    made: list[str] = []

    def book(room: str) -> None:
        made.append(room)
        raise ToolUnsure("cut")

    box = Box(find=lambda city: {"id": city}, book=book)
    outcome = start(WORK, box, place, "doubt", {"city": "Rome"})
    assert outcome.escalation is not None
    assert outcome.escalation.code == "in_doubt"
    assert resume(WORK, box, place, "doubt").status == "escalated"
    with pytest.raises(RunError, match="nothing about a write"):
        resume(WORK, box, place, "doubt", reply=Reply(by="model", action="retry"))
    done = resume(WORK, box, place, "doubt", reply=Reply(by="person", action="output", value="seen"))
    assert (done.status, done.outputs["book#1"]) == ("done", "seen")
    assert made == ["Rome"]
    assert box.names().count("find") == 1


def test_what_failed_is_decided_and_goes_on(place: str) -> None:
    tries: list[int] = []

    def book(room: str) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ToolFailed("full")
        return room

    box = Box(find=lambda city: {"id": city}, book=book)
    assert start(WORK, box, place, "failed", {"city": "Rome"}).status == "escalated"
    assert resume(WORK, box, place, "failed", reply=Reply(by="person", action="retry")).status == "done"


def test_answers_are_remembered(place: str) -> None:
    work = workflow(step("add#1", arguments=bound(a=b.Free(), c=b.Free())))
    box = Box(add=lambda a, c: [a, c])
    first = start(work, box, place, "answers", asker=answering(Reply(by="person", value=1)))
    assert first.status == "escalated"
    done = resume(work, box, place, "answers", reply=Reply(by="person", value=2))
    assert done.outputs["add#1"] == [1, 2]


def test_secrets_are_not_in_the_database(place: str) -> None:
    secret = Input(name="city", type="string", secret=True)
    work = workflow(FIND, BOOK, inputs=(secret,))
    box = Box(find=lambda city: {"id": f"x {city}"}, book=lambda room: None.x)  # type: ignore[attr-defined]
    start(work, box, place, "secret", {"city": "hunter2hunter2"})
    with pytest.raises(RunError, match="city"):
        resume(work, box, place, "secret")
    if place.startswith("sqlite"):
        path = Path(place.removeprefix("sqlite:///"))
        assert path.stat().st_mode & 0o077 == 0
        import base64

        for file in path.parent.iterdir():
            assert b"hunter2" not in file.read_bytes()
            assert base64.b64encode(b"hunter2hunter2")[2:-4] not in file.read_bytes()


KILLED = """
import asyncio, os, signal, sys
sys.path[:0] = [sys.argv[1]]
from compile.execution import Box, YES
from compile.test_execute_dbos import WORK
from tracelode.compile.execute.dbos_ import DbosEngine

log, place, point, run = sys.argv[2:6]

def book(room):
    if point == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    with open(log, "a") as stream:
        stream.write(run + "\\n")
    if point == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return room

box = Box(find=lambda city: {"id": city}, book=book)
asyncio.run(DbosEngine().start(WORK, box, {"city": "Rome"}, place=place, run=run, policy=YES))
"""


@pytest.mark.parametrize("point", ["before", "after"])
def test_a_process_that_is_killed_leaves_a_write_in_doubt(place: str, tmp_path: Path, point: str) -> None:
    log, run = tmp_path / "log", f"killed-{point}"
    log.touch()
    words = [sys.executable, "-c", KILLED, str(Path(__file__).parents[1]), str(log), place, point, run]
    ended = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    box = Box(find=lambda city: {"id": city}, book=lambda room: log.write_text(log.read_text() + "again\n"))
    outcome = resume(WORK, box, place, run)
    assert outcome.escalation is not None
    assert (outcome.escalation.code, box.calls) == ("in_doubt", [])
    there = log.read_text() != ""
    assert there == (point == "after")
    action = {"action": "output", "value": "seen"} if there else {"action": "retry"}
    assert resume(WORK, box, place, run, reply=Reply(by="person", **action)).status == "done"
    assert len(log.read_text().splitlines()) == 1


def test_an_open_run_of_the_same_inputs_is_not_begun_again(place: str) -> None:
    def cut(room: str) -> None:
        raise ToolUnsure("cut")

    cutting = Box(find=lambda city: {"id": city}, book=cut)
    box = Box(find=lambda city: {"id": city}, book=lambda room: room)
    assert start(WORK, cutting, place, "first", {"city": "Oslo"}).status == "escalated"
    with pytest.raises(Repeated, match=r"run first .* may have made book#1") as told:
        start(WORK, box, place, "second", {"city": "Oslo"})
    assert told.value.run == "first"
    assert box.names() == []
    assert start(WORK, box, place, "other", {"city": "Bergen"}).status == "done"
    again = Policy(writes="proven", again=True)
    assert start(WORK, box, place, "third", {"city": "Oslo"}, policy=again).status == "done"
    settled = Reply(by="person", action="output", value="seen")
    assert resume(WORK, box, place, "first", reply=settled).status == "done"
    assert start(WORK, box, place, "fourth", {"city": "Oslo"}).status == "done"


def test_what_ran_out_while_nobody_answered_is_not_written(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = Fresh("offer#1", b.Copy("offer#1", "ttl"), "seconds", True)
    take = step(
        "take#1",
        "offer#1",
        effect=WRITE,
        order=1,
        arguments=bound(id=b.Copy("offer#1", "id")),
        fresh=(limit,),
    )
    work = workflow(step("offer#1"), take)
    now = [1_772_359_200 * 10**9]
    monkeypatch.setattr(lasting, "time_ns", lambda: now[0])
    for run, seconds, code in (("in-time", 60, ""), ("late", 61, "stale")):
        box = Box(offer=lambda: {"id": "o-1", "ttl": 60}, take=lambda id: {"taken": id})
        policy = Policy(writes="ask")
        assert start(work, box, place, run, policy=policy).question.kind == "approval"  # type: ignore[union-attr]
        now[0] += seconds * 10**9
        outcome = resume(work, box, place, run, policy=policy, reply=Reply(by="person", yes=True))
        assert (outcome.escalation.code if outcome.escalation else "") == code
        assert box.names() == (["offer"] if code else ["offer", "take"])
    outcome = resume(work, box, place, "late", policy=policy, reply=Reply(by="person", action="accept"))
    assert (outcome.status, outcome.outputs["take#1"]) == ("done", {"taken": "o-1"})

"""Kills processes that run a workflow, between a call and its note, and resumes them. Started as a script.

Three real processes: this one; a tool server that appends what is written to a file; and, one after another,
processes that run the workflow. The server ends its client by SIGKILL before it writes, after it wrote, after
it answered, or a random moment later; it goes on with the write whatever happens to the client.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.errors import RunError
from tracelode.model import binding as b
from tracelode.model.execution import Budget, Outcome, Policy, Question, Reply
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.workflow import Argument, Effect, Step, Workflow

WRITES = 5
POINTS = ("before", "after", "answered", "later", "never")
KIND = (sys.argv[4:] or [""])[0]
"""repeat: writes are falsely said to do no harm twice. dbos: the other engine."""
# every run has the same inputs: the second is begun on purpose while the first stands still
POLICY = Policy(writes="proven", again=True, budget=Budget(calls=100_000))


def serve(listener: socket.socket, log: Path, seed: int, kills: int) -> None:
    """Answer until the process is ended."""
    pick = random.Random(seed)
    left = kills
    lines = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    while True:
        client, _ = listener.accept()
        with client, client.makefile("rwb") as stream:
            asked = json.loads(stream.readline() or b"{}")
            if "op" not in asked:
                continue  # it was ended before it said anything
            point = pick.choice(POINTS) if left and asked.get("op") == "write" else "never"
            late = pick.random() * 0.004
            if asked.get("op") == "left":
                answer: Any = left
            elif asked.get("op") == "list":
                answer = [json.loads(line) for line in log.read_text().splitlines()]
            else:
                if point == "before":
                    left -= _kill(asked["pid"])
                    time.sleep(late)  # the tool is still at work while its caller is dead already
                os.write(lines, json.dumps({"run": asked["run"], "item": asked["item"]}).encode() + b"\n")
                if point == "after":
                    left -= _kill(asked["pid"])
                answer = {"ok": True}
            try:
                stream.write(json.dumps(answer).encode() + b"\n")
                stream.flush()
            except OSError:
                continue
            if point == "answered":
                left -= _kill(asked["pid"])
            elif point == "later":
                time.sleep(late)
                left -= _kill(asked["pid"])


def _kill(pid: int) -> int:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


class Client:
    """A toolbox that speaks to the server; each call is a connection of its own."""

    def __init__(self, port: int, run: str) -> None:
        self.port, self.run = port, run

    async def describe(self) -> list[ToolSpec]:
        lists = {"properties": {"run": {"type": "string"}}}
        return [ToolSpec(name="list", parameters=lists), ToolSpec(name="write")]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(
            json.dumps({"op": name, "pid": os.getpid(), "run": self.run, **arguments}).encode() + b"\n"
        )
        await writer.drain()
        answer = json.loads(await reader.readline())
        writer.close()
        return answer

    async def close(self) -> None:
        pass


def workflow(run: str, read_back: bool, repeat: bool) -> Workflow:
    """Writes one after another, reads between them; with repeat they are falsely said to do no harm twice."""
    steps = []
    for n in range(WRITES):
        given = tuple(
            Argument(name, b.Constant(value), proof="given")
            for name, value in (("run", run), ("item", f"item-{n}"))
        )
        effect = Effect("append", "configured", family="store", idempotent=repeat)
        back = "list" if read_back else ""
        steps.append(
            Step(slot=f"write#{n}", tool="write", effect=effect, order=2 * n, arguments=given, read_back=back)
        )
        read = Effect("read", "configured", family="store")
        steps.append(Step(slot=f"list#{n}", tool="list", effect=read, order=2 * n + 1))
    return Workflow(id="wf_000000000009", name="kill", intent="i", trust="proven", runs=9, steps=tuple(steps))


def ask(port: int, op: str) -> Any:
    """Ask the server; an answer says as well that it has ended what it was at."""
    with socket.create_connection(("127.0.0.1", port)) as wire, wire.makefile("rwb") as stream:
        stream.write(json.dumps({"op": op}).encode() + b"\n")
        stream.flush()
        return json.loads(stream.readline())


def go(place: Path, port: int, run: str, person: bool, read_back: bool) -> None:
    """In a process of its own: start or resume once: 0 where the run is done, 3 where it stands."""

    async def look(question: Question) -> Reply | None:
        if not person or question.escalation is None:
            return None
        wanted = question.escalation.bound
        there = wanted in await asyncio.to_thread(ask, port, "list")
        return Reply(by="person", action="output" if there else "retry", value="seen" if there else None)

    async def once() -> Outcome:
        engine, where = EmbeddedEngine(), str(place)
        if KIND == "dbos":
            from tracelode.compile.execute.dbos_ import DbosEngine

            engine, where = DbosEngine(), f"sqlite:///{place}"  # type: ignore[assignment]
        box, work = Client(port, run), workflow(run, read_back, KIND == "repeat")
        try:
            return await engine.start(work, box, {}, place=where, run=run, policy=POLICY, asker=look)
        except RunError as error:
            if "already" not in str(error):
                raise
        return await engine.resume(work, box, place=where, run=run, policy=POLICY, asker=look)

    try:
        outcome = asyncio.run(once())
    except RunError as error:
        os._exit(0 if "has ended (done)" in str(error) else 9)  # it was ended after its last note
    os._exit(0 if outcome.status == "done" else 3)


def one(place: Path, port: int, run: str, person: bool, read_back: bool) -> tuple[str, int]:
    """A run until it is done or stands: (how it ended, kills)."""
    kills = 0
    while True:
        child = os.fork()
        if not child:
            try:
                go(place, port, run, person, read_back)
            finally:
                traceback.print_exc()
                os._exit(9)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            kills += 1
            continue
        code = os.WEXITSTATUS(status)
        if code not in (0, 3):
            raise SystemExit(f"{run} broke with code {code}")
        return ("done" if code == 0 else "stands"), kills


def main(folder: Path, kills: int, seed: int) -> None:
    """Kill so often, then print what came of it as JSON."""
    log, place = folder / "written.jsonl", folder / "runs.db"
    log.touch()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = os.fork()
    if not server:
        serve(listener, log, seed, kills)
    listener.close()
    ends: dict[str, str] = {}
    done = number = 0
    try:
        while ask(port, "left"):
            run = f"run-{number}"
            ends[run], killed = one(place, port, run, person=number % 3 != 0, read_back=number % 2 == 0)
            done += killed
            number += 1
    finally:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
    print(json.dumps({"kills": done, "ends": ends}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

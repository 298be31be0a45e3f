"""Does the emitted MCP server offer the workflow to a real client, honestly, and run it?"""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compile.emitting import STEPS, arg, bookings, partial
from tracelode.compile.emit import emit
from tracelode.compile.emit.mcp_server import hints, tool
from tracelode.model import binding as b
from tracelode.model.workflow import Effect, Step, Workflow

mcp = pytest.importorskip("mcp")

TOOLS = """
import asyncio, json, sys
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

ANSWERS = {
    "find_city": {"results": [{"id": "c1", "kind": "city"}]},
    "search_hotels": {"hotels": [{"id": "h1", "price": 30}, {"id": "h2", "price": 20}]},
    "get_hotel": {"stars": 3},
    "get_offer": {"status": "ready", "hotel": "h2", "offer": {"id": "of-7"}, "text": "your offer of-7"},
    "add_note": {"noted": True},
    "book": {"status": "booked", "id": "b1"},
}


async def tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name=n, input_schema={"type": "object"}) for n in ANSWERS])


async def call(context, params):
    with open(sys.argv[1], "a") as log:
        log.write(json.dumps([params.name, params.arguments]) + "\\n")
    answer = ANSWERS[params.name]
    content = [types.TextContent(type="text", text=json.dumps(answer))]
    return types.CallToolResult(content=content, structured_content=answer)


async def main():
    server = Server("hotels", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
"""

GIVEN = {"city": "Oslo", "check_in": "2026-03-03", "nights": 2, "guest": "Jo", "late": True}


def session(
    workflow: Workflow, folder: Path, calls: list[dict[str, Any]], *options: str
) -> tuple[Any, list[Any], list[Any]]:
    """Start the emitted server and make calls: (listed tool, answers, calls that reached the tools)."""
    for name, data in emit(workflow, ["mcp"]).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "hotels.py").write_text(TOOLS)
    log = folder / "calls.jsonl"
    log.write_text("")
    servers = [{"name": "hotels", "command": [sys.executable, str(folder / "hotels.py"), str(log)]}]
    (folder / "tools.json").write_text(json.dumps({"servers": servers}))

    async def talk() -> tuple[Any, list[Any]]:
        from mcp.client.session import ClientSession
        from mcp.client.stdio import StdioServerParameters, stdio_client

        command = StdioServerParameters(
            command=sys.executable,
            args=[str(folder / "mcp" / "server.py"), str(folder / "tools.json"), *options],
        )
        async with stdio_client(command) as (read, write), ClientSession(read, write) as client:
            await client.initialize()
            listed = (await client.list_tools()).tools
            answers = []
            for given in calls:
                arguments = {k: (answers[0][0]["run"] if v == "RUN" else v) for k, v in given.items()}
                answer = await client.call_tool(listed[0].name, arguments)
                answers.append((json.loads(answer.content[0].text), bool(answer.is_error)))
            return listed, answers

    listed, answers = asyncio.run(asyncio.wait_for(talk(), 60))
    return listed, answers, [json.loads(line) for line in log.read_text().splitlines()]


def test_a_client_runs_the_workflow_and_a_write_waits_for_a_person(tmp_path: Path) -> None:
    listed, answers, calls = session(
        bookings(),
        tmp_path,
        [
            GIVEN,
            {"_resume": "RUN", "_answer": {"yes": True}},
            {"_resume": "RUN", "_answer": {"yes": True, "person": True}},
        ],
        "--trust-caller",
    )
    (one,) = listed
    assert one.name == "book_hotel"
    assert set(one.input_schema["properties"]) == {
        "city",
        "check_in",
        "nights",
        "guest",
        "late",
        "_resume",
        "_again",
        "_answer",
    }
    assert one.annotations.read_only_hint is False
    assert one.annotations.idempotent_hint is False
    first, refused, last = answers
    assert first[0]["status"] == "escalated"
    assert first[0]["question"]["kind"] == "approval"
    assert first[0]["question"]["bound"] == {"guest": "Jo", "hotel": "h2", "offer": "of-7"}
    assert "a model's word approves no write" in refused[0]["error"]
    assert (last[0]["status"], last[0]["outputs"]["book#1"]["status"]) == ("done", "booked")
    names = [name for name, _ in calls]
    assert sorted(names) == sorted(
        ["find_city", "search_hotels", "get_hotel", "get_hotel", "get_offer", "add_note", "book"]
    )
    assert calls[names.index("book")][1] == {"guest": "Jo", "hotel": "h2", "offer": "of-7"}


def test_the_answer_tells_how_a_person_approves_and_that_command_does(tmp_path: Path) -> None:
    _, answers, calls = session(bookings(), tmp_path, [GIVEN])
    told = answers[0][0]
    assert "let one run the command in a terminal" in told["how"]
    assert "person" not in told["how"].partition(".")[2]
    assert "book" not in [name for name, _ in calls]
    words = shlex.split(told["command"])
    assert words[:2] == ["tracelode", "run"]
    done = subprocess.run(
        [sys.executable, "-m", "tracelode", *words[1:], "--ask"],
        input="yes\n",
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    made = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert made[-1] == ["book", {"guest": "Jo", "hotel": "h2", "offer": "of-7"}]


def test_an_answer_of_another_kind_is_told_what_is_asked(tmp_path: Path) -> None:
    wrong = [{"action": "skip"}, {"value": 1}, {}, {"yes": "yes"}, 3]
    given = [GIVEN, *({"_resume": "RUN", "_answer": answer} for answer in wrong)]
    _, answers, calls = session(bookings(), tmp_path, given)
    assert all(is_error for _, is_error in answers[1:])
    errors = [told["error"] for told, _ in answers[1:]]
    for error in errors:
        assert "a model's word approves no write" not in error
    assert errors[0] == (
        "the question is of the kind approval and takes yes; it is a write, and only a person says yes or no "
        "to it: the answer has action"
    )
    assert errors[1].endswith("the answer has value")
    assert answers[1][0]["command"] == answers[0][0]["command"]
    assert "book" not in [name for name, _ in calls]


def test_a_caller_is_not_taken_for_a_person(tmp_path: Path) -> None:
    yes = {"_resume": "RUN", "_answer": {"yes": True, "person": True}}
    _, answers, calls = session(bookings(), tmp_path, [GIVEN, yes])
    assert "a model's word approves no write" in answers[1][0]["error"]
    assert "book" not in [name for name, _ in calls]


def test_a_step_may_be_approved_by_whoever_starts_the_server(tmp_path: Path) -> None:
    _, answers, _ = session(bookings(), tmp_path, [GIVEN], "--approved", "book#1")
    assert answers[0][0]["status"] == "done"


def test_a_call_that_is_made_again_writes_nothing_twice(tmp_path: Path) -> None:
    work = bookings()
    noting = Effect("append", "declared")
    steps = [msgspec.structs.replace(s, effect=noting) if s.slot == "add_note#1" else s for s in work.steps]
    work = msgspec.structs.replace(work, steps=tuple(steps))
    yes = {"_resume": "RUN", "_answer": {"yes": True, "person": True}}
    _, answers, calls = session(work, tmp_path, [GIVEN, yes, GIVEN], "--trust-caller")
    _, first, second = answers
    assert (first[0]["status"], first[0]["question"]["step"]) == ("escalated", "book#1")
    assert second[1] is True
    assert second[0]["run"] == first[0]["run"]
    assert "nothing was begun" in second[0]["error"]
    assert "made add_note#1" in second[0]["error"]
    assert [name for name, _ in calls].count("add_note") == 1


def test_wrong_calls_are_answered_and_not_fatal(tmp_path: Path) -> None:
    _, answers, calls = session(
        partial(), tmp_path, [{"city": "Oslo"}, {**GIVEN, "town": 1}, {"_resume": "run_none"}, GIVEN]
    )
    assert [wrong for _, wrong in answers] == [True, True, True, False]
    assert answers[0][0]["error"] == "these inputs are missing: check_in, nights, guest"
    assert "not inputs of this workflow: town" in answers[1][0]["error"]
    assert answers[3][0]["status"] == "handed_over"
    assert len(calls) == 6


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ((Effect("read", "declared"),), (True, False, True)),
        ((Effect("read", "declared"), Effect("append", "declared")), (False, False, False)),
        ((Effect("idempotent_write", "declared"),), (False, False, True)),
        ((Effect("destructive", "declared", idempotent=True),), (False, True, True)),
        ((Effect("unknown", "default"),), (False, True, False)),
        ((Effect("external_send", "declared"),), (False, True, False)),
    ],
)
def test_annotations_say_the_worst_of_all_steps(effects: Any, expected: Any) -> None:
    steps = tuple(Step(slot=f"s#{n}", tool="s", effect=e, order=n) for n, e in enumerate(effects))
    told = hints(bookings(steps=steps, edges=()))
    assert (told["readOnlyHint"], told["destructiveHint"], told["idempotentHint"]) == expected
    assert told["openWorldHint"] is True


def test_hostile_words_stay_in_the_description() -> None:
    bad = 'x""" + __import__("os") # \\" \\\\ é \n'
    step = Step(slot="s#1", tool="s", arguments=(arg("a", b.Constant(bad)),), effect=STEPS[0].effect)
    workflow = bookings(name=bad, description=bad, steps=(step,), edges=())
    source = emit(workflow, ["mcp"])["mcp/server.py"].decode()
    scope: dict[str, Any] = {}
    start = source.index("TOOL: dict")
    exec("import json\nfrom typing import Any\n" + source[start : source.index("class Offered")], scope)
    assert scope["TOOL"] == tool(workflow)
    assert scope["TOOL"]["title"] == bad
    compile(source, "server.py", "exec")

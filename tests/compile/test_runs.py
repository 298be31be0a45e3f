"""How do recorded sessions become runs: calls whole, what was said, effects, and costs that sum?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from claude import Transcript, used
from tracelode.compile.normalise.failing import failure
from tracelode.compile.normalise.runs import SHARED, Counts, run_of, runs
from tracelode.model.operation import Operation, Origin
from tracelode.model.run import Run, ToolSpec
from tracelode.model.session import Session
from tracelode.workspace import Workspace
from workspaces import stored
from written import added, lines

SESSION = Session(key="s", root="s", agent="a", role="main", project="p", outcome="success", task="t-1")


def operations(*given: dict[str, Any]) -> list[Operation]:
    """Operations of one session from what matters of them."""
    made = []
    for index, one in enumerate(given):
        basic = {"session": "s", "index": index, "id": f"o{index}", "actor": "agent", "name": "x"}
        made.append(Operation(**{**basic, "origin": Origin("test", "a.jsonl", index + 1), **one}))
    return made


def tool(name: str, arguments: Any = None, output: str = "", **more: Any) -> dict[str, Any]:
    fields = {"tool": name, **more.pop("fields", {})}
    given = "" if arguments is None else json.dumps(arguments)
    made = {"kind": "tool", "name": name, "status": "ok", "output": output, "fields": fields}
    return {**made, "arguments": given, **more}


def read(workspace: Workspace, counts: Counts | None = None) -> list[Run]:
    def content(key: str) -> dict[str, tuple[str, str]]:
        return {i: (c.arguments, c.output) for i, c in workspace.contents(key)[0].items()}

    return runs(workspace.sessions(), workspace.operations, content, counts=counts)


def test_turns_and_calls_keep_their_order() -> None:
    run = run_of(
        SESSION,
        operations(
            {"kind": "note", "actor": "system", "name": "system prompt", "arguments": "Be brief."},
            {"kind": "prompt", "actor": "human", "arguments": "Find Jo"},
            {"kind": "model", "output": "Looking."},
            tool("find", {"name": "Jo"}, '{"id": 7}'),
            {"kind": "model", "output": "Found: 7"},
        ),
        {},
    )
    assert [(t.role, t.text, t.before) for t in run.turns] == [
        ("system", "Be brief.", 0),
        ("user", "Find Jo", 0),
        ("assistant", "Looking.", 0),
        ("assistant", "Found: 7", 1),
    ]
    assert (run.key, run.task, run.outcome, run.request) == ("s", "t-1", "success", "Find Jo")
    assert run.calls[0].arguments == {"name": "Jo"}
    assert run.calls[0].output == {"id": 7}
    assert run.calls[0].origin == Origin("test", "a.jsonl", 4)


def test_calls_of_one_model_call_are_one_group() -> None:
    asked = {"fields": {"call": "m1"}}
    run = run_of(
        SESSION,
        operations(tool("a", **asked), tool("b", **asked), tool("c", fields={"call": "m2"}), tool("d")),
        {},
    )
    assert [call.group for call in run.calls] == [0, 0, 1, -1]


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_shares_of_a_model_call_sum_to_it(parts: int) -> None:
    cost = {name: 100 + n for n, name in enumerate(SHARED)} | {"operations": 1, "time.idle": 5}
    calls = [tool("t", fields={"call": "o0"}, measures={"time.tool": 9, "cost": 4}) for _ in range(parts)]
    run = run_of(SESSION, operations({"kind": "model", "measures": cost}, *calls), {})
    for name in SHARED:
        own = 4 * parts if name == "cost" else 0
        assert sum(call.measures.get(name, 0) for call in run.calls) == cost[name] + own
    assert all(call.measures["time.tool"] == 9 for call in run.calls)
    assert all("time.idle" not in call.measures for call in run.calls)


def test_a_model_call_without_tools_is_charged_to_none() -> None:
    run = run_of(SESSION, operations({"kind": "model", "measures": {"cost": 8}}, tool("t")), {})
    assert run.calls[0].measures == {}


def test_mcp_names_are_split() -> None:
    spec = ToolSpec(name="mcp__shop__cancel", hints={"destructiveHint": True})
    run = run_of(SESSION, operations(tool("mcp__shop__cancel"), tool("mcp__odd"), tool("Read")), {}, [spec])
    assert [(call.server, call.name) for call in run.calls] == [
        ("shop", "cancel"),
        ("", "mcp__odd"),
        ("", "Read"),
    ]
    assert run.tools == (spec,)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"status": "ok", "output": "fine"}, ""),
        ({"status": "error", "output": "bash: frob: command not found"}, "missing command"),
        ({"status": "error", "output": "no"}, "error"),
        ({"status": "nonzero", "fields": {"tool": "x", "error": "test failure"}}, "test failure"),
        ({"status": "denied"}, "denied"),
        ({"status": "interrupted"}, "interrupted"),
        ({"status": "unknown", "output": "Error: user not found"}, "error"),
        ({"status": "unknown", "output": '{"error": "Permission denied", "code": 7}'}, "permission error"),
        ({"status": "unknown", "output": '{"error": null, "id": 7}'}, ""),
        ({"status": "unknown", "output": "Errors are listed below"}, ""),
    ],
)
def test_error_classes_are_closed(given: dict[str, Any], error: str) -> None:
    run = run_of(SESSION, operations({**tool("x"), **given}), {})
    assert run.calls[0].error == error


def test_a_shell_that_prints_an_error_did_not_fail() -> None:
    given = tool("Bash", {"command": "cat log"}, "Error: from yesterday", fields={"command": "cat log"})
    assert run_of(SESSION, operations(given), {}).calls[0].error == ""
    assert failure({"success": False, "why": "x"}) == "error"
    assert failure({"error": "x", "a": 1, "b": 2, "c": 3, "d": 4}) == ""


def test_missing_results_are_not_empty_ones() -> None:
    run = run_of(
        SESSION,
        operations(
            tool("a", {}, "", status="running"),
            tool("b", {}, "", measures={"bytes.output": 0}),
            tool("c", {"text": "cut"}, "head\n…[900 characters]…\ntail"),
            tool("d", {}, "null"),
        ),
        {},
    )
    assert [(call.missing, call.output) for call in run.calls] == [
        (True, None),
        (False, ""),
        (True, None),
        (False, None),
    ]
    assert run.calls[2].arguments == {}


def test_whole_texts_count_before_previews() -> None:
    given = operations(tool("a", None, "head\n…[9 characters]…\ntail"))
    run = run_of(SESSION, given, {"o0": ('{"q": 1}', '{"rows": [1, 2]}')})
    assert run.calls[0].arguments == {"q": 1}
    assert run.calls[0].output == {"rows": [1, 2]}
    assert not run.calls[0].missing


def test_plans_and_rewound_calls_are_left_out_and_inherited_ones_cost_nothing() -> None:
    run = run_of(
        SESSION,
        operations(
            {**tool("TodoWrite"), "kind": "plan"},
            tool("a", fields={"rolled_back": "1"}),
            tool("b", inherited=True, measures={"cost": 7}),
            tool("c", measures={"cost": 7}),
        ),
        {},
    )
    assert [(call.name, call.measures) for call in run.calls] == [("b", {}), ("c", {"cost": 7})]


def test_what_records_below_a_call_show_is_its_effect() -> None:
    below = operations(
        {"kind": "process", "parent": "o1", "id": "p1"},
        {"kind": "process", "parent": "p1", "id": "p2"},
        {"kind": "file", "parent": "p2", "id": "f1", "fields": {"path": "out.bin", "touch": "write"}},
        {"kind": "file", "parent": "p2", "id": "f2", "fields": {"path": "in.txt", "touch": "read"}},
        {"kind": "network", "parent": "p1", "id": "n1", "fields": {"domain": "example.org"}},
        {"kind": "file", "fields": {"path": "x", "touch": "delete", "cause": "o0"}, "id": "f3"},
        {"kind": "process", "parent": "p4", "id": "p3"},
        {"kind": "process", "parent": "p3", "id": "p4"},
        {"kind": "file", "parent": "p3", "id": "f4", "fields": {"path": "circle", "touch": "write"}},
    )
    own = operations(
        tool("Bash", {"command": "make"}, fields={"command": "make"}), tool("Bash", {"command": "ls"})
    )
    log = Session(key="log", root="s", agent="record", role="effects", project="p")
    held = {"s": own, "log": below}
    counts = Counts()
    (run,) = runs([log, SESSION], held.__getitem__, lambda key: {}, counts=counts)
    assert run.effects == {0: ("file:x",), 1: ("file:out.bin", "host:example.org")}
    assert (counts.sessions, counts.effects, counts.calls) == (1, 1, 2)


def test_file_tools_and_writing_commands_name_their_file() -> None:
    def shell(command: str) -> dict[str, Any]:
        return tool("Bash", {"command": command}, fields={"command": command})

    given = operations(
        tool("Edit", {"file_path": "a.py"}, "ok", fields={"path": "a.py"}),
        tool("Read", {"file_path": "b.py"}, "text", fields={"path": "b.py"}),
        shell("sed -i s/a/b/ src/c.py"),
        tool("Edit", {"file_path": "d.py"}, "no", fields={"path": "d.py"}, status="error"),
    )
    assert run_of(SESSION, given, {}).effects == {0: ("file:a.py",), 2: ("file:src/c.py",)}


def test_secrets_never_survive() -> None:
    key = "sk-ant-api03-" + "aB3dE6gH" * 12
    given = operations(
        {"kind": "prompt", "actor": "human", "arguments": f"use {key}"},
        tool("call", {"token": key, "nested": [key]}, json.dumps({"key": key, "ok": True})),
    )
    run = run_of(SESSION, given, {})
    assert key not in repr(run)
    assert run.calls[0].output["ok"] is True
    assert set(run.calls[0].arguments) == {"token", "nested"}


def chat(name: str, calls: Sequence[tuple[str, dict[str, Any], Any]]) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Cancel the booking of Jo, please."}]
    for n, (called, arguments, output) in enumerate(calls):
        function = {"name": called, "arguments": json.dumps(arguments)}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": json.dumps(output)})
    return {"id": name, "messages": [*messages, {"role": "assistant", "content": "Done."}]}


def test_a_chat_with_tools_is_read_from_a_store(tmp_path: Path) -> None:
    long = {"rows": [{"id": f"B-{n}", "note": "x" * 40} for n in range(200)]}
    calls = [("find", {"name": "Jo"}, long), ("cancel", {"id": "B-150"}, {"ok": True})]
    workspace, _ = added(tmp_path, {"a.jsonl": lines([chat("one", calls)])})
    counts = Counts()
    (run,) = read(workspace, counts)
    assert [call.name for call in run.calls] == ["find", "cancel"]
    assert run.calls[0].output == long  # whole, and not the preview that a store keeps
    assert run.turns[-1].text == "Done."
    assert (counts.gone, counts.calls, counts.empty) == (0, 2, 0)


def test_texts_of_a_changed_source_are_missing_and_counted(tmp_path: Path) -> None:
    long = {"rows": ["x" * 40] * 200}
    workspace, _ = added(tmp_path, {"a.jsonl": lines([chat("one", [("find", {"q": "y" * 2000}, long)])])})
    (tmp_path / "history" / "a.jsonl").unlink()
    counts = Counts()
    (run,) = read(workspace, counts)
    assert run.calls[0].missing
    assert run.calls[0].output is None
    assert counts.gone == 1


def test_a_coding_session_is_read_from_a_store(tmp_path: Path) -> None:
    made = Transcript("11111111-2222-4333-8444-555555555555", cwd="/home/sam/src/app")
    made.user("fix the test")
    made.assistant(
        "Let me look.",
        tools=[("Bash", {"command": "pytest -q"}), ("mcp__db__rows", {"table": "users"})],
        usage=used(3, 900, output=41),
    )
    made.advance(4).result(made.calls[0], "1 failed", is_error=True)
    made.advance(1).result(made.calls[1], '{"rows": [{"id": 7}]}')
    made.assistant(
        "", tools=[("Edit", {"file_path": "/home/sam/src/app/a.py"})], usage=used(1, 950, output=12)
    )
    made.advance(1).result(made.calls[0], "ok")
    made.assistant("Fixed.", usage=used(1, 999, output=5))
    (run,) = read(stored(tmp_path, made))
    assert [(c.server, c.name, c.group) for c in run.calls] == [
        ("", "Bash", 0),
        ("db", "rows", 0),
        ("", "Edit", 1),
    ]
    assert run.calls[0].error
    assert run.calls[1].output == {"rows": [{"id": 7}]}
    assert list(run.effects) == [2]
    assert sum(c.measures["tokens.output"] for c in run.calls) == 41 + 12
    assert sum(c.measures["calls"] for c in run.calls) == 2


def test_what_a_person_said_to_a_call_is_kept_and_what_a_rule_said_is_not() -> None:
    run = run_of(
        SESSION,
        operations(
            tool("pay", {"to": "Jo"}, status="denied", fields={"human": "denial"}),
            tool("pay", {"to": "Al"}, status="denied"),
            tool("pay", {"to": "Bo"}, "ok", fields={"acp.permission": "allow_once"}),
            tool("pay", {"to": "Cy"}, "ok"),
        ),
        {},
    )
    assert run.decisions == {0: "refused", 2: "allowed"}

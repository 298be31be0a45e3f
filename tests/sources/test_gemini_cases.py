"""Does the Gemini CLI source count right where others are known to have counted wrong?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from shared import need
from tracelode.model.ports import Line, Operation
from tracelode.sources.gemini_cli import GeminiCli
from written import added, every, lines

SESSION = "0b7c1f7e-1111-4222-8333-944445555666"
HEAD = {"sessionId": SESSION, "projectHash": "ab" * 32, "startTime": "2026-10-05T07:00:00Z", "kind": "main"}


def at(second: int) -> str:
    return f"2026-10-05T07:{second // 60:02d}:{second % 60:02d}.000Z"


def tokens(input: int, output: int, cached: int = 0, thoughts: int = 0, tool: int = 0) -> dict[str, int]:
    total = input + output + thoughts + tool
    return {
        "input": input,
        "output": output,
        "cached": cached,
        "thoughts": thoughts,
        "tool": tool,
        "total": total,
    }


def user(n: int, second: int, text: Any = "go") -> dict[str, Any]:
    return {"id": f"m{n}", "timestamp": at(second), "type": "user", "content": text}


def model(n: int, second: int, counts: dict[str, int] | None, **more: Any) -> dict[str, Any]:
    message = {"id": f"m{n}", "timestamp": at(second), "type": "gemini", "content": "hm", "tokens": counts}
    return message | {"model": "gemini-2.5-pro"} | more


def tool(ident: str, second: int, status: str = "success", output: str = "ok", **more: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": ident, "name": "x", "response": {"output": output}}}
    call = {"id": ident, "name": "run_shell_command", "args": {"command": "make"}, "result": [response]}
    return call | {"status": status, "timestamp": at(second)} | more


def whole(*messages: dict[str, Any]) -> dict[str, Any]:
    return HEAD | {"lastUpdated": at(900), "messages": list(messages)}


def test_d3_cached_is_part_of_input_and_thoughts_beside_output_5793_tokens_not_11312(tmp_path: Path) -> None:
    counts = tokens(5689, 43, cached=5519, thoughts=54, tool=7)
    chat = whole(user(1, 0), model(2, 5, counts))
    workspace, report = added(tmp_path, {"chats/session-1.json": chat})
    totals = workspace.totals()
    assert report.skipped == []
    assert totals.calls == 1
    assert totals.tokens["input_fresh"] == 5689 - 5519 + 7
    assert (totals.tokens["cache_read"], totals.tokens["output"]) == (5519, 43)
    assert totals.tokens["reasoning"] == 54
    assert sum(v or 0 for v in totals.tokens.values()) == 5689 + 43 + 54 + 7 == 5793
    assert sum(count for kind, count in counts.items() if kind != "total") == 11_312


def test_d3_rewritten_messages_count_once_110_tokens_not_330_and_the_last_holds(tmp_path: Path) -> None:
    chat = [
        HEAD,
        user(1, 0),
        model(2, 5, None),
        model(2, 5, tokens(100, 10)),
        model(2, 5, tokens(100, 10), toolCalls=[tool("a", 6, "executing", "")]),
        model(2, 5, tokens(100, 10), toolCalls=[tool("a", 9)]),
    ]
    workspace, report = added(tmp_path, {"chats/session-1.jsonl": lines(chat)})
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (1, 100, 10)
    copies = [m["tokens"]["total"] for m in chat if m.get("tokens")]
    assert (totals.total_tokens, sum(copies)) == (110, 330)
    (call,) = [o for o in every(workspace) if o.kind == "tool"]
    assert (call.status, call.output, call.fields["command"]) == ("ok", "ok", "make")
    assert totals.time_us["tool"] == 4_000_000


def test_both_layouts_give_the_same_operations(tmp_path: Path) -> None:
    messages = [
        user(1, 0),
        model(2, 5, tokens(100, 10), toolCalls=[tool("a", 9)]),
        model(3, 12, tokens(5, 1)),
    ]
    one, _ = added(tmp_path / "a", {"chats/session-1.json": whole(*messages)})
    two, _ = added(tmp_path / "b", {"chats/session-1.jsonl": lines([HEAD, *messages])})
    assert [o.id for o in every(one)] == [o.id for o in every(two)]
    assert one.totals() == two.totals()


def test_a_chat_moved_to_the_newer_layout_counts_once(tmp_path: Path) -> None:
    old = [user(1, 0), model(2, 5, tokens(100, 10)), user(3, 20), model(4, 25, tokens(200, 20))]
    new = [HEAD, *old, {"$set": {"sessionId": SESSION}}, user(5, 60), model(6, 66, tokens(300, 30))]
    files = {"chats/session-1.json": whole(*old), "chats/session-1.jsonl": lines(new)}
    workspace, _ = added(tmp_path, files)
    totals = workspace.totals()
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (1, 3, 600)
    assert totals.time_us["model"] == 16_000_000


def test_rewound_messages_stay_counted_and_are_marked(tmp_path: Path) -> None:
    chat = [HEAD, user(1, 0), model(2, 5, tokens(100, 10)), user(3, 8), model(4, 12, tokens(200, 20))]
    chat += [{"$rewindTo": "m3"}, user(5, 30), model(6, 36, tokens(400, 40))]
    workspace, _ = added(tmp_path, {"chats/session-1.jsonl": lines(chat)})
    assert workspace.totals().tokens["input_fresh"] == 700
    marked = [o.arguments or o.measures.get("calls") for o in every(workspace) if "rolled_back" in o.fields]
    assert marked == ["go", 1]


def test_a_compressed_history_keeps_what_was_spent(tmp_path: Path) -> None:
    summary = user(8, 40, [{"text": "<state_snapshot>so far</state_snapshot>"}])
    thanks = {"id": "m9", "timestamp": at(40), "type": "gemini", "content": [{"text": "Got it."}]}
    chat = [HEAD, user(1, 0), model(2, 5, tokens(100, 10)), {"$set": {"messages": [summary, thanks]}}]
    workspace, report = added(tmp_path, {"chats/session-1.jsonl": lines(chat)})
    assert report.skipped == []
    assert (workspace.totals().calls, workspace.totals().tokens["input_fresh"]) == (1, 100)
    names = [o.name for o in every(workspace)]
    assert names == ["prompt", "gemini-2.5-pro", "compaction summary", "synthetic message"]


def test_a_sub_agent_is_part_of_its_root(tmp_path: Path) -> None:
    spawn = tool("a", 30, name="codebase_investigator", args={"objective": "x"}, agentId="k3x9qz")
    main = [HEAD, user(1, 0), model(2, 5, tokens(100, 10), toolCalls=[spawn])]
    head = {
        "sessionId": "k3x9qz",
        "projectHash": "ab" * 32,
        "kind": "subagent",
        "directories": ["/home/sam/app"],
    }
    sub = [head, user(1, 6), model(2, 20, tokens(1000, 50))]
    files = {"chats/session-1.jsonl": lines(main), f"chats/{SESSION}/k3x9qz.jsonl": lines(sub)}
    workspace, report = added(tmp_path, files)
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (1, 2, 1100)
    child = next(s for s in workspace.sessions() if s.key != s.root)
    parent = next(o for o in every(workspace) if o.name == "codebase_investigator")
    assert (child.role, child.parent_operation, parent.kind) == ("subagent", parent.id, "subagent")
    # the sub-agent's fourteen seconds stand in for the waiting tool
    assert totals.time_us["model"] == 5_000_000 + 14_000_000
    assert totals.time_us["tool"] == 30_000_000 - 5_000_000 - 14_000_000


def test_a_denial_is_a_persons_time_and_a_cut_off_call_a_lower_bound(tmp_path: Path) -> None:
    denied = tool("a", 65, "cancelled", "")
    denied["result"] = [{"functionResponse": {"response": {"error": "Reason: User did not allow tool call"}}}]
    chat = whole(user(1, 0), model(2, 5, None, toolCalls=[denied]))
    workspace, _ = added(tmp_path, {"chats/session-1.json": chat})
    call, tool_call = every(workspace)[1:]
    assert call.fields["usage_quality"] == "lower_bound"
    assert (tool_call.status, tool_call.fields["human"]) == ("denied", "denial")
    assert (workspace.totals().time_us["blocked"], workspace.totals().time_us["tool"]) == (60_000_000, 0)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({"input": 10, "cached": 11, "output": 1, "total": 11}, "cached tokens exceed the input"),
        ({"input": 10, "output": 1, "total": 99}, "token total differs from its parts"),
        ({"input": -1, "output": 1}, "negative token count left out"),
        ({"input": 1, "output": 10**12}, "absurd token count left out"),
        ({"input": "10", "output": 1}, "wrong type in field messages[].tokens.input"),
    ],
)
def test_figures_that_contradict_each_other_are_counted(tmp_path: Path, counts: Any, reason: str) -> None:
    _, report = added(tmp_path, {"chats/s.json": whole(user(1, 0), model(2, 5, counts))})
    assert [s.reason.startswith(reason) for s in report.skipped] == [True]


def test_broken_lines_are_located_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = lines([HEAD, user(1, 0), model(2, 5, tokens(100, 10))])
    workspace, report = added(
        tmp_path, {"chats/s.jsonl": good + b'{"id": "m3", "ty\n' + lines([model(4, 9, tokens(1, 1))])}
    )
    assert [(s.line, s.reason) for s in report.skipped] == [(4, "not valid JSON")]
    assert workspace.totals().calls == 2


def test_a_growing_chat_is_read_again_and_nothing_counts_twice(tmp_path: Path) -> None:
    first = [HEAD, user(1, 0), model(2, 5, tokens(100, 10), toolCalls=[tool("a", 6, "executing", "")])]
    added(tmp_path, {"chats/s.jsonl": lines(first)})
    more = [model(2, 5, tokens(100, 10), toolCalls=[tool("a", 9)]), user(3, 60), model(4, 66, tokens(7, 1))]
    workspace, _ = added(tmp_path, {"chats/s.jsonl": lines([*first, *more])})
    fresh, _ = added(tmp_path / "fresh", {"chats/s.jsonl": lines([*first, *more])})
    assert workspace.totals() == fresh.totals()
    assert [o.status for o in every(workspace)] == [o.status for o in every(fresh)]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)


@given(
    key=st.sampled_from(["id", "type", "timestamp", "content", "tokens", "toolCalls", "model"]), value=values
)
@settings(max_examples=150, deadline=None)
def test_any_field_may_hold_anything(key: str, value: Any) -> None:
    spoiled = model(2, 5, tokens(100, 10), toolCalls=[tool("a", 9)]) | {key: value}
    data = lines([HEAD, user(1, 0), spoiled, {"$set": {key: value}}, {key: value}])
    source = GeminiCli()
    for item in source.read([Line(1, 0, data)], source.fresh(), "s.jsonl"):
        if isinstance(item, Operation):
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())
            assert all(isinstance(v, str) for v in item.fields.values())


def meter(folder: Path) -> tuple[int, int, dict[str, int]]:
    """(sessions, calls, tokens) straight from the files."""
    calls, sums = 0, {"input": 0, "output": 0, "cached": 0, "thoughts": 0, "tool": 0}
    files = sorted(folder.rglob("session-*.json"))
    for file in files:
        for message in json.loads(file.read_text())["messages"]:
            if message["type"] == "gemini":
                calls += 1
                for name in sums:
                    sums[name] += message["tokens"][name]
    return len(files), calls, sums


def test_real_chats_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "gemini_cli")
    sessions, calls, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder)
    totals = workspace.totals()
    assert {s.reason for s in report.skipped} == {"unknown format"}  # single messages are no chats
    assert (totals.sessions, totals.calls) == (sessions, calls)
    assert totals.tokens["input_fresh"] == sums["input"] - sums["cached"] + sums["tool"]
    assert totals.tokens["cache_read"] == sums["cached"]
    assert (totals.tokens["output"], totals.tokens["reasoning"]) == (sums["output"], sums["thoughts"])

"""Does the transcript builder of the tests write what it says?"""

from __future__ import annotations

import json
from pathlib import Path

from claude import SESSION, ToolUse, Transcript, slug, used


def test_one_record_per_block_repeats_usage_with_partial_output() -> None:
    t = Transcript().user("fix the test")
    calls: list[ToolUse] = [
        ("Bash", {"command": "pytest -q"}),
        ("Read", {"file_path": "a.py"}, "toolu_given"),
    ]
    t.assistant("Look.", tools=calls, usage=used(3, 900, write_5m=20, write_1h=50, output=77), partial=4)
    messages = [r["message"] for r in t.records[1:]]
    assert [m["content"][0]["type"] for m in messages] == ["text", "tool_use", "tool_use"]
    assert len({m["id"] for m in messages}) == 1
    assert [m["usage"]["output_tokens"] for m in messages] == [4, 4, 77]
    assert [m["stop_reason"] for m in messages] == [None, None, "tool_use"]
    assert {m["usage"]["cache_creation_input_tokens"] for m in messages} == {70}
    assert t.calls[1] == "toolu_given"
    assert t.calls[0].startswith("toolu_01")


def test_a_message_never_finished_has_no_stop_reason() -> None:
    t = Transcript().assistant("Half a", stop=None).assistant("Done.", partial=None)
    assert [r["message"]["stop_reason"] for r in t.records] == [None, "end_turn"]


def test_results_hang_on_their_call_whatever_their_order() -> None:
    t = Transcript().assistant(tools=[("Bash", {}), ("Read", {})])
    first, second = t.calls
    t.advance(2.5).result(second, "text", tool_use_result={"type": "text"})
    t.result(first, "Exit code 1", is_error=True, toolDenialKind="user-rejected").assistant("Next.")
    uses, results, after = t.records[:2], t.records[2:4], t.records[4]
    assert [r["parentUuid"] for r in results] == [uses[1]["uuid"], uses[0]["uuid"]]
    assert after["parentUuid"] == results[1]["uuid"]
    assert results[0]["toolUseResult"] == {"type": "text"}
    assert "is_error" not in results[0]["message"]["content"][0]
    assert results[1]["toolDenialKind"] == "user-rejected"
    assert results[0]["timestamp"] == "2026-10-02T08:00:02.900Z"


def test_compaction_starts_a_new_chain() -> None:
    t = Transcript().user("go").compact("so far", pre_tokens=90_000, trigger="auto")
    prompt, boundary, summary = t.records
    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"] == prompt["uuid"]
    assert boundary["compactMetadata"] == {"trigger": "auto", "preTokens": 90_000}
    assert summary["isCompactSummary"] is True
    assert summary["parentUuid"] == boundary["uuid"]


def test_lines_outside_the_chain_do_not_move_it() -> None:
    t = Transcript().user("go")
    prompt = t.last
    t.queue("enqueue", "and lint").queue("dequeue").raw({"silly": "line"})
    assert t.last == prompt
    assert "uuid" not in t.records[1]
    assert "content" not in t.records[2]
    t.attachment("queued_command", prompt="and lint")
    assert t.records[-1]["parentUuid"] == prompt


def test_a_fork_copies_history_and_goes_its_own_way() -> None:
    parent = Transcript().user("go").assistant("Yes.")
    child = parent.fork("9a3c0000-0000-4000-8000-000000000002")
    parent.user("left")
    child.advance(60).user("right")
    assert [r["uuid"] for r in child.records[:2]] == [r["uuid"] for r in parent.records[:2]]
    assert {r["sessionId"] for r in child.records} == {child.session}
    assert {r["sessionId"] for r in parent.records} == {SESSION}
    assert child.records[2]["uuid"] != parent.records[2]["uuid"]
    assert child.records[2]["parentUuid"] == parent.records[1]["uuid"]


def test_layout_on_disk(tmp_path: Path) -> None:
    t = Transcript(cwd="/home/sam/src/my.app_x").assistant(tools=[("Agent", {"prompt": "look"})])
    child = t.agent("a1b2c3", t.calls[0], about="look", model="claude-haiku-4-5-20251001")
    child.user("look").assistant("Seen.")
    path = t.write(tmp_path)
    assert path == tmp_path / "projects/-home-sam-src-my-app-x" / f"{SESSION}.jsonl"
    below = path.parent / SESSION / "subagents"
    lines = [json.loads(line) for line in (below / "agent-a1b2c3.jsonl").read_bytes().splitlines()]
    assert {(r["isSidechain"], r["agentId"], r["sessionId"]) for r in lines} == {(True, "a1b2c3", SESSION)}
    assert lines[1]["message"]["model"] == "claude-haiku-4-5-20251001"
    meta = json.loads((below / "agent-a1b2c3.meta.json").read_text(encoding="utf-8"))
    assert meta["toolUseId"] == t.calls[0]
    assert path.read_bytes() == t.bytes()


def test_the_same_calls_give_the_same_bytes() -> None:
    def told() -> bytes:
        return Transcript().user("grüße\n").assistant("a", tools=[("Bash", {"command": "ls"})]).bytes()

    assert told() == told()
    assert told().count(b"\n") == 3
    assert slug("/a/b_c.d e") == "-a-b-c-d-e"

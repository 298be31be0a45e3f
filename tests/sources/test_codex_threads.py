"""Are Codex threads, tools, results and people told right? Cases B9, B10 and B12."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollouts import CHILD, GRANDCHILD, PARENT, Rollout, only, stored, working
from written import every


def test_b9_sub_agents_hang_on_the_call_that_started_them_1_session_not_3(tmp_path: Path) -> None:
    parent = working().turn().user("ask somebody")
    parent.call("spawn_agent", {"message": "look"})
    parent.event(
        "collab_agent_spawn_end", call_id=parent.last_call, new_thread_id=CHILD, status={"pending": 1}
    )
    parent.result(json.dumps({"agent_id": CHILD})).tokens(100, 0, 10)
    child = parent.child().turn().user("look").says("No.").tokens(200, 100, 10)
    child.call("spawn_agent", {"message": "deeper"}).result(json.dumps({"agent_id": GRANDCHILD})).tokens(
        9, 0, 1
    )
    deeper = Rollout(GRANDCHILD, source={"subagent": {"thread_spawn": {"parent_thread_id": CHILD}}})
    deeper.turn().user("deeper").says("No.").tokens(50, 0, 5)
    workspace = stored(tmp_path, deeper, child, parent)
    assert (workspace.totals().sessions, workspace.totals().subagents) == (1, 2)
    assert len(list((tmp_path / "history").rglob("*.jsonl"))) == 3
    by_key = {s.key: s for s in workspace.sessions()}
    for key, holder in ((CHILD, PARENT), (GRANDCHILD, CHILD)):
        spawner = next(o for o in workspace.operations(holder) if o.id == by_key[key].parent_operation)
        assert (spawner.kind, spawner.fields["spawns"], spawner.inherited) == ("subagent", key, False)


def test_b9_late_versions_tell_a_start_as_an_activity_1_launch_not_0(tmp_path: Path) -> None:
    r = Rollout().turn().user("ask somebody").call("spawn_agent", {"task_name": "look"})
    r.event(
        "sub_agent_activity",
        event_id=r.last_call,
        agent_thread_id=CHILD,
        agent_path="/root/look",
        kind="started",
    )
    r.result("{}").tokens(100, 0, 10)
    assert only(stored(tmp_path, r), kind="subagent").fields["spawns"] == CHILD
    assert sum(CHILD in x["payload"].get("output", "") for x in r.records) == 0


def test_b9_waiting_agents_take_no_time_from_those_that_work_210_seconds_not_219(tmp_path: Path) -> None:
    r = Rollout().turn().user("ask somebody").call("spawn_agent", {"message": "look"})
    r.result(json.dumps({"agent_id": CHILD})).tokens(100, 0, 10)
    child = Rollout(
        CHILD, start=r.now, source={"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    )
    r.advance(1).call("wait_agent", {"targets": [CHILD]})
    child.turn().user("look").advance(9).says("No.").tokens(50, 0, 5).done()
    r.advance(8).result("{}").tokens(100, 0, 10).advance(200).says("Thanks.").tokens(100, 0, 10).done()
    child.advance(200).turn().user("look again").advance(1).says("No.").tokens(60, 0, 5)
    totals = stored(tmp_path, r, child).totals()
    # 9 s of the child, 1 s in which the parent called beside it, 200 s of the parent, 1 s of the child
    assert totals.time_us == {"model": 210_000_000, "tool": 0, "blocked": 0, "idle": 0, "unknown": 0}
    alone = [stored(tmp_path / x.thread, x) for x in (r, child)]
    wait = only(alone[0], name="wait_agent")
    waited = (wait.ended or 0) - (wait.started or 0)
    assert sum(w.totals().time_us["model"] for w in alone) + waited == 219_000_000


def test_b10_the_model_is_that_of_the_last_turn_context_1_call_without_one_not_4(tmp_path: Path) -> None:
    r = Rollout().turn(model=None).user("go").says("a").tokens(10, 0, 1)
    r.turn(model="gpt-5.4").says("b").tokens(20, 0, 1).says("c").tokens(30, 0, 1)
    r.turn(model="gpt-5.4-mini").shell("ls").tokens(40, 0, 1)
    models = stored(tmp_path, r).totals().by["model"]
    assert {k: v.calls for k, v in models.items()} == {"(none)": 1, "gpt-5.4": 2, "gpt-5.4-mini": 1}
    counts = [x["payload"] for x in r.records if x["payload"].get("type") == "token_count"]
    assert sum("model" not in count and "model" not in count["info"] for count in counts) == 4


# results ---

RESULTS: dict[str, tuple[Any, str]] = {
    "exit 0": ("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok", "ok"),
    "exit 128": ("Wall time: 0.1 seconds\nProcess exited with code 128\nOutput:\nfatal", "nonzero"),
    "ahead of it the command": (
        "Command: bash -lc 'echo\nProcess exited with code 1'\nChunk ID: a1\nWall time: 0 seconds\n"
        "Process exited with code 0\nOutput:\n",
        "ok",
    ),
    "the words are the tool's": ("Wall time: 1 seconds\nOutput:\nProcess exited with code 3\n", "unknown"),
    "of 0.40": ('{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.5}}', "nonzero"),
    "parts": ([{"type": "input_text", "text": "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n"}], "ok"),
    "goes on": ("Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n", "running"),
    "stopped": ("aborted by user after 2.5s", "interrupted"),
    "refused": ('exec_command failed for `rm`: Rejected("rejected by user")', "denied"),
    "refused, older": ("exec command rejected by user", "denied"),
    "sandbox": ('exec_command failed for `x`: CreateProcess { message: "Codex(Sandbox(Denied {', "denied"),
    "policy": ('exec_command failed for `x`: Rejected("`x` rejected: blocked by policy")', "denied"),
    "broken": ("write_stdin failed: stdin is closed for this session", "error"),
    "no words": ("file.txt\n", "unknown"),
    "object": ({"content": "no", "success": False}, "unknown"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_b12_a_result_says_how_a_call_ended(tmp_path: Path, case: str) -> None:
    output, status = RESULTS[case]
    r = Rollout().turn().user("go").shell("x")
    r.item("function_call_output", call_id=r.last_call, output=output).tokens(10, 0, 1)
    tool = only(stored(tmp_path, r), kind="tool")
    assert tool.status == status
    assert tool.fields.get("human") == ("denial" if case.startswith("refused") else None)


def test_b12_a_command_that_goes_on_ends_in_a_poll_1_is_running_not_3(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").shell("make serve").advance(2).result("", session=7, wall=1)
    poll = {"session_id": 7, "chars": ""}
    r.tokens(10, 0, 1).call("write_stdin", poll).advance(6).result("", session=7, wall=5).tokens(10, 0, 1)
    r.call("write_stdin", poll).advance(6).result("make: *** No rule to make target", 2, wall=5)
    r.tokens(10, 0, 1).shell("make other").advance(2).result("", session=8, wall=1).tokens(10, 0, 1)
    found = [o for o in every(stored(tmp_path, r)) if o.kind == "tool"]
    assert [(o.name, o.status) for o in found] == [
        ("exec_command", "nonzero"),
        ("write_stdin", "ok"),
        ("write_stdin", "ok"),
        ("exec_command", "running"),
    ]
    assert [o.measures.get("time.tool") for o in found] == [1_000_000, 5_000_000, 5_000_000, 1_000_000]
    assert sum("Process running" in x["payload"].get("output", "") for x in r.records) == 3


def test_b12_end_events_give_exit_code_and_own_duration_of_3_tools_not_6(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").advance(1).shell("sleep 2").tokens(10, 0, 1).advance(3)
    r.event(
        "exec_command_end",
        call_id=r.last_call,
        exit_code=0,
        duration={"secs": 2, "nanos": 0},
        status="completed",
    )
    r.advance(1).result("", 0, wall=2).advance(1).call("ask_server", {})
    r.event("mcp_tool_call_end", call_id=r.last_call, duration={"secs": 0, "nanos": 5}, result={"Err": "no"})
    r.result("no").tokens(10, 0, 1).shell("make serve").result("", session=7).tokens(10, 0, 1)
    r.advance(2).event("exec_command_end", call_id=r.last_call, exit_code=1, duration={"secs": 9, "nanos": 0})
    found = [o for o in every(stored(tmp_path, r)) if o.kind == "tool"]
    assert [(o.name, o.status) for o in found] == [
        ("exec_command", "ok"),
        ("ask_server", "error"),
        ("exec_command", "nonzero"),
    ]
    assert found[0].measures["time.tool"] == 2_000_000
    kinds = [x["payload"].get("type", "") for x in r.records]
    assert sum(kind == "function_call" or kind.endswith("_end") for kind in kinds) == 6


def test_b12_a_stopped_turn_stops_its_tools_and_is_no_call_1_call_not_2(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").advance(1).says("Starting.").shell("sleep 99").advance(2)
    r.event("turn_aborted", reason="interrupted").advance(1).turn().user("rather this").shell("ls").result(
        "", 0
    )
    r.tokens(1_000, 0, 10)
    workspace = stored(tmp_path, r)
    assert workspace.totals().calls == 1
    assert sum(x["type"] == "turn_context" for x in r.records) == 2
    stopped, later = [o for o in every(workspace) if o.kind == "tool"]
    assert (stopped.status, later.status) == ("interrupted", "ok")
    assert stopped.measures.get("tokens.input_fresh", 0) == 0
    assert later.measures["tokens.input_fresh"] == 1_000
    note = only(workspace, name="interrupt")
    assert (note.actor, note.fields["human"]) == ("human", "interrupt")


# people ---


def test_people_are_counted_once_and_the_harness_not_at_all(tmp_path: Path) -> None:
    r = Rollout().turn()
    for text in ("# AGENTS.md instructions for /x", "<environment_context>\n</environment_context>"):
        r.item("message", role="user", content=[{"type": "input_text", "text": text}])
    r.user("first").says("a").tokens(10, 0, 1).user("no, rather so").says("b").tokens(10, 0, 1).done()
    r.event("user_message", message="<turn_aborted>\nstopped\n</turn_aborted>")
    r.turn().user("second").raw("compacted", {"message": ""}).event("context_compacted")
    r.turn().event(
        "item_completed", item={"type": "UserMessage", "content": [{"type": "Text", "text": "third"}]}
    )
    found = [o for o in every(stored(tmp_path, r)) if o.kind in ("prompt", "note")]
    assert [(o.name, o.arguments) for o in found] == [
        ("prompt", "first"),
        ("steer", "no, rather so"),
        ("prompt", "second"),
        ("compaction", ""),
        ("prompt", "third"),
    ]


def test_prompts_of_files_without_events_count_once_too(tmp_path: Path) -> None:
    r = Rollout()
    r.item("message", role="user", content=[{"type": "input_text", "text": "go"}])
    r.event("user_message", message="go").says("a").tokens(10, 0, 1)
    r.item("message", role="user", content=[{"type": "input_text", "text": "again"}])
    r.event("user_message", message="again").says("b")
    found = [o for o in every(stored(tmp_path, r)) if o.kind == "prompt"]
    assert [(o.name, o.arguments) for o in found] == [("prompt", "go"), ("prompt", "again")]


def test_in_a_sub_agent_the_task_is_the_agents(tmp_path: Path) -> None:
    child = working().child().turn().user("look there")
    found = [o for o in every(stored(tmp_path, working(), child)) if o.session == CHILD and not o.inherited]
    assert [(o.actor, o.name) for o in found] == [("agent", "task prompt")]


def test_what_codex_exec_is_told_is_a_programs(tmp_path: Path) -> None:
    r = Rollout(source="exec").turn().user("run the nightly check").says("Done.").tokens(10, 0, 1)
    prompt = only(stored(tmp_path, r), kind="prompt")
    assert (prompt.actor, prompt.fields.get("automated"), prompt.fields.get("human")) == ("system", "1", None)


def test_where_a_patch_a_search_and_a_server_tool_lead(tmp_path: Path) -> None:
    r = Rollout().turn().user("go")
    r.item(
        "custom_tool_call",
        name="apply_patch",
        call_id=r.ident(),
        input="*** Begin Patch\n*** Add File: src/a.py\n+x\n",
    )
    r.item(
        "web_search_call", status="completed", action={"type": "open_page", "url": "https://example.org/a?b"}
    )
    r.item("function_call", name="_read", namespace="mcp__notes", arguments="{}", call_id=r.ident())
    r.item(
        "local_shell_call", call_id=r.ident(), action={"type": "exec", "command": ["bash", "-lc", "ls -l"]}
    )
    r.tokens(400, 0, 4)
    found = [o for o in every(stored(tmp_path, r)) if o.kind == "tool"]
    assert [o.name for o in found] == ["apply_patch", "web_search", "mcp__notes__read", "local_shell"]
    assert found[0].fields["path"] == "src/a.py"
    assert found[1].fields["domain"] == "example.org"
    assert found[3].fields["command"] == "ls -l"
    assert [o.measures["tokens.input_fresh"] for o in found] == [100] * 4


def test_ids_that_other_models_number_count_inside_their_session(tmp_path: Path) -> None:
    one = Rollout().turn().user("go")
    for n in range(2):
        one.shell("ls", call_id="functions.exec_command:0").result("", n).tokens(10, 0, 1)
    other = Rollout(CHILD).turn().user("go").shell("ls", call_id="call_0").result("", 0).tokens(10, 0, 1)
    third = Rollout(GRANDCHILD).turn().user("go").shell("ls", call_id="call_0").result("", 0).tokens(10, 0, 1)
    workspace = stored(tmp_path, one, other, third)
    assert [o.status for o in every(workspace) if o.kind == "tool"] == ["ok", "nonzero", "ok", "ok"]
    assert all(s.inherited == 0 for s in workspace.sessions())

"""Does the Claude Code source count right where others are known to have counted wrong? One test a case."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from claude import Transcript, used
from reading import raw
from tracelode.model.operation import Operation
from tracelode.workspace import Workspace
from workspaces import HAIKU, OPUS, stored

SECOND = "6b7d0000-0000-4000-8000-000000000002"
THIRD = "7c8e0000-0000-4000-8000-000000000003"


def one(workspace: Workspace) -> list[Operation]:
    """Operations of the only root session."""
    (session,) = [s for s in workspace.sessions() if s.key == s.root]
    return workspace.operations(session.key)


def naive(*transcripts: Transcript, count: str = "input_tokens") -> int:
    """A count added up over all records that tell it, as readers do who know of no repeats."""
    messages = [r["message"] for t in transcripts for r in t.records if r["type"] == "assistant"]
    return sum(message["usage"][count] for message in messages)


def gap(t: Transcript, first: int, last: int) -> float:
    """Seconds from one record to another."""
    start, end = (datetime.fromisoformat(t.records[n]["timestamp"]) for n in (first, last))
    return (end - start).total_seconds()


def test_a1_three_records_of_one_message_are_1_call_and_905_input_tokens_not_2715(tmp_path: Path) -> None:
    t = Transcript().user("look around")
    t.assistant(
        "Reading.", thinking="hm", tools=[("Read", {"file_path": "a.py"})], usage=used(5, 900, output=40)
    )
    totals = stored(tmp_path, t).totals()
    assert len(t.records) == 4
    assert totals.calls == 1
    assert totals.tokens["input_fresh"] == 5
    assert totals.tokens["cache_read"] == 900
    assert totals.total_tokens == 905 + 40
    assert naive(t) + naive(t, count="cache_read_input_tokens") == 2_715


def test_a2_the_last_output_count_321_wins_not_the_first_2(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("one", tools=[("Bash", {"command": "ls"})], usage=used(output=321), partial=2)
    assert stored(tmp_path, t).totals().tokens["output"] == 321
    assert t.records[1]["message"]["usage"]["output_tokens"] == 2


def test_a2_a_better_copy_of_321_may_come_before_a_worse_one_not_5_nor_326(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("one", usage=used(output=321), id="msg_01AAAAAAAAAAAAAAAAAAAAAA")
    t.assistant("one", usage=used(output=5), id="msg_01AAAAAAAAAAAAAAAAAAAAAA")
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["output"]) == (1, 321)
    assert t.records[-1]["message"]["usage"]["output_tokens"] == 5
    assert naive(t, count="output_tokens") == 326


def test_a3_without_a_request_id_7_input_tokens_not_14(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", thinking="b", usage=used(7, output=9))
    for record in t.records:
        record.pop("requestId", None)
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (1, 7, 9)
    assert naive(t) == 14


def test_a3_messages_without_an_id_count_by_their_records_15_tokens_not_8(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(7)).assistant("b", usage=used(8))
    for record in t.records[1:]:
        record["message"].pop("id")
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["input_fresh"]) == (2, 15)
    by_id = {r["message"].get("id"): r["message"]["usage"]["input_tokens"] for r in t.records[1:]}
    assert sum(by_id.values()) == 8


def chain() -> list[Transcript]:
    """A session, resumed into a second and from there into a third one."""
    first = Transcript().user("start").assistant("a", usage=used(10, output=1))
    second = first.advance(60).fork(SECOND)
    second.user("go on").assistant("b", usage=used(20, output=2))
    third = second.advance(60).fork(THIRD)
    third.user("and on").assistant("c", usage=used(40, output=4))
    return [first, second, third]


def test_a4_a_fork_chain_counts_every_call_once_70_tokens_not_110(tmp_path: Path) -> None:
    workspace = stored(tmp_path, *chain())
    totals = workspace.totals()
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (3, 3, 70)
    assert naive(*chain()) == 110
    own = {s.key: (s.operations, s.inherited) for s in workspace.sessions()}
    assert own == {chain()[0].session: (2, 0), SECOND: (2, 2), THIRD: (2, 4)}
    assert totals.forks == 2


def test_a4_a_parent_that_goes_on_after_the_fork_70_tokens_not_80_owned_by_time(tmp_path: Path) -> None:
    first = Transcript().user("start").assistant("a", usage=used(10))
    second = first.fork(SECOND)
    second.advance(5).user("fork work").assistant("b", usage=used(20))
    first.advance(500).user("later in the parent").assistant("c", usage=used(40))
    workspace = stored(tmp_path, first, second)
    assert workspace.totals().tokens["input_fresh"] == 70
    assert naive(first, second) == 80
    # the session whose first record after the last shared one is earliest owns what is shared
    assert {s.key: s.inherited for s in workspace.sessions()} == {first.session: 2, SECOND: 0}


def agents() -> Transcript:
    t = Transcript(model=OPUS).user("explore")
    t.assistant("two helpers", tools=[("Task", {"prompt": "a"}), ("Task", {"prompt": "b"})], usage=used(10))
    for name, call in zip(("a1b2c3d4e5f600001", "a1b2c3d4e5f600002"), t.calls, strict=True):
        child = t.agent(name, call, model=HAIKU)
        child.user("find it")
        child.advance(3).assistant("found", tools=[("Grep", {"pattern": "x"})], usage=used(100, output=11))
        child.advance(2).result(child.calls[0], "a.py:1").advance(2).assistant(
            "done", usage=used(200, output=12)
        )
        result = {"status": "completed", "agentId": name, "totalTokens": 999_999, "totalDurationMs": 7000}
        t.advance(8).result(call, "found it", tool_use_result=result)
    t.advance(2).assistant("thanks", usage=used(20))
    return t


def test_a6_sub_agents_are_part_of_their_session_1_session_not_3(tmp_path: Path) -> None:
    totals = stored(tmp_path, agents()).totals()
    assert (totals.sessions, totals.subagents) == (1, 2)
    assert totals.calls == 2 + 4
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 600
    assert totals.by["role"]["main"].tokens["input_fresh"] == 30
    assert totals.by["model"][HAIKU].calls == 4
    assert len(list((tmp_path / "history").rglob("*.jsonl"))) == 3


def test_a7_2_nested_agent_files_are_found_and_linked_630_tokens_not_30(tmp_path: Path) -> None:
    workspace = stored(tmp_path, agents())
    alone = agents()
    alone.agents.clear()
    above = stored(tmp_path / "above", alone)
    assert [w.totals().tokens["input_fresh"] for w in (workspace, above)] == [630, 30]
    root = one(workspace)
    spawners = {o.fields["spawns"]: o for o in root if "spawns" in o.fields}
    assert len(spawners) == 2
    for session in workspace.sessions():
        if session.role == "subagent":
            assert session.parent_operation == spawners[session.key].id
    stacks = workspace.profile(stack=["intent", "stage", "tool"], measure="calls").totals
    below = [s for s in stacks if "Task" in s[:-1]]
    assert below
    assert all(len(s) == 5 for s in below)


def test_a7_workflow_agents_lie_deeper_2_are_found_not_0(tmp_path: Path) -> None:
    t = agents()
    path = t.write(tmp_path / "history")
    nested = path.with_suffix("") / "subagents"
    deeper = nested / "workflows" / "wf_0001"
    deeper.mkdir(parents=True)
    for file in list(nested.glob("agent-*")):
        file.rename(deeper / file.name)
    import tracelode

    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "history")
    assert (workspace.totals().sessions, workspace.totals().subagents) == (1, 2)
    assert len(list(nested.glob("agent-*"))) == 0


def test_a9_total_tokens_of_a_sub_agent_call_are_not_added_716_not_2000714(tmp_path: Path) -> None:
    t = agents()
    found = stored(tmp_path, t).totals().total_tokens
    told = sum(r["toolUseResult"]["totalTokens"] for r in t.records if "toolUseResult" in r)
    assert (found, found + told) == (716, 2_000_714)


def test_a12_one_hour_cache_writes_have_their_own_price_16_25_dollars_not_12_50(tmp_path: Path) -> None:
    t = Transcript(model=OPUS).user("go").assistant("a", usage=used(0, write_1h=1_000_000, output=0))
    t.assistant("b", usage=used(0, write_5m=1_000_000, output=0))
    totals = stored(tmp_path, t).totals()
    assert totals.tokens["cache_write_1h"] == totals.tokens["cache_write_5m"] == 1_000_000
    assert totals.cost_picodollars == 10_000_000_000_000 + 6_250_000_000_000 == 16_250_000_000_000
    short = Transcript(model=OPUS).user("go")
    for _ in range(2):
        short.assistant("a", usage=used(0, write_5m=1_000_000, output=0))
    assert stored(tmp_path / "short", short).totals().cost_picodollars == 12_500_000_000_000


def test_a13_a_message_never_finished_is_a_lower_bound_1_exact_call_not_2(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(output=2), stop=None)
    t.assistant("b", usage=used(output=3))
    workspace = stored(tmp_path, t)
    assert workspace.totals().calls_lower_bound == 1
    calls = [o for o in one(workspace) if o.kind == "model"]
    assert [o.fields["usage_quality"] for o in calls] == ["lower_bound", "final"]
    assert sum("usage" in r["message"] for r in t.records) == 2


def test_a14_a_compaction_summary_is_no_prompt_2_prompts_not_3(tmp_path: Path) -> None:
    t = (
        Transcript()
        .user("go")
        .assistant("a")
        .compact("This session is being continued " * 9, pre_tokens=160_000)
    )
    t.user("now the real thing").assistant("b")
    prompts = [o for o in one(stored(tmp_path, t)) if o.kind == "prompt"]
    assert [p.arguments for p in prompts] == ["go", "now the real thing"]
    assert sum(r["type"] == "user" for r in t.records) == 3
    notes = [o.name for o in one(stored(tmp_path, t, store="two")) if o.kind == "note"]
    assert notes == ["compaction", "compaction summary"]


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("<command-name>/clear</command-name>", {}),
        ("<local-command-stdout>x</local-command-stdout>", {}),
        ("<task-notification>done</task-notification>", {}),
        ("<system-reminder>be good</system-reminder>", {}),
        ("<bash-stdout>x</bash-stdout>", {}),
        ("<teammate-message>x</teammate-message>", {}),
        ("Caveat: The messages below were generated by the user while running local commands.", {}),
        ("written by the harness", {"isMeta": True}),
        ("task done", {"origin": {"kind": "task-notification"}}),
    ],
)
def test_a15_harness_text_is_not_a_person_1_prompt_not_2(
    tmp_path: Path, text: str, extra: dict[str, object]
) -> None:
    t = Transcript().user("go").assistant("a").user(text, **extra).assistant("b")
    operations = one(stored(tmp_path, t))
    assert [o.arguments for o in operations if o.kind == "prompt"] == ["go"]
    assert len([o for o in operations if o.kind == "note"]) == 1
    assert sum(r["type"] == "user" for r in t.records) == 2


def test_a16_a_queued_message_counts_once_1_steer_not_2(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", tools=[("Bash", {"command": "make"})])
    t.advance(3).queue("enqueue", "use the other branch").advance(2).queue("remove")
    t.attachment("queued_command", prompt="use the other branch")
    t.result(t.calls[0], "ok").assistant("b")
    human = [o for o in one(stored(tmp_path, t)) if o.actor == "human"]
    assert [(o.name, o.arguments) for o in human] == [("prompt", "go"), ("steer", "use the other branch")]
    assert sum("use the other branch" in json.dumps(r) for r in t.records) == 2


def test_a16_a_dequeued_message_is_the_prompt_that_follows_2_prompts_not_3(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a").queue("enqueue", "next").queue("dequeue").user("next")
    human = [o.name for o in one(stored(tmp_path, t)) if o.actor == "human"]
    assert human == ["prompt", "prompt"]
    assert sum(r["type"] == "user" or r.get("operation") == "enqueue" for r in t.records) == 3


def test_a16_2_messages_not_3_what_stays_queued_counts_and_what_is_taken_back_does_not(
    tmp_path: Path,
) -> None:
    t = Transcript().user("go").queue("enqueue", "kept").queue("enqueue", "other").queue("remove", "other")
    assert [o.arguments for o in one(stored(tmp_path, t)) if o.actor == "human"] == ["go", "kept"]
    assert sum(r["type"] == "user" or r["operation"] == "enqueue" for r in t.records) == 3
    t.queue("popAll")
    assert [o.arguments for o in one(stored(tmp_path / "b", t)) if o.actor == "human"] == ["go"]


def test_a18_parallel_results_out_of_order_3_find_their_call_by_id_and_0_by_order(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("three", tools=[("Bash", {"command": f"echo {i}"}) for i in range(3)], usage=used(output=10))
    first, second, third = t.calls
    t.advance(1).result(third, "3").advance(1).result(first, "1").assistant("meanwhile").result(second, "2")
    operations = one(stored(tmp_path, t))
    tools = [o for o in operations if o.kind == "tool"]
    assert [o.output for o in tools] == ["1", "2", "3"]
    arrived = [r["message"]["content"][0]["content"] for r in t.records if "sourceToolAssistantUUID" in r]
    assert sum(o.output == text for o, text in zip(tools, arrived, strict=True)) == 0
    assert [o.measures["tokens.output"] for o in tools] == [4, 3, 3]


def test_a20_a_tools_time_is_10_seconds_not_43213_until_the_next_prompt(tmp_path: Path) -> None:
    t = Transcript().user("go").advance(2)
    t.assistant("run", tools=[("Bash", {"command": "make"})]).advance(10).result(t.calls[0], "ok")
    t.advance(3).assistant("done").advance(12 * 3600).user("good morning").advance(1).assistant("hi")
    workspace = stored(tmp_path, t)
    time = workspace.totals().time_us
    assert time["tool"] == 10_000_000
    assert gap(t, 2, 5) == 43_213
    assert time["model"] == 2_400_000 + 3_000_000 + 1_000_000
    assert time["blocked"] == 300_000_000
    assert time["idle"] == 12 * 3600 * 1_000_000 - 300_000_000
    bash = next(o for o in one(workspace) if o.name == "Bash")
    assert bash.fields["duration_quality"] == "upper_bound"


def test_a20_own_duration_leaves_the_permission_wait_out_1_5_seconds_not_60(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("get", tools=[("WebFetch", {"url": "https://example.org/x"})])
    t.advance(60).result(t.calls[0], "text", tool_use_result={"durationMs": 1500, "url": "x"})
    workspace = stored(tmp_path, t)
    assert workspace.totals().time_us["tool"] == 1_500_000
    assert workspace.totals().time_us["unknown"] == 58_500_000
    assert gap(t, 2, 3) == 60


def test_a20_an_answer_is_a_persons_time_0_seconds_of_a_tool_not_45(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("which?", tools=[("AskUserQuestion", {"questions": []})])
    t.advance(45).result(t.calls[0], "blue", tool_use_result={"answers": {"q": "blue"}})
    time = stored(tmp_path, t).totals().time_us
    assert (time["blocked"], time["tool"]) == (45_000_000, 0)
    assert gap(t, 2, 3) == 45


def test_a22_a_deleted_source_stays_in_the_store_6_calls_not_0(tmp_path: Path) -> None:
    t = agents()
    workspace = stored(tmp_path, t)
    before = workspace.totals()
    for file in (tmp_path / "history").rglob("*.jsonl"):
        file.unlink()
    report = workspace.add(tmp_path / "history")
    assert report.files == 0
    assert workspace.totals() == before
    assert (before.calls, stored(tmp_path, store="anew").totals().calls) == (6, 0)


def test_a23_a_growing_file_is_read_on_from_where_it_stopped_6_calls_not_11(tmp_path: Path) -> None:
    t = agents()
    path = t.write(tmp_path / "history")
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:50])
    import tracelode

    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(tmp_path / "history")
    assert [s.reason for s in report.skipped] == ["truncated last line"]
    before = workspace.totals().calls
    path.write_bytes(whole)
    report = workspace.add(tmp_path / "history")
    assert report.bytes_read == len(whole) - sum(len(line) for line in lines[:3])
    assert report.skipped == []
    assert workspace.totals() == stored(tmp_path, t, store="fresh").totals()
    assert (workspace.totals().calls, before + workspace.totals().calls) == (6, 11)


def test_a23_two_objects_on_a_line_and_a_broken_line_2_calls_not_0(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(1)).assistant("b", usage=used(2))
    lines = [json.dumps(r) for r in t.records]
    path = tmp_path / "history" / f"{t.session}.jsonl"
    path.parent.mkdir()
    path.write_text(lines[0] + "\n" + lines[1] + lines[2] + "\n" + '{"type": "assistant", "mess\n')
    import tracelode

    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(path)
    assert workspace.totals().calls == 2
    assert sum(r["type"] == "assistant" for r in raw(path)) == 0
    assert [(s.line, s.reason) for s in report.skipped] == [
        (2, "several objects on one line, all read"),
        (3, "not valid JSON"),
    ]

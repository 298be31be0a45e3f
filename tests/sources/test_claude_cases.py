"""Does the Claude Code source count right where others are known to have counted wrong? One test a case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claude import Transcript, used
from tracelode.model.operation import Operation
from tracelode.workspace import Workspace
from workspaces import HAIKU, OPUS, stored

SECOND = "6b7d0000-0000-4000-8000-000000000002"
THIRD = "7c8e0000-0000-4000-8000-000000000003"


def one(workspace: Workspace) -> list[Operation]:
    """Operations of the only root session."""
    (session,) = [s for s in workspace.sessions() if s.key == s.root]
    return workspace.operations(session.key)


def test_a1_records_of_one_message_are_one_call(tmp_path: Path) -> None:
    t = Transcript().user("look around")
    t.assistant(
        "Reading.", thinking="hm", tools=[("Read", {"file_path": "a.py"})], usage=used(5, 900, output=40)
    )
    totals = stored(tmp_path, t).totals()
    assert len(t.records) == 4
    assert totals.calls == 1
    assert totals.tokens["input_fresh"] == 5
    assert totals.tokens["cache_read"] == 900


def test_a2_the_last_output_count_wins(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("one", tools=[("Bash", {"command": "ls"})], usage=used(output=321), partial=2)
    assert stored(tmp_path, t).totals().tokens["output"] == 321


def test_a2_a_better_copy_may_come_before_a_worse_one(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("one", usage=used(output=321), id="msg_01AAAAAAAAAAAAAAAAAAAAAA")
    t.assistant("one", usage=used(output=5), id="msg_01AAAAAAAAAAAAAAAAAAAAAA")
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["output"]) == (1, 321)


def test_a3_no_request_id(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", thinking="b", usage=used(7, output=9))
    for record in t.records:
        record.pop("requestId", None)
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (1, 7, 9)


def test_a3_message_without_an_id_counts_by_its_record(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(7)).assistant("b", usage=used(8))
    for record in t.records[1:]:
        record["message"].pop("id")
    totals = stored(tmp_path, t).totals()
    assert (totals.calls, totals.tokens["input_fresh"]) == (2, 15)


def chain() -> list[Transcript]:
    """A session, resumed into a second and from there into a third one."""
    first = Transcript().user("start").assistant("a", usage=used(10, output=1))
    second = first.advance(60).fork(SECOND)
    second.user("go on").assistant("b", usage=used(20, output=2))
    third = second.advance(60).fork(THIRD)
    third.user("and on").assistant("c", usage=used(40, output=4))
    return [first, second, third]


def test_a4_a_fork_chain_counts_every_call_once(tmp_path: Path) -> None:
    workspace = stored(tmp_path, *chain())
    totals = workspace.totals()
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (3, 3, 70)
    own = {s.key: (s.operations, s.inherited) for s in workspace.sessions()}
    assert own == {chain()[0].session: (2, 0), SECOND: (2, 2), THIRD: (2, 4)}
    assert totals.forks == 2


def test_a4_a_parent_that_goes_on_after_the_fork_keeps_or_gives_by_time(tmp_path: Path) -> None:
    first = Transcript().user("start").assistant("a", usage=used(10))
    second = first.fork(SECOND)
    second.advance(5).user("fork work").assistant("b", usage=used(20))
    first.advance(500).user("later in the parent").assistant("c", usage=used(40))
    workspace = stored(tmp_path, first, second)
    assert workspace.totals().tokens["input_fresh"] == 70
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


def test_a6_sub_agents_are_part_of_their_session(tmp_path: Path) -> None:
    totals = stored(tmp_path, agents()).totals()
    assert (totals.sessions, totals.subagents) == (1, 2)
    assert totals.calls == 2 + 4
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 600
    assert totals.by["role"]["main"].tokens["input_fresh"] == 30
    assert totals.by["model"][HAIKU].calls == 4


def test_a7_nested_agent_files_are_found_and_linked_by_agent_id(tmp_path: Path) -> None:
    workspace = stored(tmp_path, agents())
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


def test_a7_workflow_agents_lie_deeper(tmp_path: Path) -> None:
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


def test_a9_total_tokens_of_a_sub_agent_call_are_not_added(tmp_path: Path) -> None:
    assert stored(tmp_path, agents()).totals().total_tokens < 2_000


def test_a12_one_hour_cache_writes_keep_their_own_bucket_and_price(tmp_path: Path) -> None:
    t = Transcript(model=OPUS).user("go").assistant("a", usage=used(0, write_1h=1_000_000, output=0))
    t.assistant("b", usage=used(0, write_5m=1_000_000, output=0))
    totals = stored(tmp_path, t).totals()
    assert totals.tokens["cache_write_1h"] == totals.tokens["cache_write_5m"] == 1_000_000
    assert totals.cost_picodollars == 10_000_000_000_000 + 6_250_000_000_000


def test_a13_a_message_that_was_never_finished_is_a_lower_bound(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(output=2), stop=None)
    t.assistant("b", usage=used(output=3))
    workspace = stored(tmp_path, t)
    assert workspace.totals().calls_lower_bound == 1
    calls = [o for o in one(workspace) if o.kind == "model"]
    assert [o.fields["usage_quality"] for o in calls] == ["lower_bound", "final"]


def test_a14_a_compaction_summary_is_no_prompt(tmp_path: Path) -> None:
    t = (
        Transcript()
        .user("go")
        .assistant("a")
        .compact("This session is being continued " * 9, pre_tokens=160_000)
    )
    t.user("now the real thing").assistant("b")
    prompts = [o for o in one(stored(tmp_path, t)) if o.kind == "prompt"]
    assert [p.arguments for p in prompts] == ["go", "now the real thing"]
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
def test_a15_harness_text_is_not_a_person(tmp_path: Path, text: str, extra: dict[str, object]) -> None:
    t = Transcript().user("go").assistant("a").user(text, **extra).assistant("b")
    operations = one(stored(tmp_path, t))
    assert [o.arguments for o in operations if o.kind == "prompt"] == ["go"]
    assert len([o for o in operations if o.kind == "note"]) == 1


def test_a16_a_queued_message_counts_once(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", tools=[("Bash", {"command": "make"})])
    t.advance(3).queue("enqueue", "use the other branch").advance(2).queue("remove")
    t.attachment("queued_command", prompt="use the other branch")
    t.result(t.calls[0], "ok").assistant("b")
    human = [o for o in one(stored(tmp_path, t)) if o.actor == "human"]
    assert [(o.name, o.arguments) for o in human] == [("prompt", "go"), ("steer", "use the other branch")]


def test_a16_a_dequeued_message_is_the_prompt_that_follows(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a").queue("enqueue", "next").queue("dequeue").user("next")
    human = [o.name for o in one(stored(tmp_path, t)) if o.actor == "human"]
    assert human == ["prompt", "prompt"]


def test_a16_a_message_still_queued_at_the_end_counts_and_one_taken_back_does_not(tmp_path: Path) -> None:
    t = Transcript().user("go").queue("enqueue", "kept").queue("enqueue", "other").queue("remove", "other")
    assert [o.arguments for o in one(stored(tmp_path, t)) if o.actor == "human"] == ["go", "kept"]
    t.queue("popAll")
    assert [o.arguments for o in one(stored(tmp_path / "b", t)) if o.actor == "human"] == ["go"]


def test_a18_parallel_results_out_of_order_and_in_separate_records(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("three", tools=[("Bash", {"command": f"echo {i}"}) for i in range(3)], usage=used(output=10))
    first, second, third = t.calls
    t.advance(1).result(third, "3").advance(1).result(first, "1").assistant("meanwhile").result(second, "2")
    operations = one(stored(tmp_path, t))
    tools = [o for o in operations if o.kind == "tool"]
    assert [o.output for o in tools] == ["1", "2", "3"]
    assert [o.measures["tokens.output"] for o in tools] == [4, 3, 3]


def test_a20_a_tools_time_is_its_own_or_an_upper_bound_never_the_wait_for_a_person(tmp_path: Path) -> None:
    t = Transcript().user("go").advance(2)
    t.assistant("run", tools=[("Bash", {"command": "make"})]).advance(10).result(t.calls[0], "ok")
    t.advance(3).assistant("done").advance(12 * 3600).user("good morning").advance(1).assistant("hi")
    workspace = stored(tmp_path, t)
    time = workspace.totals().time_us
    assert time["tool"] == 10_000_000
    assert time["model"] == 2_400_000 + 3_000_000 + 1_000_000
    assert time["blocked"] == 300_000_000
    assert time["idle"] == 12 * 3600 * 1_000_000 - 300_000_000
    bash = next(o for o in one(workspace) if o.name == "Bash")
    assert bash.fields["duration_quality"] == "upper_bound"


def test_a20_own_duration_leaves_the_permission_wait_out(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("get", tools=[("WebFetch", {"url": "https://example.org/x"})])
    t.advance(60).result(t.calls[0], "text", tool_use_result={"durationMs": 1500, "url": "x"})
    workspace = stored(tmp_path, t)
    assert workspace.totals().time_us["tool"] == 1_500_000
    assert workspace.totals().time_us["unknown"] == 58_500_000


def test_a20_an_answer_is_a_persons_time(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("which?", tools=[("AskUserQuestion", {"questions": []})])
    t.advance(45).result(t.calls[0], "blue", tool_use_result={"answers": {"q": "blue"}})
    time = stored(tmp_path, t).totals().time_us
    assert (time["blocked"], time["tool"]) == (45_000_000, 0)


def test_a22_a_deleted_source_stays_in_the_store(tmp_path: Path) -> None:
    t = agents()
    workspace = stored(tmp_path, t)
    before = workspace.totals()
    for file in (tmp_path / "history").rglob("*.jsonl"):
        file.unlink()
    report = workspace.add(tmp_path / "history")
    assert report.files == 0
    assert workspace.totals() == before


def test_a23_a_growing_file_is_read_on_from_where_it_stopped(tmp_path: Path) -> None:
    t = agents()
    path = t.write(tmp_path / "history")
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:50])
    import tracelode

    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(tmp_path / "history")
    assert [s.reason for s in report.skipped] == ["truncated last line"]
    path.write_bytes(whole)
    report = workspace.add(tmp_path / "history")
    assert report.bytes_read == len(whole) - sum(len(line) for line in lines[:3])
    assert report.skipped == []
    assert workspace.totals() == stored(tmp_path, t, store="fresh").totals()


def test_a23_two_objects_on_a_line_and_a_broken_line(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(1)).assistant("b", usage=used(2))
    lines = [json.dumps(r) for r in t.records]
    path = tmp_path / "history" / f"{t.session}.jsonl"
    path.parent.mkdir()
    path.write_text(lines[0] + "\n" + lines[1] + lines[2] + "\n" + '{"type": "assistant", "mess\n')
    import tracelode

    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(path)
    assert workspace.totals().calls == 2
    assert [(s.line, s.reason) for s in report.skipped] == [
        (2, "several objects on one line, all read"),
        (3, "not valid JSON"),
    ]


def test_synthetic_errors_interrupts_and_denials(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("API Error: 529", model="<synthetic>", usage=used(0, output=0), isApiErrorMessage=True)
    t.assistant("try", tools=[("Bash", {"command": "rm -rf build"})])
    t.result(t.calls[0], "The user doesn't want to proceed with this tool use.", is_error=True)
    t.assistant("again", tools=[("Bash", {"command": "false"})]).result(
        t.calls[0], "Exit code 1", is_error=True
    )
    t.user([{"type": "text", "text": "[Request interrupted by user]"}])
    workspace = stored(tmp_path, t)
    operations = one(workspace)
    assert workspace.totals().calls == 2
    assert "<synthetic>" not in workspace.totals().by["model"]
    assert [o.status for o in operations if o.name == "Bash"] == ["denied", "nonzero"]
    assert [o.name for o in operations if o.kind == "note"] == ["api error", "interrupt"]


@pytest.mark.parametrize(
    ("kind", "human"),
    [(None, "denial"), ("user-rejected", "denial"), ("hook-denied", None), ("automode", None)],
)
def test_only_a_person_who_refuses_is_a_denial(tmp_path: Path, kind: str | None, human: str | None) -> None:
    t = Transcript().user("go").assistant("try", tools=[("Bash", {"command": "rm -rf build"})])
    t.advance(30).result(
        t.calls[0],
        "The user doesn't want to proceed with this tool use.",
        is_error=True,
        **({"toolDenialKind": kind} if kind else {}),
    )
    (tool,) = [o for o in one(stored(tmp_path, t)) if o.name == "Bash"]
    assert (tool.status, tool.fields.get("human")) == ("denied", human)


def test_a_sub_agent_belongs_to_the_session_whose_folder_it_lies_in(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("help", tools=[("Task", {"prompt": "p"})])
    child = t.agent("a1b2c3d4e5f600001", t.calls[0])
    child.user("p").advance(4).assistant("done", usage=used(7))
    for record in child.records:
        record["sessionId"] = "99999999-0000-4000-8000-000000000009"  # of the session it was forked from
    workspace = stored(tmp_path, t)
    assert {s.root for s in workspace.sessions()} == {t.session}


def test_what_a_leaf_carries_is_as_certain_as_its_call(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("x", tools=[("Bash", {"command": "ls"})], stop=None)
    workspace = stored(tmp_path, t)
    tokens = workspace.profile(stack=["tool"], measure="tokens", where=[("usage_quality", "lower_bound")])
    assert tokens.total() == workspace.totals().total_tokens > 0

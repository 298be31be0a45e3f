"""Does the Claude Code source count right in layouts of older versions? One test a case."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import tracelode
from claude import Record, Transcript, used
from reading import lines_of, main_of, raw, same_in_pieces, tokens, told_by
from shared import need
from tracelode.sources.claude_code import ClaudeCode
from tracelode.workspace import Workspace
from workspaces import HAIKU, OPUS, stored

AGENT = "a1b2c3d"
OTHER = "e4f5a6b"
FORK = "6b7d0000-0000-4000-8000-000000000002"


# A5 --------------------------------------------------------------------------------------------------


def branched() -> Transcript:
    """A fork whose records up to the compaction were written again, without their parents."""
    first = Transcript().user("start")
    first.assistant("look", tools=[("Bash", {"command": "ls"})], usage=used(10, output=5))
    first.advance(2).result(first.calls[0], "a.py").assistant("seen", usage=used(20, output=6))
    t = first.advance(60).fork(FORK)
    for record in t.records:
        record["forkedFrom"] = {"sessionId": first.session, "messageUuid": record["uuid"]}
    again = [{**record, "parentUuid": None} for record in t.records]
    for record in again:
        del record["forkedFrom"]
    t.compact("This session is being continued", pre_tokens=9000)
    t.records.extend(again)
    t.advance(5).user("on the branch").assistant("done", usage=used(40, output=7))
    return t


def naive(*transcripts: Transcript) -> int:
    """Input of every record that ends a message, as readers add it up who know of no copies."""
    messages = [r["message"] for t in transcripts for r in t.records if r["type"] == "assistant"]
    return sum(m["usage"]["input_tokens"] for m in messages if m["stop_reason"])


def test_a5_branch_writes_messages_twice_and_they_count_once_70_tokens_not_100(tmp_path: Path) -> None:
    t = branched()
    workspace = stored(tmp_path, t)
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (3, 70, 18)
    assert naive(t) == 100
    operations = main_of(workspace)
    assert [o.arguments for o in operations if o.kind == "prompt"] == ["start", "on the branch"]
    assert [(o.name, o.output) for o in operations if o.kind == "tool"] == [("Bash", "a.py")]
    # a copy without a parent is not a rewind to the start
    assert not [o for o in operations if "rolled_back" in o.fields]
    once = Transcript(FORK)
    once.records = [r for n, r in enumerate(t.records) if r["uuid"] not in {x["uuid"] for x in t.records[:n]}]
    alone = stored(tmp_path / "once", once).totals()
    assert (alone.calls, alone.time_us) == (totals.calls, totals.time_us)


def test_a5_the_parent_and_its_branch_count_every_call_once_70_tokens_not_130(tmp_path: Path) -> None:
    t = branched()
    first = Transcript()
    first.records = [
        {k: v for k, v in r.items() if k != "forkedFrom"} | {"sessionId": first.session}
        for r in t.records
        if "forkedFrom" in r
    ]
    totals = stored(tmp_path, first, t).totals()
    assert (totals.sessions, totals.calls, totals.tokens["input_fresh"]) == (2, 3, 70)
    assert naive(first, t) == 130


# A8 --------------------------------------------------------------------------------------------------


def progress(t: Transcript, tool: str, agent: str, inner: Record) -> None:
    """A progress record that holds a record of a sub-agent."""
    kept = {k: inner[k] for k in ("type", "message", "uuid", "timestamp", "requestId") if k in inner}
    data = {"message": kept, "normalizedMessages": [], "type": "agent_progress", "prompt": "x" * 5000}
    outer = {"type": "progress", "data": data | {"agentId": agent}, "parentToolUseID": tool}
    outer |= {"toolUseID": f"agent_{inner['uuid']}", "uuid": t.uuid(), "timestamp": inner["timestamp"]}
    outer |= {"sessionId": t.session, "cwd": t.cwd, "isSidechain": False, "parentUuid": t.last}
    t.raw(outer)


def with_progress(beside: bool) -> Transcript:
    """Two sub-agents whose calls lie in progress records; one of them has a file as well."""
    t = Transcript(model=OPUS).user("explore")
    t.assistant("two", tools=[("Task", {"prompt": "a"}), ("Task", {"prompt": "b"})], usage=used(10))
    for agent, call in zip((AGENT, OTHER), t.calls, strict=True):
        child = t.agent(agent, call, model=HAIKU)
        child.user("find it").advance(3)
        child.assistant(None, tools=[("Grep", {"pattern": "x"})], usage=used(100, output=11))
        child.advance(2).result(child.calls[0], "a.py:1").advance(2)
        child.assistant(None, tools=[("Read", {"file_path": "a.py"})], usage=used(200, output=12))
        child.advance(1).result(child.calls[0], "text")
        for record in child.records:
            progress(t, call, agent, record)
        child.advance(1).assistant("found", usage=used(300, output=13))
        t.advance(10).result(call, "found it", tool_use_result={"agentId": agent, "totalDurationMs": 9000})
    t.advance(2).assistant("thanks", usage=used(20))
    if not beside:
        t.agents.clear()
    del t.agents[1:]
    return t


def in_progress(t: Transcript) -> int:
    """Input that the progress records of a file tell."""
    inner = [r["data"]["message"] for r in t.records if r["type"] == "progress"]
    return sum(r["message"]["usage"]["input_tokens"] for r in inner if r["type"] == "assistant")


def test_a8_calls_in_progress_records_count_for_the_sub_agents_630_tokens_not_30(tmp_path: Path) -> None:
    t = with_progress(beside=False)
    workspace = stored(tmp_path, t)
    totals = workspace.totals()
    assert (totals.sessions, totals.subagents, totals.calls) == (1, 2, 2 + 4)
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 2 * (100 + 200)
    assert totals.by["role"]["main"].tokens["input_fresh"] == 30
    assert (totals.tokens["input_fresh"], naive(t)) == (630, 30)
    spawners = {o.fields["spawns"]: o.id for o in main_of(workspace) if "spawns" in o.fields}
    children = [s for s in workspace.sessions() if s.role == "subagent"]
    assert {s.key: s.parent_operation for s in children} == spawners
    assert set(spawners) == {f"{t.session}/{AGENT}", f"{t.session}/{OTHER}"}
    kinds = Counter(o.kind for o in workspace.operations(children[0].key))
    assert kinds == {"prompt": 1, "model": 2, "tool": 2}
    same_in_pieces(t)


def test_a8_a_sub_agents_file_adds_what_progress_leaves_out_930_tokens_not_1230(tmp_path: Path) -> None:
    t = with_progress(beside=True)
    totals = stored(tmp_path, t).totals()
    assert (totals.subagents, totals.calls) == (2, 2 + 4 + 1)
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 2 * (100 + 200) + 300
    assert totals.tokens["input_fresh"] == 930
    assert naive(t, *(child for child, _ in t.agents)) + in_progress(t) == 1_230


def test_a8_1_sub_agent_is_linked_though_0_results_are_told(tmp_path: Path) -> None:
    t = with_progress(beside=False)
    t.records = t.records[: next(n for n, r in enumerate(t.records) if "toolUseResult" in r)]
    assert sum("toolUseResult" in r for r in t.records) == 0
    workspace = stored(tmp_path, t)
    (child,) = [s for s in workspace.sessions() if s.role == "subagent"]
    assert child.parent_operation == next(o.id for o in main_of(workspace) if o.kind == "subagent")


def test_a8_public_transcripts_154_calls_7839721_tokens_inside_progress_records() -> None:
    found: Counter[str] = Counter()
    for path in sorted(need("data", "native", "claude_code").rglob("*.jsonl")):
        best: dict[tuple[str, str], list[int]] = {}
        for record in raw(path):
            data = record.get("data")
            inner = data.get("message") if isinstance(data, dict) else None
            if not inner or data["type"] != "agent_progress" or inner["type"] != "assistant":
                continue
            usage = inner["message"]["usage"]
            names = (
                "output_tokens",
                "input_tokens",
                "cache_read_input_tokens",
                "cache_creation_input_tokens",
            )
            counts = [usage[name] for name in names]
            key = (data["agentId"], inner["message"]["id"])
            best[key] = max(best.get(key, counts), counts)
        threads = {k: t for k, t in told_by(path).items() if k.split("/")[-1] in {a for a, _ in best}}
        calls = [d for t in threads.values() for d in t.drafts.values() if d.kind == "model"]
        assert len(calls) == len(best), path.name
        assert sum(map(tokens, calls)) == sum(map(sum, best.values())), path.name
        found["calls"] += len(calls)
        found["tokens"] += sum(map(tokens, calls))
    assert found == {"calls": 154, "tokens": 7_839_721}


# versions 1.0 and 1.1, and sub-agents in their session's file ------------------------------------------


def bare(session: str = FORK) -> bytes:
    """Lines without a type, as versions 1.0 and 1.1 wrote them."""
    answer = {
        "id": "msg_01BareAAAAAAAAAAAAAAAAAA",
        "role": "assistant",
        "model": OPUS,
        "stop_reason": "end_turn",
    }
    usage = {"input_tokens": 7, "output_tokens": 9, "cache_read_input_tokens": 100}
    usage["cache_creation_input_tokens"] = 50
    found: list[Record] = [
        {"message": {"role": "user", "content": "hello"}},
        {"message": answer | {"content": [{"type": "text", "text": "hi"}], "usage": usage}, "costUSD": 0.0215}
        | {"requestId": "req_011CAAAAAAAAAAAAAAAAAAAA"},
    ]
    for second, record in enumerate(found):
        record |= {"timestamp": f"2026-10-02T08:00:0{second}Z", "sessionId": session, "version": "1.0.3"}
    return b"".join(json.dumps(r).encode() + b"\n" for r in found)


def test_lines_without_a_type_are_read_with_the_cost_they_state(tmp_path: Path) -> None:
    path = tmp_path / "history" / "old.jsonl"
    path.parent.mkdir()
    path.write_bytes(bare())
    assert ClaudeCode().sniff(bare()) >= 0.5
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    assert workspace.add(path).skipped == []
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["cache_write_5m"]) == (1, 7, 50)
    prompt, call = main_of(workspace)
    assert (prompt.arguments, prompt.session) == ("hello", FORK)
    assert call.measures["cost.reported"] == 21_500_000_000
    assert "cost.reported" not in prompt.measures


def test_an_object_that_is_no_record_is_still_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(bare() + b'{"silly":"this"}\n')
    report = tracelode.open(tmp_path / "store", tz="UTC").add(path)
    assert [(s.line, s.reason) for s in report.skipped] == [(3, "record without a type")]


def inline(t: Transcript, call: str, prompt: str, fresh: int) -> Transcript:
    """A sub-agent's records without an agent id, not yet in the file."""
    child = t.agent(f"inline{fresh}", call, model=HAIKU)
    child.user(prompt).advance(2)
    child.assistant(
        "looking", tools=[("Grep", {"pattern": "x"}), ("Glob", {"pattern": "*"})], usage=used(fresh)
    )
    for tool in reversed(child.calls):
        child.advance(1).result(tool, "a.py")
    child.advance(1).assistant("found", usage=used(fresh))
    for record in child.records:
        del record["agentId"]
    t.agents.clear()
    return child


def old_layout() -> Transcript:
    """Two sub-agents written into their session's file one after the other, the later one first."""
    t = Transcript(model=OPUS, version="1.0.64").user("explore")
    calls = [("Task", {"prompt": "task a\n", "description": "a"}), ("Task", {"prompt": "task b"})]
    t.assistant("two", tools=calls, usage=used(10))
    first, second = t.calls
    a, b = inline(t, first, "task a", 100), inline(t, second, "task b", 200)
    t.records += b.records
    t.advance(20).result(second, "b is done")
    t.records += a.records
    t.advance(2).result(first, "a is done").assistant("thanks", usage=used(20))
    return t


def test_sub_agents_inside_the_main_file_are_sessions_of_their_own(tmp_path: Path) -> None:
    t = old_layout()
    workspace = stored(tmp_path, t)
    totals = workspace.totals()
    assert (totals.sessions, totals.subagents, totals.calls) == (1, 2, 2 + 4)
    assert totals.by["role"]["main"].tokens["input_fresh"] == 30
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 600
    operations = main_of(workspace)
    assert [o.arguments for o in operations if o.kind == "prompt"] == ["explore"]
    tasks = {o.output: o.id for o in operations if o.kind == "subagent"}
    for session in workspace.sessions():
        if session.role == "subagent":
            prompt, *rest = workspace.operations(session.key)
            assert (prompt.actor, prompt.name) == ("agent", "task prompt")
            assert session.parent_operation == tasks[f"{prompt.arguments.split()[1]} is done"]
            assert [o.status for o in rest] == ["ok"] * 4
    same_in_pieces(t)


def test_sub_agents_may_write_in_turns(tmp_path: Path) -> None:
    t = old_layout()
    side = [r for r in t.records if r["isSidechain"]]
    b, a = side[:7], side[7:]
    main = [r for r in t.records if not r["isSidechain"]]
    t.records = [*main[:3], *(r for pair in zip(a, b, strict=True) for r in pair), *main[3:]]
    found = {key: [d.kind for d in drafts] for key, drafts in same_in_pieces(t).items() if "/" in key}
    assert list(found.values()) == [["prompt", "model", "tool", "tool", "model"]] * 2


def test_nothing_is_kept_of_sub_agents_that_are_done() -> None:
    source, t = ClaudeCode(), old_layout()
    state = source.fresh()
    list(source.read(lines_of(t.bytes()), state, "x.jsonl"))
    assert (state.sides, state.tasks, state.open) == ([], {}, {})
    assert b"task a" not in msgspec.msgpack.encode(state)


def test_public_transcripts_171_calls_of_7_sub_agents_without_an_agent_id() -> None:
    folder = need("data", "native", "claude_code", "d-kimuson+claude-code-viewer")
    calls = agents = 0
    for path in sorted(folder.rglob("*.jsonl")):
        side = [r for r in raw(path) if r.get("isSidechain") and not r.get("agentId")]
        if not side or path.name.startswith("agent-"):
            continue
        ids = {r["message"]["id"] for r in side if r["type"] == "assistant"}
        threads = {key: t for key, t in told_by(path).items() if "/" in key}
        models = [d for t in threads.values() for d in t.drafts.values() if d.kind == "model"]
        assert len(models) == len(ids)
        assert len(threads) == sum(r["parentUuid"] is None for r in side)
        main = told_by(path)[path.stem].drafts.values()
        assert {d.fields["spawns"] for d in main if "spawns" in d.fields} == set(threads)
        calls, agents = calls + len(models), agents + len(threads)
    assert (calls, agents) == (171, 7)


@pytest.mark.parametrize("cut", [3, 6, 9, 12])
def test_a_growing_file_with_sub_agents_inside_is_read_on(tmp_path: Path, cut: int) -> None:
    for name, t in (("progress", with_progress(beside=False)), ("inline", old_layout())):
        lines = t.bytes().splitlines(keepends=True)
        path = t.write(tmp_path / name)
        path.write_bytes(b"".join(lines[:cut]))
        workspace = tracelode.open(tmp_path / f"{name}-store", tz="UTC")
        workspace.add(tmp_path / name)
        path.write_bytes(b"".join(lines))
        assert workspace.add(tmp_path / name).bytes_read == len(b"".join(lines[cut:]))
        fresh = stored(tmp_path / f"{name}-fresh", t)
        assert workspace.totals() == fresh.totals()
        assert workspace.sessions() == [
            msgspec.structs.replace(s, source=path_of(workspace, s.key)) for s in fresh.sessions()
        ]


def path_of(workspace: Workspace, key: str) -> str:
    (source,) = [s.source for s in workspace.sessions() if s.key == key]
    return source


def flat(t: Transcript, folder: Path) -> Path:
    """A transcript with its sub-agents' files beside it, as versions up to 2.1.1 wrote them."""
    path = t.write(folder)
    for file in (path.with_suffix("") / "subagents").glob("agent-*.jsonl"):
        file.rename(path.parent / file.name)
    return path


def test_sub_agent_files_beside_the_main_file_are_part_of_their_session(tmp_path: Path) -> None:
    t = Transcript(model=OPUS).user("explore")
    t.assistant("one", tools=[("Task", {"prompt": "find it"})], usage=used(10))
    child = t.agent(AGENT, t.calls[0]).user("find it").assistant("found", usage=used(100))
    t.advance(9).result(t.calls[0], "found it", tool_use_result={"agentId": AGENT})
    flat(t, tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "history")
    assert (workspace.totals().sessions, workspace.totals().subagents, workspace.totals().calls) == (1, 1, 2)
    (session,) = [s for s in workspace.sessions() if s.role == "subagent"]
    spawner = next(o for o in main_of(workspace) if o.kind == "subagent")
    assert (session.key, session.parent_operation) == (f"{t.session}/{AGENT}", spawner.id)
    for record in child.records:
        # some versions leave the id to the file's name
        del record["agentId"]
    flat(t, tmp_path / "nameless")
    again = tracelode.open(tmp_path / "again", tz="UTC")
    again.add(tmp_path / "nameless")
    assert {s.key: s.parent_operation for s in again.sessions()} == {
        s.key: s.parent_operation for s in workspace.sessions()
    }


def test_records_with_and_without_an_agent_id_in_one_file(tmp_path: Path) -> None:
    t = with_progress(beside=True)
    child = t.agents.pop()[0]
    t.records = [r for r in t.records if r["type"] != "progress"]
    # by time, and one record of the sub-agent before everything else
    t.records = [child.records[0], *sorted(t.records + child.records[1:], key=lambda r: str(r["timestamp"]))]
    workspace = stored(tmp_path, t)
    totals = workspace.totals()
    assert (totals.sessions, totals.subagents, totals.calls) == (1, 1, 2 + 3)
    assert {s.key for s in workspace.sessions()} == {t.session, f"{t.session}/{AGENT}"}
    assert [o.arguments for o in main_of(workspace) if o.kind == "prompt"] == ["explore"]
    same_in_pieces(t)


def test_a_mixed_file_that_is_gone_keeps_all_its_sessions(tmp_path: Path) -> None:
    t = with_progress(beside=True)
    path = t.write(tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "history")
    before = workspace.totals()
    path.unlink()
    (agent,) = path.with_suffix("").rglob("agent-*.jsonl")
    # rewritten from its start, so that the whole family is read again
    agent.write_bytes(b'{"type":"summary","summary":"x","leafUuid":"y"}\n' + agent.read_bytes())
    workspace.add(tmp_path / "history")
    assert workspace.totals().calls == before.calls
    assert workspace.totals().tokens == before.tokens

"""Does the output of runs without a screen count right, beside results that tell sums? One test a case."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from claude import Record, Transcript, used
from reading import spoiled, unharmed
from shared import need
from tracelode.files import Records
from tracelode.ingest.draft import Builder, Draft, Thread
from tracelode.redact.fast import Redactor
from tracelode.sources.claude_code import ClaudeCode
from tracelode.sources.claude_code.stream import ClaudeStream
from tracelode.workspace import Workspace
from workspaces import HAIKU, SONNET

SESSION = "3f9e0000-0000-4000-8000-00000000000b"
SECOND = "3f9e0000-0000-4000-8000-00000000000c"
_TOTAL = {
    "inputTokens": "input_fresh",
    "cacheReadInputTokens": "cache_read",
    "cacheCreationInputTokens": "cache_write_5m",
    "outputTokens": "output",
}


class Log:
    """The output of runs under construction."""

    def __init__(self, session: str = SESSION) -> None:
        self.session = session
        self.lines: list[Record] = []

    def put(self, **message: Any) -> Log:
        number = len(self.lines)
        uuid = f"5e0b0000-0000-4000-8000-{number:04d}{self.session[-8:]}"
        self.lines.append(message | {"session_id": self.session, "uuid": uuid})
        return self

    def init(self, cwd: str = "/home/sam/src/app") -> Log:
        return self.put(type="system", subtype="init", cwd=cwd, claude_code_version="2.1.89")

    def call(
        self, id: str, usage: Record, *blocks: Record, model: str = SONNET, parent: str | None = None,
        stop: str | None = "end_turn",
    ) -> Log:  # fmt: skip
        content = list(blocks) or [{"type": "text", "text": "ok"}]
        message = {"id": f"msg_01Log{id:>014}", "role": "assistant", "model": model, "content": content}
        message |= {"usage": usage, "stop_reason": stop}
        return self.put(type="assistant", message=message, parent_tool_use_id=parent)

    def result(self, id: str, text: str, parent: str | None = None, **extra: Any) -> Log:
        block = {"type": "tool_result", "tool_use_id": id, "content": text}
        message = {"role": "user", "content": [block]}
        return self.put(type="user", message=message, parent_tool_use_id=parent, **extra)

    def done(self, cost: float = 0.5, **totals: tuple[int, int, int, int]) -> Log:
        """The result; totals: fresh, read, written, output by the model's first letters."""
        names = {"sonnet": SONNET, "haiku": HAIKU, "long": f"{SONNET}[1m]"}
        usage = {names[k]: dict(zip(_TOTAL, v, strict=True)) for k, v in totals.items()}
        given = {"usage": used(0, output=0), "modelUsage": usage}
        return self.put(type="result", subtype="success", num_turns=1, total_cost_usd=cost, **given)

    def bytes(self) -> bytes:
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)


def use(id: str, name: str = "Bash", **given: Any) -> Record:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


ZERO = used(0, output=0)


def imported(tmp_path: Path, *logs: Log) -> Workspace:
    folder = tmp_path / "runs"
    folder.mkdir()
    for number, log in enumerate(logs):
        (folder / f"{number}.jsonl").write_bytes(log.bytes())
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(folder)
    return workspace


def sums(workspace: Workspace, model: str = SONNET) -> tuple[int, ...]:
    row = workspace.totals().by["model"][model]
    return (row.calls, *(row.tokens[name] or 0 for name in _TOTAL.values()))


def test_a_result_that_tells_what_its_calls_tell_adds_nothing(tmp_path: Path) -> None:
    log = Log().init().call("1", used(5, 100, write_5m=9, output=7)).call("2", used(6, 200, output=8))
    workspace = imported(tmp_path, log.done(sonnet=(11, 300, 9, 15)))
    assert sums(workspace) == (2, 11, 300, 9, 15)
    assert [s.operations for s in workspace.sessions()] == [3]


def test_the_only_call_that_tells_nothing_gets_what_is_missing(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO, use("toolu_1"), stop=None).call("2", used(6, 200, output=8))
    workspace = imported(tmp_path, log.done(sonnet=(500, 200, 0, 40)))
    assert sums(workspace) == (2, 500, 200, 0, 40)
    first = next(o for o in workspace.operations(SESSION) if o.fields.get("tool"))
    assert (first.measures["tokens.input_fresh"], first.measures["tokens.output"]) == (494, 32)
    assert workspace.totals().calls_lower_bound == 0


def test_what_several_calls_leave_out_is_one_operation_without_a_call(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO).call("2", ZERO).call("3", used(6, 200, output=8))
    workspace = imported(tmp_path, log.done(sonnet=(500, 900, 3, 40), haiku=(70, 0, 0, 5)))
    assert sums(workspace) == (3, 500, 900, 3, 40)
    # a model that only the result names: its calls are not in the output
    assert sums(workspace, HAIKU) == (0, 70, 0, 0, 5)
    silent = [o for o in workspace.operations(SESSION) if o.kind == "model" and o.measures.get("calls")][:2]
    assert all("tokens.input_fresh" not in o.measures for o in silent)


def test_output_that_was_a_snapshot_is_completed_by_the_result(tmp_path: Path) -> None:
    log = Log().init().call("1", used(5, output=1), stop=None).call("2", used(6, output=2), stop=None)
    workspace = imported(tmp_path, log.done(sonnet=(11, 0, 0, 900)))
    assert sums(workspace) == (2, 11, 0, 0, 900)
    assert workspace.totals().calls_lower_bound == 2


def test_totals_of_a_long_context_variant_are_the_models(tmp_path: Path) -> None:
    log = Log().init().call("1", used(5, output=7)).done(long=(5, 0, 0, 7))
    workspace = imported(tmp_path, log)
    assert sums(workspace) == (1, 5, 0, 0, 7)
    assert {name for name, row in workspace.totals().by["model"].items() if row.calls} == {SONNET}


def test_totals_go_on_through_the_results_of_a_process(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO).call("2", used(6, 200, output=8)).done(0.5, sonnet=(100, 200, 0, 10))
    log.init().call("3", used(7, 300, output=9)).call("4", ZERO).done(1.25, sonnet=(150, 500, 0, 20))
    workspace = imported(tmp_path, log)
    assert sums(workspace) == (4, 150, 500, 0, 20)
    costs = [o.measures["cost.reported"] for o in workspace.operations(SESSION) if o.name == "run result"]
    assert costs == [500_000_000_000, 750_000_000_000]


def test_a_new_process_of_the_same_session_counts_from_zero(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO).call("2", used(6, 200, output=8)).done(0.5, sonnet=(100, 200, 0, 10))
    log.init().call("3", ZERO).call("4", used(7, 150, output=5)).done(0.25, sonnet=(60, 150, 0, 6))
    workspace = imported(tmp_path, log)
    assert sums(workspace) == (4, 160, 350, 0, 16)
    assert sum(o.measures.get("cost.reported", 0) for o in workspace.operations(SESSION)) == 750_000_000_000


def test_runs_of_several_sessions_in_one_file_count_each_once(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO, use("toolu_01LogBashOne")).done(0.5, sonnet=(100, 200, 0, 10))
    log.session = SECOND
    tool = "toolu_01LogBashTwo"
    log.init("/home/sam/src/other").call("2", ZERO, use(tool)).done(0.6, sonnet=(300, 400, 0, 30))
    log.result(tool, "late")
    workspace = imported(tmp_path, log)
    assert sums(workspace) == (2, 400, 600, 0, 40)
    assert {s.key: s.role for s in workspace.sessions()} == {
        SESSION: "main",
        f"{SESSION}/{SECOND}": "main",
    }
    assert [o.output for o in workspace.operations(f"{SESSION}/{SECOND}") if o.kind == "tool"] == ["late"]
    alone = Log(SECOND)
    alone.lines = [line for line in log.lines if line["session_id"] == SECOND]
    (tmp_path / "both").mkdir()
    assert sums(imported(tmp_path / "both", log, alone)) == (2, 400, 600, 0, 40)


def test_versions_without_totals_by_model_are_believed_where_no_call_tells_anything(tmp_path: Path) -> None:
    log = Log().init().call("1", ZERO).call("2", ZERO)
    log.put(type="result", subtype="success", num_turns=2, usage=used(30, 400, write_5m=2, output=9))
    assert sums(imported(tmp_path, log)) == (2, 30, 400, 2, 9)


def test_a_sum_is_never_added_to_calls_that_tell_their_own(tmp_path: Path) -> None:
    log = Log().init().call("1", used(10, 200, output=4)).call("2", used(20, 200, output=5))
    log.put(type="result", subtype="success", num_turns=2, usage=used(30, 400, output=9))
    assert sums(imported(tmp_path, log)) == (2, 30, 400, 0, 9)


def test_sub_agents_are_told_apart_by_the_call_that_started_them(tmp_path: Path) -> None:
    one, two = "toolu_01LogTaskOne", "toolu_01LogTaskTwo"
    log = Log().init().call("1", used(10), use(one, "Task", prompt="a"), use(two, "Task", prompt="b"))
    log.call("2", used(100), use("toolu_01LogGrep", "Grep", pattern="x"), model=HAIKU, parent=one)
    log.call("3", used(200), model=HAIKU, parent=two)
    log.result("toolu_01LogGrep", "a.py", parent=one).call("4", used(300), model=HAIKU, parent=one)
    log.result(one, "a is done", tool_use_result={"agentId": "a1b2c3d"}).result(two, "b is done")
    workspace = imported(tmp_path, log.call("5", used(20)))
    totals = workspace.totals()
    assert (totals.sessions, totals.subagents, totals.calls) == (1, 2, 5)
    assert totals.by["role"]["subagent"].tokens["input_fresh"] == 600
    tasks = {o.fields["spawns"]: o for o in workspace.operations(SESSION) if o.kind == "subagent"}
    children = {s.key: s for s in workspace.sessions() if s.role == "subagent"}
    assert {key: o.id for key, o in tasks.items()} == {k: s.parent_operation for k, s in children.items()}
    assert tasks[f"{SESSION}/{one}"].output == "a is done"
    assert [o.output for o in workspace.operations(f"{SESSION}/{one}") if o.kind == "tool"] == ["a.py"]


def test_the_weak_id_of_a_task_may_come_again(tmp_path: Path) -> None:
    log = Log().init()
    for n in ("1", "2"):
        log.call(f"{n}a", used(10), use("functions.Task:0", "Task", prompt="same"))
        log.call(f"{n}b", used(100), parent="functions.Task:0").result("functions.Task:0", f"done {n}")
    workspace = imported(tmp_path, log)
    tasks = {o.fields["spawns"]: o for o in workspace.operations(SESSION) if o.kind == "subagent"}
    assert sorted(o.output for o in tasks.values()) == ["done 1", "done 2"]
    assert {s.key for s in workspace.sessions() if s.role == "subagent"} == set(tasks)


def beside(t: Transcript, cost: float) -> Log:
    """The output of the run that wrote a transcript."""
    log = Log(t.session).init(t.cwd)
    for record in t.records:
        if record["type"] == "assistant" or isinstance(record["message"]["content"], list):
            message = {"type": record["type"], "message": record["message"], "parent_tool_use_id": None}
            log.lines.append(message | {"session_id": t.session, "uuid": record["uuid"]})
    return log.done(cost, sonnet=(30, 0, 0, 5))


@pytest.mark.parametrize("order", ["together", "together, output first", "output first", "transcript first"])
def test_a_transcript_and_the_output_of_the_same_run_count_once(tmp_path: Path, order: str) -> None:
    t = Transcript().user("go")
    t.assistant("a", tools=[("Bash", {"command": "ls"})], usage=used(10, output=1))
    t.result(t.calls[0], "ok").assistant("b", usage=used(20, output=4))
    log = beside(t, 0.5)
    history = tmp_path / "history"
    history.mkdir()
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    name = "0.jsonl" if order.endswith("output first") else "run.jsonl"
    if not order.startswith("transcript"):
        (history / name).write_bytes(log.bytes())
    if order == "output first":
        workspace.add(history)
    t.write(history)
    workspace.add(history)
    (history / name).write_bytes(log.bytes())
    workspace.add(history)
    assert (workspace.totals().sessions, *sums(workspace)) == (1, 2, 30, 0, 0, 5)
    assert Counter(o.name for o in workspace.operations(t.session)) == {
        "prompt": 1, SONNET: 2, "Bash": 1, "run result": 1,
    }  # fmt: skip


def test_prompts_are_a_programs_and_errors_are_told(tmp_path: Path) -> None:
    log = Log().init().put(type="user", message={"role": "user", "content": "go"}, parent_tool_use_id=None)
    log.put(type="system", subtype="api_retry", attempt=1).put(type="rate_limit_event")
    log.put(type="system", subtype="compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 9})
    log.put(type="result", subtype="error_max_turns", is_error=True, num_turns=9, result="too many turns")
    workspace = imported(tmp_path, log)
    found = [(o.kind, o.name, o.status) for o in workspace.operations(SESSION)]
    assert found == [
        ("prompt", "prompt", "ok"),
        ("note", "api error", "error"),
        ("note", "compaction", "ok"),
        ("note", "run result", "error"),
    ]
    prompt, _, compaction, result = workspace.operations(SESSION)
    assert (prompt.actor, prompt.fields["automated"]) == ("system", "1")
    assert (compaction.fields["compaction"], result.output) == ("auto", "too many turns")


def test_lines_of_older_versions_without_ids_do_not_meet_those_of_another_file(tmp_path: Path) -> None:
    logs = []
    for text in ("first", "second"):
        log = Log().init().put(type="user", message={"role": "user", "content": text})
        for line in log.lines:
            del line["uuid"]
        logs.append(log)
    logs[1].lines.append(dict(logs[1].lines[-1]))
    workspace = imported(tmp_path, *logs)
    assert sorted(o.arguments for o in workspace.operations(SESSION)) == ["first", "second"]


def test_each_of_the_two_formats_is_known_for_what_it_is() -> None:
    stream = Log().init().call("1", used(5)).done(sonnet=(5, 0, 0, 20)).bytes()
    transcript = Transcript().user('{"session_id":"x","parent_tool_use_id":null}').assistant("a").bytes()
    assert (ClaudeStream().sniff(stream), ClaudeCode().sniff(stream)) == (1.0, 0.0)
    assert (ClaudeStream().sniff(transcript), ClaudeCode().sniff(transcript)) == (0.0, 1.0)
    # another product prints lines like these
    other = b'{"type":"system","subtype":"init","session_id":"x","model":"m"}\n{"type":"tool_call"}\n'
    assert ClaudeStream().sniff(other) < 0.5


@given(
    seed=st.integers(0, 2**32),
    value=st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
)
@settings(max_examples=100, deadline=None)
def test_any_field_may_hold_anything(seed: int, value: Any) -> None:
    tool = use("toolu_01LogTaskOne", "Task", prompt="a")
    log = Log().init().call("1", ZERO, tool).call("2", used(6), parent="toolu_01LogTaskOne")
    log.result("toolu_01LogTaskOne", "a is done").done(sonnet=(100, 200, 0, 10), haiku=(1, 2, 3, 4))
    log.session = SECOND
    log.init().call("3", used(5)).done(sonnet=(100, 200, 0, 10))
    unharmed(ClaudeStream(), spoiled(log.lines, value, seed))


def read(path: Path) -> tuple[list[Draft], Counter[str]]:
    source, threads = ClaudeStream(), dict[str, Thread]()
    builder = Builder(Redactor(), path.name, source.agent, threads)
    for item in source.read(Records(path), source.fresh(), path.name):
        builder.take(item)
    skipped = Counter({s.reason: s.count for s in builder.skipped.values()})
    return [d for thread in threads.values() for d in thread.drafts.values()], skipped


def paired(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """(message id, result) of every answered call: a result goes to the nearest open call of its id."""
    waiting: list[tuple[str, str]] = []
    found = []
    for line in lines:
        message = line.get("message") or {}
        for block in message.get("content") or ():
            if block["type"] == "tool_use":
                waiting.append((block["id"], message["id"]))
            elif block["type"] == "tool_result":
                at = max(n for n, (id, _) in enumerate(waiting) if id == block["tool_use_id"])
                text = block["content"]
                found.append((waiting.pop(at)[1], text if isinstance(text, str) else ""))
    return found


def test_a19_public_runs_790_calls_862_results_and_totals_equal_to_the_runs_own() -> None:
    count: Counter[str] = Counter()
    for path in sorted(need("data", "native", "claude_stream_json").rglob("claude-code.txt")):
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        drafts, skipped = read(path)
        assert not skipped
        calls = [d for d in drafts if d.kind == "model"]
        ids = {line["message"]["id"] for line in lines if line["type"] == "assistant"}
        assert sum(d.measures["calls"] for d in calls) == len(ids)
        results = [line for line in lines if line["type"] == "result"]
        if results:
            for theirs, ours in _TOTAL.items():
                wanted = sum(usage[theirs] for usage in results[-1]["modelUsage"].values())
                assert sum(d.measures.get(f"tokens.{ours}", 0) for d in calls) == wanted, path.parts[-3]
            cost = sum(d.measures.get("cost.reported", 0) for d in drafts)
            assert abs(cost / 1e12 - results[-1]["total_cost_usd"]) < 1e-9
        answered = [d for d in drafts if "tool" in d.fields and d.status != "unknown"]
        pairs = paired(lines)
        assert len(answered) == len(pairs)
        assert sum(d.measures.get("bytes.output", 0) for d in answered) == sum(
            len(text.encode()) for _, text in pairs
        )
        count.update(calls=len(ids), results=len(pairs), answered=len(answered))
        count["told by the result alone"] += sum(d.measures["calls"] == 0 for d in calls)
    assert count == {"calls": 790, "results": 862, "answered": 862, "told by the result alone": 10}

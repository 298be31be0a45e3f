"""Does the Claude Code source count right after rewinds, for programs and advisors? One test a case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Record, Transcript, used
from reading import main_of, raw, same_in_pieces, told_by
from shared import need
from workspaces import OPUS, stored

AGENT = "a1b2c3d"


# A10 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entrypoint", ["sdk-cli", "sdk-py", "sdk-ts"])
def test_a10_prompts_of_a_program_are_automated_0_seconds_of_a_person_not_100(
    tmp_path: Path, entrypoint: str
) -> None:
    t = Transcript().user("first").advance(3).assistant("a").advance(100).user("second").assistant("b")
    assert stored(tmp_path / "a person", t).totals().time_us["blocked"] == 100_000_000
    for record in t.records:
        record["entrypoint"] = entrypoint
    workspace = stored(tmp_path, t)
    prompts = [o for o in main_of(workspace) if o.kind == "prompt"]
    assert [(o.actor, o.fields.get("automated"), o.fields.get("human")) for o in prompts] == [
        ("system", "1", None)
    ] * 2
    assert workspace.totals().time_us["blocked"] == 0
    assert workspace.totals().time_us["unknown"] == 100_000_000


@pytest.mark.parametrize("entrypoint", ["cli", "claude-desktop", "claude-vscode", None])
def test_a10_a_persons_prompts_are_not(tmp_path: Path, entrypoint: str | None) -> None:
    t = Transcript().user("first").assistant("a")
    for record in t.records:
        record["entrypoint"] = entrypoint
    (prompt,) = [o for o in main_of(stored(tmp_path, t)) if o.kind == "prompt"]
    assert (prompt.actor, prompt.fields.get("automated")) == ("human", None)


# A11 -------------------------------------------------------------------------------------------------


def inference(kind: str, fresh: int, output: int, model: str | None = None, read: int = 0) -> Record:
    body = used(fresh, read, output=output) | {"type": kind}
    return body | ({"model": model} if model else {})


def test_a11_an_advisor_counts_under_its_own_model_159422_input_tokens_not_3(tmp_path: Path) -> None:
    t = Transcript().user("go")
    usage = used(3, 900, output=50)
    usage["iterations"] = [
        inference("message", 1, 20, read=400),
        inference("advisor_message", 159_419, 7_805, OPUS),
        inference("message", 2, 30, read=500),
    ]
    t.assistant("well advised", tools=[("Bash", {"command": "ls"})], usage=usage)
    totals = stored(tmp_path, t).totals()
    assert totals.calls == 2
    advisor, own = totals.by["model"][OPUS], totals.by["model"][t.model]
    assert (advisor.calls, advisor.tokens["input_fresh"], advisor.tokens["output"]) == (1, 159_419, 7_805)
    assert (own.calls, own.tokens["input_fresh"], own.tokens["cache_read"]) == (1, 3, 900)
    assert own.tokens["output"] == 50
    assert (totals.tokens["input_fresh"], usage["input_tokens"]) == (159_422, 3)


def test_a11_a_failed_attempt_is_without_a_bill_400_input_tokens_not_812(tmp_path: Path) -> None:
    t = Transcript(model=OPUS).user("go")
    usage = used(400, output=50)
    usage["iterations"] = [
        inference("message", 412, 0, "claude-fable-5"),
        inference("fallback_message", 400, 50, OPUS),
    ]
    t.assistant("served by the fallback", usage=usage)
    workspace = stored(tmp_path, t)
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (1, 400, 50)
    assert sum(i["input_tokens"] for i in usage["iterations"]) == 812
    (attempt,) = [o for o in main_of(workspace) if o.name == "fallback attempt"]
    assert (attempt.kind, attempt.status, attempt.fields["model"]) == ("note", "error", "claude-fable-5")
    assert attempt.measures.get("calls", 0) == 0
    assert attempt.parent == next(o.id for o in main_of(workspace) if o.kind == "model")


def test_a11_1_iteration_of_an_unknown_kind_is_counted_as_skipped(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("a", usage=used(1) | {"iterations": [inference("oracle", 9, 9), inference("message", 1, 20)]})
    t.write(tmp_path / "history")
    report = tracelode.open(tmp_path / "store", tz="UTC").add(tmp_path / "history")
    assert [(s.reason, s.count) for s in report.skipped] == [("unknown kind of iteration", 1)]


# A17 -------------------------------------------------------------------------------------------------


def rewound() -> Transcript:
    """Three turns, back to before the second, one more turn, and on."""
    t = Transcript().user("one").assistant("a", usage=used(1))
    place = t.last
    t.advance(5).user("two").assistant("b", tools=[("Bash", {"command": "ls"})], usage=used(2))
    t.result(t.calls[0], "ok").assistant("c", usage=used(4)).system("turn_duration", durationMs=5)
    t.advance(5).user("three").assistant("d", usage=used(8))
    t.last = place
    t.advance(50).user("another two").assistant("e", usage=used(16))
    t.advance(5).user("four").assistant("f", usage=used(32))
    return t


def chain(records: list[Record]) -> set[str]:
    """Ids on the way from the last record up to the first: all that a reader sees who follows parents."""
    parents = {r["uuid"]: r.get("parentUuid") for r in records if "uuid" in r}
    found, at = set[str](), next(reversed(parents), None)
    while at:
        found.add(at)
        at = parents[at]
    return found


def off_chain(records: list[Record]) -> list[Record]:
    """Messages of people, programs and models that lie beside the chain of the last record."""
    alive = chain(records)
    return [r for r in records if r["type"] in ("user", "assistant") and r["uuid"] not in alive]


def dead(operations: list[Any]) -> list[str]:
    """Texts of what lies on a dead branch: prompts, answers, commands."""
    return [o.arguments or o.output for o in operations if o.fields.get("rolled_back") == "1"]


def test_a17_a_rewound_branch_counts_as_spent_63_tokens_not_49_and_is_marked(tmp_path: Path) -> None:
    t = rewound()
    workspace = stored(tmp_path, t)
    assert workspace.totals().tokens["input_fresh"] == 63
    alive = chain(t.records)
    answers = [r for r in t.records if r["uuid"] in alive and r["type"] == "assistant"]
    assert sum(r["message"]["usage"]["input_tokens"] for r in answers) == 49
    operations = main_of(workspace)
    assert dead(operations) == ["two", "b", '{"command":"ls"}', "c", "three", "d"]
    assert [o.output for o in operations if o.kind == "model" and "rolled_back" not in o.fields] == [
        "a", "e", "f",
    ]  # fmt: skip


def test_a17_reading_on_after_any_line_marks_the_same_6_operations(tmp_path: Path) -> None:
    (whole,) = same_in_pieces(rewound()).values()
    assert len(dead(whole)) == 6


def test_a17_a_branch_left_twice_and_in_two_imports_4_operations_marked(tmp_path: Path) -> None:
    t = Transcript().user("one").assistant("a")
    place = t.last
    t.user("two").assistant("b")
    workspace = stored(tmp_path, t)
    assert dead(main_of(workspace)) == []
    t.last = place
    t.advance(5).user("three").assistant("c")
    t.last = place
    t.advance(5).user("four").assistant("d")
    t.write(tmp_path / "history")
    workspace.add(tmp_path / "history")
    assert dead(main_of(workspace)) == ["two", "b", "three", "c"]


def test_a17_back_to_the_first_prompt_2_operations_marked(tmp_path: Path) -> None:
    t = Transcript().user("one").assistant("a")
    t.last = None
    t.advance(5).user("one, better").assistant("b")
    assert dead(main_of(stored(tmp_path, t))) == ["one", "a"]


def test_a17_what_is_no_rewind_0_marked_though_11_records_are_off_the_chain(tmp_path: Path) -> None:
    t = Transcript().user("one")
    t.assistant("three", tools=[("Bash", {"command": f"echo {i}"}) for i in range(3)])
    # results of parallel tools hang on their calls, so the chain of the last record leaves some out
    for call in reversed(t.calls):
        t.advance(1).result(call, "ok")
    t.assistant("done").compact("This session is being continued", pre_tokens=9000)
    place = t.last
    # screens of local commands all follow the same record
    for name in ("doctor", "status", "mcp"):
        t.last = place
        t.user(f"<command-name>/{name}</command-name>")
    t.user("two").assistant("b")
    assert dead(main_of(stored(tmp_path, t))) == []
    assert len(off_chain(t.records)) == 11


def test_a17_lines_that_name_no_parent_are_no_rewinds_0_marked_not_3(tmp_path: Path) -> None:
    t = Transcript().user("one").assistant("a").user("two").assistant("b")
    for record in t.records:
        record["parentUuid"] = None
    assert dead(main_of(stored(tmp_path, t))) == []
    assert len(off_chain(t.records)) == 3


def test_a17_public_transcript_6_operations_off_the_chain_of_the_last_record() -> None:
    name = "03eb5929-52b3-4b13-ada3-b93ae35806b8.jsonl"
    (path,) = need("data", "native", "claude_code").rglob(name)
    off = off_chain(raw(path))
    ((key, thread),) = told_by(path).items()
    drafts = list(thread.drafts.values())
    marked = [d for d in drafts if "rolled_back" in d.fields]
    assert (key, len(marked)) == (name.removesuffix(".jsonl"), 6)
    assert sum(d.kind == "model" for d in marked) == len({r["message"].get("id") for r in off} - {None})
    assert sum(d.kind == "prompt" for d in marked) == sum(r["type"] == "user" for r in off)


# A19 -------------------------------------------------------------------------------------------------


def ids(t: Transcript) -> set[str]:
    """Ids of all tool calls of a file."""
    blocks = [b for r in t.records if r["type"] == "assistant" for b in r["message"]["content"]]
    return {b["id"] for b in blocks if b["type"] == "tool_use"}


def test_a19_results_go_to_the_nearest_open_call_of_their_id_4_calls_not_1(tmp_path: Path) -> None:
    t = Transcript(model="kimi-k2.5").user("go")
    for n in range(2):
        # the first attempt was cut off: its calls have no result, its ids come again at once
        t.assistant(None, tools=[("Bash", {"command": f"cut {n}"}, "functions.Bash:0")], id=f"msg_{n}")
        t.assistant(None, tools=[("Bash", {"command": f"run {n}"}, "functions.Bash:0")], id=f"chatcmpl-{n}")
        t.result("functions.Bash:0", f"out {n}")
    tools = [o for o in main_of(stored(tmp_path, t)) if o.kind == "tool"]
    assert [(o.fields["command"], o.output, o.status) for o in tools] == [
        ("cut 0", "", "unknown"),
        ("run 0", "out 0", "ok"),
        ("cut 1", "", "unknown"),
        ("run 1", "out 1", "ok"),
    ]
    assert len(ids(t)) == 1


def test_a19_two_threads_of_a_file_may_use_the_same_id_2_calls_not_1(tmp_path: Path) -> None:
    t = Transcript(model="kimi-k2.5").user("go")
    t.assistant(None, tools=[("Bash", {"command": "make"}, "functions.Bash:0")], id="chatcmpl-1")
    child = t.agent(AGENT, "functions.Task:9").user("task")
    child.assistant(None, tools=[("Bash", {"command": "ls"}, "functions.Bash:0")], id="chatcmpl-2")
    t.records += child.records
    t.agents.clear()
    t.result("functions.Bash:0", "made")
    workspace = stored(tmp_path, t)
    operations = {o.fields["command"]: o for o in main_of(workspace) if o.kind == "tool"}
    assert operations["make"].output == "made"
    assert (workspace.totals().by["kind"]["tool"].operations, len(ids(t))) == (2, 1)


# A21 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool", ["TodoWrite", "TaskCreate", "TaskUpdate", "EnterPlanMode", "ExitPlanMode", "exit_plan_mode"]
)
def test_a21_plans_of_all_versions_are_1_operation_of_kind_plan_each(tmp_path: Path, tool: str) -> None:
    t = Transcript().user("go").assistant("plan", tools=[(tool, {"plan": "x"})])
    t.advance(4).result(t.calls[0], "ok")
    workspace = stored(tmp_path, t)
    (plan,) = [o for o in main_of(workspace) if o.fields.get("tool") == tool]
    assert (plan.kind, plan.status) == ("plan", "ok")
    assert workspace.totals().by["kind"]["plan"].operations == 1

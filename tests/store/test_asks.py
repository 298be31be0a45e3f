"""Do all engines give the same fold, and does every view of the same sessions reconcile?"""

from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tracelode
from claude import Transcript, used
from rollouts import Rollout
from tracelode.errors import QueryError, UnknownField, UnknownMeasure, UsageError
from tracelode.model.measure import known
from tracelode.model.profile import fold, merge
from tracelode.model.query import Query
from tracelode.profile.share import pseudonymiser
from tracelode.profile.view import shape
from tracelode.store.asks import offset_steps
from tracelode.store.duckdb import DuckAsker
from tracelode.store.memory import MemoryAsker
from tracelode.workspace import Workspace
from workspaces import HAIKU, OPUS, stored
from written import lines

STACKS = [
    ("intent", "stage", "tool"),
    ("project", "day"),
    ("model",),
    ("session", "role", "kind", "status"),
    ("stage", "focus", "path_role", "verb"),
    ("branch", "human"),
    ("intent", "seg.0", "seg.1", "tool"),
    ("seg.0",),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    transcripts = []
    for number in range(4):
        key = f"{number:08x}-1111-4222-8333-444444444444"
        start = f"2026-10-24T{21 + number % 2}:30:00Z"
        t = Transcript(
            key, f"/home/sam/src/p{number % 2}", start=start, model=(OPUS, "home-made")[number % 2]
        )
        t.user("fix the bug")
        for call in range(3 + number):
            tools = [("Bash", {"command": "git status"}), ("Edit", {"file_path": f"src/a{call}.py"})][
                : call % 3
            ]
            t.advance(900).assistant("x", tools=tools, usage=used(call + 1, 50 * call, output=7 * call))
            for ident in t.calls:
                t.advance(5).result(ident, "Exit code 1" if call == 2 else "ok", is_error=call == 2)
        t.assistant("help", tools=[("Task", {"prompt": "p"})])
        child = t.agent(f"agent{number:012d}", t.calls[0], model=HAIKU)
        child.user("p").advance(4).assistant("look", tools=[("Grep", {"pattern": "x"})], usage=used(9))
        child.advance(3).result(child.calls[0], "hit").assistant("done", usage=used(8))
        t.advance(20).result(t.calls[0], "done", tool_use_result={"agentId": f"agent{number:012d}"})
        transcripts.append(t)
    transcripts.append(transcripts[0].advance(30).fork("9a000000-1111-4222-8333-444444444444").user("again"))
    return stored(tmp_path_factory.mktemp("w"), *transcripts)


def engines(workspace: Workspace) -> tuple[DuckAsker, MemoryAsker]:
    duck: DuckAsker = workspace._ask()
    frames = duck._rows("SELECT * FROM {frames} ORDER BY session, idx")
    fields = {(o.session, o.index): o.fields for s in workspace.sessions() for o in duck.operations(s.key)}
    return duck, MemoryAsker(frames, fields)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("lane", ["nested", "separate"])
@pytest.mark.parametrize("tz", ["UTC", "Europe/Berlin", "America/New_York"])
def test_engines_agree(workspace: Workspace, stack: tuple[str, ...], lane: str, tz: str) -> None:
    duck, memory = engines(workspace)
    measures = ("tokens", "cost", "time", "calls", "operations", "tokens.reasoning")
    query = Query(stack=stack, lane=lane, tz=tz, measures=measures)
    assert duck.fold(query) == memory.fold(query)
    where = Query(
        stack=stack, lane=lane, tz=tz, where=(("project", "~/src/p1"),), tagroot=("role",), tagleaf=("model",)
    )
    assert duck.fold(where) == memory.fold(where)


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("lane", ["nested", "separate"])
def test_every_stack_sums_to_the_totals(workspace: Workspace, stack: tuple[str, ...], lane: str) -> None:
    totals = workspace.totals()
    profile = workspace.profile(
        stack=stack, lane=lane, measures=["cost", "tokens", "calls", "operations", "time"]
    )
    assert [profile.total(i) for i in range(5)] == [
        totals.cost_picodollars,
        totals.total_tokens,
        totals.calls,
        totals.operations,
        sum(totals.time_us.values()),
    ]


def test_every_dimension_sums_to_the_totals(workspace: Workspace) -> None:
    totals = workspace.totals()
    assert totals.unpriced == {"home-made": totals.by["model"]["home-made"].total_tokens}
    for rows in totals.by.values():
        assert sum(s.cost_picodollars for s in rows.values()) == totals.cost_picodollars
        assert sum(s.calls for s in rows.values()) == totals.calls
        assert sum(s.operations for s in rows.values()) == totals.operations
        assert sum(s.total_tokens for s in rows.values()) == totals.total_tokens
        assert sum(sum(s.time_us.values()) for s in rows.values()) == sum(totals.time_us.values())


@given(cut=st.integers(0, 3 * 10**9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_a_filter_and_its_complement_are_the_whole(workspace: Workspace, cut: int) -> None:
    first = workspace.totals().first
    assert first is not None
    whole = workspace.profile(measures=["tokens", "operations"])
    low = workspace.profile(measures=["tokens", "operations"], until=first + cut)
    high = workspace.profile(measures=["tokens", "operations"], since=first + cut)
    assert merge([low, high]).totals == whole.totals
    assert merge([high, low]).totals == whole.totals


def test_detail_sums_to_the_totals(workspace: Workspace) -> None:
    profile = workspace.profile(measures=["cost", "time"], detail=True)
    for place in range(2):
        assert sum(s.totals[place] for s in profile.samples) == profile.total(place)
    assert {k for s in profile.samples for k, _ in s.labels} >= {"session", "operation"}


def test_filters_of_frames(workspace: Workspace) -> None:
    whole = workspace.profile(measure="operations")
    kept = workspace.profile(measure="operations", focus="^Bash:git$")
    rest = workspace.profile(measure="operations", ignore="^Bash:git$")
    assert kept.total() + rest.total() == whole.total()
    assert kept.total() > 0
    assert workspace.profile(measure="operations", hide="git").total() == whole.total()
    assert all(
        len(s) == 1 for s in workspace.profile(measure="operations", stack=["tool"], lane="separate").totals
    )


def test_a_tool_takes_its_frames(workspace: Workspace) -> None:
    duck, memory = engines(workspace)
    query = Query(stack=("tool",), measures=("operations",), where=(("tool", "Bash"),))
    assert set(duck.fold(query).totals) == {("Bash:git",)}
    assert duck.fold(query) == memory.fold(query)


def test_what_a_session_has_once_is_not_repeated_below(workspace: Workspace) -> None:
    for stack in (["day"], ["project"], ["session"]):
        assert all(len(s) == 1 for s in workspace.profile(stack=stack, measure="calls").totals)
    deep = workspace.profile(stack=["project", "stage", "model"], measure="calls").totals
    assert {len(s) for s in deep} == {3, 5}


def test_shared_output_has_closed_words_only(workspace: Workspace) -> None:
    shown = workspace.profile(stack=["project", "session", "stage", "tool"], measure="operations", share=True)
    text = repr(shown)
    assert "src/p" not in text
    assert "1111-4222" not in text
    assert "Bash:git" in text
    assert shown.total() == workspace.totals().operations


@pytest.mark.parametrize(
    "frame",
    [
        "(merger of acme)",
        "(none",
        "Bash:secret-tool",
        "WebFetch:intranet",
        "mcp:acme",
        "(tool) acme",
        "Bash:",
    ],
)
def test_what_only_looks_like_a_word_of_ours_is_not_told(frame: str) -> None:
    rename = pseudonymiser(Query(share=True), "salt")
    assert frame not in rename(frame)
    assert "acme" not in rename(frame)
    for own in ("(tool)", "(none)", "(hidden)", "Bash:git", "Read", "fix bug"):
        assert rename(own) == own


def test_an_expression_takes_time_in_the_length_of_the_frame_alone() -> None:
    profile = fold([(("a" * 5_000 + "!",), (1,)), (("b",), (2,))], ("calls",))
    shown = shape(profile, Query(stack=("tool",), focus="^(a+)+$", measures=("calls",)))
    assert shown.total() == 0


def test_errors_name_what_exists(workspace: Workspace) -> None:
    with pytest.raises(UnknownField, match="known fields: stage"):
        workspace.profile(stack=["stagee"])
    with pytest.raises(UnknownMeasure, match="known measures: cost"):
        workspace.profile(measure="costs")
    with pytest.raises(QueryError, match="regular expression"):
        workspace.profile(focus="(")
    with pytest.raises(QueryError, match="at most 32 fields"):
        workspace.profile(stack=["tool"] * 33)
    with pytest.raises(QueryError, match="RE2"):
        workspace.profile(focus=r"(a)\1")
    with pytest.raises(QueryError, match="time zone"):
        workspace.profile(stack=["day"], tz="Mars/Base")
    assert "tokens.output" in known()


def test_offsets_follow_the_zone() -> None:
    spring = 1_774_000_000_000_000
    steps = offset_steps((spring, spring + 40 * 86_400_000_000), "Europe/Berlin")
    assert [offset // 3_600_000_000 for _, offset in steps] == [1, 2]
    assert ZoneInfo("Europe/Berlin").key == "Europe/Berlin"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One product tells reasoning apart, the other does not."""
    folder = tmp_path_factory.mktemp("mixed")
    Transcript().user("go").assistant("a", usage=used(10)).write(folder / "history")
    workspace = stored(folder)
    rollout = Rollout().turn().user("fix the test").says("Done.").tokens(900, 600, 40)
    (folder / "history" / "rollout-a.jsonl").write_bytes(lines(rollout.records))
    workspace.add(folder / "history")
    return workspace


def test_what_no_operation_tells_is_unknown_and_not_0(mixed: Workspace) -> None:
    measures = ["tokens.reasoning", "cost.reported", "calls"]
    query = Query(stack=("agent",), measures=tuple(measures), where=(("kind", "model"),))
    duck, memory = engines(mixed)
    profile = duck.fold(query)
    assert profile == memory.fold(query)
    assert profile.told(("claude-code",)) == (None, None, 1)
    assert profile.told(("codex",)) == (0, None, 1)
    assert [profile.known(i) for i in range(3)] == [True, False, True]
    assert merge([profile, profile]).untold == profile.untold
    joined = shape(profile, Query(stack=("agent",), hide=".", measures=tuple(measures)))
    assert joined.told(("(hidden)",)) == (0, None, 2)


def test_no_value_can_be_asked_for(mixed: Workspace) -> None:
    none = Query(stack=("verb",), measures=("operations",), where=(("verb", "(none)"),))
    duck, memory = engines(mixed)
    assert duck.fold(none) == memory.fold(none)
    assert set(duck.fold(none).totals) == {("(none)",)}


def test_sums_above_64_bits_are_exact(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    rate = {"from": "2020-01-01", "rates": {"input": "1000000", "output": "1000000"}}
    prices.write_text(json.dumps({"models": [{"id": "dear", "provider": "me", "prices": [rate]}]}))
    t = Transcript(model="dear").user("go")
    for _ in range(20):
        t.advance(1).assistant("a", usage=used(900_000, output=0))
    t.advance(1).assistant("b", usage=used(90_000_000, output=0))  # above what one call can cost
    t.write(tmp_path / "history")
    workspace = tracelode.open(tmp_path / "store", tz="UTC", prices=prices)
    workspace.add(tmp_path / "history")
    totals = workspace.totals()
    assert totals.cost_picodollars == 20 * 900_000 * 10**12 > 2**63
    assert totals.unpriced == {"dear": 90_000_000}
    assert workspace.profile(measure="cost").total() == totals.cost_picodollars


def test_a_price_above_any_price_is_an_error_of_the_file(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    rate = {"from": "2020-01-01", "rates": {"input": "1000001", "output": "1"}}
    prices.write_text(json.dumps({"models": [{"id": "dear", "provider": "me", "prices": [rate]}]}))
    with pytest.raises(UsageError, match="is no price"):
        tracelode.open(tmp_path / "store", prices=prices)


def test_a_separator_in_a_folder_name_cuts_no_frame(tmp_path: Path) -> None:
    t = Transcript(cwd="/home/sam/src/a\x1fb").user("go")
    t.assistant("x", tools=[("mcp__s__a\x1fb", {})], usage=used(5), model="m\x1fn")
    workspace = stored(tmp_path, t)
    stacks = workspace.profile(stack=["project", "tool", "model"], measure="operations").totals
    assert {len(stack) for stack in stacks} == {3}

"""Does the Codex source count tokens right where others are known to have counted wrong? Cases B1 to B8."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tracelode
from rollouts import CHILD, GRANDCHILD, KEYS, PARENT, Rollout, stored, tokens, working
from shared import need
from tracelode.sources.codex.records import Info, Usage
from tracelode.sources.codex.usage import Meter, advance
from written import added


def told(rollout: Rollout, count: str = "total_token_usage") -> list[int]:
    """Tokens of every token count of a file as they stand: running totals, or what the last response used."""
    infos = [r["payload"]["info"] for r in rollout.records if r["payload"].get("type") == "token_count"]
    return [info[count]["total_tokens"] for info in infos if info]


LAST = "last_token_usage"


def test_b1_an_unchanged_total_is_a_repetition_6100_tokens_not_13200(tmp_path: Path) -> None:
    r = working().advance(9).turn().user("go on").repeat().repeat()
    r.event("token_count", info=None)
    r.advance(1).says("Done.").tokens(3_000, 2_000, 100).repeat()
    totals = stored(tmp_path, r).totals()
    assert totals.calls == 3
    assert sum(v or 0 for v in totals.tokens.values()) == 1_000 + 2_000 + 3_100 == 6_100
    assert sum(told(r, LAST)) == 13_200


def test_b1_a_total_that_jumps_counts_what_no_response_tells_8720_tokens_not_3720(tmp_path: Path) -> None:
    r = working()
    r.total["input_tokens"] += 5_000  # a response whose count was never written
    r.says("And this.").tokens(700, 0, 20)
    assert tokens(stored(tmp_path, r)) == 3_000 + 5_000 + 720 == 8_720
    assert sum(told(r, LAST)) == 3_720


def test_b2_all_20_responses_count_not_only_the_last_202190_tokens_not_10119(tmp_path: Path) -> None:
    r = Rollout().turn().user("go")
    for n in range(20):
        r.advance(1).says(f"step {n}").tokens(10_000 + n, 9_000, 100)
    assert tokens(stored(tmp_path, r)) == sum(10_100 + n for n in range(20)) == 202_190
    assert told(r, LAST)[-1] == 10_119


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_b3_what_a_fork_or_sub_agent_replays_counts_once_15120_tokens_not_26170(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    parent = working()
    child = parent.child().turn().user("look there").advance(1).says("Nothing.").tokens(5_000, 3_000, 50)
    deeper = child.child(GRANDCHILD).turn().user("and there").says("No.").tokens(7_000, 6_000, 70)
    family = [parent, child, deeper]
    for number in order:
        workspace = stored(tmp_path, family[number])
    assert tokens(workspace) == 3_000 + 5_050 + 7_070 == 15_120
    assert sum(told(r)[-1] for r in family) == 26_170
    assert workspace.totals().calls == 4
    sessions = {s.key: s for s in workspace.sessions()}
    assert {s.root for s in sessions.values()} == {PARENT}
    assert [sessions[k].inherited for k in (PARENT, CHILD, GRANDCHILD)] == [0, 4, 6]
    assert [sessions[k].operations for k in (PARENT, CHILD, GRANDCHILD)] == [4, 2, 2]


def test_b3_a_persons_fork_is_a_session_of_its_own_4040_tokens_not_7040(tmp_path: Path) -> None:
    parent = working()
    fork = parent.child(spawn=False).turn().user("another way").says("So be it.").tokens(4_000, 3_000, 40)
    workspace = stored(tmp_path, parent, fork)
    assert tokens(workspace, PARENT) == 3_000
    assert tokens(workspace, CHILD) == 4_040
    assert told(fork)[-1] == 7_040
    child = next(s for s in workspace.sessions() if s.key == CHILD)
    assert (child.role, child.root, child.fork_of, child.inherited) == ("main", CHILD, PARENT, 4)
    assert workspace.totals().sessions == 2


def test_b3_a_fork_whose_parent_is_gone_counts_its_own_work_4040_tokens_not_7040(tmp_path: Path) -> None:
    fork = working().child().turn().user("another way").says("So be it.").tokens(4_000, 3_000, 40)
    assert tokens(stored(tmp_path, fork)) == 4_040
    assert told(fork)[-1] == 7_040


def test_b3_a_sub_agent_that_got_the_last_turns_only_counts_505_tokens_not_6535(tmp_path: Path) -> None:
    parent = working()
    before = len(parent.records)
    parent.turn().user("go on").says("So.").tokens(3_000, 2_000, 30).done()
    child = parent.child()
    del child.records[1 : 1 + before]  # the copy begins in the middle
    child.turn().user("look").says("Nothing.").tokens(500, 400, 5)
    assert tokens(stored(tmp_path / "alone", child)) == 505
    assert told(child)[-1] == 6_535
    assert tokens(stored(tmp_path / "both", parent, child)) == 3_000 + 3_030 + 505


def test_b3_without_the_copied_turns_a_first_total_is_no_call_505_tokens_not_3505(tmp_path: Path) -> None:
    child = working().child()
    del child.records[1:]
    child.turn().user("look").says("Nothing.").tokens(500, 400, 5)
    assert tokens(stored(tmp_path, child)) == 505
    assert told(child)[-1] == 3_505


def test_b3_late_versions_tell_the_first_record_that_is_no_copy_303_tokens_not_3303(tmp_path: Path) -> None:
    child = working().child(turn="")
    for n, record in enumerate(child.records):
        record["ordinal"] = n
        if record["payload"].get("type") == "task_started" or record["type"] == "turn_context":
            record["payload"]["turn_id"] = "turn-1"
    child.records[0]["payload"]["subagent_history_start_ordinal"] = len(child.records)
    child.item("message", role="user", content=[])
    child.says("Mine.").tokens(300, 200, 3)
    for n, record in enumerate(child.records):
        record["ordinal"] = n
    assert tokens(stored(tmp_path, child)) == 303
    assert told(child)[-1] == 3_303


@pytest.mark.parametrize("at", ["copied", "original"])
def test_b4_a_replay_is_known_by_its_values_not_its_moments_8050_tokens_not_11050(
    tmp_path: Path, at: str
) -> None:
    parent = working()
    child = parent.child(at=at)
    for record in child.records[1:]:
        record["payload"].pop("turn_id", None)  # nothing tells whose turn it is
    # genuine work in the same second as the replay
    child.says("Quick.").tokens(5_000, 3_000, 50)
    for order in ((parent, child), (child, parent)):
        place = tmp_path / order[0].thread
        for rollout in order:
            workspace = stored(place, rollout)
        assert tokens(workspace) == 3_000 + 5_050 == 8_050
        assert workspace.totals().calls == 3
    assert told(parent)[-1] + told(child)[-1] == 11_050


def test_b4_the_time_of_a_replay_is_its_parents_4_seconds_not_6(tmp_path: Path) -> None:
    parent = working()
    child = parent.child(at="original").turn().user("look").advance(4).says("No.").tokens(10, 0, 1)
    alone = stored(tmp_path / "alone", parent).totals()
    both = stored(tmp_path / "both", parent, child).totals()
    assert both.time_us["model"] - alone.time_us["model"] == 4_000_000
    assert 4_000_000 + alone.time_us["model"] == 6_000_000
    assert both.time_us["tool"] == alone.time_us["tool"]


def test_b4_public_fixtures_give_5500_5310_2060_and_3120_tokens(tmp_path: Path) -> None:
    folder = need("data", "native", "multi_agent_fixtures", "MaxGhenis+logpile", "tests", "fixtures", "codex")
    workspace = tracelode.open(tmp_path, tz="UTC")
    workspace.add(folder)
    found = {key: tokens(workspace, key) for key in workspace.totals().by["session"]}
    assert found == {
        "multi-leaf": 5_500,
        "parent-thread": 5_310,
        "reset-thread": 2_060,
        "fresh-thread": 3_120,
    }


def test_b5_a_child_whose_counter_starts_anew_is_4210_tokens_not_3000_with_its_parent(tmp_path: Path) -> None:
    parent = working()
    review = Rollout(CHILD, source={"subagent": "review"}, parent_thread_id=PARENT, thread_source="subagent")
    review.turn().user("review this").says("Fine.").tokens(900, 100, 100, 40)  # as the parent's first
    spawned = Rollout(
        GRANDCHILD, source={"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    )
    spawned.turn().user("look").says("Nothing.").tokens(200, 100, 10)
    workspace = stored(tmp_path, parent, review, spawned)
    assert tokens(workspace, PARENT) == 3_000 + 1_000 + 210 == 4_210
    before = told(parent)[-1]
    assert before + sum(max(told(r)[-1] - before, 0) for r in (review, spawned)) == 3_000
    assert all(s.inherited == 0 for s in workspace.sessions())
    assert workspace.totals().sessions == 1


def test_b5_a_counter_that_starts_anew_after_a_replay_3520_tokens_not_3000(tmp_path: Path) -> None:
    child = working().child()
    child.total = dict.fromkeys(KEYS, 0)
    child.turn().user("look").says("No.").tokens(200, 100, 10).says("No!").tokens(300, 200, 10)
    assert tokens(stored(tmp_path, working(), child)) == 3_000 + 210 + 310 == 3_520
    before = told(working())[-1]
    assert before + max(told(child)[-1] - before, 0) == 3_000


def test_b6_a_counter_that_falls_begins_a_new_epoch_2938284_tokens_not_256540(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").says("a").tokens(2_600_000, 0, 81_744)
    r.total = dict.fromkeys(KEYS, 0)
    r.says("b").tokens(255_000, 0, 539).says("c").tokens(1_000, 0, 1)
    totals = stored(tmp_path, r).totals()
    assert sum(v or 0 for v in totals.tokens.values()) == 2_681_744 + 255_539 + 1_001 == 2_938_284
    assert told(r)[-1] == 256_540
    assert totals.calls == 3


def test_b6_the_same_counts_after_a_reset_are_another_call_4030_tokens_not_3020(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").says("a").tokens(1_000, 0, 10).says("b").tokens(2_000, 0, 10)
    r.total = dict.fromkeys(KEYS, 0)
    r.says("c").tokens(1_000, 0, 10)
    assert tokens(stored(tmp_path, r)) == 1_010 + 2_010 + 1_010 == 4_030
    assert sum(dict(zip(told(r), told(r, LAST), strict=True)).values()) == 3_020


def test_b6_a_full_context_sets_the_counter_and_is_no_call_3707_tokens_not_259107(tmp_path: Path) -> None:
    r = working()
    r.event("token_count", info={"total_token_usage": dict.fromkeys(KEYS, 0) | {"total_tokens": 258_400}})
    usage = dict.fromkeys(KEYS, 0) | {"input_tokens": 700, "output_tokens": 7}
    r.says("Again.").event(
        "token_count",
        info={"total_token_usage": usage | {"total_tokens": 259_107}, "last_token_usage": usage},
    )
    workspace = stored(tmp_path, r)
    assert tokens(workspace) == 3_000 + 707 == 3_707
    assert told(r)[-1] == 259_107
    assert workspace.totals().calls == 3


def test_b6_a_small_step_back_is_no_new_epoch_2021100_tokens_not_3972100(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").says("a").tokens(2_000_000, 0, 1_000)
    r.total["input_tokens"] -= 50_000
    r.says("b").tokens(20_000, 0, 100)
    assert tokens(stored(tmp_path, r)) == 2_001_000 + 20_100 == 2_021_100
    assert sum(told(r)) == 3_972_100


def test_b7_the_first_meta_names_the_thread_and_the_spawn_its_parent_2_threads_not_3(tmp_path: Path) -> None:
    child = working().child(session_id="01a1a000-0000-7000-8000-0000000000ff")
    child.records[0]["payload"].pop("forked_from_id")
    child.meta(GRANDCHILD)
    child.turn().user("look").says("No.").tokens(200, 100, 10)
    sessions = {s.key: s for s in stored(tmp_path, child, working()).sessions()}
    assert set(sessions) == {PARENT, CHILD}
    assert len({r["payload"]["id"] for r in child.records if r["type"] == "session_meta"}) == 3
    assert (sessions[CHILD].root, sessions[CHILD].role) == (PARENT, "subagent")


def test_b8_cached_written_and_reasoning_tokens_are_parts_21600_tokens_not_38900(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").says("a").tokens(10_000, 6_000, 500, 300, write=1_000)
    r.says("b").tokens(11_000, 10_000, 100, 0, write=0)
    totals = stored(tmp_path, r).totals()
    assert totals.tokens == {
        "input_fresh": 3_000 + 1_000,
        "cache_read": 16_000,
        "cache_write_5m": 1_000,
        "cache_write_1h": 0,
        "output": 200 + 100,
        "reasoning": 300,
    }
    assert sum(v or 0 for v in totals.tokens.values()) == 10_500 + 11_100 == 21_600
    assert sum(r.total.values()) == 38_900


def test_b8_4_figures_that_contradict_each_other_are_named(tmp_path: Path) -> None:
    r = Rollout().turn().user("go").says("a")
    usage = {
        "input_tokens": 100,
        "cached_input_tokens": 400,
        "output_tokens": 10,
        "reasoning_output_tokens": 30,
    }
    r.event("token_count", info={"total_token_usage": usage | {"total_tokens": 999}})
    r.event("token_count", info={"total_token_usage": usage | {"input_tokens": -1}})
    _, report = added(tmp_path, r.files())
    assert sorted(s.reason for s in report.skipped) == [
        "cached tokens exceed the input they should be part of, input taken as fresh",
        "reasoning exceeds the output it should be part of, counted beside it",
        "token count with a negative figure left out",
        "total tokens differ from the sum of their parts, parts kept",
    ]


counts = st.tuples(*[st.integers(0, 50_000)] * 4)


@given(st.lists(counts, max_size=12), st.data())
def test_the_calls_of_a_thread_sum_to_its_last_total(
    steps: list[tuple[int, ...]], data: st.DataObject
) -> None:
    meter, total, calls = Meter(), [0, 0, 0, 0], 0
    seen = 0
    for fresh, cached, visible, reasoning in steps:
        total = [
            a + b
            for a, b in zip(total, (fresh + cached, cached, visible + reasoning, reasoning), strict=True)
        ]
        usage = Usage(total[0], total[1], None, total[2], total[3], total[0] + total[2])
        for _ in range(data.draw(st.integers(1, 3))):
            complaints: list[str] = []
            found = advance(meter, Info(usage, None), False, complaints)
            assert complaints == []
            seen += sum((found or {}).values())
            calls += found is not None
    assert seen == total[0] + total[2]
    assert calls == sum(any(step) for step in steps)

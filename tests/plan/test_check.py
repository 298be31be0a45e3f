"""Is everything that is off in a record found, with its place, and are the good events kept?"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from plan.article import rows as article
from plan.traces import checked, codes, measured, steps, written
from tracelode.errors import SourceError
from tracelode.plan.checks import check, worst
from tracelode.plan.checks.codes import CODES
from tracelode.plan.metrics import measure
from tracelode.plan.read import load, stories
from tracelode.plan.sarif import sarif

GOOD = "plan A; start A; ok A"


def one(found, code):  # type: ignore[no-untyped-def]
    return next(f for f in found.findings if f.code == code)


def test_broken_lines_are_located_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = steps(GOOD)
    found = checked(tmp_path, [good[0], "{broken", good[1], "[1, 2]", good[2]])
    assert (found.events, found.unusable) == (3, 2)
    assert sorted(f.line for f in found.findings if f.code == "PT010") == [2, 4]


def test_a_torn_last_line(tmp_path: Path) -> None:
    path = written(tmp_path, steps(GOOD))
    path.write_bytes(path.read_bytes() + b'{"session_id": "s", "ev')
    found = check(load([path]))
    assert found.events == 3
    assert one(found, "PT010").line == 4


def test_two_objects_on_a_line_are_both_read(tmp_path: Path) -> None:
    a, b, c = (json.dumps(r) for r in steps(GOOD))
    found = checked(tmp_path, [a + b, c])
    assert found.events == 3
    assert one(found, "PT010").line == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"event_type": "log"}, "PT000"),
        ({"status": "someday"}, "PT000"),
        ({"actor": "robot"}, "PT000"),
        ({"actor": None}, "PT000"),
        ({"session_id": ""}, "PT040"),
        ({"node_id": ""}, "PT050"),
        ({"node_id": "elsewhere"}, "PT051"),
        ({"node_id": "unbound"}, "PT050"),
        ({"parent_node_id": "nowhere"}, "PT030"),
        ({"depends_on": ["nowhere"]}, "PT030"),
        ({"depends_on": "A"}, "PT000"),
        ({"timestamp": "2026-03-02T09:01:00"}, "PT070"),
        ({"timestamp": "2026-03-02T11:01:00+02:00"}, "PT070"),
        ({"timestamp": 1772442060000}, "PT070"),
        ({"timestamp": "yesterday"}, "PT070"),
        ({"timestamp": "2026-02-30T09:01:00.000000Z"}, "PT070"),
        ({"payload": [1]}, "PT000"),
        ({"payload": {"op": "explode"}}, "PT000"),
        ({"colour": "blue"}, "PT000"),
        ({"seq": -1}, "PT000"),
    ],
)
def test_one_wrong_field(tmp_path: Path, change: dict[str, object], code: str) -> None:
    rows = steps(GOOD)
    rows[1].update(change)
    found = checked(tmp_path, rows)
    assert code in codes(found)
    assert one(found, code).line in (2, None)
    assert found.events >= 2


@pytest.mark.parametrize("field", ["session_id", "event_id", "timestamp", "actor", "event_type", "node_id",
                                   "parent_node_id", "status", "payload"])  # fmt: skip
def test_a_missing_field(tmp_path: Path, field: str) -> None:
    rows = steps(GOOD)
    del rows[1][field]
    found = checked(tmp_path, rows)
    assert any(field in f.message for f in found.findings)


def test_moments_in_other_forms_are_the_same_moment() -> None:
    rows = steps(GOOD)
    rows[1]["timestamp"] = "2026-03-02T11:01:00+02:00"
    rows[2]["timestamp"] = 1772442120000
    assert measured(rows).metric("node_duration").value == 60
    rows[2]["timestamp"] = "2026-03-02T09:02:00"
    late = measured(rows)
    assert late.metric("node_duration").value is None
    assert late.metric("completion").value == 1


def test_duplicates(tmp_path: Path) -> None:
    rows = steps(GOOD)
    found = checked(tmp_path, [*rows, rows[1]])
    assert (found.events, found.duplicates) == (3, 1)
    assert one(found, "PT020").severity == "info"
    clash = checked(tmp_path, [*rows, {**rows[1], "node_id": "B"}])
    assert one(clash, "PT020").severity == "error"


def test_work_before_its_plan(tmp_path: Path) -> None:
    assert "PT011" in codes(checked(tmp_path, steps("start A; ok A; plan A")))
    assert "PT001" in codes(checked(tmp_path, steps("start A; ok A")))


def test_a_life_cycle_that_is_broken(tmp_path: Path) -> None:
    assert "PT060" in codes(checked(tmp_path, steps("plan A; ok A")))
    assert "PT060" in codes(checked(tmp_path, steps("plan A; start A; start A; ok A")))
    assert "PT060" in codes(checked(tmp_path, steps("plan A; remove A; start A; ok A")))
    assert "PT060" not in codes(checked(tmp_path, steps("plan A; start A; bad A; start A; ok A")))
    assert "PT061" in codes(checked(tmp_path, steps("plan G; plan A; start A; complete G")))


def test_circles(tmp_path: Path) -> None:
    rows = steps("plan A < C; plan B < A; plan C < B; start A; ok A")
    found = checked(tmp_path, rows)
    assert any("circle" in f.message for f in found.findings if f.code == "PT030")
    rows = steps("plan A; plan B; start A; ok A")
    rows[0]["parent_node_id"], rows[1]["parent_node_id"] = "B", "A"
    assert any("circle" in f.message for f in checked(tmp_path, rows).findings if f.code == "PT030")
    deep = steps("; ".join(f"plan N{n} < N{n + 1}" for n in range(3000)))
    assert any("no node" in f.message for f in checked(tmp_path, deep).findings)


def test_moments_that_do_not_fit(tmp_path: Path) -> None:
    rows = steps(GOOD)
    rows[2]["timestamp"] = "2026-03-02T08:30:00.000000Z"
    found = checked(tmp_path, rows)
    assert {"PT071", "PT072"} <= codes(found)
    _, listed = next(stories(load([tmp_path / "trace.jsonl"])))
    assert measure(listed).metric("node_duration").value is None


def test_clocks_of_two_writers(tmp_path: Path) -> None:
    rows = steps("plan A; plan B; start A; ok A")
    for place, row in enumerate(rows):
        row["writer"], row["seq"] = ("one", place) if place < 2 else ("two", place - 2)
    assert "PT073" not in codes(checked(tmp_path, rows))
    for row, at in zip(rows[2:], ("08:59:10", "08:59:20"), strict=True):
        row["timestamp"] = f"2026-03-02T{at}.000000Z"
    assert "PT073" in codes(checked(tmp_path, rows))


def test_mixed_sessions(tmp_path: Path) -> None:
    first, second = steps(GOOD), steps("plan B; start B; ok B")
    for place, row in enumerate(second):
        row |= {"session_id": "t", "event_id": f"t{place}"}
    mixed = [row for pair in zip(first, second, strict=True) for row in pair]
    assert one(checked(tmp_path, mixed), "PT041").severity == "info"
    assert "PT041" not in codes(checked(tmp_path, [*first, *second]))
    second[1]["node_id"] = "A"
    found = checked(tmp_path, [*first, *second])
    assert [f.severity for f in found.findings if f.code == "PT041"] == ["warning"]


def test_a_task_whose_session_changes(tmp_path: Path) -> None:
    rows = steps(GOOD)
    for row in rows:
        row["task_id"] = "ticket-1"
    rows[2]["session_id"] = "other"
    assert "PT040" in codes(checked(tmp_path, rows))
    rows[2]["payload"] = {"continues": "s"}
    assert "PT040" not in codes(checked(tmp_path, rows))


def test_secrets_are_found_and_not_shown(tmp_path: Path) -> None:
    rows = steps(GOOD)
    secret = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB"
    rows[2]["payload"] = {"result_summary": f"token {secret}"}
    found = checked(tmp_path, rows)
    assert one(found, "PT100").examples == ("e002",)
    assert secret not in json.dumps(sarif(found))


def test_a_huge_payload_is_bounded(tmp_path: Path) -> None:
    rows = steps(GOOD)
    rows[1]["payload"] = {"description": "x" * 10_000_000, "deep": json.loads("[" * 90 + "]" * 90)}
    found = checked(tmp_path, rows)
    assert found.events == 3
    assert "longer than 2,000 characters" in one(found, "PT000").message
    kept = load([tmp_path / "trace.jsonl"]).sessions["s"][1].event
    assert len(kept.payload["description"]) == 2_000


def test_a_difference_and_summaries_satisfy(tmp_path: Path) -> None:
    rows = steps("plan G; plan A; human review A; start A; bad A; start A; ok A; complete G")
    rows[2]["payload"] = {"diff": {"before": "median", "after": "rule"}}
    rows.insert(3, {**rows[2], "event_id": "r", "event_type": "revise",
                    "payload": {"op": "rescope", "diff": {"before": 1, "after": 2}}})  # fmt: skip
    for row in rows:
        if row["event_type"] == "execute":
            row["payload"] = {"tool": "fill", "input_summary": "10 rows", "result_summary": "done"}
    found = checked(tmp_path, rows)
    assert not worst(found, "warning")
    assert all(c.passed for c in found.checklist)


def test_independent_sessions_may_stand_in_any_order(tmp_path: Path) -> None:
    sessions = [article(f"session {n}") for n in range(4)]
    for number, rows in enumerate(sessions):
        for row in rows:
            row["event_id"] = f"{number}-{row['event_id']}"
    told = []
    for seed in range(5):
        listed = list(sessions)
        random.Random(seed).shuffle(listed)
        path = written(tmp_path, [row for rows in listed for row in rows], f"{seed}.jsonl")
        told.append([measure(events) for _, events in stories(load([path]))])
    assert all(one == told[0] for one in told)


def test_lines_in_another_order_are_put_right(tmp_path: Path) -> None:
    rows = article()
    random.Random(1).shuffle(rows)
    _, listed = next(stories(load([written(tmp_path, rows)])))
    assert measure(listed).metrics == measured(article()).metrics


def test_shares_stay_between_none_and_all() -> None:
    rng = random.Random(7)
    words = (
        "plan",
        "start",
        "ok",
        "bad",
        "remove",
        "reopen",
        "backtrack",
        "pause",
        "human review",
        "complete",
    )
    for _ in range(300):
        text = "; ".join(f"{rng.choice(words)} {rng.choice('ABCDE')}" for _ in range(rng.randrange(1, 40)))
        for metric in measured(steps(text)).metrics:
            if metric.unit == "ratio" and metric.value is not None:
                assert 0 <= metric.value <= 1, (metric.name, text)


def test_sarif_has_a_rule_and_a_place_for_each(tmp_path: Path) -> None:
    found = checked(tmp_path, [*steps(GOOD), "{"])
    run = sarif(found)["runs"][0]
    rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    (broken,) = [r for r in run["results"] if r["ruleId"] == "PT010"]
    assert broken["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    assert set(rules) <= set(CODES)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="it is not there"):
        load([tmp_path / "none.jsonl"])
    with pytest.raises(SourceError, match="no file of plan events"):
        load([tmp_path])


def native(rows: list[dict[str, object]], adapter: str = "codex") -> list[dict[str, object]]:
    """The same events as derived from an agent's log."""
    return [{**row, "source": {"adapter": adapter, "file": "log.jsonl", "line": 1}} for row in rows]


def test_what_a_source_does_not_record_is_said_once(tmp_path: Path) -> None:
    first = native(steps(GOOD))
    second = [{**row, "session_id": "t", "event_id": f"t{row['event_id']}"} for row in first]
    third = [{**row, "session_id": "u", "event_id": f"u{row['event_id']}"} for row in first[:1]]
    for row in third:
        row |= {
            "event_type": "review",
            "status": "updated",
            "actor": "human",
            "payload": {"decision": "note"},
        }
    found = checked(tmp_path, [*first, *second, *third])
    told = [(f.code, f.severity, f.count) for f in found.findings if f.code in ("PT001", "PT002", "PT090")]
    assert told == [("PT001", "info", 1), ("PT002", "info", 3), ("PT090", "info", 2)]
    assert not {f.severity for f in found.findings} - {"info"}
    items = [(c.item, c.passed, c.note) for c in found.checklist if c.item in (1, 9)]
    assert items == [(n, None, "not recorded by codex") for n in (1, 9)]
    assert not [t.name for t in found.troubles if t.seen]


def test_recorded_events_must_tell_all(tmp_path: Path) -> None:
    rows = [
        *steps(GOOD),
        *({**r, "session_id": "t", "event_id": f"t{r['event_id']}"} for r in native(steps(GOOD))),
    ]
    found = checked(tmp_path, rows)
    warned = {f.session_id for f in found.findings if f.code == "PT090" and f.severity == "warning"}
    assert warned == {"s"}
    assert next(c for c in found.checklist if c.item == 9).passed is False


def test_a_fork_goes_on_with_the_nodes_it_came_from(tmp_path: Path) -> None:
    rows = native(steps("plan A; plan B; start A; ok A"))
    fork = native([{**r, "session_id": "t", "event_id": f"t{r['event_id']}"} for r in steps("start B; ok B")])
    found = checked(tmp_path, [*rows, *fork])
    assert one(found, "PT041").severity == "info"
    assert "PT051" not in {f.code for f in found.findings if f.severity != "info"}


def test_what_is_no_object_keeps_no_item(tmp_path: Path) -> None:
    good = steps(GOOD)
    items = {c.item: c for c in checked(tmp_path, [good[0], "{broken", "[1, 2]", *good[1:]]).checklist}
    assert [(items[n].good, items[n].of) for n in (3, 5, 6)] == [(3, 3)] * 3
    nothing = {c.item: c for c in checked(tmp_path, ["{broken", "[1, 2]"]).checklist}
    assert [nothing[n].passed for n in (3, 5, 6, 7)] == [None] * 4
    assert nothing[10].passed is False


def test_an_object_without_a_session_breaks_the_item(tmp_path: Path) -> None:
    good = steps(GOOD)
    del good[1]["session_id"]
    item = next(c for c in checked(tmp_path, good).checklist if c.item == 3)
    assert (item.good, item.of) == (2, 3)


def test_a_pipe_is_no_file_to_wait_for(tmp_path: Path) -> None:
    pipe = tmp_path / "events.jsonl"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(SourceError, match="no regular file"):
            load([path])

"""Is a benchmark of plans clean, without twins, frozen and split, and are its scores what they say?"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plan.arms import sessions as arms
from plan.traces import events, written
from tracelode.errors import QueryError, SourceError
from tracelode.model.plan_bench import BenchItem, BenchStep
from tracelode.plan.bench.extract import Bench, Finished, encode, extract
from tracelode.plan.bench.score import Plans, match, one, read_bench, read_plans, score
from tracelode.plan.metrics import measure
from tracelode.workspace.advising import bench_of_files, bench_score

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def finished(task: str, project: str = "", outcome: str = "success", **goal: Any) -> Finished:
    """A session of five steps on a task."""
    session = next(s for _, s in arms())
    rows = [{**row, "session_id": f"s-{task}", "event_id": f"{task}-{row['event_id']}", "task_id": task}
            for row in session.rows]  # fmt: skip
    rows[0] = {**rows[0], "payload": {**rows[0]["payload"], "description": task, **goal}}
    told = events(rows)
    return Finished(msgspec.structs.replace(measure(told), project=project, outcome=outcome), told)


def made(*found: Finished) -> Bench:
    return extract(found, lambda text, most: text[:most], lambda text: f"name-{hash(text) & 0xFFFF:x}")


def test_only_finished_plans_are_taken() -> None:
    found = made(
        finished("sort the claims of may"), finished("price all freight lists", outcome="failure"),
        finished("x", outcome="success", description=""), finished("rank new leads", outcome=""),
    )  # fmt: skip
    assert [item.outcome for item in found.items] in (["success", "completed"], ["completed", "success"])
    assert set(found.left_out) == {"it failed", "its goal is not in the record"}


def test_of_goals_that_are_alike_one_stays() -> None:
    goals = ("clean the address table of the shop", "clean the address table of the shops",
             "train a classifier for returns")  # fmt: skip
    found = made(*(finished(goal) for goal in goals))
    assert len(found.items) == 2
    assert found.left_out == {"its goal is like that of another one": 1}


def test_texts_are_clean_and_names_are_pseudonyms(tmp_path: Path) -> None:
    session = next(s for _, s in arms())
    session.rows[0]["payload"]["description"] = f"push with {SECRET} as sam@example.org from /home/sam/work"
    session.rows[1]["payload"]["description"] = f"look at {SECRET}"
    path = tmp_path / "bench.jsonl"
    assert bench_of_files([written(tmp_path, session.rows)], path).items == 1
    text = path.read_text()
    for word in (SECRET, "sam@example.org", "/home/sam", session.key, session.task):
        assert word not in text


def test_the_folder_is_not_named() -> None:
    (item,) = made(finished("fix the billing-core totals", project="~/src/billing-core")).items
    assert item.goal == "fix the repository totals"
    assert "billing" not in json.dumps(msgspec.to_builtins(item))


def test_a_repository_is_on_one_side() -> None:
    goals = ["sort claims", "price freight", "rank leads", "plan shifts", "flag returns", "score credit"]
    found = made(*(finished(goal, project=f"~/src/{place}")
                   for place, goal in zip("aabbcd", goals, strict=True)))  # fmt: skip
    sides: dict[str, set[str]] = {}
    for item in found.items:
        sides.setdefault(item.repository, set()).add(item.split)
    assert len(found.items) == 6
    assert len(sides) == 4
    assert all(len(splits) == 1 for splits in sides.values())
    assert {item.split for item in found.items} == {"dev", "test"}


def test_executed_steps_come_in_the_order_of_work() -> None:
    (item,) = made(finished("sort the claims of may")).items
    assert [step.text for step in item.initial][:2] == ["look at the data", "fill what is missing"]
    assert len(item.executed) >= 5
    assert item.family == "procedure"


def test_a_benchmark_is_frozen(tmp_path: Path) -> None:
    bench = made(finished("sort the claims of may"), finished("train a classifier for returns"))
    path = tmp_path / "bench.jsonl"
    path.write_bytes(encode(bench))
    head, items = read_bench(path)
    assert (head.items, items) == (2, bench.items)
    path.write_bytes(encode(bench).replace(b"classifier", b"regression"))
    with pytest.raises(SourceError, match="was changed"):
        read_bench(path)
    path.write_bytes(encode(bench).replace(b'"metrics_version":1', b'"metrics_version":9'))
    with pytest.raises(QueryError, match="version 9"):
        read_bench(path)
    path.write_text("{}\n")
    with pytest.raises(SourceError, match="no benchmark of plans"):
        read_bench(path)


def item(*executed: str, initial: tuple[str, ...] = (), repository: str = "r", name: str = "i") -> BenchItem:
    """A task of a benchmark."""
    return BenchItem(
        id=name, goal="g", family="", repository=repository, split="dev", context="c",
        initial=tuple(BenchStep(text=t) for t in initial),
        executed=tuple(BenchStep(text=t) for t in executed),
        outcome="success", interventions=(), rollbacks=(),
    )  # fmt: skip


def test_scores_of_one_plan() -> None:
    task = item("Read the code", "Write the parser", "Run the tests", "Update the docs")
    assert one(["Read the code", "Write the parser", "Run the tests", "Update the docs"], task) == {
        "recall": 1.0, "precision": 1.0, "in_band": 1.0, "order": 1.0, "fitness": 1.0,
    }  # fmt: skip
    turned = one(["Run the tests", "Read the code", "Order a pizza"], task)
    assert turned["recall"] == 0.5
    assert turned["precision"] == pytest.approx(2 / 3)
    assert turned["order"] == 0.5
    assert turned["fitness"] == pytest.approx(2 * 1 / 7)
    nothing = one([], task)
    assert (nothing["recall"], nothing["in_band"], nothing["precision"], nothing["order"]) == (
        0.0,
        0.0,
        None,
        None,
    )
    assert one(["x"] * 9, task)["in_band"] == 0.0


def test_steps_are_the_same_by_their_wording() -> None:
    wanted = ["Write unit tests for Phase 1", "Write unit tests for Phase 2"]
    assert match(["write unit tests for phase 2.", "Write the unit tests for Phase 1"], wanted) == {
        0: 1,
        1: 0,
    }
    assert match(["Write unit tests for Phase 3"], wanted) == {}


def test_a_planner_is_held_against_what_was_planned() -> None:
    steps = ("Read the code", "Write the parser", "Run the tests", "Update the docs")
    items = [item(*steps, initial=steps[:2], repository=f"r{i % 6}", name=f"i{i}") for i in range(12)]
    chance = random.Random(0)
    plans = Plans({one.id: list(steps[: 3 + chance.randrange(2)]) for one in items[:11]})
    found = score(items, plans)
    recall = found.scores["all"][0]
    assert (found.answered, found.unknown, found.repositories) == (11, 0, 6)
    assert recall.recorded == 0.5
    assert recall.gap is not None
    assert recall.value is not None
    assert recall.gap == pytest.approx(recall.value - 0.5)
    assert recall.gap_interval is not None
    assert recall.gap_interval[0] > 0
    assert score(items[:4], plans).scores["all"][0].interval is None


def test_plans_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "plans.jsonl"
    path.write_text('{"id": "a", "steps": ["x", {"text": "y"}]}\n{"id": "b"}\n')
    with pytest.raises(SourceError, match=r"plans.jsonl:2: no plan"):
        read_plans(path)
    path.write_text('{"id": "a", "steps": ["x"]}\n' * 2)
    with pytest.raises(SourceError, match="second plan"):
        read_plans(path)


def test_from_files_to_a_score(tmp_path: Path) -> None:
    for _, session in list(arms(runs=1))[:16]:
        written(tmp_path, session.rows, f"{session.key}.jsonl")
    bench = tmp_path / "bench" / "b.jsonl"
    bench.parent.mkdir()
    found = bench_of_files(sorted(tmp_path.glob("*.jsonl")), bench)
    assert found.items >= 10
    _, items = read_bench(bench)
    plans = tmp_path / "plans.json"
    plans.write_text(
        "".join(json.dumps({"id": i.id, "steps": [s.text for s in i.executed]}) + "\n" for i in items)
    )
    scored = bench_score(bench, plans)
    assert [s.value for s in scored.scores["all"]] == [1.0] * 5


def test_pseudonyms_decide_nothing() -> None:
    goals = ("clean the address table", "clean the address tables", "train a classifier for returns")
    found = [finished(goal, project=f"p{n}") for n, goal in enumerate(goals)]
    kept = []
    for key in range(12):
        items = extract(found, lambda text, most: text[:most], lambda text: f"{hash((key, text)):x}").items  # noqa: B023
        kept.append({item.goal for item in items})
    assert kept == [kept[0]] * 12
    steps = ("Read the code", "Write the parser", "Run the tests", "Update the docs")
    told = []
    for key in range(12):
        names = [f"{hash((key, n)):x}" for n in range(12)]
        items = [item(*steps, initial=steps[:2], repository=names[n % 6], name=names[n]) for n in range(12)]
        items.sort(key=lambda one: one.id)
        plans = Plans({names[n]: list(steps[: 1 + n % 4]) for n in range(12)})
        told.append(score(items, plans).scores)
    assert told == [told[0]] * 12

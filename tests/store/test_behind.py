"""Which operations lie behind a frame? All are counted, the largest named with their line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from paired_runs import Told, paired
from tracelode import workspace
from tracelode.model.query import Query
from tracelode.store.behind import behind
from tracelode.workspace import Workspace
from written import added, lines


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace.demo(tmp_path_factory.mktemp("behind") / "store", tz="UTC")


QUERIES = [
    {},
    {"stack": ["project", "path_role"], "lane": "separate"},
    {"focus": "deploy", "hide": "Bash"},
    {"where": {"status": "nonzero"}, "tagleaf": ["model"]},
]


@pytest.mark.parametrize("words", QUERIES, ids=str)
def test_counts_are_those_of_the_profile(demo: Workspace, words: dict[str, object]) -> None:
    query = demo.query(measures=["operations", "cost"], **words)
    profile, found = demo.profile(query), demo.behind(query)
    assert found.counts.keys() == profile.totals.keys()
    assert found.counts == {stack: values[0] for stack, values in profile.totals.items()}
    # nothing was left out of so small a store, so the rows sum to the profile
    assert Counter(row.stack for row in found.rows) == found.counts
    sums: dict[tuple[str, ...], int] = {}
    for row in found.rows:
        sums[row.stack] = sums.get(row.stack, 0) + (row.values[1] or 0)
    assert sums == {stack: values[1] for stack, values in profile.totals.items()}


def test_rows_lead_to_the_line(demo: Workspace) -> None:
    query = demo.query(measures=["cost", "tokens.reasoning"])
    for row in demo.behind(query).rows[:40]:
        operation = demo.operations(row.session)[row.index]
        assert (operation.origin.path, operation.origin.line) == (row.path, row.line)
        assert row.values[1] is None  # the source does not tell it


def test_the_largest_of_every_stack_come_before_the_second_ones(demo: Workspace) -> None:
    query = demo.query(measures=["cost"])
    everything = demo.behind(query)
    some = behind(demo._ask(), query, each=2, most=len(everything.counts) + 5)
    assert {row.stack for row in some.rows} == set(everything.counts)
    assert len(some.rows) == len(everything.counts) + 5
    assert some.counts == everything.counts
    largest = {
        stack: max(row.values for row in everything.rows if row.stack == stack) for stack in some.counts
    }
    assert {row.stack: row.values for row in reversed(some.rows)} == largest


def test_shared_views_name_none(demo: Workspace) -> None:
    found = demo.behind(demo.query(measures=["cost"], share=True))
    assert (found.rows, found.counts) == ((), {})


def test_an_empty_store_has_none(tmp_path: Path) -> None:
    assert workspace.open(tmp_path / "store").behind(Query()).counts == {}


def test_a_failure_without_a_time_is_found_again(tmp_path: Path) -> None:
    runs = [Told(f"a{i}", "t", None, ("!pytest -q",) * 4) for i in range(2)]
    timed = paired(tmp_path / "timed", runs)
    assert len(timed.findings()) == 1
    path = next((tmp_path / "timed" / "history").glob("*.jsonl"))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        if record["type"] == "operation":
            record["started"] = record["ended"] = None
    (found,) = added(tmp_path / "bare", {"runs.jsonl": lines(records)})[0].findings()
    assert sorted(found.where) == ["a0#1", "a1#1"]

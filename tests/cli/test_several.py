"""Several measures side by side in tree and peek: each sums as it does alone."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cli import fake
from tracelode.cli.nodes import beside, build, prune
from tracelode.model.profile import fold

MEASURES = "cost,tokens,operations"


def ask(run: fake.Run, *words: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(*words, "--json")[1])
    return answer


@pytest.mark.parametrize("limit", [(), ("--nodecount", "3"), ("--nodefraction", "0")])
def test_a_tree_has_each_measure_as_it_is_alone(
    limit: tuple[str, ...], run: fake.Run, small: fake.FakeWorkspace
) -> None:
    several = ask(run, "tree", "--measure", MEASURES, *limit)
    for node in several["nodes"]:
        assert node["values"]["cost"] == node["cum"]
    for measure in MEASURES.split(","):
        whole = ask(run, "tree", "--measure", measure, "--nodefraction", "0")
        alone = {tuple(n["stack"]): n["cum"] for n in whole["nodes"]}
        roots = [n for n in several["nodes"] if len(n["stack"]) == 1]
        assert sum(n["values"][measure] for n in roots) == whole["total"] == several["totals"][measure]
        for node in several["nodes"]:
            if not node["stack"][-1].startswith("(other "):
                assert node["values"][measure] == alone[tuple(node["stack"])]
    assert "values" not in ask(run, "tree", "--measure", "cost")["nodes"][0]


def test_what_no_operation_tells_is_unknown_beside_what_is_known() -> None:
    known = fold([(("a", "b"), (7, 1)), (("a", "c"), (3, 2)), (("d",), (5, 0))], ("cost", "tokens"))
    profile = msgspec.structs.replace(known, untold={"tokens": frozenset({("d",), ("a", "c")})})
    found = beside(profile, prune(build(profile), 0, 1))
    assert found == {(): [15, 1], ("a",): [10, 1], ("(other 1)",): [5, None], ("a", "(other 2)"): [10, 1]}


def test_a_peek_has_each_measure_as_it_is_alone(run: fake.Run, small: fake.FakeWorkspace) -> None:
    (several,) = ask(run, "peek", "^edit", "--measure", MEASURES)["nodes"]
    for measure in MEASURES.split(",")[1:]:
        (alone,) = ask(run, "peek", "^edit", "--measure", measure)["nodes"]
        assert several["values"][measure] == alone["cum"]
        for side in ("callers", "callees"):
            assert {r["frame"]: r["values"][measure] for r in several[side]} == {
                r["frame"]: r["value"] for r in alone[side]
            }


def test_the_screens_name_the_measures_and_their_totals(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["tree"], ["peek", "^edit"]):
        lines = run(*words, "--measure", "cost,tokens")[1].splitlines()
        assert lines[0].startswith("cost  $4.01, tokens 1.7k, ")
        assert "tokens" in lines[1]
        assert any("1.1k" in line or "931" in line for line in lines[2:])
    monkeypatch.setenv("COLUMNS", "40")
    many = "cost,time.model,time.tool,time.blocked,tokens.cache_read"
    for words in (["tree"], ["peek", "^edit"]):
        out = run(*words, "--measure", many)[1]
        assert "not shown at 40 columns: " in " ".join(out.split())
        assert max(len(line) for line in out.splitlines()) <= 40


def test_the_rest_of_top_has_its_values(run: fake.Run, small: fake.FakeWorkspace) -> None:
    answer = ask(run, "top", "--measure", MEASURES, "--nodecount", "1")
    for measure, total in answer["totals"].items():
        assert sum(row["values"][measure] for row in answer["rows"]) == total

"""Do journals of AIDE tell what was a return, and what was not?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode.sources.aide.tree import Node, moves_of
from tracelode.workspace import Workspace

CODE = {letter: "\n".join(f"{letter}_step_{i} = {i}" for i in range(12)) + "\n" for letter in "abc"}


def node(ident: str, step: int, **more: Any) -> dict[str, Any]:
    """One program that ran well."""
    return {
        "id": ident, "step": step, "code": f"x = {step}\n", "plan": f"try {ident}", "exec_time": 5.0,
        "ctime": 1790000000.5 + 60 * step, "_term_out": ["done\n"], "exc_type": None, "analysis": "It ran.",
        "metric": {"value": 0.5, "maximize": True}, "is_buggy": False, "parent": None, "children": [], **more,
    }  # fmt: skip


def journal(*nodes: dict[str, Any], **parents: str) -> dict[str, Any]:
    """A journal with the tree of its nodes."""
    return {"nodes": list(nodes), "node2parent": parents, "__version": "2"}


def stored(folder: Path, files: dict[str, dict[str, Any]]) -> Workspace:
    """A store of some journals."""
    for name, content in files.items():
        path = folder / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    workspace = tracelode.open(folder / "store", tz="UTC")
    report = workspace.add(folder / "runs")
    assert not report.skipped
    return workspace


@pytest.mark.parametrize(
    ("tree", "moves"),
    [
        ("a b c", "draft draft draft"),
        ("a b>a c>b", "draft continue continue"),
        ("a b>a c>b d>a", "draft continue continue return_to_ancestor"),
        ("a b c>a d>b", "draft draft branch_switch branch_switch"),
        ("a b>a c", "draft continue restart"),
        ("a b>a s*>b c>b", "draft continue replicate continue"),
        ("a s*>a t*>a", "draft replicate replicate"),
    ],
)
def test_aide_moves(tree: str, moves: str) -> None:
    nodes, parents = [], {}
    for word in tree.split():
        name, _, parent = word.partition(">")
        ident = name.rstrip("*")
        nodes.append(Node(id=ident, is_seed_node=name.endswith("*")))
        if parent:
            parents[ident] = parent
    assert moves_of(nodes, parents) == moves.split()


def test_aide_seeds_and_drafts_are_no_returns(tmp_path: Path) -> None:
    nodes = [node(letter, step) for step, letter in enumerate("abc")]
    nodes += [node(f"s{n}", 3 + n, is_seed_node=True) for n in range(3)]
    workspace = stored(tmp_path, {"one/journal.json": journal(*nodes, s0="c", s1="c", s2="c")})
    (one,) = workspace.plan_metrics().sessions
    assert not one.rollbacks
    assert one.metric("rollback_rate").value == 0
    assert one.metric("node_count").value == 6


def test_aide_a_return_is_said_and_counted_once(tmp_path: Path) -> None:
    nodes = [node(letter, step) for step, letter in enumerate("abcd")]
    nodes[2] |= {"is_buggy": True, "exc_type": "ValueError", "metric": {"value": None, "maximize": True}}
    workspace = stored(tmp_path, {"one/journal.json": journal(*nodes, b="a", c="b", d="a")})
    (one,) = workspace.plan_metrics().sessions
    (back,) = one.rollbacks
    assert (back.to_node, back.from_node, back.detectors) == ("a", "c", ("D2",))
    assert one.metric("completion").numerator == 3
    assert [n.status for n in one.nodes] == ["succeeded", "succeeded", "failed", "succeeded"]
    assert one.metric("node_duration").value == 5


def test_aide_the_root_that_stages_repeat_is_one_node(tmp_path: Path) -> None:
    first = journal(node("a", 0), node("b", 1), b="a")
    second = journal(node("b", 0), node("c", 1), c="b")
    files = {f"exp/logs/0-run/stage_{n}_{w}/journal.json": j
             for n, w, j in ((1, "draft", first), (2, "tune", second))}  # fmt: skip
    workspace = stored(tmp_path, files)
    (one,) = workspace.plan_metrics().sessions
    assert sorted(n.id for n in one.nodes) == ["a", "b", "c"]
    assert one.counts["execute"] == 6
    assert [n.attempts for n in one.nodes] == [1, 1, 1]
    assert not one.rollbacks


def test_aide_a_program_that_comes_back(tmp_path: Path) -> None:
    nodes = [node(f"n{i}", i, code=CODE[letter]) for i, letter in enumerate("abca")]
    workspace = stored(tmp_path, {"one/journal.json": journal(*nodes, n1="n0", n2="n1", n3="n2")})
    (session,) = workspace.sessions()
    (one,) = workspace.plan_metrics(session.key, whole=True).sessions
    assert one.metric("rollback_D4").value == 1
    assert not one.rollbacks, "a program that comes back is counted apart from nodes that do"


def test_aide_a_node_that_did_not_run_has_no_coverage(tmp_path: Path) -> None:
    nodes = [node("a", 0), node("b", 1, is_buggy=None, exec_time=None, metric=None)]
    (one,) = stored(tmp_path, {"j/journal.json": journal(*nodes, b="a")}).plan_metrics().sessions
    assert one.metric("coverage").value == 0.5


def test_aide_again_changes_nothing(tmp_path: Path) -> None:
    content = journal(node("a", 0), node("b", 1), b="a")
    workspace = stored(tmp_path, {"one/journal.json": content})
    before = workspace.plan_events()
    grown = journal(node("a", 0), node("b", 1), node("c", 2), b="a", c="b")
    (tmp_path / "runs" / "one" / "journal.json").write_text(json.dumps(grown))
    workspace.add(tmp_path / "runs")
    after = workspace.plan_events()
    assert [e.event_id for e in after][: len(before)] == [e.event_id for e in before]
    assert len(after) == len(before) + 3

"""Do task and outcome of a session reach every view, for its sub-agents too?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode.store.duckdb import DuckAsker
from tracelode.store.memory import MemoryAsker
from tracelode.workspace import Workspace


def line(what: str, session: str, root: str, **more: Any) -> str:
    return json.dumps({"type": what, "session": session, "root": root, **more})


def call(session: str, root: str, number: int) -> str:
    more = {"actor": "agent", "kind": "model", "name": "m", "measures": {"calls": 1, "tokens.output": number}}
    return line("operation", session, root, id=f"{number:016x}", **more)


def store(folder: Path, **root_says: Any) -> Workspace:
    """A store with a root session, its sub-agent, and a session that nothing is known of."""
    rows = [
        '{"type": "tracelode", "version": 1}',
        line("session", "top", "top", **root_says),
        call("top", "top", 1),
        line("session", "top/below", "top"),
        call("top/below", "top", 2),
        line("session", "other", "other"),
        call("other", "other", 4),
    ]
    folder.mkdir(exist_ok=True)
    (folder / "x.jsonl").write_text("\n".join(rows) + "\n")
    workspace = tracelode.open(folder / "store", tz="UTC")
    assert workspace.add(folder / "x.jsonl").skipped == []
    return workspace


def test_views_and_filters_resolve_them_per_family(tmp_path: Path) -> None:
    workspace = store(tmp_path, task="SHOP-7", outcome="failure")
    tokens = workspace.profile(stack=["task", "outcome"], lane="separate", measure="tokens.output")
    assert tokens.totals == {("SHOP-7", "failure"): (3,), ("(none)", "(none)"): (4,)}
    for where in ({"task": "SHOP-7"}, {"outcome": "failure"}):
        assert workspace.totals(workspace.query(where=where)).tokens["output"] == 3
    assert {s.key: (s.task, s.outcome) for s in workspace.sessions()} == {
        "top": ("SHOP-7", "failure"),
        "top/below": (None, None),
        "other": (None, None),
    }


def test_engines_agree(tmp_path: Path) -> None:
    workspace = store(tmp_path, task="SHOP-7", outcome="success")
    duck: DuckAsker = workspace._ask()
    memory = MemoryAsker(duck._rows("SELECT * FROM {frames} ORDER BY session, idx"))
    for lane in ("nested", "separate"):
        query = workspace.query(stack=["outcome", "task", "tool"], lane=lane, measure="calls")
        assert duck.fold(query) == memory.fold(query)


def test_they_survive_that_a_family_is_stored_again(tmp_path: Path) -> None:
    store(tmp_path, task="SHOP-7", outcome="success")
    workspace = tracelode.open(tmp_path / "store", tz="UTC", idle=7)
    assert workspace.profile(stack=["task", "outcome"], measure="calls").totals == {
        ("SHOP-7", "success"): (2,),
        ("(none)", "(none)"): (1,),
    }


def test_a_later_file_may_tell_them(tmp_path: Path) -> None:
    store(tmp_path)
    workspace = store(tmp_path, task="SHOP-7", outcome="success")
    assert workspace.profile(stack=["outcome"], measure="calls").totals == {
        ("success",): (2,),
        ("(none)",): (1,),
    }


@pytest.mark.parametrize("word", ["won", "", None, "Success"])
def test_other_words_than_success_and_failure_are_unknown(tmp_path: Path, word: Any) -> None:
    workspace = store(tmp_path, outcome=word)
    assert workspace.profile(stack=["outcome"], measure="calls").totals == {("(none)",): (3,)}


def test_a_task_passes_the_redactor(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    workspace = store(tmp_path, task=f"fix {secret}", agent=f"x {secret}")
    assert secret not in repr(workspace.sessions())
    assert secret not in repr(workspace.profile(stack=["task", "agent"], measure="calls"))

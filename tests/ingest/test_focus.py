"""Are focus names given after counting, kept for good, the same in any order, and gone once banned?"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from edited import WHERE, edits, focuses, key, names, opened, planned, put
from tracelode.ingest import plan as planning
from tracelode.ingest.jobs import FamilyJob
from tracelode.model.query import Query
from tracelode.store.duckdb import DuckAsker
from tracelode.store.memory import MemoryAsker
from tracelode.store.objects import Objects

# counting and admission ---------------------------------------------------------------------------------


def test_an_object_needs_two_sessions(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(
        put(tmp_path / "h", edits(1, "src/voucher.py"), edits(2, "src/rate.py"), edits(3, "lib/rates.py"))
    )
    assert focuses(workspace) == {"write rate"}
    assert [(w.object, w.sessions) for w in workspace.names().words] == [("rate", 2)]


def test_a_sub_agent_is_no_session_of_its_own(tmp_path: Path) -> None:
    t = edits(1, "src/rate.py").assistant("help", tools=[("Task", {"prompt": "p"})], usage=used())
    child = t.agent("agent000000000001", t.calls[0]).user("p")
    for _ in range(3):
        child.assistant("y", tools=[("Edit", {"file_path": f"{WHERE}/src/rate.py"})], usage=used())
        child.advance(1).result(child.calls[0], "ok")
    t.advance(9).result(t.calls[0], "done", tool_use_result={"agentId": "agent000000000001"})
    workspace = opened(tmp_path)
    workspace.add(put(tmp_path / "h", t))
    assert focuses(workspace) == set()
    workspace.add(put(tmp_path / "i", edits(2, "src/rate.py")))
    assert names(workspace) == {("00000002", "write rate")}


def test_a_fork_is_no_session_of_its_own(tmp_path: Path) -> None:
    first = edits(1, "src/rate.py")
    fork = first.fork(key(9)).user("more")
    for _ in range(4):
        fork.advance(2).assistant("x", tools=[("Edit", {"file_path": f"{WHERE}/src/rate.py"})], usage=used())
        fork.advance(1).result(fork.calls[0], "ok")
    again = fork.fork(key(7)).user("and more")
    for _ in range(4):
        again.advance(2).assistant("x", tools=[("Edit", {"file_path": f"{WHERE}/src/rate.py"})], usage=used())
        again.advance(1).result(again.calls[0], "ok")
    workspace = opened(tmp_path)
    workspace.add(put(tmp_path / "h", first, fork, again))
    assert workspace.names().ladders > 1
    assert focuses(workspace) == set()


def test_a_plan_item_names_the_object_and_the_calls_the_verb(tmp_path: Path) -> None:
    workspace = opened(tmp_path, segmenter="plan")
    items = ("Test the voucher parser", "Simplify voucher parsers again", "Rewrite the letter sender")
    workspace.add(put(tmp_path / "h", *(planned(n, item) for n, item in enumerate(items, 1))))
    assert focuses(workspace) == {"write voucher parser"}


# the freeze ---------------------------------------------------------------------------------------------


def test_a_later_session_changes_no_name(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(
        put(tmp_path / "h", edits(1, "mail/letter.py"), edits(2, "src/rate.py"), edits(3, "src/rate.py"))
    )
    before = names(workspace)
    assert before == {("00000002", "write rate"), ("00000003", "write rate")}
    workspace.add(put(tmp_path / "i", edits(4, "mail/letter.py")))
    after = names(workspace)
    assert after == before | {("00000004", "write letter")}
    planned_now = workspace.names()
    assert [(a.old, a.new, a.operations) for a in planned_now.aliases] == [(None, "write letter", 9)]
    assert names(workspace) == after
    done = workspace.rename()
    assert done.aliases == planned_now.aliases
    assert names(workspace) == after | {("00000001", "write letter")}
    assert workspace.rename().aliases == []


def test_what_a_growing_session_adds_is_named_by_then(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    t = edits(1, "mail/letter.py")
    workspace.add(put(tmp_path / "h", t))
    workspace.add(put(tmp_path / "h", edits(2, "mail/letter.py"), edits(3, "mail/letter.py")))
    assert ("00000001", "write letter") not in names(workspace)
    t.user("now read")
    for _ in range(6):
        t.advance(3).assistant("x", tools=[("Read", {"file_path": f"{WHERE}/mail/letter.py"})], usage=used())
        t.advance(1).result(t.calls[0], "text")
    workspace.add(put(tmp_path / "h", t))
    mine = {name for session, name in names(workspace) if session == "00000001"}
    assert "explore letter" in mine
    assert "write letter" not in mine


def test_another_segmenter_keeps_the_names_of_equal_segments(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(
        put(tmp_path / "h", edits(1, "mail/letter.py"), edits(2, "src/rate.py"), edits(3, "src/rate.py"))
    )
    workspace.add(put(tmp_path / "i", edits(4, "mail/letter.py")))
    before = names(workspace)
    workspace.segment("plan")
    assert names(workspace) == before
    workspace.judge(key(1), "success")
    assert names(workspace) == before


# order --------------------------------------------------------------------------------------------------


def some(count: int, seed: int) -> list[Transcript]:
    """Sessions over a few objects, with forks and words near secrets among them."""
    chance = random.Random(seed)
    files = [
        "src/rate.py",
        "src/rates.py",
        "mail/letter.py",
        "mail/letters/letter_box.py",
        "cart/voucher.py",
        "x/gem.py",
    ]
    found = []
    for number in range(count):
        chosen = chance.sample(files, chance.randint(1, 3))
        prompt = chance.choice(["go on", "go on", "the gem token is new", "look at the cart"])
        t = edits(number, *chosen, prompt=prompt, kinds=chance.choice(["Edit", "Read"]))
        found.append(t)
        if chance.random() < 0.2:
            fork = t.advance(9).fork(f"f{number:07x}-1111-4222-8333-444444444444").user("more")
            for _ in range(4):
                fork.assistant("x", tools=[("Edit", {"file_path": f"{WHERE}/x/gem.py"})], usage=used())
                fork.advance(1).result(fork.calls[0], "ok")
            found.append(fork)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_imports_does_not_show_once_all_is_renamed(tmp_path: Path, seed: int) -> None:
    sessions = some(9, seed)
    results, frozen = [], []
    for order in range(4):
        chance = random.Random(order)
        dealt = chance.sample(sessions, len(sessions))
        workspace = opened(tmp_path, f"s{order}")
        while dealt:
            part, dealt = dealt[: (count := chance.randint(1, 4))], dealt[count:]
            workspace.add(put(tmp_path / f"h{order}-{len(dealt)}", *part))
        frozen.append(names(workspace))
        workspace.rename()
        results.append(names(workspace))
    assert all(result == results[0] for result in results)
    assert results[0]
    assert any("letter" in name for _, name in results[0])
    whole = opened(tmp_path, "whole")
    whole.add(put(tmp_path / "all", *sessions))
    # one import of everything is what renaming gives
    assert names(whole) == results[0]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_files_does_not_show_within_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    put(tmp_path / "h", *some(8, seed))
    results = []
    units = planning.units
    for order in range(4):
        chance = random.Random(order)

        def dealt(jobs: Iterable[FamilyJob], chance: random.Random = chance) -> list[list[FamilyJob]]:
            parts = [[job] for unit in units(jobs) for job in unit]
            return chance.sample(parts, len(parts))

        monkeypatch.setattr(planning, "units", dealt)
        workspace = opened(tmp_path, f"s{order}")
        workspace.add(tmp_path / "h")
        results.append(names(workspace))
    assert results[0]
    assert all(result == results[0] for result in results)


def test_stages_and_totals_do_not_depend_on_focus(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    stack, measures = ["intent", "stage", "tool"], ["operations", "tokens", "cost", "time"]
    for seed in range(3):
        workspace.add(put(tmp_path / f"h{seed}", *some(6, seed)))
        plain = workspace.profile(stack=stack, measures=measures).totals
        with_focus = workspace.profile(stack=["intent", "stage", "focus", "tool"], measures=measures).totals
        merged: dict[tuple[str, ...], list[int]] = {}
        for frames, values in with_focus.items():
            kept = (*frames[:2], frames[-1])
            merged[kept] = [a + b for a, b in zip(merged.get(kept, [0] * 4), values, strict=True)]
        assert {frames: list(values) for frames, values in plain.items()} == merged
        workspace.rename()
        assert workspace.profile(stack=stack, measures=measures).totals == plain


def test_engines_agree_on_focus(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(put(tmp_path / "h", *some(8, 1)))
    duck = DuckAsker(workspace._catalog)
    frames = duck._rows("SELECT f.* REPLACE (f.focus AS focus) FROM {frames} f ORDER BY session, idx")
    memory = MemoryAsker(frames)
    name = sorted(focuses(workspace))[0]
    for query in (
        Query(stack=("stage", "focus", "tool"), measures=("operations", "tokens")),
        Query(stack=("stage",), where=(("focus", name),), measures=("operations",)),
        Query(stack=("stage",), where=(("focus", "(none)"),), measures=("operations",)),
    ):
        assert duck.fold(query) == memory.fold(query)


# what may go wrong --------------------------------------------------------------------------------------


def test_an_import_that_was_killed_before_naming_is_finished_by_the_next(tmp_path: Path) -> None:
    put(tmp_path / "h", edits(1, "src/rate.py"), edits(2, "src/rate.py"))
    script = (
        "import os, signal, sys, tracelode\n"
        "from tracelode.ingest.naming import Naming\n"
        "Naming.settle = lambda self: os.kill(os.getpid(), signal.SIGKILL)\n"
        "tracelode.open(sys.argv[1]).add(sys.argv[2])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "store"), str(tmp_path / "h")]
    assert subprocess.run(command, env=dict(os.environ), check=False).returncode == -signal.SIGKILL
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    assert focuses(workspace) == set()
    assert Objects(workspace._catalog).pending()
    assert workspace.add(tmp_path / "h").files_read == 0
    assert focuses(workspace) == {"write rate"}


def test_a_family_that_is_gone_counts_no_more_once_all_is_renamed(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    folder = put(tmp_path / "h", edits(1, "src/rate.py"), edits(2, "src/rate.py"))
    workspace.add(folder)
    put(folder, edits(2, "mail/letter.py"))
    workspace.add(folder)
    # the object was admitted for good, and the segment that has it keeps its name
    assert names(workspace) == {("00000001", "write rate")}
    assert [(a.old, a.new) for a in workspace.rename().aliases] == [("write rate", None)]
    assert names(workspace) == set()


def test_workers_give_the_names_that_one_process_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "h", *some(12, 3))
    one = opened(tmp_path, "one")
    one.add(tmp_path / "h")
    monkeypatch.setattr("tracelode.ingest.pipeline.INLINE_BYTES", 0)
    many = opened(tmp_path, "many")
    many._import().processes = 2
    many.add(tmp_path / "h")
    assert names(many) == names(one)
    assert names(one)

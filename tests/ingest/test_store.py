"""Does the store keep what it was given, once, whatever happens during and between imports?"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from shared import generated, need
from tracelode.errors import UsageError
from tracelode.model.report import Totals
from tracelode.store.compact import ENOUGH, compact
from tracelode.store.shards import connect
from tracelode.workspace import Workspace
from workspaces import stored

SECOND = "6b7d0000-0000-4000-8000-000000000002"


PRICES = """{"models": [{"id": "home-made", "provider": "me", "prices": [
    {"from": "2020-01-01", "rates": {"input": "2", "output": "3"}}]}]}"""


def history(folder: Path, sessions: int = 6, calls: int = 4) -> list[Path]:
    """Small sessions with a sub-agent and a fork among them."""
    paths = []
    for number in range(sessions):
        key = f"{number:08x}-1111-4222-8333-444444444444"
        t = Transcript(key, f"/home/sam/src/p{number % 3}", start=f"2026-10-0{number % 7 + 1}T08:00:00Z")
        t.user("do it")
        for call in range(calls):
            t.advance(2).assistant(
                "x", tools=[("Bash", {"command": f"make {call}"})], usage=used(call, 100 * call)
            )
            t.advance(3).result(t.calls[0], "ok" * 50)
        if number == 1:
            t.assistant("help", tools=[("Task", {"prompt": "p"})])
            child = t.agent("a1b2c3d4e5f600001", t.calls[0])
            child.user("p").advance(4).assistant("done", usage=used(7))
            t.advance(9).result(t.calls[0], "done", tool_use_result={"agentId": "a1b2c3d4e5f600001"})
        paths.append(t.write(folder))
        if number == 2:
            fork = t.advance(60).fork(SECOND)
            fork.user("more").assistant("y", usage=used(9))
            paths.append(fork.write(folder))
    return paths


def fresh(folder: Path, name: str, *sources: Path) -> Workspace:
    workspace = tracelode.open(folder / name, tz="UTC")
    for source in sources:
        workspace.add(source)
    return workspace


def view(workspace: Workspace) -> tuple[Totals, object]:
    stack = ["project", "intent", "stage", "tool"]
    return workspace.totals(), workspace.profile(stack=stack, measures=["tokens", "time", "calls"]).totals


def test_import_twice_is_import_once(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    report = workspace.add(tmp_path / "h")
    assert (report.files_read, report.bytes_read) == (0, 0)
    assert view(workspace) == before


def test_a_copy_of_the_history_adds_nothing(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    shutil.copytree(tmp_path / "h", tmp_path / "copy")
    workspace.add(tmp_path / "copy")
    assert view(workspace) == before


@pytest.mark.parametrize("seed", range(4))
def test_order_of_files_does_not_matter(tmp_path: Path, seed: int) -> None:
    paths = history(tmp_path / "h")
    files = sorted((tmp_path / "h").rglob("*.jsonl"))
    random.Random(seed).shuffle(files)
    assert view(fresh(tmp_path, "a", tmp_path / "h")) == view(fresh(tmp_path, "b", *files))
    assert len(paths) == 7


def test_unchanged_files_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history(tmp_path / "h")
    fresh(tmp_path, "s", tmp_path / "h")
    opened: list[str] = []
    real = Path.open

    def counting(self: Path, *args: object, **kw: object) -> object:
        opened.append(self.suffix)
        return real(self, *args, **kw)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", counting)
    assert fresh(tmp_path, "s", tmp_path / "h").totals().sessions == 7
    assert ".jsonl" not in opened


def test_growing_in_any_steps_equals_reading_once(tmp_path: Path) -> None:
    history(tmp_path / "full")
    rng = random.Random(5)
    workspace = tracelode.open(tmp_path / "grown", tz="UTC")
    files = sorted((tmp_path / "full").rglob("*.jsonl"))
    sizes = dict.fromkeys(files, 0)
    while any(sizes[f] < f.stat().st_size for f in files):
        for file in files:
            sizes[file] = min(file.stat().st_size, sizes[file] + rng.randint(200, 4000))
            target = tmp_path / "h" / file.relative_to(tmp_path / "full")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes()[: sizes[file]])
        workspace.add(tmp_path / "h")
    for side in (tmp_path / "full").rglob("*.meta.json"):
        shutil.copy(side, tmp_path / "h" / side.relative_to(tmp_path / "full"))
    assert view(workspace) == view(fresh(tmp_path, "once", tmp_path / "full"))


def test_real_growing_series(tmp_path: Path) -> None:
    source = need("data", "native", "claude_code")
    path = max(source.rglob("*.jsonl"), key=lambda p: p.stat().st_size)
    whole = path.read_bytes()
    target = tmp_path / "h" / path.name
    target.parent.mkdir()
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    read = 0
    for share in (0.1, 0.35, 0.5, 0.51, 0.9, 1.0):
        target.write_bytes(whole[: int(len(whole) * share)])
        read += workspace.add(target.parent).bytes_read
    assert read < len(whole) * 1.2
    assert view(workspace) == view(fresh(tmp_path, "once", path))


def test_rewritten_and_truncated_files_are_noticed(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("a", usage=used(10)).assistant("b", usage=used(20))
    workspace = stored(tmp_path, t)
    path = next((tmp_path / "history").rglob("*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    workspace.add(path)
    assert workspace.totals().tokens["input_fresh"] == 10
    other = Transcript().user("other").assistant("c", usage=used(5)).assistant("d", usage=used(6))
    other.assistant("e", usage=used(7))
    path.write_bytes(other.bytes())
    workspace.add(path)
    assert workspace.totals().tokens["input_fresh"] == 18


def test_a_touched_file_is_read_once_more_and_changes_nothing(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    for file in (tmp_path / "h").rglob("*.jsonl"):
        os.utime(file, (1, 1))
    assert workspace.add(tmp_path / "h").bytes_read > 0
    assert view(workspace) == before
    assert workspace.add(tmp_path / "h").bytes_read == 0


def test_a_change_in_the_middle_of_a_file_of_the_same_size_is_noticed(tmp_path: Path) -> None:
    paths = history(tmp_path / "h", calls=60)
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    data = paths[0].read_bytes()
    place = data.index(b'"cache_read_input_tokens":3000')
    assert 8_192 < place < len(data) - 8_192
    paths[0].write_bytes(data.replace(b'"cache_read_input_tokens":3000', b'"cache_read_input_tokens":3999'))
    os.utime(paths[0], (2, 2))
    workspace.add(tmp_path / "h")
    assert view(workspace) == view(fresh(tmp_path, "again", tmp_path / "h"))


@pytest.mark.parametrize("content", [b"", b"not a transcript any more\n"])
def test_an_emptied_file_takes_nothing_with_it(tmp_path: Path, content: bytes) -> None:
    paths = history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = view(workspace)
    for path in paths[:3]:
        path.write_bytes(content)
    report = workspace.add(tmp_path / "h")
    assert {s.reason for s in report.skipped} == {
        "emptied or of no known format now, what was read from it stays"
    }
    assert view(workspace) == before


def test_two_importers_at_once_and_a_reader(tmp_path: Path) -> None:
    history(tmp_path / "h", sessions=9, calls=40)
    command = [
        sys.executable,
        "-c",
        "import sys, tracelode; tracelode.open(sys.argv[1], tz='UTC').add(sys.argv[2])",
        str(tmp_path / "s"),
        str(tmp_path / "h"),
    ]
    tracelode.open(tmp_path / "s")
    both = [subprocess.Popen(command) for _ in range(2)]
    seen: list[int] = []
    while any(p.poll() is None for p in both):
        seen.append(tracelode.open(tmp_path / "s", tz="UTC").totals().calls)
    assert [p.wait() for p in both] == [0, 0]
    assert view(tracelode.open(tmp_path / "s", tz="UTC")) == view(fresh(tmp_path, "once", tmp_path / "h"))
    assert seen == sorted(seen)


def test_readers_never_see_a_fork_twice(tmp_path: Path) -> None:
    history(tmp_path / "h", sessions=9, calls=30)
    truth = fresh(tmp_path, "once", tmp_path / "h").totals().calls
    done = threading.Event()
    seen: list[int] = []

    def reader() -> None:
        while not done.is_set():
            seen.append(tracelode.open(tmp_path / "s", tz="UTC").totals().calls)

    tracelode.open(tmp_path / "s")
    thread = threading.Thread(target=reader)
    thread.start()
    try:
        for file in sorted((tmp_path / "h").rglob("*.jsonl")):
            fresh(tmp_path, "s", file)
    finally:
        done.set()
        thread.join()
    assert max(seen, default=0) <= truth


def test_killed_at_random_points(tmp_path: Path) -> None:
    projects, truth = generated(tmp_path / "made", 6, 5)
    wanted = view(fresh(tmp_path, "once", projects))
    rng = random.Random(3)
    code = "import sys, tracelode; tracelode.open(sys.argv[1], tz='UTC').add(sys.argv[2])"
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "timed"), str(projects)], check=True)
    whole = time.monotonic() - begun
    for round in range(9):
        store = tmp_path / f"killed{round % 3}"
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(store), str(projects)],
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.05, whole))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if round % 3 == 2:
            workspace = fresh(tmp_path, store.name, projects)
            assert view(workspace) == wanted
            assert workspace.totals().calls == truth["total"]["messages"]
            shutil.rmtree(store)


def test_many_small_imports_are_merged_and_stay_the_same(tmp_path: Path) -> None:
    history(tmp_path / "h", sessions=60, calls=2)
    files = sorted((tmp_path / "h").rglob("*.jsonl"))
    workspace = fresh(tmp_path, "small", *files)
    assert 1 < len(workspace._catalog.shards()) <= ENOUGH
    assert compact(workspace._catalog, connect(), enough=2) > 1
    assert len(workspace._catalog.shards()) == 1
    assert view(workspace) == view(fresh(tmp_path, "once", tmp_path / "h"))


def test_other_rules_store_again_without_the_sources(tmp_path: Path) -> None:
    history(tmp_path / "h")
    t = Transcript("77770000-1111-4222-8333-444444444444", model="home-made").user("go")
    t.advance(40).assistant("a", usage=used(1_000_000)).advance(500).user("late")
    t.write(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = workspace.totals()
    assert before.unpriced == {"home-made": 1_000_020}
    shutil.rmtree(tmp_path / "h")
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    priced = tracelode.open(tmp_path / "s", tz="UTC", idle=100, prices=prices).totals()
    assert priced.unpriced == {}
    assert priced.cost_picodollars == before.cost_picodollars + 2_000_000_000_000 + 20 * 3_000_000
    assert priced.time_us["blocked"] == before.time_us["blocked"] - 200_000_000
    assert sum(priced.time_us.values()) == sum(before.time_us.values())


def test_private_files(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    assert workspace.path.stat().st_mode & 0o777 == 0o700
    for file in workspace.path.rglob("*"):
        assert file.stat().st_mode & 0o077 == 0, file


def test_a_price_file_that_fails_changes_nothing_and_one_that_went_away_says_so(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = fresh(tmp_path, "s", tmp_path / "h")
    before = workspace.totals()
    with pytest.raises(UsageError, match="cannot be read"):
        tracelode.open(tmp_path / "s", prices=tmp_path / "none.toml")
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    tracelode.open(tmp_path / "s", prices=prices)
    prices.unlink()
    with pytest.raises(UsageError, match="is gone"):
        tracelode.open(tmp_path / "s").add(tmp_path / "h")
    assert tracelode.open(tmp_path / "s", tz="UTC", prices="none").totals() == before


def test_a_kept_price_file_that_changes_prices_anew_and_a_broken_one_is_said(tmp_path: Path) -> None:
    t = Transcript(model="home-made").user("go").assistant("a", usage=used(1_000_000, output=0))
    t.write(tmp_path / "h")
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    tracelode.open(tmp_path / "s", tz="UTC", prices=prices).add(tmp_path / "h")
    assert tracelode.open(tmp_path / "s").totals().cost_picodollars == 2 * 10**12
    prices.write_text(PRICES.replace('"input": "2"', '"input": "5.5"'))
    workspace = tracelode.open(tmp_path / "s")
    assert (workspace.notes, workspace.totals().cost_picodollars) == ([], 55 * 10**11)
    prices.write_text("garbage")
    workspace = tracelode.open(tmp_path / "s")
    assert "costs stay those of its last reading" in workspace.notes[0]
    assert workspace.totals().cost_picodollars == 55 * 10**11
    prices.unlink()
    assert "is gone; costs stay" in tracelode.open(tmp_path / "s").notes[0]


def test_names_and_phases_do_not_need_the_texts(tmp_path: Path) -> None:
    history(tmp_path / "h")
    kept = fresh(tmp_path, "kept", tmp_path / "h")
    bare = tracelode.open(tmp_path / "bare", redact="metadata", tz="UTC")
    bare.add(tmp_path / "h")
    # what is learned reads texts: without them the chain leaves sessions to the others
    kept.segment("phase")
    bare.segment("phase")
    assert view(bare) == view(kept)
    tracelode.open(tmp_path / "bare", idle=10)
    tracelode.open(tmp_path / "kept", idle=10)
    assert view(tracelode.open(tmp_path / "bare", tz="UTC")) == view(
        tracelode.open(tmp_path / "kept", tz="UTC")
    )

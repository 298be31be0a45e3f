"""Does what is deleted stay deleted, to the last byte, and does everything that stays still add up?"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from tracelode.errors import QueryError, SourceError
from tracelode.model.report import Totals
from tracelode.workspace import Workspace

FORK = "6b7d0000-0000-4000-8000-000000000002"


def key_of(number: int) -> str:
    return f"{number:08x}-1111-4222-8333-444444444444"


def history(folder: Path, *, calls: int = 3, skip: tuple[int, ...] = (), fork: bool = True) -> None:
    """Six sessions, one with a sub-agent, one forked; each says a word of its own."""
    for number in range(6):
        t = Transcript(key_of(number), f"/home/sam/src/p{number}", start=f"2026-0{number + 1}-01T08:00:00Z")
        t.user(f"please do zebra{number}")
        for call in range(calls):
            command = {"command": f"make zebra{number}x{call}"}
            t.advance(2).assistant("x", tools=[("Bash", command)], usage=used(call, 100 * call + number))
            t.advance(3).result(t.calls[0], f"zebra{number} built " * 10)
        if number == 1:
            t.assistant("help", tools=[("Task", {"prompt": f"zebra{number} sub"})])
            child = t.agent("a1b2c3d4e5f600001", t.calls[0])
            child.user(f"zebra{number} sub").advance(4).assistant("done", usage=used(7))
            t.advance(9).result(t.calls[0], "done", tool_use_result={"agentId": "a1b2c3d4e5f600001"})
        if number not in skip:
            t.write(folder)
        if number == 2 and fork:
            other = t.advance(60).fork(FORK)
            other.user("more").assistant("y", usage=used(9))
            other.write(folder)


def made(folder: Path, source: Path, *, archive: bool = False) -> Workspace:
    workspace = tracelode.open(folder, tz="UTC")
    workspace.add(source, archive=archive)
    return workspace


def view(workspace: Workspace) -> tuple[Totals, object]:
    stack = ["intent", "stage", "tool"]
    return workspace.totals(), workspace.profile(stack=stack, measures=["tokens", "time", "calls"]).totals


def data_of(folder: Path) -> bytes:
    """Every byte of a store; Parquet's pages are unpacked, since they are compressed."""
    from tracelode.store.shards import connect

    pieces = [p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.suffix != ".parquet"]
    connection = connect()
    pieces += [
        repr(connection.execute(f"SELECT * FROM '{path}'").fetchall()).encode()
        for path in folder.rglob("*.parquet")
    ]
    return b"\n".join(pieces)


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_forgetting_is_never_having_imported(tmp_path: Path, number: int) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h", archive=True)
    word = f"zebra{number}".encode()
    assert word in data_of(tmp_path / "s")
    report = workspace.forget_sessions(key_of(number)[:10], dry=False)
    assert key_of(number) in report.forgotten
    history(tmp_path / "rest", skip=(number,))
    other = made(tmp_path / "o", tmp_path / "rest", archive=True)
    assert view(workspace) == view(other)
    assert key_of(number) not in {s.key for s in workspace.sessions()}
    # a fork holds copies, and says so; else there is no trace of it
    assert report.kin == ([FORK] if number == 2 else [])
    if number != 2:
        assert word not in data_of(tmp_path / "s")
        assert key_of(number).encode() not in data_of(tmp_path / "s")


def test_no_import_brings_it_back(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h")
    workspace.forget_sessions(key_of(1), dry=False)
    before = view(workspace)
    assert workspace.add(tmp_path / "h").operations == 0
    shutil.copytree(tmp_path / "h", tmp_path / "copy")
    workspace.add(tmp_path / "copy")
    # grown since, in one file with others, and by way of another store
    history(tmp_path / "h", calls=5)
    source = made(tmp_path / "second", tmp_path / "h")
    source.export_operations(tmp_path / "all.jsonl")
    workspace.add(tmp_path / "all.jsonl")
    assert key_of(1) not in {s.root for s in workspace.sessions()}
    assert b"zebra1" not in data_of(tmp_path / "s")
    workspace.add(tmp_path / "h")
    assert b"zebra1" not in data_of(tmp_path / "s")
    history(tmp_path / "rest", calls=5, skip=(1,))
    assert view(workspace)[0].tokens == view(made(tmp_path / "o", tmp_path / "rest"))[0].tokens
    assert before != view(workspace)


def test_a_file_of_several_sessions(tmp_path: Path) -> None:
    history(tmp_path / "h")
    made(tmp_path / "source", tmp_path / "h").export_operations(tmp_path / "all.jsonl")
    workspace = made(tmp_path / "s", tmp_path / "all.jsonl")
    workspace.forget_sessions(key_of(0), dry=False)
    before = view(workspace)
    workspace.add(tmp_path / "all.jsonl")
    (tmp_path / "copy.jsonl").write_bytes((tmp_path / "all.jsonl").read_bytes())
    workspace.add(tmp_path / "copy.jsonl")
    assert view(workspace) == before
    assert b"zebra0" not in data_of(tmp_path / "s")


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h")
    (tmp_path / "s" / "policy.yaml").write_text("retention: {aggregates: 10 d}\n")
    before = {p: p.read_bytes() for p in (tmp_path / "s").rglob("*.parquet")}
    assert workspace.forget_sessions(key_of(1)).forgotten == [key_of(1), f"{key_of(1)}/a1b2c3d4e5f600001"]
    assert len(workspace.gc().expired) == 7
    assert {p: p.read_bytes() for p in (tmp_path / "s").rglob("*.parquet")} == before
    assert workspace.totals().sessions == 7


def test_by_name_and_by_pseudonym(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h")
    assert workspace.forget_sessions("zebra4").forgotten == [key_of(4)]
    shared = workspace.profile(stack=["project"], share=True, measure="tokens", where={"project": "~/src/p3"})
    ((name,),) = shared.totals
    assert name.startswith("name-")
    assert workspace.forget_sessions(name).forgotten == [key_of(3)]
    with pytest.raises(QueryError, match="none holds it"):
        workspace.forget_sessions("nobody-at-all")


def test_hold_keeps(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h")
    (tmp_path / "s" / "policy.yaml").write_text(
        f"retention: {{aggregates: 10 d}}\nhold: [{key_of(0)}, '{key_of(1)[:12]}']\n"
    )
    with pytest.raises(QueryError, match="legal hold"):
        workspace.forget_sessions(key_of(1), dry=False)
    report = workspace.gc(dry=False)
    assert report.held == [key_of(0), key_of(1)]
    assert {s.root for s in workspace.sessions()} == {key_of(0), key_of(1)}


# retention ------------------------------------------------------------------------------------------


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000


def test_classes_go_one_after_the_other(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h", archive=True)
    policy = tmp_path / "s" / "policy.yaml"
    policy.write_text("retention: {raw: 20 d, redacted: 45 d, aggregates: 75 d}\n")
    before = view(workspace)
    # sessions of 1 January to 1 June: on 5 June two are younger than 45 days, three are over
    report = workspace.gc(dry=False, now=_at("2026-06-05T00:00:00"))
    told = {e.session: e.what for e in report.expired}
    assert {told.get(key_of(n), "kept") for n in (0, 1, 2)} == {"aggregates"}
    assert [told.get(key_of(n), "kept") for n in (3, 4, 5)] == ["redacted", "raw", "kept"]
    data = data_of(tmp_path / "s")
    for number, there in ((0, False), (1, False), (3, False), (4, True), (5, True)):
        assert (f"zebra{number} built".encode() in data) is there
    # figures of what is left are what they were
    left = {s.key for s in workspace.sessions()}
    assert left == {key_of(3), key_of(4), key_of(5)}
    history(tmp_path / "rest", skip=(0, 1, 2), fork=False)
    assert view(workspace) == view(made(tmp_path / "o", tmp_path / "rest"))
    assert before != view(workspace)
    # whole texts of the fourth are gone, its previews are not
    contents, _ = workspace.contents(key_of(5))
    assert any("zebra5" in one.output for one in contents.values())
    # a second time there is nothing to do, and an import brings nothing back
    assert workspace.gc(dry=False, now=_at("2026-06-05T00:00:00")).expired == []
    workspace.add(tmp_path / "h")
    assert {s.key for s in workspace.sessions()} == left


def test_whole_texts_never_outlive_bounded_ones(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h", archive=True)
    (tmp_path / "s" / "policy.yaml").write_text("retention: {redacted: 45 d}\n")
    workspace.gc(dry=False, now=_at("2026-06-05T00:00:00"))
    data = data_of(tmp_path / "s")
    assert [f"zebra{n} built".encode() in data for n in (0, 3, 4, 5)] == [False, False, True, True]
    assert workspace.totals().sessions == 7


def test_a_name_in_the_archive_alone(tmp_path: Path) -> None:
    t = Transcript(key_of(0), "/home/sam/src/p", start="2026-01-01T08:00:00Z").user("go")
    t.assistant("x", tools=[("Bash", {"command": "make"})], usage=used(1))
    t.advance(3).result(t.calls[0], "row\n" * 900 + "quagga\n" + "row\n" * 900)
    t.write(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h", archive=True)
    assert workspace.forget_sessions("quagga").forgotten == [key_of(0)]


def test_off_until_it_is_switched_on(tmp_path: Path) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h", archive=True)
    before = view(workspace)
    report = workspace.gc(dry=False, now=_at("2036-01-01T00:00:00"))
    assert (report.expired, report.rewritten) == ([], 0)
    assert view(workspace) == before


def test_unbounded_previews_are_raw(tmp_path: Path) -> None:
    t = Transcript(key_of(0), "/home/sam/src/p", start="2026-01-01T08:00:00Z").user("go")
    t.assistant("x", tools=[("Bash", {"command": "make"})], usage=used(1))
    t.advance(3).result(t.calls[0], "line of output\n" * 500)
    t.write(tmp_path / "h")
    workspace = tracelode.open(tmp_path / "s", tz="UTC", redact="full")
    workspace.add(tmp_path / "h")
    (tmp_path / "s" / "policy.yaml").write_text("retention: {raw: 20 d}\n")
    longest = max(len(o.output) for o in workspace.operations(key_of(0)))
    assert longest > 5000
    workspace.gc(dry=False, now=_at("2026-03-01T00:00:00"))
    assert 900 < max(len(o.output) for o in workspace.operations(key_of(0))) < 1100


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("retention: {raw: soon}", "1: this is a number of days"),
        ("version: 1\nretentoin: {}", "2: unknown key"),
        ("retention:\n  raw: 90 d\n  redacted: 30 d", "2: raw texts go before"),
        ("access: {roles: {reader: [sam], owner: [sam]}}", "1: sam has a role already"),
        ("access: {default: boss}", "1: this is one of reader, analyst, owner"),
        ("a: [", "no YAML"),
    ],
)
def test_a_policy_with_a_mistake_allows_nothing(tmp_path: Path, text: str, said: str) -> None:
    history(tmp_path / "h")
    workspace = made(tmp_path / "s", tmp_path / "h")
    (tmp_path / "s" / "policy.yaml").write_text(text)
    with pytest.raises(SourceError, match=r"policy\.yaml") as caught:
        workspace.gc(dry=False)
    assert said in str(caught.value)


# killed ----------------------------------------------------------------------------------------------

_RUN = """
import sys, tracelode
from pathlib import Path
w = tracelode.open(sys.argv[1], tz="UTC")
w.{call}
"""


def _killed(store: Path, call: str, after: float) -> None:
    process = subprocess.Popen([sys.executable, "-c", _RUN.format(call=call), str(store)])
    time.sleep(after)
    process.kill()
    process.wait()


def _took(store: Path, call: str) -> float:
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", _RUN.format(call=call), str(store)], check=True)
    return time.monotonic() - begun


@pytest.mark.parametrize(
    ("call", "policy"),
    [
        (f"forget_sessions({key_of(1)!r}, {key_of(2)!r}, dry=False)", ""),
        (
            f"gc(dry=False, now={_at('2026-06-05T00:00:00')})",
            "retention: {raw: 20 d, redacted: 45 d, aggregates: 75 d}",
        ),
    ],
)
def test_killed_anywhere_it_is_whole(tmp_path: Path, call: str, policy: str) -> None:
    history(tmp_path / "h", calls=30)
    origin = tmp_path / "origin"
    made(origin, tmp_path / "h", archive=True)._catalog.close()
    if policy:
        (origin / "policy.yaml").write_text(policy)
    done = tmp_path / "done"
    shutil.copytree(origin, done)
    took = _took(done, call)
    wanted, untouched = view(tracelode.open(done, tz="UTC")), view(tracelode.open(origin, tz="UTC"))
    rng = random.Random(3)
    states = set()
    for number in range(8):
        store = tmp_path / f"k{number}"
        shutil.copytree(origin, store)
        _killed(store, call, took * rng.uniform(0.3, 1.0))
        now = view(tracelode.open(store, tz="UTC"))
        assert now in (wanted, untouched)
        states.add(now == wanted)
        # nothing is lost: another run ends where the first would have
        if "forget" not in call or now == untouched:
            _took(store, call)
        else:
            tracelode.open(store, tz="UTC").gc(dry=False)
        assert view(tracelode.open(store, tz="UTC")) == wanted
        data = data_of(store)
        assert b"zebra1 built" not in data
        tracelode.open(store, tz="UTC").add(tmp_path / "h")
        assert key_of(1) not in {s.key for s in tracelode.open(store, tz="UTC").sessions()}
    assert states

"""tracelode segment: what cuts sessions, another segmenter, one session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tracelode
from cli import fake
from tracelode import samples, workspace
from tracelode.errors import UsageError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def test_what_cuts_the_sessions(store: Path, run: fake.Run) -> None:
    code, out, _ = run("segment", "--store", str(store))
    assert code == 0
    assert out.startswith("sessions are cut by chain; known: chain, changepoint, ")
    answer = json.loads(run("segment", "--json", "--store", str(store))[1])
    assert (answer["segmenter"], answer["sessions"]) == ("chain", 0)
    assert "phase" in answer["known"]


def test_one_session_by_the_contract(store: Path, run: fake.Run) -> None:
    key = next(s.key for s in tracelode.open(store).sessions() if s.operations > 40)
    answer = json.loads(run("segment", key[:8], "--json", "--store", str(store))[1])
    assert {"schema_version", "session", "segmenter", "version", "segments"} == set(answer)
    assert answer["session"] == key
    ends = [piece["stop"] for piece in answer["segments"] if piece["level"] == 0]
    assert [piece["start"] for piece in answer["segments"] if piece["level"] == 0] == [0, *ends[:-1]]
    named = {o.index: o.fields["stage"] for o in tracelode.open(store).operations(key) if not o.inherited}
    for piece in answer["segments"]:
        if not any(p["start"] == piece["start"] and p["level"] > piece["level"] for p in answer["segments"]):
            assert named[piece["start"]] == piece["name"]
    screen = run("segment", key, "--store", str(store))[1].splitlines()
    assert len(screen) == 2 + len(answer["segments"])
    assert all(len(line) <= 80 for line in screen)


def test_trying_another_segmenter_stores_nothing(store: Path, run: fake.Run) -> None:
    key = tracelode.open(store).sessions()[0].key
    before = tracelode.open(store, tz="UTC").profile(stack=["stage"]).totals
    answer = json.loads(run("segment", key, "--with", "changepoint", "--json", "--store", str(store))[1])
    assert answer["segmenter"] == "changepoint"
    assert tracelode.open(store, tz="UTC").segmenter == "chain"
    assert tracelode.open(store, tz="UTC").profile(stack=["stage"]).totals == before


@pytest.mark.parametrize("name", ["changepoint", "phase"])
def test_cutting_anew_is_what_an_import_with_it_gives(
    name: str, store: Path, run: fake.Run, tmp_path: Path
) -> None:
    totals = tracelode.open(store, tz="UTC").totals()
    code, out, _ = run("segment", "--with", name, "--store", str(store))
    assert (code, out) == (0, f"cut      {len(tracelode.open(store).sessions())} sessions anew with {name}\n")
    again = tracelode.open(store, tz="UTC")
    assert again.segmenter == name
    assert again.totals() == totals
    fresh = tracelode.open(tmp_path / "fresh", tz="UTC")
    fresh.segment(name)
    fresh.add(samples.projects())
    view = ["intent", "stage", "tool"]
    assert again.profile(stack=view).totals == fresh.profile(stack=view).totals
    assert run("segment", "--with", "chain", "--store", str(store))[0] == 0


def test_no_such_segmenter(store: Path, run: fake.Run) -> None:
    code, _, err = run("segment", "--with", "magic", "--store", str(store))
    assert (code, "known: chain" in err) == (2, True)
    with pytest.raises(UsageError, match="unknown segmenter"):
        tracelode.open(store).segment("magic")

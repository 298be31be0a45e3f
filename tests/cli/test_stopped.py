"""What is told after a run that could not end, of a folder that is no store, and on a disk that is full?"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

import tracelode
from cli import fake
from tracelode import workspace

VIEWS = [
    ["top"],
    ["tree"],
    ["sessions"],
    ["show", "de000001"],
    ["doctor"],
    ["loops"],
    ["rank"],
    ["segment"],
    ["audit", "cost"],
    ["rename"],
    ["--no-import"],
]
NOT_FINISHED = """
import os, signal, sys
from tracelode.ingest import pipeline
from tracelode.ingest.pipeline import Importer
store, kept = Importer._store, []
def once(self, result):
    result.families = result.families[:3]
    return store(self, result)
Importer._store = once
def stop(self):
    os.kill(os.getpid(), signal.SIGKILL)
pipeline.Naming.settle = stop
import tracelode
tracelode.open(sys.argv[1]).segment("phase")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("stopped") / "store"
    workspace.demo(store, tz="UTC")._catalog.close()
    return store


def full(*words: str, most: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that can write no file of more than so many bytes: SQLite takes it for a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [sys.executable, "-m", "tracelode", *words],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=60,
        check=False,
    )


# no store -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [*VIEWS, ["diff", "--by", "outcome"], ["segment", "--with", "phase"]], ids=" ".join
)
@pytest.mark.parametrize("named", [True, False])
def test_a_look_makes_no_store(
    words: list[str], named: bool, run: fake.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("TRACELODE_STORE", raising=False)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("mine")
    code, _, err = run(*words, *(["--store", str(tmp_path / "folder")] if named else []))
    assert code == (0 if words == ["doctor"] and not named else 3)
    said = " ".join(err.split())
    assert "tracelode import PATH" in said
    if named:
        assert "holds no store" in said
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["notes.txt"]


# nothing imported ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda p: p.write_text("hello\n"), "unknown format"),
        (lambda p: p.write_bytes(b""), "empty file"),
        (lambda p: p.mkdir(), "no file at these paths"),
        (lambda p: None, "it is not there"),
        (lambda p: os.mkfifo(p), "not a regular file"),
        (lambda p: (p.mkdir(), (p / "x.jsonl").write_text("{}\n")), "unknown format"),
    ],
    ids=["unknown", "empty", "no file in it", "not there", "pipe", "folder"],
)
def test_an_import_that_gives_nothing_says_which_file_and_why(
    make: Callable[[Path], object], why: str, run: fake.Run, tmp_path: Path
) -> None:
    make(tmp_path / "named.jsonl")
    for _ in range(2):
        code, _, err = run("import", str(tmp_path / "named.jsonl"), "--store", str(tmp_path / "store"))
        said = " ".join(err.split())
        assert code == 3
        assert why in said
        assert "named.jsonl" in said or "at these paths" in said


def test_an_import_that_gives_something_or_gave_it_before_is_fine(run: fake.Run, tmp_path: Path) -> None:
    with resources.as_file(resources.files("tracelode.samples") / "projects") as samples:
        shutil.copytree(samples, tmp_path / "samples")
    (tmp_path / "unknown.txt").write_text("hello\n")
    store = ["--store", str(tmp_path / "store")]
    for _ in range(2):
        assert run("import", str(tmp_path / "unknown.txt"), str(tmp_path / "samples"), *store)[0] == 0
        assert run("import", str(tmp_path / "samples"), *store)[0] == 0
        assert run("import", str(tmp_path / "unknown.txt"), *store)[0] == 3


# a full disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", VIEWS[:-2], ids=" ".join)
def test_a_full_disk_hides_nothing(words: list[str], made: Path, tmp_path: Path) -> None:
    store = shutil.copytree(made, tmp_path / "store")
    (store / "catalog.sqlite-shm").unlink(missing_ok=True)
    done = full(*words, "--store", str(store))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("most", [0, 40_000])
def test_an_import_onto_a_full_disk_says_so_and_leaves_the_store(
    most: int, made: Path, tmp_path: Path
) -> None:
    store = shutil.copytree(made, tmp_path / "store")
    before = tracelode.open(made).totals()
    lines = [f"1 179128080{n // 1000}.{n % 1000:03d}000 fork() = {n + 8}\n" for n in range(4000)]
    (tmp_path / "new.strace").write_text("".join(lines))
    done = full("import", str(tmp_path / "new.strace"), "--store", str(store), most=most)
    assert done.returncode == 1
    assert "full disk" in done.stderr
    assert "Traceback" not in done.stderr
    assert tracelode.open(store).totals() == before


# a change that was stopped ------------------------------------------------------------------------


def test_a_change_of_the_segmenter_that_was_stopped_is_told(
    made: Path, tmp_path: Path, run: fake.Run
) -> None:
    store = str(shutil.copytree(made, tmp_path / "store"))
    assert json.loads(run("segment", "--json", "--store", store)[1])["unfinished"] == {}
    done = subprocess.run([sys.executable, "-c", NOT_FINISHED, store], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    left = json.loads(run("segment", "--json", "--store", store)[1])["unfinished"]
    assert list(left) == ["chain"]
    said = " ".join(run("segment", "--store", store)[1].split())
    assert f"{left['chain']} root sessions still cut by chain" in said
    assert run("segment", "--with", "phase", "--store", store)[0] == 0
    assert json.loads(run("segment", "--json", "--store", store)[1])["unfinished"] == {}

"""Where does -o write? Into devices, pipes and what links point to; other files whole or not at all."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace
from tracelode.errors import ExportError
from tracelode.workspace.writing import private

NULL, FULL = Path("/dev/null"), Path("/dev/full")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A workspace with the bundled samples."""
    return str(workspace.demo(tmp_path_factory.mktemp("samples") / "store").path)


def put(target: Path, data: bytes = b"new") -> None:
    """Write a file as exports do."""
    with private(str(target)) as stream:
        stream.write(data)


def test_a_device_is_written_into(store: str, run: fake.Run, tmp_path: Path) -> None:
    link = tmp_path / "nothing.csv"
    link.symlink_to(NULL)
    before = NULL.stat()
    code, out, err = run("top", "-o", str(link), "--json", "--store", store)
    assert (code, err, json.loads(out)["bytes"]) == (0, "", None)
    assert link.is_symlink()
    after = NULL.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_a_full_device_is_one_line_and_an_error(store: str, run: fake.Run) -> None:
    before = FULL.stat()
    code, out, err = run("top", "-o", str(FULL), "--format", "csv", "--store", store)
    assert (code, out) == (1, "")
    assert err == "tracelode: /dev/full cannot be written: No space left on device\n"
    assert FULL.stat().st_ino == before.st_ino


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    put(pipe)
    reader.join(20)
    assert read == [b"new"]
    assert pipe.is_fifo()


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    for data in (b"made", b"replaced"):
        put(link, data)
        assert link.is_symlink()
        assert real.read_bytes() == data
    assert [p.name for p in (tmp_path / "far").iterdir()] == ["real.csv"]
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(ExportError, match="cannot be written"):
        put(link)


def test_a_file_of_the_user_with_a_similar_name_is_left_alone(tmp_path: Path) -> None:
    own, target = tmp_path / "x.csv.part", tmp_path / "x.csv"
    own.write_bytes(b"mine")
    put(target)
    assert (own.read_bytes(), target.read_bytes()) == (b"mine", b"new")
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_lies_in_the_way_is_never_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * (2 * n))
    trap = tmp_path / f".tracelode-{'0' * 16}.part"
    trap.symlink_to(victim)
    with pytest.raises(ExportError, match="cannot be written"):
        put(tmp_path / "x.csv")
    assert (victim.read_bytes(), trap.is_symlink()) == (b"mine", True)


def test_a_full_disk_leaves_nothing_behind_and_the_old_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(ExportError, match=r"x\.csv cannot be written"):
            put(target, b"a" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_path_is_added_to(name: str, store: str, tmp_path: Path) -> None:
    target = tmp_path / "all.csv"
    target.write_text("before\n")
    words = [sys.executable, "-m", "tracelode", "top", "-o", name, "--format", "csv", "--store", store]
    with target.open("a") as stream:
        inode = target.stat().st_ino
        done = subprocess.run(words, stdout=stream, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 0
    text = target.read_text()
    assert text.startswith("before\nstack,")
    assert target.stat().st_ino == inode
    piped = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert f"before\n{piped.stdout}" == text


def test_suffixes_may_be_in_capitals(store: str, run: fake.Run, tmp_path: Path) -> None:
    for name in ("a.CSV", "a.Pb.Gz"):
        assert run("top", "-o", str(tmp_path / name), "--store", store)[0] == 0
    assert (tmp_path / "a.CSV").read_text().startswith("stack,")
    assert (tmp_path / "a.Pb.Gz").read_bytes()[:2] == b"\x1f\x8b"

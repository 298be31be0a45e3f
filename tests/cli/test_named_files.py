"""What if an option names a device, a pipe, a folder, nothing, or more than fits?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli import fake
from tracelode import files, workspace
from tracelode.errors import UsageError

OPTIONS = [
    ["rank", "--faults", "FILE"],
    ["rank", "--direct", "score=FILE.csv"],
    ["segment", "--rules", "FILE"],
    ["segment", "--train", "learned", "--labels", "FILE"],
    ["import", "FILE", "--map", "FILE"],
    ["top", "--price-file", "FILE"],
    ["annotate", "import", "FILE"],
]
WORDS = {"pipe": "no regular file", "device": "no regular file", "folder": "folder", "absent": "not there"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace.demo(tmp_path_factory.mktemp("named") / "store", tz="UTC").path


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("words", OPTIONS, ids=" ".join)
def test_an_option_reads_regular_files_alone_and_says_what_else_it_is(
    words: list[str], kind: str, store: Path, tmp_path: Path
) -> None:
    for name in ("named", "named.csv"):
        place = tmp_path / name
        if kind == "pipe":
            os.mkfifo(place)
        elif kind == "device":
            place.symlink_to("/dev/zero")
        elif kind == "folder":
            place.mkdir()
    given = [word.replace("FILE", str(tmp_path / "named")) for word in words]
    done = subprocess.run(
        [sys.executable, "-m", "tracelode", *given, "--store", str(store)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    said = " ".join(done.stderr.split())
    assert done.returncode in (1, 2)
    assert "named" in said
    assert "Error" not in said
    if words[0] != "annotate":
        assert WORDS[kind] in said


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(OSError, match="above") as raised:
        files.bounded(large, 1 << 20)
    assert files.why(raised.value) == "it is above 1 MB"
    large.write_bytes(b"x" * 10)
    assert files.bounded(large, 10) == b"x" * 10


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be read by root")
def test_what_may_not_be_read_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "closed").write_text("x")
    (tmp_path / "closed").chmod(0)
    with pytest.raises(OSError) as raised:  # noqa: PT011
        files.bounded(tmp_path / "closed")
    assert files.why(raised.value) == "permission denied"


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000])
def test_a_number_without_end_is_told_in_our_words(
    number: str, store: Path, run: fake.Run, tmp_path: Path
) -> None:
    (tmp_path / "marks.json").write_text(f'{{"revision": {number}}}')
    code, _, err = run("annotate", "import", str(tmp_path / "marks.json"), "--store", str(store))
    assert code == 1
    assert "digits" in err
    assert "set_int_max_str_digits" not in err


def test_an_author_is_too_long_by_what_was_typed(store: Path) -> None:
    with pytest.raises(UsageError, match="5,000 characters"):
        workspace.open(store)._said("a" * 5000, "")


def test_a_log_of_effects_is_no_agent_and_doctor_counts_it(run: fake.Run, tmp_path: Path) -> None:
    place = workspace.demo(tmp_path / "store", tz="UTC").path
    (tmp_path / "run.strace").write_text(
        '1 1791280800.000000 execve("/bin/a", ["a"], 0x1 /* 1 var */) = 0\n'
        '1 1791280801.000000 openat(AT_FDCWD</w>, "b", O_RDWR) = 3</w/b>\n'
    )
    words = ["--store", str(place)]
    assert "effects" not in run("doctor", *words)[1]
    assert run("import", str(tmp_path / "run.strace"), "--into", "de000002", *words)[0] == 0
    lines = {
        line.split()[0]: line for line in run("show", "de000002", *words)[1].splitlines() if line.strip()
    }
    assert "strace" in lines["effects"]
    assert "strace" not in lines.get("agents", "")
    assert "2 to none" in run("doctor", *words)[1]

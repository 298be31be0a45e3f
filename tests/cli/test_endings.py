"""What happens where the answer cannot be written? A full disk, a reader that left, a closed descriptor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent.parent)!r})
from pathlib import Path
from cli.fake import small_workspace
from tracelode import workspace
made = small_workspace(Path("store"))
workspace.open = lambda *a, **k: made
from tracelode.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
ANSWERS = [
    ["--help"],
    ["--version"],
    ["top", "--help"],
    ["--json", "--help"],
    ["top", "--version"],
    ["completion", "bash"],
    ["--no-import"],
    ["top", "--json"],
    ["show", "aaaa1111"],
    ["flame", "-o", "-"],
]
FAILS = {"no command 'tpo'": (["tpo"], 2), "no session starts with": (["show", "zzz"], 3)}
ENVIRONMENT = {"SCRIPT": SCRIPT, "PATH": "/usr/bin:/bin", "HOME": "/nowhere", "TZ": "UTC"}
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


def shell(words: list[str], end: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in a shell with an ending such as "> /dev/full"."""
    command = f'"$0" -c "$SCRIPT" "$@" {end}; exit ${{PIPESTATUS[0]}}'
    return subprocess.run(
        ["bash", "-c", command, sys.executable, *words],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@needs_full
@pytest.mark.parametrize("words", ANSWERS, ids=" ".join)
def test_a_full_disk_is_one_line_and_an_error(words: list[str]) -> None:
    done = shell(words, f"> {FULL}")
    assert (done.returncode, done.stderr) == (
        1,
        "tracelode: cannot write: no space left on device; check where the output goes\n",
    )


@pytest.mark.parametrize("words", ANSWERS, ids=" ".join)
def test_a_reader_that_left_is_no_error(words: list[str]) -> None:
    # The pipe's reader ends before anything is written, so that no answer is too short to notice.
    command = '{ sleep 0.1; "$0" -c "$SCRIPT" "$@"; echo $? >&2; } | true'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, *words],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == "0\n"


@pytest.mark.parametrize("words", [["--help"], ["top", "--help"], ["top"]], ids=" ".join)
def test_a_closed_output_is_one_line_and_an_error(words: list[str]) -> None:
    done = shell(words, ">&-")
    assert (done.returncode, done.stderr) == (
        1,
        "tracelode: standard output is closed; nothing was done\n",
    )


@pytest.mark.parametrize("end", [pytest.param(f"> {FULL}", marks=needs_full), ">&-", "", "| true"])
@pytest.mark.parametrize("part", FAILS)
def test_an_error_keeps_its_code_and_its_line(part: str, end: str) -> None:
    words, code = FAILS[part]
    done = shell(words, end)
    if end == ">&-":
        assert done.returncode == 1
    else:
        assert done.returncode == code
        assert part in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "end", [pytest.param(f"2> {FULL}", marks=needs_full), "2>&-", "2>&1 > /dev/null | true"]
)
@pytest.mark.parametrize(
    ("words", "code"), [(["tpo"], 2), (["show", "zzz"], 3), (["top"], 0), (["--where", "tool=None"], 3)]
)
def test_messages_that_cannot_be_written_change_no_code(words: list[str], code: int, end: str) -> None:
    done = shell(words, end)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("cost") == (words == ["top"] and "|" not in end)

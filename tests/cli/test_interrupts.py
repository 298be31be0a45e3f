"""Does Ctrl-C end every command that asks the store, whatever the store's engine makes of it?"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import tracelode
from cli.annotated import KEY
from tracelode import workspace

ENDLESS = "SELECT count(*) FROM range(1000000000000) a"
SCRIPT = f"""
import sys
from tracelode.store import engine
asked, wanted = 0, int(sys.argv.pop(1))
execute = engine.Engine.execute
def slow(self, text, values=()):
    global asked
    asked += 1
    if asked > wanted:
        print("asking", file=sys.stderr, flush=True)
        execute(self, {ENDLESS!r})
    return execute(self, text, values)
engine.Engine.execute = slow
from tracelode.__main__ import main
sys.exit(main())
"""
LIBRARY = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from tracelode.__main__ import main
def call():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise ImportError("initialization failed")
class Late:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
from tracelode.cli import run
def error(words):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("initialization failed")
def nowhere(words):
    Late()
    while True:
        pass
run._call = {"error": error, "nowhere": nowhere}[sys.argv.pop(1)]
sys.exit(main())
"""
COMMANDS = [
    ["top"],
    ["show", KEY],
    ["doctor"],
    ["diff", "--by", "outcome"],
    ["loops"],
    ["guide", "--budget", "2000"],
    ["rank"],
    ["annotate", "export", KEY, "-o", "out"],
    ["annotate", "import", "marks"],
    ["annotate", "review", "-o", "answers"],
    ["segment", KEY, "--with", "phase"],
    ["segment", "--with", "llm", "--backend", "openai", "--model", "m", "--dry-run"],
    ["segment", "--with", "phase"],
    ["export", "-o", "profile.parquet"],
    ["import", "samples"],
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("interrupts")
    with resources.as_file(resources.files("tracelode.samples") / "projects") as samples:
        shutil.copytree(samples, place / "samples")
    store = workspace.demo(place / "store", tz="UTC")
    store._catalog.close()
    tracelode.open(place / "store", tz="UTC").annotate_export(place / "marks", sessions=[KEY])
    return place


def interrupted(words: list[str], before: int, place: Path) -> tuple[int, str, str]:
    """Run a command, interrupted at a question to the engine that does not end by itself."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "HOME": str(home), "TRACELODE_STORE": str(place / "store"), "TZ": "UTC"}
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(before), *words],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    told = child.stderr.readline()
    assert told == "asking\n", told + child.stderr.read()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    return child.returncode, out, err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_interrupted_question_ends_with_130_and_a_word(
    words: list[str], made: Path, tmp_path: Path
) -> None:
    place = Path(shutil.copytree(made, tmp_path / "place"))
    assert interrupted(words, 0, place) == (130, "", "tracelode: interrupted\n")
    assert len(tracelode.open(place / "store", tz="UTC").sessions()) > 1


@pytest.mark.parametrize("before", [1, 2, 3])
def test_so_does_any_later_one(before: int, made: Path) -> None:
    assert interrupted(["diff", "--by", "outcome"], before, made)[::2] == (130, "tracelode: interrupted\n")


def test_a_script_gets_an_interrupt_and_no_error_of_the_engine(made: Path) -> None:
    script = SCRIPT.rpartition("from tracelode.__main__")[0] + (
        "import tracelode\n"
        "try:\n    tracelode.open(sys.argv[1]).totals()\n"
        "except KeyboardInterrupt:\n    sys.exit(7)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, "0", str(made / "store")], stderr=subprocess.PIPE, text=True
    )
    assert child.stderr is not None
    assert child.stderr.readline() == "asking\n"
    child.send_signal(signal.SIGINT)
    assert (child.communicate(timeout=30)[1], child.returncode) == ("", 7)


@pytest.mark.parametrize("way", ["error", "nowhere"])
def test_an_interrupt_that_a_library_swallows_is_one_all_the_same(way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, way, "top"], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tracelode: interrupted\n")

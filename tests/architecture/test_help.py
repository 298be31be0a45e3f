"""Help is a text on disk: true, quick, and free of every library."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from tracelode.cli import helptext
from tracelode.cli.app import COMMANDS

CPU = 0.12  # seconds; the target is 0.05 on a quiet machine, the rest is for a busy one
ENGINES = {"duckdb", "numpy", "pandas", "pyarrow", "re2", "google.protobuf", "sklearn"}

LOADED = """
import sys
from tracelode.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
sys.stderr.write(chr(10).join(sys.modules))
"""


def loaded(*words: str) -> set[str]:
    """Modules that a command line leaves in memory, without those of an idle interpreter."""

    def modules(code: str, *words: str) -> set[str]:
        command = [sys.executable, "-c", code, *words]
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split())

    idle = modules("import sys; sys.stderr.write(chr(10).join(sys.modules))")
    return modules(LOADED, *words) - idle


def cpu(*words: str) -> float:
    """CPU seconds of the installed command, user and system."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "tracelode", *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_the_text_is_made_from_the_app() -> None:
    assert helptext.HELP.read_text(encoding="ascii") == helptext.text(), "run: make docs"


def test_the_text_fits_a_terminal() -> None:
    assert max(len(line) for line in helptext.text().splitlines()) <= 80


def test_help_is_what_is_printed() -> None:
    command = [str(Path(sys.executable).with_name("tracelode")), "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == helptext.text()


def test_help_is_quick() -> None:
    cpu("--help")  # the first run writes byte code
    assert statistics.median(cpu("--help") for _ in range(5)) <= CPU


def test_help_loads_nothing_but_the_standard_library() -> None:
    ours = {"tracelode", "tracelode.__main__"}
    foreign = {
        name for name in loaded("--help") - ours if name.partition(".")[0] not in sys.stdlib_module_names
    }
    assert not foreign


@pytest.mark.parametrize("command", [name for _, name, _, _ in COMMANDS])
def test_help_of_a_command_loads_no_engine(command: str) -> None:
    names = loaded(command, "--help")
    assert "tracelode.cli.app" in names
    assert not ENGINES & names

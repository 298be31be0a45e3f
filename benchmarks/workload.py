"""What is measured, and on what? Generated histories, stores, environments, and the peers beside them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from report import say

HERE = Path(__file__).resolve().parent
CCUSAGE = "20.0.24"
"""Version of the peer that the figures in README.md stand beside."""
_KEPT = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "TMPDIR")


class Absent(Exception):
    """Something that a benchmark needs is not at hand."""


@contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """The folder for generated data: the given one, which is kept, or a temporary one."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="tracelode-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def history(work: Path, generator: Path, mb: float, seed: int = 7) -> Path:
    """A generated history, made unless it is there.

    Args:
        work: folder for generated data.
        generator: gen_claude_history.py.
        mb: megabytes of transcripts.
        seed: of the generator.

    Returns:
        Folder with .claude/projects and truth.json.

    Raises:
        Absent: there is no generator.
    """
    folder = work / f"history-{mb:g}-{seed}"
    if (folder / "truth.json").exists():
        return folder
    if not generator.is_file():
        raise Absent(f"no history generator at {generator}; name it with --generator PATH")
    say(f"generating {mb:g} MB of transcripts")
    aside = folder.with_suffix(".part")
    shutil.rmtree(aside, ignore_errors=True)
    words = [sys.executable, str(generator), "--out", str(aside), "--mb", f"{mb:g}", "--seed", str(seed)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    aside.rename(folder)
    return folder


def truth(folder: Path) -> dict[str, Any]:
    """Bytes, files and exact totals of a generated history."""
    found: dict[str, Any] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    return found


def environment(work: Path, history: Path | None = None, store: Path | None = None) -> dict[str, str]:
    """An environment with nobody's own history: an empty home, UTC, no colour.

    Args:
        work: folder for generated data.
        history: generated history that the command shall find as the local one.
        store: workspace.
    """
    home = work / "home"
    home.mkdir(exist_ok=True)
    found = {name: os.environ[name] for name in _KEPT if name in os.environ}
    found.update(HOME=str(home), TZ="UTC", NO_COLOR="1", TERM="dumb", COLUMNS="100")
    if history is not None:
        found["CLAUDE_CONFIG_DIR"] = str(history / ".claude")
    if store is not None:
        found["TRACELODE_STORE"] = str(store)
    return found


def tracelode(*words: str) -> list[str]:
    """The command line as installed beside this Python."""
    script = Path(sys.executable).with_name("tracelode")
    return [str(script), *words] if script.exists() else [sys.executable, "-m", "tracelode", *words]


def program(name: str, *words: object) -> list[str]:
    """One of the small programs beside this file, run by this Python."""
    return [sys.executable, str(HERE / "programs" / f"{name}.py"), *map(str, words)]


def call(command: Sequence[str], env: dict[str, str]) -> bytes:
    """Run a command that is not measured; its standard output."""
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE).stdout


def ccusage(work: Path, given: str | None) -> str | None:
    """The ccusage command.

    Args:
        work: folder for generated data.
        given: its path; "install" installs it by npm below work; None takes what is installed.

    Returns:
        Its path, None where there is none.
    """
    placed = work / "npm" / "node_modules" / ".bin" / "ccusage"
    if given == "install":
        if not placed.exists():
            npm = shutil.which("npm")
            if npm is None:
                raise Absent("npm is not at hand to install ccusage")
            quiet = ["--no-audit", "--no-fund", "--loglevel", "error"]
            words = [npm, "install", *quiet, "--prefix", str(work / "npm"), f"ccusage@{CCUSAGE}"]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return str(placed)
    if given is not None:
        return given
    return str(placed) if placed.exists() else shutil.which("ccusage")

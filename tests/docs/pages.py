"""Is a page of the documentation true? Its commands and examples are run again and its tables made again.

A page is Markdown with four sorts of live parts:

    ```console            commands after "$ " (continued after "> ") in one bash per page, with their output
    ```pycon              statements after ">>> " and "... " in one Python per page, run after the commands
    <!-- run: COMMAND -->                     a command of the same bash that the reader does not see
    <!-- made: NAME --> ... <!-- end -->      lines that a function of tables.py makes from the code

The place is an empty home folder with a clone in ~/tracelode; the zone is UTC, the terminal 80 columns wide.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES: tuple[Path, ...] = (
    ROOT / "README.md",
    *sorted(p for p in (ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "sources").glob("*.md")),
)
"""Pages written by hand; docs/reference is made by tools/gen_docs.py."""
WIDTH = 80
"""Columns of the terminal that outputs are shown for."""
UPDATE = os.environ.get("TRACELODE_UPDATE_DOCS") == "1"
"""Write the pages again instead of complaining."""

_OPTIONAL = ("jq", "go")
"""Tools a reader may not have: without them a command is left as it stands."""
_VARIES = (
    (re.compile(r"(demo-)\d[\w.]*"), r"\1VERSION"),
    (re.compile(r"(tracelode )\d[\w.]*\b(?=$)", re.MULTILINE), r"\1VERSION"),
    (re.compile(r"(?<=, )\d+\.\d s$", re.MULTILINE), "SECONDS s"),
    (re.compile(r"\b(name|mcp)-[0-9a-f]{12}\b"), r"\1-PSEUDONYM"),
    (re.compile(r"\b[0-9a-f]{16}(?=\.parquet)"), "SHARD"),
    (re.compile(r"\brun_[0-9a-f]{16}\b"), "RUN"),
    (re.compile(r"(?<=compiling took )[\d.]+ \w+"), "TIME"),
    (re.compile(r"(?<=: done, )[\d.]+ \w+$", re.MULTILINE), "TIME"),
)
_RUNNER = """
import contextlib, io, json, sys, traceback
scope = {"__name__": "__main__"}
found = []
for source in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(source, "<page>", "single"), scope)
        except Exception as error:
            print("Traceback (most recent call last):")
            print("    ...")
            print("".join(traceback.format_exception_only(error)).rstrip())
    found.append(out.getvalue())
json.dump(found, sys.stdout)
"""


@dataclass
class Step:
    """One command or statement with the output the page shows."""

    source: list[str]
    """Lines as written, prompts included."""
    shown: list[str] = field(default_factory=list)
    """Output on the page."""
    found: list[str] | None = None
    """Output now, None where it was not run."""

    @property
    def code(self) -> str:
        """What is run, without prompts."""
        return "\n".join(re.sub(r"^(?:>>> |\.\.\. ?|\$ |> ?)", "", line) for line in self.source)

    def lines(self) -> list[str]:
        """The step as the page should show it: an output that differs in nothing that matters stays."""
        same = self.found is None or normal(self.found) == normal(self.shown)
        return [*self.source, *(self.shown if same else self.found or [])]


@dataclass
class Part:
    """A stretch of a page."""

    kind: str
    """text, console, pycon, run or made."""
    lines: list[str] = field(default_factory=list)
    """Lines of text and of the fences around steps."""
    steps: list[Step] = field(default_factory=list)
    """Of console, pycon and run."""
    name: str = ""
    """Of made."""


def normal(lines: Iterable[str]) -> str:
    """Output without what differs between two runs: seconds, version, pseudonyms, names of shards."""
    text = "\n".join(line.rstrip() for line in lines)
    for pattern, stand_in in _VARIES:
        text = pattern.sub(stand_in, text)
    return text


def parts(text: str) -> list[Part]:
    """Cut a page in stretches of text and live parts; joined they are the page."""
    found = [Part("text")]
    lines = iter(text.split("\n"))
    for line in lines:
        if line in ("```console", "```pycon"):
            kind = line[3:]
            found += [Part(kind, [line], _steps(kind, _until(lines, "```"))), Part("text")]
        elif match := re.fullmatch(r"<!-- run: (.+) -->", line):
            found += [Part("run", [line], [Step([match[1]])]), Part("text")]
        elif match := re.fullmatch(r"<!-- made: (\S+) -->", line):
            found += [Part("made", list(_until(lines, "<!-- end -->")), name=match[1]), Part("text")]
        else:
            found[-1].lines.append(line)
    return found


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        if line == end:
            return
        yield line
    raise ValueError(f"a part of the page has no {end!r} at its end")


def _steps(kind: str, lines: Iterable[str]) -> list[Step]:
    first, more = ("$ ", ">") if kind == "console" else (">>> ", "...")
    found: list[Step] = []
    for line in lines:
        if line.startswith(first):
            found.append(Step([line]))
        elif not found:
            raise ValueError(f"a {kind} block begins with {line!r}")
        elif line.startswith(more) and not found[-1].shown:
            found[-1].source.append(line)
        else:
            found[-1].shown.append(line)
    return found


def regenerate(text: str, home: Path, tables: Mapping[str, Callable[[], str]]) -> str:
    """A page as it should be.

    Args:
        text: the page as it is.
        home: an empty folder that becomes the reader's home.
        tables: makers of made parts, by name.

    Returns:
        The page; equal to text if everything on it is true.
    """
    found = parts(text)
    place(home)
    shell(home, [step for part in found if part.kind in ("console", "run") for step in part.steps])
    python(home, [step for part in found if part.kind == "pycon" for step in part.steps])
    out: list[str] = []
    for part in found:
        if part.kind in ("console", "pycon"):
            out += [*part.lines, *(line for step in part.steps for line in step.lines()), "```"]
        elif part.kind == "made":
            out += [
                f"<!-- made: {part.name} -->",
                *tables[part.name]().strip("\n").split("\n"),
                "<!-- end -->",
            ]
        else:
            out += part.lines
    return "\n".join(out)


def place(home: Path) -> None:
    """Make the reader's home: a clone in ~/tracelode, nothing else."""
    clone = home / "tracelode"
    clone.mkdir(parents=True)
    (clone / "src").symlink_to(ROOT / "src")


def environment(home: Path) -> dict[str, str]:
    """The reader's environment, made from nothing but the path of programs."""
    programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    return {
        "PATH": programs,
        "HOME": str(home),
        "PYTHONPATH": str(home / "tracelode" / "src"),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def shell(home: Path, steps: list[Step]) -> None:
    """Run commands in one bash; output and errors of each are put into its found."""
    steps = [step for step in steps if not missing(step.code)]
    if not steps:
        return
    script = "exec 2>&1\n" + "\n".join(f"printf '\\036'\n{step.code}" for step in steps)
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", script],
        cwd=home / "tracelode",
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=300,
    )
    outputs = result.stdout.split("\036")[1:]
    for step, output in zip(steps, outputs, strict=True):
        step.found = output.rstrip("\n").split("\n") if output.strip("\n") else []


def python(home: Path, steps: list[Step]) -> None:
    """Run statements in one Python; what each prints is put into its found."""
    if not steps:
        return
    result = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        input=json.dumps([step.code + "\n" for step in steps]),
        cwd=home / "tracelode",
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    for step, output in zip(steps, json.loads(result.stdout), strict=True):
        step.found = output.rstrip("\n").split("\n") if output.strip("\n") else []


def missing(code: str) -> bool:
    """Does a command need an optional tool that is not there?"""
    return any(word in code.split() and shutil.which(word) is None for word in _OPTIONAL)

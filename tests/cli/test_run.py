"""Every ending of a command line: exit codes, one line on standard error, pipes, signals."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli import fake
from tracelode import __version__, workspace
from tracelode.errors import (
    ExportError,
    QueryError,
    SchemaTooOld,
    SourceError,
    StoreError,
    TracelodeError,
    UnknownField,
    UnknownMeasure,
    UsageError,
)

# Runs the command line in a process of its own on the small workspace in memory.
SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from cli.fake import small_workspace
from tracelode import workspace
made = small_workspace(Path("store"))
{setup}
workspace.open = lambda *a, **k: made
from tracelode.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def process(*words: str, setup: str = "", **more: object) -> subprocess.Popen[str]:
    """Start a command line in a process of its own."""
    script = SCRIPT.format(tests=str(Path(__file__).parent.parent), setup=setup)
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TracelodeError("x; do y"), 1),
        (SourceError("x; do y", path="a", line=3), 1),
        (StoreError("x; do y"), 1),
        (SchemaTooOld("x; do y"), 1),
        (ExportError("x; do y"), 1),
        (PermissionError(13, "Permission denied", "/nowhere"), 1),
        (UsageError("x; do y"), 2),
        (UnknownField("stag", ["stage", "tool"]), 2),
        (UnknownMeasure("cst", ["cost"]), 2),
        (QueryError("x; do y"), 3),
    ],
)
def test_errors_are_one_line_and_a_code(
    error: Exception, code: int, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(small, "profile", fail)
    got, out, err = run("top")
    assert (got, out) == (code, "")
    assert err.startswith("tracelode: ")
    assert err.count("\n") == 1
    assert ";" in err


def test_a_foreign_error_names_its_type_and_no_text(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("text of a trace")

    monkeypatch.setattr(small, "profile", fail)
    code, _, err = run("top")
    assert code == 1
    assert "ValueError" in err
    assert "text of a trace" not in err
    monkeypatch.setenv("TRACELODE_DEBUG", "1")
    with pytest.raises(ValueError, match="text of a trace"):
        run("top")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["tre"], "did you mean 'tree'"),
        (["xyzzy"], "no command 'xyzzy'; see tracelode --help"),
        (["top", "--stak", "a"], "did you mean --stack? See tracelode top --help"),
        (["show"], "SESSION requires an argument"),
        (["show", "aaaa#x"], "is not SESSION#N"),
        (["top", "--where", "tool"], "FIELD=VALUE"),
        (["top", "--since", "yesterday"], "2026-10-01"),
        (["top", "--since", "2026-13-01"], "is no moment"),
        (["top", "--idle", "5 parsecs"], "no length of time"),
        (["top", "--tz", "Mars/Olympus"], "no time zone"),
        (["top", "--stack", ","], "--stack names no field"),
        (["top", "--measure", "cots"], "cost"),
        (["top", "--nodefraction", "2"], "no share"),
        (["tree", "--nodecount", "0"], "no whole number"),
        (["top", "--focus", "("], "--focus is no regular expression"),
        (["peek", "("], "REGEX is no regular expression"),
        (["top", "--lane", "both"], "nested"),
        (["top", "-o", "x.docx"], ".pb.gz"),
        (["top", "-o", "-"], "--format"),
        (["flame", "-o", "-", "--format", "docx"], "no format 'docx'"),
        (["export"], "export -o profile.pb.gz"),
        (["top", "--outcome", "none"], "no outcome 'none'"),
    ],
)
def test_usage(words: list[str], part: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("by_name", [True, False])
def test_a_store_that_is_not_there_is_not_made(
    by_name: bool, run: fake.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACELODE_STORE", str(tmp_path / "typo"))
    code, out, err = run("top", *(["--store", str(tmp_path / "typo")] if by_name else []))
    assert (code, out) == (3, "")
    assert "no workspace at" in err
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("words", [["--version"], ["top", "--version"]])
def test_version(words: list[str], run: fake.Run) -> None:
    code, out, _ = run(*words)
    assert (code, out) == (0, f"tracelode {__version__}\n")


@pytest.mark.parametrize("words", [["help", "help"], ["--json", "--help"], ["--store", "x", "-h"]])
def test_help_without_a_command_is_one_text(words: list[str], run: fake.Run) -> None:
    assert run(*words) == run("--help")


@pytest.mark.parametrize("words", [["help", "tpo"], ["tpo", "--help"], ["tpo", "-h"]])
def test_help_of_no_command_is_an_error(words: list[str], run: fake.Run) -> None:
    assert run(*words) == (2, "", "tracelode: no command 'tpo'; did you mean 'top'?\n")


def test_options_may_stand_before_the_command(
    run: fake.Run, small: fake.FakeWorkspace, tmp_path: Path
) -> None:
    assert run("--store", str(tmp_path), "--json", "top") == run("top", "--json", "--store", str(tmp_path))
    assert small.opened["store"] == tmp_path
    assert run("help", "top") == run("top", "--help")


def test_options_reach_the_workspace(run: fake.Run, small: fake.FakeWorkspace, tmp_path: Path) -> None:
    words = ["--idle", "1h30m", "--tz", "Asia/Kathmandu", "--price-file", "p.toml", "--store", str(tmp_path)]
    assert run("top", *words)[0] == 0
    assert small.opened == {
        "store": tmp_path,
        "make": False,
        "redact": None,
        "tz": "Asia/Kathmandu",
        "idle": 5400.0,
        "prices": Path("p.toml"),
        "renew": False,
    }


def test_a_reader_that_leaves_is_no_error() -> None:
    # More output than a pipe holds, and a reader that takes one line.
    setup = """
from cli import fake
ops = [fake.operation("cccc", i, fields={"tool": "tool-%05d" % i}) for i in range(5000)]
made.store["cccc"] = (fake.session("cccc", ops), ops)
"""
    child = process("top", "--nodecount", "9999", setup=setup)
    assert child.stdout is not None
    assert child.stderr is not None
    first = child.stdout.readline()
    child.stdout.close()
    assert first.startswith("cost")
    assert child.stderr.read() == ""
    assert child.wait(timeout=20) == 0


def test_an_interrupt_is_one_short_line() -> None:
    setup = """
import time
def slow(*a, **k):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(30)
made.profile = slow
"""
    child = process("top", setup=setup)
    assert child.stderr is not None
    assert child.stderr.readline() == "ready\n"
    time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=10) == 130
    assert child.stderr.read() == "tracelode: interrupted\n"


def test_colour_is_asked_for_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"PATH": "/usr/bin", "TERM": "xterm-256color", "HOME": "/nowhere", "TZ": "UTC"}
    outputs = {}
    for name, more in {"plain": {}, "forced": {"FORCE_COLOR": "1"}, "no": {"NO_COLOR": "1"}}.items():
        out, _ = process("flame", env={**environment, **more}).communicate(timeout=20)
        outputs[name] = out
    assert "\x1b[" in outputs["forced"]
    assert "\x1b[" not in outputs["plain"]
    assert outputs["plain"] == outputs["no"]


def test_output_of_another_encoding_is_no_error() -> None:
    out, err = process("flame", env={"PYTHONIOENCODING": "ascii", "HOME": "/nowhere"}).communicate(timeout=20)
    assert err == ""
    assert out.startswith("cost")


def test_progress_goes_to_a_terminal_only(run: fake.Run, small: fake.FakeWorkspace) -> None:
    run("import", "x")
    assert small.added[0][1]["progress"] is None


def test_every_format_of_the_workspace_is_known_to_binary_check() -> None:
    assert {"pprof", "parquet"} <= set(workspace.formats())

"""Does `record` say what it did, and pass on how the command ended?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli import fake
from tracelode.record.run import supported

pytestmark = pytest.mark.skipif(not supported(), reason="commands are watched on Linux alone")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_ends_as_the_command_and_says_what_comes_next(run: fake.Run, place: Path) -> None:
    code, out, err = run("record", "--with", "proc", "-o", "log", "--", "sh", "-c", "exit 7")
    assert (code, out) == (7, "")
    assert err.splitlines() == [
        "recorded: ~/log, with /proc: what is short is missed",
        "session: unknown, no session was written under this folder meanwhile",
        "next: tracelode import ~/log --into SESSION",
    ]
    assert (place / "log").stat().st_mode & 0o777 == 0o600


def test_a_signal_is_128_and_its_number(run: fake.Run) -> None:
    assert run("record", "--with", "proc", "--", "sh", "-c", "kill -15 $$")[0] == 143


def test_json_says_the_same(run: fake.Run) -> None:
    code, out, err = run("record", "--json", "--with", "proc", "-o", "log", "--", "true")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "schema_version": 1, "recording": "log", "tracer": "proc", "exit": 0, "session": None, "sessions": [],
    }  # fmt: skip


def test_options_of_the_command_are_its_own(run: fake.Run, place: Path) -> None:
    words = ["sh", "-c", 'echo "$@" > told', "x", "-o", "-", "--json", "-h", "--help"]
    assert run("record", "--with", "proc", "-o", "log", "--", *words)[0] == 0
    assert (place / "told").read_text() == "-o - --json -h --help\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "record needs a command"),
        (("--", "no-such-program"), "no such program"),
        (("-o", "there", "--", "true"), "is there already"),
        (("--with", "magic", "--", "true"), "magic"),
    ],
)
def test_what_cannot_be_done_is_a_mistake_of_usage(
    run: fake.Run, place: Path, words: tuple[str, ...], told: str
) -> None:
    (place / "there").touch()
    code, out, err = run("record", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_import_says_how_effects_were_joined(run: fake.Run, place: Path) -> None:
    run("record", "--with", "proc", "-o", "log", "--", "sleep", "0.2")
    code, out, _ = run("import", "log", "--store", "store")
    assert code == 0
    assert re.search(r"^effects  \d+ to none$", out, re.MULTILINE)
    code, out, _ = run("import", "log", "--store", "store", "--json")
    assert json.loads(out)["effects"] == {}, "nothing was read again"
    code, _, err = run("import", "log", "--store", "store", "--skew", "2s")
    assert (code, "--into" in err) == (2, True)
    code, _, err = run("import", "log", "--store", "store", "--into", "nowhere")
    assert code == 3

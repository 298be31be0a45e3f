"""Messages beside the answer: wrapped, whole, and of one mind about what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from tracelode.cli.screen import say, warn
from tracelode.cli.text import width
from tracelode.model.report import Doctor, ImportReport, Skipped

LONG = "reading 3 files of ~/.claude/projects/a-folder-with-a-name/that/goes/on into ~/.local/share/elsewhere"
PATH = "~/work/" + "folder-" * 12 + "x/session.jsonl"


@pytest.mark.parametrize("columns", ["", "40", "100", "7"])
@pytest.mark.parametrize("speak", [say, warn])
@pytest.mark.parametrize("text", [LONG, PATH, "short", "x" * 300, "漢字 " * 60])
def test_messages_are_wrapped_and_whole(
    columns: str,
    speak: object,
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert callable(speak)
    monkeypatch.setenv("COLUMNS", columns)
    speak(text)
    err = capsys.readouterr().err
    lines = err.splitlines()
    assert max(map(width, lines)) <= (int(columns) if columns in ("40", "100") else 80)
    assert all(line.startswith("  ") for line in lines[1:])
    said = f"tracelode: {text}" if speak is warn else text
    assert "".join(err.split()) == "".join(said.split())


@pytest.mark.parametrize("columns", ["80", "40"])
@pytest.mark.parametrize("command", ["import", "doctor"])
def test_reasons_and_places_are_whole(
    command: str, columns: str, run: fake.Run, empty: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    reason = "record without a type that any version of this format is known to have"
    skipped = [Skipped(PATH, 12, reason, 1234), Skipped("~/b.bin", 0, "unknown format")]
    empty.report = ImportReport(files=2, files_read=2, skipped=skipped)
    empty.known = Doctor(files=2, skipped=skipped)
    code, out, _ = run(*([command, "x"] if command == "import" else [command]))
    assert code == (3 if command == "import" else 0)
    assert "…" not in out
    assert max(map(width, out.splitlines())) <= int(columns)
    whole = "".join(out.split())
    for part in (reason, f"{PATH}:12", "~/b.bin", "1,234", "unknown format"):
        assert "".join(part.split()) in whole


def test_short_reasons_stay_on_a_line(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    empty.known = Doctor(files=9, unknown=1, skipped=fake.skips())
    assert run("doctor")[1].splitlines() == [
        "history  none found on this machine",
        "files    8 read, 1 of no known format",
        "skipped  3, by reason and first place:",
        "         2  line is no JSON  ~/a.jsonl:3",
        "         1  unknown format   ~/b.bin",
    ]


def test_doctor_counts_as_import_does(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    skipped = [Skipped("~/b.bin", 0, "unknown format", 45), Skipped("~/c.jsonl", 0, "empty file", 17)]
    empty.known = Doctor(files=315, unknown=62, skipped=skipped)
    assert "files    253 read, 45 of no known format, 17 empty\n" in run("doctor")[1]
    answer = json.loads(run("doctor", "--json")[1])
    assert (answer["files"], answer["unknown"]) == (253, 62)


UNKNOWN = [Skipped("claude:projects/a.jsonl", 0, "unknown format", 2), Skipped("c.jsonl", 0, "empty file")]


def test_a_history_without_a_session_is_found_but_holds_none(
    run: fake.Run, empty: fake.FakeWorkspace
) -> None:
    empty.history = [("claude-code", Path.home() / ".claude/projects", 3)]
    empty.report = ImportReport(files=3, files_read=3, skipped=UNKNOWN)
    empty.known = Doctor(files=3, unknown=3, skipped=UNKNOWN)
    empty.path = Path.home() / "store"
    for _ in range(2):
        code, out, err = run()
        assert (code, out) == (3, "")
        assert "no agent history found" not in err
        assert " ".join(err.split()) == (
            "reading 3 files of ~/.claude/projects into ~/store "
            "tracelode: no session in the 3 files that were read: 2 x unknown format, 1 x empty file; "
            "tracelode doctor says where"
        )
        # The second time nothing is new, and what is wrong with the files is still the same.
        empty.report = ImportReport(files=3)
    code, out, err = run("--json")
    assert code == 3
    assert json.loads(out)["totals"]["operations"] == 0
    assert "no session in the 3 files" in err


@pytest.mark.parametrize(
    "command", [["top"], ["tree"], ["peek", "x"], ["flame"], ["sessions"], ["audit", "cost"]]
)
def test_every_view_says_that_files_were_read_in_vain(
    command: list[str], run: fake.Run, empty: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.known = Doctor(files=3, unknown=3, skipped=UNKNOWN)
    code, _, err = run(*command)
    assert code == 3
    assert "no session in the 3 files that were read" in " ".join(err.split())


def test_an_import_without_a_session_says_so(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    empty.report = ImportReport(files=3)
    empty.known = Doctor(files=3, unknown=3, skipped=UNKNOWN)
    code, _, err = run("import", "x")
    assert code == 3
    assert "nothing was imported: the files hold no session" in " ".join(err.split())


def test_an_import_of_nothing_recent_says_so(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    empty.report = ImportReport(files=3, files_known=3)
    code, _, err = run("import", "x", "--since", "28d")
    assert code == 0
    assert "no new file of 3 has changed since 28d; without --since all are read" in " ".join(err.split())


def test_who_did_not_look_has_not_found_nothing(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    code, _, err = run("--no-import")
    assert code == 3
    assert "no agent history found" not in err
    assert err == "tracelode: nothing imported yet; run tracelode import PATH, or tracelode demo\n"


def test_audit_names_operations_that_can_be_shown(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, _ = run("audit", "cost", "--limit", "2")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[1] == ["value", "%", "what", "operation", "line"]
    assert lines[2][2:] == ["Bash", "aaaa1111#2", "~/aaaa1111-x.jsonl:3"]
    assert run("show", lines[2][3])[0] == 0

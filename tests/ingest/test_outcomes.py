"""Do outcomes reach the views, from a person and from a CSV file, and stay there?"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from sources.test_claude_stream_cases import Log, use
from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.model.operation import Operation, Origin
from tracelode.signals.outcome import PROXIES, proxy
from tracelode.workspace import Workspace
from workspaces import stored

KEYS = [f"{n:08x}-1111-4222-8333-444444444444" for n in range(3)]


def three(folder: Path) -> Workspace:
    transcripts = []
    for number, key in enumerate(KEYS):
        t = Transcript(key).user("go")
        t.assistant("x", tools=[("Bash", {"command": "pytest -q"})], usage=used(10 + number))
        t.result(t.calls[0], "1 failed" if number else "ok", is_error=bool(number))
        transcripts.append(t)
    return stored(folder, *transcripts)


def by(workspace: Workspace, *fields: str) -> dict[tuple[str, ...], int]:
    return {k: v[0] for k, v in workspace.profile(stack=fields, measure="tokens.input_fresh").totals.items()}


def test_a_person_says_how_a_session_ended(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    assert by(workspace, "outcome") == {("(none)",): 33}
    assert workspace.judge(KEYS[1], "failed", task="T-1") == KEYS[1]
    workspace.judge(KEYS[0][:8], "success")
    assert by(workspace, "outcome", "task") == {
        ("(none)", "(none)"): 12,
        ("failure", "T-1"): 11,
        ("success", "(none)"): 10,
    }
    workspace.add(tmp_path / "history")
    again = tracelode.open(tmp_path / "store", tz="UTC", idle=60)
    assert by(again, "outcome") == {("(none)",): 12, ("failure",): 11, ("success",): 10}
    again.judge(KEYS[1], None)
    assert by(again, "task", "outcome")[("T-1", "failure")] == 11  # what nothing is said of stays


def test_a_csv_file_and_its_bad_rows(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    table = tmp_path / "o.csv"
    table.write_text(
        f"Session,outcome,task\n{KEYS[0]},passed,A\n{KEYS[1]},maybe,\nffff,failed,\n{KEYS[2]},0,\n"
    )
    count, skipped = workspace.judge_from(table)
    assert count == 2
    assert [(s.line, s.reason) for s in skipped] == [
        (3, "outcome is neither success nor failure"),
        (4, "no such session, or several"),
    ]
    assert by(workspace, "outcome", "task") == {
        ("(none)", "(none)"): 11,
        ("failure", "(none)"): 12,
        ("success", "A"): 10,
    }


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    with pytest.raises(UsageError, match="success or failure"):
        workspace.judge(KEYS[0], "maybe")
    with pytest.raises(QueryError, match="no session"):
        workspace.judge("ffff", "failed")
    table = tmp_path / "o.csv"
    table.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match="name the column session"):
        workspace.judge_from(table)
    with pytest.raises(SourceError, match=r"none\.csv.*cannot be read: it is not there"):
        workspace.judge_from(tmp_path / "none.csv")
    table.write_text("session,outcome\n" + "x" * (csv.field_size_limit() + 1) + ",failed\n")
    with pytest.raises(SourceError, match=r"o\.csv.*cannot be read: it is no CSV"):
        workspace.judge_from(table)


def test_proxies_are_a_field_of_their_own(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    assert by(workspace, "proxy", "outcome") == {
        ("tests failed", "(none)"): 23,
        ("tests passed", "(none)"): 10,
    }


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ("", None),
        ("test:ok", "tests passed"),
        ("test:nonzero edit:ok", "tests failed"),
        ("test:ok edit:ok", None),
        ("test:nonzero commit:ok", "committed"),
        ("commit:ok deny", "corrected"),
        ("commit:ok deny say", None),
        ("push:error", None),
    ],
)
def test_the_last_observation_wins(steps: str, wanted: str | None) -> None:
    operations = []
    for index, step in enumerate(steps.split()):
        verb, _, status = step.partition(":")
        fields = {"human": {"deny": "denial", "say": "prompt"}[verb]} if not status else {"verb": verb}
        operations.append(
            Operation(
                session="s", index=index, id=str(index), actor="agent", kind="tool", name="x",
                status=status or "ok", fields=fields, origin=Origin("t", "p", 1),
            )  # type: ignore[arg-type]
        )  # fmt: skip
    assert proxy(operations) == wanted
    assert wanted is None or wanted in PROXIES


def test_an_audit_names_every_line_of_a_number(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    for measure in ("tokens.input_fresh", "cost", "calls", "operations", "time.model", "tokens"):
        found = workspace.audit(measure, limit=10_000)
        assert found.total == sum(line.value for line in found.largest)
        assert found.lines == len(found.largest)
        assert found.total == workspace.profile(measure=measure).total()
    fresh = workspace.audit("tokens.input_fresh")
    assert [line.value for line in fresh.largest] == [12, 11, 10]
    assert {line.line for line in fresh.largest} == {2}


def test_doctor_counts_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    three(tmp_path)
    home = tmp_path / "claude"
    (home / "projects").mkdir(parents=True)
    (tmp_path / "history" / "projects").rename(home / "projects" / "x")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    gone = "99999999-1111-4222-8333-444444444444"
    lines = [f'{{"display":"x","sessionId":"{key}"}}' for key in (KEYS[0], gone)]
    (home / "history.jsonl").write_text("\n".join([*lines, "broken"]))
    workspace = tracelode.open(tmp_path / "second", tz="UTC")
    workspace.add()
    next((home / "projects").rglob("*.jsonl")).unlink()
    found = workspace.doctor()
    assert [(h[0], h[2], h[3]) for h in found.histories] == [("claude-code", 2, 0)]
    assert (found.files, found.gone, found.prompted, found.prompted_only) == (3, 1, 2, 1)
    assert found.quality["calls"] == 3


def test_what_is_not_said_again_stays(tmp_path: Path) -> None:
    workspace = three(tmp_path)
    workspace.judge(KEYS[0], "success", task="A")
    workspace.judge(KEYS[0], task="B")
    assert by(workspace, "outcome", "task")["success", "B"] == 10
    table = tmp_path / "o.csv"
    table.write_text(
        f"session,outcome,task\n{KEYS[0]},,C\n{KEYS[0]},,\n{KEYS[1]},failed,\n{KEYS[1]},passed,\n"
    )
    count, skipped = workspace.judge_from(table)
    assert (count, [(s.line, s.reason) for s in skipped]) == (
        2,
        [
            (3, "row without outcome and task"),
            (5, "another outcome than in a row before, the last one holds"),
        ],
    )
    assert by(workspace, "outcome", "task")["success", "C"] == 10
    assert by(workspace, "outcome", "task")["success", "(none)"] == 11


def test_doctor_holds_reported_against_computed_cost_of_the_same_calls(tmp_path: Path) -> None:
    log = Log().init()
    log.call("m1", used(100, output=10), use("toolu_01" + "a" * 16))
    log.result("toolu_01" + "a" * 16, "ok").call("m2", used(50, output=5))
    log.done(0.5, sonnet=(150, 0, 0, 15))
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "run.jsonl").write_bytes(log.bytes())
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "history")
    quality = workspace.doctor().quality
    assert quality["cost_reported"] == 500_000_000_000
    assert quality["cost_where_reported"] == workspace.totals().cost_picodollars > 0

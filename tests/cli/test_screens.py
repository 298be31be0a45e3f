"""The screens as a person sees them: totals, sessions, operations, the first run, and hostile traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace
from tracelode.model.report import ImportReport, Skipped


def test_the_first_screen(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tracelode   3 sessions, 1 sub-agent   2026-09-21 (UTC)",
        "tokens 1.7k  fresh 5 | cache read 900 | write 5m 0 1h 0 | output 761",
        "cost   $4.01  unpriced: none",
        "time   model 0 s | tool 0 s | blocked 0 s | idle 0 s | unknown 0 s",
        "",
        "cost by intent > stage                                      cost     %  sessions",
        "deploy service > start service                ━━━━━━━━━━   $3.00   75%         1",
        "deploy service > edit code                    ━━━          $1.00   25%         1",
        "fix bug > edit code                           ╸           $0.006  0.1%         3",
        "",
        "look at  deploy service: 3 of 3 attempts fail at the same step aaaa1111#2",
        "next     tracelode show aaaa1111#2 | tracelode top | tracelode flame -o my.svg",
    ]


def test_the_first_answer(run: fake.Run, small: fake.FakeWorkspace) -> None:
    first = small.store["bbbb2222-y"][1][0]
    first.measures["tokens.unpriced"] = 100
    first.fields["model"] = "new-model"
    code, out, _ = run("--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["schema_version"] == 1
    totals = answer["totals"]
    assert {"sessions": 3, "calls": 1, "operations": 10}.items() <= totals.items()
    assert totals["tokens"] == {
        "input_fresh": 5,
        "cache_read": 900,
        "cache_write_5m": 0,
        "cache_write_1h": 0,
        "output": 761,
        "reasoning": None,
    }
    assert totals["cost_picodollars"] == 4_007_000_000_000
    assert totals["cost_picodollars_string"] == "4007000000000"
    assert totals["cost"] == "4.007"
    assert totals["unpriced"] == {"new-model": 100}
    assert set(totals["time_us"]) == {"model", "tool", "blocked", "idle", "unknown"}
    assert set(answer["by"]) == {"model", "day", "project", "session", "agent", "role", "kind"}
    assert set(answer["by"]["session"]["bbbb2222-y"]) <= set(totals)
    assert answer["top"][0] == {
        "stack": ["deploy service", "start service"],
        "cost": 3 * 10**12,
        "sessions": 1,
    }
    assert sum(row["cost"] for row in answer["top"]) == totals["cost_picodollars"]
    assert answer["findings"][0]["where"] == ["aaaa1111-x#2"]


def test_what_is_a_lower_bound_is_said(run: fake.Run, small: fake.FakeWorkspace) -> None:
    assert "at least" not in run()[1]
    small.store["bbbb2222-y"][1][0].measures["calls.lower_bound"] = 1
    assert "1 of 1 calls have no final count: at least this" in run()[1]


def test_what_was_skipped_is_said(run: fake.Run, small: fake.FakeWorkspace) -> None:
    small.history = [("claude-code", Path("/h"), 1)]
    small.report = ImportReport(skipped=[Skipped("~/a.jsonl", 3, "not valid JSON", 1_200)])
    assert "skipped 1,200 places; tracelode doctor" in run("--import")[2]


def test_a_store_put_aside_is_said(run: fake.Run, small: fake.FakeWorkspace) -> None:
    small.put_aside = Path("/x/schema-1")
    assert "/x/schema-1; import again" in run("--no-import")[2]


def test_totals_take_filters(run: fake.Run, small: fake.FakeWorkspace) -> None:
    answer = json.loads(run("--json", "--where", "tool=Read")[1])
    assert answer["totals"]["operations"] == 2
    code, out, err = run("--where", "tool=None")
    assert (code, out) == (3, "")
    assert "nothing matches" in err


def test_no_history(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    code, out, err = run()
    assert (code, out) == (3, "")
    assert err == "tracelode: no agent history found; try tracelode demo, or tracelode import PATH\n"
    code, out, _ = run("--json")
    assert code == 3
    assert json.loads(out)["totals"]["operations"] == 0
    assert empty.added == []


def test_the_first_run_says_what_it_reads_and_asks_nothing(
    run: fake.Run, empty: fake.FakeWorkspace, tmp_path: Path
) -> None:
    filled = fake.small_workspace(tmp_path)
    empty.history = [("claude-code", Path.home() / ".claude/projects", 12), ("codex", tmp_path, 0)]
    empty.path = Path.home() / ".local/share/tracelode"
    empty.report = ImportReport(files=12, files_read=12, operations=10)
    empty.on_add = lambda: setattr(empty, "store", filled.store)
    code, out, err = run()
    assert code == 0
    assert out.startswith("tracelode   3 sessions")
    first, second = err.splitlines()
    assert first == "reading 12 files of ~/.claude/projects into ~/.local/share/tracelode"
    assert second == "read 12 new files, 10 operations"
    run()
    assert len(empty.added) == 2


@pytest.mark.parametrize(
    ("source", "words", "named", "reads"),
    [
        ("~/a.jsonl", [], False, True),
        ("~/a.jsonl", [], True, False),
        ("~/a.jsonl", ["--import"], True, True),
        ("claude:projects/a.jsonl", [], True, True),
        ("claude:projects/a.jsonl", ["--no-import"], True, False),
        ("~/a.jsonl", ["--no-import"], False, False),
    ],
)
def test_a_named_workspace_follows_the_history_only_if_it_began_with_it(
    source: str,
    words: list[str],
    named: bool,
    reads: bool,
    run: fake.Run,
    empty: fake.FakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operations = [fake.operation("a", 0)]
    empty.store["a"] = (fake.session("a", operations, source=source), operations)
    empty.history = [("claude-code", Path("x"), 3)]
    if named:
        monkeypatch.setenv("TRACELODE_STORE", "somewhere")
    run(*words)
    assert bool(empty.added) == reads


def test_demo(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []
    monkeypatch.setattr(workspace, "demo", lambda path, tz=None: asked.append(path) or small)
    monkeypatch.setenv("TRACELODE_STORE", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("tracelode demo   3 sessions")
    assert lines[-3] == "wrote    ./tracelode-demo.svg"
    assert lines[-2].startswith("next     export TRACELODE_STORE=")
    assert (tmp_path / "tracelode-demo.svg").exists()
    assert asked[0].parent == tmp_path / "cache" / "tracelode"  # never the workspace of the real history
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    answer = json.loads(run("demo", "--json", "--open", "-o", "d.json")[1])
    assert answer["wrote"] == "d.json"
    assert opened == [(tmp_path / "d.json").as_uri()]


def test_import(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    empty.report = ImportReport(
        files=9,
        files_read=7,
        sessions=2,
        operations=4321,
        bytes_read=12_345_678,
        skipped=fake.skips(),
        seconds=1.25,
    )
    code, out, err = run(
        "import", "a", "b", "--source", "claude-code", "--since", "2026-10-01", "--tz", "UTC"
    )
    assert (code, err) == (0, "")
    paths, more = empty.added[0]
    assert paths == (Path("a"), Path("b"))
    assert more == {
        "source": "claude-code",
        "since": 1_790_812_800_000_000,
        "archive": False,
        "map": None,
        "into": None,
        "skew": 0.0,
        "progress": None,
    }
    assert out.splitlines()[0] == "read     7 of 9 files, 12 MB, 1.2 s"
    stored, place = out.splitlines()[1:3]
    assert stored == "stored   2 sessions, 4.3k operations"
    assert place.startswith("         in ")  # a long path goes on a line of its own
    assert out.splitlines()[3:] == [
        "skipped  3, by reason and first place:",
        "         2  line is no JSON  ~/a.jsonl:3",
        "         1  unknown format   ~/b.bin",
    ]
    assert json.loads(run("import", "a", "--json")[1]) == {
        "schema_version": 1,
        "files": 9,
        "files_read": 7,
        "sessions": 2,
        "operations": 4321,
        "bytes_read": 12_345_678,
        "effects": {},
        "skipped": [
            {"path": "~/a.jsonl", "line": 3, "reason": "line is no JSON", "count": 2},
            {"path": "~/b.bin", "line": 0, "reason": "unknown format", "count": 1},
        ],
    }


def test_import_of_nothing(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    assert run("import", "a")[0] == 3
    assert "of agents on this machine" in run("import")[2]

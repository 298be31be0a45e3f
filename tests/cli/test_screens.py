"""The screens as a person sees them: totals, sessions, operations, the first run, and hostile traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace
from tracelode.cli.text import width
from tracelode.model.operation import Origin
from tracelode.model.report import ImportReport

EVIL = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\u2066\x9b31m\r\nname" + "\N{CJK UNIFIED IDEOGRAPH-6F22}" * 60
"""Clears the screen, sets the title, turns the text around, and is 120 cells too wide."""
EVERY = [
    ["--no-import"],
    ["sessions"],
    ["show", "aaaa1111"],
    ["show", "aaaa1111", "--nested"],
    ["show", "aaaa1111#2"],
    ["top"],
    ["top", "--measure", "cost,tokens,tokens.output,time.active,calls", "--nodecount", "3"],
    ["top", "--where", f"intent={EVIL}"],
    ["tree"],
    ["peek", "."],
    ["flame"],
    ["import", "x"],
]


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
        "look at  deploy service: 3 of 3 attempts fail at the same step  aaaa1111#2",
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


def test_totals_take_filters(run: fake.Run, small: fake.FakeWorkspace) -> None:
    answer = json.loads(run("--json", "--where", "tool=Read")[1])
    assert answer["totals"]["operations"] == 2
    code, out, err = run("--where", "tool=None")
    assert (code, out) == (3, "")
    assert "nothing matches" in err


def test_no_history(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    code, out, err = run()
    assert (code, out) == (3, "")
    assert (
        err
        == "tracelode: no agent history found on this machine; try tracelode demo, or tracelode import PATH\n"
    )
    code, out, _ = run("--json")
    assert code == 3
    assert json.loads(out)["totals"]["operations"] == 0
    assert empty.added == []


def test_the_first_run_says_what_it_reads_and_asks_nothing(
    run: fake.Run, empty: fake.FakeWorkspace, tmp_path: Path
) -> None:
    filled = fake.small_workspace(tmp_path)
    empty.history = [("claude-code", Path.home() / ".claude/projects", 12), ("codex", tmp_path, 0)]
    empty.report = ImportReport(files=12, files_read=12, operations=10)
    empty.on_add = lambda: setattr(empty, "store", filled.store)
    code, out, err = run()
    assert code == 0
    assert out.startswith("tracelode   3 sessions")
    first, second = err.splitlines()
    assert first == f"tracelode: reading 12 files of ~/.claude/projects into {tmp_path}/store"
    assert second == "tracelode: 12 new files, 10 operations"
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
    assert more == {"source": "claude-code", "since": 1_790_812_800_000_000, "progress": None}
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
        "skipped": [
            {"path": "~/a.jsonl", "line": 3, "reason": "line is no JSON", "count": 2},
            {"path": "~/b.bin", "line": 0, "reason": "unknown format", "count": 1},
        ],
    }


def test_import_of_nothing(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    assert run("import", "a")[0] == 3
    assert "of agents on this machine" in run("import")[2]


def test_sessions(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, err = run("sessions")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "session   2026         project  intent       ops  tokens    cost   span  outcome",
        "aaaa1111  09-21 14:13  shop     deplo…rvice    6    1.3k   $4.00  3.5 s  failure",
        "bbbb2222  09-21 14:13  shop     fix bug        3     300  $0.003  2.5 s  success",
        "bbbb3333  09-21 14:13  shop     fix bug        1     100  $0.001  1.5 s  -",
    ]
    answer = json.loads(run("sessions", "--json")[1])["sessions"]
    assert [s["key"] for s in answer] == ["aaaa1111-x", "bbbb2222-y", "bbbb3333-z"]
    assert answer[0]["totals"]["operations"] == 6
    assert answer[0]["started"] == "2026-09-21T14:13:20.000000Z"
    assert answer[2]["fork_of"] == "bbbb2222-y"


def test_sub_agents_without_their_root_are_listed(run: fake.Run, small: fake.FakeWorkspace) -> None:
    del small.store["aaaa1111-x"]
    assert run("sessions")[1].splitlines()[1].startswith("aaaa1111  09-21 14:13")
    answer = json.loads(run("sessions", "--json")[1])["sessions"]
    assert [(s["key"], s["role"]) for s in answer][0] == ("aaaa1111-x", "subagent")
    assert "session  aaaa1111-x/agent-1" in run("show", "aaaa1111")[1]


def test_sessions_stop_at_twenty(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    for i in range(25):
        operations = [fake.operation(f"{i:08d}", 0)]
        empty.store[f"{i:08d}"] = (fake.session(f"{i:08d}", operations), operations)
    assert run("sessions")[1].splitlines()[-1] == "20 of 25 sessions; --all lists every one"
    assert len(run("sessions", "--all")[1].splitlines()) == 26
    assert len(json.loads(run("sessions", "--json")[1])["sessions"]) == 25


def test_short_keys_lead_back(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    keys = ["abcdefgh-1", "abcdefgh-2", "abcdefgh-22", "zz"]
    for key in keys:
        operations = [fake.operation(key, 0)]
        empty.store[key] = (fake.session(key, operations), operations)
    shown = [line.split()[0] for line in run("sessions")[1].splitlines()[1:]]
    assert sorted(shown) == ["abcdefgh-1", "abcdefgh-2", "abcdefgh-22", "zz"]
    for short in shown:
        assert json.loads(run("show", short, "--json")[1])["session"]["key"] == short
    code, _, err = run("show", "abcdefgh")
    assert code == 2
    assert "starts 3 sessions" in err


def test_show_a_session(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, err = run("show", "aaaa1111")
    assert (code, err) == (0, "")
    head, _, table = out.partition("\n\n")
    assert head.splitlines() == [
        "session  aaaa1111-x  claude-code  main",
        "project  ~/shop  deploy service  outcome failure",
        "when     2026-09-21 14:13..14:13 (UTC)",
        "file     ~/aaaa1111-x.jsonl",
        "own      4 operations, 1 call, 1.1k tokens, $4.00",
        "family   6 operations, 1 call, 1.3k tokens, $4.00",
        "agents   agent-1",
    ]
    assert table.splitlines() == [
        "# time     what          status stage         tokens   cost   took line",
        "0 14:13:20 prompt               edit code        100 $0.001 500 ms :1",
        "1 14:13:21 model         ok     edit code                   500 ms :2",
        "2 14:13:22   Bash        error  start service     35  $3.00 500 ms :3",
        "3 14:13:23   Task        ok     edit code        931  $1.00 500 ms :4",
        "  14:13:20     ↳ agent-1        2 ops",
    ]
    nested = run("show", "aaaa1111", "--nested")[1]
    assert nested.count("Read") == 2
    answer = json.loads(run("show", "aaaa1111", "--json", "--nested")[1])
    assert [o["index"] for o in answer["operations"]] == [0, 1, 2, 3]
    assert "arguments" not in answer["operations"][2]
    assert len(answer["subagents"][0]["operations"]) == 2


def test_show_a_sub_agent_and_a_fork(run: fake.Run, small: fake.FakeWorkspace) -> None:
    assert "session  aaaa1111-x/agent-1" in run("show", "aaaa1111/agent")[1]
    out = run("show", "bbbb3333")[1]
    assert out.splitlines()[-1] == "1 inherited operation is counted in bbbb2222"
    assert "own      1 operation," in out


def test_show_an_operation(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, _ = run("show", "aaaa1111#2")
    assert code == 0
    for part in (
        "operation  aaaa1111-x#2  id bbbbbbbbbbbbbbbb",
        "what       tool  Bash  error  by agent",
        "origin     ~/aaaa1111-x.jsonl:3\n           byte 200  fake",
        "command  kubectl apply",
        "cost                $3.00",
        "call       #1 whole  shared out to #2, #3",
        "tokens.output       61",
        "arguments  (redacted preview)\n  kubectl apply -f a.yaml\n",
        "output     (redacted preview)\n  denied\n",
    ):
        assert part in out
    answer = json.loads(run("show", "aaaa1111#2", "--json")[1])
    assert answer["operation"]["arguments"] == "kubectl apply -f a.yaml"
    assert answer["operation"]["cost"] == "3.00"
    # The whole call, not the share of one tool; operations and times are not a call's.
    assert answer["call"]["operations"] == [2, 3]
    assert answer["call"]["index"] == 1
    assert answer["call"]["measures"] == {
        "calls": 1,
        "cost": 4 * 10**12,
        "tokens.input_fresh": 5,
        "tokens.cache_read": 900,
        "tokens.output": 61,
    }
    assert json.loads(run("show", "bbbb2222#0", "--json")[1])["call"] is None


@pytest.mark.parametrize(
    ("word", "code", "part"),
    [("nope", 3, "no session starts with"), ("aaaa1111#99", 3, "its last is #3"), ("bbbb", 2, "write more")],
)
def test_show_nothing(word: str, code: int, part: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    got, out, err = run("show", word)
    assert (got, out) == (code, "")
    assert part in err


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
@pytest.mark.parametrize("columns", ["", "80", "120", "40"])
def test_hostile_traces_stay_in_their_lines(
    words: list[str], columns: str, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    poison(small)
    words = [word.replace("aaaa1111", "aaaa1111" + EVIL) if "#" in word else word for word in words]
    code, out, err = run(*words)
    assert code in (0, 3)
    for text in (out, err):
        assert not [
            c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066")
        ]
    wide = int(columns or 80)
    assert [line for line in out.split("\n") if width(line) > wide] == []
    assert [line for line in out.split("\n") if line != line.rstrip()] == []


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_json_of_hostile_traces_is_ascii(words: list[str], run: fake.Run, small: fake.FakeWorkspace) -> None:
    poison(small)
    words = [word.replace("aaaa1111", "aaaa1111" + EVIL) if "#" in word else word for word in words]
    code, out, _ = run(*words, "--json")
    assert code in (0, 3)
    assert out.isascii()
    assert out.count("\n") == 1
    assert json.loads(out)["schema_version"] == 1


def poison(made: fake.FakeWorkspace) -> None:
    """Put hostile text into everything a trace can name."""
    import msgspec

    change = msgspec.structs.replace
    store = {}
    for item, operations in made.store.values():
        key, root = (k.replace("aaaa1111", "aaaa1111" + EVIL) for k in (item.key, item.root))
        changed = [
            change(
                o,
                session=key,
                name=EVIL,
                fields={k: EVIL if k != "call" else v for k, v in o.fields.items()}
                | {EVIL: EVIL, "path": EVIL},
                arguments=EVIL * 3,
                output="\ud800" + EVIL,
                origin=Origin(EVIL, EVIL, 12_345_678, 99),
                started=-(10**18) if o.index == 0 else o.started,
            )
            for o in operations
        ]
        session = change(
            item, key=key, root=root, project=EVIL, agent=EVIL, intent=EVIL, source=EVIL, outcome=EVIL
        )
        store[key] = (session, changed)
    made.store = store
    made.found = [change(f, what=EVIL, where=(f"aaaa1111{EVIL}-x#2",), why=EVIL) for f in made.found]
    made.report = ImportReport(files=1, skipped=[change(s, path=EVIL, reason=EVIL) for s in fake.skips()])

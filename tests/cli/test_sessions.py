"""Sessions and operations: listed, named by short keys, shown down to file and line."""

from __future__ import annotations

import json

import msgspec
import pytest

from cli import fake


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
    assert (answer[0]["key"], answer[0]["role"]) == ("aaaa1111-x", "subagent")
    out = run("show", "aaaa1111")[1]
    assert "session  aaaa1111-x  claude-code  main" in out
    assert "file     none; only its sub-agents are there" in out
    assert "↳ agent-1" in out
    assert "Read" in run("show", "aaaa1111", "--nested")[1]
    shown = json.loads(run("show", "aaaa1111-x", "--json")[1])
    assert (shown["operations"], len(shown["subagents"])) == ([], 1)
    code, _, err = run("show", "aaaa1111#3")
    assert (code, err) == (
        3,
        "tracelode: session aaaa1111-x has no operation of its own, only its sub-agents have\n",
    )
    assert "session  aaaa1111-x/agent-1" in run("show", "aaaa1111/agent-1")[1]


def test_a_family_of_several_sub_agents_without_their_root(run: fake.Run, small: fake.FakeWorkspace) -> None:
    del small.store["aaaa1111-x"]
    first, operations = small.store["aaaa1111-x/agent-1"]
    below = msgspec.structs.replace(
        first, key="aaaa1111-x/agent-2", parent_operation=operations[0].id, started=None, ended=None
    )
    inner = [fake.operation(below.key, 5, name="Grep", fields={"tool": "Grep"})]
    small.store[below.key] = (below, inner)
    out = run("show", "aaaa1111")[1]
    assert (out.count("↳ agent-1"), out.count("↳ agent-2")) == (1, 1)
    out = run("show", "aaaa1111", "--nested")[1]
    # One that another one started stands below it, and only there.
    assert (out.count("↳ agent-1"), out.count("↳ agent-2")) == (1, 1)
    assert out.index("Read") < out.index("agent-2", out.index("Read"))


def test_a_filter_by_session_takes_what_screens_print(run: fake.Run, small: fake.FakeWorkspace) -> None:
    whole = json.loads(run("top", "--json", "--where", "session=aaaa1111-x")[1])
    for name in ("a", "aaaa1111", "aaaa..11-x"):
        assert json.loads(run("top", "--json", "--where", f"session={name}")[1]) == whole
    assert "session=aaaa1111-x" in run("top", "--where", "session=aaaa1111")[1]
    assert run("sessions", "--where", "session=a")[1].count("\n") == 2
    assert run("audit", "cost", "--where", "session=a")[0] == 0
    assert run("--no-import", "--where", "session=a")[0] == 0
    code, _, err = run("top", "--where", "session=bbbb")
    assert code == 2
    assert "'bbbb' starts 2 sessions" in err
    code, _, err = run("top", "--where", "session=zzz")
    assert code == 3
    assert "no session starts with 'zzz'" in err
    code, _, err = run("top", "--where", "session=aaaa1111/agent-1")
    assert code == 2
    assert "names a sub-agent" in err
    assert "--where session=aaaa1111" in " ".join(err.split())


def test_a_session_without_times_says_so(run: fake.Run, small: fake.FakeWorkspace) -> None:
    item, operations = small.store["bbbb2222-y"]
    small.store[item.key] = (msgspec.structs.replace(item, started=None, ended=None), operations)
    assert "when     unknown\n" in run("show", "bbbb2222")[1]
    small.store[item.key] = (msgspec.structs.replace(item, started=None), operations)
    assert "when     unknown..2026-09-21 14:13 (UTC)\n" in run("show", "bbbb2222")[1]


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
        "# time     what            status   tokens   cost   took line",
        "  14:13:20 edit code                   100 $0.001        2 ops",
        "0 14:13:20   prompt                    100 $0.001 500 ms :1",
        "1 14:13:21   model         ok                     500 ms :2",
        "  14:13:22 start service   1 failed     35  $3.00        1 op",
        "2 14:13:22     Bash        error        35  $3.00 500 ms :3",
        "  14:13:23 edit code                   931  $1.00        1 op",
        "3 14:13:23     Task        ok          931  $1.00 500 ms :4",
        "  14:13:20       ↳ agent-1                               2 ops",
    ]
    nested = run("show", "aaaa1111", "--nested")[1]
    assert nested.count("Read") == 2
    answer = json.loads(run("show", "aaaa1111", "--json", "--nested")[1])
    assert [o["index"] for o in answer["operations"]] == [0, 1, 2, 3]
    assert "arguments" not in answer["operations"][2]
    assert [(s["start"], s["stop"], s["name"]) for s in answer["segments"]] == [
        (0, 2, "edit code"),
        (2, 3, "start service"),
        (3, 4, "edit code"),
    ]
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

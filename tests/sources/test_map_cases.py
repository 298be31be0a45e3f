"""Does a mapping read a log of any shape, and does a wrong one say which key is wrong?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tracelode
from tracelode.errors import UsageError
from tracelode.ingest.jobs import Settings
from tracelode.ingest.pipeline import Importer
from tracelode.sources.map import made_of
from tracelode.store.catalog import Catalog
from tracelode.workspace import Workspace
from written import every, lines

Record = dict[str, Any]

MAPPING = """
session = "run.id"
kind = "event"
name = "tool.name"
id = "id"
call = "=previous"
time = "ts"
model = "llm.model"
status = "result.status"
arguments = "tool.args"
output = "result.text"
cost = "llm.usd"
project = "run.cwd"
task = "run.ticket"
outcome = "run.verdict"
agent = "=night-owl"

[tokens]
input = "llm.usage.prompt"
cache_read = "llm.usage.cached"
output_all = "llm.usage.completion"
reasoning = "llm.usage.thought"

[fields]
branch = "git.branch"
my.team = "team"

[values.kind]
ask = "prompt"
llm = "model"

[values.status]
failed = "error"

[values.outcome]
solved = "success"

[only]
v = [2, "3"]
"""

RUN = {"id": "night-1", "cwd": "/srv/shop", "ticket": "SHOP-7"}
USAGE = {"prompt": 1000, "cached": 900, "completion": 40, "thought": 15}
LOG: list[Record] = [
    {
        "v": 2,
        "id": "e1",
        "run": RUN,
        "event": "ask",
        "ts": "2026-05-01T10:00:00Z",
        "tool": {"args": "Fix it."},
    },
    {
        "v": 2,
        "id": "e2",
        "run": RUN,
        "event": "llm",
        "ts": "2026-05-01T10:00:05Z",
        "llm": {"model": "claude-sonnet-4-5", "usd": 0.01, "usage": USAGE},
        "git": {"branch": "fix/total"},
        "team": "till",
    },
    {
        "v": 2,
        "id": "e3",
        "run": RUN,
        "event": "tool",
        "ts": "2026-05-01T10:00:06Z",
        "tool": {"name": "Bash", "args": {"command": "pytest -q"}},
    },
    {
        "v": "3",
        "id": "e3",
        "run": RUN,
        "event": "tool",
        "ts": "2026-05-01T10:00:16Z",
        "result": {"status": "failed", "text": "1 failed"},
    },
    {"v": 1, "id": "e4", "event": "noise"},
    {"v": 2, "id": "e5", "run": RUN, "event": "sneeze"},
    {"v": 2, "id": "e6", "event": "llm"},
    {"v": 2, "id": "e7", "run": {**RUN, "verdict": "solved"}, "event": "note", "ts": "yesterday"},
]


def mapped(folder: Path, text: str, records: list[Record], name: str = "own.jsonl") -> tuple[Workspace, Any]:
    """Write a mapping and a log and import the log through it."""
    (folder / "map.toml").write_text(text)
    (folder / name).write_bytes(lines(records))
    workspace = tracelode.open(folder / "store", tz="UTC")
    return workspace, workspace.add(folder / name, map=folder / "map.toml")


def test_the_full_example(tmp_path: Path) -> None:
    workspace, report = mapped(tmp_path, MAPPING, LOG)
    assert {(s.reason, s.line, s.count) for s in report.skipped} == {
        ("record with a kind that is not mapped", 6, 1),
        ("record without a session", 7, 1),
        ("time that is no moment", 8, 1),
    }
    prompt, call, tool, note = every(workspace)
    assert (prompt.actor, prompt.kind, prompt.arguments) == ("human", "prompt", "Fix it.")
    assert (call.name, call.fields["branch"], call.fields["my.team"]) == (
        "claude-sonnet-4-5",
        "fix/total",
        "till",
    )
    assert (tool.name, tool.status, tool.output, tool.fields["call"]) == (
        "Bash",
        "error",
        "1 failed",
        call.id,
    )
    assert tool.fields["frame"] == "Bash:pytest"
    assert note.kind == "note"
    totals = workspace.totals()
    assert (totals.calls, totals.tokens) == (
        1,
        {
            "input_fresh": 100,
            "cache_read": 900,
            "cache_write_5m": 0,
            "cache_write_1h": 0,
            "output": 25,
            "reasoning": 15,
        },
    )
    # from the prompt to the answer, and from one record of the tool to the other
    assert totals.time_us == {
        "model": 5_000_000,
        "tool": 10_000_000,
        "blocked": 0,
        "idle": 0,
        "unknown": 1_000_000,
    }
    (session,) = workspace.sessions()
    assert (session.agent, session.project, session.task, session.outcome) == (
        "night-owl",
        "/srv/shop",
        "SHOP-7",
        "success",
    )
    assert workspace.profile(stack=["agent"], measure="cost.reported").total() == 10**10


def test_the_example_of_the_documentation_works(tmp_path: Path, project: Path) -> None:
    page = (project / "docs" / "sources" / "map.md").read_text(encoding="utf-8")
    (record,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    workspace, report = mapped(tmp_path, text, [json.loads(record)])
    assert report.skipped == []
    (call,) = every(workspace)
    assert (call.fields["my.team"], call.fields["branch"]) == ("till", "fix/total")
    assert (workspace.sessions()[0].task, workspace.totals().tokens["input_fresh"]) == ("SHOP-7", 100)


def test_constants_lists_of_keys_and_units(tmp_path: Path) -> None:
    text = """
    session = ["a.b", "s"]
    kind = "=tool"
    name = 'odd\\.key.0'
    time = "t"
    duration = "took"
    time_unit = "ns"
    duration_unit = "ms"
    """
    record = {"a.b": {"s": "one"}, "odd.key": ["Read"], "t": 1_780_000_000_000_000_000, "took": 1500}
    workspace, report = mapped(tmp_path, text, [record])
    assert report.skipped == []
    (tool,) = every(workspace)
    assert (tool.name, tool.started, tool.ended) == ("Read", 1_780_000_000_000_000, 1_780_000_001_500_000)
    assert workspace.totals().time_us["tool"] == 1_500_000


def test_sub_agents_hang_below_what_started_them(tmp_path: Path) -> None:
    text = """
    session = "s"
    root = "r"
    kind = "k"
    spawns = "starts"
    name = "n"
    """
    log = [
        {"s": "top", "k": "model"},
        {"s": "top", "k": "subagent", "n": "Task", "starts": "below"},
        {"s": "below", "r": "top", "k": "model"},
    ]
    workspace, _ = mapped(tmp_path, text, log)
    totals = workspace.totals()
    assert (totals.sessions, totals.subagents, totals.calls) == (1, 1, 2)
    assert {s.key: s.parent_operation is not None for s in workspace.sessions()} == {
        "top": False,
        "below": True,
    }


def test_equal_records_without_ids_and_times_all_count_and_a_copy_adds_nothing(tmp_path: Path) -> None:
    text = 'session = "s"\nkind = "=model"\n'
    log = [{"s": "one"}, {"s": "one"}]
    mapped(tmp_path, text, log)
    workspace, _ = mapped(tmp_path, text, log, name="copy.jsonl")
    assert workspace.totals().calls == 2


def test_a_grown_log_is_read_on_and_an_unchanged_one_not_at_all(tmp_path: Path) -> None:
    mapped(tmp_path, MAPPING, LOG[:3])
    workspace, report = mapped(tmp_path, MAPPING, LOG)
    assert (report.files_read, workspace.totals().operations) == (1, 4)
    tool = next(o for o in every(workspace) if o.kind == "tool")
    assert (tool.output, tool.fields["call"]) == ("1 failed", every(workspace)[1].id)
    assert workspace.add(tmp_path / "own.jsonl", map=tmp_path / "map.toml").files_read == 0


def test_another_mapping_reads_an_unchanged_log_anew(tmp_path: Path) -> None:
    mapped(tmp_path, MAPPING, LOG)
    workspace, report = mapped(tmp_path, MAPPING.replace('ask = "prompt"', 'ask = "note"'), LOG)
    assert report.files_read == 1
    assert [o.kind for o in every(workspace)] == ["note", "model", "tool", "note"]
    workspace, _ = mapped(tmp_path, MAPPING.replace('"run.id"', '"run.ticket"'), LOG)
    assert [s.key for s in workspace.sessions()] == ["SHOP-7"]


def test_without_its_mapping_a_changed_log_stays_as_it_is_stored(tmp_path: Path) -> None:
    workspace, _ = mapped(tmp_path, MAPPING, LOG[:3])
    before = workspace.totals()
    (tmp_path / "own.jsonl").write_bytes(lines(LOG))
    report = workspace.add(tmp_path / "own.jsonl")
    assert [s.reason for s in report.skipped] == [
        "changed since it was read through a mapping; give --map again"
    ]
    assert workspace.totals() == before
    assert workspace.contents("night-1") == (
        {},
        {str(tmp_path / "own.jsonl"): "was read through a mapping"},
    )


def test_a_file_of_an_unknown_format_is_read_once_there_is_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_bytes(lines(LOG))
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    assert [s.reason for s in workspace.add(tmp_path / "own.jsonl").skipped] == ["unknown format"]
    workspace, _ = mapped(tmp_path, MAPPING, LOG)
    assert workspace.totals().calls == 1


def test_worker_processes_make_the_source_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "map.toml").write_text('session = "s"\nkind = "=model"\n')
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_bytes(lines([{"s": f"run {number}"}]))
    monkeypatch.setattr("tracelode.ingest.pipeline.INLINE_BYTES", 0)
    catalog = Catalog(tmp_path / "store")
    importer = Importer(catalog, Settings(store=tmp_path / "store"), processes=2)
    importer.add([tmp_path], mapping=tmp_path / "map.toml")
    assert sorted(s.key for s in catalog.sessions()) == ["run 0", "run 1", "run 2"]


def test_a_session_in_several_files_with_spread(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text('session = "s"\nkind = "=model"\nid = "n"\nspread = true\n')
    for number in range(3):
        (tmp_path / f"part{number}.jsonl").write_bytes(lines([{"s": "one", "n": n} for n in (number, 9)]))
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path, map=tmp_path / "map.toml")
    assert (workspace.totals().sessions, workspace.totals().calls) == (1, 4)


BASE = "session = 's'\nkind = 'k'\n"
WRONG = {
    "kind = '=tool'": r"key 'session' is missing",
    "session = 's'": r"key 'kind' is missing",
    BASE + "toknes = 1": r"key 'toknes' is unknown; did you mean tokens\?",
    "session = 3\nkind = 'k'": r"key 'session' must be a path",
    "session = 'a..b'\nkind = 'k'": r"key 'session' must be a path",
    "session = []\nkind = 'k'": r"key 'session' must be a path",
    "session = 's'\nkind = '=thing'": r"key 'kind' has a constant that is none of prompt, model",
    BASE + "time_unit = 'h'": r"key 'time_unit' must be one of s, ms, us, ns",
    BASE + "spread = 'yes'": r"key 'spread' must be true or false",
    BASE + "tokens = 'x'": r"key 'tokens' must be a table; write it as \[tokens\]",
    BASE + "[tokens]\ninptu = 'x'": r"'tokens.inptu' is unknown; did you mean input\?",
    BASE + "[tokens]\noutput = 4": r"key 'tokens.output' must be a path",
    BASE + "[tokens]\ninput = 'a'\ninput_fresh = 'b'": r"'tokens.input' and tokens.input_fresh",
    BASE + "[fields]\nbrnach = 'x'": r"'fields.brnach' is no field .* known: branch;",
    BASE + "[fields]\nverb = 'x'": r"'fields.verb' is no field that a mapping gives",
    BASE + "[values.mood]\na = 'b'": r"'values.mood' is unknown; known: kind",
    BASE + "[values]\nkind = 'b'": r"'values.kind' must be a table",
    BASE + "[values.kind]\nllm = 'modle'": r"'values.kind.llm' must be one of prompt, model",
    BASE + "[only]\nv = 1.5": r"'only.v' must be a word or a list of words",
    "session = 's": r"is no TOML",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_mapping_names_the_key(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(UsageError, match=WRONG[text]):
        made_of(tmp_path / "map.toml")


def test_a_mapping_needs_a_file_and_paths(tmp_path: Path) -> None:
    workspace = tracelode.open(tmp_path / "store")
    with pytest.raises(UsageError, match=r"none\.toml cannot be read: it is not there$"):
        workspace.add(tmp_path, map=tmp_path / "none.toml")
    with pytest.raises(UsageError, match="name at least one"):
        workspace.add(map=tmp_path / "none.toml")


KEYS = ("run.id", "id", "ts", "llm.model", "llm.usd", "llm.usage.prompt", "tool.args", "result.status")
VALUES = (None, True, -1, 1.5, "x", [], {}, 10**30, "\ud800")


def test_wrong_types_do_not_stop_the_reading(tmp_path: Path) -> None:
    log = []
    for key in KEYS:
        for value in VALUES:
            record = json.loads(json.dumps(LOG[1]))
            *above, last = key.split(".")
            place = record
            for part in above:
                place = place.setdefault(part, {})
            place[last] = value
            log.append(record)
    last = LOG[1] | {"id": "last", "llm": {"model": "the-last"}}
    workspace, report = mapped(tmp_path, MAPPING, [*log, last])
    assert "the-last" in workspace.totals().by["model"]
    reasons = {s.reason for s in report.skipped}
    assert {"record without a session", "time that is no moment", "status that is not mapped"} <= reasons
    assert workspace.totals().calls > len(VALUES)

"""Is an export of a store the store? Imported into another one it gives the same totals and folds."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tracelode
from claude import Transcript, used
from shared import need
from tracelode import workspace as workspaces_of_the_package
from tracelode.__main__ import main
from tracelode.errors import ExportError
from tracelode.model.measure import STORED
from tracelode.workspace import Workspace
from workspaces import stored
from written import added, every

STACKS = (
    ["intent", "stage", "tool"],
    ["project", "day", "model"],
    ["session", "role", "kind", "status"],
    ["agent", "task", "outcome"],
    ["verb", "path", "path_role", "error", "human", "branch"],
)


def same(one: Workspace, folder: Path) -> Workspace:
    """Export a store, import it into another one, and compare all that a person can ask of both."""
    target = folder / "operations.jsonl"
    count = one.export_operations(target)
    other = tracelode.open(folder / "other", tz="UTC")
    report = other.add(target)
    assert report.skipped == []
    assert report.operations == sum(s.operations for s in one.sessions())
    assert count == sum(s.operations + s.inherited for s in one.sessions())
    assert other.totals() == one.totals()
    for stack in STACKS:
        for lane in ("nested", "separate"):
            a = one.profile(stack=stack, lane=lane, measures=list(STORED))
            assert other.profile(stack=stack, lane=lane, measures=list(STORED)).totals == a.totals
    return other


def text(workspace: Workspace) -> list[dict[str, Any]]:
    """An export without the places that its lines come from."""
    stream = io.BytesIO()
    workspace.export_operations(stream)
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [{key: value for key, value in r.items() if key != "origin"} for r in records]


def test_the_demo_comes_back_to_the_letter(tmp_path: Path) -> None:
    demo = workspaces_of_the_package.demo(tmp_path / "demo", tz="UTC")
    other = same(demo, tmp_path)
    assert demo.totals().forks == 1
    assert demo.totals().subagents == 3
    assert text(other) == text(demo)


def test_long_texts_are_not_cut_a_second_time(tmp_path: Path) -> None:
    t = Transcript().user("look " * 700)
    t.assistant("words " * 900, tools=[("Bash", {"command": "echo " + "x" * 3_000, "y": ["z"] * 900})])
    t.result(t.calls[0], "line\n" * 2_000)
    one = stored(tmp_path / "one", t)
    assert text(same(one, tmp_path)) == text(one)


@pytest.mark.parametrize("mode", ["metadata", "full"])
def test_every_redaction_mode(tmp_path: Path, mode: str) -> None:
    t = Transcript().user("fix it").assistant("I look", tools=[("Bash", {"command": "cd src && git log"})])
    t.result(t.calls[0], "Exit code 128\nfatal: not a git repository", is_error=True)
    t.write(tmp_path / "history")
    one = tracelode.open(tmp_path / "one", tz="UTC", redact=mode)
    one.add(tmp_path / "history")
    assert [o.fields["frame"] for o in every(one) if o.kind == "tool"] == ["Bash:git"]
    same(one, tmp_path)


@given(data=st.data())
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_history_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = []
    for number in range(data.draw(st.integers(1, 3))):
        t = Transcript(f"{number:08x}-1111-4222-8333-444444444444", f"/home/sam/p{number % 2}")
        t.user(data.draw(st.sampled_from(["fix the bug", "", "x\u2028y \U0001f600"])) or "go")
        for _ in range(data.draw(st.integers(0, 3))):
            tools = data.draw(
                st.lists(
                    st.sampled_from([("Bash", {"command": "ls"}), ("Edit", {"file_path": "/a"})]), max_size=2
                )
            )
            t.advance(data.draw(st.sampled_from([0, 3, 900])))
            t.assistant("x", tools=tools, usage=used(data.draw(st.integers(0, 99)), 50, output=7))
            for ident in t.calls[len(t.calls) - len(tools) :]:
                if data.draw(st.booleans()):
                    t.advance(5).result(ident, "ok")
        made.append(t)
        if data.draw(st.booleans()):
            made.append(t.fork(f"{number:08x}-ffff-4222-8333-444444444444").user("on").assistant("y"))
    same(stored(folder, *made), folder)


def test_real_sessions_of_several_agents_come_back(tmp_path: Path) -> None:
    one = tracelode.open(tmp_path / "one", tz="UTC")
    one.add(need("data", "native", "tau2_bench"), need("data", "native", "swe_agent"))
    assert len(one.totals().by["agent"]) == 2
    assert text(same(one, tmp_path)) == text(one)


def lines(*records: dict[str, Any]) -> bytes:
    head = {"type": "tracelode", "version": 1}
    return b"".join(json.dumps(record).encode() + b"\n" for record in (head, *records))


def operation(**more: Any) -> dict[str, Any]:
    base = {"type": "operation", "session": "s", "root": "s", "id": "00000000000000aa", "actor": "agent"}
    return base | {"kind": "model", "name": "m", "measures": {"calls": 1}} | more


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    content = b'{"type": "tracelode", "version": 2}\n' + lines(operation()).split(b"\n", 1)[1]
    workspace, report = added(tmp_path, {"x.jsonl": content})
    assert [(s.reason, s.count) for s in report.skipped] == [
        ("export of a later version; upgrade tracelode to read it", 1)
    ]
    assert workspace.empty()


def test_closed_words_stay_closed_whatever_a_file_says(tmp_path: Path) -> None:
    fields = {
        "tool": "Bash",
        "frame": "Bash:hunter2",
        "verb": "hunter2",
        "path_role": "hunter2",
        "error": "hunter2",
        "said": "hunter2",
        "asked": "hunter2",
        "human": "hunter2",
        "usage_quality": "hunter2",
        "background": "hunter2",
        "call": "hunter2",
        "replay": "hunter2",
        "stage_declared": "hunter2",
    }
    workspace, report = added(tmp_path, {"x.jsonl": lines(operation(kind="tool", fields=fields))})
    assert report.skipped == []
    (found,) = every(workspace)
    assert "hunter2" not in json.dumps(found.fields)
    assert "hunter2" not in repr(workspace.profile(stack=["stage", "tool"], measure="operations", share=True))


@pytest.mark.parametrize(
    "record",
    [
        operation(id=None),
        operation(id="not an id"),
        operation(kind="dream"),
        operation(actor=3),
        operation(measures={"calls": -1, "tokens.output": "9", "cost": 5, "made.up": 1, "time.model": 7}),
        operation(fields={"a": 1, "b.c": "kept"}, started="soon", status="fine", parent="x"),
        {"type": "timeline", "session": "s", "marks": [1, [2], ["a", "model", None, [], [], None]]},
        {"type": "timeline", "session": "s", "marks": "none"},
        {"type": "session", "session": 4},
        {"type": "riddle"},
        {},
    ],
)
def test_wrong_lines_do_not_stop_the_reading(tmp_path: Path, record: dict[str, Any]) -> None:
    good = operation(id="00000000000000bb", measures={"calls": 1, "tokens.output": 5})
    workspace, _ = added(tmp_path, {"x.jsonl": lines(record, good)})
    totals = workspace.totals()
    assert totals.tokens["output"] == 5
    assert totals.time_us["model"] == 0
    assert totals.cost_picodollars == 0


def test_the_command_line_writes_what_import_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path, Transcript().user("go").assistant("a", usage=used(output=3)))
    target = tmp_path / "x.jsonl"
    assert main(["export", "--operations", "-o", str(target), "--store", str(tmp_path / "store")]) == 0
    assert "2 operations" in capsys.readouterr().err
    assert oct(target.stat().st_mode)[-3:] == "600"
    assert main(["import", str(target), "--store", str(tmp_path / "other")]) == 0
    assert tracelode.open(tmp_path / "other", tz="UTC").totals().tokens["output"] == 3
    for wrong in (["--measure", "calls"], ["--format", "csv"], ["--detail"]):
        words = ["export", "--operations", "-o", str(target), "--store", str(tmp_path / "store"), *wrong]
        assert main(words) == 2
    assert "goes with -o and --store alone" in capsys.readouterr().err


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    workspace = stored(tmp_path, Transcript().user("go"))
    with pytest.raises(ExportError, match="cannot be written"):
        workspace.export_operations(tmp_path / "no folder" / "x.jsonl")


def test_a_family_that_one_line_tells_otherwise_is_the_same_when_read_on(tmp_path: Path) -> None:
    one = workspaces_of_the_package.demo(tmp_path / "demo", tz="UTC")
    stream = io.BytesIO()
    one.export_operations(stream)
    head, *rows = stream.getvalue().splitlines(keepends=True)
    records = [json.loads(row) for row in rows]
    of = next(r["session"] for r in records if r["type"] == "operation" and r["session"] == r["root"])
    mine = [r for r in records if r["session"] == of and r["type"] != "timeline"][:6]
    mine[3]["root"] = "somebody-else"
    lines = [head, *(json.dumps(r).encode() + b"\n" for r in mine)]
    wanted, _ = added(tmp_path / "whole", {"a.jsonl": b"".join(lines)})
    for cut in range(2, len(lines)):
        added(tmp_path / str(cut), {"a.jsonl": b"".join(lines[:cut])})
        grown, _ = added(tmp_path / str(cut), {"a.jsonl": b"".join(lines)})
        told = [[(s.key, s.root, s.role) for s in ws.sessions()] for ws in (grown, wanted)]
        assert told[0] == told[1], cut

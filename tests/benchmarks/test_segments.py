"""Does the benchmark of segmenters score every method, beside its controls, on any folder of the layout?"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shared import need
from tracelode import registry

NAMES = ("segments_data", "segments_controls", "segments_published", "segments_table", "segments")
SHARED_NAMES = ("labelled", "measure", "report")


@pytest.fixture
def bench(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The script and its parts as modules."""
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    yield {name: importlib.import_module(name) for name in NAMES}
    for name in (*NAMES, *SHARED_NAMES):
        sys.modules.pop(name, None)


def turn(
    number: int, ids: list[str], action: str, said: str = "none", result: str = "none"
) -> dict[str, Any]:
    """A turn as the human-labelled set writes it."""
    return {
        "turn": number, "turn_id": ids[0], "first_operation_id": ids[0], "operation_ids": ids,
        "planned_action": action, "intent": said, "visible_result": result, "progress": "none",
    }  # fmt: skip


def labelled(
    session: str, framework: str, actions: list[str], stages: list[int], **more: Any
) -> dict[str, Any]:
    """A row of the human-labelled set, one operation a turn."""
    turns = [turn(i, [str(i + 1)], action) for i, action in enumerate(actions)]
    return {
        "session": session, "framework": framework, "task": "Mend it.", "task_name": "mend",
        "turn_count": len(turns), "operation_count": len(turns), "turns": turns, "gold_stage": stages,
        "recurrence_group": stages, "splits": ["x"], **more,
    }  # fmt: skip


def declared(session: str, tools: list[tuple[str, dict[str, str]]], groups: list[int]) -> dict[str, Any]:
    """A row of the set whose groups the agent declared."""
    steps = [
        {
            "i": i,
            "tool": tool,
            "text": json.dumps(given),
            "thought": "(no content)",
            "obs": "",
            "error": False,
        }
        for i, (tool, given) in enumerate(tools)
    ]
    return {
        "set": "plan-silver", "traj_id": session, "task": "mend", "agent": "own-agent", "success": True,
        "steps": steps, "groups": groups, "group_names": [f"item {g}" for g in groups],
        "split_key": "task:mend",
    }  # fmt: skip


LOOK, EDIT, TEST = "cat src/pump.py", "sed -i s/1/2/ src/pump.py", "pytest -q"
HUMAN = [
    labelled("own/1", "Alpha", [LOOK] * 4 + [EDIT] * 4 + [TEST] * 4, [1] * 4 + [2] * 4 + [3] * 4),
    labelled("own/2", "Alpha", [LOOK] * 4 + [TEST] * 4, [7] * 4 + [9] * 4),
    labelled("own/3", "Beta", [LOOK] * 3 + [EDIT] * 3, [1] * 3 + [2] * 3),
]
READ, SHELL = ("Read", {"file_path": "src/pump.py"}), ("Bash", {"command": TEST})
SILVER = [declared("own/a", [READ] * 5 + [SHELL] * 5, [0] * 5 + [1] * 5)]


def write(folder: Path, name: str, lines: list[bytes]) -> Path:
    """One packed file of a folder of the layout."""
    path = folder / "segmentation" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(b"".join(line + b"\n" for line in lines)))
    return path


def packed(*rows: Any) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of the layout with another middle name, two files of one set, and broken lines."""
    whole = packed(*HUMAN)
    broken = [whole[0] + whole[1], whole[0][:200], b"[1]", b"\xff\xfe", b""]
    unlabelled = {**HUMAN[0], "session": "own/4", "gold_stage": [1]}
    nothing = {**HUMAN[0], "session": "own/5", "turns": [], "gold_stage": [], "recurrence_group": []}
    shapeless = {**HUMAN[0], "session": "own/6", "turns": [3]}
    more = packed(unlabelled, nothing, shapeless, HUMAN[0])
    write(tmp_path, "codetrace.own.jsonl.gz", [*whole[:2], *broken, *more])
    write(tmp_path, "codetrace.rest.jsonl.gz", whole[2:])
    write(tmp_path, "plan-silver.own.jsonl.gz", packed(*SILVER))
    return tmp_path


def run(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], *words: object, code: int = 0
) -> tuple[str, str]:
    """What the script prints and says."""
    fast = ("--resamples", "20", "--runs", "1", "--warm", "0")
    assert bench["segments"].main([*map(str, words), *fast]) == code
    done = capsys.readouterr()
    return done.out, done.err


def answer(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], *words: object
) -> dict[str, Any]:
    """The script's JSON."""
    found: dict[str, Any] = json.loads(run(bench, capsys, "--json", *words)[0])
    return found


def by_name(found: dict[str, Any], dataset: str, framework: str = "all") -> dict[str, dict[str, Any]]:
    """Rows of one set and framework."""
    return {r["method"]: r for r in found["rows"] if (r["set"], r["framework"]) == (dataset, framework)}


def test_every_segmenter_and_control_has_a_row(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    found = answer(bench, capsys, "--data", data)
    human = by_name(found, "codetrace")
    able = {
        n for n in registry.names("segmenters") if not getattr(registry.load("segmenters", n), "missing", "")
    }
    assert able <= set(human)
    controls = {
        "one group", "every step its own group", "best window, B3", "best window, boundary",
        "window, framework held out", "random cuts, true rate", "change of tool", "change of command",
        "change of class", "recurrence, NPMI of classes", "recurrence, as published",
    }  # fmt: skip
    assert controls <= set(human)
    assert {"phase", "one group", "window, framework held out"} <= set(by_name(found, "codetrace", "Beta"))
    silver = by_name(found, "plan-silver")
    # one framework, and no published groups
    assert controls - set(silver) == {"window, framework held out", "recurrence, as published"}
    assert not by_name(found, "plan-silver", "own-agent")
    assert {(r["sessions"], r["operations"]) for r in human.values()} == {(3, 26)}
    assert {r["truth"] for r in human.values()} == {"human"}


def test_figures_by_hand(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    human = by_name(answer(bench, capsys, "--data", data), "codetrace")
    steps, whole = human["every step its own group"], human["one group"]
    # 3 + 2 + 2 stages in 26 operations of 3 sessions, so 4 cuts among 23 pairs of neighbours
    assert steps["b3"]["recall"] == pytest.approx(7 / 26)
    assert steps["b3_macro"]["recall"] == pytest.approx((3 / 12 + 2 / 8 + 2 / 6) / 3)
    assert steps["boundary"]["precision"] == pytest.approx(4 / 23)
    assert steps["cuts"] == {"predicted": 23, "true": 4}
    assert whole["b3"]["precision"] == pytest.approx((12 / 3 + 8 / 2 + 6 / 2) / 26)
    assert (whole["boundary"]["precision"], whole["boundary"]["f1"]) == (None, 0)
    for exact in ("recurrence, as published", "change of command", "change of class"):
        assert human[exact]["b3"]["f1"] == pytest.approx(1)
        assert human[exact]["boundary_macro"] == {"exact": 1, "near": 1}
    # windows of 4 are right in the two longer sessions; in the third they cut one place late
    window = human["best window, B3"]
    assert window["note"] == "size 4"
    assert window["boundary"]["f1"] == pytest.approx(2 * 3 / (4 + 4))
    assert window["boundary_near"]["f1"] == pytest.approx(1)
    assert window["lift_b3"]["value"] == 0
    assert human["change of class"]["lift_boundary"]["value"] == pytest.approx(1 / 4)
    # chosen on the other framework: 3 for Alpha, 4 for Beta
    assert human["window, framework held out"]["note"] == "sizes for Alpha 3, Beta 4"


def test_the_phase_segmenter_is_scored_as_its_segments_say(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    found = answer(bench, capsys, "--data", data, "--method", "phase", "window 4")
    assert {row["method"] for row in found["rows"]} == {"phase", "window 4"}
    for dataset in ("codetrace", "plan-silver"):
        phase = by_name(found, dataset)["phase"]
        assert phase["kind"] == "segmenter"
        assert phase["b3"]["f1"] == pytest.approx(1)
        assert phase["b3"]["interval"] == pytest.approx([1, 1])
        assert phase["operations_per_second"] > 0
    assert not found["published"]


def test_what_is_broken_is_counted(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    path = write(data, "plan-silver.zz.jsonl.gz", packed(*SILVER))
    path.write_bytes(path.read_bytes()[:60])
    write(data, "plan-silver.zzz.jsonl.gz", []).write_bytes(b"{}")
    out, _ = run(bench, capsys, "--data", data, "--method", "plan")
    notes = {line.removeprefix("note: ") for line in out.splitlines() if line.startswith("note: ")}
    assert {
        "codetrace: plan makes no cut: nothing here is what it cuts by",
        "codetrace.own.jsonl.gz: 3 x broken line",
        "codetrace.own.jsonl.gz: 1 x line that is no object",
        "codetrace.own.jsonl.gz: 2 x row without usable steps and labels",
        "codetrace.own.jsonl.gz: 1 x session without operations",
        "codetrace.own.jsonl.gz: 1 x session that came before",
        "plan-silver.zz.jsonl.gz: 1 x file that ends early or is not gzip",
        "plan-silver.zzz.jsonl.gz: 1 x file that ends early or is not gzip",
    } <= notes


def test_the_same_seed_gives_the_same_figures(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    def figures(seed: int) -> list[Any]:
        found = answer(bench, capsys, "--data", data, "--seed", seed)
        return [{k: v for k, v in row.items() if k != "operations_per_second"} for row in found["rows"]]

    assert figures(1) == figures(1) != figures(2)


def test_one_set_is_enough_and_none_is_not(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, err = run(bench, capsys, "--data", tmp_path, code=3)
    assert "missing: segmentation/codetrace.*.jsonl.gz" in err
    write(tmp_path, "plan-silver.jsonl.gz", packed(*SILVER))
    out, _ = run(bench, capsys, "--data", tmp_path)
    assert "note: missing: segmentation/codetrace.*.jsonl.gz" in out
    assert out.startswith("set ")


def test_an_unknown_method_is_refused_with_what_there_is(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    _, err = run(bench, capsys, "--data", data, "--method", "magic", code=2)
    assert "no method 'magic'; known: " in err
    assert "best window, B3; " in err


ACTIONS = [
    ("ls -la", {"tool": "bash", "command": "ls -la"}),
    ("[run] \npwd && ls", {"tool": "execute_bash", "command": "pwd && ls"}),
    ('[read] {"path": "/app/pump.py", "end": -1}', {"tool": "read", "path": "/app/pump.py"}),
    ("[task_tracker] view", {"tool": "task_tracker", "command": "view"}),
    (
        "str_replace_editor view /app/pump.py",
        {"tool": "str_replace_editor", "command": "view", "path": "/app/pump.py"},
    ),
    ("submit", {"tool": "submit"}),
]


@pytest.mark.parametrize(("action", "fields"), ACTIONS)
def test_actions_are_read_as_their_framework_writes_them(
    bench: dict[str, ModuleType], action: str, fields: dict[str, str]
) -> None:
    assert bench["segments_data"].action_fields(action) == fields


def test_a_turn_of_several_operations(bench: dict[str, ModuleType]) -> None:
    row = labelled("own/7", "Alpha", [], [1, 1, 2, 2, 2])
    row["turns"] = [
        turn(0, ["1", "2"], "ls\n---\npytest -q", result="<returncode>1</returncode>"),
        turn(1, ["3", "4", "5"], "ls\n---\npytest -q", "THOUGHT: now test"),
    ]
    session = bench["segments_data"].from_turns(row)
    assert [o.fields["command"] for o in session.operations[:3]] == ["ls", "pytest -q", "ls\n---\npytest -q"]
    assert [o.fields["call"] for o in session.operations] == ["0", "0", "1", "1", "1"]
    assert [o.status for o in session.operations] == ["nonzero"] * 2 + ["unknown"] * 3
    assert session.truth == [0, 0, 1, 1, 1]


def test_mutual_information_by_hand(bench: dict[str, ModuleType]) -> None:
    table = bench["segments_controls"].npmi(["aab", "ab"])
    # pairs aa, ab, ab: a is left of all three, b right of two
    assert table["a", "a"] == pytest.approx(0)
    assert table["a", "b"] == pytest.approx(0)
    assert bench["segments_controls"].npmi(["ab"]) == {("a", "b"): 1.0}
    always = bench["segments_controls"].npmi(["abab"])
    # ab twice, ba once: each follows always
    assert [always["a", "b"], always["b", "a"]] == pytest.approx([1, 1])


@pytest.mark.slow
def test_figures_stand_beside_published_ones(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    data = need("data")
    need("data", "segmentation", "codetrace.dev.jsonl.gz")
    found = answer(bench, capsys, "--data", data)
    windows = [row for row in found["published"] if row["method"] in ("window 7", "window 8", "window 9")]
    assert len(windows) >= 7
    assert all(abs(row["ours"] - row["published"]) < 0.04 for row in windows)
    human = by_name(found, "codetrace")
    assert 0.64 < human["recurrence, as published"]["b3"]["f1"] < 0.72
    assert human["best window, B3"]["b3"]["f1"] > human["every step its own group"]["b3"]["f1"]

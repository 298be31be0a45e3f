"""Are plan events read as what they are, and told again as they were?"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tracelode
from tracelode.model.plan_schema import schema

SAMPLE = Path(__file__).parent / "samples" / "plan-events.jsonl"


def exported(workspace: tracelode.Workspace) -> list[dict[str, object]]:
    stream = io.BytesIO()
    workspace.plan_export(stream)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def same(row: dict[str, object]) -> dict[str, object]:
    whole = {"evidence": "declared", **row}
    return {key: value for key, value in whole.items() if key not in ("source", "colour", "payload")}


def test_plan_events_come_out_as_they_went_in(tmp_path: Path) -> None:
    workspace = tracelode.open(tmp_path / "store")
    workspace.add(SAMPLE)
    rows = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
    wanted = [row for row in rows if row["event_type"] != "log"]
    found = {(r["session_id"], r["event_id"]): r for r in exported(workspace)}
    assert len(found) == len(wanted)
    for row in wanted:
        back = found[row["session_id"], row["event_id"]]
        assert same(back) == same(row)
        assert row["payload"].items() <= back["payload"].items()  # type: ignore[attr-defined]
    assert found["plan-sample-2", "a" * 32]["payload"]["foreign"] == {"colour": "blue"}  # type: ignore[index]


def test_plan_events_that_are_exported_keep_the_schema(tmp_path: Path) -> None:
    workspace = tracelode.open(tmp_path / "store")
    workspace.add(SAMPLE)
    workspace.add(Path(tracelode.__file__).parent / "samples" / "projects")
    rows = exported(workspace)
    assert len(rows) > 20
    validator = Draft202012Validator(schema())
    for row in rows:
        assert not [error.message for error in validator.iter_errors(row)], row["event_id"]


def test_plan_events_again_change_nothing(tmp_path: Path) -> None:
    workspace = tracelode.open(tmp_path / "store")
    workspace.add(SAMPLE)
    before = exported(workspace)
    (tmp_path / "copy.jsonl").write_bytes(SAMPLE.read_bytes())
    workspace.add(tmp_path / "copy.jsonl")
    assert [same(r) for r in exported(workspace)] == [same(r) for r in before]


@pytest.mark.parametrize("mode", ["summary", "metadata", "full"])
def test_plan_events_pass_the_redactor(tmp_path: Path, mode: str) -> None:
    secret = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyzAB"
    row = json.loads(SAMPLE.read_text().splitlines()[1])
    places = ("description", "reason", "native", "result_summary")
    row["payload"] |= dict.fromkeys(places, f"text {secret}")
    row["payload"] |= {"diff": {"before": secret, "after": [secret]}, secret: 1, "op": "create"}
    row["node_id"] = row["task_id"] = row["writer"] = secret
    row["colour"] = secret
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps(row) + "\n")
    workspace = tracelode.open(tmp_path / "store", redact=mode)
    workspace.add(path)
    (event,) = exported(workspace)
    assert secret not in json.dumps(event)
    assert event["payload"]["op"] == "create"  # type: ignore[index]
    assert ("description" in event["payload"]) is (mode != "metadata")  # type: ignore[operator]
    stored = b"".join(f.read_bytes() for f in (tmp_path / "store").rglob("*") if f.is_file())
    assert secret.encode() not in stored


def test_plan_events_of_other_types_are_counted_and_located(tmp_path: Path) -> None:
    report = tracelode.open(tmp_path / "store").add(SAMPLE)
    assert {(s.line, s.reason): s.count for s in report.skipped} == {
        (6, "line or object that is no plan event"): 1,
        (14, "plan event that is kept, with something off in it"): 1,
    }

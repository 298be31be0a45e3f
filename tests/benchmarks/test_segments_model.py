"""Does the benchmark of models score what a real server answers: the truth, one group, nothing at all?"""

from __future__ import annotations

import gzip
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from providers.server import Reply, Seen, marked, said, serving

NAMES = (
    "segments_model", "segments_data", "segments_controls", "segments_published", "segments_table",
    "labelled", "measure", "report",
)  # fmt: skip
STAGES = {"own/1": [1] * 4 + [2] * 4 + [3] * 4, "own/2": [7] * 4 + [9] * 4, "own/3": [1] * 3 + [2] * 3}
ACTIONS = ("cat src/pump.py", "sed -i s/1/2/ src/pump.py", "pytest -q")


@pytest.fixture
def bench(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    yield importlib.import_module("segments_model")
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of the layout, with one set."""
    lines = []
    for session, stages in STAGES.items():
        turns = [
            {
                "turn": i, "turn_id": str(i + 1), "first_operation_id": str(i + 1),
                "operation_ids": [str(i + 1)], "planned_action": ACTIONS[stage % 3], "intent": "none",
                "visible_result": "none", "progress": "none",
            }
            for i, stage in enumerate(stages)
        ]  # fmt: skip
        row = {
            "session": session, "framework": "Alpha" if session != "own/3" else "Beta", "task": "Mend it.",
            "task_name": "mend", "turn_count": len(turns), "operation_count": len(turns), "turns": turns,
            "gold_stage": stages, "recurrence_group": stages, "splits": ["x"],
        }  # fmt: skip
        lines.append(json.dumps(row).encode() + b"\n")
    path = tmp_path / "data" / "segmentation" / "codetrace.own.jsonl.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(b"".join(lines)))
    return tmp_path / "data"


def gold(bench: ModuleType, data: Path) -> Callable[[Seen], Reply]:
    """Answers with the true stages."""
    sessions = {s.key: s for d in bench.load(data)[0] for s in d.sessions}

    def answer(seen: Seen) -> Reply:
        found = re.search("^session «(.+)»$", seen.texts[0], re.MULTILINE)
        assert found is not None
        session = sessions[found[1]]
        marks, last = [(session.whole[0].id, ["explore code"])], session.truth[0]
        for place, label in zip(session.places, session.truth, strict=True):
            if label != last:
                marks.append((session.whole[place].id, [("fix bug", "run tests")[len(marks) % 2]]))
                last = label
        return marked("openai", marks)

    return answer


def answered(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path, url: str, *more: str, code: int = 0
) -> dict[str, Any]:
    words = ["--data", str(data), "--backend", "openai", "--model", "own", "--base-url", url, "--json"]
    assert bench.main([*words, "--resamples", "20", *more]) == code
    out = capsys.readouterr().out
    found: dict[str, Any] = json.loads(out) if out else {}
    return found


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["method"]: row for row in found["rows"] if row["framework"] == "all"}


def test_the_truth_scores_one(bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path) -> None:
    with serving(gold(bench, data)) as server:
        found = answered(bench, capsys, data, server.url)
    rows = by_name(found)
    for name in ("openai/own", "openai/own, equal names apart"):
        assert rows[name]["b3"]["f1"] == pytest.approx(1)
        assert rows[name]["boundary"]["f1"] == pytest.approx(1)
        assert rows[name]["cuts"] == {"predicted": 4, "true": 4}
    assert {row["framework"] for row in found["rows"]} == {"all", "Alpha", "Beta"}
    assert "codetrace: 3 valid; 3,000 input and 150 output tokens" in found["notes"]
    assert not any(
        "gold" in json.dumps(seen.body) or '"stage' in json.dumps(seen.body) for seen in server.seen
    )


def test_one_group_scores_as_one_group(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    with serving(lambda seen: marked("openai", [(seen.ids[0], ["mend pump"])])) as server:
        rows = by_name(answered(bench, capsys, data, server.url))
    assert rows["openai/own"]["b3"] == rows["one group"]["b3"]
    assert rows["openai/own"]["b3"]["precision"] == pytest.approx((12 / 3 + 8 / 2 + 6 / 2) / 26)
    assert rows["openai/own"]["boundary"]["f1"] == 0


def test_no_answer_counts_as_one_group_and_is_told(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    with serving(lambda _: said("openai", "no")) as server:
        found = answered(bench, capsys, data, server.url)
    assert by_name(found)["openai/own"]["b3"] == by_name(found)["one group"]["b3"]
    assert "codetrace: 3 none, 3 x invalid; 9,000 input and 450 output tokens" in found["notes"]


def test_kept_answers_are_scored_without_asking(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    kept = ("--answers", str(tmp_path))
    with serving(gold(bench, data)) as server:
        first = answered(bench, capsys, data, server.url, *kept)
        asked = len(server.seen)
        second = answered(bench, capsys, data, server.url, *kept)
        assert (asked, len(server.seen)) == (3, 3)
        assert answered(bench, capsys, data, server.url, "--dry-run") == {}
        assert len(server.seen) == 3
    assert first["rows"] == second["rows"]
    assert "codetrace: 3 cached; 0 input and 0 output tokens" in second["notes"]


def test_nothing_is_sent_without_a_backend_or_above_a_budget(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    assert bench.main(["--data", str(data)]) == 2
    assert "nothing was sent" in capsys.readouterr().err
    with serving([Reply(status=401)]) as server:
        answered(bench, capsys, data, server.url, "--budget-tokens", "10", code=2)
        assert not server.seen
        answered(bench, capsys, data, server.url, "--jobs", "1", code=2)
        assert len(server.seen) == 1
    answered(bench, capsys, tmp_path, "http://127.0.0.1:9", code=3)

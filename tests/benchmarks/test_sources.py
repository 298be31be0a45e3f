"""Does the benchmark of sources read every source, and is its longer file really a longer one?"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tracelode.ingest.discover import sources
from tracelode.model.operation import Operation
from tracelode.model.ports import About, Line

SESSION = "0b6f8f4e-58a2-4d1c-9a7e-3d2c1b0a9f8e"
SAMPLES = Path("tests", "sources", "samples")


@pytest.fixture
def script(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    # by its path: a folder of tests has the same name
    spec = importlib.util.spec_from_file_location("bench_sources", project / "benchmarks" / "sources.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, found)
    spec.loader.exec_module(found)
    yield found
    for name in ("telemetry", "measure", "report", "workload"):
        sys.modules.pop(name, None)


def run(project: Path, *words: object, code: int = 0) -> str:
    command = [sys.executable, str(project / "benchmarks" / "sources.py"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_every_source_has_a_row(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes((project / SAMPLES / "claude-code.jsonl").read_bytes())
    long = {"type": "item.completed", "item": {"type": "agent_message", "text": "x" * 60_000}}
    lines = (project / SAMPLES / "codex-exec.jsonl").read_bytes() + json.dumps(long).encode() + b"\n"
    (folder / "b.jsonl").write_bytes(lines)
    words = ("--json", "--runs", 2, "--seconds", 0, "--telemetry", 0.1, "--data", folder)
    report: dict[str, Any] = json.loads(run(project, *words))
    rows = {row["name"]: row for row in report["sources"]}
    made = {f"otel, made {kind}, {how}" for kind in ("traces", "logs") for how in ("JSON", "protobuf")}
    own = {f"{name}, own sample" for name in sources() if name not in ("claude-code", "codex-exec")}
    assert rows.keys() == {"claude-code", "codex-exec", *own, *made}
    assert all(len(row["speeds"]) == 2 and row["speed"] > 0 and row["items"] > 1 for row in rows.values())
    # what cannot be made longer: protobuf, and lines that are no JSON
    short = {name for name, row in rows.items() if row["longer"] is None}
    assert short == {*(n for n in made if "proto" in n), "strace, own sample"}
    # two encodings of the same telemetry say the same
    assert rows["otel, made logs, JSON"]["items"] == rows["otel, made logs, protobuf"]["items"]
    assert rows["otel, made traces, JSON"]["growth"] > 2
    bars = {figure["name"]: figure["bar"] for figure in report["figures"]}
    # small samples hold too little content, and whole documents do grow
    assert (bars["claude-code: speed"], bars["claude-code: growth"]) == (None, None)
    assert (bars["codex-exec: speed"], bars["codex-exec: growth"]) == (60, 1.25)
    assert (bars["otel, made logs, JSON: speed"], bars["otel, made logs, JSON: growth"]) == (60, None)
    assert rows["codex-exec"]["growth"] < 1.25
    (note,) = [n for n in report["notes"] if n.startswith("whole documents")]
    assert note.endswith(", ".join(sorted(n for n in sources() if sources()[n].layout.endswith("document"))))


def test_the_table(project: Path, tmp_path: Path) -> None:
    out = run(project, "--runs", 1, "--seconds", 0, "--telemetry", 0, "--data", tmp_path / "none")
    lines = [line.split() for line in out.splitlines()]
    assert lines[1][:2] == ["source", "layout"]
    assert ["tracelode,", "own", "sample", "sessions"] in [line[:4] for line in lines]


def test_a_rate_below_its_bar_is_missed(script: ModuleType) -> None:
    assert [script.Least("a", value, "MB/s", 60.0).met for value in (59.0, 60.0, None)] == [False, True, None]


def test_a_longer_file_of_lines_is_the_same_session_with_more_in_it(
    script: ModuleType, project: Path, tmp_path: Path
) -> None:
    record = {"type": "user", "sessionId": SESSION, "uuid": "4f6d2c9a-1111-4222-8333-123456789abc"}
    record |= {"timestamp": "2026-09-21T14:13:20.000Z", "message": {"role": "user", "content": "Fix it"}}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record))
    source = sources()["claude-code"]
    data = script.longer(source, path, 3)
    lines = [json.loads(line) for line in data.splitlines()]
    assert len({line.pop("uuid") for line in lines}) == 3
    assert lines == [{k: v for k, v in record.items() if k != "uuid"}] * 3
    records = [Line(n, 0, line) for n, line in enumerate(data.splitlines(), 1)]
    items = list(source.read(records, source.fresh(), "x"))
    assert {i.session for i in items if isinstance(i, About)} == {SESSION}
    assert len({i.id for i in items if isinstance(i, Operation)}) == 3


def test_a_longer_document_repeats_its_largest_list(script: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    steps = [{"id": "call_1234567890", "text": "abc" * 9}, {"of": "call_1234567890"}]
    path.write_text(json.dumps({"few": [1, 2, 3], "run": {"steps": steps}}))
    found = json.loads(script.longer(sources()["atif"], path, 2))
    assert found["few"] == [1, 2, 3]
    first, second, third, fourth = found["run"]["steps"]
    assert [first, second] == steps
    assert third["id"] == fourth["of"] != first["id"]
    path.write_text("no JSON")
    assert script.longer(sources()["atif"], path) is None

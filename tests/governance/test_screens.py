"""Do the commands that keep a store in order say what they did, on narrow terminals too?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from plan.article import rows as article
from plan.traces import row, written


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    return fake.commands(capsys)


@pytest.fixture
def kept(store: Path) -> str:
    (store / "policy.yaml").write_text("retention: {redacted: 10 d}\nhold: [de000001]\naccess: {log: true}\n")
    return str(store)


@pytest.mark.parametrize("width", [40, 80])
def test_lines_fit(
    run: fake.Run, kept: str, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    trace = str(written(tmp_path, article()))
    out = str(tmp_path / "o.jsonl")
    commands = [
        ("gc", "--dry-run", "--store", kept),
        ("gc", "--forget", "de000005", "--dry-run", "--store", kept),
        ("gc", "--store", kept),
        ("access", "--store", kept),
        ("access", "log", "--store", kept),
        ("redact", trace, "-o", out, "--profile", "metadata"),
        ("redact", trace, "--check", "--profile", "metadata"),
    ]
    for words in commands:
        code, said, err = run(*words)
        assert code == (4 if "--check" in words else 0), err
        assert said
        assert max(map(len, said.replace(str(tmp_path), "").splitlines())) <= width, words


def test_gc_as_json_and_a_second_time(run: fake.Run, kept: str) -> None:
    code, said, _ = run("gc", "--store", kept, "--json")
    answer = json.loads(said)
    assert (code, answer["dry"], len(answer["held"])) == (0, False, 1)
    assert {e["what"] for e in answer["expired"]} == {"redacted"}
    assert len(answer["expired"]) == 12
    assert json.loads(run("gc", "--store", kept, "--json")[1])["expired"] == []
    # nothing that is counted went with the texts
    totals = json.loads(run("--store", kept, "--json")[1])["totals"]
    assert totals["sessions"] == 13


def test_redact_says_where_to(run: fake.Run, tmp_path: Path) -> None:
    trace = str(written(tmp_path, article()))
    assert run("redact")[0] == 2
    assert run("redact", trace)[0] == 2
    assert run("redact", trace, "-o", "x", "--in-place")[0] == 2
    assert run("redact", trace, "--check", "-o", "x")[0] == 2
    assert run("redact", str(tmp_path / "none.jsonl"), "--check")[0] == 1


def test_files_are_nobodys_store(run: fake.Run, kept: str, tmp_path: Path) -> None:
    Path(kept, "policy.yaml").write_text("access: {default: reader, log: true}\n")
    trace = str(written(tmp_path, article()))
    assert run("plan", "alerts", trace, "--store", kept)[0] == 0
    assert run("plan", "alerts", "--store", kept)[0] == 1


def test_figures_say_that_they_were_corrected(run: fake.Run, tmp_path: Path) -> None:
    told = {"sampling": {"rate": 0.5, "weight": 2.0}}
    rows = [
        {**row(n, "complete", "goal", "succeeded", payload=told), "session_id": s, "event_id": f"{s}{n}"}
        for n in range(1)
        for s in "ab"
    ]
    code, said, _ = run("plan", "metrics", str(written(tmp_path, rows)))
    assert code == 0
    assert "corrected for sessions that sampling left out" in said

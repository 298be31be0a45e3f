"""Does the fuzzer run, make the same files from the same seed, and find what it is there to find?"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tracelode import registry
from tracelode.ingest.draft import Builder
from tracelode.model.operation import Operation
from tracelode.redact.fast import Redactor

SAMPLES = Path(__file__).parent / "samples"
SINGLE, FOLDER = 5, 2
"""Files of each source here: enough to see that it runs; tools/fuzz.py is for long runs."""
FOLDERS = ["claude-code", "codex", "otel", "strace", "tracelode"]
"""Sources of which folders are imported as well, which takes longer."""


@pytest.fixture(scope="module")
def tool(project: Path) -> Iterator[SimpleNamespace]:
    """The parts of the fuzzer."""
    sys.path.insert(0, str(project / "tools"))
    import fuzzing.corpus
    import fuzzing.findings
    import fuzzing.made
    import fuzzing.rounds

    yield SimpleNamespace(
        corpus=fuzzing.corpus, findings=fuzzing.findings, made=fuzzing.made, rounds=fuzzing.rounds
    )
    sys.path.remove(str(project / "tools"))


def ran(tool: Any, folder: Path, names: list[str], seed: int, most: int = 1) -> Any:
    """What some rounds find."""
    findings = tool.findings.Findings()
    tool.rounds.Rounds(folder, tool.corpus.Corpus(SAMPLES), findings, seed).all(names, None, most)
    return findings


@pytest.mark.slow
def test_fixed_seeds_find_nothing(
    tmp_path: Path, tool: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for single, folder, names in ((SINGLE, 0, registry.names("sources")), (0, FOLDER, FOLDERS)):
        monkeypatch.setattr(tool.rounds, "SINGLE", single)
        monkeypatch.setattr(tool.rounds, "FOLDER", folder)
        findings = ran(tool, tmp_path / f"{folder}", list(names), seed=1)
        found.update({(f.kind, f.source): f.inputs for f in findings.found.values()})
        assert findings.ran.keys() == set(names)
        assert min(findings.ran.values()) >= single
    assert found == {}


def test_the_same_seed_makes_the_same_files(tool: SimpleNamespace) -> None:
    data = (SAMPLES / "codex.jsonl").read_bytes()
    others = [(SAMPLES / "atif.json").read_bytes()]
    made = [
        [tool.made.make(random.Random(f"1/{n}"), data, others, n, True) for n in range(60)] for _ in range(2)
    ]
    assert made[0] == made[1]
    assert len({one.data for one in made[0]}) > 50


def crash(self: Builder, item: Any) -> None:
    raise KeyError("made for the test")


def negative(self: Builder, item: Any) -> None:
    if isinstance(item, Operation):
        item.measures["bytes.output"] = -1
    ORIGINAL(self, item)


def quoting(self: Builder, item: Any) -> None:
    ORIGINAL(self, item)
    if isinstance(item, Operation):
        self.skip(1, f"cannot read {item.output or item.arguments or 'line'}\n")


ORIGINAL = Builder.take


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (crash, "KeyError escaped"),
        (negative, "a measure is no sound integer"),
        (quoting, "a message that quotes a file"),
    ],
)
def test_planted_faults_are_found(
    tmp_path: Path, tool: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, fault: Any, kind: str
) -> None:
    monkeypatch.setattr(tool.rounds, "SINGLE", 8)
    monkeypatch.setattr(tool.rounds, "FOLDER", 0)
    monkeypatch.setattr(Builder, "take", fault)
    if fault is negative:
        monkeypatch.setattr(Builder, "_countable", lambda self, item: item)
    found = ran(tool, tmp_path, ["codex-exec"], seed=1).found
    assert any(name.startswith(kind) for name, _ in found)


def test_a_leak_is_found(tmp_path: Path, tool: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("name", "path", "text"):
        monkeypatch.setattr(Redactor, name, lambda self, s: s)
    monkeypatch.setattr(Redactor, "start", lambda self, s, count: s[:count])
    monkeypatch.setattr(Redactor, "preview", lambda self, s, head, tail=0: s[:head])
    monkeypatch.setattr(tool.rounds, "SINGLE", 80)
    monkeypatch.setattr(tool.rounds, "FOLDER", 0)
    found = ran(tool, tmp_path, ["chat"], seed=1).found
    assert any(name == "a secret got through" for name, _ in found)

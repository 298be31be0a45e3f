"""Does every command count the sessions of one store alike: root sessions, their sub-agents apart?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tracelode
from cli import fake

SAMPLES = Path(__file__).parents[2] / "src/tracelode/samples/projects"
EVERYTHING = ("--limit", "1000")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counts") / "store"
    tracelode.open(folder, tz="UTC").add(SAMPLES)
    return folder


@pytest.fixture(scope="module")
def known(store: Path) -> tuple[int, int]:
    """Root sessions, and sub-agents."""
    held = tracelode.open(store, tz="UTC").sessions()
    below = sum(session.key != session.root for session in held)
    assert below > 0
    return len(held) - below, below


def ask(run: fake.Run, *words: str, store: Path) -> dict[str, object]:
    answer: dict[str, object] = json.loads(run(*words, "--json", "--store", str(store))[1])
    return answer


def test_json_counts_root_sessions(
    run: fake.Run, store: Path, known: tuple[int, int], tmp_path: Path
) -> None:
    roots, below = known
    again = tmp_path / "again"
    assert ask(run, "import", str(SAMPLES), store=again)["sessions"] == roots
    totals = ask(run, "--no-import", store=store)["totals"]
    assert (totals["sessions"], totals["subagents"]) == (roots, below)  # type: ignore[index]
    assert len(ask(run, "sessions", store=store)["sessions"]) == roots  # type: ignore[arg-type]
    for command in ("rank", "loops"):
        found = ask(run, command, store=store)
        assert (found["sessions"], found["subagents"]) == (roots, below)
    ranking = ask(run, "guide", store=store)["ranking"]
    assert (ranking["sessions"], ranking["subagents"]) == (roots, below)  # type: ignore[index]
    cut = ask(run, "segment", store=store)
    assert cut["history"][-1]["families"] == roots  # type: ignore[index]
    assert {"annotations", "llm", "phase"} <= set(cut["known"])  # type: ignore[call-overload]
    assert ask(run, "segment", "--with", "phase", store=again)["sessions"] == roots
    moved = ("diff", "--by", "role", "--sensitivity", "--measure", "operations")
    assert ask(run, *moved, store=store)["sessions"] == roots
    exported = ask(run, "annotate", "export", "--sample", "99", "-o", str(tmp_path / "out"), store=store)
    assert len(exported["sessions"]) == roots  # type: ignore[arg-type]


def test_texts_say_sub_agents_apart(run: fake.Run, store: Path, known: tuple[int, int]) -> None:
    roots, below = known
    said = re.compile(rf"\b{roots} sessions, {below} sub-agents\b")
    for words in (("--no-import",), ("rank",), ("loops",)):
        out = " ".join(run(*words, "--store", str(store))[1].split())
        assert said.search(out), out
    for words in (("rank",), ("loops",), ("guide",), ("segment",), ("--no-import",)):
        out = " ".join(run(*words, "--store", str(store))[1].split())
        assert not re.search(rf"\b{roots + below} sessions\b", out)

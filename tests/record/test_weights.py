"""Do figures of sampled sessions say what figures of all of them would?"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tracelode.plan.read import load, stories
from tracelode.record import Recorder
from tracelode.workspace.planning import measure_files


def _record(folder: Path, rate: float, sessions: int = 600) -> None:
    """Three in ten fail; those that do are corrected by a person more often."""
    rng = random.Random(7)
    recorder = Recorder(folder, sample=rate, durability="none")
    for number in range(sessions):
        bad = rng.random() < 0.3
        with recorder.session(f"s-{number:04}") as session:
            session.goal("do it")
            for _ in range(3):
                node = session.plan("step")
                session.start(node)
                session.stop(node)
            for _ in range(2 if bad else 1):
                session.review(node, decision="answer")
            session.complete("failed" if bad else "succeeded")


def test_weights_bring_the_shares_back(tmp_path: Path) -> None:
    _record(tmp_path / "all", 1.0)
    _record(tmp_path / "some", 0.25)
    whole, some = (measure_files([tmp_path / name]) for name in ("all", "some"))
    kept = dict(stories(load([tmp_path / "some"])))
    failed = [
        any(e.event_type == "complete" and e.status == "failed" for e in events) for events in kept.values()
    ]
    # every failed session is kept, of the others one in four
    assert sum(failed) == sum(
        e.status == "failed" for _, events in stories(load([tmp_path / "all"])) for e in events
        if e.event_type == "complete"
    )  # fmt: skip
    assert len(kept) < 350
    plain = sum(failed) / len(failed)
    weights = {one.session_id: one.weight for one in some.sessions}
    assert set(weights.values()) == {1.0, 4.0}
    corrected = sum(w for (key, w), bad in zip(sorted(weights.items()), failed, strict=True) if bad) / sum(
        weights.values()
    )
    assert plain > 0.55
    assert corrected == pytest.approx(0.3, abs=0.04)
    told = {p.name: p for p in some.pooled}
    true = {p.name: p for p in whole.pooled}
    for name in ("human_rate", "human_per_attempt"):
        assert told[name].weighted
        assert told[name].sessions == len(kept)
        assert told[name].pooled == pytest.approx(true[name].pooled, rel=0.05)
        assert told[name].mean == pytest.approx(true[name].mean, rel=0.05)
        assert not true[name].weighted
    naive = sum(
        m.numerator or 0 for one in some.sessions for m in one.metrics if m.name == "human_per_attempt"
    )
    assert naive / (3 * len(kept)) > 1.1 * (true["human_per_attempt"].pooled or 0)

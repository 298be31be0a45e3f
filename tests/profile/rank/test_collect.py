"""The order over many sessions: laws, controls, known faults, and what is kept of each."""

from __future__ import annotations

import random
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call
from tracelode.model.operation import Operation
from tracelode.model.ranking import Ranking
from tracelode.profile import guide
from tracelode.profile.rank.collect import HEAD, Collector
from tracelode.profile.rank.controls import judged
from tracelode.profile.rank.direct import Told


class Session(NamedTuple):
    session: str
    operations: list[Operation]
    groups: list[tuple[tuple[str, ...], tuple[str, ...]]]
    chosen: list[bool]


def session(key: str, *texts: str, failing: tuple[int, ...] = (), chosen: bool = True) -> Session:
    operations = [
        msgspec.structs.replace(
            call(text, "error" if i in failing else "ok", output="x" * i),
            session=key,
            index=i,
            id=f"{key}{i}",
        )
        for i, text in enumerate(texts)
    ]
    groups = [((o.fields["verb"], o.name), (o.name,)) for o in operations]
    return Session(key, operations, groups, [chosen] * len(texts))


ONE = session("one", "Read a.py", "$ make", "Edit b.py", failing=(1,))
TWO = session("two", "Read a.py", "$ pytest", "Edit b.py", "$ git push", failing=(3,))


def ranked(*sessions: Session, **more: object) -> Ranking:
    collector = Collector(**more)  # type: ignore[arg-type]
    for one in sessions:
        collector.add(one)
    return collector.ranking()


def test_failures_come_first_with_their_place_and_reasons() -> None:
    found = ranked(ONE, TWO)
    assert [r.finding.where[0] for r in found.ranked[:2]] == ["two#3", "one#1"]
    assert found.ranked[0].reasons[0] == "failed"
    assert found.ranked[0].controls == {"latest first": 1, "longest text": 1, "raw-action groups": 4}
    assert (found.operations, found.sessions, found.shapes) == (7, 2, {"work": 2})
    assert all(r.finding.kind == "ranked-operation" and r.path and r.tokens > 0 for r in found.ranked)
    assert found.tokens == sum(r.tokens for r in found.ranked)


sizes = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@given(sizes, st.integers(1, 30), st.randoms(use_true_random=False))
def test_the_order_of_sessions_does_not_matter(sizes: list[int], limit: int, chance: random.Random) -> None:
    made = [
        session(f"s{n}", *(chance.choice(["Read a.py", "$ make", "Edit b.py"]) for _ in range(size)),
                failing=tuple(i for i in range(size) if chance.random() < 0.3))
        for n, size in enumerate(sizes)
    ]  # fmt: skip
    first = ranked(*made, limit=limit)
    chance.shuffle(made)
    assert ranked(*made, limit=limit) == first
    everything = ranked(*made, limit=1_000)
    assert everything.ranked[:limit] == first.ranked
    places = [(r.session, r.index) for r in everything.ranked]
    assert len(set(places)) == len(places) == sum(sizes)


def test_what_is_kept_does_not_grow_with_what_is_added() -> None:
    collector = Collector(limit=5)
    for n in range(300):
        collector.add(session(f"s{n:03}", *["$ make"] * 20))
    held = len(collector._best._held) + sum(len(b._held) for b in collector._controls.values())
    assert held < 5 * (2 * HEAD + 64 + 20)
    assert not any(row[5][0].output or row[5][0].arguments for row in collector._best._held)
    assert collector.ranking().operations == 6_000


def test_direct_scores_order_first_and_are_counted() -> None:
    told = Told(column="judge", by_index={"one": {0: 0.2, 2: 0.9}, "gone": {7: 1.0}}, by_id={"two0": 0.2})
    found = ranked(ONE, TWO, direct=told)
    assert [r.finding.where[0] for r in found.ranked[:4]] == ["one#2", "one#0", "two#0", "two#3"]
    assert found.direct is not None
    assert (found.direct.used, found.direct.without, found.direct.unmatched) == (3, 4, 1)
    assert not found.direct.constant


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.0, 0.0)])
def test_a_constant_diagnostic_orders_nothing_and_is_said(values: tuple[float, float]) -> None:
    told = Told(column="judge", by_index={"one": {0: values[0], 1: values[1]}})
    found = ranked(ONE, direct=told)
    assert found.direct is not None
    assert found.direct.constant
    assert [r.index for r in found.ranked[:2]] == [1, 0]


def test_one_score_alone_is_not_constant() -> None:
    found = ranked(ONE, direct=Told(column="judge", by_index={"one": {0: 1.0}}))
    assert found.direct is not None
    assert not found.direct.constant


def test_groups_need_both_outcomes() -> None:
    edit = ("edit", "Edit")
    both = {(): (3, 4), edit: (3, 0)}
    found = ranked(ONE, named=both, raw={(): (3, 4), ("Edit",): (3, 0)})
    by_index = {r.index: r for r in found.ranked}
    assert by_index[2].spectrum is not None
    assert by_index[2].spectrum.ochiai == 1.0
    assert by_index[0].spectrum is not None
    assert by_index[0].spectrum.failed == 0
    assert by_index[2].controls["raw-action groups"] == 1
    for alone in ({(): (3, 0), edit: (3, 0)}, {(): (0, 4)}, {}):
        assert all(r.spectrum is None for r in ranked(ONE, named=alone).ranked)
        assert ranked(ONE, named=alone, raw=alone).alike["raw-action groups"] is None


def test_only_chosen_operations_are_ranked_though_all_are_looked_at() -> None:
    part = ONE._replace(chosen=[False, True, False])
    found = ranked(part)
    assert [r.index for r in found.ranked] == [1]
    assert found.ranked[0].score == next(r.score for r in ranked(ONE).ranked if r.index == 1)
    assert ranked(session("none", "Read a.py", chosen=False)).ranked == ()


def test_known_faults_score_the_order_and_its_controls() -> None:
    faults = Told(column="", by_index={"one": {1: 1.0}, "two": {3: 1.0, 99: 1.0}})
    found = ranked(ONE, TWO, faults=faults)
    assert found.fault_sessions == 2
    assert found.faults["rank"].map == 1.0
    assert found.faults["latest first"].map == pytest.approx((1 / 2 + 1) / 2)
    assert found.faults["random"].hit_1 == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert [(s.reason, s.count) for s in found.fault_rows] == [
        ("fault of an operation that was not ranked", 1)
    ]
    both = ranked(ONE, faults=faults, direct=Told(column="j", by_index={"one": {0: 5.0}}))
    assert both.faults["rank"].map == 0.5
    assert both.faults["without direct"].map == 1.0


def test_nothing_known_nothing_judged() -> None:
    assert judged([([1.0], set())]) is None
    assert ranked(ONE).faults == {}


def test_a_guide_opens_what_the_ranking_holds_and_says_what_is_kept() -> None:
    collector = Collector(faults=Told(column="", by_index={"one": {1: 1.0}}))
    for one in (ONE, TWO):
        collector.add(one)
    ranking = collector.ranking()
    made = guide.guide(ranking, 1, 10_000, collector.known)
    assert len(made.packets) == 1
    assert made.tokens == sum(r.tokens for r in made.packets[0].opened) <= made.budget
    assert made.full is not None
    assert made.kept is not None
    assert made.kept.map <= made.full.map
    everything = guide.guide(ranking, 99, 10_000, collector.known)
    assert everything.kept == made.full
    assert guide.guide(ranked(), 1, 100).packets == ()

"""Is every shared record owned exactly once, by the session the rule names, whatever the order?"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tracelode.ingest.lineage import Holding, Record, owners


def held(session: str, *records: tuple[str, int | None]) -> Holding:
    return Holding(session, tuple(Record(*r) for r in records))


def test_the_session_that_stopped_first_owns_the_prefix() -> None:
    parent = held("b", ("r1", 1), ("r2", 2))
    child = held("a", ("r1", 1), ("r2", 2), ("own", 3))
    assert owners([parent, child]) == {"a": {"r1", "r2"}}


def test_the_earliest_record_after_the_last_shared_one_decides() -> None:
    early = held("z", ("r", 1), ("own z", 5))
    late = held("a", ("r", 1), ("own a", 9))
    assert owners([early, late]) == {"a": {"r"}}


def test_ties_go_by_session_key() -> None:
    assert owners([held("b", ("r", 1)), held("a", ("r", 1))]) == {"b": {"r"}}


def test_a_sub_agent_owns_nothing_that_a_main_session_holds() -> None:
    child = Holding("child", (Record("r", 1), Record("own", 2)), agent=True)
    assert owners([held("main", ("r", 1), ("late", 9)), child]) == {"child": {"r"}}


def test_a_replay_is_the_same_record_down_any_chain() -> None:
    first = held("a", ("a1", 1), ("a2", 2))
    second = Holding("b", (Record("b1", 3, "a1"), Record("b2", 3, "a2"), Record("b3", 4, "a3")), agent=True)
    third = Holding(
        "c", (Record("c1", 5, "b1"), Record("c2", 5, "b2"), Record("c3", 5, "b3"), Record("c4", 6))
    )
    assert owners([first, third, second]) == {"b": {"b1", "b2", "b3"}, "c": {"c1", "c2"}}


def test_a_record_may_be_held_under_several_ids() -> None:
    first = Holding("a", (Record("a1", 1, "v1"), Record("own a", 9)))
    second = Holding("b", (Record("b1", 3, "v2 v1"), Record("own b", 4)), agent=True)
    third = Holding("c", (Record("c1", 5, "v3 v2"), Record("own c", 6)), agent=True)
    assert owners([third, first, second]) == {"b": {"b1"}, "c": {"c1"}}


def test_a_known_copy_owns_nothing_whoever_else_is_there() -> None:
    copy = Holding("a", (Record("r", 1, replayed=True), Record("own", 2)))
    assert owners([copy]) == {"a": {"r"}}
    assert owners([copy, held("b", ("r", 5), ("late", 9))]) == {"a": {"r"}}


def test_nothing_shared_nothing_inherited() -> None:
    assert owners([held("a", ("x", 1)), held("b", ("y", 1))]) == {}


sessions = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | st.integers(0, 9)), max_size=8), max_size=5
)


@given(sessions, st.randoms(use_true_random=False))
def test_each_record_has_one_owner_in_any_order(
    rows: list[list[tuple[str, int | None]]], rng: random.Random
) -> None:
    given_holdings = [Holding(f"s{i}", tuple(Record(*r) for r in records)) for i, records in enumerate(rows)]
    found = owners(given_holdings)
    shuffled = list(given_holdings)
    rng.shuffle(shuffled)
    assert owners(shuffled) == found
    for record in {r for records in rows for r, _ in records}:
        holding = [h.session for h in given_holdings if any(r.id == record for r in h.records)]
        assert sum(record not in found.get(session, set()) for session in holding) == 1

"""Is a look that uses up what it tells taken for a write, by what was seen and by its name?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile.chats import store, talk
from compile.fixtures import runs
from tracelode.compile.consuming import consumers, differ, waits
from tracelode.compile.paths import general, leaves
from tracelode.model.run import Tree
from tracelode.signals.effects import tool_class


def test_a_look_that_told_something_else_each_time_is_no_noise(tmp_path: Path) -> None:
    talks = []
    for n in range(6):
        queue, one, two = f"Q-{314 + 97 * n}ab", f"MSG-{31415 + 977 * n}", f"MSG-{27182 + 991 * n}"
        calls = [
            ("get_entry", {"queue": queue}, {"message": one}),
            ("get_entry", {"queue": queue}, {"message": two}),
            ("forward_message", {"message": two}, {"status": "ok"}),
        ]
        talks.append(talk(f"{n:02}", f"Take two messages of queue {queue} and forward the second.", calls))
    (found,) = store(tmp_path, talks).compile()
    assert found.workflow is not None
    takes = [step for step in found.workflow.steps if step.tool == "get_entry"]
    # whole or not, none of the two is left out, made in shadow or tried again
    assert len(takes) == 2 or found.workflow.partial
    assert all(step.effect.writes and step.approval and not step.retries for step in takes)


@pytest.mark.parametrize(
    ("tool", "outputs", "waited"),
    [
        ("get_entry", ["MSG-1", "MSG-2", "MSG-3"], False),
        ("get_entry", [{"n": 3, "text": "a b"}, {"n": 9, "text": "c d"}, {"n": 4, "text": "e f"}], False),
        ("get_job", [{"id": 1, "status": "open"}, {"id": 2, "status": "done"}], False),
        ("get_job", [{"status": "open"}, {"status": "done"}, {"status": "open"}], False),
        ("get_job", [{"id": 1, "status": "open"}, {"id": 1, "status": "done"}], True),
        ("check_status", ["compiling", "linking"], True),
        ("get_build", ["queued", "built"], True),
        ("get_size", [{"lines": 3}, {"lines": 9}, {"lines": 12}], True),
    ],
)
def test_a_wait_is_of_one_thing_that_goes_on(tool: str, outputs: list[Tree], waited: bool) -> None:
    assert waits(tool, outputs) == waited


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("a", "b", True),
        ({"number": 7}, {"number": 8}, True),
        ({"price": 7.25}, {"price": 7.5}, False),
        ({"rows": [1, 2]}, {"rows": [2, 1, 5]}, False),
        ({"rows": [1, 2]}, {"rows": [2]}, True),
        ({"updated_at": "x", "id": 1}, {"updated_at": "y", "id": 1}, False),
    ],
)
def test_what_differs(one: Tree, other: Tree, found: bool) -> None:
    assert differ(one, other) == found


def test_one_run_of_many_does_not_make_a_tool_consume() -> None:
    odd = 'get(q="Q-1") -> "A-1"\nget(q="Q-1") -> "A-2"\n'
    same = 'get(q="Q-1") -> "A-1"\nget(q="Q-1") -> "A-1"\n'
    text = f"run a:\n{odd}run b:\n{odd}run c:\n{same}"

    def found(extra: str) -> bool:
        return bool(consumers(runs(text + extra), lambda run, start, stop: False))

    assert found("")
    assert not found(f"run d:\n{same}")
    assert not consumers(runs(text), lambda *_: True)


HANDS_OUT = """
get_next_message fetch_next_job get_next_id get_nextval get_new_token get_session_new get_otp
get_one_time_code validate_ticket validate_coupon scan_ticket search_index_rebuild retrieve_cash
retrieve_parcel read_once view_once get_taxi get_pizza get_ride get_license get_visa get_vm
get_domain get_visa_for_country getNextNumber fetch_access_token check_voucher get_more_results
"""
TELLS = """
list_new_orders list_next_departures get_domain_info get_vm_status get_taxi_fare get_token_price
list_domains get_tickets validate_address scan_document check_ticket_status get_car_details
search_taxi get_build get_index validate_coupon_status get_session_details
"""


@pytest.mark.parametrize("tool", HANDS_OUT.split())
def test_a_name_that_may_hand_out_or_use_up_is_no_look(tool: str) -> None:
    assert tool_class(tool) == ""


@pytest.mark.parametrize("tool", TELLS.split())
def test_a_name_that_only_tells_of_such_a_thing_is_one(tool: str) -> None:
    assert tool_class(tool) == "read"


PARTS = st.recursive(
    st.sampled_from([None, True, 1, 1.5, "a", "b", "2026-01-02 10:00", [], {}]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "updated_at", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def told(output: Tree) -> Counter[tuple[str, str]]:
    """What an output tells, one leaf after another."""
    found: Counter[tuple[str, str]] = Counter()
    for keys, value in leaves(output):
        path = general(keys)
        passing = isinstance(value, float) or path.rpartition(".")[2].strip("[]*") == "updated_at"
        if not passing and not (isinstance(value, str) and value[:4] == "2026"):
            found[path, msgspec.json.encode(value).decode()] += 1
    return found


@given(PARTS, PARTS, st.integers(0, 3))
def test_what_equal_parts_cancel_out_changes_nothing(one: Tree, other: Tree, around: int) -> None:
    for n in range(around):
        one, other = [[one, n], [n, other]] if n % 2 else [{"id": one}, {"id": other, "x": n}]  # type: ignore[list-item]
    assert differ(one, other) == bool(told(one) - told(other))
    assert not differ(one, one)

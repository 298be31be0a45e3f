"""Is a request run only where it looks like the requests that a workflow was learned from?"""

from __future__ import annotations

from pathlib import Path

import pytest

from compile.chats import store, talk, travel
from tracelode.compile.request import asks, told
from tracelode.model.workflow import Workflow

WHYS = ("parcel lost", "wrong colour", "arrived broken", "late", "double order", "wrong size", "missing part")
ASKED = "Please refund order SO-7777 in full, reason: rain damage."
FLIGHT = (
    "Find the cheapest flight leaving from Dublin, going to Riga, on 2027-03-02. Hold a seat for traveller "
    "T-9001 and mail the confirmation."
)


@pytest.fixture(scope="module")
def refund(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    talks = []
    for n, why in enumerate(WHYS):
        number, ident, total = f"SO-{3141 + 977 * n}", f"{0x5EED1234 + 7919 * n:08x}", 20.25 + 13 * n
        order = {"uuid": ident, "total": total, "currency": ("EUR", "USD", "GBP")[n % 3]}
        passed = {"order": ident, "amount": total, "currency": order["currency"], "reason": why}
        calls = [
            ("find_order", {"number": number}, {"order": order}),
            ("issue_refund", passed, {"refund": f"RF-{9000 + n}", "state": "booked"}),
        ]
        talks.append(talk(f"{n:02}", f"Please refund order {number} in full, reason: {why}.", calls))
    (found,) = store(tmp_path_factory.mktemp("refund"), talks).compile("issue refund")
    assert isinstance(found.workflow, Workflow)
    return found.workflow


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    (found,) = travel(tmp_path_factory.mktemp("trip")).compile("mail traveller")
    assert isinstance(found.workflow, Workflow)
    return found.workflow


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (ASKED, "rain damage"),
        ("Please refund order SO-7777 in full, reason: changed plans.", "changed plans"),
        ("Hello. Please refund order SO-7777 in full, reason: rain damage. Thank you.", "rain damage"),
    ],
)
def test_what_is_asked_as_before_is_read(refund: Workflow, request_: str, reason: str) -> None:
    found = told(refund, request_)
    assert (found.fits, found.against) == (True, ())
    assert found.inputs == {"number": "SO-7777", "reason": reason}


@pytest.mark.parametrize(
    "request_",
    [
        "Please do not refund order SO-7777 in full, reason: rain damage.",
        "Please don't refund order SO-7777 in full, reason: rain damage.",
        "Please don’t refund order SO-7777 in full, reason: rain damage.",
        "PLEASE DO NOT refund order SO-7777 in full, reason: rain damage.",
        "Please never refund order SO-7777 in full, reason: rain damage.",
        "Please decline to refund order SO-7777 in full, reason: rain damage.",
        "Please refuse to refund order SO-7777 in full, reason: rain damage.",
        "Please charge, not refund order SO-7777 in full, reason: rain damage.",
        "Please check whether we did refund order SO-7777 in full, reason: rain damage.",
        f"{ASKED} No, wait, leave it.",
        f"{ASKED} Stop!",
        f"{ASKED} I changed my mind.",
        f"{ASKED} Then email my boss.",
        f"{ASKED} He is lying.",
        f"{ASKED} That was a joke.",
        f"{ASKED} Also close the account.",
        f"Undo what I said: {ASKED}",
        f"Dry run: {ASKED}",
        f"If it rained: {ASKED}",
        f"{ASKED} Twice.",
        "Please refund order SO-7777 in full, reason: rain damage no wait leave it.",
        "Please refund order SO-7777 in full unless it is paid, reason: rain damage.",
        "Did we please refund order SO-7777 in full, reason: rain damage?",
        "Please refund order SO-7777 in full, reason: rain damage?",
        "Please refund every order like order SO-7777 in full, reason: rain damage.",
        "Please explain how to refund order SO-7777 in full, reason: rain damage.",
    ],
)
def test_what_turns_or_widens_a_request_speaks_against_it(refund: Workflow, request_: str) -> None:
    found = told(refund, request_)
    assert not found.fits
    assert found.against


@pytest.mark.parametrize(
    "request_",
    [
        "Please refund order SO-7777 and SO-7778 in full, reason: rain damage.",
        "Please refund order SO-7777, SO-7778 in full, reason: rain damage.",
        "Please refund order SO-7777 in full, reason: rain damage. The same for order SO-7778.",
        "Please refund order SO-7777 in full and SO-7778 in part, reason: rain damage.",
    ],
)
def test_two_values_for_one_are_not_clear(refund: Workflow, request_: str) -> None:
    found = told(refund, request_)
    assert not found.fits
    assert "number" not in found.inputs


def test_the_requests_that_it_was_learned_from_are_read(trip: Workflow) -> None:
    assert told(trip, FLIGHT).fits
    # these runs said "Book nothing, only hold": the same words count as said
    said = (
        "The cheapest flight please, leaving from Dublin, going to Riga, on 2027-03-02. Book nothing, only "
        "hold a seat for traveller T-9001 and mail the confirmation."
    )
    assert told(trip, said).against == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the cheapest", "the most expensive, not the cheapest,"),
        ("the cheapest", "any other than the cheapest"),
        ("the cheapest", "the cheapest and the fastest"),
        ("the cheapest", "the second cheapest"),
        ("Hold a seat", "Hold nothing, no seat"),
        ("T-9001", "T-9001 and T-9002"),
        ("T-9001", "T-9001, T-9002"),
        ("T-9001 and", "T-9001, then for T-9002, and"),
        ("from Dublin", "from Dublin and Cork"),
        ("2027-03-02", "2027-03-02 and 2027-03-09"),
    ],
)
def test_another_pick_or_a_second_value_is_not_run(trip: Workflow, old: str, new: str) -> None:
    assert not told(trip, FLIGHT.replace(old, new)).fits


def test_what_one_of_many_requests_said_does_not_count_as_said() -> None:
    _, says = asks(["Pay K-1, not later", "Pay K-2 now", "Pay K-3 today"])
    assert "not later" not in says
    _, says = asks(["Pay K-1, not later", "Pay K-2, not later", "Pay K-3 today"])
    assert "not later" in says


def test_no_word_of_a_single_request_is_kept(tmp_path: Path) -> None:
    every, says = asks(["Never tell Zebulon of K-1", "Never tell Ottoline of K-2"])
    assert not [word for word in (*every, *says) if "zebulon" in word or "ottoline" in word]

"""Is a request run only where it looks like the requests that a workflow was learned from?"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile.chats import store, talk, travel
from tracelode.compile.accounted import _tokens
from tracelode.compile.request import Told, asks, told
from tracelode.model.workflow import Effect, Workflow

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


def _behind(said: str) -> str:
    return f"{FLIGHT[:-1]}{said}"


@pytest.mark.parametrize(
    "request_",
    [
        f"取消。{FLIGHT}",
        f"Ακύρωσε: {FLIGHT}",
        f"Не надо: {FLIGHT}",
        f"النص ملغى: {FLIGHT}",
        f"{FLIGHT} Саnсel it.",
        f"{FLIGHT} \N{CROSS MARK}",
        FLIGHT.replace("Hold", "~~Hold"),
        FLIGHT.replace("Hold", "Do n\N{SOFT HYPHEN}ot hold"),
        FLIGHT.replace("Hold", "H\u0336o\u0336l\u0336d\u0336"),
        f"Non farlo: {FLIGHT}",
        f"Ne fais pas: {FLIGHT}",
        f"Anuluj: {FLIGHT}",
        f"Quit: {FLIGHT}",
        f"Void: {FLIGHT}",
        f"Fraud: {FLIGHT}",
        _behind(" to bob@example.com."),
        _behind(" to my boss."),
        _behind(" to T-9002."),
        _behind(" to Riga."),
        _behind(" under 100 euros."),
        _behind(" under $100."),
        _behind(" for 3 people."),
        _behind(" and spouse."),
        _behind(" at 5pm."),
        _behind(" on Monday."),
        FLIGHT.replace("flight", "direct flight"),
        FLIGHT.replace("flight", "flight after noon"),
        FLIGHT.replace("T-9001", "\u0422-9001"),
        FLIGHT.replace("T-9001", "T-9001's wife"),
        FLIGHT.replace("a seat", "seats"),
        f"{FLIGHT}{' please' * 4000}. Cancel all that.",
    ],
)
def test_whatever_nothing_accounts_for_speaks_against_a_write(trip: Workflow, request_: str) -> None:
    assert not told(trip, request_).fits


@pytest.mark.parametrize(
    "request_",
    [
        f"Hi there, could you {FLIGHT[0].lower()}{FLIGHT[1:]} Thanks a lot!",
        f"Good morning!\nI'd like you to {FLIGHT[0].lower()}{FLIGHT[1:]}\nKind regards",
        f"Dear team, please {FLIGHT[0].lower()}{FLIGHT[1:]} Many thanks in advance.",
        FLIGHT.replace("Find the", "FIND THE").replace("Hold a seat", "Please kindly hold the seat"),
    ],
)
def test_what_is_polite_changes_nothing(trip: Workflow, request_: str) -> None:
    assert told(trip, request_).fits


def test_what_is_not_accounted_for_is_named(trip: Workflow) -> None:
    assert told(trip, _behind(" to bob@example.com.")).against == ("+bob", "+the sign @", "+example", "+com")
    assert told(trip, f"{FLIGHT} Забудь. \N{CROSS MARK}").against == (
        "+a word of another script",
        "+the sign cross mark",
    )


def test_a_request_may_name_what_is_given_beside_it(trip: Workflow) -> None:
    assert told(trip, _behind(" to K-77."), {"to": "K-77"}).against == ()
    assert told(trip, _behind(" to K-78."), {"to": "K-77"}).against == ("+K-78",)


def test_a_workflow_that_only_reads_takes_words_that_call_nothing_off(trip: Workflow) -> None:
    steps = tuple(msgspec.structs.replace(s, effect=Effect("read", "configured")) for s in trip.steps)
    reads = msgspec.structs.replace(trip, steps=steps)
    assert told(reads, _behind(" to my boss.")).fits
    assert not told(reads, f"{FLIGHT} Stop!").fits
    assert not told(trip, _behind(" to my boss.")).fits


def _copied(tmp_path: Path, ask: str, days: tuple[str, ...] = ()) -> Workflow:
    """Runs that reserve a desk for a file, or for a day."""
    talks = []
    for n, why in enumerate(WHYS):
        name, ident = f"desk-{31 + 7 * n}b", f"{0x5EED1234 + 7919 * n:08x}"
        day = f"2027-{n + 1:02}-{20 - 3 * n if n else 13:02}"
        told_day = days[n] if days else ""
        calls = [
            ("find_desk", {"name": name}, {"desk": ident}),
            ("reserve_desk", {"desk": ident, "day": day} if days else {"desk": ident}, {"state": "booked"}),
        ]
        talks.append(talk(f"{n:02}", ask.format(name=name, day=told_day, why=why), calls))
    (found,) = store(tmp_path, talks).compile("reserve desk")
    assert isinstance(found.workflow, Workflow)
    return found.workflow


def test_a_value_is_named_again_where_recorded_requests_did_so(tmp_path: Path) -> None:
    found = _copied(tmp_path, "Please reserve desk {name} for me; only {name} will do.")
    assert told(found, "Please reserve desk desk-7x for me; only desk-7x will do.").fits
    assert told(found, "Please reserve desk desk-7x for me desk-7x; only desk-7x will do.").against


def test_what_varied_and_is_no_input_is_no_known_word(tmp_path: Path) -> None:
    found = _copied(tmp_path, "Please reserve desk {name} for me, since {why}.")
    assert not {"parcel", "late", "broken"} & set(found.words)
    assert told(found, "Please reserve desk desk-7x for me, since late.").against == ("+late",)


def _days(*order: str) -> tuple[str, ...]:
    parts = [(n + 1, 20 - 3 * n if n else 13) for n in range(len(WHYS))]
    return tuple(f"{_numbers(order, month, day)}/2027" for month, day in parts)


def _numbers(order: tuple[str, ...], month: int, day: int) -> str:
    return "/".join(f"{month if part == 'month' else day:02}" for part in order)


DAY = "Please reserve desk {name} for me on {day}."


def _read(found: Workflow, day: str) -> Told:
    return told(found, DAY.format(name="desk-7x", day=day))


def test_a_date_of_two_readings_is_asked_for(trip: Workflow) -> None:
    found = told(trip, FLIGHT.replace("2027-03-02", "02/03/2027"))
    assert "date" not in found.inputs
    assert (found.unclear, found.readings) == (("date",), {"date": ("2027-02-03", "2027-03-02")})
    # one reading is no guess
    assert told(trip, FLIGHT.replace("2027-03-02", "13/03/2027")).inputs["date"] == "2027-03-13"
    assert told(trip, FLIGHT.replace("2027-03-02", "03/03/2027")).inputs["date"] == "2027-03-03"


@pytest.mark.parametrize(
    ("order", "day"), [(("month", "day"), "2027-02-03"), (("day", "month"), "2027-03-02")]
)
def test_recorded_requests_prove_the_order_of_day_and_month(
    tmp_path: Path, order: tuple[str, ...], day: str
) -> None:
    found = _copied(tmp_path, DAY, _days(*order))
    assert _read(found, "02/03/2027").inputs.get("day") == day


def test_recorded_requests_of_both_orders_prove_none(tmp_path: Path) -> None:
    one, two = _days("month", "day"), _days("day", "month")
    found = _copied(tmp_path, DAY, (*one[:4], *two[4:]))
    assert "day" not in _read(found, "02/03/2027").inputs


@given(st.text("ab_1-'.,? \t\n\x1c\x7f", max_size=30))
def test_words_of_plain_and_other_letters_are_cut_alike(text: str) -> None:
    # with a letter that is not ASCII the text is read sign by sign
    assert [*_tokens(text)] == [*_tokens(text + " é")][:-1]

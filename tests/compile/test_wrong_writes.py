"""Would a compiled workflow ever guess a write? Each test is a kind of guess that was once made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compile.execution import Box, start
from compile.fixtures import runs, work
from tracelode.compile.bind.inputs import pieces
from tracelode.compile.opposites import said
from tracelode.compile.passes import PASSES, run
from tracelode.compile.request import told
from tracelode.compile.work import State, Work
from tracelode.model import binding as b
from tracelode.model.execution import Policy, Question, Reply
from tracelode.model.workflow import Workflow

ASK = Policy(writes="ask")


async def _yes(question: Question) -> Reply | None:
    return Reply(by="person", yes=True) if question.kind == "approval" else None


def _compiled(text: Callable[[int], str], count: int = 5) -> Work:
    given = runs("\n".join(f"run r{n} (success):\n{text(n)}" for n in range(count)))
    (found,) = run(State(runs=given, works=(work(given),)), PASSES[1:]).works
    return found


def _whole(found: Work) -> Workflow:
    assert isinstance(found.verdict, Workflow), found.refusals
    assert not found.verdict.partial, found.refusals
    return found.verdict


def _codes(found: Work, slot: str) -> set[tuple[str, str]]:
    return {(r.code, r.arg) for r in found.refusals if r.slot == slot}


def _bindings(found: Workflow, slot: str) -> dict[str, b.Binding]:
    return {a.path: a.binding for a in found.step(slot).arguments}


NOTE = '"call back"'
NAMES = ("Ada Byron", "Bo Diaz", "Cy Young", "Di Ross", "Ed Hall", "Flo Kent", "Gus Marsh")


def _quoted(price: Callable[[int], str]) -> Callable[[int], str]:
    return lambda n: (
        f"user: Buy shares of STOCK-{n}0{n}\n"
        f'get_quote(symbol="STOCK-{n}0{n}") -> {{"price": {price(n)}}}\n'
        f'place_order(symbol="STOCK-{n}0{n}", price={price(n)}) -> "ok"'
    )


def test_what_an_output_showed_and_never_varied_may_be_a_copy() -> None:
    assert ("R3", "price") in _codes(_compiled(_quoted(lambda n: "227.16")), "place_order#1")


def test_what_an_output_showed_and_varied_is_a_copy() -> None:
    found = _whole(_compiled(_quoted(lambda n: f"2{n}7.16")))
    assert _bindings(found, "place_order#1")["price"] == b.Copy("get_quote#1", "price")


def test_a_small_number_with_a_name_like_its_place_may_be_a_copy() -> None:
    found = _compiled(
        lambda n: (
            f'user: Comment on my post "{NAMES[n]} wins"\n'
            f'post_text(content="{NAMES[n]} wins") -> {{"id": 4}}\n'
            f'add_comment(post_id=4, text="{NAMES[n]} wins") -> "ok"'
        )
    )
    assert ("R3", "post_id") in _codes(found, "add_comment#1")


def test_what_every_request_says_is_asked_for_though_it_never_varied() -> None:
    found = _whole(
        _compiled(
            lambda n: (
                f'user: Pay 500 to {NAMES[n]}\nsend_money(to="{NAMES[n]}", amount=500) -> "sent"\n'
                "get_balance() -> 12"
            )
        )
    )
    assert isinstance(_bindings(found, "send_money#1")["amount"], b.FromInput)


def test_an_empty_argument_is_passed() -> None:
    found = _whole(
        _compiled(
            lambda n: (
                f'user: Open a ticket called "{NAMES[n]}"\n'
                f'create_ticket(title="{NAMES[n]}", text="", tags=[]) -> "ok"\nlist_tickets() -> []'
            )
        )
    )
    bound = _bindings(found, "create_ticket#1")
    assert bound["text"] == b.Constant("")
    assert bound["tags"] == b.Constant([])


def test_an_argument_that_is_empty_now_and_then_is_nobodys_rule() -> None:
    found = _compiled(
        lambda n: (
            f'user: Open a ticket called "{NAMES[n]}"\n'
            f'create_ticket(title="{NAMES[n]}", text={("null", NOTE)[n % 2 == 0]}) -> "ok"\n'
            "list_tickets() -> []"
        )
    )
    assert "R1" in {code for code, _ in _codes(found, "create_ticket#1")}


def _found(rows: Callable[[int], str]) -> Callable[[int], str]:
    return lambda n: (
        f"user: Cancel the order of {NAMES[n]}\n"
        f'find_orders(person="{NAMES[n]}") -> [{rows(n)}]\n'
        f'cancel_order(order_id="ORD-77{n}1") -> "cancelled"'
    )


def _row(n: int, last: int = 1) -> str:
    return f'{{"id": "ORD-77{n}{last}", "sum": {n + 3 * last}}}'


def test_the_first_of_several_is_a_choice() -> None:
    found = _compiled(_found(lambda n: f"{_row(n)}, {_row(n, 2)}"))
    assert ("R1", "order_id") in _codes(found, "cancel_order#1")


def test_the_only_one_is_no_choice_until_there_are_two(tmp_path: Path) -> None:
    found = _whole(_compiled(_found(_row)))

    def box(count: int) -> Box:
        return Box(
            find_orders=lambda person: [{"id": f"ORD-900{n}", "sum": n} for n in range(count)],
            cancel_order=lambda order_id: "cancelled",
        )

    one, two = box(1), box(2)
    inputs = {i.name: "Jo Reed" for i in found.inputs}
    assert start(found, one, tmp_path / "one", inputs, policy=ASK, asker=_yes).status == "done"
    assert one.calls[-1][1] == {"order_id": "ORD-9000"}
    outcome = start(found, two, tmp_path / "two", inputs, policy=ASK, asker=_yes)
    assert outcome.status == "escalated"
    assert two.names() == ["find_orders"]


def test_a_choice_one_step_before_is_a_choice() -> None:
    found = _compiled(
        lambda n: (
            f"user: Cancel the order of {NAMES[n]}\n"
            f'find_orders(person="{NAMES[n]}") -> [{_row(n)}, {_row(n, 2)}]\n'
            f'get_order(order_id="ORD-77{n}1") -> {{"token": "tok-5{n}x"}}\n'
            f'cancel_order(token="tok-5{n}x") -> "cancelled"'
        )
    )
    assert "R1" in {code for code, _ in _codes(found, "cancel_order#1")}
    assert isinstance(found.verdict, Workflow)
    assert [s.tool for s in found.verdict.steps] == ["find_orders", "get_order"]


def test_one_of_equals_is_no_choice_for_a_program(tmp_path: Path) -> None:
    def rows(n: int) -> str:
        three = [
            f'{{"id": "ORD-77{n}{k}", "sum": {s}}}' for k, s in ((1, 5 + n), (2, 40 - n), (3, 60 + 2 * n))
        ]
        return ", ".join(three[n % 3 :] + three[: n % 3])

    found = _whole(_compiled(_found(rows), 7))
    box = Box(
        find_orders=lambda person: [{"id": "ORD-1001", "sum": 4}, {"id": "ORD-1002", "sum": 4}],
        cancel_order=lambda order_id: "cancelled",
    )
    inputs = {i.name: "Jo Reed" for i in found.inputs}
    outcome = start(found, box, tmp_path / "journal", inputs, policy=ASK, asker=_yes)
    assert outcome.escalation is not None
    assert (outcome.escalation.code, box.names()) == ("ambiguous_selection", ["find_orders"])


def test_a_whole_list_that_is_passed_on_is_no_choice() -> None:
    found = _whole(
        _compiled(
            lambda n: (
                f"user: Invite the team of {NAMES[n]}\n"
                f'get_team(name="{NAMES[n]}") -> {{"people": ["P-4{n}1", "P-4{n}2"]}}\n'
                f'send_invites(people=["P-4{n}1", "P-4{n}2"]) -> "ok"'
            )
        )
    )
    assert [(c.path, c.value) for c in found.step("get_team#1").checks if c.kind == "count"] == [
        ("people", [2, 2])
    ]


def test_a_field_that_picks_one_of_two_may_fit_by_chance() -> None:
    places = [0, 1, 1, 0, 1]

    def rows(n: int) -> str:
        pair = [_row(n), _row(n, 2)]
        return ", ".join(pair if places[n] == 0 else pair[::-1])

    found = _compiled(_found(rows))
    assert "R1" in {code for code, _ in _codes(found, "cancel_order#1")}


def test_more_arguments_than_are_traced_are_refused() -> None:
    def text(n: int) -> str:
        cells = ", ".join(f'"cell {n} {k}"' for k in range(450))
        return (
            f"user: Write the sheet of {NAMES[n]}\n"
            f'read_sheet(name="{NAMES[n]}") -> [{cells}]\nwrite_sheet(cells=[{cells}]) -> "ok"'
        )

    found = _compiled(text)
    assert "R1" in {code for code, _ in _codes(found, "write_sheet#1")}


def _followed() -> Workflow:
    tails = ("please", "now", "today", "soon", "at once")
    return _whole(
        _compiled(
            lambda n: (
                f"user: I want to follow user bob{n}7 on the forum, {tails[n]}\n"
                f'find_user(name="bob{n}7") -> {{"ref": "U-88{n}"}}\nfollow_user(ref="U-88{n}") -> "ok"'
            )
        )
    )


def test_a_request_of_the_same_kind_is_read() -> None:
    found = told(_followed(), "I want to follow user amy on the forum, please")
    assert (found.fits, found.inputs) == (True, {"name": "amy"})


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param("I want to unfollow user amy on the forum, please", id="opposite"),
        pytest.param("I want to follow user amy on the forum? No, do not follow anybody", id="denied"),
        pytest.param("I want to follow user on the forum, please", id="missing"),
        pytest.param("I want to follow user amy or ben on the forum, please", id="two named"),
        pytest.param("I want to follow user amy on the forum, or follow user ben on the forum", id="twice"),
        pytest.param("I want to follow user amy on the blog, please", id="another place"),
        pytest.param("I want to follow user amy smith on the forum, please", id="another shape"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_request_that_is_not_clear_gives_no_inputs(request_: str) -> None:
    assert not told(_followed(), request_).fits


def test_one_of_two_quoted_names_is_not_taken() -> None:
    found = _whole(
        _compiled(
            lambda n: (
                f"user: Make a folder '{NAMES[n].split()[1]}{n}' for {NAMES[n].split()[0]}\n"
                f'make_folder(name="{NAMES[n].split()[1]}{n}") -> "ok"\nlist_folders() -> []'
            )
        )
    )
    assert told(found, "Make a folder 'Jazz' for Kim").inputs == {"name": "Jazz"}
    assert told(found, "Make a folder 'Jazz' or 'Blues' for Kim").unclear == ("name",)
    assert told(found, "Make a folder 'Jazz', or 'Blues', for Kim").unclear == ("name",)


def test_a_pattern_finds_whole_words_only() -> None:
    (only,) = _followed().inputs
    assert only.patterns
    assert not any(pieces(p, "I want to unfollow user amy on the forum") for p in only.patterns)


def test_a_value_that_never_varied_teaches_no_reading() -> None:
    found = _whole(
        _compiled(
            lambda n: (
                f"user: Set mode START for engine {NAMES[n]}\n"
                f'set_engine(engine="{NAMES[n]}", mode="START") -> "ok"\nget_engine() -> "on"'
            )
        )
    )
    modes = [i for i in found.inputs if i.name == "mode"]
    assert [(i.patterns, i.mention) for i in modes] == [((), "")]


def test_a_place_among_mentions_counts_only_among_as_many() -> None:
    days = ("May 3", "June 14", "July 5", "August 26", "March 17")
    iso = ("2024-05-03", "2024-06-14", "2024-07-05", "2024-08-26", "2024-03-17")
    lead = ("On", "For", "From", "By", "Starting")
    found = _whole(
        _compiled(
            lambda n: (
                f"user: {lead[n]} {days[n]}, 2024 book a room\n"
                f'book_room(day="{iso[n]}") -> "ok"\nlist_rooms() -> []'
            )
        )
    )
    assert told(found, "Around April 9, 2024 book a room").inputs == {"day": "2024-04-09"}
    two = told(found, "Born March 1, 1990, I want to book a room for April 9, 2024")
    assert (two.inputs, two.unclear) == ({}, ("day",))


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("Cancelling what I booked", {"cancel", "book"}),
        ("don't post it", {"not post"}),
        ("unlock the doors", {"unlock"}),
        ("a bookish address", set()),
    ],
)
def test_verbs_with_an_opposite(text: str, verbs: set[Any]) -> None:
    assert said(text) == verbs

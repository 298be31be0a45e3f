"""Is a tool taken for a read only where nothing in its name may change something?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.signals.effects import tool_class
from tracelode.signals.lexicon import load
from tracelode.signals.looking import changing, only_looks, plural

LEXICON = load()

CHANGES = """get_vaccinated summarize_to_slack explain_rollback du_clean scan_and_quarantine
    list_item_for_sale describe_and_tag view_toggle show_toggle fetch_add peek_pop browse_click
    read_receipt_send get_rid_of_order get_paid get_approval is_refund check_box count_down query
    sql_query execute_query run_query query_database query_sql get_refund scan_and_process
    search_and_book get_or_set getAndIncrement toggle_view nuke_list flip_display run_scan list_item
    list_product get_booked get_approved_by_manager show_message view_and_like check_off list_on_market
    ping_owner convert_lead describe_update_status get_sale find_replace search_replace read_write
    get_shipped credit_check read_and_ack find_and_frobnicate get_order_in view_resend list_for_sale
    count_recount_reset"""

LOOKS = """get_order get_order_details list_orders getUser check_status posting_get_login_status
    get_approval_status get_cancellation_policy list_sales get_payment_methods list_directory
    list_allowed_directories read_file search_emails get_scheduled_transactions view_messages_sent
    is_paid get_terms_and_conditions slack_list_channels github_get_issue query_orders user_search
    order_get file_read get_booking list get get_exchange_rates compute_exchange_rate convert_currency
    displayCarStatus get_unpaid_invoices look_up_word get_credit_card_balance
    check_restaurant_opening_hours Taxi_Search_Location Get_Room_List_With_Availability
    estimate_drive_feasibility_by_mileage get_rating_reviews_for_car_rental get_or_list
    list_pull_requests"""


@pytest.mark.parametrize("tool", CHANGES.split())
def test_what_may_change_something_is_no_read(tool: str) -> None:
    assert tool_class(tool) != "read"


@pytest.mark.parametrize("tool", LOOKS.split())
def test_what_only_looks_is_a_read(tool: str) -> None:
    assert tool_class(tool) == "read"
    assert tool_class(f"mcp__shop__{tool}") == "read"


@pytest.mark.parametrize(
    "word", sorted(w for w, c in LEXICON.effects.items() if c != "read" and "." not in w)
)
def test_a_verb_of_change_beside_a_reading_verb_is_no_read(word: str) -> None:
    if word not in LEXICON.words["effect_things"]:
        assert tool_class(f"fetch_{word}") != "read"
        assert tool_class(f"view_item_and_{word}") != "read"


@pytest.mark.parametrize(
    ("word", "found"),
    [("cancel", "verb"), ("cancelled", "done"), ("applied", "done"), ("resend", "verb"), ("stopping", "done"),
     ("paid", "done"), ("read", ""), ("unread", ""), ("result", ""), ("bed", ""), ("ring", "")],
)  # fmt: skip
def test_forms_of_verbs(word: str, found: str) -> None:
    assert changing(word, LEXICON) == found


def test_what_looks_like_several() -> None:
    assert [w for w in ("orders", "status", "process", "bus", "news") if plural(w)] == ["orders", "news"]


@given(st.lists(st.sampled_from(sorted({*LEXICON.effects, "a", "frob", "orders", "", "é"})), max_size=5))
def test_any_words_are_judged_and_more_reach_never_less_care(words: list[str]) -> None:
    looks = only_looks(words, LEXICON)
    assert not (looks and only_looks([*words, "toggle"], LEXICON))
    assert not (looks and only_looks([*words, "and", "quarantine"], LEXICON))

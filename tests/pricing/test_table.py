"""Costs are exact integers, additive, dated, and unknown where they are not known."""

from __future__ import annotations

import ast
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.pricing import data
from tracelode.pricing.table import Cost, PriceTable

TABLE = PriceTable.load()
DAY = date(2026, 10, 2)
MILLION = 1_000_000
DOLLAR = 10**12
COUNTS = st.integers(0, 5_000_000)
TOKENS = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
FLAT = st.sampled_from(["claude-opus-4-5", "claude-haiku-4-5", "claude-opus-5-5", "claude-3-opus"])


def dollars(model: str, tokens: tuple[int, ...], day: date = DAY, **words: str) -> Decimal:
    cost = TABLE.price(model, day, tokens, **words)
    assert cost is not None
    return Decimal(cost.picodollars) / DOLLAR


@pytest.mark.parametrize(("place", "price"), list(enumerate(("5", "0.5", "6.25", "10", "25", "25"))))
def test_a_million_tokens_cost_the_listed_price(place: int, price: str) -> None:
    tokens = [0] * 6
    tokens[place] = MILLION
    assert dollars("claude-opus-4-5-20251101", tuple(tokens)) == Decimal(price)


def test_one_token_is_a_whole_number_of_picodollars() -> None:
    assert TABLE.price("deepseek-v4-pro", date(2026, 6, 1), (0, 1, 0, 0, 0, 0)) == Cost(3625)


@given(FLAT, TOKENS, TOKENS)
def test_cost_is_additive(model: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    both = tuple(x + y for x, y in zip(a, b, strict=True))
    one, two, sum_ = (TABLE.price(model, DAY, t) for t in (a, b, both))
    assert one is not None
    assert two is not None
    assert sum_ is not None
    assert one.picodollars + two.picodollars == sum_.picodollars


@given(FLAT, TOKENS, st.integers(0, 1000))
def test_cost_scales_with_the_counts(model: str, tokens: tuple[int, ...], n: int) -> None:
    one = TABLE.price(model, DAY, tokens)
    many = TABLE.price(model, DAY, tuple(n * t for t in tokens))
    assert one is not None
    assert many is not None
    assert many.picodollars == n * one.picodollars


@given(TOKENS, st.integers(0, 500), st.integers(0, 500))
def test_fees_are_added_and_named(tokens: tuple[int, ...], searches: int, fetches: int) -> None:
    plain = TABLE.price("claude-opus-5", DAY, tokens)
    paid = TABLE.price(
        "claude-opus-5",
        DAY,
        tokens,
        fees={"web_search": searches, "web_fetch": fetches},
        geo="us",
        speed="fast",
    )
    assert plain is not None
    assert paid is not None
    assert paid.fees == searches * DOLLAR // 100
    assert (paid.picodollars - paid.fees) * 10 == plain.picodollars * 22


def test_reasoning_is_priced_as_output() -> None:
    assert dollars("gpt-5", (0, 0, 0, 0, 100, 900)) == dollars("gpt-5", (0, 0, 0, 0, 1000, 0))


@pytest.mark.parametrize(
    ("model", "day", "limit", "short", "long"),
    [
        ("claude-sonnet-4-5", DAY, 200_000, 3, 6),
        ("claude-opus-4-6", date(2026, 3, 12), 200_000, 5, 10),
        ("claude-opus-4-6", date(2026, 3, 13), 200_000, 5, 5),
        ("claude-haiku-5-5", DAY.replace(day=7), 100_000, Decimal("0.1"), Decimal("0.5")),
        ("gpt-5.5", DAY, 272_000, 5, 10),
        ("gemini-3.1-pro-preview", DAY, 200_000, 2, 4),
    ],
)
def test_long_context_is_more_than_the_limit_and_prices_the_whole_call(
    model: str, day: date, limit: int, short: Decimal | int, long: Decimal | int
) -> None:
    assert dollars(model, (limit, 0, 0, 0, 0, 0), day) == Decimal(limit) * short / MILLION
    assert dollars(model, (limit + 1, 0, 0, 0, 0, 0), day) == Decimal(limit + 1) * long / MILLION


def test_long_context_counts_fresh_read_and_written_tokens_but_no_output() -> None:
    at, over = (50_000, 100_000, 25_000, 25_000), (50_000, 100_000, 25_000, 25_001)
    assert dollars("claude-sonnet-4-5", (*at, 10**6, 0)) == Decimal("15") + Decimal("0.42375")
    assert dollars("claude-sonnet-4-5", (*over, 10**6, 0)) == Decimal("22.5") + 2 * (
        Decimal("0.42375") + Decimal("0.000006")
    )


def test_middle_limits_of_three() -> None:
    for count, price in ((32_000, 1), (32_001, Decimal("1.8")), (128_001, 3), (256_001, 6)):
        assert (
            dollars("qwen3-coder-plus", (count, 0, 0, 0, 0, 0), date(2026, 1, 1)) * MILLION == count * price
        )


@pytest.mark.parametrize(
    ("model", "first"), [(m.id, m.prices[0].since) for m in data.shipped().models], ids=str
)
def test_no_price_before_the_first_day(model: str, first: date) -> None:
    assert TABLE.price(model, first, (1, 0, 0, 0, 1, 0)) is not None
    assert TABLE.price(model, date.fromordinal(first.toordinal() - 1), (1, 0, 0, 0, 1, 0)) is None


def test_the_price_is_of_the_calls_day() -> None:
    read = (0, MILLION, 0, 0, 0, 0)
    assert dollars("claude-sonnet-5-5", read, date(2026, 10, 6)) == Decimal("0.2")
    assert dollars("claude-sonnet-5-5", read, date(2026, 10, 7)) == Decimal("0.1")
    assert TABLE.price("deepseek-chat", date(2026, 4, 23), read) is not None
    assert TABLE.price("deepseek-chat", date(2026, 4, 24), read) is None


def test_microseconds_and_days_are_the_same_day_in_utc() -> None:
    def us(text: str) -> int:
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * MILLION

    read = (0, MILLION, 0, 0, 0, 0)
    last = TABLE.price("claude-sonnet-5-5", us("2026-10-06T23:59:59") + 999_999, read)
    next_ = TABLE.price("claude-sonnet-5-5", us("2026-10-07T00:00:00"), read)
    assert last == Cost(DOLLAR // 5)
    assert next_ == Cost(DOLLAR // 10)


def test_an_unknown_day_is_priced_only_where_there_is_one_price() -> None:
    tokens = (MILLION, 0, 0, 0, 0, 0)
    assert TABLE.price("claude-opus-4-5", None, tokens) == Cost(5 * DOLLAR)
    assert TABLE.price("claude-sonnet-5-5", None, tokens) is None


@pytest.mark.parametrize(
    ("words", "factor"),
    [
        ({}, "1"),
        ({"tier": "standard", "speed": "standard", "geo": "global"}, "1"),
        ({"geo": "not_available"}, "1"),
        ({"tier": "batch"}, "0.5"),
        ({"tier": "Batch", "geo": "us"}, "0.55"),
        ({"speed": "fast"}, "2"),
        ({"speed": "fast", "geo": "us"}, "2.2"),
    ],
)
def test_tier_speed_and_geography(words: dict[str, str], factor: str) -> None:
    tokens = (MILLION, 0, MILLION, MILLION, MILLION, 0)
    assert dollars("claude-opus-5", tokens, **words) == dollars("claude-opus-5", tokens) * Decimal(factor)


def test_a_tier_with_rates_of_its_own() -> None:
    assert dollars("o4-mini", (MILLION, 0, 0, 0, 0, 0), tier="priority") == 2
    assert TABLE.price("gpt-5.5", DAY, (272_000, 0, 0, 0, 0, 0), tier="priority") is not None
    assert TABLE.price("gpt-5.5", DAY, (272_001, 0, 0, 0, 0, 0), tier="priority") is None
    assert TABLE.price("o3", DAY, (1, 1, 0, 0, 0, 0), tier="batch") is None


@pytest.mark.parametrize(
    "words",
    [{"tier": "priority"}, {"tier": "made-up"}, {"speed": "warp"}, {"geo": "moon"}, {"fees": {"x": 1}}],
)
def test_a_word_without_a_price_leaves_the_call_unpriced(words: dict[str, object]) -> None:
    assert TABLE.price("claude-opus-5", DAY, (1, 0, 0, 0, 1, 0), **words) is None


def test_tokens_of_a_kind_that_is_not_sold_leave_the_call_unpriced() -> None:
    assert TABLE.price("gpt-5-pro", DAY, (1, 0, 0, 0, 1, 0)) is not None
    assert TABLE.price("gpt-5-pro", DAY, (1, 1, 0, 0, 1, 0)) is None
    assert TABLE.price("gpt-5", DAY, (1, 1, 0, 1, 1, 0)) is None


def test_synthetic_is_never_priced() -> None:
    assert TABLE.price("<synthetic>", DAY, (1, 1, 1, 1, 1, 1)) is None


def test_many_days_do_not_grow_the_table_without_end() -> None:
    table = PriceTable.load()
    for n in range(30_000):
        table.price("claude-opus-4-5", n * 86_400 * MILLION, (1, 0, 0, 0, 0, 0))
    assert len(table._plans) <= 20_000


GENERATOR = Path(__file__).parents[3] / "shared" / "bench" / "gen_claude_history.py"


@pytest.mark.skipif(not GENERATOR.exists(), reason="the history generator lies outside the project")
def test_the_history_generator_prices_alike() -> None:
    prices = next(
        ast.literal_eval(node.value)
        for node in ast.parse(GENERATOR.read_text()).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "PRICE"
    )
    assert len(prices) == 3
    for model, (fresh, output, short, hour, read) in prices.items():
        for place, price in enumerate((fresh, read, short, hour, output)):
            tokens = [0] * 6
            tokens[place] = 1000
            assert dollars(model, tuple(tokens)) * 1000 == Decimal(str(price))

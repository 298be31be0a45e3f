"""What becomes of figures of telemetry that contradict each other, or are no counts? Case C4."""

from __future__ import annotations

from typing import Any

import pytest

from otlp import Telemetry
from sources.test_otel_cases import chat, naive, skipped, span, spent, tokens

CACHED = "cached tokens exceed the input they should be part of, input taken as fresh"


def test_c4_input_below_its_cache_is_flagged_109_tokens_not_clamped_to_84() -> None:
    data = chat(input=25, read=75, output=9)
    found = tokens(data)
    assert found == {"input_fresh": 25, "cache_read": 75, "output": 9, "calls": 1}
    assert skipped(data) == {CACHED: 1}
    clamped = max(25 - found["cache_read"], 0) + found["cache_read"] + found["output"]
    assert (spent(data), clamped) == (109, 84)
    assert skipped(chat(input=3, read=5758, write=6174, output=9)) == {CACHED: 1}
    assert tokens(chat(input=0, read=75, output=9))["input_fresh"] == 0


def test_c4_reasoning_is_inside_output_100_tokens_not_160_unless_shown_otherwise() -> None:
    t = Telemetry()
    t.chat(0, 1, output=100, reasoning=60)
    assert tokens(t.json()) == {"output": 40, "reasoning": 60, "calls": 1}
    assert skipped(t.json()) == {}
    assert (spent(t.json()), naive(t.spans)) == (100, 160)
    assert tokens(chat(output=40, reasoning=60)) == {"output": 40, "reasoning": 60, "calls": 1}
    assert list(skipped(chat(output=40, reasoning=60))) == [
        "reasoning exceeds the output it should be part of, counted beside it"
    ]
    beside = {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.usage.total_tokens": 140,
    }
    assert tokens(span(beside | {"gen_ai.usage.reasoning_tokens": 30})) == {
        "input_fresh": 10, "output": 100, "reasoning": 30, "calls": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (-5, "negative token count left out"),
        (10**12, "absurd token count left out"),
        ("many", "token count that is no number left out"),
        (1.5, "token count that is no number left out"),
        (True, "token count that is no number left out"),
    ],
)
def test_c4_what_is_no_count_is_left_out_and_flagged_7_tokens_stay(given: Any, reason: str) -> None:
    data = span({"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": 7})
    assert tokens(data) == {"output": 7, "calls": 1}
    assert skipped(data) == {reason: 1}


def test_c4_a_sum_alone_is_no_kind_of_token_0_tokens_not_500() -> None:
    data = span({"gen_ai.operation.name": "chat", "llm.usage.total_tokens": 500})
    assert (tokens(data), spent(data)) == ({"calls": 1}, 0)
    assert skipped(data) == {"sum of tokens without their kinds left out": 1}

"""Is a run that would send or cost too much refused before it begins?"""

from __future__ import annotations

import pytest

from tracelode.errors import UsageError
from tracelode.model.asked import TOKENS, Estimate, Limits, by_model
from tracelode.workspace.model_cut import within

DOLLAR = 10**12


def estimate(tokens: int, cost: int | None = None) -> Estimate:
    return Estimate(backend="openai", model="m", place="p", ask=("s",), tokens_in=tokens, cost=cost)


def test_a_million_tokens_need_a_budget() -> None:
    within(estimate(TOKENS), Limits())
    with pytest.raises(UsageError, match="above the 1,000,000 of --budget-tokens"):
        within(estimate(TOKENS + 1), Limits())
    within(estimate(TOKENS + 1), Limits(tokens=2 * TOKENS))
    with pytest.raises(UsageError, match="about 11 input tokens, above the 10 of"):
        within(estimate(11), Limits(tokens=10))


def test_money() -> None:
    within(estimate(1, DOLLAR), Limits(cost=DOLLAR))
    within(estimate(1, None), Limits())
    with pytest.raises(UsageError, match=r"about \$2.00, above the \$1.00 of --budget-cost"):
        within(estimate(1, 2 * DOLLAR), Limits(cost=DOLLAR))
    with pytest.raises(UsageError, match="no known price"):
        within(estimate(1, None), Limits(cost=DOLLAR))
    within(Estimate(backend="openai", model="m", place="p", ask=()), Limits(cost=0))


def test_who_is_a_model() -> None:
    assert [by_model(a) for a in ("openai/m", "anthropic/m", "agent/claude:m", "agent/own")] == [True] * 4
    assert not any(by_model(a) for a in ("Sam", "openai", "sam/openai", ""))

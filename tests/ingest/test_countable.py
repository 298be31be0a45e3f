"""Does a measure that is no count of anything stop at the door, whichever source tells it?"""

from __future__ import annotations

import pytest

from tracelode.ingest.attribute import DEAREST, price
from tracelode.ingest.cleaning import _names
from tracelode.ingest.draft import MOST, MOST_TOKENS, Builder, Thread
from tracelode.model.operation import Operation, Origin
from tracelode.model.ports import About, Change
from tracelode.pricing.table import PriceTable
from tracelode.redact.fast import Redactor


def call(measures: dict[str, int], model: str = "claude-opus-4-1-20250805") -> Operation:
    return Operation(
        session="s", index=0, id="1", actor="agent", kind="model", name=model, status="ok",
        started=1_791_280_800_000_000, ended=1_791_280_800_000_000, fields={"model": model},
        measures=measures,
        arguments="", output="", origin=Origin("chat", "f", 3, 0),
    )  # fmt: skip


def taken(*items: Operation | Change) -> tuple[Thread, list[tuple[int, str, int]]]:
    threads: dict[str, Thread] = {}
    builder = Builder(Redactor(), "f", "x", threads)
    builder.take(About("s", "s", ""))
    for item in items:
        builder.take(item)
    return threads["s"], [(s.line, s.reason, s.count) for s in builder.skipped.values()]


@pytest.mark.parametrize("value", [-1, MOST_TOKENS + 1, 2**63, True, 1.5])
def test_tokens_that_are_no_count_make_a_lower_bound(value: int) -> None:
    thread, skipped = taken(call({"tokens.input_fresh": value, "tokens.output": 5}))
    (draft,) = thread.drafts.values()
    assert draft.measures == {"tokens.output": 5}
    assert draft.fields["usage_quality"] == "lower_bound"
    assert skipped == [(3, "absurd count left out", 1)]


def test_what_a_change_tells_is_looked_at_as_well() -> None:
    thread, skipped = taken(
        call({"calls": 1}), Change(id="1", measures={"bytes.read": MOST + 1, "events": 2})
    )
    (draft,) = thread.drafts.values()
    assert draft.measures == {"calls": 1, "events": 2}
    assert [reason for _, reason, _ in skipped] == ["absurd count left out"]


def test_the_largest_call_has_a_price_that_can_be_stored_or_none() -> None:
    for tokens in (10**6, MOST_TOKENS):
        thread, skipped = taken(call({"tokens.input_fresh": tokens, "tokens.output": tokens}))
        price(thread.drafts.values(), PriceTable.load())
        (draft,) = thread.drafts.values()
        assert not skipped
        assert draft.measures.get("cost", 0) <= DEAREST
        assert ("cost" in draft.measures) != ("tokens.unpriced" in draft.measures)


def test_a_resume_state_is_clean_at_any_depth() -> None:
    state = {"calls": [("ghp_" + "0" * 36, -(10**30)), [{"/home/sammy77/a": (10**30,)}]]}
    cleaned = repr(_names(state, Redactor()))
    assert "0000" not in cleaned.replace(str(2**60), "")
    assert "sammy" not in cleaned
    assert str(2**60) in cleaned

"""Is the worked example right? Its figures are made a third way, from the sample's records alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from docs.pages import ROOT, parts
from tracelode.ingest import timeline
from tracelode.samples import projects

PAGE = (ROOT / "docs" / "where-numbers-come-from.md").read_text(encoding="utf-8")
PRICES = {"fresh": "3", "read": "0.3", "w5": "3.75", "w1h": "6", "out": "15"}
"""Dollars per million tokens, as the page says."""


def outputs(mark: str) -> list[Any]:
    """Outputs of the page's commands that hold a text, decoded."""
    steps = [step for part in parts(PAGE) if part.kind == "console" for step in part.steps]
    found = [json.loads("\n".join(step.shown)) for step in steps if mark in step.code]
    assert found
    return found


def records(session: str) -> list[dict[str, Any]]:
    """All records of a sample."""
    (path,) = projects().glob(f"*/{session}-*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def calls(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Usage by message id; the last record has the final counts."""
    return {r["message"]["id"]: r["message"]["usage"] for r in rows if r["type"] == "assistant"}


def test_one_call_counts_once() -> None:
    rows = records("de000001")
    assistant = [r["message"]["usage"]["cache_read_input_tokens"] for r in rows if r["type"] == "assistant"]
    by_record, by_call, ours = outputs("read: ")[:3]
    right = {
        "calls": len(calls(rows)),
        "read": sum(u["cache_read_input_tokens"] for u in calls(rows).values()),
    }
    assert by_record == {"records": len(assistant), "read": sum(assistant)}
    assert by_call == ours == right
    assert by_record["read"] > by_call["read"]


def test_tokens_and_money() -> None:
    usages = calls(records("de000001")).values()
    tokens = {
        "fresh": sum(u["input_tokens"] for u in usages),
        "read": sum(u["cache_read_input_tokens"] for u in usages),
        "w5": sum(u["cache_creation"]["ephemeral_5m_input_tokens"] for u in usages),
        "w1h": sum(u["cache_creation"]["ephemeral_1h_input_tokens"] for u in usages),
        "out": sum(u["output_tokens"] for u in usages),
    }
    cost = sum(n * Fraction(PRICES[kind]) for kind, n in tokens.items()) / 10**6
    by_hand, ours = outputs("w1h")
    assert {k: by_hand[k] for k in tokens} == {k: ours[k] for k in tokens} == tokens
    assert Fraction(str(by_hand["dollars"])) == Fraction(ours["cost"]) == cost


def test_a_fork_counts_what_is_new() -> None:
    old, new = (set(calls(records(f"de00000{n}"))) for n in (8, 9))
    shown = PAGE[PAGE.index("## Forks and copies") : PAGE.index("## Sub-agents")]
    assert f"\n{len(old)}\n{len(new)}\n" in shown
    assert f"\n{len(old | new)}\n" in shown
    assert f'["de000008",{len(old)},0]' in shown
    assert f'["de000009",{len(new - old)},' in shown


def test_pages_say_five_minutes() -> None:
    assert timeline.IDLE == 5 * 60 * 10**6

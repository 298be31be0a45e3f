"""Are proposals backed by what was seen, and is what may be beyond undoing never automatic?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude import Transcript, used
from plan.arms import write
from plan.traces import events, row
from tracelode.errors import UsageError
from tracelode.model.plan_policy import Policy, Seen
from tracelode.plan.policy.decide import by_tool, decide
from tracelode.plan.policy.seen import PLAN, Tally, node_class, tool_key
from tracelode.plan.policy.snippet import snippet
from tracelode.signals.effects import CLASSES, irreversible
from tracelode.workspace.advising import policy_of_files
from workspaces import stored


def seen(tool: str = "Read", effect: str = "read", **more: Any) -> Seen:
    """One kind of calls."""
    values = {"node": "", "calls": 0, "approved": 0, "useful": 0, "auto": 0, "harmed": 0, "sessions": 1}
    return Seen(tool=tool, effect=effect, **{**values, **more})


counts = st.integers(0, 3_000)


@given(st.sampled_from([*CLASSES, ""]), counts, counts, counts, st.floats(0.1, 1e4), st.floats(0.1, 1e6))
def test_what_may_be_beyond_undoing_is_never_automatic(
    effect: str, approved: int, useful: int, auto: int, human: float, rework: float
) -> None:
    (rule,) = decide([seen(effect=effect, approved=approved, useful=useful, auto=auto)], human, rework)
    assert rule.low <= rule.high
    if irreversible(effect):
        assert rule.irreversible
        assert rule.advice != "auto"
    if rule.advice == "auto":
        assert rule.high * rework < human
    if rule.advice == "require":
        assert rule.low * rework > human
        assert useful >= 3


def test_the_bound_decides_and_not_the_share() -> None:
    few, many = decide([seen(auto=10), seen(auto=100)])
    assert (few.advice, many.advice) == ("ask", "auto")
    doubted, sure = decide([seen(approved=20, useful=1), seen(approved=20, useful=8)])
    assert (doubted.advice, sure.advice) == ("ask", "require")
    dear, cheap = decide([seen(auto=100)], 30, 6_000), decide([seen(auto=100)], 30, 60)
    assert (dear[0].advice, cheap[0].advice) == ("ask", "auto")


def test_harm_after_running_counts_like_a_review_of_use() -> None:
    clean, harmed = decide([seen(auto=100), seen(auto=100, harmed=30)])
    assert (clean.advice, harmed.advice) == ("auto", "require")


def test_a_permission_cannot_see_the_step() -> None:
    rows = [seen(auto=100, node="explore"), seen(auto=20, harmed=9, node="fill")]
    (whole,) = by_tool(rows)
    assert (whole.auto, whole.harmed, whole.node) == (120, 9, "")
    (mixed,) = by_tool([seen("x", "read", auto=100), seen("x", "destructive", auto=1)])
    assert decide([mixed])[0].advice == "ask"


def test_one_denial_requires_nothing() -> None:
    once, thrice = decide([seen("Bash(npm install)", "unknown", useful=n) for n in (1, 3)])
    assert (once.advice, thrice.advice) == ("ask", "require")


def test_a_snippet_is_of_one_agent() -> None:
    rules = decide([seen("apply_patch", "idempotent_write", useful=9, agents=("codex",)),
                    seen("Edit", "idempotent_write", useful=9, agents=("claude-code",))])  # fmt: skip
    assert json.loads(snippet("claude", rules, {})[0]) == {"permissions": {"ask": ["Edit"]}}
    assert snippet("codex", rules, {})[0] == ""


def test_tool_keys() -> None:
    assert tool_key("Bash", "git push --force") == "Bash(git push)"
    assert tool_key("Bash", "npm run build && rm -r x") == "Bash(...)"
    assert tool_key("Bash", "$(evil) x") == "Bash(...)"
    assert tool_key("mcp__shop__cancel", "") == "mcp__shop__cancel"
    assert node_class("Test the parser") == "test"
    assert node_class("") == ""


def test_claude_permissions() -> None:
    rules = decide([
        seen(auto=200), seen("Write", "idempotent_write", auto=200),
        seen("Bash(git push)", "external_send", useful=5), seen("Bash(rm)", "destructive", auto=500),
        seen(PLAN, useful=9), seen("Bash(...)", "unknown", useful=9),
    ])  # fmt: skip
    commands = {("Bash", "git status"): [200, 0], ("Bash", "git push origin main"): [500, 0],
                ("Bash", "rm -r build"): [500, 0], ("Bash", "ls"): [3, 0]}  # fmt: skip
    text, target, _ = snippet("claude", rules, commands)
    assert target == ".claude/settings.json"
    assert json.loads(text) == {
        "permissions": {"allow": ["Bash(git status)", "Edit", "Read"], "ask": ["Bash(git push:*)"]}
    }


def test_an_ask_takes_the_allows_below_it_away() -> None:
    rules = decide([seen("Bash(git status)", "read", useful=9)])
    text, _, _ = snippet("claude", rules, {("Bash", "git status"): [400, 0]})
    assert json.loads(text)["permissions"] == {"ask": ["Bash(git status:*)"]}


def test_codex_rules_only_ask() -> None:
    rules = decide([seen(auto=200), seen("shell(git push)", "external_send", useful=5)])
    text, target, notes = snippet("codex", rules, {("shell", "git status"): [400, 0]})
    assert 'pattern = ["git", "push"]' in text
    assert 'decision = "prompt"' in text
    assert "allow" not in text
    assert target.endswith(".rules")
    assert notes


def test_nothing_to_propose_is_no_snippet() -> None:
    assert snippet("claude", decide([seen(auto=3)]), {})[0] == ""


def test_reviews_of_steps_are_counted() -> None:
    tally = Tally()
    rows = [row(0, "plan", "goal", "planned", payload={"op": "goal"}),
            row(1, "plan", "A", "planned", payload={"description": "fill missing amounts"}),
            row(2, "review", "A", "updated", actor="human", payload={"decision": "approve"}),
            row(3, "review", "A", "updated", actor="human", payload={"decision": "request_changes"}),
            row(4, "review", "A", "updated", actor="human",
                payload={"decision": "deny_tool", "tool": "Bash"}),
            row(5, "review", "A", "updated", actor="human", payload={"decision": "note"})]  # fmt: skip
    tally.events("s", events(rows))
    told = {(one.tool, one.approved, one.useful) for one in tally.seen()}
    assert told == {(PLAN, 1, 1), ("Bash", 0, 1)}


def test_denials_and_undone_lines_of_stored_sessions(tmp_path: Path) -> None:
    t = Transcript("5a3c0000-0000-4000-8000-00000000000a")
    t.user("add the total")
    first = "total = sum(rows)\nreturn total"
    edit = {"file_path": "/src/a.py", "old_string": "pass", "new_string": first}
    t.assistant("Edit.", tools=[("Edit", edit)], usage=used())
    t.advance(2).result(t.calls[-1], "done")
    t.user("no, without a name")
    edit = {
        "file_path": "/src/a.py",
        "old_string": "total = sum(rows)\nreturn total",
        "new_string": "return sum(rows)",
    }
    t.assistant("Edit.", tools=[("Edit", edit)], usage=used())
    t.advance(2).result(t.calls[-1], "done")
    t.assistant("Push.", tools=[("Bash", {"command": "git push"})], usage=used())
    t.advance(2).result(t.calls[-1], "The user doesn't want to proceed with this tool use.", is_error=True)
    found = stored(tmp_path, t).plan_policy()
    rows = {rule.seen.tool: rule for rule in found.rules}
    assert (rows["Edit"].seen.auto, rows["Edit"].seen.harmed) == (2, 1)
    assert (rows["Bash(git push)"].seen.useful, rows["Bash(git push)"].irreversible) == (1, True)


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    write(folder)
    return folder


def test_figures_lead_to_changes(arms: Path) -> None:
    """The article's two actions: business rules first, and two candidates in the first plan."""

    def codes(found: Policy) -> set[str]:
        return {one.code for one in found.proposals}

    before, after = policy_of_files([arms / "plain"]), policy_of_files([arms / "rules"])
    assert {"constraints", "candidates", "returns"} <= codes(before)
    assert not codes(after) & {"constraints", "candidates", "returns"}
    one = next(p for p in before.proposals if p.code == "constraints")
    assert (one.metric, one.basis) == ("human_mid", "18 of 19, 19 sessions")
    assert "business rules" in one.change
    assert before.measured == (False, True)


def test_costs_are_costs(arms: Path) -> None:
    with pytest.raises(UsageError, match="seconds above 0"):
        policy_of_files([arms / "plain"], human=-1)
    with pytest.raises(UsageError, match="claude or codex"):
        policy_of_files([arms / "plain"], form="vim")

"""Which known ways to count a Claude Code transcript wrong are covered? Told by the tests there are."""

from __future__ import annotations

import ast
import re

from docs.pages import ROOT

CASES: dict[int, tuple[str, str]] = {
    1: ("Several records of one message each repeat its usage; summing records counts it twice or more.",
        "One call per `message.id`."),
    2: ("Output counts of early records are snapshots; the first one is too small.",
        "The largest output count of the message wins."),
    3: ("Records without `requestId` escape removal of repeats.",
        "The key is `message.id` alone; without one, the record's `uuid`."),
    4: ("A fork or resume copies its parent's records under a new session id.",
        "A record counts once, in the session that owns it; the copies are *inherited*."),
    5: ("`/branch` writes every message twice into one file.", "Copies with the same `uuid` count once."),
    6: ("Sub-agents' files carry their parent's session id and look like sessions of their own.",
        "A sub-agent is a part of its root session: its key is session id and agent id."),
    7: ("Sub-agent files lie in nested folders and are missed.",
        "Folders are searched at any depth; the link to the call is the agent id."),
    8: ("Versions 2.1.12 to 2.1.81 wrote sub-agents' calls into `progress` records of the parent.",
        "These calls count in a session of the sub-agent's own."),
    9: ("`totalTokens` of a sub-agent's result is the size of its last context, not what it used.",
        "Never added to anything."),
    10: ("Agents started through the SDK look like a person's sessions.", "They are marked as automated."),
    11: ("Advisor calls and failed fallback attempts are only in `usage.iterations`.",
         "Advisors count under their model; failed attempts are operations without a bill."),
    12: ("Cache writes for one hour are priced as writes for five minutes.",
         "Two kinds of tokens, two prices."),
    13: ("Counts of a message that was never finished are placeholders.",
         "The call is marked as a lower bound and counted in `calls.lower_bound`."),
    14: ("The summary that follows a compaction is taken for a prompt.", "It is a note by the system."),
    15: ("Text of the harness is taken for a person's.",
         "It is a note by the system; see the elements above."),
    16: ("A message typed while the agent works is lost, or counted twice.", "It counts once, as a steer."),
    17: ("After a rewind the abandoned branch looks like the work that counts.",
         "The branch counts as spent and its operations are marked as rolled back."),
    18: ("Results of parallel tools come out of order and in several records.", "Joined by `tool_use_id`."),
    19: ("Ids of other models repeat inside a session.",
         "A result belongs to the nearest open call of its id."),
    20: ("A tool's time is taken as the gap to the next prompt.",
         "Own duration, or use to result as an upper bound; waits for a person are *blocked* or *idle*."),
    21: ("Plans of newer versions are deltas, not lists.", "Both are operations of the kind `plan`."),
    22: ("Files that Claude Code deleted drop out of the totals.", "What was read stays."),
    23: ("A growing file is counted again, and a broken line ends the import.",
         "Reading goes on where it stopped; broken lines are counted and named by file and line."),
}  # fmt: skip
"""Number to (what goes wrong elsewhere, the right behaviour)."""

_TESTS = sorted((ROOT / "tests" / "sources").glob("test_claude_*cases.py"))


def covered() -> dict[int, int]:
    """Number of tests by case."""
    found: dict[int, int] = {}
    for node in (node for path in _TESTS for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
        if isinstance(node, ast.FunctionDef) and (match := re.match(r"test_a(\d+)_", node.name)):
            found[int(match[1])] = found.get(int(match[1]), 0) + 1
    assert set(found) <= set(CASES)
    return found


def cases() -> list[tuple[str, str, str, str]]:
    """Rows of the page: case, what goes wrong, what happens here, whether tests say so."""
    tests = covered()
    return [
        (f"A{n}", wrong, right if n in tests else f"*Not yet.* To be: {right[0].lower()}{right[1:]}",
         f"{tests[n]} test{'s' if tests[n] > 1 else ''}" if n in tests else "no")
        for n, (wrong, right) in CASES.items()
    ]  # fmt: skip

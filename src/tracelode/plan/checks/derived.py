"""What can the log of an agent not tell of its plan?

What a format does not have is no fault of the record: it is said once for all sessions, as information.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelode.model.planning import PlanFinding
from tracelode.plan.checks.across import finding
from tracelode.plan.checks.origins import adapters
from tracelode.plan.life import Story

ABSENT = frozenset({"PT001", "PT002", "PT051", "PT062", "PT090"})
"""Findings on what is missing, which say nothing of a session that was derived (what a fork has taken over
is planned where it came from)."""


def not_told(stories: Sequence[Story]) -> Iterator[PlanFinding]:
    """What the sources of derived sessions cannot tell, once each.

    Args:
        stories: sessions that were derived, at least one.

    Returns:
        Information, with how many sessions it is of.
    """
    total = len(stories)
    open_ = [s for s in stories if not s.types["complete"]]
    if open_:
        words = f"complete events are not recorded by this kind of source ({_names(open_)})"
        yield finding("PT002", words, "", (), total, "info", len(open_))
    bare = [s for s in stories if _bare(s)]
    if bare:
        words = f"results of nodes are not recorded by this kind of source ({_names(bare)}): its calls are"
        yield finding("PT090", words, "", (), total, "info", len(bare))
    without = [s for s in stories if not s.plan and not s.executes]
    if without:
        words = "sessions without a plan: coverage and order do not apply to them"
        yield finding("PT001", words, "", (), total, "info", len(without))


def _names(stories: Sequence[Story]) -> str:
    return ", ".join(sorted({name for story in stories for name in adapters(story.events)}))


def _bare(story: Story) -> bool:
    ends = [e for p in story.executes if (e := story.events[p]).status in ("succeeded", "failed")]
    return any("result_summary" not in e.payload for e in ends)

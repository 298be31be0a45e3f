"""How is a study read? What a high or low figure means, family by family, without words of cause."""

from __future__ import annotations

from collections.abc import Iterable

_GUIDE = {
    "procedure": (
        "procedure: the steps are known before; low coverage or returns say that the plan did not fit, or "
        "was not followed",
        "procedure: people before work are the review that was planned; during work they are corrections",
    ),
    "explore": (
        "explore: returns and nodes added later are how one learns, and no defect; look at what they cost",
        "explore: coverage below 1 may be a branch that was given up for a reason",
    ),
    "domain": (
        "domain: people before work bring what only they know; during work, what nobody had asked for",
        "domain: a long node may be waiting for an answer: look at human_wait",
    ),
}
_ALWAYS = (
    "high or low is not right or wrong; a difference between arms says that they differ, not why",
    "p over all tasks is adjusted by Holm; within families by Benjamini-Hochberg, to see where to look",
)


def guide(families: Iterable[str]) -> tuple[str, ...]:
    """Lines for the families that a study has.

    Args:
        families: words of FAMILIES.
    """
    return (*(line for family in families for line in _GUIDE.get(family, ())), *_ALWAYS)

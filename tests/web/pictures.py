"""What is drawn in tests? Small profiles with every kind of value, and names nobody should trust."""

from __future__ import annotations

from tracelode.model.behind import Behind, Worked
from tracelode.model.difference import Difference
from tracelode.model.profile import Profile, fold
from tracelode.profile.diff import difference
from tracelode.profile.pairs import Run

MEASURES = ("cost", "tokens", "tokens.reasoning", "time.active", "tokens.unpriced")
HOSTILE = (
    "</script><script>window.bad = 1</script>",
    "<img src=x onerror='window.bad = 1'>",
    "<!-- <script>",
    "a‮b\x1b[2J",
    "javascript:window.bad=1",
    "\ud800 half",
)
"""Frames of a trace that wants to be more than text."""


def small() -> Profile:
    """Three kinds of work: one priced, one in part, one not at all; reasoning is told by the first alone."""
    rows = [
        (("fix bug", "read code", "Read"), (3 * 10**12, 12_000, 300, 61_000_000, 0)),
        (("fix bug", "test code", "Bash:pytest"), (10**12 + 1, 8_000, None, 3_000_000, 1_204)),
        (("fix bug", "test code"), (10**9, 5, None, 0, 0)),
        (("write docs", "edit docs", "Edit"), (0, 777, None, 2_500_000, 777)),
    ]
    made = fold(rows, MEASURES)
    return Profile(
        measures=made.measures, totals=made.totals, untold=made.untold, fields=("intent", "stage", "tool"),
        comments=("a comment",),
    )  # fmt: skip


def behind() -> Behind:
    """Operations of two stacks of small(), one of them told in part."""
    at = ("fix bug", "read code", "Read")
    rows = tuple(
        Worked(at, "session-a", i, "Read", "~/logs/a.jsonl", 10 + i, (10**12 - i, 100, None, 5, 0))
        for i in range(3)
    )
    lone = Worked(("write docs", "edit docs", "Edit"), "session-b", 7, "Edit", "~/logs/b.jsonl", 42,
                  (0, 777, None, 5, 777))  # fmt: skip
    return Behind(MEASURES, (*rows, lone), {at: 12, ("write docs", "edit docs", "Edit"): 1})


def hostile() -> Profile:
    """Every hostile frame above and below every other one."""
    rows = [((one, other), (10**12 + i, 5)) for i, one in enumerate(HOSTILE) for other in HOSTILE]
    return fold(rows, ("cost", "tokens"))


def wide(frames: int) -> Profile:
    """A few large frames and many small ones.

    Args:
        frames: about how many.
    """
    rows = [(("large", f"part {i}"), (10**9,)) for i in range(4)]
    rows += [(("small", f"group {i % 40}", f"leaf {i}"), (10**5 * (1 + i % 7),)) for i in range(frames)]
    return fold(rows, ("tokens",))


def contrasted(measure: str = "tokens") -> Difference:
    """Failed minus succeeded: more, less, and a stack with too little support."""
    base = [Run(f"a{i}", f"t{i % 3}", {("fix", "Bash"): 2_000 + i, ("fix", "Read"): 900}) for i in range(6)]
    other = [Run(f"b{i}", f"t{i % 3}", {("fix", "Bash"): 500, ("test", "Bash"): 7_000}) for i in range(5)]
    other.append(Run("b9", "t9", {("rare", "Read"): 50}))
    found = difference(base, other, measure=measure, names=("succeeded", "failed"), per="session")
    return Difference(
        **{**{f: getattr(found, f) for f in found.__struct_fields__}, "fields": ("stage", "tool")}
    )

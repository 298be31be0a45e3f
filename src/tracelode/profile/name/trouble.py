"""Is a segment about something that failed? A fix, or the look for the cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tracelode.profile.name.facts import Fact
from tracelode.profile.name.work import ASIDE, counted, kinds
from tracelode.signals.lexicon import load

_WRITTEN = 25
"""Percent of the calls of a fix that write."""
_ABOUT = 75
"""Percent that write, look or try what failed; percent of looks right after a failure."""
_TRYING, _BESET, _TIMES = 60, 25, 3
"""Percent of a diagnosis that look or try, percent of it that fail in one way, and how often at least."""


def fix(rows: Sequence[Fact], ahead: Sequence[Fact]) -> str:
    """The name of a segment that repairs what was seen to fail.

    Args:
        rows: one fact per tool call of the segment, at least one.
        ahead: up to three facts before it.

    Returns:
        A stage, "" where nothing failed before half of the edits, or where the edits are of something else:
        after a failed test, build or lint any edit counts; after a failed installation one of a file that
        says what is installed; after another failure the edited file is named in it, or the call repeated.

    Source:
        naming rules, step 2; decision 0024.
    """
    words = load().stages
    said, counts = counted(rows)
    n = len(said)
    edits = [at for at, row in enumerate(said) if row.act == "edit" and not row.failed]
    if not edits or 100 * counts["write"] < _WRITTEN * n:
        return ""
    start, cause = -1, _last_failure(ahead)
    if cause is None:
        inside = words["inside"].split()
        before = range(edits[-1])
        start = next((at for at in before if said[at].failed and said[at].verb in inside), n)
        if start == n:
            return ""
        cause = said[start]
    after = [at for at in edits if at > start]
    about = {"write", "read", kinds().of.get(cause.act, ASIDE)}
    if 2 * len(after) < len(edits) or 100 * sum(counts[kind] for kind in about) < _ABOUT * n:
        return ""
    what = words["fixes"].get(cause.verb)
    if cause.verb == "install":
        return f"fix {what}" if any(said[at].role in words["installs"] for at in after) else ""
    if what:
        return f"fix {what}"
    if cause.error not in words["fixable"]:
        return ""
    names = {said[at].path.rpartition("/")[2] for at in after} - {""}
    again = any(row.verb == cause.verb for row in said[after[0] :])
    return f"fix {cause.error}" if again or any(name in cause.text for name in names) else ""


def diagnosis(rows: Sequence[Fact], ahead: Sequence[Fact]) -> str:
    """The name of a segment that looks for the cause of a failure.

    Args:
        rows: one fact per tool call of the segment, at least one.
        ahead: up to three facts before it.

    Returns:
        A stage, "" where the segment does more than look and try, or does not keep failing in one way and
        follows no failure of a known class.

    Source:
        naming rules, step 2; decision 0024.
    """
    said, counts = counted(rows)
    n = len(said)
    if 100 * sum(counts[kind] for kind in load().stages["beset"].split()) >= _TRYING * n:
        causes = Counter(row.error for row in said if row.error)
        cause = min(causes, key=lambda name: (-causes[name], name), default="")
        times = causes[cause]
        if (times > 1 and 2 * times >= n) or (times >= _TIMES and 100 * times >= _BESET * n):
            return f"diagnose {cause}"
    last = _last_failure(ahead)
    if last is not None and last.error and 100 * counts["read"] >= _ABOUT * n:
        return f"diagnose {last.error}"
    return ""


def _last_failure(ahead: Sequence[Fact]) -> Fact | None:
    """The last exercising call among those before, if it failed."""
    verbs = load().verbs
    for row in reversed(ahead):
        known = verbs.get(row.verb)
        if known is not None and known.exercises:
            return row if row.failed else None
    return None

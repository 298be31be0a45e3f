"""How did sessions end that made commits? Their commits are on a branch, or were taken back there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tracelode.model.operation import Operation
from tracelode.model.report import Skipped
from tracelode.workspace.outcomes import Verdicts
from tracelode.workspace.repository import Branch

# the words before the digits are a branch, "detached HEAD" or "main (root-commit)", in git's language; the
# redactor writes what it takes out in brackets of its own
_MADE = re.compile(r"^\[(?:[^\[\]\n]|\[[^\[\]\n]{1,40}\]){1,300} ([0-9a-f]{7,64})\](?=\s|$)", re.M)
# git add has the verb commit as well
_ASKED = re.compile(r"\bgit\b[^\n;&|]*\scommit(?=[\s;&|)]|$)")

ABSENT = "none of its commits is on the branch"
CUT = "none of its commits is on the branch; the clone is shallow and may lack them"
MIXED = "some of its commits were reverted and some were not"
SEVERAL = "a short hash that several commits of the branch begin with"
UNNAMED = "git commit was called, and no stored result names a commit"


def made(operations: Iterable[Operation]) -> list[str] | None:
    """The commits that tool calls made.

    Args:
        operations: calls that may have committed.

    Returns:
        Beginnings of hashes as git printed them; [] where git commit was called and no result names one,
        None where it was not.
    """
    found: dict[str, None] = {}
    silent = False
    for operation in operations:
        hashes = _MADE.findall(operation.output)
        found.update(dict.fromkeys(hashes))
        silent |= operation.status == "ok" and bool(_ASKED.search(operation.fields.get("command", "")))
    return list(found) if found or silent else None


def verdict(hashes: Sequence[str], branch: Branch) -> tuple[str | None, str]:
    """How a session ended that made commits.

    Args:
        hashes: beginnings of their hashes.
        branch: what became of them.

    Returns:
        (success, failure or None, why it is None).

    Source:
        docs/decisions/0020-outcome-sources.md.
    """
    if not hashes:
        return None, UNNAMED
    matches = [branch.matching(digits) for digits in hashes]
    if any(len(found) > 1 for found in matches):
        return None, SEVERAL
    there = {found[0] for found in matches if found}
    if not there:
        return None, CUT if branch.shallow else ABSENT
    back = len(there & branch.reverted)
    if not back:
        return "success", ""
    return ("failure", "") if back == len(there) else (None, MIXED)


def read_git(families: Mapping[str, Sequence[Operation]], branch: Branch, name: str) -> Verdicts:
    """Outcomes of the sessions that made commits.

    Args:
        families: root key to the calls of its family that may have committed.
        branch: what became of commits.
        name: the repository, as the counts name it.

    Returns:
        What it says; sessions that are left open are counted by reason, without a line.
    """
    found = Verdicts()
    left: Counter[str] = Counter()
    for root, operations in families.items():
        hashes = made(operations)
        if hashes is None:
            continue
        outcome, why = verdict(hashes, branch)
        if outcome is None:
            left[why] += 1
        else:
            found.by_root[root] = (outcome, None)
    found.skipped = [Skipped(name, 0, why, count) for why, count in sorted(left.items())]
    return found

"""How did sessions end whose task is an issue? A JSON list says which issues are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import SourceError
from tracelode.model.report import Skipped
from tracelode.workspace.outcomes import Verdicts, file_bytes

REASONS: dict[str, str] = {"": "success", "completed": "success", "not_planned": "failure"}
"""Why an issue was closed, to outcomes."""
_MOST = 2**63


def read_issues(path: Path, tasks: Mapping[str, Sequence[tuple[str, str]]]) -> Verdicts:
    """Outcomes of the sessions whose task is an issue of a JSON list, as GitHub's command line prints it.

    Args:
        path: the file: objects with number, state and stateReason (of the REST interface: state_reason).
        tasks: task to the sessions that have it: (root key, project).

    Returns:
        What it says; entries that say nothing usable are counted, their line is the place in the list from 1.

    Raises:
        SourceError: the file cannot be read, or is not such a list.

    Source:
        docs/decisions/0020-outcome-sources.md.
    """
    found = Verdicts()
    reasons: dict[str, Skipped] = {}

    def skip(place: int, reason: str) -> None:
        old = reasons.get(reason)
        reasons[reason] = Skipped(
            path.name, old.line if old else place, reason, (old.count if old else 0) + 1
        )

    said: set[int] = set()
    for place, entry in enumerate(_entries(path), 1):
        number = entry.get("number") if isinstance(entry, dict) else None
        # bool is an int too, and digits without end cannot be written as text
        if type(number) is not int or not 0 < number < _MOST:
            skip(place, "entry without the number of an issue")
            continue
        outcome, why = _outcome(entry)
        sessions = [*tasks.get(str(number), ()), *tasks.get(f"#{number}", ())]
        if len({project for _, project in sessions}) > 1:
            why = why or "a task of several projects; name one with --project"
        if why or not sessions:
            skip(place, why or "no session has this issue as its task")
            continue
        if number in said:
            skip(place, "number of an entry before, the last one holds")
        said.add(number)
        for root, _ in sessions:
            found.by_root.pop(root, None)
        if outcome is None:
            skip(place, "issue is open")
        else:
            found.by_root.update((root, (outcome, None)) for root, _ in sessions)
    found.skipped = sorted(reasons.values(), key=lambda s: s.line)
    return found


def _outcome(entry: Mapping[str, Any]) -> tuple[str | None, str]:
    """(outcome, None while it is open; why it cannot be used)."""
    if entry.get("pull_request") is not None:
        return None, "pull request; closed ones may have been refused"
    state = entry.get("state")
    known = state.lower() if isinstance(state, str) else ""
    if known == "open":
        return None, ""
    if known != "closed":
        return None, "state is neither open nor closed"
    keys = [key for key in ("stateReason", "state_reason") if key in entry]
    if not keys:
        return None, "closed, and the list does not tell why; write it with stateReason too"
    word = entry[keys[0]]
    reason = "" if word is None else word
    outcome = REASONS.get(reason.lower()) if isinstance(reason, str) else None
    return outcome, "" if outcome else "closed for another reason than completed or not planned"


def _entries(path: Path) -> list[Any]:
    data = file_bytes(path)
    try:
        entries = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except msgspec.ValidationError as error:
        # valid JSON; what no type bounds can only be a number
        raise SourceError("holds a number that is too large", path=path.name) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError("is not JSON in UTF-8", path=path.name) from error
    if not isinstance(entries, list):
        raise SourceError(
            "is no list of issues; write it with: gh issue list --state all --json number,state,stateReason",
            path=path.name,
        )
    return entries

"""Does a look use up what it tells? The same call, made again, then tells something else.

A queue hands out another message each time, a counter another number. Such a call is no repeat of the one
before, whatever its name says, and to make it once less or once more changes what is there. Three things look
alike and are none of it: waiting until a status is another, looking again after something was written, and
a list that has grown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from tracelode.compile.paths import general, leaves, written
from tracelode.model.run import Run, Tree
from tracelode.signals.command import tokens
from tracelode.signals.lexicon import load
from tracelode.signals.tools import is_shell

STATUS = frozenset(
    ("status", "state", "phase", "progress", "done", "ready", "finished", "complete", "completed",
     "conclusion", "pending", "running", "percent", "percentage")
)  # fmt: skip
"""Names of fields that say how far something is."""
POLLS = 3
"""Calls from which looking again is waiting even without such a field."""
RUNS = 2
"""Runs that must show that a tool uses up what it tells."""
_STATES = STATUS | frozenset(
    ("queued", "waiting", "started", "starting", "processing", "in_progress", "building", "built", "success",
     "succeeded", "failed", "failure", "ok", "error", "active", "open", "closed", "created", "scheduled",
     "shipped", "delivered", "paid", "unpaid", "true", "false")
)  # fmt: skip
_NAMING = frozenset(("id", "uuid", "guid", "key", "code", "name", "ref", "reference", "message", "token"))
_PASSING = frozenset(
    ("time", "timestamp", "ts", "now", "at", "elapsed", "duration", "took", "ms", "latency", "uptime", "age",
     "request", "trace", "etag", "cached", "expires", "expiry")
)  # fmt: skip
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?.*")


def differ(one: Tree, other: Tree) -> bool:
    """Do two outputs of one call tell something else, and not only more or at another moment?

    Args:
        one: the earlier output.
        other: the later one.

    Returns:
        False where only moments, durations, fractions and the order of elements differ, or where the later
        output holds all of the earlier one and more.

    Example:
        >>> differ({"message": "M-1"}, {"message": "M-2"}), differ([1, 2], [2, 1, 3]), differ(1.5, 1.6)
        (True, False, False)
    """
    return bool(_told(one) - _told(other))


def _told(output: Tree) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for keys, value in leaves(output):
        path = general(keys)
        if isinstance(value, float) or _PASSING.intersection(_words(path)):
            continue
        if isinstance(value, str) and _MOMENT.fullmatch(value):
            continue
        found[path, msgspec.json.encode(value).decode()] += 1
    return found


def _words(path: str) -> list[str]:
    return tokens(path.rpartition(".")[2].strip("[]*"))


def waits(tool: str, outputs: Sequence[Tree], still: bool = False) -> bool:
    """Were the same calls made again until something was another by itself?

    Args:
        tool: its name.
        outputs: of the calls, one after another; none follows an equal one.
        still: whether a call in between told the same as the one before.

    Returns:
        True where one and the same thing reached another state: what names it stayed as it was, and no
        state came back.
    """
    moved = _moved(outputs)
    if moved is None or outputs[-1] == outputs[-2]:
        return False
    rows = [{written(keys): value for keys, value in leaves(output)} for output in outputs]
    states = [path for path in moved if _state(tool, path, [row.get(path) for row in rows])]
    if any(path not in states and _names(path, [row.get(path) for row in rows]) for path in moved):
        return False
    if states:
        return all(_onward([row.get(path) for row in rows]) for path in states)
    return len(outputs) >= POLLS and len(moved) <= 2 and (still or all(_count(rows, path) for path in moved))


def _state(tool: str, path: str, values: Sequence[object]) -> bool:
    if any(word in STATUS for word in (*_words(path), path.lower())):
        return True
    told = all(isinstance(v, bool) or (isinstance(v, str) and v.lower() in _STATES) for v in values)
    return told or (not path and bool(STATUS.intersection(tokens(tool))))


def _names(path: str, values: Sequence[object]) -> bool:
    """Does a field name a thing, in all outputs?"""
    words = _words(path)
    return bool(words) and words[-1] in _NAMING and all(v not in (None, "", [], {}) for v in values)


def _onward(values: Sequence[object]) -> bool:
    """Does no value come back after another one?"""
    steps = [v for n, v in enumerate(values) if not n or v != values[n - 1]]
    return len(steps) == len({repr(v) for v in steps})


def _count(rows: Sequence[dict[str, Tree]], path: str) -> bool:
    """Does a number only rise, or only fall?"""
    values = [row.get(path) for row in rows]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(numbers) == len(values) and numbers in (sorted(numbers), sorted(numbers, reverse=True))


def _moved(outputs: Sequence[Tree]) -> list[str] | None:
    """Paths whose values differ between outputs of one form; None where the forms differ."""
    rows = [dict(leaves(output)) for output in outputs]
    if any(row.keys() != rows[0].keys() for row in rows):
        shared = set(rows[0]).intersection(*rows)
        least = min(map(len, rows))
        if len(shared) * 2 < least:
            return None
        rows = [{key: row[key] for key in row if key in shared} for row in rows]
    return [written(key) for key in rows[0] if any(row[key] != rows[0][key] for row in rows)] or None


def hollow(output: Tree) -> bool:
    """Does an output hold nothing?

    Args:
        output: parsed result.

    Example:
        >>> hollow([]), hollow({"rows": []}), hollow({"rows": [], "total": 0}), hollow(0)
        (True, True, False, False)
    """
    return all(value is None or value in ("", [], {}) for _, value in leaves(output))


def again(run: Run) -> Iterator[tuple[int, ...]]:
    """The calls of a run that were made again with the same arguments, and told something.

    Args:
        run: which.

    Returns:
        Call indexes in order, two or more; shells and an agent's own tools are left out: what they show
        is changed by everything.
    """
    own = load().tools
    groups: dict[tuple[str, str, bytes], list[int]] = {}
    names = Counter((call.server, call.name) for call in run.calls)
    for n, call in enumerate(run.calls):
        if names[call.server, call.name] < 2 or is_shell(call.name) or call.name.lower() in own:
            continue
        if not call.missing and not call.error and not hollow(call.output):
            key = call.server, call.name, msgspec.json.encode(call.arguments, order="deterministic")
            groups.setdefault(key, []).append(n)
    return (tuple(group) for group in groups.values() if len(group) > 1)


def told_anew(run: Run, group: Sequence[int]) -> bool:
    """Did calls with the same arguments each tell something else, without waiting for it?

    Args:
        run: which.
        group: indexes of the calls.
    """
    calls = [run.calls[n] for n in group]
    if not any(differ(a.output, b.output) for a, b in pairwise(calls)):
        return False
    steps = [c.output for n, c in enumerate(calls) if not n or c.output != calls[n - 1].output]
    return not waits(calls[0].name, steps, len(steps) < len(calls))


def consumers(runs: Iterable[Run], changed: Callable[[Run, int, int], bool]) -> set[tuple[str, str]]:
    """The tools that use up what they tell.

    Args:
        runs: with outputs.
        changed: (run, earlier call, later call) to whether the run wrote between them what the call
            may depend on.

    Returns:
        (server, name) of tools whose same call told something else in most of the runs that made it again
        with nothing written in between, and in RUNS runs or more.
    """
    shown: Counter[tuple[str, str]] = Counter()
    anew: Counter[tuple[str, str]] = Counter()
    for run in runs:
        seen: dict[tuple[str, str], bool] = {}
        for group in again(run):
            if not changed(run, group[0], group[-1]):
                call = run.calls[group[0]]
                key = call.server, call.name
                seen[key] = seen.get(key, False) or told_anew(run, group)
        shown.update(seen.keys())
        anew.update(key for key, found in seen.items() if found)
    return {key for key, count in anew.items() if count >= RUNS and 2 * count > shown[key]}

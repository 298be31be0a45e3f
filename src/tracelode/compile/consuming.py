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
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from tracelode.compile.paths import ANY_PLACE, Key, general, leaves, written
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
    found: Counter[tuple[str, str]] = Counter()
    for keys, mine, sign in _unequal(one, other):
        for inner, value in leaves(mine):
            path = general(keys + inner)
            passing = isinstance(value, float) or _passing(path)
            if not passing and not (isinstance(value, str) and _MOMENT.fullmatch(value)):
                found[path, msgspec.json.encode(value).decode()] += sign
    return any(count > 0 for count in found.values())


def _unequal(one: Tree, other: Tree) -> Iterator[tuple[tuple[Key, ...], Tree, int]]:
    """(where, part, 1 or -1) for what is left of two values where equal parts of one place cancel out."""
    stack: list[tuple[tuple[Key, ...], Any, Any]] = [((), one, other)]
    while stack:
        at, mine, theirs = stack.pop()
        if isinstance(mine, dict) and isinstance(theirs, dict) and mine and theirs:
            stack.extend(((*at, key), mine[key], theirs[key]) for key in mine if key in theirs)
            yield from (((*at, key), mine[key], 1) for key in mine if key not in theirs)
            yield from (((*at, key), theirs[key], -1) for key in theirs if key not in mine)
        elif isinstance(mine, list) and isinstance(theirs, list) and mine and theirs:
            # the order of elements says nothing
            left = Counter(map(msgspec.json.encode, mine))
            left.subtract(map(msgspec.json.encode, theirs))
            for element, count in left.items():
                part = msgspec.json.decode(element) if count else None
                yield from (((*at, ANY_PLACE), part, 1 if count > 0 else -1) for _ in range(abs(count)))
        elif msgspec.json.encode(mine) != msgspec.json.encode(theirs):
            yield at, mine, 1
            yield at, theirs, -1


@lru_cache(maxsize=4096)
def _passing(path: str) -> bool:
    return not _PASSING.isdisjoint(_words(path))


@lru_cache(maxsize=4096)
def _words(path: str) -> tuple[str, ...]:
    return tuple(tokens(path.rpartition(".")[2].strip("[]*")))


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
    states = {path for path, values in moved.items() if _state(tool, path, values)}
    if any(path not in states and _names(path, values) for path, values in moved.items()):
        return False
    if states:
        return all(_onward(moved[path]) for path in states)
    return len(outputs) >= POLLS and len(moved) <= 2 and (still or all(map(_count, moved.values())))


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


def _count(values: Sequence[object]) -> bool:
    """Does a number only rise, or only fall?"""
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(numbers) == len(values) and numbers in (sorted(numbers), sorted(numbers, reverse=True))


def _moved(outputs: Sequence[Tree]) -> dict[str, list[Tree]] | None:
    """Path to its values where they differ between outputs of one form; None where the forms differ."""
    rows = [dict(leaves(output)) for output in outputs]
    if any(row.keys() != rows[0].keys() for row in rows):
        shared = set(rows[0]).intersection(*rows)
        least = min(map(len, rows))
        if len(shared) * 2 < least:
            return None
        rows = [{key: row[key] for key in row if key in shared} for row in rows]
    first = rows[0]
    moved = [key for key in first if any(row[key] != first[key] for row in rows)]
    return {written(key): [row[key] for row in rows] for key in moved} or None


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

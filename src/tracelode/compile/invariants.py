"""What was so of a step's output in every run? Checks that later runs must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tracelode.compile import transforms
from tracelode.compile.paths import get
from tracelode.model.run import Call, Tree
from tracelode.model.workflow import Check

FEWEST = 3
WORDS = frozenset(("status", "state", "success", "ok", "result", "code", "response_code"))
"""Names of the leaves that tell whether a call did what it should."""
MEASURED = 5
"""Outputs from which a range or a list of values is learned."""
WIDER = 10
"""Times that a number may be larger or smaller than any that was seen."""
VALUES = 3
"""Values that a closed list may have, each seen twice or more."""
_CLOSED = re.compile(r"[^\W\d]{1,24}(?:[ _-][^\W\d]{1,24}){0,2}")
"""A word of a closed list; what holds digits is a name of something."""
_NAMING = re.compile(
    r"(?:(?:^|[_\W])(?i:id|uuid|key|no|nr|number|num|code|ref|zip|phone)"
    r"|(?<=[a-z])(?:Id|ID|Uuid|UUID|Key|No|Nr|Number|Num|Code|Ref|Zip|Phone))s?(?:\[\*\])?$"
)
"""Leaves that name something: their numbers grow without end and measure nothing."""


def checks(
    calls: Sequence[Call], writes: bool, used: Sequence[str], written: Sequence[str] = ()
) -> tuple[Check, ...]:
    """Invariants of a step's outputs.

    Args:
        calls: the step's calls in all runs.
        writes: it changes something: what tells its success is a criterion.
        used: generalised paths that later steps read.
        written: of these, the paths that go into an argument of a write.

    Returns:
        no_error first, then the type, what later steps read, ranges and closed lists of what is written, and
        success leaves.

    Source:
        compiler specification, section 9; docs/decisions/0029-when-proven.md.
    """
    outputs = [call.output for call in calls if not call.missing and not call.error]
    found = [Check("no_error", "")]
    if len(outputs) < FEWEST:
        return tuple(found)
    kinds = {_type(o) for o in outputs}
    if len(kinds) == 1:
        found.append(Check("type", "", kinds.pop()))
    found += [Check("required", path) for path in used if path and all(_there(o, path) for o in outputs)]
    found += [check for path in written if path for check in _bounds(outputs, path)]
    if writes:
        found.extend(_success(outputs))
    return tuple(found)


def _bounds(outputs: Sequence[Tree], path: str) -> Iterator[Check]:
    """Within which numbers, or of which words, a value is that goes into a write."""
    many = "[*]" in path or "{*}" in path
    values: list[Tree] = []
    told = 0
    for output in outputs:
        try:
            found = get(output, path)
        except LookupError:
            continue
        told += 1
        values.extend(found if many else [found])
    if told < MEASURED or not values:
        return
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(values) and not _NAMING.search(path):
        low, high = min(numbers), max(numbers)
        if low != 0 or high != 0:
            yield Check("range", path, _widened(low, high))
        return
    words = [v for v in values if isinstance(v, str) and _CLOSED.fullmatch(v)]
    known = sorted(set(words))
    if len(words) == len(values) and len(known) <= VALUES and all(words.count(w) > 1 for w in known):
        yield Check("enum", path, known)


def _widened(low: float, high: float) -> list[float]:
    """A range that is wide enough for what was not seen yet; the sign stays as it always was."""
    if low > 0:
        return [low / WIDER, high * WIDER]
    if high < 0:
        return [low * WIDER, high / WIDER]
    widest = max(-low, high) * WIDER
    return [0 if low == 0 else -widest, 0 if high == 0 else widest]


def _there(tree: Tree, path: str) -> bool:
    try:
        found = get(tree, path)
    except LookupError:
        return False
    return bool(found) if "[*]" in path or "{*}" in path else True


def _success(outputs: Sequence[Tree]) -> list[Check]:
    found = []
    if all(isinstance(o, dict) for o in outputs):
        for key in outputs[0]:
            values = [o.get(key) for o in outputs]
            told = isinstance(values[0], (str, bool, int)) and key.lower() in WORDS
            if told and all(transforms.same(v, values[0]) for v in values):
                found.append(Check("equals", key, values[0], "success"))
    return found


def _type(value: Tree) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null")

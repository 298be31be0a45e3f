"""What was so of a step's output in every run? Checks that later runs must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tracelode.compile import transforms
from tracelode.compile.execute.checks import holds, json_type
from tracelode.compile.paths import get, parsed
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


class Read(NamedTuple):
    """What later steps read in the outputs of a step."""

    used: tuple[str, ...] = ()
    """Generalised paths."""
    written: tuple[str, ...] = ()
    """Of these, the paths that go into an argument of a write."""
    picked: tuple[tuple[str, str], ...] = ()
    """(list, field): elements are picked by the field."""


def checks(calls: Sequence[Call], writes: bool, read: Read) -> tuple[Check, ...]:
    """Invariants of a step's outputs.

    Args:
        calls: the step's calls in all runs.
        writes: it changes something: what tells its success is a criterion.
        read: what later steps read.

    Returns:
        no_error first, then the type, what later steps read and of which form it is, what picks elements,
        ranges and closed lists of what is written, and success leaves.

    Source:
        compiler specification, section 9; docs/decisions/0029-when-proven.md.
    """
    outputs = [call.output for call in calls if not call.missing and not call.error]
    found = [Check("no_error", "")]
    if len(outputs) < FEWEST:
        return tuple(found)
    kinds = {_kind(o) for o in outputs}
    if len(kinds) == 1:
        found.append(Check("type", "", kinds.pop()))
    found += [Check("required", path) for path in read.used if path and all(_there(o, path) for o in outputs)]
    found += [check for path in read.used if path for check in _form(outputs, path, path in read.written)]
    found += [check for at, field in read.picked for check in _picks(outputs, at, field)]
    found += [check for path in read.written if path for check in _bounds(outputs, path)]
    if writes:
        found.extend(_success(outputs))
    return tuple(one for place, one in enumerate(found) if one not in found[:place])


def _form(outputs: Sequence[Tree], path: str, written: bool) -> Iterator[Check]:
    """Of which type a value always is; that a text is never empty, and of one line where it is written."""
    values = _values(outputs, path)
    kinds = {_kind(value) for value in values}
    if len(kinds) != 1 or kinds == {"null"}:
        return
    kind = kinds.pop()
    yield Check("type", path, kind)
    if kind == "string" and all(str(v).strip() for v in values):
        yield Check("nonempty", path)
        if written and all(len(str(v).splitlines()) == 1 for v in values):
            yield Check("line", path)


def _picks(outputs: Sequence[Tree], at: str, field: str) -> Iterator[Check]:
    """That every element of a list tells what it is picked by, in a form and range that were seen."""
    path = f"{at}[*].{field}" if at else f"[*].{field}"
    yield from _form(outputs, path, written=False)
    if len(keys := parsed(field)) == 1 and isinstance(keys[0], str):
        check = Check("every", at, keys[0])
        if all(holds(check, output) for output in outputs):
            yield check
    yield from _bounds(outputs, path)


def _values(outputs: Sequence[Tree], path: str) -> list[Tree]:
    many = "[*]" in path or "{*}" in path
    values: list[Tree] = []
    for output in outputs:
        try:
            found = get(output, path)
        except LookupError:
            continue
        values.extend(found if many else [found])
    return values


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


def _kind(value: Tree) -> str:
    kind = json_type(value)
    return "number" if kind == "integer" else kind

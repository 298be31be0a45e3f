"""What was so of a step's output in every run? Checks that later runs must pass."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.compile import transforms
from tracelode.compile.paths import get
from tracelode.model.run import Call, Tree
from tracelode.model.workflow import Check

FEWEST = 3
WORDS = frozenset(("status", "state", "success", "ok", "result", "code", "response_code"))
"""Names of the leaves that tell whether a call did what it should."""


def checks(calls: Sequence[Call], writes: bool, used: Sequence[str]) -> tuple[Check, ...]:
    """Invariants of a step's outputs.

    Args:
        calls: the step's calls in all runs.
        writes: it changes something: what tells its success is a criterion.
        used: generalised paths that later steps read.

    Returns:
        no_error first, then the type, what later steps read, and success leaves.
    """
    outputs = [call.output for call in calls if not call.missing and not call.error]
    found = [Check("no_error", "")]
    if len(outputs) < FEWEST:
        return tuple(found)
    kinds = {_type(o) for o in outputs}
    if len(kinds) == 1:
        found.append(Check("type", "", kinds.pop()))
    found += [Check("required", path) for path in used if path and all(_there(o, path) for o in outputs)]
    if writes:
        found.extend(_success(outputs))
    return tuple(found)


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

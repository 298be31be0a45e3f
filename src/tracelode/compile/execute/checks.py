"""Is an output as it was in every run? Invariants, criteria of success, and whether a write is to be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tracelode.compile import transforms
from tracelode.compile.paths import get, leaves
from tracelode.model.execution import Failing
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.workflow import Check, Step

_NAMES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "none": "null",
    "NoneType": "null",
}
_ENDED_BADLY = ("error", "failed", "failure")


def json_type(found: Tree) -> str:
    """The JSON type of a value.

    Args:
        found: JSON value.

    Returns:
        null, boolean, integer, number, string, array or object.
    """
    match found:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def failing(step: Step, output: Tree) -> Failing | None:
    """The first check of a step that its output does not pass.

    Args:
        step: with checks.
        output: what its tool answered.

    Returns:
        What is wrong, None where all hold.
    """
    for check in step.checks:
        if not holds(check, output):
            words = f"{check.kind} does not hold, as it did in every run"
            return Failing(kind="check", what=words, path=check.path)
    return None


def holds(check: Check, output: Tree) -> bool:
    """Does a check hold of an output?

    Args:
        check: any kind; one that is not known does not hold.
        output: JSON value.

    Returns:
        The answer. Where the path leads nowhere, an invariant of a value holds and a criterion of success
        does not: whether something must be there is the kind required.
    """
    if check.kind == "no_error":
        return no_error(output)
    try:
        found = get(output, check.path)
    except LookupError:
        return check.kind != "required" and check.role != "success" and check.kind in _KINDS
    many = "[*]" in check.path or "{*}" in check.path
    if check.kind == "required":
        return not many or bool(found)
    test = _KINDS.get(check.kind)
    if test is None:
        return False
    return all(test(one, check.value) for one in (found if many else [found]))


def _type(found: Tree, wanted: Any) -> bool:
    kinds = wanted if isinstance(wanted, list | tuple) else [wanted]
    kind = json_type(found)
    return any(_NAMES.get(k, k) in (kind, "number" if kind == "integer" else kind) for k in kinds)


def _nonempty(found: Tree, _: Any) -> bool:
    return (found.strip() if isinstance(found, str) else found) not in (None, "", [], {})


def _line(found: Tree, _: Any) -> bool:
    return not isinstance(found, str) or len(found.splitlines()) < 2


def _every(found: Tree, key: Any) -> bool:
    rows = list(found.values()) if isinstance(found, dict) else found
    return isinstance(rows, list) and all(isinstance(r, dict) and r.get(key) is not None for r in rows)


def _range(found: Tree, wanted: Any) -> bool:
    number = transforms.number(found)
    low, high = wanted
    return number is not None and (low is None or number >= low) and (high is None or number <= high)


def _count(found: Tree, wanted: Any) -> bool:
    return isinstance(found, list | dict) and _range(len(found), wanted)


def _enum(found: Tree, wanted: Any) -> bool:
    return any(transforms.same(found, one) for one in wanted)


_KINDS: dict[str, Callable[[Tree, Any], bool]] = {
    "type": _type,
    "required": _nonempty,
    "nonempty": _nonempty,
    "line": _line,
    "every": _every,
    "range": _range,
    "count": _count,
    "enum": _enum,
    "equals": transforms.same,
}


def no_error(output: Tree) -> bool:
    """Does an output not say that the call failed?

    Args:
        output: JSON value.

    Returns:
        False for a filled field error or errors, success or ok of false, a status of failure, and a text
        that begins with "error".
    """
    if isinstance(output, str):
        return not output.lstrip().lower().startswith("error")
    if not isinstance(output, dict):
        return True
    if any(output.get(name) not in (None, "", [], {}, False, 0) for name in ("error", "errors")):
        return False
    if output.get("success") is False or output.get("ok") is False:
        return False
    status = output.get("status")
    return not (isinstance(status, str) and status.lower() in _ENDED_BADLY)


def getter_arguments(spec: ToolSpec, arguments: Tree) -> Tree | None:
    """How a getter is asked whether a write happened: by those of the write's arguments that it takes.

    Args:
        spec: the getter.
        arguments: of the write.

    Returns:
        Dict, None where the write does not tell all that the getter requires.
    """
    wanted = spec.parameters.get("properties")
    if not isinstance(wanted, Mapping) or not isinstance(arguments, dict):
        return None
    found = {name: value for name, value in arguments.items() if name in wanted}
    required = spec.parameters.get("required") or []
    return found if all(name in found for name in required) else None


def seen(output: Tree, arguments: Tree) -> int:
    """How many records of an output show a write: those that hold every value it was called with.

    Args:
        output: of the getter.
        arguments: of the write.

    Returns:
        Count of innermost objects that hold all values, 0 where the write tells nothing to look for.
    """
    wanted = [
        leaf for _, leaf in leaves(arguments) if leaf not in (None, "", [], {}) and leaf not in (True, False)
    ]
    return _seen(output, wanted) if wanted else 0


def _seen(tree: Tree, wanted: list[Tree]) -> int:
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    deeper = sum(_seen(one, wanted) for one in inner if isinstance(one, dict | list))
    if deeper or not isinstance(tree, dict):
        return deeper
    there = [leaf for _, leaf in leaves(tree)]
    return int(all(any(transforms.same(leaf, want) for leaf in there) for want in wanted))

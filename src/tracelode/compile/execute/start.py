"""What must be so before a run begins? Inputs given and typed, the moment fixed, the workflow known."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Mapping

import msgspec

from tracelode.compile.execute.given import check, secrets
from tracelode.compile.sealing import sealed
from tracelode.errors import RunError, ToolUnsure
from tracelode.model.run import Tree
from tracelode.model.tools import LARGEST
from tracelode.model.workflow import Workflow


def checked_inputs(workflow: Workflow, given: Mapping[str, Tree]) -> tuple[dict[str, Tree], dict[str, Tree]]:
    """The inputs of a run, those that are never written down apart.

    Args:
        workflow: which.
        given: name to value.

    Returns:
        (inputs, secrets).

    Raises:
        RunError: one is missing, or not an input of this workflow.
        InputError: a value is of another type.
    """
    known = {one.name: one for one in workflow.inputs}
    if strange := sorted({*given} - {*known}):
        names = ", ".join(sorted(known)) or "none"
        raise RunError(f"not inputs of this workflow: {', '.join(strange)}; its inputs: {names}")
    if missing := [one.name for one in workflow.inputs if one.required and one.name not in given]:
        raise RunError(f"these inputs are missing: {', '.join(missing)}")
    check(workflow, given)
    kept = secrets(workflow, given)
    return (
        {name: value for name, value in given.items() if name not in kept},
        {name: value for name, value in given.items() if name in kept},
    )


def needed_again(workflow: Workflow, names: Collection[str], given: Mapping[str, Tree]) -> dict[str, Tree]:
    """The inputs of a run that goes on which were never written.

    Args:
        workflow: which.
        names: of the inputs that its start did not write.
        given: name to value; what was written counts as it was written, whatever is given now.

    Returns:
        Name to value of each of the names.

    Raises:
        RunError: one is missing.
        InputError: a value is of another type.
    """
    check(workflow, given)
    if missing := sorted({*names} - {*given}):
        raise RunError(f"these inputs are never written down and are needed once more: {', '.join(missing)}")
    return {name: given[name] for name in sorted(names)}


def moment(state: Mapping[str, Tree] | None) -> dict[str, Tree]:
    """The values of the moment, fixed for the whole run.

    Args:
        state: the caller's own, which count before ours.

    Returns:
        Name to value: now and today (local time), cwd, and the caller's.
    """
    now = dt.datetime.now().astimezone().replace(microsecond=0)
    ours: dict[str, Tree] = {"now": now.isoformat(), "today": now.date().isoformat(), "cwd": os.getcwd()}
    return {**ours, **(state or {})}


def identity(workflow: Workflow) -> str:
    """What a workflow is known by in a journal: the digest of all of it, whatever its file says that it is.

    Args:
        workflow: which.

    Returns:
        32 hex digits.
    """
    return sealed(workflow).digest


def encoded(tree: Tree) -> bytes:
    """A value as JSON.

    Args:
        tree: what a tool answered, or what is to be noted.

    Raises:
        ToolUnsure: it is no JSON value, or too large a one.
    """
    try:
        data = msgspec.json.encode(tree)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ToolUnsure("the tool answered with what is no JSON value", kind="malformed") from None
    if len(data) > LARGEST:
        raise ToolUnsure(f"the tool answered with more than {LARGEST >> 20} MB", kind="large")
    return data

"""How does a workflow lie in a file, and what is said of one that was edited, broken or is newer?"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode.compile.execute.plan import ordered
from tracelode.compile.paths import parsed
from tracelode.errors import UsageError, WorkflowError
from tracelode.model import binding as b
from tracelode.model.workflow import COMPARISONS, VERSION, Guard, Step, Test, Workflow

LARGEST = 32 * 1024 * 1024
"""Bytes of a file that is read."""
_ENCODER = msgspec.json.Encoder(order="deterministic")


def digest(workflow: Workflow) -> str:
    """What stands in Workflow.digest: of all the rest.

    Args:
        workflow: with any digest.

    Returns:
        32 hex digits.
    """
    tree: Any = msgspec.to_builtins(workflow)
    tree["digest"] = ""
    return blake2b(_ENCODER.encode(tree), digest_size=16).hexdigest()


def sealed(workflow: Workflow) -> Workflow:
    """A workflow with its digest.

    Args:
        workflow: with any digest.
    """
    return msgspec.structs.replace(workflow, digest=digest(workflow))


def dump(workflow: Workflow, path: str | os.PathLike[str]) -> None:
    """Write a workflow; the file is there whole or not at all.

    Args:
        workflow: sealed or not.
        path: the file.

    Raises:
        WorkflowError: it cannot be written.
    """
    place = Path(path)
    data = msgspec.json.format(_ENCODER.encode(msgspec.to_builtins(sealed(workflow))), indent=2) + b"\n"
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".workflow-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(name, place)
    except OSError as error:
        raise WorkflowError(
            f"it cannot be written: {(error.strerror or '').lower()}", path=str(path)
        ) from None


def load(path: str | os.PathLike[str], *, accept_edits: bool = False) -> Workflow:
    """Read a workflow.

    Args:
        path: the file.
        accept_edits: take one that was edited by hand; otherwise it is refused.

    Returns:
        The workflow, checked.

    Raises:
        WorkflowError: it cannot be read, is of a newer version, was edited, or does not hold together.
    """
    name = str(path)
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise WorkflowError(f"it cannot be read: {(error.strerror or '').lower()}", path=name) from None
    if len(data) > LARGEST:
        raise WorkflowError(f"it has more than {LARGEST >> 20} MB", path=name)
    workflow = _decoded(data, name)
    if wrong := problems(workflow):
        place, what = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise WorkflowError(f"{what}{more}", path=name, place=place)
    if digest(workflow) != workflow.digest and not accept_edits:
        raise WorkflowError(
            "it was edited after it was compiled, so nothing proves it any more; "
            "compile it again, or accept the edits explicitly",
            path=name,
        )
    if digest(workflow) != workflow.digest and workflow.trust == "proven":
        # whoever accepts edits vouches for them; the runs do not
        workflow = msgspec.structs.replace(workflow, trust="unknown_outcome")
    return workflow


class _Version(msgspec.Struct):
    schema_version: int = 0


def _decoded(data: bytes, name: str) -> Workflow:
    try:
        version = msgspec.json.decode(data, type=_Version).schema_version
    except msgspec.ValidationError:
        raise WorkflowError("it is no workflow", path=name) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WorkflowError("it is no JSON", path=name, place=_line(data, str(error))) from None
    if version > VERSION:
        raise WorkflowError(
            f"it is of version {version}, made by a newer tracelode; this one reads up to {VERSION}: upgrade",
            path=name,
        )
    if version < 1:
        raise WorkflowError("it is no workflow: it names no version", path=name)
    try:
        return msgspec.json.decode(data, type=Workflow)
    except msgspec.ValidationError as error:
        # the words of msgspec name types and our own fields, and with "Invalid value" a value of the file
        what, _, place = str(error).partition(" - at `$")
        shown = what if what.startswith(("Expected", "Object missing")) else "a wrong value"
        raise WorkflowError(shown, path=name, place=place.rstrip("`").lstrip(".")) from None
    except RecursionError:
        raise WorkflowError("it is nested too deep", path=name) from None


def _line(data: bytes, words: str) -> str:
    at = words.rpartition("(byte ")[2].rstrip(")")
    return f"line {data[: int(at)].count(10) + 1}" if at.isdigit() else ""


def problems(workflow: Workflow) -> list[tuple[str, str]]:
    """What does not hold together in a workflow.

    Args:
        workflow: any.

    Returns:
        (place, closed words) of each; [] for a sound one.
    """
    found: list[tuple[str, str]] = []
    slots = [step.slot for step in workflow.steps]
    for n, slot in enumerate(slots):
        if slot in slots[:n]:
            found.append((f"steps[{n}].slot", "two steps have this name"))
    try:
        order = {step.slot: place for place, step in enumerate(ordered(workflow))}
    except WorkflowError as error:
        return [*found, ("steps", str(error).partition(": ")[2])]
    names = {one.name for one in workflow.inputs}
    for n, step in enumerate(workflow.steps):
        found += [(f"steps[{n}]{at}", what) for at, what in _step(step, order, names)]
    return found


def _step(step: Step, order: dict[str, int], names: set[str]) -> Iterator[tuple[str, str]]:
    if step.retries and step.effect.writes and not step.effect.idempotent:
        yield ".retries", "a write is not tried again unless it is declared idempotent"
    if step.wait is not None and step.effect.writes:
        yield ".wait", "a write is not repeated until something ends"
    if step.retries < 0 or (step.wait is not None and (step.wait.most < 1 or step.wait.every_ms < 0)):
        yield "", "counts and pauses must not be negative"
    if step.each is not None:
        yield from ((".each.over" + at, what) for at, what in _binding(step.each.over, step, order, names))
    yield from ((".when" + at, what) for at, what in _guard(step.when, step, order, names))
    for k, argument in enumerate(step.arguments):
        place = f".arguments[{k}]"
        if _path(argument.path):
            yield place + ".path", "it is no path"
        yield from (
            (place + ".binding" + at, what) for at, what in _binding(argument.binding, step, order, names)
        )
        yield from ((place + ".when" + at, what) for at, what in _guard(argument.when, step, order, names))
    for k, check in enumerate(step.checks):
        if _path(check.path):
            yield f".checks[{k}].path", "it is no path"


def _guard(
    guard: Guard | None, step: Step, order: dict[str, int], names: set[str]
) -> Iterator[tuple[str, str]]:
    for k, test in enumerate(guard.tests if guard else ()):
        yield from ((f".tests[{k}]{at}", what) for at, what in _test(test, step, order, names))


def _test(test: Test, step: Step, order: dict[str, int], names: set[str]) -> Iterator[tuple[str, str]]:
    if test.op not in COMPARISONS:
        yield ".op", "no such comparison"
    if test.right is None and test.op not in ("empty", "present"):
        yield ".right", "the comparison needs a right side"
    for side in (test.left, test.right):
        if side is not None:
            yield from _binding(side, step, order, names)


def _binding(
    binding: b.Binding, step: Step, order: dict[str, int], names: set[str]
) -> Iterator[tuple[str, str]]:
    for producer in b.producers(binding):
        if producer not in order:
            yield "", "it reads a step that is not there"
        elif order[producer] >= order[step.slot]:
            yield "", "it reads a step that does not come before it"
    if any(name not in names for name in b.inputs(binding)):
        yield "", "it reads an input that is not declared"
    for inner in _all(binding):
        if isinstance(inner, b.Unsourced):
            yield "", "the argument has no known source, and can never be bound"
        if isinstance(inner, b.Copy | b.Span) and _path(inner.path):
            yield "", "it is no path"
        if isinstance(inner, b.Span) and _pattern(inner.pattern):
            yield "", "it is no expression with one group"


def _all(binding: b.Binding) -> Iterator[b.Binding]:
    yield binding
    for inner in b.children(binding):
        yield from _all(inner)


def _path(path: str) -> bool:
    with contextlib.suppress(UsageError):
        parsed(path)
        return False
    return True


def _pattern(pattern: str) -> bool:
    import re2

    with contextlib.suppress(re2.error):
        return bool(re2.compile(pattern).groups != 1)
    return True

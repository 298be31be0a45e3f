"""How does a workflow lie in a file, and what is said of one that was edited, broken or is newer?"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from tracelode.compile.execute.sound import problems
from tracelode.compile.paths import deeper
from tracelode.compile.sealing import digest, sealed
from tracelode.errors import EditedWorkflow, WorkflowError
from tracelode.files import bounded, why
from tracelode.model.workflow import VERSION, Workflow

LARGEST = 32 * 1024 * 1024
"""Bytes of a file that is read."""
DEPTH = 150
"""Levels of lists and objects: more than the compiler writes, and few enough for all that walks them."""
_ENCODER = msgspec.json.Encoder(order="deterministic")


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
        EditedWorkflow: it was edited by hand.
        WorkflowError: it cannot be read, is of a newer version, or does not hold together.
    """
    name = str(path)
    try:
        data = bounded(Path(path), LARGEST)
    except OSError as error:
        raise WorkflowError(f"it cannot be read: {why(error)}", path=name) from None
    workflow = _decoded(data, name)
    tree = msgspec.json.decode(data)
    if deeper(tree, DEPTH):
        raise WorkflowError("it is nested too deep", path=name)
    if wrong := problems(workflow):
        place, what = wrong[0]
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise WorkflowError(f"{what}{more}", path=name, place=place)
    # a field that nothing reads is in no digest: whoever wrote it meant something by it
    edited = digest(workflow) != workflow.digest or _unread(tree, workflow)
    if edited and not accept_edits:
        raise EditedWorkflow(
            "it was edited after it was compiled, so nothing proves it any more; "
            "compile it again, or accept the edits explicitly (--accept-edits)",
            path=name,
        )
    if edited and workflow.trust == "proven":
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


def _unread(tree: Any, read: object) -> bool:
    """Does a file have a field that the workflow of it has not?"""
    if isinstance(read, msgspec.Struct):
        own = dict(zip(read.__struct_encode_fields__, read.__struct_fields__, strict=True))
        return any(
            _unread(inner, getattr(read, own[key])) if key in own else key != read.__struct_config__.tag_field
            for key, inner in tree.items()
        )
    if isinstance(read, tuple):
        return any(map(_unread, tree, read))
    return False


def _line(data: bytes, words: str) -> str:
    at = words.rpartition("(byte ")[2].rstrip(")")
    return f"line {data[: int(at)].count(10) + 1}" if at.isdigit() else ""

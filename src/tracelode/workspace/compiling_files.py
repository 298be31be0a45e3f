"""Where does a compiled workflow lie, and what is in its folder? Written whole, read with suspicion."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import ExportError, UsageError, WorkflowError
from tracelode.files import bounded, why
from tracelode.model.evidence import Edge, Evidence
from tracelode.model.workflow import Step, Workflow

if TYPE_CHECKING:
    from tracelode.compile.work import Work
    from tracelode.model.compiled import Checked, Compiled

WORKFLOW, EVIDENCE, REFUSAL = "workflow.json", "evidence.jsonl", "refused.json"
LARGEST = 512 * 1024 * 1024
"""Bytes of evidence that are read."""

_Read = tuple[Workflow, tuple[Edge, ...], tuple[Evidence, ...]]


def folder_of(target: str | Path) -> Path | None:
    """The folder that a word names, None where it names no file and no folder.

    Args:
        target: a folder that holds a workflow, its file, or another word.

    Raises:
        WorkflowError: a file that is not there, or a folder without a workflow.
    """
    path = Path(target).expanduser()
    if path.is_dir():
        if not (path / WORKFLOW).exists():
            more = ": the intent was refused" if (path / REFUSAL).exists() else ""
            raise WorkflowError(f"there is no {WORKFLOW} in this folder{more}", path=str(target))
        return path
    if path.exists():
        return path.parent
    if os.sep in str(target) or str(target).endswith(".json"):
        raise WorkflowError("it is not there", path=str(target))
    return None


def file_of(target: str | Path) -> Path:
    """The workflow file that a word names.

    Args:
        target: its folder, or itself.
    """
    path = Path(target).expanduser()
    return path / WORKFLOW if path.is_dir() else path


def read(target: str | Path, *, accept_edits: bool = False) -> _Read:
    """Read a workflow and the evidence beside it.

    Args:
        target: its folder or file.
        accept_edits: take one that was edited by hand.

    Returns:
        (workflow, its edges, its evidence; () where there is none of this workflow).

    Raises:
        WorkflowError: the file cannot be taken, or a line of the evidence is none.
    """
    from tracelode.compile.files import load

    place = file_of(target)
    workflow = load(place, accept_edits=accept_edits)
    found = evidence_of(place.parent / EVIDENCE)
    own = tuple(one for one in found if one.workflow == workflow.id)
    return workflow, workflow.edges, own


def looked_at(target: str | Path, *, accept_edits: bool = False) -> Checked:
    """The structure of a workflow, where there is no store with its runs.

    Args:
        target: folder or file that was written.
        accept_edits: take a file that was edited by hand.

    Raises:
        WorkflowError: the file cannot be taken.
    """
    from tracelode.model.compiled import Checked

    workflow, _, _ = read(target, accept_edits=accept_edits)
    return Checked(workflow=workflow, problems=static(workflow), reason="there is no store with its runs")


def evidence_of(path: Path) -> tuple[Evidence, ...]:
    """The tuples of a file.

    Args:
        path: JSON Lines; a file that is not there has none.

    Raises:
        WorkflowError: it cannot be read, or a line is no tuple.
    """
    if not path.exists():
        return ()
    try:
        data = bounded(path, LARGEST)
    except OSError as error:
        raise WorkflowError(why(error), path=str(path)) from None
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                found.append(_tuple(msgspec.json.decode(line)))
            except (
                msgspec.DecodeError,
                UnicodeDecodeError,
                RecursionError,
                TypeError,
                KeyError,
                AttributeError,
            ):
                raise WorkflowError("it is no evidence", path=str(path), place=f"line {number}") from None
    return tuple(found)


def _tuple(row: dict[str, Any]) -> Evidence:
    """A line of the file as a tuple: what is grouped there is flat here."""
    consumer, value = row.pop("consumer"), row.pop("value")
    text = value.pop("repr", None)
    flat = {**row, **{key: consumer[key] for key in ("call", "slot", "tool")}, "line": row.get("line") or 0}
    return msgspec.convert({**flat, "value": {**value, "text": text}}, Evidence)


def static(workflow: Workflow) -> tuple[str, ...]:
    """What does not hold together in a workflow.

    Args:
        workflow: any.

    Returns:
        Closed sentences.
    """
    from tracelode.compile.execute.sound import problems

    return tuple(f"{at}: {what}" for at, what in problems(workflow))


def differences(one: Workflow, other: Workflow | None) -> tuple[str, ...]:
    """What a workflow has that another has not, but for what they are called.

    Args:
        one: as it lies in a file.
        other: of the same runs, compiled again; None where they were refused.

    Returns:
        Closed phrases, () where they are the same.
    """
    if other is None:
        return ("its runs are refused now",)
    found = []
    here, there = ({step.slot: step for step in w.steps} for w in (one, other))
    if here.keys() != there.keys():
        found.append("other steps")
    for slot in sorted(here.keys() & there.keys()):
        names = [n for n in Step.__struct_fields__ if getattr(here[slot], n) != getattr(there[slot], n)]
        if names:
            found.append(f"{slot}: {', '.join(names)}")
    found += [name for name in ("inputs", "edges", "refusals") if getattr(one, name) != getattr(other, name)]
    return tuple(found)


def lines(one: Compiled) -> bytes:
    """The evidence of an intent as JSON Lines.

    Args:
        one: compiled or refused.
    """
    from tracelode.compile.emit.evidence_lines import evidence
    from tracelode.compile.work import Options, Work

    # texts are there only where the work was compiled to keep them
    work = Work(one.intent, (), options=Options(keep_values=True), evidence=one.evidence, verdict=one.verdict)
    return evidence(work)[EVIDENCE]


def artefacts(
    work: Work, names: Sequence[str], documents: Mapping[str, Any]
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The artefacts of a compiled intent.

    Args:
        work: the intent after all passes.
        names: of artefacts.
        documents: path to the OpenAPI document that was declared.

    Returns:
        (relative file name to content, name of an artefact that could not be made to why).

    Raises:
        UsageError: no artefact of that name.
    """
    from tracelode.compile.emit import Extra, emit

    found: dict[str, bytes] = {}
    unmade: dict[str, str] = {}
    for name in names:
        try:
            found.update(emit(work, [name], Extra(documents)))
        except WorkflowError as error:
            unmade[name] = str(error)
    return found, unmade


def write(one: Compiled, folder: Path, *, force: bool = False) -> list[Path]:
    """Write what was compiled.

    Args:
        one: compiled or refused.
        folder: made if it is not there.
        force: overwrite a workflow that was edited.

    Returns:
        Paths, workflow first.

    Raises:
        UsageError: an edited workflow lies there.
        ExportError: it cannot be written.
    """
    if (folder / WORKFLOW).exists() and not force:
        _assert_ours(folder / WORKFLOW)
    content: dict[str, bytes] = {}
    if one.workflow is not None:
        from tracelode.compile.sealing import sealed

        tree = msgspec.json.encode(msgspec.to_builtins(sealed(one.workflow)), order="deterministic")
        content[WORKFLOW] = msgspec.json.format(tree, indent=2) + b"\n"
    else:
        content[REFUSAL] = msgspec.json.format(msgspec.json.encode(one.verdict), indent=2) + b"\n"
    content[EVIDENCE] = lines(one)
    content.update(one.files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stale = REFUSAL if one.workflow is not None else WORKFLOW
        (folder / stale).unlink(missing_ok=True)
        return [_put(folder / name, data) for name, data in content.items()]
    except OSError as error:
        raise ExportError(f"cannot write into {folder}: {why(error)}") from error


def _assert_ours(path: Path) -> None:
    from tracelode.compile.files import load

    try:
        load(path)
    except WorkflowError as error:
        raise UsageError(
            f"{error}; it would be overwritten: name another folder with -o, or give --force"
        ) from None


def _put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tracelode-")
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    os.replace(name, path)
    return path

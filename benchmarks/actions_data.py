"""How do thoughts, actions and results with human labels become operations, and what could not be read?"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from labelled import ORIGIN
from segments_data import Unread, read

from tracelode.model.operation import Operation
from tracelode.profile.train.labelled import arguments
from tracelode.signals.enrich import enrich
from tracelode.signals.tools import operation_verb

STEM = "thought-action-result"
EDITOR = "str_replace_editor"
_NEXT = "; Next thought:"
"""Behind it an output holds what the agent thought next."""


class Labelled(NamedTuple):
    """One run with its labels; the operations know nothing of them."""

    task: str
    """What the agent was given to do."""
    agent: str
    """The framework that ran."""
    operations: list[Operation]
    """Its n actions."""
    categories: list[str]
    """n human categories, "" where there is none."""
    relations: list[str] | None
    """n - 1 human relations of each action to the one before, None where the set does not align them."""


def action(row: dict[str, Any], session: str, index: int) -> Operation:
    """One action, enriched as an import would."""
    name, _, word = str(row.get("tool") or "").partition(":")
    text = str(row.get("text") or "")
    fields = {"tool": {"edit": EDITOR, "bash": "execute_bash"}.get(name, name), **arguments(_inner(text))}
    output = str(row.get("obs") or "").partition(_NEXT)[0]
    command = fields.get("command", text) if name == "bash" else word
    fields["verb"] = operation_verb(fields["tool"], command)
    enrich(fields, kind="tool", output=output)
    if name != "bash":
        # what the call says is compared, not the editor's subcommand
        fields.pop("command", None)
    return Operation(
        session=session, index=index, id=f"{session}#{index}", actor="agent", kind="tool",
        name=fields["tool"], fields=fields, arguments=text, output=output, origin=ORIGIN,
    )  # fmt: skip


def _inner(text: str) -> str:
    """The JSON of a call's arguments inside of the call as Python writes it."""
    try:
        value = ast.literal_eval(text)
    except (MemoryError, RecursionError, SyntaxError, ValueError):
        return text.replace('\\\\"', '"') if re.search(r'\\+"', text) else text
    inner = value.get("arguments") if isinstance(value, dict) else None
    return inner if isinstance(inner, str) else text


def load(folder: Path) -> tuple[list[Labelled], list[str]]:
    """The runs of a folder.

    Args:
        folder: holds naming/thought-action-result.*.jsonl.gz.

    Returns:
        The runs, and notes: what is missing and what could not be read.
    """
    runs: list[Labelled] = []
    unread = Unread(Counter())
    for path in sorted((folder / "naming").glob(f"{STEM}*.jsonl.gz")):
        for row in read(path, unread):
            try:
                key, steps = str(row["traj_id"]), row["steps"]
                made = [action(step, key, i) for i, step in enumerate(steps)]
                labels = [str(step.get("label") or "") for step in steps]
                told = (row.get("relations") or {}).get("action_action")
            except (AttributeError, KeyError, TypeError, ValueError):
                unread.add(path, "row without usable steps")
                continue
            aligned = told if isinstance(told, list) and len(told) == len(made) - 1 else None
            runs.append(Labelled(str(row.get("task") or key), str(row.get("agent")), made, labels, aligned))
    notes = unread.notes()
    if not runs:
        notes.insert(0, f"missing: naming/{STEM}.*.jsonl.gz")
    if lost := sum(run.relations is None for run in runs):
        notes.append(f"{lost} of {len(runs)} runs have relations that do not align with their actions")
    return runs, notes

"""How do labelled sessions reach training? Rows of a file and marked operations, as one shape."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tracelode.errors import UsageError
from tracelode.files import Records, opened, why
from tracelode.model.operation import Operation, Origin, Status
from tracelode.model.report import Skipped
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.name.stage import is_evidence
from tracelode.profile.score.partition import leaves
from tracelode.signals.enrich import enrich

ARGUMENTS = (
    ("command", "command"),
    ("description", "description"),
    ("file_path", "path"),
    ("path", "path"),
    ("notebook_path", "path"),
)
"""Keys of a tool's input, and the fields they become."""
SILENT = frozenset(("", "none", "None", "(no content)", "[No reasoning in response]"))
"""What rows say where the agent said nothing."""
SHOWN = 1_000
"""Characters of a text that are kept, as in a store's previews."""
_ORIGIN = Origin("labels", "", 0)


class Labelled(NamedTuple):
    """A session with its true partition; the operations know nothing of it."""

    key: str
    """Session key."""
    task: str
    """What sessions must share to be kept on one side of every division."""
    operations: Sequence[Operation]
    """The operations as an import stores them, model calls among them."""
    places: Sequence[int]
    """n places of the labelled operations."""
    truth: Sequence[int]
    """n group labels."""

    @property
    def cuts(self) -> int:
        """Number of true cuts."""
        return sum(a != b for a, b in zip(self.truth, self.truth[1:], strict=False))


def read(path: Path) -> tuple[list[Labelled], list[Skipped]]:
    """The labelled sessions of a file.

    Args:
        path: JSON Lines, plain, gzip or zstd; a row is {traj_id, task, steps[{tool, text, thought?, obs?,
            error?}], groups}, with one group label for each step.

    Returns:
        The sessions, and the lines that could not be used, by reason.

    Raises:
        UsageError: the file cannot be read.

    Source:
        evaluation protocol: row of the normalised sets.
    """
    found: dict[str, Labelled] = {}
    skipped: dict[str, list[int]] = {}
    try:
        opened(path).close()  # a device would never end
        records = Records(path)
        for record in records:
            try:
                made = session_of(json.loads(record.data))
            except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
                skipped.setdefault("no session with steps and one group label for each", []).append(
                    record.number
                )
                continue
            if made.key in found:
                skipped.setdefault("a session that came before", []).append(record.number)
            else:
                found[made.key] = made
        for broken in records.broken:
            skipped.setdefault(broken.reason, []).append(broken.line)
    except OSError as error:
        raise UsageError(f"the label file {path} cannot be read: {why(error)}") from error
    rows = [Skipped(str(path), lines[0], reason, len(lines)) for reason, lines in sorted(skipped.items())]
    return list(found.values()), rows


def session_of(row: dict[str, Any]) -> Labelled:
    """A session from a row of steps.

    Args:
        row: as read() describes it.

    Returns:
        The session, a model call before every step; no step knows its label.

    Raises:
        KeyError, TypeError, ValueError: a part is missing or of another shape.
    """
    key, steps = str(row["traj_id"]), row["steps"]
    if not steps:
        raise ValueError("steps")
    operations = [_operation(key, place, step) for place, step in enumerate(steps)]
    said = [step.get("thought") for step in steps]
    whole, places = with_calls(operations, [text if isinstance(text, str) else "" for text in said])
    return Labelled(key, str(row.get("task") or key), whole, places, groups(row["groups"], len(steps)))


def groups(labels: Any, n: int) -> list[int]:
    """Checked labels of n operations.

    Args:
        labels: a list of numbers or texts.
        n: how many there must be.

    Returns:
        n numbers, in the order in which the labels come.

    Raises:
        ValueError: not n labels, or one that is neither a number nor a text.
    """
    if not isinstance(labels, list) or len(labels) != n:
        raise ValueError("labels")
    if not all(isinstance(label, int | str) for label in labels):
        raise ValueError("labels")
    numbers: dict[int | str, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def arguments(text: str) -> dict[str, str]:
    """Fields of a tool call whose JSON text may be cut off.

    Args:
        text: the input as JSON.

    Returns:
        Canonical fields.
    """
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        decoded = {}
        for key, _ in ARGUMENTS:
            match = re.search(rf'"{key}": ("(?:[^"\\]|\\.)*)("?)', text)
            if match:
                try:
                    decoded[key] = json.loads(match.group(1).rstrip("\\") + '"')
                except ValueError:
                    continue
    fields: dict[str, str] = {}
    if isinstance(decoded, dict):
        for key, name in ARGUMENTS:
            if isinstance(decoded.get(key), str):
                fields.setdefault(name, decoded[key][:SHOWN])
        if decoded.get("run_in_background") is True:
            fields["background"] = "1"
    return fields


def preview(text: str) -> str:
    """Beginning and end of a long text."""
    return text if len(text) <= SHOWN else text[: SHOWN // 2] + text[-SHOWN // 2 :]


def _operation(session: str, place: int, step: dict[str, Any]) -> Operation:
    text, got, said = (step.get(key) for key in ("text", "obs", "thought"))
    text, got, said = (part if isinstance(part, str) else "" for part in (text, got, said))
    fields = {"tool": str(step["tool"]), **arguments(text), "call": str(place)}
    error = step.get("error")
    status: Status = "unknown" if not isinstance(error, bool) else "error" if error else "ok"
    output = preview(got)
    enrich(fields, kind="tool", status=status, output=output, narration="" if said in SILENT else said[:400])
    return Operation(
        session=session, index=place, id=f"{session}#{place}", actor="agent", kind="tool",
        name=fields["tool"], status=status, fields=fields, arguments=text[:SHOWN], output=output,
        origin=_ORIGIN,
    )  # fmt: skip


def with_calls(operations: Sequence[Operation], said: Sequence[str]) -> tuple[list[Operation], list[int]]:
    """Operations with a model call in front of each turn, and where they then stand.

    Args:
        operations: n tool calls, each with the turn it belongs to in `call`.
        said: n texts: what the agent said in the turn.

    Returns:
        The operations of the session, and n places.
    """
    whole: list[Operation] = []
    places: list[int] = []
    turn = None
    for tool, text in zip(operations, said, strict=True):
        call = tool.fields["call"]
        if call != turn:
            turn = call
            spoken = "" if text.strip() in SILENT else preview(text)
            model: dict[str, Any] = {"kind": "model", "id": call, "name": "model", "status": "ok"}
            model |= {"fields": {}, "arguments": "", "output": spoken}
            whole.append(msgspec.structs.replace(tool, index=len(whole), **model))
        places.append(len(whole))
        whole.append(msgspec.structs.replace(tool, index=len(whole)))
    return whole, places


def marked(
    key: str, task: str, operations: Sequence[Operation], segments: Sequence[Segment]
) -> Labelled | None:
    """A session of a store whose stretches somebody named.

    Args:
        key: session key.
        task: what it is kept together by.
        operations: its operations.
        segments: nested segments over [0, k), each level covering it; k is at most their number.

    Returns:
        The first k operations, their tool calls labelled by maximal runs of equal path; None without one.

    Source:
        evaluation protocol: the leaf partition, maximal runs of equal full path.
    """
    k = max((segment.stop for segment in segments), default=0)
    held = operations[:k]
    places = [place for place, operation in enumerate(held) if is_evidence(operation)]
    labels = leaves(Segmentation(key, "marks", "", tuple(segments)), k)
    return Labelled(key, task, held, places, [labels[place] for place in places]) if places else None

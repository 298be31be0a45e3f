"""How do sets with labelled faults become sessions of operations, and what could not be read?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from labelled import ORIGIN
from segments_data import Unread, read

from tracelode.model.operation import Kind, Operation, Status
from tracelode.profile.rank.features import Shape
from tracelode.profile.train.labelled import arguments
from tracelode.signals.enrich import enrich

SPAN_KINDS: dict[str, Kind] = {"LLM": "model", "TOOL": "tool", "AGENT": "subagent"}
ROLES: dict[str, Kind] = {"agent": "model", "user": "prompt", "system": "note", "environment": "note"}
STATUSES: dict[str, Status] = {"Ok": "ok", "Error": "error"}
SHAPES: dict[str, Shape] = {
    "trail": "spans",
    "who-and-when": "team",
    "hintbench": "service",
    "codetracebench-labels": "work",
}
"""Set to the shape that its sessions are an example of."""


class Case(NamedTuple):
    """One session with its labelled faults; the operations know nothing of them."""

    key: str
    """Session key."""
    group: str
    """Sessions of one group are never in two folds."""
    operations: list[Operation]
    """Its n steps."""
    faults: frozenset[int]
    """0-based steps; none where the session has no fault."""
    failed: bool | None
    """How the session ended, as the set tells; None if it does not."""


class Faults(NamedTuple):
    """One set."""

    name: str
    """File name up to the first dot."""
    cases: list[Case]
    """In file order."""

    @property
    def labelled(self) -> list[Case]:
        """Sessions with at least one fault: those that a ranking is scored on."""
        return [case for case in self.cases if case.faults]


def step(row: dict[str, Any], session: str, index: int, kind: Kind, name: str, **given: Any) -> Operation:
    """One operation, enriched as an import would."""
    fields: dict[str, str] = given.pop("fields", {})
    status: Status = given.pop("status", "unknown")
    text = str(row.get("text") or "")
    if kind == "tool":
        fields.setdefault("tool", name)
        enrich(fields, kind=kind, status=status, output=text)
    return Operation(
        session=session, index=index, id=f"{session}#{index}", actor="human" if kind == "prompt" else "agent",
        kind=kind, name=name, status=status, fields=fields, output=text, origin=ORIGIN, **given,
    )  # fmt: skip


def span(row: dict[str, Any], session: str, index: int) -> Operation:
    """A span of TRAIL."""
    kind = SPAN_KINDS.get(str(row.get("kind")), "note")
    name = str(row.get("tool") or "")
    status = STATUSES.get(str(row.get("status")), "unknown")
    parent = None if row.get("parent") is None else str(row["parent"])
    return step(row, session, index, kind, name, status=status, parent=parent, fields={"trace": session})


def message(row: dict[str, Any], session: str, index: int) -> Operation:
    """A message of Who&When."""
    name = str(row.get("tool") or "")
    kind: Kind = "model"
    if name == "Computer_terminal":
        kind = "tool"
    elif name == "human":
        kind = "prompt"
    elif name.startswith("Orchestrator (->"):
        kind, name = "subagent", name.removeprefix("Orchestrator (-> ").rstrip(")")
    elif name.startswith("Orchestrator (termination"):
        kind = "note"
    return step(row, session, index, kind, name)


def turn(row: dict[str, Any], session: str, index: int) -> Operation:
    """A turn of HINTBench."""
    role, name = str(row.get("role")), str(row.get("tool") or "")
    kind: Kind = "tool" if role == "agent" and name != "agent" else ROLES.get(role, "note")
    return step(row, session, index, kind, name)


def silent(row: dict[str, Any], session: str, index: int) -> Operation:
    """A step of CodeTraceBench: that there was one is all that is told."""
    name = str(row.get("tool") or "bash")
    return step(row, session, index, "tool", name, fields={"tool": name, **arguments(row.get("text") or "")})


SETS: tuple[tuple[str, Callable[[dict[str, Any], str, int], Operation]], ...] = (
    ("trail", span),
    ("who-and-when", message),
    ("hintbench", turn),
    ("codetracebench-labels", silent),
)
"""Name, reader of a step."""


def case(row: dict[str, Any], reader: Callable[[dict[str, Any], str, int], Operation]) -> Case:
    """A session from a row.

    Raises:
        ValueError: no steps, or faults that are not among them.
    """
    key = str(row["traj_id"])
    operations = [reader(s, key, i) for i, s in enumerate(row["steps"])]
    faults = frozenset(cast("list[int]", row.get("fault_steps") or []))
    if not operations or not all(isinstance(i, int) and 0 <= i < len(operations) for i in faults):
        raise ValueError("steps")
    success = row.get("success")
    failed = None if success is None else not success
    if isinstance(row.get("is_risky"), bool):
        failed = row["is_risky"]
    return Case(key, str(row.get("split_key") or row.get("task") or key), operations, faults, failed)


def load(folder: Path) -> tuple[list[Faults], list[str]]:
    """The sets of a folder.

    Args:
        folder: holds localisation/NAME.*.jsonl.gz; the middle name does not matter.

    Returns:
        The sets that are there, and notes: what is missing and what could not be read.
    """
    found, missing, unread = [], [], Unread(Counter())
    for name, reader in SETS:
        cases: dict[str, Case] = {}
        for path in sorted((folder / "localisation").glob(f"{name}*.jsonl.gz")):
            for row in read(path, unread):
                try:
                    made = case(row, reader)
                except (AttributeError, KeyError, TypeError, ValueError):
                    unread.add(path, "row without usable steps and faults")
                    continue
                if made.key in cases:
                    unread.add(path, "session that came before")
                else:
                    cases[made.key] = made
        if any(made.faults for made in cases.values()):
            found.append(Faults(name, list(cases.values())))
        else:
            missing.append(f"missing: localisation/{name}.*.jsonl.gz")
    return found, [*missing, *unread.notes()]

"""How is one operation printed? Everything that is known of it, and the whole call it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tracelode.cli.screen import Screen
from tracelode.cli.text import clean, clean_lines, home, moment
from tracelode.model.measure import UNITS, unit
from tracelode.model.operation import Operation
from tracelode.model.words import duration, exact_dollars, value_text

if TYPE_CHECKING:
    from tracelode.model.session import Session
    from tracelode.workspace import Workspace


@dataclass(frozen=True)
class Call:
    """One model call, put together again from the operations its numbers were shared out to."""

    index: int | None
    """Index of the model operation, None if it is not in the session."""
    parts: list[Operation]
    """Operations that carry its numbers, in order."""
    measures: dict[str, int]
    """Sums over the parts and the model operation."""


def whole_call(found: Operation, operations: list[Operation]) -> Call | None:
    """The model call behind an operation.

    Args:
        found: a model operation, or one that names its call.
        operations: the session's operations.

    Returns:
        The call; None where the operation belongs to none.
    """
    name = found.id if found.kind == "model" else found.fields.get("call")
    if not name:
        return None
    head = next((o for o in operations if o.id == name), None)
    parts = [o for o in operations if o.fields.get("call") == name and o is not head]
    sums: dict[str, int] = {}
    for item in ([head] if head else []) + parts:
        for measure, value in item.measures.items():
            if measure in UNITS and not measure.startswith(("time.", "bytes.", "operations")):
                sums[measure] = sums.get(measure, 0) + value
    return Call(None if head is None else head.index, parts, sums)


def draw(
    workspace: Workspace,
    session: Session,
    operations: list[Operation],
    found: Operation,
    *,
    whole: bool = False,
) -> None:
    """Print one operation.

    Args:
        workspace: for the zone.
        session: the session it is shown in.
        operations: the session's operations.
        found: what to print.
        whole: its texts are whole ones.
    """
    screen = Screen()
    screen.flow(
        "operation", [f"{clean(session.key)}#{found.index}", f"id {clean(found.id)}"], joint="  ", indent=11
    )
    what = [found.kind] if found.kind == found.name else [found.kind, clean(found.name)]
    screen.flow("what", [*what, found.status, f"by {found.actor}"], joint="  ", indent=11)
    _when(screen, found, workspace.tz)
    origin = found.origin
    line = f":{origin.line}" if origin.line else ""
    screen.flow("origin", [f"{clean(home(origin.path))}{line}"], indent=11)
    screen.flow("", [f"byte {origin.offset:,}", clean(origin.adapter)], joint="  ", indent=11)
    if found.inherited:
        screen.flow("inherited", ["counted in the session that owns the record, not here"], indent=11)
    _pairs(screen, "fields", [(k, v) for k, v in sorted(found.fields.items())])
    _pairs(screen, "measures", [(k, _exact(k, v)) for k, v in sorted(found.measures.items()) if v])
    call = whole_call(found, operations)
    if call is not None:
        _call(screen, call)
    for title, text in (("arguments", found.arguments), ("output", found.output)):
        if text:
            screen.flow(title, ["(redacted)" if whole else "(redacted preview)"], indent=11)
            screen.block(clean_lines(text))


def _when(screen: Screen, found: Operation, tz: str) -> None:
    if found.started is None and found.ended is None:
        screen.flow("when", ["unknown"], indent=11)
        return
    at = found.started if found.started is not None else found.ended
    parts = [f"{moment(at, tz, '%Y-%m-%d %H:%M:%S')} ({clean(tz)})"]
    if found.started is not None and found.ended is not None:
        parts.append(f"for {duration(found.ended - found.started)}")
    screen.flow("when", parts, joint="  ", indent=11)


def _call(screen: Screen, call: Call) -> None:
    head = "" if call.index is None else f"#{call.index}"
    shared = ", ".join(f"#{o.index}" for o in call.parts)
    screen.flow(
        "call",
        [f"{head} whole".strip(), f"shared out to {shared}" if shared else "no tool"],
        joint="  ",
        indent=11,
    )
    _pairs(screen, "", [(k, _exact(k, v)) for k, v in sorted(call.measures.items()) if v])


def _pairs(screen: Screen, title: str, pairs: list[tuple[str, str]]) -> None:
    if not pairs:
        return
    screen.pairs(title, [(clean(key), clean(value)) for key, value in pairs], indent=11)


def _exact(measure: str, value: int) -> str:
    if measure not in UNITS:
        return f"{value:,}"
    kind = unit(measure)
    if kind == "picodollars":
        return f"${exact_dollars(value)}"
    if kind == "microseconds":
        return duration(value)
    return value_text(measure, value) if kind == "bytes" else f"{value:,}"

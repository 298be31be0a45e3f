"""Which line of a packet tells of which operations, and how much does it tell?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from tracelode.model.numbers import number
from tracelode.model.operation import Operation
from tracelode.model.words import count, duration
from tracelode.profile.name.stage import is_evidence
from tracelode.profile.packets.quote import quoted, word
from tracelode.signals.plan.kept import FIELD, unpacked

FAILED = frozenset({"error", "nonzero", "denied"})
"""Endings that count as failed."""


class Detail(NamedTuple):
    """How much is shown; lengths in characters, 0 for nothing."""

    prompt: int
    """Of a prompt."""
    said: int
    """Of what the model said; half of it of what it said about a tool call."""
    action: int
    """Of a command, a path or an input."""
    result: int
    """Of a failure or a test result."""
    items: int
    """Items of a list of tasks."""
    run: int = 0
    """From how many look-alikes on they share a line; 0 for every operation on a line of its own."""
    coarse: bool = False
    """Do all tools with one verb and ending look alike?"""
    facts: bool = True
    """Are tokens and times shown?"""


DETAILS = (
    Detail(600, 300, 200, 300, 12),
    Detail(400, 160, 120, 160, 8),
    Detail(400, 160, 120, 160, 8, 4),
    Detail(300, 100, 80, 100, 5, 3),
    Detail(200, 60, 60, 60, 3, 3),
    Detail(160, 40, 40, 40, 0, 3),
    Detail(120, 0, 40, 40, 0, 2, coarse=True),
    Detail(100, 0, 30, 0, 0, 2, coarse=True, facts=False),
    Detail(60, 0, 0, 0, 0, 2, coarse=True, facts=False),
)
"""From whole to coarse; the first that fits is taken."""


class _Unit(NamedTuple):
    """Neighbours that share a line: silent answers and the operation they led to."""

    start: int
    stop: int
    operation: Operation


def body(
    operations: Sequence[Operation], names: Sequence[str], detail: Detail, room: int
) -> tuple[str, str] | None:
    """The lines of a session, told with some detail.

    Args:
        operations: n operations in order.
        names: n ids as they are shown.
        detail: how much is shown.
        room: characters there is room for.

    Returns:
        The lines and what must be said of their shortening, "" for none; None where there is no room.
    """
    lines: list[str] = []
    used = shared = 0
    cut = False
    for group in _groups(operations, detail):
        start, stop = group[0].start, group[-1].stop
        place = f"#{start}" if stop - start == 1 else f"#{start}-#{stop - 1}"
        if len(group) > 1:
            shared += stop - start
            text = _alike(group, detail)
        else:
            text = _line(group[0].operation, detail)
        line = f"{place} {names[start]} {text}\n"
        cut = cut or "…" in line
        used += len(line)
        if used > room:
            return None
        lines.append(line)
    return "".join(lines), _note(detail, len(lines), shared, cut)


def blocks(operations: Sequence[Operation], names: Sequence[str], room: int) -> tuple[str, str]:
    """The coarsest form: one line for each block of neighbours, as many as there is room for.

    Args:
        operations: n operations in order.
        names: n ids as they are shown.
        room: characters there is room for.

    Returns:
        The lines, and what must be said of them.
    """
    size = max(2, -(-len(operations) * 60 // max(1, room)))
    while True:
        lines: list[str] = []
        for start in range(0, len(operations), size):
            block = operations[start : start + size]
            place = f"#{start}-#{start + len(block) - 1} {names[start]}"
            lines.append(f"{place} {_counts(_verb(o) for o in block)}, {_failed(block)}\n")
        text = "".join(lines)
        if len(text) <= room or size >= len(operations):
            break
        size = size * 5 // 4 + 1
    note = (
        f"shortened to {number(len(lines), 'line')}: a line counts {size:,} neighbours, alike or not; "
        "there is no room for any text\n"
    )
    return text, note


def _note(detail: Detail, lines: int, shared: int, cut: bool) -> str:
    said = []
    if cut or detail is not DETAILS[0]:
        said.append(
            f"texts of prompts are cut to {detail.prompt} characters, of the model to {detail.said}, "
            f"of actions to {detail.action}, of results to {detail.result} (… where the middle lacks)"
        )
    if shared:
        said.append(f"{shared:,} operations that look like their neighbours share lines (x N)")
    return f"shortened to {number(lines, 'line')}: {'; '.join(said)}\n" if said else ""


def _groups(operations: Sequence[Operation], detail: Detail) -> Iterator[list[_Unit]]:
    """Units that share a line, in order."""
    if not detail.run:
        for place, operation in enumerate(operations):
            yield [_Unit(place, place + 1, operation)]
        return
    for shape, alike in groupby(_units(operations, detail), lambda unit: _shape(unit.operation, detail)):
        group = list(alike)
        if shape is not None and len(group) >= detail.run:
            yield group
        else:
            yield from ([unit] for unit in group)


def _units(operations: Sequence[Operation], detail: Detail) -> Iterator[_Unit]:
    """Operations with the silent answers that led to them."""
    start = 0
    for place, operation in enumerate(operations):
        silent = operation.kind == "model" and not (detail.said and operation.output)
        led = place + 1 < len(operations) and operations[place + 1].kind != "prompt"
        if silent and led and operation.status not in FAILED:
            continue
        yield _Unit(start, place + 1, operation)
        start = place + 1


def _shape(operation: Operation, detail: Detail) -> tuple[str, ...] | None:
    """What look-alikes have in common; None for what stands alone."""
    if not is_evidence(operation):
        return None
    failed = "failed" if operation.status in FAILED else ""
    alike = (_verb(operation), failed, operation.fields.get("error", ""))
    return alike if detail.coarse else (*alike, _tool(operation), operation.status)


def _verb(operation: Operation) -> str:
    return word(operation.fields.get("verb", "")) or operation.kind


def _tool(operation: Operation) -> str:
    fields = operation.fields
    return word(fields.get("frame") or fields.get("tool") or operation.name)


def _counts(names: Iterable[str]) -> str:
    """What there is how often: the three commonest, and how many others."""
    ranked = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    others = sum(n for _, n in ranked[3:])
    shown = [f"{n:,} {name}" for name, n in ranked[:3]]
    return ", ".join([*shown, f"{others:,} other"] if others else shown)


def _failed(operations: Iterable[Operation]) -> str:
    failed = sum(operation.status in FAILED for operation in operations)
    return f"{failed or 'none'} failed"


def _alike(group: Sequence[_Unit], detail: Detail) -> str:
    """One line for several look-alikes: how many, which tools, how they ended, the first and the last."""
    operations = [unit.operation for unit in group]
    first, last = operations[0], operations[-1]
    what = f"x {len(group):,} {_verb(first)}: {_counts(map(_tool, operations))}; {_failed(operations)}"
    begin, end = _said(first, detail), _said(last, detail)
    return " ".join(part for part in (what, begin, f"to {end}" if end else "") if part)


def _line(operation: Operation, detail: Detail) -> str:
    fields = operation.fields
    words: list[str] = [operation.kind]
    if is_evidence(operation):
        words.append(_tool(operation))
    if is_evidence(operation) or operation.status not in ("ok", "unknown"):
        words.append(operation.status)
    words += [word(fields[name]) for name in ("error", "verb") if fields.get(name)]
    if fields.get("human", "prompt") != "prompt":
        words.append(word(fields["human"]))
    words += [name.replace("_", "-") for name in ("automated", "rolled_back") if fields.get(name)]
    if operation.inherited:
        words.append("inherited")
    if detail.facts:
        out = operation.measures.get("tokens.output", 0)
        spent = sum(operation.measures.get(name, 0) for name in ("time.model", "time.tool"))
        words += [f"{count(out)} out"] if out > 0 else []
        words += [duration(spent)] if spent > 0 else []
    parts = [" ".join(words), _said(operation, detail), _result(operation, detail)]
    return " ".join(part for part in parts if part)


def _said(operation: Operation, detail: Detail) -> str:
    """What was said or done, as data."""
    fields = operation.fields
    if operation.kind == "prompt":
        return quoted(operation.arguments or operation.output, detail.prompt)
    if not is_evidence(operation):
        return quoted(operation.output or operation.arguments, detail.said)
    if detail.items and fields.get(FIELD) and (items := _items(fields[FIELD], detail)):
        return items
    done = fields.get("command") or fields.get("path") or fields.get("domain") or operation.arguments
    texts = (quoted(done, detail.action), quoted(fields.get("description", ""), detail.said // 2))
    return " ".join(text for text in texts if text)


def _items(kept: str, detail: Detail) -> str:
    """The items of a list of tasks, with their states."""
    items = unpacked(kept).items
    shown = [
        f"{word(item.status) or 'item'} {quoted(item.text, detail.action // 2)}".strip()
        for item in items[: detail.items]
    ]
    rest = len(items) - len(shown)
    return "; ".join([*shown, f"{rest:,} items more"] if rest else shown)


def _result(operation: Operation, detail: Detail) -> str:
    """The result where it says how the work goes: a failure, a test."""
    fields = operation.fields
    telling = operation.status in FAILED or fields.get("error") or fields.get("verb") == "test"
    text = quoted(operation.output, detail.result) if telling and is_evidence(operation) else ""
    return f"result {text}" if text else ""

"""tracelode's own JSON Lines: the operations of a store, as `tracelode export --operations` writes them.

The format is described in docs/sources/tracelode.md; read into another store it gives the same totals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.model.measure import STORED, TIME_KINDS
from tracelode.model.operation import KINDS, STATUSES, Operation, Origin, operation_id
from tracelode.model.ports import About, Item, Line, Skip, Tick
from tracelode.signals.lexicon import load
from tracelode.signals.paths import OTHER
from tracelode.signals.tools import tool_frame
from tracelode.touches import ROLE

__all__ = ["TracelodeLines"]

NAME = "tracelode"
VERSION = 1
"""Of the format; a larger one in a file is refused."""

_HEAD = re.compile(rb'\s*\{\s*"type"\s*:\s*"tracelode"\s*,\s*"version"\s*:\s*\d+')
_USES = re.compile(r"uses\.[a-z_]{1,30}")
_ID = re.compile(r"[0-9a-f]{16}")
_IDS = re.compile(r"[0-9a-f]{16}( [0-9a-f]{16})*")
_ACTORS = ("human", "agent", "system")
_ENDS = ("model", "human", "tool", "other")
_MADE = frozenset((*TIME_KINDS, "cost", "cost.fees", "tokens.unpriced", "operations", "calls.lower_bound"))
"""Measures that are made again from the rest: prices and the idle limit may be other ones here."""
_WORDS: dict[str, tuple[str, ...]] = {
    "human": ("prompt", "steer", "answer", "denial", "interrupt"),
    "usage_quality": ("lower_bound", "final", "shared"),
    "duration_quality": ("upper_bound",),
    **dict.fromkeys(("background", "rolled_back", "automated", "replayed"), ("1",)),
}
"""Fields that hold one of a few words."""


class Record(msgspec.Struct):
    """One line, of any type."""

    type: str | None = None
    """tracelode, session, operation or timeline."""
    version: int | None = None
    """Of the format."""
    session: str | None = None
    """Session key."""
    root: str | None = None
    """Root session key."""
    agent: str | None = None
    """The product that ran."""
    role: str | None = None
    """main or subagent."""
    project: str | None = None
    """Working folder."""
    task: str | None = None
    """Task id."""
    outcome: str | None = None
    """success or failure."""
    id: str | None = None
    """Operation id."""
    actor: str | None = None
    """Who."""
    kind: str | None = None
    """What sort."""
    name: str | None = None
    """Tool name, model id or closed word."""
    status: str | None = None
    """How it ended."""
    started: int | None = None
    """UTC microseconds."""
    ended: int | None = None
    """UTC microseconds."""
    parent: str | None = None
    """Id of the operation around it."""
    fields: dict[str, Any] | None = None
    """Fields."""
    measures: dict[str, Any] | None = None
    """Measures, whole calls on the model operation."""
    arguments: str | None = None
    """Preview."""
    output: str | None = None
    """Preview."""
    marks: list[Any] | None = None
    """Of a timeline: [moment, ends, operation, opens, closes, own]."""


class State(msgspec.Struct):
    """What reading must remember between two reads; every line says whose it is."""

    unknown: bool = False
    """True when the file says it is of a later version."""
    session: str = ""
    """Whose the last line was: what operations that follow say of their session is known."""


class TracelodeLines:
    """Reads the operations of another store, with their previews, sessions and timelines."""

    name = NAME
    version = "1"
    agent = NAME
    layout = "sessions"
    suffixes: tuple[str, ...] = (".jsonl", ".jsonl.gz", ".jsonl.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is an export of operations?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for the line that such files begin with, 0.0 otherwise.
        """
        return float(_HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) is not None)

    def fresh(self) -> State:
        """A resume state for the start of a file."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn lines into operations and facts.

        Args:
            records: numbered lines, from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items in file order.
        """
        for line in records:
            found, complaints = lenient.decode(line.data, Record)
            for reason in complaints:
                yield Skip(line.number, reason)
            for record in found:
                for item in _items(record, line, path, state):
                    if isinstance(item, About):
                        state.session = item.session
                    yield item


def _items(record: Record, line: Line, path: str, state: State) -> Iterator[Item]:
    if record.type == "tracelode":
        state.unknown = (record.version or 0) > VERSION
        if state.unknown:
            yield Skip(line.number, "export of a later version; upgrade tracelode to read it")
        return
    if state.unknown:
        return
    if record.type not in ("session", "operation", "timeline"):
        yield Skip(line.number, "unknown record type")
    elif not record.session:
        yield Skip(line.number, "record without a session")
    else:
        if record.type != "operation" or record.session != state.session:
            yield _about(record)
        if record.type == "operation":
            yield _operation(record, line, path)
        for mark in record.marks or []:
            tick = _tick(mark)
            yield Skip(line.number, "mark of a timeline that cannot be read") if tick is None else tick


def _about(record: Record) -> About:
    session = record.session or ""
    root = record.root or session
    return About(
        session=session,
        root=root,
        # known last, so that paths stay as they were stored: relative to it, or not
        project=(record.project or "") if record.type == "timeline" else "",
        role=ROLE if record.role == ROLE else "main" if root == session else "subagent",
        task=record.task,
        outcome=record.outcome,
        agent=record.agent or "",
    )


def _operation(record: Record, line: Line, path: str) -> Item:
    if record.kind not in KINDS or record.actor not in _ACTORS or not record.id:
        return Skip(line.number, "operation without an id, or of an unknown kind or actor")
    status = record.status if record.status in STATUSES else "unknown"
    return Operation(
        session=record.session or "",
        index=0,
        id=_ident(record.id) or operation_id(NAME, record.id),
        actor=record.actor,  # type: ignore[arg-type]
        kind=record.kind,  # type: ignore[arg-type]
        name=record.name or record.kind,
        status=status,  # type: ignore[arg-type]
        started=record.started,
        ended=record.ended,
        parent=_ident(record.parent),
        fields=_fields(record.fields or {}),
        measures=_measures(record.measures or {}),
        arguments=record.arguments or "",
        output=record.output or "",
        origin=Origin(NAME, path, line.number, line.offset),
    )


def _ident(value: Any) -> str | None:
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _fields(given: dict[str, Any]) -> dict[str, str]:
    """Fields as they are taken over: closed ones only with words that are closed here too.

    What is left out is made again from the rest, or stays unknown: a word that only looks closed would
    leave the machine with --share.
    """
    texts = {key: value for key, value in given.items() if isinstance(value, str)}
    return {key: value for key, value in texts.items() if _holds(key, value, texts.get("tool", ""))}


def _holds(key: str, value: str, tool: str) -> bool:
    lexicon = load()
    if key in _WORDS:
        return value in _WORDS[key]
    if key in ("call", "replay"):
        return (_ID if key == "call" else _IDS).fullmatch(value) is not None
    if key in ("verb", "said"):
        return value in lexicon.verbs
    if key == "asked":
        return value in lexicon.asks.names
    if key == "path_role":
        return value == OTHER or value in lexicon.role_names
    if key == "error":
        return value in (*lexicon.error_classes, *lexicon.failures_alone.names)
    if key == "frame":
        return value in (tool_frame(tool), tool_frame(tool, value.partition(":")[2]))
    return key not in ("stage_declared", "stage_observed")


def _measures(given: dict[str, Any]) -> dict[str, int]:
    return {
        key: value
        for key, value in given.items()
        if (key in STORED or _USES.fullmatch(key))
        and key not in _MADE
        and isinstance(value, int)
        and not isinstance(value, bool)
        and 0 <= value < 2**62
    }


def _tick(mark: Any) -> Tick | None:
    if not isinstance(mark, list) or len(mark) != 6:
        return None
    at, ends, operation, opens, closes, own = mark
    if not isinstance(at, int) or isinstance(at, bool) or ends not in _ENDS:
        return None
    if own is not None and (not isinstance(own, int) or isinstance(own, bool) or own < 0):
        return None
    if not isinstance(opens, list) or not isinstance(closes, list):
        return None
    return Tick(at, ends, _ident(operation), tuple(filter(_ident, opens)), tuple(filter(_ident, closes)), own)

"""What does reading a Claude Code file carry from record to record? State, place, and how ids are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import About, Item, Line
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.records import Record

AGENT = "claude-code"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class State(msgspec.Struct):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    session: str = ""
    """Session key, "" until known."""
    root: str = ""
    """Root session key."""
    role: str = "main"
    """main or subagent."""
    project: str = ""
    """Digest of the first working folder seen."""
    count: int = 0
    """Operations without an id of the source's own so far."""
    open: dict[str, list[str]] = {}
    """Digest of a tool use id to the operations that still wait for a result, oldest first."""
    asks: list[str] = []
    """Open operations that wait for a person's answer."""
    queued: list[tuple[str, str]] = []
    """(operation id, digest of the text) of queued messages not yet taken up."""
    last_call: str = ""
    """Id of the latest model operation."""


class Context:
    """One file while it is read.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.path = path
        self.line = Line(0, 0, b"")
        self._cwd = ("", False)

    def identify(self, record: Record) -> Iterator[Item]:
        state = self.state
        if not state.session:
            stem = PurePosixPath(self.path).name.split(".")[0]
            if record.agentId:
                state.root = record.sessionId or self._folder_root() or stem
                state.session = f"{state.root}/{record.agentId}"
                state.role = "subagent"
            else:
                # the file name is the session's own id; records may carry the id of a resumed one
                own = _UUID.findall(stem)
                state.session = state.root = own[-1] if own else (record.sessionId or stem)
        if record.cwd:
            state.project = digest(record.cwd)
        yield About(state.session, state.root, record.cwd or "", state.role)

    def _folder_root(self) -> str:
        found = _UUID.findall(self.path.rsplit("/", 1)[0])
        return found[-1] if found else ""

    def elsewhere(self, cwd: str) -> bool:
        if cwd != self._cwd[0]:
            self._cwd = (cwd, digest(cwd) != self.state.project)
        return self._cwd[1]

    def origin(self) -> Origin:
        return Origin(AGENT, self.path, self.line.number, self.line.offset)

    def native(self, native: str | None) -> str:
        if native:
            return operation_id(AGENT, native)
        self.state.count += 1
        return operation_id(AGENT, f"{self.state.session}#{self.state.count}")

    def scoped(self, native: str | None) -> str | None:
        """An id as it is unique: short ids of other gateways (msg_1) count inside their session."""
        if native and len(native) < words.UNIQUE_LENGTH:
            return f"{self.state.session}/{native}"
        return native

    def operation(
        self,
        native: str | None,
        actor: Actor,
        kind: Kind,
        name: str,
        status: Status,
        at: int | None,
        **more: Any,
    ) -> Operation:
        return Operation(
            session=self.state.session,
            index=0,
            id=self.native(self.scoped(native)),
            actor=actor,
            kind=kind,
            name=name,
            status=status,
            started=at,
            ended=at,
            origin=self.origin(),
            **more,
        )


def digest(text: str) -> str:
    """A short digest that stands for a text in saved states."""
    return operation_id(AGENT, text)

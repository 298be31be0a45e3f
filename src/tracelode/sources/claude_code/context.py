"""What does reading a Claude Code file carry from record to record? State, threads, and how ids are made."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import About, Line
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.records import Record

AGENT = "claude-code"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Side(msgspec.Struct):
    """A sub-agent whose records lie in its session's own file without an agent id."""

    agent: str
    """Agent id made for it."""
    spawner: str
    """Operation that started it, "" if unknown."""
    recent: list[str]
    """Digests of the ids of its latest records."""


class Prompt(msgspec.Struct, array_like=True):
    """A prompt on the active path, as far as a rewind needs it."""

    parent: str
    """Digest of the record it follows, "" for none."""
    record: str
    """Digest of its own record."""
    operation: str
    """Its operation."""


class State(msgspec.Struct, omit_defaults=True):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    session: str = ""
    """Key of the file's own session, "" until known."""
    root: str = ""
    """Root session key."""
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
    tasks: dict[str, list[tuple[str, str]]] = {}
    """Digest of a task's text to the open calls with it: (agent id of the caller, operation id)."""
    sides: list[Side] = []
    """Sub-agents written into this file without an agent id and still open, the latest used last."""
    prompts: list[Prompt] = []
    """Prompts on the active path, the oldest first."""
    chained: bool = False
    """Records of this file tell which record they follow."""


class Context:
    """One file while it is read.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    adapter = AGENT
    """Name of the source."""

    def __init__(self, state: State, path: str) -> None:
        self.state = state
        self.path = path
        self.line = Line(0, 0, b"")
        self.agent: str | None = None
        """Agent id of the present thread, "" for the main one; None before the first record of a read."""
        self.key = state.session
        """Key of the present thread's session."""
        self.role = "main"
        """main or subagent: the present thread's."""
        self.own = state.session.removeprefix(f"{state.root}/") if state.session != state.root else ""
        """Agent id of the file's own session, "" for a main one."""
        self._cwd = ("", False)

    # threads ------------------------------------------------------------------------------------

    def enter(self, agent: str, record: Record) -> About:
        """Go on in a thread.

        Args:
            agent: agent id, "" for the main thread.
            record: the record that lies in it.

        Returns:
            What tells readers so.
        """
        state = self.state
        if not state.session:
            self._identify(record)
        if record.cwd and not state.project:
            state.project = digest(record.cwd)
        self.agent = agent
        self.key = self.child(agent) if agent else state.root
        self.role = "subagent" if agent else "main"
        return About(self.key, state.root, record.cwd or "", self.role)

    def leave(self) -> About | None:
        """Back to the file's own session at the end of a read, None where that is the present one."""
        if self.agent is None or self.agent == self.own:
            return None
        return self.enter(self.own, Record())

    def child(self, agent: str) -> str:
        """Session key of a sub-agent."""
        return f"{self.state.root}/{agent}"

    def named_agent(self) -> str | None:
        """Agent id in the name of a sub-agent's file (agent-<id>.jsonl), None for other names."""
        return self._stem().removeprefix("agent-") if self._stem().startswith("agent-") else None

    def _stem(self) -> str:
        return PurePosixPath(self.path).name.split(".")[0]

    def _identify(self, record: Record) -> None:
        """Whose file is this? Told by its first record, and by the name for a main session."""
        state = self.state
        stem = self._stem()
        named = _UUID.findall(stem)
        if record.agentId and not (named and named[-1] == record.sessionId):
            below = self._folder_root() if "/subagents/" in self.path else ""
            state.root = below or record.sessionId or self._folder_root() or stem
            self.own = record.agentId
            state.session = self.child(self.own)
        else:
            # the file name is the session's own id; records may carry the id of a resumed one
            state.session = state.root = named[-1] if named else (record.sessionId or stem)

    def _folder_root(self) -> str:
        found = _UUID.findall(self.path.rsplit("/", 1)[0])
        return found[-1] if found else ""

    def elsewhere(self, cwd: str) -> bool:
        """Is a folder another one than the session's?"""
        if cwd != self._cwd[0]:
            self._cwd = (cwd, digest(cwd) != self.state.project)
        return self._cwd[1]

    # open work ----------------------------------------------------------------------------------

    def _tool(self, native: str, thread: str) -> str:
        """Key of a tool use id among the open ones: weak ids count inside their thread."""
        return digest(native if native.startswith(words.STRONG_IDS) else f"{thread}/{native}")

    def opened(self, native: str, operation: str) -> None:
        """A tool call begins to wait for its result."""
        self.state.open.setdefault(self._tool(native, self.key), []).append(operation)

    def waiting(self, native: str | None, thread: str | None = None) -> str | None:
        """The nearest call of an id that waits in a thread, the present one by default; None without one."""
        found = self.state.open.get(self._tool(native or "", self.key if thread is None else thread))
        return found[-1] if found else None

    def answered(self, native: str | None) -> str | None:
        """The nearest call of an id that waits, which from now on does not; None without one."""
        key = self._tool(native or "", self.key)
        found = self.state.open.get(key)
        if not found:
            return None
        operation = found.pop()
        if not found:
            del self.state.open[key]
        self._ended(operation)
        return operation

    def spawned(self, operation: str, agent: str) -> str:
        """Session key of the sub-agent that a call's result names.

        Args:
            operation: the call, just answered.
            agent: agent id in its result.
        """
        return self.child(agent)

    def _ended(self, operation: str) -> None:
        """Forget the task and the sub-agent of a call that has its result."""
        state = self.state
        if not state.tasks and not state.sides:
            return
        state.sides = [side for side in state.sides if side.spawner != operation]
        for key, waiting in list(state.tasks.items()):
            kept = [task for task in waiting if task[1] != operation]
            if not kept:
                del state.tasks[key]
            elif len(kept) < len(waiting):
                state.tasks[key] = kept

    # making -------------------------------------------------------------------------------------

    def origin(self) -> Origin:
        """The present place."""
        return Origin(self.adapter, self.path, self.line.number, self.line.offset)

    def native(self, native: str | None) -> str:
        """Operation id of a record's own id; None numbers it inside its session."""
        if native:
            return operation_id(AGENT, native)
        self.state.count += 1
        return operation_id(AGENT, f"{self.key}#{self.state.count}")

    def scoped(self, native: str | None) -> str | None:
        """An id as it is unique: short ids of other gateways (msg_1) count inside their session."""
        if native and len(native) < words.UNIQUE_LENGTH:
            return f"{self.key}/{native}"
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
        """An operation of the present thread at the present place."""
        return Operation(
            session=self.key,
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

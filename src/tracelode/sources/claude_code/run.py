"""What does reading the output of runs carry from message to message? State, threads, and the messages."""

from __future__ import annotations

import msgspec

from tracelode.model.operation import operation_id
from tracelode.model.ports import About, Line
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.context import AGENT, Context, State, digest
from tracelode.sources.claude_code.records import Compaction, Message, Record, ToolResult, Usage


class ModelUsage(msgspec.Struct):
    """What a run took of one model, all its calls together."""

    inputTokens: int | None = None
    """Fresh input."""
    cacheReadInputTokens: int | None = None
    """Cache reads."""
    cacheCreationInputTokens: int | None = None
    """All cache writes."""
    outputTokens: int | None = None
    """Output with reasoning."""
    webSearchRequests: int | None = None
    """Web searches."""


class StreamRecord(msgspec.Struct):
    """One message of a run."""

    type: str | None = None
    """system, assistant, user, result, ..."""
    subtype: str | None = None
    """Of system and result messages."""
    session_id: str | None = None
    """Session id."""
    uuid: str | None = None
    """Own id, in newer versions."""
    parent_tool_use_id: str | None = None
    """The call whose sub-agent speaks."""
    timestamp: str | None = None
    """ISO 8601, on some messages of newer versions."""
    message: Message | None = None
    """The API message."""
    tool_use_result: ToolResult | str | list[msgspec.Raw] | None = None
    """Structured tool result."""
    isSynthetic: bool | None = None
    """Written by the harness."""
    cwd: str | None = None
    """Working folder, in the first message."""
    compact_metadata: Compaction | None = None
    """Of compaction boundaries."""
    is_error: bool | None = None
    """Of results."""
    result: str | None = None
    """Last text, or the error."""
    total_cost_usd: float | None = None
    """Cost of the run so far."""
    usage: Usage | None = None
    """Of results: a sum over calls."""
    modelUsage: dict[str, ModelUsage] | None = None
    """Of results: what the run took so far, by model."""

    def record(self) -> Record:
        """The same message in the shape of a transcript's record."""
        return Record(
            type=self.type,
            uuid=self.uuid,
            timestamp=self.timestamp,
            sessionId=self.session_id,
            isMeta=self.isSynthetic,
            cwd=self.cwd,
            message=self.message,
            toolUseResult=self.tool_use_result,
            entrypoint="sdk-cli",
        )


class Told(msgspec.Struct, array_like=True, frozen=True):
    """Counts of one model: fresh input, cache reads, cache writes, output, web searches."""

    fresh: int = 0
    """Fresh input."""
    read: int = 0
    """Cache reads."""
    write: int = 0
    """Cache writes."""
    output: int = 0
    """Output."""
    searches: int = 0
    """Web searches."""

    def counts(self) -> tuple[int, ...]:
        """All five."""
        return (self.fresh, self.read, self.write, self.output, self.searches)


class Tally(msgspec.Struct, omit_defaults=True):
    """What is known of one model's use in a run."""

    told: Told = Told()
    """Told by calls."""
    settled: Told = Told()
    """Of that, told up to the last result."""
    given: Told = Told()
    """Told by results alone, and stored."""
    silent: list[tuple[str, str]] = []
    """Calls since the last result that tell no counts: (agent id of the thread, operation id)."""
    partial: list[str] = []
    """Calls since the last result that tell counts but not their end."""

    def close(self) -> None:
        """What is told so far belongs to a result, or to a run that was cut off."""
        self.settled = self.told
        self.silent, self.partial = [], []


class RunState(State, omit_defaults=True):
    """What reading must remember between two reads of a growing file; no text of the trace."""

    tallies: dict[str, Tally] = msgspec.field(default_factory=dict)
    """Model to what is known of it."""
    latest: dict[str, tuple[str, Told]] = msgspec.field(default_factory=dict)
    """Agent id of a thread to its latest call and the counts it tells."""
    cost: int = 0
    """Picodollars that the last result told."""
    run: str = ""
    """Agent id of the present run's own thread: "" for the file's first session, else a session id."""
    another: bool = False
    """Another session began since the last result."""
    helpers: dict[str, str] = msgspec.field(default_factory=dict)
    """Agent id of an open sub-agent to the operation that started it."""


class Run(Context):
    """One file of runs while it is read.

    Args:
        state: resume state, changed in place.
        path: the file as origins name it.
    """

    adapter = "claude-stream"
    state: RunState

    def __init__(self, state: RunState, path: str) -> None:
        super().__init__(state, path)
        self._nameless = 0
        self._done = ("", "")

    def at(self, line: Line) -> None:
        """Go on with a line."""
        self.line = line
        self._nameless = 0

    def switch(self, session: str) -> None:
        """Go on with a session: the file's first one, or another one, which is kept in its family."""
        state = self.state
        if not state.session:
            state.session = state.root = session
        run = "" if session == state.root else session
        if run == state.run:
            return
        state.run, state.another, state.project = run, True, ""
        state.open, state.asks, state.tasks, state.latest, state.helpers = {}, [], {}, {}, {}
        for tally in state.tallies.values():
            tally.close()

    def enter(self, agent: str, record: Record) -> About:
        """Go on in a thread; every run's own thread is a main one."""
        about = super().enter(agent, record)
        if agent == self.state.run:
            self.role = "main"
        return msgspec.structs.replace(about, role=self.role)

    def helper(self, tool: str) -> tuple[str, tuple[str, str] | None]:
        """The sub-agent that a call started.

        Args:
            tool: tool use id of the call.

        Returns:
            (agent id, the call that started it): the call, as (agent id of the caller, operation id),
            with the sub-agent's first message alone.
        """
        state = self.state
        operation = self.waiting(tool, self.child(state.run) if state.run else state.root)
        agent = tool
        if operation is not None and not tool.startswith(words.STRONG_IDS):
            # such an id may come again for another call
            agent = operation
        if agent in state.helpers:
            return agent, None
        state.helpers[agent] = operation or ""
        if operation is None:
            return agent, None
        callers = (
            caller for waiting in state.tasks.values() for caller, task in waiting if task == operation
        )
        return agent, (next(callers, state.run), operation)

    def spawned(self, operation: str, agent: str) -> str:
        """Session key of a sub-agent: by its call where it spoke, else by the agent id in the result."""
        return self.child(self._done[1] if self._done[0] == operation else agent)

    def _ended(self, operation: str) -> None:
        super()._ended(operation)
        state = self.state
        for agent in [a for a, spawner in state.helpers.items() if spawner == operation]:
            self._done = (operation, agent)
            del state.helpers[agent]
            state.latest.pop(agent, None)

    def native(self, native: str | None) -> str:
        """Operation id of a message's own id; one without is known by its bytes."""
        if native:
            return operation_id(AGENT, native)
        self._nameless += 1
        text = digest(self.line.data.decode("utf-8", "replace"))
        return operation_id(AGENT, f"{self.key}/{text}/{self._nameless}")

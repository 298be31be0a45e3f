"""What is a run to the compiler? The tool calls of one session, whole, and what was said."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from tracelode.model.operation import Origin

Tree: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list of trees, dict of str to trees."""

Role = Literal["system", "user", "assistant"]


class Turn(msgspec.Struct, frozen=True):
    """Something that was said in a run."""

    role: Role
    """Who said it."""
    text: str
    """What, redacted."""
    before: int
    """Index of the first call that came after it; the number of calls for the last words."""


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says of itself: declared, and never proof."""

    name: str
    """Tool name as calls use it."""
    server: str = ""
    """Server or package that offers it, "" if unknown."""
    description: str = ""
    """Its own words."""
    parameters: dict[str, Any] = {}
    """JSON Schema of its arguments, {} if unknown."""
    hints: dict[str, bool] = {}
    """Declared hints: readOnlyHint, destructiveHint, idempotentHint, openWorldHint."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call with its result."""

    index: int
    """0-based place among the calls of its run."""
    name: str
    """Tool name."""
    server: str = ""
    """Server or package that offers the tool, "" if unknown."""
    arguments: Tree = {}
    """Parsed arguments; a str where they are no JSON."""
    output: Tree = None
    """Parsed result; a str where it is prose; None where there is none."""
    missing: bool = False
    """True: no result was recorded, or its text is gone. An output of null is not missing."""
    error: str = ""
    """Closed error class, "" where the call did not fail."""
    group: int = -1
    """Number of the batch it was issued in, side by side with others; -1 if unknown."""
    started: int | None = None
    """UTC microseconds."""
    ended: int | None = None
    """UTC microseconds."""
    operation: str = ""
    """Id of its operation, "" for a run that is in no store."""
    origin: Origin | None = None
    """File and line it came from."""
    measures: dict[str, int] = {}
    """Integers by measure name: what the call cost, with its share of the model call that asked for it."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One session as the compiler reads it."""

    key: str
    """Session key."""
    calls: tuple[Call, ...]
    """Tool calls in order."""
    turns: tuple[Turn, ...] = ()
    """What was said, in order."""
    task: str | None = None
    """Known task or ticket."""
    outcome: str | None = None
    """success, failure or None."""
    tools: tuple[ToolSpec, ...] = ()
    """What its tools say of themselves."""
    effects: dict[int, tuple[str, ...]] = {}
    """Call index to resources it was seen to change, such as "file:src/a.py", by records below the tool."""
    observed: bool = False
    """True: effects tell every change of every call, as where states were compared; a call without any
    changed nothing. False: what is not told may have happened."""

    decisions: dict[int, str] = {}
    """Call index to what a person said to the call when it was to be made: refused or allowed."""

    @property
    def request(self) -> str:
        """The first thing a person asked, "" if nothing."""
        return next((t.text for t in self.turns if t.role == "user"), "")

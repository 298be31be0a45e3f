"""Which sub-agent does a sidechain record without an agent id belong to?

Versions up to 2.0.55 wrote sub-agents into their session's own file. Their first record follows nothing
(parentUuid is null) and repeats the prompt of the Task call; every later one names the one before.
"""

from __future__ import annotations

from tracelode.sources.claude_code.context import Context, Side, digest
from tracelode.sources.claude_code.progress import begins
from tracelode.sources.claude_code.records import Record, text_of

OPEN = 32
"""Sub-agents kept in mind at once."""
RECENT = 64
"""Records of a sub-agent that a next one may name; results of parallel tools name older ones."""


class InlineAgents:
    """Tells the sub-agents of one file apart.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def place(self, record: Record) -> tuple[str, tuple[str, str] | None]:
        """The thread of a sidechain record.

        Args:
            record: without an agent id.

        Returns:
            (agent id made for the sub-agent, the call that started it): the call, as (agent id of the
            caller, operation id), only with a sub-agent's first record and only where it is known.

        Source:
            formats: Claude Code, links.
        """
        sides = self.context.state.sides
        parent = digest(record.parentUuid) if record.parentUuid else ""
        side = next((s for s in reversed(sides) if parent and parent in s.recent), None)
        spawner = None
        if side is None and sides and not begins(record):
            # its parent was cut off or lies in the main thread: whoever spoke last goes on
            side = sides[-1]
        if side is None:
            side, spawner = self._begun(record)
        elif side is not sides[-1]:
            sides.remove(side)
            sides.append(side)
        if record.uuid:
            side.recent.append(digest(record.uuid))
            del side.recent[:-RECENT]
        return side.agent, spawner

    def _begun(self, record: Record) -> tuple[Side, tuple[str, str] | None]:
        state = self.context.state
        text = text_of(record.message.content).strip() if record.message is not None else ""
        key = digest(text)
        waiting = state.tasks.get(key)
        spawner = waiting.pop(0) if waiting else None
        if waiting == []:
            del state.tasks[key]
        name = record.uuid or f"{record.sessionId}@{self.context.line.number}"
        side = Side(digest(name), spawner[1] if spawner else "", [])
        state.sides.append(side)
        del state.sides[:-OPEN]
        return side, spawner

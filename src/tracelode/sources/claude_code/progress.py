"""Which record of a sub-agent lies in a progress record? Versions 2.1.12 to 2.1.81 wrote them there.

A progress record {data: {type: agent_progress, agentId, message}, parentToolUseID} holds a whole record of
the sub-agent. data.normalizedMessages repeats earlier ones under other ids and is not looked at.
"""

from __future__ import annotations

from tracelode import lenient
from tracelode.sources.claude_code.records import Progress, Record

_MARK = b'"agent_progress"'
_HELD = frozenset({"user", "assistant", "system", "attachment"})


def nested(record: Record) -> tuple[Record | None, list[str]]:
    """The sub-agent's record inside a progress record.

    Args:
        record: a progress record.

    Returns:
        (record, complaints): the inner record with the place of the outer one, None where there is
        none; closed words on what could not be read.

    Source:
        formats: acceptance case A8.
    """
    data = bytes(record.data)
    if _MARK not in data:
        # most progress records carry the output of a command
        return None, []
    found, complaints = lenient.decode(data, Progress)
    progress = found[0] if found else Progress()
    inner = progress.message
    if progress.type != "agent_progress" or inner is None:
        return None, complaints
    if not progress.agentId:
        return None, [*complaints, "sub-agent's record without an agent id"]
    if inner.type not in _HELD:
        return None, [*complaints, "unknown record type inside a progress record"]
    inner.agentId = progress.agentId
    inner.isSidechain = True
    inner.sessionId, inner.cwd, inner.gitBranch = record.sessionId, record.cwd, record.gitBranch
    inner.entrypoint = record.entrypoint
    return inner, complaints


def begins(inner: Record) -> bool:
    """Does a sub-agent's record look like its first one: a text, and no result of a tool?

    Args:
        inner: what nested() gave.
    """
    message = inner.message
    if inner.type != "user" or message is None:
        return False
    return isinstance(message.content, str) or all(b.type != "tool_result" for b in message.content or ())

"""What is a line of version 1.0 or 1.1 that names no type?

Such lines are {timestamp, sessionId, message, requestId, costUSD, version}, as far as they are known.
"""

from __future__ import annotations

from tracelode.sources.claude_code.records import Record


def typed(record: Record) -> str | None:
    """The type of a record that does not name it.

    Args:
        record: a record without a type; user and assistant are entered in it.

    Returns:
        assistant for an answer with its usage, user for the rest of a conversation, None for any
        other object.

    Source:
        formats: Claude Code, header-less lines.
    """
    message = record.message
    if message is None or not record.sessionId:
        return None
    if message.usage is not None or message.role == "assistant":
        record.type = "assistant"
    elif message.role == "user":
        record.type = "user"
    return record.type

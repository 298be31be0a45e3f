"""Which messages does a log of the Agent Client Protocol hold? Lines, with or without a wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from tracelode import lenient
from tracelode.model.ports import Line, Skip

WRAPPERS = ("message", "payload", "data", "msg", "rpc", "frame")
"""Keys under which logs put the message itself."""
MOMENTS = ("timestamp", "ts", "time", "at")
"""Keys under which logs put the moment."""


class Rpc(msgspec.Struct):
    """A message, or the wrapper that a client's log puts around it."""

    id: Any = None
    """Id of a request and its response."""
    method: str | None = None
    """Of a request or notification."""
    params: Any = None
    """Its parameters."""
    result: Any = None
    """Of a response."""
    error: Any = None
    """Of a response that failed."""
    sessionId: str | None = None
    """Of bare parameters."""
    update: Any = None
    """Of bare parameters."""
    message: Any = None
    """Wrapped message."""
    payload: Any = None
    """Wrapped message."""
    data: Any = None
    """Wrapped message."""
    msg: Any = None
    """Wrapped message."""
    rpc: Any = None
    """Wrapped message."""
    frame: Any = None
    """Wrapped message."""
    timestamp: Any = None
    """Moment."""
    ts: Any = None
    """Moment."""
    time: Any = None
    """Moment."""
    at: Any = None
    """Moment."""


class Message(NamedTuple):
    """A message at its place."""

    line: Line
    """Its line."""
    moment: int | None
    """UTC microseconds, None where the log does not say."""
    ident: str
    """Id of a request or response as text, "" for none."""
    method: str
    """"" for a response."""
    params: dict[str, Any]
    """Parameters."""
    result: dict[str, Any] | None
    """Of a response that went well."""


def messages(file: Line) -> Iterator[Message | Skip]:
    """The messages of a log.

    Args:
        file: the whole file.

    Returns:
        Messages in order, and what of the lines could not be used.
    """
    offset = file.offset
    for number, data in enumerate(file.data.split(b"\n"), file.number):
        line = Line(number, offset, data)
        offset += len(data) + 1
        if not data.strip():
            continue
        found, complaints = lenient.decode(data, Rpc)
        for reason in complaints:
            yield Skip(number, reason)
        for record in found:
            inner = record
            moment = _moment(record)
            wrapped = next((w for k in WRAPPERS if isinstance(w := getattr(record, k), dict)), None)
            if record.method is None and record.update is None and wrapped is not None:
                inner = lenient.fit(wrapped, Rpc, [])
                moment = moment if moment is not None else _moment(inner)
            yield _message(line, inner, moment)


def _message(line: Line, rpc: Rpc, moment: int | None) -> Message:
    ident = "" if rpc.id is None or isinstance(rpc.id, list | dict) else str(rpc.id)
    method, params = rpc.method or "", rpc.params
    if not method and isinstance(rpc.update, dict):
        method, params = "session/update", {"sessionId": rpc.sessionId, "update": rpc.update}
    result = rpc.result if isinstance(rpc.result, dict) else None
    return Message(line, moment, ident, method, params if isinstance(params, dict) else {}, result)


def _moment(rpc: Rpc) -> int | None:
    for key in MOMENTS:
        value = getattr(rpc, key)
        if isinstance(value, str) and (found := lenient.microseconds(value, 0)) is not None:
            return found
        if isinstance(value, int | float) and not isinstance(value, bool) and 10**9 <= value < 10**17:
            # seconds, milliseconds or microseconds, by their size
            return round(value * (10**6 if value < 10**11 else 10**3 if value < 10**14 else 1))
    return None


def text_of(content: Any) -> str:
    """The words of a content block, of several, or of a tool's content.

    Args:
        content: as recorded.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for one in content if (text := text_of(one)))
    if isinstance(content, dict):
        if isinstance(content.get("text"), str):
            return str(content["text"])
        return text_of(content.get("content")) if "content" in content else ""
    return ""

"""Which parts of a Claude Code record do we read, and how is a broken one saved as far as possible?"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec


class CacheCreation(msgspec.Struct):
    """Cache writes by lifetime."""

    ephemeral_5m_input_tokens: int | None = None
    """Tokens written for five minutes."""
    ephemeral_1h_input_tokens: int | None = None
    """Tokens written for one hour."""


class ServerUse(msgspec.Struct):
    """Tools that ran on the provider's side, billed per use."""

    web_search_requests: int | None = None
    """Web searches."""
    web_fetch_requests: int | None = None
    """Web fetches."""


class Usage(msgspec.Struct):
    """Token counts of one API response, repeated on each of its records."""

    input_tokens: int | None = None
    """Fresh input."""
    cache_creation_input_tokens: int | None = None
    """All cache writes."""
    cache_read_input_tokens: int | None = None
    """Cache reads."""
    output_tokens: int | None = None
    """Output with reasoning; partial until the last record."""
    cache_creation: CacheCreation | None = None
    """Cache writes by lifetime, where told."""
    server_tool_use: ServerUse | None = None
    """Server tool uses."""
    service_tier: str | None = None
    """standard, batch, priority."""
    inference_geo: str | None = None
    """Geography, where told."""
    speed: str | None = None
    """standard or fast."""


class Inner(msgspec.Struct):
    """A block inside a tool result."""

    type: str | None = None
    """text, image, tool_reference."""
    text: str | None = None
    """The text."""


class Block(msgspec.Struct):
    """A content block of a message."""

    type: str | None = None
    """text, thinking, tool_use, tool_result, image, ..."""
    text: str | None = None
    """Text of a text block."""
    id: str | None = None
    """Id of a tool use."""
    name: str | None = None
    """Tool name."""
    input: msgspec.Raw = msgspec.Raw()
    """Tool input, undecoded."""
    tool_use_id: str | None = None
    """The tool use a result answers."""
    content: str | list[Inner] | None = None
    """Result content."""
    is_error: bool | None = None
    """Result flag."""


class Message(msgspec.Struct):
    """The API message inside a record."""

    id: str | None = None
    """Message id, shared by all records of one API call."""
    model: str | None = None
    """Model id."""
    role: str | None = None
    """user or assistant."""
    content: str | list[Block] | None = None
    """Text or blocks."""
    stop_reason: str | None = None
    """Set on the last record of a message."""
    usage: Usage | None = None
    """Token counts."""


class ToolResult(msgspec.Struct):
    """The structured result beside a tool_result block, as far as it concerns us."""

    agentId: str | None = None
    """Sub-agent that ran."""
    agent_id: str | None = None
    """The same in other versions."""
    durationMs: float | None = None
    """Own duration of the tool."""
    totalDurationMs: float | None = None
    """Own duration of a sub-agent."""
    durationSeconds: float | None = None
    """Own duration of a web search."""
    interrupted: bool | None = None
    """The user stopped it."""
    backgroundTaskId: str | None = None
    """It went to the background."""
    isAsync: bool | None = None
    """A sub-agent that runs beside its parent."""
    answers: dict[str, Any] | None = None
    """Answers of the user to a question."""


class Kinded(msgspec.Struct):
    """origin of a user record."""

    kind: str | None = None
    """human, task-notification, ..."""


class Attachment(msgspec.Struct):
    """Attachment payload."""

    type: str | None = None
    """Kind of attachment."""
    prompt: str | list[Inner] | None = None
    """Text of a queued command."""


class Compaction(msgspec.Struct):
    """compactMetadata of a compaction boundary."""

    trigger: str | None = None
    """auto or manual."""
    preTokens: int | None = None
    """Context size before."""


class Record(msgspec.Struct):
    """One line of a transcript."""

    type: str | None = None
    """Record type."""
    subtype: str | None = None
    """Of system records."""
    uuid: str | None = None
    """Own id."""
    timestamp: str | None = None
    """ISO 8601 moment of writing."""
    sessionId: str | None = None
    """Session id; the parent's inside a sub-agent file."""
    agentId: str | None = None
    """Sub-agent id."""
    isSidechain: bool | None = None
    """True inside a sub-agent."""
    cwd: str | None = None
    """Working folder."""
    gitBranch: str | None = None
    """Branch."""
    permissionMode: str | None = None
    """Permission mode."""
    isMeta: bool | None = None
    """Written by the harness."""
    isCompactSummary: bool | None = None
    """Summary after a compaction."""
    isApiErrorMessage: bool | None = None
    """A synthetic error message."""
    entrypoint: str | None = None
    """cli, sdk-cli, ..."""
    message: Message | None = None
    """The API message."""
    toolUseResult: ToolResult | str | list[msgspec.Raw] | None = None
    """Structured tool result."""
    origin: Kinded | None = None
    """Who caused a user record."""
    operation: str | None = None
    """Of queue operations."""
    content: str | list[Inner] | None = None
    """Of queue operations and system records."""
    attachment: Attachment | None = None
    """Of attachments."""
    toolDenialKind: str | None = None
    """How a tool call was denied."""
    interruptedMessageId: str | None = None
    """The message an interrupt stopped."""
    compactMetadata: Compaction | None = None
    """Of compaction boundaries."""


_DECODER = msgspec.json.Decoder(Record)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def decode(data: bytes) -> tuple[list[Record], list[str]]:
    """The records of one line, and what was wrong with it.

    Args:
        data: the line's bytes.

    Returns:
        (records, complaints): usually one record and no complaint; two objects on a line give two
        records; a broken line gives what can be read of it and closed words on the rest.
    """
    try:
        return [_DECODER.decode(data)], []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _second_pass(data)


def _second_pass(data: bytes) -> tuple[list[Record], list[str]]:
    complaints: list[str] = []
    text = data.decode("utf-8", "replace")
    records: list[Record] = []
    for value, complaint in _objects(text):
        if complaint:
            complaints.append(complaint)
        elif not isinstance(value, dict):
            complaints.append("record is not an object")
        else:
            records.append(_fit(value, Record, "", complaints))
    if len(records) > 1:
        complaints.append("several objects on one line, all read")
    return records, complaints


def _objects(text: str) -> Iterator[tuple[Any, str]]:
    scanner = json.JSONDecoder(parse_constant=lambda _: None)
    at = 0
    while at < len(text):
        while at < len(text) and text[at] in " \t\r\n,\x00\ufeff":
            at += 1
        if at == len(text):
            return
        try:
            value, at = scanner.raw_decode(text, at)
        except RecursionError:
            yield None, "nested too deep"
            return
        except ValueError:
            # what follows a good object may be the start of another one, cut in the middle
            later = text.find("}{", at)
            yield None, "not valid JSON"
            if later < 0:
                return
            at = later + 1
            continue
        yield value, ""


@cache
def _hints(struct: type) -> dict[str, Any]:
    return get_type_hints(struct)


def _fit(value: dict[str, Any], struct: Any, where: str, complaints: list[str]) -> Any:
    """Build a struct from a decoded object, field by field: a wrong field is left out, not the record."""
    made = struct()
    for name, hint in _hints(struct).items():
        if name in value and value[name] is not None:
            fitted = _fit_value(value[name], hint, f"{where}{name}", complaints)
            if fitted is not None:
                setattr(made, name, fitted)
    return made


def _fit_value(value: Any, hint: Any, where: str, complaints: list[str]) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        origin = get_origin(option)
        if option is msgspec.Raw:
            return msgspec.Raw(msgspec.json.encode(_clean(value)))
        if isinstance(value, dict) and origin is dict:
            return _clean(value)
        if isinstance(value, dict) and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return _fit(value, option, f"{where}.", complaints)
        if isinstance(value, list) and origin is list:
            (inner,) = get_args(option)
            fitted = [_fit_value(item, inner, f"{where}[]", complaints) for item in value]
            return [item for item in fitted if item is not None]
        if option is str and isinstance(value, str):
            return _clean(value)
        if option is bool and isinstance(value, bool):
            return value
        if option is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if option is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    complaints.append(f"wrong type in field {where}")
    return None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return None
    return value


def microseconds(text: str | None) -> int | None:
    """A record's moment.

    Args:
        text: ISO 8601 with a zone, as recorded.

    Returns:
        UTC microseconds since the epoch, None if absent or not a moment.
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return (moment - _EPOCH) // _MICROSECOND


def text_of(content: str | list[Inner] | list[Block] | None) -> str:
    """The text of a content value.

    Args:
        content: a string, or blocks of which those with text count.

    Returns:
        The texts joined by newlines; "" for none.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if block.text)

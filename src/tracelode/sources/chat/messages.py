"""What does one chat message say? Text, tool calls and results, in the forms of all the APIs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Roles as files name them, and what they mean."""

SILENT = frozenset(
    ("thinking", "redacted_thinking", "reasoning", "image", "image_url", "input_image", "document", "file",
     "input_file", "audio", "input_audio", "video_url")
)  # fmt: skip
"""Known content blocks that are neither text nor tools."""

_TEXTS = frozenset(("text", "input_text", "output_text", "refusal"))


class Call(msgspec.Struct, frozen=True):
    """A tool call inside a message."""

    id: str
    """The file's own id, "" for none."""
    name: str
    """Tool name."""
    arguments: str
    """Input as JSON text, or as the file has it."""
    given: Any
    """Decoded input, None where it is no JSON."""
    requestor: str
    """Who asked for it, "" where the message's role says so."""


class Result(msgspec.Struct, frozen=True):
    """A tool's result."""

    id: str
    """Id of the call, "" for none."""
    name: str
    """Tool name, "" where not told."""
    text: str
    """What it said."""
    failed: bool | None
    """Did it fail? None where the file does not tell."""


class Parts(msgspec.Struct):
    """A message taken apart."""

    text: str = ""
    """Its text."""
    calls: list[Call] = []
    """Tool calls in it."""
    results: list[Result] = []
    """Results in it."""
    other: bool = False
    """Does it hold an image or the like?"""
    complaints: list[str] = []
    """Closed words on what could not be read."""


def parts_of(message: dict[str, Any]) -> Parts:
    """Take a message apart.

    Args:
        message: a decoded message.

    Returns:
        Its parts; a wrong type costs itself, not the message.
    """
    parts = Parts(calls=[], results=[], complaints=[])
    content = message.get("content")
    texts: list[str] = []
    if isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        for block in content:
            _block(block, parts, texts)
    elif content is not None:
        parts.complaints.append("content of an unknown type")
    parts.text = "\n".join(text for text in texts if text)
    _calls(message, parts)
    return parts


def _block(block: Any, parts: Parts, texts: list[str]) -> None:
    if isinstance(block, str):
        texts.append(block)
        return
    kind = _str(block.get("type")) if isinstance(block, dict) else ""
    if kind in _TEXTS:
        # AgentDojo names the text of a text block content
        text = block.get("text", block.get("content", block.get("refusal")))
        texts.append(text if isinstance(text, str) else "")
    elif kind == "tool_use":
        parts.calls.append(_call(block.get("id"), block.get("name"), block.get("input"), None))
    elif kind == "tool_result":
        flag = block.get("is_error")
        text = text_of(block.get("content"))
        parts.results.append(Result(_str(block.get("tool_use_id")), "", text, flag is True))
    elif kind in SILENT:
        parts.other = True
    else:
        parts.complaints.append("unknown content block")


def _calls(message: dict[str, Any], parts: Parts) -> None:
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        for raw in calls:
            found = call_of(raw)
            if found is None:
                parts.complaints.append("tool call without a name")
            else:
                parts.calls.append(found)
    elif calls is not None:
        parts.complaints.append("tool calls of an unknown type")
    legacy = message.get("function_call")
    if isinstance(legacy, dict) and not parts.calls:
        parts.calls.append(_call(None, legacy.get("name"), legacy.get("arguments"), None))


def call_of(raw: Any) -> Call | None:
    """A tool call in any of the forms: OpenAI's, tau2's, AgentDojo's.

    Args:
        raw: a decoded element of tool_calls.

    Returns:
        The call, None where it has no name.
    """
    if not isinstance(raw, dict):
        return None
    function = raw.get("function")
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
    elif isinstance(function, str):
        name, arguments = function, raw.get("args", raw.get("arguments"))
    else:
        name, arguments = raw.get("name"), raw.get("arguments", raw.get("args"))
    if not isinstance(name, str) or not name:
        return None
    return _call(raw.get("id"), name, arguments, raw.get("requestor"))


def _call(ident: Any, name: Any, arguments: Any, requestor: Any) -> Call:
    text, given = "", arguments
    if isinstance(arguments, str):
        text = arguments
        try:
            given = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            given = None
    elif arguments is not None:
        text = msgspec.json.encode(arguments).decode("utf-8", "replace")
    return Call(_str(ident), _str(name) or "unknown tool", text, given, _str(requestor))


def results_of(message: dict[str, Any]) -> Iterator[Result]:
    """The results in a message with the role of a tool.

    Args:
        message: a decoded message; tau2 may put several into one.
    """
    several = message.get("tool_messages")
    if isinstance(several, list):
        for one in several:
            if isinstance(one, dict):
                yield from results_of(one)
        return
    called = message.get("tool_call")
    named = call_of(called) if isinstance(called, dict) else None
    ident = _str(message.get("tool_call_id")) or (named.id if named else "")
    name = _str(message.get("name")) or (named.name if named else "")
    failed: bool | None = None
    for key in ("error", "is_error"):
        if key in message:
            failed = bool(message[key])
    text = text_of(message.get("content"))
    if not text and isinstance(message.get("error"), str):
        text = message["error"]
    yield Result(ident or _str(message.get("id")), name, text, failed)


def text_of(content: Any) -> str:
    """The text of a result's content: a string, blocks, or any JSON value.

    Args:
        content: the decoded content.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list) and all(isinstance(b, dict) and "type" in b for b in content):
        texts = (b.get("text", b.get("content")) for b in content if _str(b["type"]) in _TEXTS)
        return "\n".join(t for t in texts if isinstance(t, str))
    return msgspec.json.encode(content).decode("utf-8", "replace")


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""

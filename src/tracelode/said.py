"""What do the inputs and outputs of a framework's steps say? Prompts, answers, and the calls they ask for."""

from __future__ import annotations

from typing import Any

import msgspec


def said(value: Any, depth: int = 8) -> str:
    """What a person said in the input of a trace: a text, or the last of their messages.

    Args:
        value: the decoded input in any of the shapes that frameworks use.
        depth: how deep to look.

    Example:
        >>> said({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]})
        'hi'
    """
    if isinstance(value, str):
        return value
    if depth <= 0:
        return ""
    if isinstance(value, dict):
        for key in ("messages", "input", "question", "query", "prompt", "content", "text", "parts", "kwargs"):
            if value.get(key):
                found = said(value[key], depth - 1)
                if found:
                    return found
        return ""
    if not isinstance(value, list):
        return ""
    people = [part for part in value if isinstance(part, dict) and _role(part) in ("user", "human")]
    if people:
        return said({k: v for k, v in people[-1].items() if k != "role"}, depth - 1)
    if any(isinstance(part, dict) and _role(part) for part in value):
        return ""
    if len(value) == 1 and isinstance(value[0], list):
        return said(value[0], depth - 1)
    texts = [said(part, depth - 1) for part in value]
    return "\n".join(text for text in texts if text)


def _role(message: dict[str, Any]) -> str:
    """Whose message it is, in the words of OpenAI, LangChain or its serialised form."""
    for key in ("role", "type"):
        value = message.get(key)
        if value in ("user", "human", "assistant", "ai", "system", "tool", "developer"):
            return str(value)
    ident = message.get("id")
    if isinstance(ident, list) and ident and isinstance(ident[-1], str) and ident[-1].endswith("Message"):
        return ident[-1].removesuffix("Message").lower()
    return ""


def opened(value: Any) -> Any:
    """A value that may be kept as JSON text.

    Args:
        value: anything.

    Returns:
        What the text decodes to; the value itself where it is no JSON object or array.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


def text_of(value: Any) -> str:
    """An output as text: an answer by what it says, anything else as JSON.

    Args:
        value: a decoded value.

    Example:
        >>> text_of({"choices": [{"message": {"role": "assistant", "content": "hi"}}]}), text_of({"a": 1})
        ('hi', '{"a":1}')
    """
    if value is None or isinstance(value, str):
        return value or ""
    found = _answer(value)
    return found if found else msgspec.json.encode(value).decode()


def _answer(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("content"), str):
        return str(value["content"])
    choices = value.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return _answer(choices[0].get("message"))
    if set(value) == {"output"}:
        return value["output"] if isinstance(value["output"], str) else _answer(value["output"])
    rounds = value.get("generations")
    while isinstance(rounds, list) and rounds:
        rounds = rounds[0]
    if isinstance(rounds, dict) and isinstance(rounds.get("text"), str):
        return str(rounds["text"])
    return ""


def asked(value: Any, depth: int = 8) -> frozenset[str]:
    """Ids of the tool calls in a model's answer.

    Args:
        value: the output, decoded or as JSON text.
        depth: how deep to look.

    Example:
        >>> sorted(asked({"tool_calls": [{"id": "call_1", "function": {"name": "look"}}]}))
        ['call_1']
    """
    value = opened(value)
    found: set[str] = set()
    if depth > 0 and isinstance(value, dict):
        for key in ("id", "toolCallId", "tool_call_id"):
            if isinstance(value.get(key), str) and _is_call(value):
                found.add(value[key])
        inside = list(value.values())
    else:
        inside = value if depth > 0 and isinstance(value, list) else []
    for inner in inside:
        if isinstance(inner, dict | list):
            found |= asked(inner, depth - 1)
    return frozenset(found)


def _is_call(value: dict[str, Any]) -> bool:
    return (
        bool({"function", "toolName", "arguments"} & set(value))
        or ({"name", "args"} <= set(value))
        or ({"name", "input"} <= set(value))
    )

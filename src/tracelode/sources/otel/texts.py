"""What do the messages on a span say? Prompts, answers, tool calls and results, in every writer's form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from tracelode.sources.otel import words
from tracelode.sources.otel.usage import opened
from tracelode.wire.message import Span

_MOST = 4_000
"""Messages and parts of one span that are looked at."""
_LONGEST = max(map(len, words.HIDDEN))
_TASKS = (
    "task",
    "question",
    "query",
    "prompt",
    "user_input",
    "input",
    "message",
    "objective",
    "goal",
    "text",
)
"""Keys under which an agent's input holds what it was asked."""


class Call(msgspec.Struct, frozen=True):
    """A tool call that a model's answer asks for."""

    id: str
    """Id of the call, "" where none is told."""
    name: str
    """Tool name."""
    arguments: str
    """Arguments as text."""


class Message(msgspec.Struct, frozen=True):
    """One message to or from a model."""

    role: str
    """user, assistant, system, tool, ..."""
    text: str = ""
    """Text of it."""
    calls: tuple[Call, ...] = ()
    """Tool calls in it."""
    results: tuple[tuple[str, str], ...] = ()
    """(id of the call, text) of tool results in it."""


def text_of(value: Any) -> str:
    """A value as text.

    Args:
        value: text, or any decoded value.

    Returns:
        The text; JSON for structures; "" for nothing and for what its writer kept to itself.
    """
    if isinstance(value, bytes):
        return ""
    if isinstance(value, str):
        bare = value.strip()
        return "" if len(bare) <= _LONGEST and bare.lower() in words.HIDDEN else value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def first_text(attributes: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of some attributes that is there, as text.

    Args:
        attributes: attributes of a span.
        names: names in order of preference.
    """
    for name in names:
        value = attributes.get(name)
        if value is not None:
            found = text_of(value)
            if found:
                return found
    return ""


def size_of(text: str) -> int:
    """Bytes of a text.

    Args:
        text: any text.
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def messages(value: Any) -> list[Message]:
    """Messages in a decoded value or its JSON text.

    Args:
        value: a list of messages, one message, or an object that holds such a list.

    Returns:
        Messages in order; a bare text is one of the user.
    """
    value = opened(value)
    if isinstance(value, dict):
        for key in ("messages", "input_messages", "choices", "generations", "output"):
            if isinstance(value.get(key), list):
                return messages(value[key])
        if isinstance(value.get("prompt"), str) and "role" not in value:
            return [Message("user", text_of(value["prompt"]))]
        value = [value]
    if isinstance(value, str):
        return [Message("user", text_of(value))] if text_of(value) else []
    if not isinstance(value, list):
        return []
    found: list[Message] = []
    for one in value[-_MOST:]:
        if isinstance(one, list):
            found += messages(one)
        elif isinstance(one, dict):
            found.append(_message(one))
        elif isinstance(one, str):
            found.append(Message("user", one))
    return found


def _message(given: dict[str, Any]) -> Message:
    inner = given.get("message")
    if isinstance(inner, dict):
        given = {"role": given.get("role"), **inner}
    role = given.get("role") or given.get("type") or ""
    texts: list[str] = []
    calls: list[Call] = []
    results: list[tuple[str, str]] = []
    content = None
    for key in ("parts", "content", "contents", "text"):
        content = given.get(key)
        if content is not None:
            break
    if isinstance(content, str):
        texts.append(text_of(content))
    for part in content[:_MOST] if isinstance(content, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            _part(part, texts, calls, results)
    told = given.get("tool_calls") or given.get("toolCalls")
    if told:
        calls.extend(map(_call, _listed(told)))
    if isinstance(given.get("function_call"), dict):
        calls.append(_call(given["function_call"]))
    own = (
        given.get("tool_call_id") or given.get("toolCallId") or (given.get("id") if role == "tool" else None)
    )
    if isinstance(own, str) and not calls:
        results.append((own, "\n".join(texts) or text_of(content)))
    return Message(str(role), "\n".join(t for t in texts if t), tuple(calls), tuple(results))


def _listed(value: Any) -> Iterator[dict[str, Any]]:
    value = opened(value)
    for one in value[:_MOST] if isinstance(value, list) else ():
        if isinstance(one, dict):
            inner = one.get("tool_call")
            yield inner if isinstance(inner, dict) else one


def _part(part: dict[str, Any], texts: list[str], calls: list[Call], results: list[tuple[str, str]]) -> None:
    inner = part.get("message_content")
    if isinstance(inner, dict):
        part = inner
    kind = part.get("type")
    if kind in ("tool_call", "tool_use", "tool-call", "function_call"):
        calls.append(_call(part))
    elif kind in ("tool_call_response", "tool_result", "tool-result", "function_call_output"):
        own = part.get("id") or part.get("tool_use_id") or part.get("toolCallId") or part.get("call_id")
        value = next((part[k] for k in ("response", "result", "content", "output") if k in part), None)
        results.append((str(own or ""), text_of(value)))
    elif kind not in ("reasoning", "thinking"):
        text = part.get("text") if part.get("text") is not None else part.get("content")
        if isinstance(text, str):
            texts.append(text_of(text))


def _call(given: dict[str, Any]) -> Call:
    function = given.get("function")
    if isinstance(function, dict):
        given = {"id": given.get("id"), **function}
    own = next((given[k] for k in ("id", "call_id", "toolCallId", "tool_call_id") if given.get(k)), "")
    name = next((given[k] for k in ("name", "toolName", "tool_name") if given.get(k)), "")
    value = next(
        (given[k] for k in ("arguments", "input", "args", "parameters") if given.get(k) is not None), ""
    )
    return Call(str(own), str(name), text_of(value))


def gathered(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Values that were written flat, as a list again.

    Args:
        attributes: attributes of a span.
        prefix: name before the index, with a dot at its end: llm.input_messages. and the like.

    Returns:
        One value an index: objects and lists as the dotted rest of the names says.
    """
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(prefix):
            continue
        node = root
        *path, last = name[len(prefix) :].split(".")
        for step in path[:12]:
            inner = node.setdefault(step, {})
            if not isinstance(inner, dict):
                inner = node[step] = {}
            node = inner
        if not isinstance(node.get(last), dict):
            node[last] = value
    return [_relisted(root[key]) for key in sorted((k for k in root if k.isdecimal()), key=_index)]


def _flat(attributes: Mapping[str, Any], prefixes: tuple[str, ...]) -> list[Message] | None:
    """Messages that were written flat, under the first of some prefixes that has any; None for none."""
    # most spans have none: to look through all names at once is far cheaper than one by one
    names = "\n".join(attributes)
    for prefix in prefixes:
        found = gathered(attributes, prefix) if prefix in names else []
        if found:
            return messages(found)
    return None


def _index(key: str) -> int:
    return int(key) if len(key) < 9 else 10**9


def _relisted(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(key.isdecimal() for key in node):
        return [_relisted(node[key]) for key in sorted(node, key=_index)]
    return {key: _relisted(value) for key, value in node.items()}


_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages", "ai.prompt", "llm.input_messages")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_ANSWERS = (
    "langfuse.observation.output", "ai.response.object", "output.value", "traceloop.entity.output", "output",
)  # fmt: skip
_GIVEN = words.MESSAGES - {"gen_ai.choice", "gen_ai.assistant.message"}
_WHOLE = ("pydantic_ai.all_messages", "all_messages_events", "events")


def inputs(span: Span) -> list[Message]:
    """Messages that a call was given.

    Args:
        span: a span of a model or an agent.

    Returns:
        Messages in order, empty where none were recorded.
    """
    a = span.attributes
    flat = _flat(a, ("llm.input_messages.", "gen_ai.prompt."))
    if flat is not None:
        return flat
    for name in (*_INPUTS, *_WHOLE, "langfuse.observation.input"):
        if a.get(name) is not None:
            return [m for m in messages(a[name]) if m.role != "assistant" or name not in _WHOLE]
    told = [_event(event.name, event.attributes) for event in span.events if event.name in _GIVEN]
    for event in span.events:
        if event.name == "gen_ai.content.prompt":
            told += messages(event.attributes.get("gen_ai.prompt"))
    if told:
        return told
    value = next(
        (a[name] for name in ("input.value", "traceloop.entity.input", "input") if a.get(name)), None
    )
    return messages(value)


def outputs(span: Span) -> list[Message]:
    """Messages that a call gave.

    Args:
        span: a span of a model or an agent.

    Returns:
        Messages in order, empty where none were recorded.
    """
    a = span.attributes
    flat = _flat(a, ("llm.output_messages.", "gen_ai.completion."))
    if flat is not None:
        return flat
    for name in _OUTPUTS:
        if a.get(name) is not None:
            return messages(a[name])
    calls = a.get("ai.response.toolCalls")
    if a.get("ai.response.text") is not None or calls is not None:
        listed = tuple(_call(call) for call in _listed(calls))
        return [Message("assistant", text_of(a.get("ai.response.text")), listed)]
    told = [_event(e.name, e.attributes) for e in span.events if e.name == "gen_ai.choice"]
    for event in span.events:
        if event.name == "gen_ai.content.completion":
            told += messages(event.attributes.get("gen_ai.completion"))
    if told:
        return told
    names = (
        "langfuse.observation.output",
        "ai.response.object",
        "output.value",
        "traceloop.entity.output",
        "output",
    )
    return messages(next((a[name] for name in names if a.get(name)), None))


def _event(name: str, attributes: Mapping[str, Any]) -> Message:
    """A message that conventions up to 1.36 wrote as an event."""
    role = name.removeprefix("gen_ai.").removesuffix(".message").replace("choice", "assistant")
    given = {"role": role, **attributes}
    for key in ("message", "content", "tool_calls"):
        given[key] = opened(given.get(key))
    if role == "tool" and "id" in given:
        given["tool_call_id"] = given["id"]
    return _message(given)


def asked(span: Span) -> str:
    """What the person or program around asked of a span.

    Args:
        span: a span of a model, an agent or a chain.

    Returns:
        The last text of the user, or the task an agent was given; "" where none was recorded.
    """
    own = text_of(span.attributes.get("user_prompt")) or text_of(span.attributes.get("langfuse.trace.input"))
    value = opened(own or span.attributes.get("input.value") or span.attributes.get("traceloop.entity.input"))
    if isinstance(value, dict):
        inner = value.get("inputs") if isinstance(value.get("inputs"), dict) else value
        for key in _TASKS:
            if isinstance(inner, dict) and isinstance(inner.get(key), str) and inner[key]:
                return text_of(inner[key])
    elif own:
        return own
    return last_user(inputs(span))


def last_user(found: Iterable[Message]) -> str:
    """The last text of the user.

    Args:
        found: messages in order.
    """
    texts = [m.text for m in found if m.role in ("user", "human", "HumanMessage") and m.text]
    return texts[-1] if texts else ""

"""What does a local agent's output say? Its answer, its model and its tokens, by the agent's own format."""

from __future__ import annotations

import msgspec

from tracelode.errors import ProviderError
from tracelode.model.answer import Answer
from tracelode.providers.failures import malformed


class _ClaudeUsage(msgspec.Struct):
    input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    output_tokens: int = 0


class _ClaudeResult(msgspec.Struct):
    type: str
    result: str | None = None
    is_error: bool = False
    subtype: str = ""
    usage: _ClaudeUsage | None = None
    models: dict[str, msgspec.Raw] = msgspec.field(name="modelUsage", default={})


class _CodexItem(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _CodexUsage(msgspec.Struct):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0


class _CodexEvent(msgspec.Struct):
    type: str
    item: _CodexItem | None = None
    usage: _CodexUsage | None = None


def plain(out: bytes, place: str) -> Answer:
    """The answer of a command of the user's own: all that it wrote."""
    return Answer(text=out.decode("utf-8", "replace"))


def claude(out: bytes, place: str) -> Answer:
    """The answer of `claude -p --output-format json`: one result object.

    Args:
        out: what it wrote.
        place: its name.

    Raises:
        ProviderError: it is no such object, or tells of a failure.
    """
    try:
        found = msgspec.json.decode(out, type=_ClaudeResult)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise malformed(place, "what is not its JSON result") from None
    if found.type != "result" or found.is_error or found.result is None:
        raise ProviderError(f"{place} says that it failed; run it by hand to see why", kind="failed")
    usage = found.usage
    read = usage.cache_read_input_tokens if usage else 0
    return Answer(
        text=found.result,
        model=next(iter(found.models)) if len(found.models) == 1 else "",
        tokens_in=usage.input_tokens + read + usage.cache_creation_input_tokens if usage else None,
        tokens_cached=read,
        tokens_out=usage.output_tokens if usage else None,
        stop=found.subtype,
    )


def codex(out: bytes, place: str) -> Answer:
    """The answer of `codex exec --json`: the last message among its events.

    Args:
        out: what it wrote, JSON Lines; lines that are no event are passed over.
        place: its name.

    Raises:
        ProviderError: no message is among them, or the turn failed.
    """
    text, usage, failed = None, None, False
    for line in out.splitlines():
        try:
            event = msgspec.json.decode(line, type=_CodexEvent)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if event.type == "item.completed" and event.item is not None and event.item.type == "agent_message":
            text = event.item.text
        elif event.type == "turn.completed":
            usage = event.usage
        elif event.type == "turn.failed":
            failed = True
    if failed:
        raise ProviderError(f"{place} says that it failed; run it by hand to see why", kind="failed")
    if text is None:
        raise malformed(place, "no message")
    return Answer(
        text=text,
        tokens_in=usage.input_tokens if usage else None,
        tokens_cached=usage.cached_input_tokens if usage else 0,
        tokens_out=usage.output_tokens if usage else None,
    )

"""How does an adapter make operations? Ids that last, places in a file, one numbering a session."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from tracelode.model.operation import Actor, Kind, Operation, Origin, Status, operation_id
from tracelode.model.ports import Line


class Maker:
    """Makes the operations of one file, for adapters that read a whole file at once.

    Args:
        agent: family of the ids, such as gemini-cli.
        adapter: name of the source.
        path: the file as origins name it.
        session: session key; may be set later and changed between operations.
    """

    def __init__(self, agent: str, adapter: str, path: str, session: str = "") -> None:
        self.agent = agent
        self.adapter = adapter
        self.path = path
        self.session = session
        self.line = Line(1, 0, b"")
        """Place of the next operations."""
        self._nameless: dict[str, int] = {}
        self._used: dict[str, int] = {}

    def ident(self, native: str | None = None) -> str:
        """The id of a record.

        Args:
            native: the source's own id, unique beyond its session; None numbers it inside its session.

        Returns:
            16 hex digits.

        Source:
            accounting: identity.
        """
        if native:
            return operation_id(self.agent, native)
        count = self._nameless[self.session] = self._nameless.get(self.session, 0) + 1
        return operation_id(self.agent, f"{self.session}#{count}")

    def scoped(self, native: str | None) -> str | None:
        """An id that counts inside its session only, as it is unique everywhere; the second use of
        the same one is told from the first.

        Args:
            native: the source's own id, None for none.
        """
        if not native:
            return None
        key = f"{self.session}/{native}"
        used = self._used[key] = self._used.get(key, -1) + 1
        return f"{key}#{used}" if used else key

    def operation(
        self,
        native: str | None,
        actor: Actor,
        kind: Kind,
        name: str,
        status: Status,
        at: int | None,
        ended: int | None = None,
        **more: Any,
    ) -> Operation:
        """An operation of the present session at the present place.

        Args:
            native: as of ident().
            actor: who did it.
            kind: what sort.
            name: tool name, model id or closed word.
            status: how it ended.
            at: start, UTC microseconds.
            ended: end, None for the start.
            more: further parts of an Operation.
        """
        return Operation(
            session=self.session,
            index=0,
            id=self.ident(native),
            actor=actor,
            kind=kind,
            name=name,
            status=status,
            started=at,
            ended=at if ended is None else ended,
            origin=Origin(self.adapter, self.path, self.line.number, self.line.offset),
            **more,
        )

    def tool(
        self,
        native: str | None,
        name: str,
        call: Operation | None,
        status: Status,
        at: int | None,
        *,
        kind: Kind = "tool",
        ended: int | None = None,
        fields: dict[str, str] | None = None,
        arguments: str = "",
        output: str = "",
        actor: Actor = "agent",
    ) -> Operation:
        """A tool call, with its result where that is known already.

        Args:
            native: as of ident().
            name: tool name.
            call: the model call that issued it, None where none is known.
            status: how it ended.
            at: start, UTC microseconds.
            kind: tool, plan or subagent.
            ended: end, None where it is not known.
            fields: further fields.
            arguments: input as text.
            output: result as text.
            actor: who called it.
        """
        own = {"tool": name}
        if call is not None:
            own["call"] = call.id
            if "model" in call.fields:
                own["model"] = call.fields["model"]
        return Operation(
            session=self.session,
            index=0,
            id=self.ident(native),
            actor=actor,
            kind=kind,
            name=name,
            status=status,
            started=at,
            ended=ended,
            parent=call.id if call is not None else None,
            fields=own | (fields or {}),
            measures={"bytes.output": len(output.encode("utf-8", "replace"))} if output else {},
            arguments=arguments,
            output=output,
            origin=Origin(self.adapter, self.path, self.line.number, self.line.offset),
        )


_PLAIN = re.compile(r"[A-Za-z0-9][\w.:/ -]{0,127}")


def prefixed(word: str, ident: str) -> str:
    """A session key made of a word and a source's own id.

    Args:
        word: what stands before the id.
        ident: as the source tells it. Behind a word nobody sees that a path or a secret begins: an id that
            may be one is known by its digest.
    """
    return f"{word}-{ident if _PLAIN.fullmatch(ident) else operation_id(word, ident)}"


ABSURD = 100_000_000
"""No single call counts this many tokens of one kind; such a figure is damage."""


def put_count(found: dict[str, int], name: str, value: int | None, complaints: list[str]) -> None:
    """Enter a count under a measure's name, if it is one.

    Args:
        found: measures by name, changed in place.
        name: the measure.
        value: what the source tells, None for nothing.
        complaints: receives closed words where the figure cannot be a count.
    """
    if value is None:
        return
    if value < 0:
        complaints.append("negative token count left out")
    elif value > ABSURD:
        complaints.append("absurd token count left out")
    else:
        found[name] = value


def put_input(
    found: dict[str, int], whole: int | None, read: int | None, write: int | None, complaints: list[str]
) -> None:
    """Enter an input count that includes cached tokens as disjoint kinds.

    Args:
        found: measures by name, changed in place.
        whole: all input tokens, cache reads and writes among them.
        read: tokens read from a cache, None where the source does not tell.
        write: tokens written to a cache for five minutes, None where the source does not tell.
        complaints: receives closed words where the figures contradict each other.

    Source:
        formats: token semantics; acceptance case C4: a contradiction is flagged, never clamped.
    """
    put_count(found, "tokens.cache_read", read, complaints)
    put_count(found, "tokens.cache_write_5m", write, complaints)
    if whole is None:
        return
    cached = found.get("tokens.cache_read", 0) + found.get("tokens.cache_write_5m", 0)
    if 0 <= whole < cached:
        complaints.append("cached tokens exceed the input they should be part of, input taken as fresh")
        cached = 0
    put_count(found, "tokens.input_fresh", whole - cached if whole >= 0 else whole, complaints)


_HOUR = "cache_creation.ephemeral_1h_input_tokens"


def usage_counts(usage: Any, complaints: list[str]) -> dict[str, int]:
    """Token measures of one API response, from the usage object of OpenAI, LiteLLM or Anthropic.

    Args:
        usage: the decoded object; anything else tells nothing.
        complaints: receives closed words where figures are no counts or contradict each other.

    Returns:
        Measures by name; what the object does not tell is absent. Input kinds are disjoint; reasoning
        is taken out of output where it is told apart.

    Source:
        formats: token semantics. prompt_tokens and, beside input_tokens_details, input_tokens
        include cached tokens; Anthropic's input_tokens do not.
    """
    found: dict[str, int] = {}
    if not isinstance(usage, dict):
        return found
    read = _first(usage, "cache_read_input_tokens", "prompt_tokens_details.cached_tokens",
                  "input_tokens_details.cached_tokens", "prompt_cache_hit_tokens")  # fmt: skip
    write, hour = _first(usage, "cache_creation_input_tokens"), _first(usage, _HOUR)
    if hour is not None and write is not None:
        # the sum stays told; its long-lived part has a kind and a price of its own
        put_count(found, "tokens.cache_write_1h", min(hour, write), complaints)
        write -= min(hour, write)
    if "input_tokens" in usage and "input_tokens_details" not in usage and "prompt_tokens" not in usage:
        put_count(found, "tokens.input_fresh", _first(usage, "input_tokens"), complaints)
        put_count(found, "tokens.cache_read", read, complaints)
        put_count(found, "tokens.cache_write_5m", write, complaints)
    else:
        put_input(found, _first(usage, "prompt_tokens", "input_tokens"), read, write, complaints)
    output = _first(usage, "completion_tokens", "output_tokens")
    reasoning = _first(usage, "completion_tokens_details.reasoning_tokens",
                       "output_tokens_details.reasoning_tokens")  # fmt: skip
    put_count(found, "tokens.reasoning", reasoning, complaints)
    inside = found.get("tokens.reasoning", 0)
    if output is not None and inside > output >= 0:
        complaints.append("reasoning exceeds the output it should be part of, counted beside it")
        inside = 0
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)
    return found


def _first(usage: dict[str, Any], *names: str) -> int | None:
    """The first of some figures that is there and an integer; a dot leads into an object."""
    for name in names:
        outer, _, inner = name.partition(".")
        value = usage.get(outer)
        if inner:
            value = value.get(inner) if isinstance(value, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def picodollars(dollars: Any) -> int | None:
    """A source's cost in dollars as an integer of picodollars, rounded half up.

    Args:
        dollars: an int, a float (taken by its shortest decimal form), or a decimal string.

    Returns:
        Picodollars; None for anything that is no amount of money: absent, negative, not finite.

    Example:
        >>> picodollars(0.0005404), picodollars("1e-15"), picodollars(None)
        (540400000, 0, None)
    """
    if isinstance(dollars, bool) or not isinstance(dollars, int | float | str):
        return None
    try:
        amount = Decimal(str(dollars))
    except InvalidOperation:
        return None
    if not amount.is_finite() or amount < 0 or amount > 10**9:
        return None
    return int((amount * 10**12).to_integral_value(ROUND_HALF_UP))

"""How do the spans of a file hang together? Traces as trees, what each span is, and whose it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tracelode.making import prefixed
from tracelode.sources.otel import words
from tracelode.sources.otel.usage import measures_of
from tracelode.wire.message import Origin, Span

CYCLE = "span that is its own ancestor, taken as a root"
BACKWARDS = "span that ends before it starts, end left out"
TWICE = "span told twice, the fuller one kept"


_ROLES = (
    ("gen_ai.operation.name", words.OPERATIONS),
    ("openinference.span.kind", words.OPENINFERENCE),
    ("langfuse.observation.type", words.LANGFUSE),
    ("traceloop.span.kind", words.TRACELOOP),
)
_COUNTS = frozenset((*words.INPUT, *words.OUTPUT))


class Node:
    """A span in its tree.

    Args:
        span: the span.
    """

    __slots__ = (
        "agent", "asks", "calls", "children", "complaints", "cut", "ended", "ident", "measures", "near",
        "parent", "role", "session", "span", "started", "tool",
    )  # fmt: skip

    def __init__(self, span: Span) -> None:
        self.span = span
        self.started = None if span.started is None else span.started // 1_000
        """UTC microseconds."""
        self.ended = None if span.ended is None or _backwards(span) else span.ended // 1_000
        """UTC microseconds, never before the start."""
        self.role = role_of(span)
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.session = ""
        """Session key."""
        self.agent: Node | None = None
        """The nearest agent around it, itself if it is one; None outside of any."""
        self.tool: Node | None = None
        """The nearest tool around it."""
        self.measures: dict[str, int] = {}
        """Token measures it tells."""
        self.calls = 0
        """Calls of models inside it, itself not counted."""
        self.asks = 0
        """Of these: calls that tell their tokens."""
        self.near = (False, False)
        """Is there a call inside without a tool or agent between, and one that tells its tokens?"""
        self.complaints: list[str] = []
        """Closed words on token counts that are none."""
        self.ident = ""
        """Id of its operation."""
        self.cut = False
        """A circle was cut here: what its span names as parent is none."""

    def get(self, names: Iterable[str]) -> str:
        """The first of some attributes that is a text.

        Args:
            names: in order of preference.
        """
        return text_in(self.span.attributes, names)


def text_in(attributes: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of some attributes that is a text.

    Args:
        attributes: those of a span or log record.
        names: in order of preference.

    Returns:
        The text, "" where there is none.
    """
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def role_of(span: Span) -> str:
    """What a span is.

    Args:
        span: any span.

    Returns:
        llm, tool, agent, chain, retrieval, check, wait (for a person), part (of its parent) or other.

    Source:
        formats: OpenTelemetry; GenAI conventions first, then OpenInference, Langfuse, OpenLLMetry, Claude
        Code and the Vercel AI SDK, then what the attributes alone show.
    """
    a = span.attributes
    for name, table in _ROLES:
        value = a.get(name)
        if isinstance(value, str):
            role = table.get(value) or table.get(value.upper()) or table.get(value.lower())
            if role:
                return role
    if span.name in words.CLAUDE_CODE:
        return words.CLAUDE_CODE[span.name]
    operation = a.get("ai.operationId")
    if isinstance(operation, str):
        if operation.endswith((".doGenerate", ".doStream", ".doEmbed")):
            return "llm"
        if operation in words.AI_SDK:
            return words.AI_SDK[operation]
    return _shown(span, a)


def _shown(span: Span, a: Mapping[str, Any]) -> str:
    """What a span is by its attributes alone."""
    if a.get("llm.request.type") in ("chat", "completion", "embedding", "rerank"):
        return "llm"
    if any(a.get(name) for name in ("gen_ai.tool.name", "tool.name", "gen_ai.tool.call.id")):
        return "tool"
    if a.get("agent_name") or (a.get("gen_ai.agent.name") and not a.get("gen_ai.request.model")):
        return "agent"
    if not a.keys().isdisjoint(_COUNTS) or a.get("gen_ai.request.model"):
        named = any(isinstance(a.get(name), str) for name in words.MODEL[:6])
        return "llm" if named else "chain"
    return "other"


def forest(spans: Iterable[Span]) -> tuple[list[Node], Counter[str]]:
    """The trees of one trace.

    Args:
        spans: of one trace, in any order, perhaps with copies and circles.

    Returns:
        (nodes, parents before children and siblings by their start; complaints with how often). O(n log n),
        whatever the depth.
    """
    complaints: Counter[str] = Counter()
    kept: dict[str, Span] = {}
    for span in spans:
        old = kept.get(span.id)
        if old is not None:
            complaints[TWICE] += 1
        if old is None or _fuller(span, old):
            kept[span.id] = span
    nodes = {span.id: Node(span) for span in kept.values()}
    for node in nodes.values():
        above = nodes.get(node.span.parent or "")
        if above is not None:
            node.parent = above
            above.children.append(node)
        if _backwards(node.span):
            complaints[BACKWARDS] += 1
    roots = [node for node in nodes.values() if node.parent is None]
    order = _ordered(roots)
    if len(order) < len(nodes):
        order += _freed(nodes, order, complaints)
    return order, complaints


def _backwards(span: Span) -> bool:
    return span.ended is not None and (span.started or 0) > span.ended


def _fuller(new: Span, old: Span) -> bool:
    return (new.ended or 0, len(new.attributes)) > (old.ended or 0, len(old.attributes))


def _start(node: Node) -> tuple[bool, int, str]:
    started = node.span.started
    return started is None, started or 0, node.span.id


def _ordered(roots: list[Node]) -> list[Node]:
    order: list[Node] = []
    waiting = sorted(roots, key=_start, reverse=True)
    while waiting:
        node = waiting.pop()
        order.append(node)
        if node.children:
            waiting.extend(sorted(node.children, key=_start, reverse=True))
    return order


def _freed(nodes: Mapping[str, Node], seen: list[Node], complaints: Counter[str]) -> list[Node]:
    """Nodes of circles: each circle is cut at its earliest span."""
    reached = {id(node) for node in seen}
    found: list[Node] = []
    for node in sorted((n for n in nodes.values() if id(n) not in reached), key=_start):
        if id(node) in reached:
            continue
        if node.parent is not None:
            node.parent.children.remove(node)
            node.parent, node.cut = None, True
        complaints[CYCLE] += 1
        part = _ordered([node])
        reached.update(id(n) for n in part)
        found += part
    return found


def settle(order: list[Node]) -> None:
    """Tell every node its agent, its tool, its tokens and the calls inside it.

    Args:
        order: nodes of one trace, parents first; changed in place.
    """
    for node in order:
        above = node.parent
        node.agent = node if node.role == "agent" else above.agent if above else None
        if above is not None:
            node.tool = above if above.role == "tool" else above.tool
        node.measures = measures_of(counts_of(node.span), node.complaints)
    for node in reversed(order):
        above = node.parent
        if above is not None:
            is_call = node.role == "llm"
            above.calls += node.calls + is_call
            above.asks += node.asks + (is_call and bool(node.measures))
            if node.role not in ("tool", "agent"):
                # a call in a tool or agent that a call started is another call, not the same once more
                call, asks = node.near
                told = asks or (is_call and bool(node.measures))
                above.near = above.near[0] or call or is_call, above.near[1] or told


def counts_of(span: Span) -> Mapping[str, Any]:
    """Attributes with token counts under names that our tables know.

    Args:
        span: any span. Claude Code writes bare names, and input without cached tokens.
    """
    a = span.attributes
    if span.name != "claude_code.llm_request":
        return a
    return {
        "langfuse.observation.usage_details": {
            "input": a.get("input_tokens"),
            "input_cache_read": a.get("cache_read_tokens"),
            "input_cache_creation": a.get("cache_creation_tokens"),
            "output": a.get("output_tokens"),
        }
    }


def trace_session(trace: str, spans: Iterable[Span]) -> tuple[str, str]:
    """How the spans of a trace name their sessions.

    Args:
        trace: id of the trace.
        spans: its spans.

    Returns:
        (session key of spans that name none, attribute that names sessions in this trace, "" for none): the
        only session that is named, else the trace itself. One attribute decides for a trace, because a
        framework's and an application's name of one session may differ.
    """
    known = [
        span
        for span in spans
        if not (
            span.attributes.keys().isdisjoint(words.SESSIONS)
            and span.origin.attributes.keys().isdisjoint(words.SESSIONS)
        )
    ]
    for name in words.SESSIONS:
        keys = {key for span in known if (key := session_by(name, span.attributes, span.origin, span.name))}
        if keys:
            return (keys.pop() if len(keys) == 1 else trace), name
    return trace, ""


def sessions(order: list[Node], key: str, name: str) -> None:
    """Tell every node its session: its own, else that of the nearest span around it, else the trace's.

    Args:
        order: nodes of one trace, parents first; changed in place.
        key: session key where no span around names one.
        name: attribute that names sessions in this trace.
    """
    for node in order:
        above, span = node.parent, node.span
        own = session_by(name, span.attributes, span.origin, span.name) if name else ""
        node.session = own or (above.session if above else key)


def session_by(name: str, attributes: Mapping[str, Any], origin: Origin, what: str) -> str:
    """The session key that an attribute of a record, or of its resource, names.

    Args:
        name: the attribute.
        attributes: those of the span or log record.
        origin: its resource.
        what: name of the span or event.

    Returns:
        The key, "" for none. Sessions of agents that keep a history of their own get a mark, because
        their history has the same ids and is another source's.
    """
    for found in (attributes, origin.attributes):
        value = found.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return prefixed("otel", value.strip()) if product_of(origin.attributes, what) else value.strip()
    return ""


def product_of(around: Mapping[str, Any], name: str) -> str:
    """The agent that wrote a record, where it is one with a history of its own.

    Args:
        around: attributes of the resource.
        name: name of the span or event.

    Returns:
        claude-code, codex, ...; "" for anything else.
    """
    if name.startswith("claude_code."):
        return "claude-code"
    if name.startswith("codex."):
        return "codex"
    service = around.get("service.name")
    return words.PRODUCTS.get(service, "") if isinstance(service, str) else ""

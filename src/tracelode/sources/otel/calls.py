"""Which spans are calls of models, what did they take, and which call asked for a tool?"""

from __future__ import annotations

from bisect import bisect_right

from tracelode.model.operation import Operation
from tracelode.sources.otel import texts, words
from tracelode.sources.otel.made import Writer
from tracelode.sources.otel.tree import Node
from tracelode.sources.otel.usage import cost_of

_SLACK = 1_000
"""A tool may start so many microseconds before the call that asked for it is written down as ended."""


def is_call(node: Node) -> bool:
    """Is this the span that counts for a call? The innermost that tells tokens, else the innermost.

    Args:
        node: a settled node.

    Source:
        accounting: leaf LLM spans; acceptance case C2.
    """
    if node.role != "llm":
        return False
    inside, told = node.near
    if node.measures:
        return not told
    if inside:
        return False
    above = node.parent
    while above is not None and above.role == "llm":
        if above.measures and not above.near[1]:
            return False
        above = above.parent
    return True


class Calls:
    """The calls of one trace.

    Args:
        writer: makes the operations.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.told: dict[str, list[texts.Call]] = {}
        """Id of a call's operation to the tool calls in its answer."""
        self._scopes: dict[int, list[tuple[int, Operation]]] = {}
        self._made: dict[int, Operation] = {}
        self._asked: dict[str, Operation] = {}

    def call(self, node: Node) -> None:
        """Make a call.

        Args:
            node: a span for which is_call() holds.
        """
        span = node.span
        fields = self.writer.fields(node)
        model = node.get(words.MODEL)
        if model:
            fields["model"] = model
        tier = node.get(words.TIER)
        if tier and tier not in ("default", "standard"):
            fields["service_tier"] = tier
        if span.attributes.get("speed") == "fast":
            fields["speed"] = "fast"
        # Claude Code's events name the request, its spans both
        claude = span.name.startswith("claude_code.")
        response = (node.get(("request_id",)) if claude else "") or node.get(words.RESPONSE)
        if response:
            fields["native"] = self.writer.maker.ident(f"response/{response}")
        measures = {**node.measures, "calls": 1}
        cost = cost_of(span.attributes)
        if cost is not None:
            measures["cost.reported"] = cost
        answer = texts.outputs(span)
        self.writer.complain(node, node.complaints)
        said = "\n".join(m.text for m in answer if m.text)
        name = model or "unknown model"
        made = self.writer.operation(node, "model", name, fields=fields, measures=measures, output=said)
        told = [call for message in answer for call in message.calls if call.name]
        self.told[made.id], self._made[id(node)] = told, made
        for call in told:
            if call.id:
                self._asked.setdefault(call.id, made)
        end = node.ended if node.ended is not None else node.started
        if end is not None:
            self._scopes.setdefault(id(node.agent), []).append((end, made))
        self.writer.run(node, "model", made)

    def ready(self) -> None:
        """All calls are made."""
        for found in self._scopes.values():
            found.sort(key=lambda call: call[0])

    def total(self, node: Node) -> None:
        """Tokens that an agent or chain tells of itself: they count where no call inside tells any.

        Args:
            node: any span.

        Source:
            acceptance case C2: an agent's own usage counts if it has no calls inside.
        """
        if node.role == "llm" or not (node.measures or node.complaints) or node.asks:
            return
        self.writer.complain(node, node.complaints)
        if not node.measures:
            return
        fields = {**self.writer.fields(node), "told_by": "total"}
        model = node.get(words.MODEL)
        if model:
            fields["model"] = model
        measures = dict(node.measures) if node.calls else {**node.measures, "calls": 1}
        cost = cost_of(node.span.attributes)
        if cost is not None:
            measures["cost.reported"] = cost
        ident = self.writer.maker.ident(f"{node.span.trace}/{node.span.id}/total")
        name = model or "unknown model"
        self.writer.operation(
            node, "model", name, ident=ident, parent=node.ident, fields=fields, measures=measures
        )

    def asker(self, node: Node, name: str, own: str) -> tuple[Operation | None, str]:
        """The call that asked for a tool: by its id, by the span around, or the latest call before.

        Args:
            node: the tool's span, or that of an agent to which work was handed on.
            name: tool name.
            own: id of the tool call, "" for none.

        Returns:
            (the call, how it was found: id, parent or order); None where no call can have been it.
        """
        call = self._asked.get(own) if own else None
        if call is not None:
            return call, "id"
        scope = node.agent
        if scope is node:
            scope = node.parent.agent if node.parent is not None else None
        elif node.tool is not None and node.tool.agent is scope:
            return None, ""  # a tool that a tool uses
        above = node.parent
        while above is not None and above.role == "llm":
            if id(above) in self._made:
                return self._made[id(above)], "parent"
            above = above.parent
        found = self._scopes.get(id(scope), [])
        if node.started is None:
            return None, ""
        place = bisect_right(found, node.started + _SLACK, key=lambda pair: pair[0])
        if not place:
            return None, ""
        made = found[place - 1][1]
        told = self.told[made.id]
        # an answer that asks for other tools did not ask for this one
        return (None, "") if told and name not in {c.name for c in told} else (made, "order")

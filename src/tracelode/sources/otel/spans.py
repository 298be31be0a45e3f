"""How does a trace become operations? Calls of models, tools, agents and what lies around them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from tracelode.activities import Activity, Moment
from tracelode.making import Maker
from tracelode.model.operation import Operation
from tracelode.signals.arguments import argument_fields, asks_person, host_of, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.otel import processes, texts, words
from tracelode.sources.otel.calls import Calls, is_call
from tracelode.sources.otel.made import Made, Writer
from tracelode.sources.otel.tree import Node, product_of
from tracelode.sources.otel.usage import opened

_ANSWERS = ("agent", "chain", "llm")
_PREFIXES = ("execute_tool ", "running tool: ")


class Trace:
    """Makes the operations of one trace.

    Args:
        maker: makes operations; its session and line are set here.
        order: the trace's nodes, parents first, settled and with their sessions.
    """

    def __init__(self, maker: Maker, order: list[Node]) -> None:
        self.writer = Writer(maker)
        self.calls = Calls(self.writer)
        self.order = order
        self._linked: dict[tuple[str, str], int] = {}

    @property
    def made(self) -> Made:
        """What was made so far."""
        return self.writer.made

    def make(self) -> Made:
        """All of it."""
        for node in self.order:
            self._thread(node)
            node.ident = self.writer.maker.ident(f"{node.span.trace}/{node.span.id}")
        callers = [node for node in self.order if is_call(node)]
        self._prompts(callers)
        for node in callers:
            self.calls.call(node)
        self.calls.ready()
        called = {id(node) for node in callers}
        for node in self.order:
            if id(node) not in called:
                self._other(node)
            self.calls.total(node)
        self._mentioned(callers)
        self._bounds()
        return self.made

    def _thread(self, node: Node) -> None:
        """Claude Code names the sub-agent on every span: it is a thread of its own."""
        agent = node.span.attributes.get("agent_id")
        if not isinstance(agent, str) or not agent or not node.span.name.startswith("claude_code."):
            return
        root = node.session
        node.session = f"{root}/{agent}"
        self.made.threads[node.session] = root

    def _prompts(self, callers: list[Node]) -> None:
        """What a person asked: as Claude Code tells for each turn, else once a trace, by the outermost span
        that tells, else by the first call."""
        turns = [node for node in self.order if node.span.name == "claude_code.interaction"]
        for node in turns:
            self._prompt(node, texts.text_of(node.span.attributes.get("user_prompt")), node, {})
        if turns:
            return
        first = min(callers, key=lambda n: (n.started is None, n.started or 0), default=self.order[0])
        spans = [first]
        while spans[-1].parent is not None:
            spans.append(spans[-1].parent)
        for node in reversed(spans):
            text = texts.asked(node.span) if node.role in _ANSWERS else ""
            if text:
                outer = next(n for n in reversed(spans) if n.session == node.session)
                self._prompt(node, text, outer, {"told_by": "message"})
                return

    def _prompt(self, node: Node, text: str, outer: Node, more: dict[str, str]) -> None:
        """A prompt; the wait for it ends where the outermost span begins, if that one is in the file."""
        person = human_kind(text) != "wrapper" or not text
        self.writer.place(node)
        made = self.writer.maker.operation(
            f"{node.span.trace}/{node.span.id}/prompt",
            "human" if person else "system",
            "prompt" if person else "note",
            "prompt" if person else "harness message",
            "ok",
            node.started,
            fields={"trace": node.span.trace, **more, **({"human": "prompt"} if person else {})},
            arguments=text,
        )
        self.made.operations.append(made)
        if outer.started is not None and person and outer.span.parent is None:
            self.made.moments.append((node.session, Moment(outer.started, "human", made.id)))

    def _other(self, node: Node) -> None:
        """A span that is no call of a model."""
        if node.role == "part":
            return
        if node.role == "wait":
            self._wait(node)
            return
        if node.role in ("tool", "retrieval"):
            self._tool(node)
            return
        fields = self.writer.fields(node)
        if processes.is_process(node):
            fields |= processes.fields_of(node)
            self.writer.operation(node, "process", processes.name_of(node), fields=fields)
            return
        host = host_of(node.get(("url.full", "http.url"))) or node.get(("server.address", "net.peer.name"))
        if node.role == "agent" and node.parent is not None and node.parent.agent is not None:
            self._agent(node, fields)
        elif node.role == "other" and host and node.get(("http.request.method", "http.method")):
            self.writer.operation(node, "network", node.span.name, fields={**fields, "domain": host})
        else:
            name = node.get(words.AGENT_NAME[:3]) if node.role == "agent" else ""
            self.writer.operation(node, "note", name or node.span.name or node.role, fields=fields)

    def _agent(self, node: Node, fields: dict[str, str]) -> None:
        """An agent inside another one: work that was handed on, unless a tool did the handing."""
        name = node.get(words.AGENT_NAME) or node.span.name or "agent"
        if node.tool is not None and node.parent is not None and node.tool.agent is node.parent.agent:
            self.writer.operation(node, "note", name, fields=fields)
            return
        fields["tool"] = name
        self._issued(node, name, fields, "")
        output = texts.first_text(node.span.attributes, words.TOOL_OUTPUT)
        self.writer.operation(node, "subagent", name, fields=fields, output=output)

    def _wait(self, node: Node) -> None:
        """A wait for a person: no operation, but time."""
        if node.started is not None and node.ended is not None and node.parent is not None:
            activity = Activity(node.started, node.ended, "human", node.parent.ident, node.parent.ident)
            self.made.activities.append((node.session, activity))

    def _tool(self, node: Node) -> None:
        span = node.span
        plain = next((span.name[len(p) :] for p in _PREFIXES if span.name.startswith(p)), span.name)
        name = node.get(words.TOOL_NAME) or plain or "unknown tool"
        fields = {**self.writer.fields(node), "tool": name}
        own = node.get(words.TOOL_ID)
        if own:
            fields["native"] = self.writer.maker.ident(f"tool/{own}")
        if node.role == "tool":
            self._issued(node, name, fields, own)
        given = texts.first_text(span.attributes, words.TOOL_INPUT)
        fields.update(argument_fields(_inner(opened(given))))
        for key, attribute in (("command", "full_command"), ("path", "file_path")):
            value = texts.text_of(span.attributes.get(attribute))
            if value:
                fields.setdefault(key, value)
        output = texts.first_text(span.attributes, words.TOOL_OUTPUT) or _event_output(node)
        kind = tool_kind(name) if node.role == "tool" else "tool"
        if kind == "tool" and any(child.role == "agent" for child in node.children):
            kind = "subagent"
        threads = {c.session for c in node.children if c.session in self.made.threads} - {node.session}
        if len(threads) == 1:
            fields["spawns"] = threads.pop()
        if asks_person(name):
            fields["human"] = "answer"
        made = self.writer.operation(
            node, kind, name, fields=fields, arguments=given, output=output, measures=_size(output)
        )
        self.writer.run(node, "human" if "human" in fields else "tool", made)

    def _issued(self, node: Node, name: str, fields: dict[str, str], own: str) -> None:
        call, by = self.calls.asker(node, name, own)
        if call is None:
            return
        fields["call"], fields["otel.link"] = call.id, by
        if "model" in call.fields:
            fields["model"] = call.fields["model"]
        link = (call.id, own or name)
        self._linked[link] = self._linked.get(link, 0) + 1

    def _mentioned(self, callers: list[Node]) -> None:
        """Tool calls that only the messages tell: no span ran them."""
        ran = {o.fields.get("native") for o in self.made.operations if "tool" in o.fields}
        answers: dict[str, str] | None = None
        for node in callers:
            for number, call in enumerate(self.calls.told.get(node.ident, ())):
                native = self.writer.maker.ident(f"tool/{call.id}") if call.id else ""
                if native in ran and native:
                    continue
                if self._linked.get((node.ident, call.name), 0) > 0:
                    self._linked[(node.ident, call.name)] -= 1
                    continue
                if answers is None:
                    answers = _results(callers)
                self._mention(node, call, number, native, answers.get(call.id, "") if call.id else "")

    def _mention(self, node: Node, call: texts.Call, number: int, native: str, result: str) -> None:
        fields = {**self.writer.fields(node), "tool": call.name, "call": node.ident, "told_by": "message"}
        fields |= {"otel.role": "tool", "otel.link": "id" if call.id else "parent"}
        fields.update(argument_fields(opened(call.arguments)))
        model = node.get(words.MODEL)
        if model:
            fields["model"] = model
        if native:
            fields["native"] = native
        ident = self.writer.maker.ident(f"{node.span.trace}/{node.span.id}/call/{call.id or number}")
        made = self.writer.operation(
            node, tool_kind(call.name), call.name, ident=ident, parent=node.ident, fields=fields,
            arguments=call.arguments, output=result, measures=_size(result),
        )  # fmt: skip
        # when it ran is not told, only when it was asked for
        status = "ok" if result else "unknown"
        self.made.operations[-1] = msgspec.structs.replace(
            made, started=node.ended, ended=None, status=status
        )

    def _bounds(self) -> None:
        """The first and last moment of the trace in each of its sessions."""
        for node in self.order:
            if node.parent is None or node.parent.session != node.session:
                for at in (node.started, node.ended):
                    if at is not None:
                        ident = None if node.role in ("part", "wait") else node.ident
                        self.made.moments.append((node.session, Moment(at, "other", ident)))


def _results(callers: Iterable[Node]) -> dict[str, str]:
    """Results of tools by the id of their call, as later calls were given them."""
    found: dict[str, str] = {}
    for node in callers:
        for message in texts.inputs(node.span):
            for own, text in message.results:
                found.setdefault(own, text)
    return found


def _size(text: str) -> dict[str, int]:
    return {"bytes.output": texts.size_of(text)} if text else {}


def _inner(given: Any) -> Any:
    """A tool's own arguments inside what a framework writes around them."""
    if isinstance(given, dict):
        for key in ("kwargs", "inputs", "args", "input"):
            if isinstance(given.get(key), dict) and given[key]:
                return given[key]
    return given


def _event_output(node: Node) -> str:
    for event in node.span.events:
        if event.name == "tool.output":
            return texts.first_text(event.attributes, ("output", "content"))
    return ""


def product(order: Iterable[Node]) -> str:
    """The agent that wrote a trace, where it is one that is known.

    Args:
        order: nodes of a trace.
    """
    return next((p for n in order if (p := product_of(n.span.origin.attributes, n.span.name))), "")


def gen_ai(order: Iterable[Node]) -> bool:
    """Does a trace hold anything of an agent?

    Args:
        order: nodes of a trace.
    """
    return any(node.role != "other" or node.measures for node in order)


def sorted_operations(operations: Iterable[Operation]) -> list[Operation]:
    """Operations by their start; at one moment prompts first, then what lies around the others.

    Args:
        operations: of one session.
    """
    return sorted(operations, key=_place)


def _place(operation: Operation) -> tuple[bool, int, bool, int]:
    started, ended = operation.started, operation.ended
    return started is None, started or 0, operation.kind != "prompt", -(ended or started or 0)

"""How do log records of agents become operations? Events of Claude Code, Codex and the GenAI conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

import msgspec

from tracelode.activities import Activity, Moment
from tracelode.making import Maker
from tracelode.model.operation import Kind, Operation, Status
from tracelode.signals.arguments import argument_fields, asks_person, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.otel import texts, words
from tracelode.sources.otel.events import UNKNOWN, event_of, length_of, order_of
from tracelode.sources.otel.made import Made, move
from tracelode.sources.otel.tree import text_in
from tracelode.sources.otel.usage import cost_of, count, measures_of, opened, put_disjoint, put_output
from tracelode.wire.message import Log

_DENIED = frozenset({"reject", "denied", "abort"})
_ALLOWED = frozenset({"user_temporary", "user_permanent", "user"})


class Logs:
    """Makes the operations of one session's log records.

    Args:
        maker: makes operations; session and line are set here.
        session: key of the session.
    """

    def __init__(self, maker: Maker, session: str) -> None:
        self.maker = maker
        self.session = session
        self.made = Made()
        self._event = ""
        self._at: int | None = None
        self._seen: set[str] = set()
        self._last: Operation | None = None
        self._requested: int | None = None
        self._denied: dict[str, Operation] = {}
        self._handlers: dict[str, Callable[[Log, int | None], None]] = {
            "claude_code.user_prompt": self._prompt,
            "claude_code.api_request": self._claude_call,
            "claude_code.api_error": self._error,
            "claude_code.api_refusal": self._error,
            "claude_code.tool_result": self._tool,
            "claude_code.tool_decision": self._decision,
            "claude_code.compaction": self._compaction,
            "codex.user_prompt": self._prompt,
            "codex.api_request": self._codex_request,
            "codex.sse_event": self._codex_event,
            "codex.tool_result": self._tool,
            "codex.tool_decision": self._decision,
            "gen_ai.client.inference.operation.details": self._details,
        }

    def make(self, logs: Iterable[Log]) -> Made:
        """All of it.

        Args:
            logs: of the session, in any order.
        """
        self.maker.session = self.session
        for (timeless, at, _), log in sorted(((order_of(log), log) for log in logs), key=itemgetter(0)):
            self._event = event = event_of(log)
            handler = self._handlers.get(event)
            if handler is not None:
                self._at = None if timeless else at
                move(self.maker, log.line)
                handler(log, self._at)
            elif event not in words.QUIET:
                self.made.complaints[(log.line, UNKNOWN)] += 1
        return self.made

    # parts that all have -------------------------------------------------------------------------

    def _ident(self, log: Log, what: str, native: str) -> str:
        """The same record has the same id in every file, and however often, it was exported."""
        own = native or "/".join(
            str(part)
            for part in (self._at, log.attributes.get("event.sequence"), log.trace, log.span)
            if part is not None
        )
        return f"{self.session}/log/{what}/{own}"

    def _fields(self, log: Log, native: str = "") -> dict[str, str]:
        found = {"told_by": "log", "otel.event": self._event}
        if log.trace:
            found["trace"] = log.trace
        service = log.origin.attributes.get("service.name")
        if isinstance(service, str):
            found["otel.service"] = service
        for key, name in (("otel.agent", "query_source"), ("otel.prompt", "prompt.id")):
            value = log.attributes.get(name)
            if isinstance(value, str) and value:
                found[key] = value
        if native:
            found["native"] = self.maker.ident(native)
        return found

    def _add(
        self, ident: str, kind: Kind, name: str, status: Status, at: int | None, log: Log, **more: Any
    ) -> Operation:
        length = length_of(log)
        started = at - length if at is not None and length is not None else at
        actor = more.pop("actor", "agent")
        if log.trace and log.span:
            more["parent"] = self.maker.ident(f"{log.trace}/{log.span}")
        made = self.maker.operation(ident, actor, kind, name, status, started, at, **more)
        if made.id not in self._seen:
            self._seen.add(made.id)
            self.made.operations.append(made)
        return made

    def _run(self, made: Operation, kind: str) -> None:
        if made.started is None or made.ended is None:
            return
        if made.started < made.ended:
            activity = Activity(made.started, made.ended, kind, made.id)
            self.made.activities.append((self.session, activity))
        elif kind == "model":
            self.made.moments.append((self.session, Moment(made.ended, kind, made.id)))
        else:
            self.made.moments.append((self.session, Moment(made.ended, "other", made.id)))

    def _complain(self, log: Log, reasons: Iterable[str]) -> None:
        for reason in reasons:
            self.made.complaints[(log.line, reason)] += 1

    # events ----------------------------------------------------------------------------------------

    def _prompt(self, log: Log, at: int | None) -> None:
        text = texts.text_of(log.attributes.get("prompt"))
        person = human_kind(text) != "wrapper" if text else True
        native = log.attributes.get("prompt.id")
        fields = self._fields(log)
        if person:
            fields["human"] = "prompt"
        made = self._add(
            self._ident(log, "prompt", native if isinstance(native, str) else ""),
            "prompt" if person else "note",
            "prompt" if person else "harness message",
            "ok",
            at,
            log,
            actor="human" if person else "system",
            fields=fields,
            arguments=text,
        )
        if at is not None:
            self.made.moments.append((self.session, Moment(at, "human" if person else "other", made.id)))

    def _claude_call(self, log: Log, at: int | None) -> None:
        a = log.attributes
        complaints: list[str] = []
        measures: dict[str, int] = {}
        fresh, read = count(a.get("input_tokens")), count(a.get("cache_read_tokens"))
        put_disjoint(measures, fresh, read, count(a.get("cache_creation_tokens")), complaints)
        put_output(measures, count(a.get("output_tokens")), None, False, complaints)
        request = a.get("request_id")
        native = f"response/{request}" if isinstance(request, str) and request else ""
        self._call(
            log, at, measures, complaints, native, {"speed": "fast"} if a.get("speed") == "fast" else {}
        )

    def _call(
        self,
        log: Log,
        at: int | None,
        measures: dict[str, int],
        complaints: list[str],
        native: str,
        more: dict[str, str],
    ) -> None:
        fields = {**self._fields(log, native), **more}
        model = text_in(log.attributes, words.MODEL)
        if model:
            fields["model"] = model
        cost = cost_of(log.attributes)
        measures = {**measures, "calls": 1, **({} if cost is None else {"cost.reported": cost})}
        ident = self._ident(log, "call", native)
        made = self._add(
            ident, "model", model or "unknown model", "ok", at, log, fields=fields, measures=measures
        )
        self._complain(log, complaints)
        self._last = made
        self._run(made, "model")

    def _details(self, log: Log, at: int | None) -> None:
        """The event of newer conventions that repeats a call's span."""
        complaints: list[str] = []
        measures = measures_of(log.attributes, complaints)
        response = text_in(log.attributes, words.RESPONSE)
        self._call(log, at, measures, complaints, f"response/{response}" if response else "", {})

    def _codex_request(self, log: Log, at: int | None) -> None:
        length = length_of(log)
        if at is not None and length is not None:
            self._requested = at - length
        if log.attributes.get("error.message"):
            self._error(log, at)

    def _codex_event(self, log: Log, at: int | None) -> None:
        a = log.attributes
        if a.get("error.message") or a.get("event.kind") == "response.failed":
            self._error(log, at)
            return
        if a.get("event.kind") != "response.completed":
            return
        complaints: list[str] = []
        # input includes cached tokens, output includes reasoning, as in Codex's own history
        told = {
            "gen_ai.usage.input_tokens": a.get("input_token_count"),
            "gen_ai.usage.output_tokens": a.get("output_token_count"),
            "gen_ai.usage.cache_read.input_tokens": a.get("cached_token_count"),
            "gen_ai.usage.reasoning.output_tokens": a.get("reasoning_token_count"),
        }
        measures = measures_of(told, complaints)
        if not measures:
            return  # the same moment is told a second time without figures
        started, self._requested = self._requested, None
        if started is not None and at is not None and started < at:
            attributes = {**a, "duration_ms": (at - started) / 1_000}
        else:
            attributes = {k: v for k, v in a.items() if k != "duration_ms"}
        self._call(msgspec.structs.replace(log, attributes=attributes), at, measures, complaints, "", {})

    def _error(self, log: Log, at: int | None) -> None:
        made = self._add(
            self._ident(log, "error", ""), "note", "api error", "error", at, log,
            actor="system", fields=self._fields(log),
            output=texts.first_text(log.attributes, ("error", "error.message")),
        )  # fmt: skip
        self._run(made, "other")

    def _compaction(self, log: Log, at: int | None) -> None:
        fields = self._fields(log)
        if log.attributes.get("trigger") in ("auto", "manual"):
            fields["compaction"] = str(log.attributes["trigger"])
        ident = self._ident(log, "compaction", "")
        made = self._add(ident, "note", "compaction", "ok", at, log, actor="system", fields=fields)
        self._run(made, "other")

    def _tool(self, log: Log, at: int | None) -> None:
        a = log.attributes
        name = texts.first_text(a, words.TOOL_NAME) or "unknown tool"
        own = texts.first_text(a, words.TOOL_ID)
        native = f"tool/{own}" if own else ""
        fields = {**self._fields(log, native), "tool": name}
        given = texts.first_text(a, ("tool_input", "arguments", "tool_parameters", "function_args"))
        told = opened(a.get("tool_parameters"))
        if isinstance(told, dict) and isinstance(told.get("full_command"), str):
            fields["command"] = told["full_command"]
        fields.update(argument_fields(opened(given)))
        if self._last is not None:
            fields["call"], fields["otel.link"] = self._last.id, "order"
            fields["model"] = self._last.fields.get("model", "")
        output = texts.first_text(a, ("output", "error"))
        status: Status = "error" if str(a.get("success")).lower() == "false" else "ok"
        decision = a.get("decision_type") or a.get("decision")
        if decision in _DENIED or own in self._denied:
            status, fields["human"] = "denied", "denial"
            self._forget(own)
        size = count(a.get("tool_result_size_bytes"))
        if size is None and output:
            size = texts.size_of(output)
        made = self._add(
            self._ident(log, "tool", native), tool_kind(name), name, status, at, log,
            fields=fields, arguments=given, output=output,
            measures={} if size is None or size < 0 else {"bytes.output": size},
        )  # fmt: skip
        if asks_person(name):
            fields["human"] = "answer"
        self._run(made, "human" if "human" in fields else "tool")

    def _forget(self, own: str) -> None:
        """A denied tool whose result is told as well is one operation."""
        denied = self._denied.pop(own, None)
        if denied is not None:
            self._seen.discard(denied.id)
            self.made.operations = [o for o in self.made.operations if o.id != denied.id]

    def _decision(self, log: Log, at: int | None) -> None:
        """A person allowed or refused a tool: the wait for it ends here."""
        a = log.attributes
        source = a.get("source")
        decision = str(a.get("decision", "")).lower()
        by_person = isinstance(source, str) and source.startswith("user")
        if decision in _DENIED:
            own = texts.first_text(a, words.TOOL_ID)
            name = texts.first_text(a, words.TOOL_NAME) or "unknown tool"
            native = f"tool/{own}" if own else ""
            fields = {**self._fields(log, native), "tool": name}
            if by_person:
                fields["human"] = "denial"
            if self._last is not None:
                fields["call"], fields["otel.link"] = self._last.id, "order"
                fields["model"] = self._last.fields.get("model", "")
            ident = self._ident(log, "tool", native)
            made = self._add(ident, tool_kind(name), name, "denied", at, log, fields=fields)
            if own:
                self._denied[own] = made
            if at is not None:
                self.made.moments.append(
                    (self.session, Moment(at, "human" if by_person else "other", made.id))
                )
        elif by_person and source in _ALLOWED and at is not None:
            self.made.moments.append((self.session, Moment(at, "human", None)))

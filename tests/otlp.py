"""What does an agent's telemetry look like? Spans and log records as a recorder would export them.

    t = Telemetry(service="shop")
    root = t.span("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, 0, 9)
    t.chat(1, 4, root, input=100, output=7)
    t.json(), t.protobuf()

Ids are numbers, moments are seconds after START. Nothing is checked: broken telemetry is wanted too.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Mapping
from typing import Any

Record = dict[str, Any]
START = 1_790_000_000
"""Second 0: 2026-09-21T14:13:20Z."""
NANO = 10**9


def value(given: Any) -> Record:
    """A value as OTLP/JSON types it: integers are text."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(v) for v in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": pairs(given)}}
    return {"stringValue": given}


def pairs(given: Mapping[str, Any]) -> list[Record]:
    """Attributes as a list of keys and values."""
    return [{"key": key, "value": value(v)} for key, v in given.items()]


def moment(seconds: float) -> str:
    """Nanoseconds as text."""
    return str(START * NANO + round(seconds * NANO))


def stamp(seconds: float) -> str:
    """ISO 8601."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(START + seconds, UTC).isoformat().replace("+00:00", "Z")


class Telemetry:
    """Spans and log records of one service.

    Args:
        service: service.name of the resource.
        scope: name of the instrumentation scope.
        trace: number of the trace that the next spans belong to.
        resource: further attributes of the resource.
    """

    def __init__(
        self,
        service: str = "shop",
        scope: str = "test.instrumentation",
        trace: int = 1,
        resource: Mapping[str, Any] | None = None,
    ) -> None:
        self.trace = trace
        self.resource = {"service.name": service, **(resource or {})}
        self.scope = scope
        self.spans: list[Record] = []
        self.logs: list[Record] = []

    def span(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        start: float = 0,
        end: float | None = 1,
        parent: Record | None = None,
        **extra: Any,
    ) -> Record:
        """Add a span.

        Args:
            name: its name.
            attributes: plain values.
            start: seconds.
            end: seconds, None for a span that is still open.
            parent: the span around it.
            extra: further fields; also replaces fields.
        """
        made: Record = {
            "traceId": f"{self.trace:032x}",
            "spanId": f"{self.trace * 1_000 + len(self.spans) + 1:016x}",
            "name": name,
            "startTimeUnixNano": moment(start),
            "attributes": pairs(attributes or {}),
        }
        if end is not None:
            made["endTimeUnixNano"] = moment(end)
        if parent is not None:
            made["parentSpanId"] = parent["spanId"]
        self.spans.append(made | extra)
        return self.spans[-1]

    def agent(self, name: str, start: float, end: float, parent: Record | None = None, **more: Any) -> Record:
        """An agent's span; more: attributes with _ for the dots."""
        own = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        return self.span(f"invoke_agent {name}", own | dotted(more), start, end, parent)

    def chat(
        self,
        start: float,
        end: float,
        parent: Record | None = None,
        *,
        input: int | None = None,
        output: int | None = None,
        read: int | None = None,
        write: int | None = None,
        reasoning: int | None = None,
        model: str = "gpt-5",
        **more: Any,
    ) -> Record:
        """A call of a model in the newest conventions; more: attributes with _ for the dots."""
        counts = {
            "gen_ai.usage.input_tokens": input,
            "gen_ai.usage.output_tokens": output,
            "gen_ai.usage.cache_read.input_tokens": read,
            "gen_ai.usage.cache_creation.input_tokens": write,
            "gen_ai.usage.reasoning.output_tokens": reasoning,
        }
        own = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": model,
        }
        own |= {k: v for k, v in counts.items() if v is not None}
        return self.span(f"chat {model}", own | dotted(more), start, end, parent)

    def tool(
        self,
        name: str,
        start: float,
        end: float,
        parent: Record | None = None,
        arguments: Any = None,
        result: str | None = None,
        call: str | None = None,
        **extra: Any,
    ) -> Record:
        """A tool's span."""
        own: Record = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        if call is not None:
            own["gen_ai.tool.call.id"] = call
        if arguments is not None:
            own["gen_ai.tool.call.arguments"] = json.dumps(arguments)
        if result is not None:
            own["gen_ai.tool.call.result"] = result
        return self.span(f"execute_tool {name}", own, start, end, parent, **extra)

    def log(
        self, event: str, attributes: Mapping[str, Any], at: float, span: Record | None = None, **extra: Any
    ) -> Record:
        """Add a log record of an event."""
        made: Record = {
            "timeUnixNano": moment(at),
            "body": value(event),
            "attributes": pairs({"event.name": event, **attributes}),
        }
        if span is not None:
            made |= {"traceId": span["traceId"], "spanId": span["spanId"]}
        self.logs.append(made | extra)
        return self.logs[-1]

    def request(self, spans: list[Record] | None = None, logs: list[Record] | None = None) -> Record:
        """An export request; of all spans and logs where none are given."""
        if spans is None and logs is None:
            spans, logs = self.spans, self.logs
        resource = {"attributes": pairs(self.resource)}
        scope = {"name": self.scope, "version": "1"}
        made: Record = {}
        if spans:
            around = {"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}
            made["resourceSpans"] = [around]
        if logs:
            around = {"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": logs}]}
            made["resourceLogs"] = [around]
        return made

    def json(self, spans: list[Record] | None = None, logs: list[Record] | None = None) -> bytes:
        """The request as OTLP/JSON."""
        return json.dumps(self.request(spans, logs)).encode()

    def protobuf(self, spans: list[Record] | None = None) -> bytes:
        """The spans as a protobuf request."""
        return protobuf(self.request(self.spans if spans is None else spans))

    def protobuf_logs(self) -> bytes:
        """The log records as a protobuf request."""
        return protobuf(self.request(logs=self.logs))


def protobuf(request: Record) -> bytes:
    """An export request of OTLP/JSON in protobuf, by the official classes."""
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    made = copy.deepcopy(request)
    for found in _objects(made):
        for key in ("traceId", "spanId", "parentSpanId"):
            if isinstance(found.get(key), str):
                found[key] = base64.b64encode(bytes.fromhex(found[key])).decode()
    message: Any = ExportLogsServiceRequest() if "resourceLogs" in made else ExportTraceServiceRequest()
    return bytes(ParseDict(made, message).SerializeToString(deterministic=True))


def _objects(node: Any) -> Any:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from _objects(child)


def dotted(more: Mapping[str, Any]) -> Record:
    """Keyword names as attribute names: a double underscore stays one."""
    return {k.replace("__", "\0").replace("_", ".").replace("\0", "_"): v for k, v in more.items()}


def said(text: str, role: str = "assistant") -> str:
    """One message of text, as the newest conventions write it."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def calls(*wanted: tuple[str, str, Any]) -> str:
    """An answer that asks for tools: (id, name, arguments) each."""
    parts = [{"type": "tool_call", "id": i, "name": n, "arguments": a} for i, n, a in wanted]
    return json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "tool_call"}])

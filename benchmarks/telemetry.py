"""What does telemetry with long texts look like? Requests of OTLP as the Collector writes them to files."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START = 1_790_000_000_000_000_000
"""Nanoseconds of the first moment."""
SECOND = 1_000_000_000
TURNS = 12
"""Calls of a model in one trace."""


def write(folder: Path, mb: float) -> Iterator[tuple[str, Path]]:
    """Write traces and log records, each in JSON a line and in protobuf behind lengths.

    Args:
        folder: where to.
        mb: megabytes of JSON each, 0 for none.

    Returns:
        (what it is, file), four or none.
    """
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    text = _text()
    for kind, request, message in (("traces", _traces, TracesData), ("logs", _logs, LogsData)):
        lines, framed, number = bytearray(), bytearray(), 0
        while len(lines) < mb * 1e6:
            given = request(number, text)
            lines += json.dumps(given, ensure_ascii=False).encode() + b"\n"
            made: Any = ParseDict(_based(given), message())
            data = made.SerializeToString()
            framed += len(data).to_bytes(4, "big") + data
            number += 1
        for encoding, content in (("JSON", lines), ("protobuf", framed)):
            if content:
                path = folder / f"{kind}.{encoding.lower()}"
                path.write_bytes(content)
                yield f"made {kind}, {encoding}", path


def _text() -> str:
    """The text of these scripts, with a line here and there that is not ASCII."""
    found = "".join(path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.py")))
    parts = [found[at : at + 9_000] for at in range(0, len(found), 9_000)]
    return "# größer als 10 µs – 測定\n".join(parts)


def _traces(number: int, text: str) -> dict[str, Any]:
    """A trace: an agent asks a model again and again, each time with all that was said before."""
    said: list[dict[str, Any]] = [{"role": "user", "parts": [{"type": "text", "content": text[:900]}]}]
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": f"talk {number}"}
    spans = [_span(number, 0, agent)]
    for turn in range(1, TURNS):
        at = _place(number, turn, text)
        own = f"{number}-{turn}"
        call = {"type": "tool_call", "id": own, "name": "read", "arguments": {"path": "a.py"}}
        answer = {"role": "assistant", "parts": [{"type": "text", "content": text[at : at + 300]}, call]}
        asks: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "a-model"}
        asks |= {"gen_ai.usage.input_tokens": 900 * turn, "gen_ai.usage.output_tokens": 90}
        asks["gen_ai.input.messages"] = json.dumps(said, ensure_ascii=False)
        asks["gen_ai.output.messages"] = json.dumps([answer], ensure_ascii=False)
        spans.append(_span(number, turn, asks))
        result = text[at : at + 2_000 + at % 4_000]
        runs = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read"}
        runs |= {"gen_ai.tool.call.id": own, "gen_ai.tool.call.result": result}
        spans.append(_span(number, turn + TURNS, runs))
        response = {"type": "tool_call_response", "id": own, "response": result}
        said = [*said, answer, {"role": "tool", "parts": [response]}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def _span(trace: int, number: int, attributes: dict[str, Any]) -> dict[str, Any]:
    begin = START + (trace * 100 + number) * SECOND
    made = {"traceId": f"{trace + 1:032x}", "spanId": f"{number + 1:016x}", "name": "step"}
    made |= {"startTimeUnixNano": str(begin), "endTimeUnixNano": str(begin + SECOND)}
    if number:
        made["parentSpanId"] = f"{1:016x}"
    return {**made, "attributes": _pairs(attributes)}


def _logs(number: int, text: str) -> dict[str, Any]:
    """Twenty calls of tools as Claude Code tells them; ten requests are one session."""
    records = []
    for turn in range(20):
        at = _place(number, turn, text)
        told = {"event.name": "tool_result", "session.id": f"talk {number // 10}", "tool_name": "Bash"}
        told |= {"tool_use_id": f"{number}-{turn}", "success": "true", "duration_ms": "300"}
        told |= {"tool_input": json.dumps({"command": text[at : at + 500]}), "event.sequence": str(turn)}
        told |= {"output": text[at : at + 1_000 + at % 4_000]}
        moment = str(START + (number * 20 + turn) * SECOND)
        body = {"stringValue": "claude_code.tool_result"}
        records.append({"timeUnixNano": moment, "body": body, "attributes": _pairs(told)})
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def _place(number: int, turn: int, text: str) -> int:
    return (number * 977 + turn * 4_001) % (len(text) - 6_000)


def _pairs(given: dict[str, Any]) -> list[dict[str, Any]]:
    types = {int: "intValue", str: "stringValue"}
    return [{"key": key, "value": {types[type(value)]: value}} for key, value in given.items()]


def _based(node: Any) -> Any:
    """A request whose ids are base64, as the library reads them."""
    if isinstance(node, list):
        return [_based(child) for child in node]
    if not isinstance(node, dict):
        return node
    return {
        key: base64.b64encode(bytes.fromhex(child)).decode() if key.endswith("Id") else _based(child)
        for key, child in node.items()
    }

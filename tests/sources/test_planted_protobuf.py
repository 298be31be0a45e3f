"""Does a secret at any place of a protobuf request reach the disk, or anything that a store can put out?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tracelode
from ingest.test_planted import SECRETS
from otlp import Telemetry, protobuf
from sources.test_planted_everywhere import SAMPLES, put_out
from tracelode.wire.decode import decode
from tracelode.wire.message import Reject

UNKNOWN = 900
"""Number of a field that no message has."""


def places(message: Any) -> Iterator[tuple[Any, Any, int | None]]:
    """(message, field, place in a list) of every text and of bytes that are values, in any depth."""
    for field, held in message.ListFields():
        for place, item in enumerate(held) if field.is_repeated else [(None, held)]:
            if field.type == field.TYPE_MESSAGE:
                yield from places(item)
            elif field.type == field.TYPE_STRING or field.name == "bytes_value":
                yield message, field, place


def put(message: Any, field: Any, place: int | None, secret: str) -> None:
    """A secret around a text of several words, else in the place of it."""
    held = getattr(message, field.name)
    old = held if place is None else held[place]
    text = f"{old}\n{secret} and more" if isinstance(old, str) and " " in old else secret
    made: str | bytes = text if isinstance(old, str) else text.encode()
    if place is None:
        setattr(message, field.name, made)
    else:
        held[place] = made


def unknown(secret: str) -> bytes:
    """A field that no message has, with a text."""
    text = secret.encode()
    tag = UNKNOWN << 3 | 2
    return bytes([tag & 0x7F | 0x80, tag >> 7]) + bytes([len(text) & 0x7F | 0x80, len(text) >> 7]) + text


def identify(message: Any, turn: int) -> None:
    """Ids of one turn, so that files are not taken for copies of each other."""
    for field, held in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for item in held if field.is_repeated else [held]:
                identify(item, turn)
        elif field.name == "trace_id":
            message.trace_id = turn.to_bytes(2, "big") + held[2:]


def parsed(data: bytes, logs: bool) -> Any:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    made = ExportLogsServiceRequest() if logs else ExportTraceServiceRequest()
    made.ParseFromString(data)
    return made


def record(message: Any) -> Any:
    """The first span or log record of a request."""
    while message.ListFields()[0][0].name not in ("trace_id", "time_unix_nano"):
        inner = (held for field, held in message.ListFields() if field.name.endswith(("s", "records")))
        message = next(iter(inner))[0]
    return message


def spans(turn: int = 0) -> bytes:
    """The sample of the source, and a span with every kind of place that it has not."""
    (row,) = [json.loads(line) for line in (SAMPLES / "otel.jsonl").read_text().splitlines()][:1]
    entry = row["resourceSpans"][0]
    entry["schemaUrl"] = entry["scopeSpans"][0]["schemaUrl"] = "https://example.org/schemas/1"
    entry["scopeSpans"][0]["spans"][1] |= {
        "traceState": "shop=1",
        "status": {"code": 2, "message": "it broke down"},
        "events": [{"name": "exception", "attributes": [
            {"key": "exception.message", "value": {"stringValue": "no such file"}},
            {"key": "parts", "value": {"kvlistValue": {"values": [
                {"key": "deep", "value": {"arrayValue": {"values": [{"stringValue": "two words"}]}}}]}}},
            {"key": "raw", "value": {"bytesValue": "dHdvIHdvcmRz"}}]}],
        "links": [{"traceId": "00" * 15 + "a1", "spanId": "00" * 7 + "01", "traceState": "a=b",
                   "attributes": [{"key": "why", "value": {"stringValue": "it goes on"}}]}],
    }  # fmt: skip
    message = parsed(protobuf(row), logs=False)
    identify(message, turn)
    return bytes(message.SerializeToString())


def logs(turn: int = 0) -> bytes:
    t = Telemetry("claude-code", "com.anthropic.claude_code.events")
    for number, (event, more) in enumerate((
        ("claude_code.user_prompt", {"prompt": "mend the bicycle please", "prompt_length": "23"}),
        ("claude_code.api_request", {"model": "claude-opus-4-6", "input_tokens": "10", "output_tokens": "5",
                                     "cost_usd": "0.01", "duration_ms": "900"}),
        ("claude_code.tool_result", {"tool_name": "Bash", "success": "false", "duration_ms": "40",
                                     "error": "exit code 1", "tool_parameters": '{"bash_command": "ls -l"}'}),
        ("claude_code.api_error", {"model": "claude-opus-4-6", "error": "it is overloaded"}),
    )):  # fmt: skip
        own = {
            "session.id": f"talk-{turn}",
            "user.id": "u-1",
            "organization.id": "o-1",
            "event.sequence": number,
        }
        t.log(event, {**own, **more}, number, severityText="INFO")
    return t.protobuf_logs()


@pytest.mark.parametrize("kind", ["spans", "logs"])
@pytest.mark.parametrize("framed", [False, True], ids=["one", "framed"])
def test_nothing_planted_gets_through(kind: str, framed: bool, tmp_path: Path) -> None:
    request = {"spans": spans, "logs": logs}[kind]
    clean = request()
    wanted: list[str] = []
    kinds = list(SECRETS.values())

    def secret() -> str:
        plant, part = kinds[len(wanted) % len(kinds)]
        wanted.append(part.format(n=len(wanted)))
        return plant.format(n=len(wanted) - 1)

    found = list(places(parsed(clean, kind == "logs")))
    assert not any(isinstance(r, Reject) for r in decode(clean))
    # four secrets a file: one would make many files, many would leave nothing to read
    apart = -(-len(found) // 4)
    (tmp_path / "h").mkdir()
    for turn in range(apart):
        message = parsed(request(turn), kind == "logs")
        for place, where in enumerate(list(places(message))):
            if place % apart == turn:
                put(*where, secret())
        record(message).MergeFromString(unknown(secret()))
        data = message.SerializeToString()
        assert wanted[-1].encode() in data
        before = len(data).to_bytes(4, "big") if framed else b""
        (tmp_path / "h" / f"{turn}.binpb").write_bytes(before + data)
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    report = workspace.add(tmp_path / "h")
    assert len(wanted) > 40
    assert report.operations > apart
    text = put_out(workspace, tmp_path) + repr(report)
    assert [one for one in wanted if one in text] == []

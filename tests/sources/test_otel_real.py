"""Is real telemetry read without an error, and do totals equal a meter that knows nothing of the source?"""

from __future__ import annotations

import gzip
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from shared import need
from sources.test_otel_cases import items
from tracelode.model.operation import Operation
from tracelode.model.ports import Skip
from tracelode.sources.otel import Otel
from written import added, every

sdk = pytest.importorskip("opentelemetry.sdk.trace")


def sums(data: bytes) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in items(data):
        if isinstance(item, Operation):
            found.update(item.measures)
        elif isinstance(item, Skip):
            found[item.reason] += item.count
    return found


def known(folder: Path) -> list[Path]:
    """Files that hold telemetry, by their content."""
    files = [p for p in sorted(folder.rglob("*.json*")) if p.is_file()]
    return [p for p in files if Otel().sniff(p.read_bytes()[:65536]) >= 0.5]


def test_trail_trees_count_their_calls_and_not_their_agents() -> None:
    """63 real trees, put back into the shape they were exported in; the meter sums spans of kind LLM."""
    path = need("data", "localisation", "trail.dev.jsonl.gz")
    ours, meter, naive = Counter[str](), Counter[str](), 0
    with gzip.open(path) as lines:
        for line in lines:
            tree = json.loads(line)
            spans: dict[str, dict[str, Any]] = {}
            for step in tree["steps"]:
                attributes: dict[str, Any] = {"openinference.span.kind": step["kind"]} if step["kind"] else {}
                if step["tokens"]:
                    attributes |= {
                        "llm.token_count.prompt": step["tokens"],
                        "llm.token_count.total": step["tokens"],
                    }
                    naive += int(step["tokens"])
                if step["kind"] == "LLM":
                    meter.update(calls=1, tokens=int(step["tokens"] or 0))
                spans[step["span_id"]] = {
                    "trace_id": tree["traj_id"].rpartition("/")[2],
                    "span_id": step["span_id"],
                    "parent_span_id": step["parent"] or "",
                    "span_name": step["tool"],
                    "timestamp": step["t"],
                    "duration": step["dur"],
                    "status_code": step["status"],
                    "span_attributes": attributes,
                    "child_spans": [],
                }
            roots = []
            for span in spans.values():
                above = spans.get(span["parent_span_id"])
                (above["child_spans"] if above else roots).append(span)
            found = sums(json.dumps({"trace_id": "x", "spans": roots}).encode())
            ours.update(calls=found["calls"], tokens=found["tokens.input_fresh"])
    assert ours == meter
    assert (naive, meter["tokens"]) == (11_386_264, 6_302_748)


def test_otlp_files_of_three_projects(tmp_path: Path) -> None:
    folder = need("data", "native", "otel_otlp")
    report = added(tmp_path, {f"{i}.json": p.read_bytes() for i, p in enumerate(known(folder))})[1]
    assert Counter({s.reason: 0 for s in report.skipped}).keys() <= {
        "span of a trace without model, tool or agent",
        "log record of no known event",
        "metric, not read: its tokens are told by spans or logs",
    }
    path = next(folder.rglob("nested-subagent.json"))
    found = [i for i in items(path.read_bytes()) if isinstance(i, Operation)]
    spans = json.loads(path.read_bytes())["trace"]["spans"]
    named = Counter(s["attributes"].get("gen_ai.operation.name") for s in spans)
    assert sum(o.measures.get("calls", 0) for o in found) == named["chat"]
    assert sum("tool" in o.fields for o in found) == named["execute_tool"]


def test_openinference_fixtures_of_the_vercel_sdk(tmp_path: Path) -> None:
    folder = need("data", "native", "otel_openinference")
    files = known(folder)
    assert len(files) >= 9
    (whole,) = [p for p in files if p.name == "all-spans.json"]
    spans = {s["spanContext"]["spanId"]: s["attributes"] for s in json.loads(whole.read_bytes())}
    # every trace there is one span: what it tells is what counts
    names = ("gen_ai.usage.input_tokens", "ai.usage.promptTokens", "ai.usage.inputTokens", "ai.usage.tokens")
    given = sum(next((a[n] for n in names if n in a), 0) for a in spans.values())
    names = ("gen_ai.usage.output_tokens", "ai.usage.completionTokens", "ai.usage.outputTokens")
    made = sum(next((a[n] for n in names if n in a), 0) for a in spans.values())
    workspace, report = added(tmp_path, {p.name: p.read_bytes() for p in files})
    totals = workspace.totals()
    assert report.skipped == []
    assert (totals.calls, totals.tokens["input_fresh"], totals.tokens["output"]) == (len(spans), given, made)


def test_spans_in_lines_of_a_langfuse_reader(tmp_path: Path) -> None:
    path = need(
        "data",
        "native",
        "langfuse",
        "tangle-network+agent-eval",
        "tests",
        "fixtures",
        "trace-analyst",
        "tiny-trace.jsonl",
    )
    spans = [json.loads(line) for line in path.read_text().splitlines()]
    meter = Counter(s["attributes"]["openinference.span.kind"] for s in spans)
    given = sum(s["attributes"].get("llm.token_count.prompt", 0) for s in spans)
    workspace, _ = added(tmp_path, {"a.jsonl": path.read_bytes()})
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["input_fresh"]) == (meter["LLM"], given)
    assert sum(o.kind == "tool" for o in every(workspace)) == meter["TOOL"]


def recorded() -> Any:
    """Spans of the real SDK: an agent with two calls and a failing tool."""
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = sdk.TracerProvider(resource=Resource.create({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("shop.agent", "2.0")
    agent = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "seller",
        "gen_ai.usage.input_tokens": 300,
    }
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.usage.input_tokens": 150,
    }
    # the SDK's clock, a millisecond on at every look: equal times are another test's business
    clock = itertools.count(1_790_000_000_000_000_000, 1_000_000)
    with (
        mock.patch.object(sdk, "time_ns", side_effect=clock),
        tracer.start_as_current_span("invoke_agent seller", attributes=agent),
    ):
        with tracer.start_as_current_span("chat gpt-5", attributes=chat) as span:
            span.set_attribute("gen_ai.usage.cache_read.input_tokens", 100)
            span.set_attribute("gen_ai.response.finish_reasons", ["tool_calls"])
            span.add_event("gen_ai.choice", {"index": 0, "message": json.dumps({"content": "Weighing."})})
        with tracer.start_as_current_span("execute_tool weigh") as span:
            span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weigh"})
            span.record_exception(ValueError("no scale"))
            span.set_status(trace.StatusCode.ERROR, "no scale")
        with tracer.start_as_current_span("chat gpt-5", attributes=chat | {"gen_ai.usage.output_tokens": 12}):
            pass
    return exporter.get_finished_spans()


def encodings() -> dict[str, bytes]:
    """The recorded spans as the exporters of the SDK write them."""
    from google.protobuf.json_format import MessageToJson
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    spans = recorded()
    request = encode_spans(spans)
    return {
        "a.pb": request.SerializeToString(),
        "b.json": MessageToJson(request).encode(),
        "c.json": "\n".join(span.to_json() for span in spans).encode(),
        "d.jsonl": b"\n".join(MessageToJson(encode_spans([s]), indent=None).encode() for s in spans),
    }


@pytest.mark.parametrize("name", ["a.pb", "b.json", "c.json", "d.jsonl"])
def test_spans_of_the_real_sdk_in_every_encoding(tmp_path: Path, name: str) -> None:
    data = encodings()[name]
    assert Otel().sniff(data[:65536]) >= 0.9
    workspace, report = added(tmp_path, {name: data})
    assert report.skipped == []
    totals = workspace.totals()
    assert (totals.calls, totals.operations) == (2, 4)
    assert totals.tokens == {
        "input_fresh": 200,
        "cache_read": 100,
        "cache_write_5m": 0,
        "cache_write_1h": 0,
        "output": 12,
        "reasoning": None,
    }
    tool, *_ = [o for o in every(workspace) if "tool" in o.fields]
    assert (tool.name, tool.status, tool.fields["otel.link"]) == ("weigh", "error", "order")
    assert "Weighing." in {o.output for o in every(workspace)}
    # the console tells no scope
    assert {o.fields.get("otel.scope") for o in every(workspace)} == {
        None if name == "c.json" else "shop.agent"
    }


def test_all_encodings_of_the_same_spans_together_count_once(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, encodings())
    assert (workspace.totals().calls, workspace.totals().operations) == (2, 4)
    assert len(workspace.sessions()) == 1


def test_the_sample_in_protobuf_says_what_it_says_in_json() -> None:
    samples = Path(__file__).parent / "samples"

    def told(name: str) -> list[dict[str, Any]]:
        found = [
            i
            for i in items((samples / name).read_bytes())
            if isinstance(i, Operation) and i.session == "talk-7"
        ]
        return [
            {
                "id": o.id,
                "kind": o.kind,
                "name": o.name,
                "fields": o.fields,
                "measures": o.measures,
                "arguments": o.arguments,
                "output": o.output,
                "started": o.started,
            }
            for o in found
        ]

    assert told("otel-protobuf.binpb") == told("otel.jsonl")
    assert len(told("otel.jsonl")) == 15

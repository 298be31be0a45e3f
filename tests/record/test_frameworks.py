"""Do the real OpenAI Agents SDK, LangGraph and OpenTelemetry feed the recorder what it says they do?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

import pytest

from record.lines import rows, told
from tracelode.record import Recorder
from tracelode.record.agents import PlanProcessor
from tracelode.record.langchain import PlanCallback
from tracelode.record.spans import events_of, readable, spans_of


def test_runs_of_the_openai_agents_sdk(tmp_path: Path) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    from agents.tracing import set_trace_processors

    plan = json.dumps(
        {"plan": [{"step": "look", "status": "in_progress"}, {"step": "fix", "status": "pending"}]}
    )
    set_trace_processors([PlanProcessor(Recorder(tmp_path))])
    try:
        with agents.trace("triage", group_id="g"), agents.agent_span("Triage"):
            with agents.function_span("update_plan", input=plan, output="ok"):
                pass
            with agents.function_span("read", input='{"path": "a"}', output="text"):
                pass
            with agents.generation_span(model="m", usage={"input_tokens": 5, "output_tokens": 2}):
                pass
            with agents.agent_span("Writer") as span:
                span.set_error({"message": "no", "data": None})
    finally:
        set_trace_processors([])
    found = rows(tmp_path)
    assert told(tmp_path) == [
        ("plan", "goal", "planned"), ("plan", "1/1", "planned"), ("execute", "1/1", "running"),
        ("plan", "1/2", "planned"), ("plan", "1/3", "planned"), ("execute", "1/2", "running"),
        ("execute", "1/2", "running"), ("plan", "1/4", "planned"), ("execute", "1/4", "running"),
        ("execute", "1/4", "failed"), ("execute", "1/1", "succeeded"), ("complete", "goal", "failed"),
    ]  # fmt: skip
    assert {row["task_id"] for row in found} == {"g"}
    assert found[6]["payload"]["tool"] == "read"
    assert found[7]["parent_node_id"] == "1/1"
    assert found[10]["payload"]["measures"] == {"input_tokens": 5, "output_tokens": 2}


def test_graphs_of_langgraph(tmp_path: Path) -> None:
    graph = pytest.importorskip("langgraph.graph", reason="langgraph is not installed")
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import tool

    class State(TypedDict, total=False):
        ask: str
        plan: list[str]
        done: str

    @tool
    def search(query: str) -> str:
        """Search."""
        return f"found {query}"

    def planner(state: State) -> dict[str, Any]:
        return {"plan": ["look", "fix"]}

    def worker(state: State, config: RunnableConfig) -> dict[str, Any]:
        return {"done": search.invoke({"query": "x"}, config)}

    def breaks(state: State) -> dict[str, Any]:
        raise KeyError("gone")

    build = graph.StateGraph(State)
    for name, node in (("planner", planner), ("worker", worker), ("breaks", breaks)):
        build.add_node(name, node)
    build.add_edge(graph.START, "planner")
    build.add_edge("planner", "worker")
    build.add_edge("worker", "breaks")
    with pytest.raises(KeyError):
        build.compile().invoke({"ask": "find it"}, config={"callbacks": [PlanCallback(Recorder(tmp_path))]})
    found = rows(tmp_path)
    assert [(r["event_type"], r["payload"].get("description") or r["status"]) for r in found] == [
        ("plan", "find it"), ("plan", "planner"), ("execute", "running"), ("execute", "succeeded"),
        ("plan", "look"), ("plan", "fix"), ("plan", "worker"), ("execute", "running"), ("execute", "running"),
        ("execute", "succeeded"), ("plan", "breaks"), ("execute", "running"), ("execute", "failed"),
        ("complete", "failed"),
    ]  # fmt: skip
    assert found[8]["payload"]["tool"] == "search"
    assert found[8]["payload"]["result_summary"] == "found x"
    assert found[12]["payload"]["error_type"] == "KeyError"


def recorded(place: Path) -> list[dict[str, Any]]:
    with Recorder(place).session("o", task="t") as s:
        s.goal("a goal")
        a = s.plan("a")
        b = s.plan("b", depends_on=[a])
        with s.execute(a) as x:
            x.tool("read", input="f", result="ok")
        s.review(b, decision="approve")
        with s.execute(b) as x:
            x.fail("no")
    return rows(place)


def test_events_become_spans_and_the_same_events_again(tmp_path: Path) -> None:
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    found = recorded(tmp_path)
    spans = spans_of(found)
    kinds = [span["attributes"].get("gen_ai.operation.name", "node") for span in spans]
    assert kinds == ["invoke_agent", "plan", "plan", "node", "execute_tool", "node"]
    assert len({span["trace_id"] for span in spans}) == 1
    assert spans[5]["links"] == [spans[3]["span_id"]]
    assert spans[4]["parent_id"] == spans[3]["span_id"]
    assert [span["failed"] for span in spans] == [False, False, False, False, False, True]
    made = readable(spans)
    wire = encode_spans(made).resource_spans[0].scope_spans[0].spans
    assert [span.name for span in wire] == [span["name"] for span in spans]
    back, ignored = events_of(made)
    assert ignored == 0
    named = {event.event_id: event.to_dict() for event in back}
    want = {row["event_id"]: row for row in found}
    assert named.keys() == want.keys()
    for key, row in want.items():
        assert {name: named[key].get(name) for name in row} == row


def test_spans_of_others_are_read_as_far_as_they_tell(tmp_path: Path) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("x")
    with tracer.start_as_current_span("plan helper", attributes={"gen_ai.operation.name": "plan"}):
        pass
    with tracer.start_as_current_span("node", attributes={
        "tracelode.node_id": "1/1", "tracelode.event_type": "execute", "tracelode.status": "running",
    }):  # fmt: skip
        more = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read"}
        with tracer.start_as_current_span("execute_tool read", attributes=more):
            pass
    with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}):
        pass
    events, ignored = events_of(exporter.get_finished_spans())
    assert ignored == 1
    assert [(e.event_type, e.payload.get("tool") or e.payload.get("op")) for e in events] == [
        ("plan", "plan_proposed"), ("execute", None), ("execute", "read"),
    ]  # fmt: skip
    assert events[2].node_id == "1/1"

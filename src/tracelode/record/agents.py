"""How do runs of the OpenAI Agents SDK record their plan? A tracing processor; the SDK is not imported.

agents.add_trace_processor(PlanProcessor(Recorder("traces")))
"""

from __future__ import annotations

import json
import threading
from typing import Any

from tracelode.record.live import Session
from tracelode.record.recorder import Recorder
from tracelode.record.running import text
from tracelode.record.wrap import find_plan

PLAN_TOOLS = ("update_plan", "write_todos", "todo_write", "TodoWrite", "create_plan", "set_plan")
"""Tools whose input is a plan."""


class PlanProcessor:
    """A tracing processor: a trace is a session, an agent a node, a plan tool's input a plan.

    Args:
        recorder: where to.
        plan_tools: names of tools whose input is a plan.

    Source:
        openai-agents 0.24, agents.tracing.TracingProcessor.
    """

    def __init__(self, recorder: Recorder | None = None, plan_tools: tuple[str, ...] = PLAN_TOOLS) -> None:
        self._recorder = recorder or Recorder()
        self._plan_tools = plan_tools
        self._sessions: dict[str, Session] = {}
        self._nodes: dict[str, str] = {}
        self._failed: set[str] = set()
        self._tokens: dict[str, dict[str, float]] = {}
        self._lock = threading.RLock()

    def on_trace_start(self, trace: Any) -> None:
        """A run begins.

        Args:
            trace: of the SDK.
        """
        with self._lock:
            session = self._recorder.session(trace.trace_id, task=getattr(trace, "group_id", None))
            self._sessions[trace.trace_id] = session
            session.goal(str(trace.name), actor="system")

    def on_trace_end(self, trace: Any) -> None:
        """A run ends.

        Args:
            trace: of the SDK.
        """
        with self._lock:
            session = self._sessions.pop(trace.trace_id, None)
            if session is not None:
                session.complete("failed" if trace.trace_id in self._failed else "succeeded")
                self._failed.discard(trace.trace_id)
                session.close()

    def on_span_start(self, span: Any) -> None:
        """A part of a run begins.

        Args:
            span: of the SDK.
        """
        with self._lock:
            session = self._sessions.get(span.trace_id)
            if session is not None and span.span_data.type == "agent":
                above = self._nodes.get(span.parent_id or "", "goal")
                node = session.plan(str(span.span_data.name), parent=above, evidence="inferred")
                self._nodes[span.span_id] = node
                session.start(node)
            elif span.parent_id in self._nodes:
                # turns, tasks and tools lie below the agent's node
                self._nodes[span.span_id] = self._nodes[span.parent_id]

    def on_span_end(self, span: Any) -> None:
        """A part of a run ends.

        Args:
            span: of the SDK.
        """
        with self._lock:
            session = self._sessions.get(span.trace_id)
            node = self._nodes.pop(span.span_id, "")
            if session is None:
                return
            data = span.span_data
            if data.type == "agent" and node:
                measures = self._tokens.pop(node + span.trace_id, {})
                if span.error:
                    self._failed.add(span.trace_id)
                told = {"measures": measures} if measures else {}
                session.stop(node, "failed" if span.error else "succeeded", payload=told)
            elif data.type == "function":
                self._tool(session, node, span)
            elif data.type in ("generation", "response"):
                self._used(node + span.trace_id, data)
            elif data.type == "handoff":
                session.review(
                    node or "goal", decision="note", actor="agent", reason=f"hand-off to {data.to_agent}"
                )
            elif data.type == "guardrail" and data.triggered:
                session.review(node or "goal", decision="reject", actor="system", reason=str(data.name))

    def shutdown(self) -> None:
        """End what is open, without a complete event: nobody said that it is."""
        with self._lock:
            for session in self._sessions.values():
                session.close()
            self._sessions.clear()

    def force_flush(self) -> None:
        """Nothing is held back."""

    def _tool(self, session: Session, node: str, span: Any) -> None:
        data = span.span_data
        if data.name in self._plan_tools and not span.error:
            try:
                items = find_plan(json.loads(data.input or "{}"))
            except ValueError:
                items = None
            if items:
                session.replan(items)
                return
        listed = {name for name, _ in session.listed}
        at = next((n for n in listed if session.nodes[n].status == "running"), node)
        known = session.nodes.get(at)
        payload: dict[str, Any] = {"tool": str(data.name), "input_summary": text(data.input or "")}
        if span.error:
            payload["error_type"] = "error"
        elif data.output is not None:
            payload["result_summary"] = text(data.output)
        if known is not None:
            payload["attempt"] = max(1, known.attempt)
        session.record("agent", "execute", at, known.parent if known else None, "running", payload)

    def _used(self, key: str, data: Any) -> None:
        usage = data.usage if isinstance(getattr(data, "usage", None), dict) else {}
        if not usage:
            told = getattr(getattr(data, "response", None), "usage", None)
            usage = {name: getattr(told, name, None) for name in ("input_tokens", "output_tokens")}
        held = self._tokens.setdefault(key, {})
        for name in ("input_tokens", "output_tokens"):
            if isinstance(usage.get(name), int):
                held[name] = held.get(name, 0) + usage[name]

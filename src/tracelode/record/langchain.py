"""How do runs of LangChain and LangGraph record their plan? A callback handler; neither is imported.

graph.invoke(state, config={"callbacks": [PlanCallback(Recorder("traces"))]})
"""

from __future__ import annotations

import threading
from typing import Any

from tracelode.record.live import Session
from tracelode.record.recorder import Recorder
from tracelode.record.running import text
from tracelode.record.wrap import find_plan

PLAN_KEYS = ("plan", "todos", "steps")
"""Keys of a node's output that hold a plan."""
PLAN_TOOLS = ("write_todos", "update_plan")


class _Run:
    """One run of a chain or tool."""

    __slots__ = ("input", "name", "node", "session")

    def __init__(self, session: Session, node: str, name: str = "", given: Any = None) -> None:
        self.session, self.node, self.name, self.input = session, node, name, given


class PlanCallback:
    """A callback handler: the outermost run is a session, a graph's node a node, a list under plan a plan.

    Args:
        recorder: where to.
        plan_keys: keys of outputs that hold a plan.

    Source:
        langchain-core 1.8, BaseCallbackHandler; langgraph 1.2, metadata langgraph_node.
    """

    raise_error = False
    run_inline = True
    """In the caller's own thread, so that events stand in their order."""
    ignore_agent = ignore_chain = ignore_custom_event = False
    ignore_chat_model = ignore_llm = ignore_retriever = ignore_retry = True

    def __init__(self, recorder: Recorder | None = None, plan_keys: tuple[str, ...] = PLAN_KEYS) -> None:
        self._recorder = recorder or Recorder()
        self._plan_keys = plan_keys
        self._runs: dict[Any, _Run] = {}
        self._lock = threading.RLock()

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **more: Any) -> None:
        """A chain or a node of a graph begins.

        Args:
            serialized: unused.
            inputs: what it gets.
            run_id: of the run.
            more: parent_run_id, metadata, name.
        """
        with self._lock:
            above = self._runs.get(more.get("parent_run_id"))
            name = str(more.get("name") or "")
            if above is None:
                session = self._recorder.session(str(run_id), task=_thread(more.get("metadata")))
                session.goal(_asked(inputs) or name or "run")
                self._runs[run_id] = _Run(session, "goal", name)
            elif (more.get("metadata") or {}).get("langgraph_node") == name and name != above.name:
                session = above.session
                node = session.found(name)
                session.start(node)
                self._runs[run_id] = _Run(session, node, name)
            else:
                self._runs[run_id] = _Run(above.session, above.node, above.name, "inner")

    def on_chain_end(self, outputs: Any, *, run_id: Any, **more: Any) -> None:
        """A chain or a node of a graph ended.

        Args:
            outputs: what it gave.
            run_id: of the run.
            more: unused.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None or run.input == "inner":
                return
            if run.node == "goal":
                run.session.complete()
                run.session.close()
                return
            run.session.stop(run.node, payload={"tool": run.name, "result_summary": _keys(outputs)})
            if isinstance(outputs, dict):
                found = next((outputs[k] for k in self._plan_keys if isinstance(outputs.get(k), list)), None)
                self._replan(run.session, found)

    def on_chain_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
        """A chain or a node of a graph failed; an interrupt waits for a human.

        Args:
            error: what was raised.
            run_id: of the run.
            more: unused.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None or run.input == "inner":
                return
            name = type(error).__name__
            if name in ("GraphInterrupt", "NodeInterrupt"):
                run.session.review(run.node, decision="interrupt", actor="system", reason=name)
                if run.node == "goal":
                    run.session.close()
            elif run.node == "goal":
                run.session.complete("failed", error_type=name)
                run.session.close()
            else:
                run.session.stop(run.node, "failed", payload={"error_type": name})

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: Any, **more: Any) -> None:
        """A tool is called.

        Args:
            serialized: names the tool.
            input_str: its input.
            run_id: of the run.
            more: parent_run_id, inputs.
        """
        with self._lock:
            above = self._runs.get(more.get("parent_run_id"))
            name = str((serialized or {}).get("name") or more.get("name") or "tool")
            if above is None:
                session = self._recorder.session(str(run_id))
                session.goal(name, actor="system")
                above = _Run(session, session.found(name))
            self._runs[run_id] = _Run(above.session, above.node, name, more.get("inputs") or input_str)

    def on_tool_end(self, output: Any, *, run_id: Any, **more: Any) -> None:
        """A tool gave its result.

        Args:
            output: the result.
            run_id: of the run.
            more: unused.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None:
                return
            if run.name in PLAN_TOOLS and self._replan(run.session, find_plan(run.input)):
                return
            self._called(run, {"result_summary": text(getattr(output, "content", output))})

    def on_tool_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
        """A tool failed.

        Args:
            error: what was raised.
            run_id: of the run.
            more: unused.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is not None:
                self._called(run, {"error_type": type(error).__name__})

    def _called(self, run: _Run, more: dict[str, Any]) -> None:
        known = run.session.nodes.get(run.node)
        payload = {"tool": run.name, "input_summary": text(run.input), **more}
        payload["attempt"] = max(1, known.attempt) if known else 1
        parent = known.parent if known else None
        run.session.record("agent", "execute", run.node, parent, "running", payload)

    def _replan(self, session: Session, items: Any) -> bool:
        if not isinstance(items, list) or not items:
            return False
        try:
            session.replan(items)
        except ValueError as error:
            session._problem(error)
            return False
        return True

    def __getattr__(self, name: str) -> Any:
        # what other versions tell beyond this is passed over
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)


def _asked(inputs: Any) -> str:
    """What a human asked for: the last message, or the first text."""
    if isinstance(inputs, str):
        return inputs
    if isinstance(inputs, dict):
        messages = inputs.get("messages")
        if isinstance(messages, list) and messages:
            last = messages[-1]
            told = getattr(last, "content", None) or (last[-1] if isinstance(last, tuple) else None)
            told = told or (last.get("content") if isinstance(last, dict) else last)
            return told if isinstance(told, str) else text(told)
        return next((value for value in inputs.values() if isinstance(value, str) and value), "")
    return ""


def _keys(outputs: Any) -> str:
    return ", ".join(map(str, outputs)) if isinstance(outputs, dict) else text(outputs)


def _thread(metadata: Any) -> str | None:
    told = (metadata or {}).get("thread_id")
    return str(told) if told else None

"""What happens while a node is executed? Its start, its tools, what it measures, and how it ended."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from tracelode.record.scope import Scope, enter, here, leave


class Running:
    """A node being executed; a context manager, also an asynchronous one.

    Args:
        session: the Session.
        node: the node.
        actor: who does it.
        reason: why again, None where it is the first attempt.
    """

    def __init__(self, session: Any, node: str, actor: str, reason: str | None) -> None:
        self.session = session
        self.node = node
        self.actor = actor
        self._reason = reason
        self._measures: dict[str, float] = {}
        self._last: dict[str, Any] = {}
        self._calls = 0
        self._result: Any = None
        self._status = "succeeded"
        self._error: dict[str, Any] = {}
        self._token: Any = None
        self._before = Scope()

    def tool(
        self, name: str, input: Any = None, result: Any = None, *, ok: bool = True, **payload: Any
    ) -> None:
        """Record a tool's call.

        Args:
            name: of the tool.
            input: its arguments, or what they come to.
            result: what it gave, or what that comes to.
            ok: False where it failed.
            payload: what else is known: return_code, shape, statistics.
        """
        self._calls += 1
        told: dict[str, Any] = {"tool": name, "call": self._calls, **payload}
        if input is not None:
            told["input_summary"] = text(input)
        if result is not None:
            told["result_summary"] = text(result)
        if not ok:
            told["error_type"] = payload.get("error_type", "error")
        self._last = {key: told[key] for key in ("tool", "input_summary", "result_summary") if key in told}
        self._event("running", told)

    def measure(self, **measures: float) -> None:
        """Note figures of this attempt; they stand in its last event.

        Args:
            measures: name to number; the same name again adds up.
        """
        for name, number in measures.items():
            self._measures[name] = self._measures.get(name, 0) + number

    def result(self, summary: Any) -> None:
        """Note what the node gave.

        Args:
            summary: a text, or a value that is made one.
        """
        self._result = summary

    def fail(self, reason: str = "") -> None:
        """Have the attempt end as failed without an exception.

        Args:
            reason: why.
        """
        self._status = "failed"
        self._error = {"reason": reason} if reason else {}

    def _event(self, status: str, payload: dict[str, Any]) -> None:
        known = self.session.nodes.get(self.node)
        attempt = known.attempt if known is not None else 1
        parent = known.parent if known is not None else None
        told = {"attempt": attempt, **payload}
        self.session.record(self.actor, "execute", self.node, parent, status, told)

    def __enter__(self) -> Running:
        self._before = here()
        scope = self._before if self._before.session is self.session else Scope(self.session)
        self._token = enter(scope._replace(nodes=(*scope.nodes, self.node)))
        self._started = time.monotonic()
        more = {"reason": self._reason} if self._reason else {}
        self.session.start(self.node, actor=self.actor, payload=more)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        leave(self._token, self._before)
        told: dict[str, Any] = dict(self._last)
        if self._result is not None:
            told["result_summary"] = text(self._result)
        if self._measures or self._calls:
            told["measures"] = {**self._measures, **({"tool_calls": self._calls} if self._calls else {})}
        if kind is not None and not issubclass(kind, GeneratorExit):
            self._status = "failed"
            # the type alone: what an exception says may be content
            self._error = {"error_type": kind.__name__}
        self.session.stop(self.node, self._status, actor=self.actor, payload={**told, **self._error})

    async def __aenter__(self) -> Running:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


def text(value: Any) -> str:
    """A value in few words.

    Args:
        value: a text, or anything: a list of its parts for objects, a shape for arrays.

    Returns:
        A text; bounds and redaction come later.
    """
    if isinstance(value, str):
        return value
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"{type(value).__name__} {'x'.join(map(str, shape))}"
    try:
        import json

        return json.dumps(value, ensure_ascii=False, default=str)[:65_536]
    except Exception:
        # str() of an object of the one who records: whatever it does, the event is written
        return f"<{type(value).__name__}>"

"""How are plans and tool calls recorded without a word in their code? What makes them is wrapped."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tracelode.record.running import text
from tracelode.record.scope import Scope, here, is_async

P = ParamSpec("P")
R = TypeVar("R")

_LISTS = ("plan", "todos", "steps", "tasks", "items", "plan_steps", "subtasks")
_LINE = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[(?P<box>[ xX~])\][ \t]+)?(?P<text>.+)$", re.MULTILINE
)
_BOXES = {"x": "completed", "X": "completed", "~": "in_progress", " ": "pending", None: "pending"}


def wrap_tool(function: Callable[P, R], *, name: str | None = None) -> Callable[P, R]:
    """A tool whose calls are recorded on the node being executed; it gets one of its own where there is none.

    Args:
        function: the tool, also a coroutine function. Where it has a parameter `node_id` that is not given,
            it gets the node's id.
        name: of the tool; the function's name where it is left out.

    Returns:
        The tool. Outside of a session it is called as it is.
    """
    called = str(name or getattr(function, "__name__", type(function).__name__))
    code = getattr(function, "__code__", None)
    told = code is not None and "node_id" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def given(scope: Scope, args: Any, kwargs: Any) -> Any:
        if told and "node_id" not in kwargs and code and code.co_varnames.index("node_id") >= len(args):
            return {**kwargs, "node_id": scope.nodes[-1]}
        return kwargs

    if is_async(function):

        @functools.wraps(function)
        async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:
            with _Call(called, args, kwargs) as call:
                call.result = await function(*args, **given(call.scope, args, kwargs))  # type: ignore[misc]
            return call.result

        return awaited  # type: ignore[return-value]

    @functools.wraps(function)
    def plain(*args: P.args, **kwargs: P.kwargs) -> R:
        with _Call(called, args, kwargs) as call:
            call.result = function(*args, **given(call.scope, args, kwargs))
        return call.result  # type: ignore[no-any-return]

    return plain


class _Call:
    """One call of a tool."""

    def __init__(self, name: str, args: Any, kwargs: Any) -> None:
        self.name = name
        self.result: Any = None
        self.scope = Scope(None, ("",))
        self._input = kwargs if not args else {"args": list(args), **kwargs}
        self._node: Any = None

    def __enter__(self) -> _Call:
        scope = here()
        if scope.session is not None and not scope.nodes:
            # work outside the plan is work all the same: a node says so
            self._node = scope.session.execute(scope.session.plan(self.name, evidence="inferred"))
            self._node.__enter__()
            scope = here()
        if scope.session is not None:
            self.scope = scope
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        session = self.scope.session
        if session is not None:
            known = session.nodes.get(self.scope.nodes[-1])
            payload: dict[str, Any] = {"tool": self.name, "input_summary": text(self._input)}
            payload["attempt"] = max(1, known.attempt) if known is not None else 1
            if kind is not None:
                payload["error_type"] = kind.__name__
            elif self.result is not None:
                payload["result_summary"] = text(self.result)
            parent = known.parent if known is not None else None
            session.record("agent", "execute", self.scope.nodes[-1], parent, "running", payload)
        if self._node is not None:
            self._node.__exit__(kind, error, trace)


def wrap_planner(
    function: Callable[P, R],
    *,
    parse: Callable[[Any], list[Any] | None] | None = None,
    node_key: str | None = "node_id",
) -> Callable[P, R]:
    """A planner whose plans are recorded whenever it returns one, before anything is executed.

    Args:
        function: what returns a plan, also a coroutine function.
        parse: takes what it returned and gives the plan's items; find_plan() where it is left out.
        node_key: key under which an item that is a dict gets its node's id; None to leave items alone.

    Returns:
        The planner. What it returns is returned.
    """

    def note(result: Any) -> None:
        session = here().session
        if session is None:
            return
        try:
            items = (parse or find_plan)(result)
            if items:
                ids = session.replan(items)
                for item, node in zip(items, ids, strict=True):
                    if node_key is not None and isinstance(item, dict):
                        item[node_key] = node
        except Exception as error:
            # a plan that cannot be read must not end the work
            session._problem(error)

    if is_async(function):

        @functools.wraps(function)
        async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:
            result = await function(*args, **kwargs)  # type: ignore[misc]
            note(result)
            return result

        return awaited  # type: ignore[return-value]

    @functools.wraps(function)
    def plain(*args: P.args, **kwargs: P.kwargs) -> R:
        result = function(*args, **kwargs)
        note(result)
        return result

    return plain


def find_plan(result: Any) -> list[Any] | None:
    """The items of a plan in what a model returned.

    Args:
        result: a list, an object with plan, todos, steps or tasks, JSON text (also in a fence), or text with
            a list of lines: `- [x] done`, `1. first`.

    Returns:
        The items, None where there is none.
    """
    if isinstance(result, str):
        return _in_text(result)
    if isinstance(result, list):
        return result or None
    for name in _LISTS:
        found = result.get(name) if isinstance(result, dict) else getattr(result, name, None)
        if isinstance(found, list) and found:
            return found
    return None


def _in_text(given: str) -> list[Any] | None:
    fence = re.search(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", given, re.DOTALL)
    try:
        value = json.loads(fence[1] if fence else given)
    except ValueError:
        found = [(m["text"].strip(), _BOXES[m["box"]]) for m in _LINE.finditer(given)]
        return list(found) or None
    return find_plan(value) if not isinstance(value, str) else None

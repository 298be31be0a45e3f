"""Which session and node is this code part of? contextvars tell tasks, bind() tells threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar, Token, copy_context
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Scope(NamedTuple):
    """Where code runs; never changed, only replaced."""

    session: Any = None
    """The Session, None outside of one."""
    nodes: tuple[str, ...] = ()
    """Nodes being executed, the innermost last."""
    lane: str | None = None
    """Sub-agent, None for the main one."""


_scope: ContextVar[Scope] = ContextVar("tracelode_scope", default=Scope())  # noqa: B039  a tuple


def here() -> Scope:
    """Where the calling code runs."""
    return _scope.get()


def enter(scope: Scope) -> Token[Scope]:
    """Run in a scope from now on.

    Args:
        scope: the new one.

    Returns:
        What leave() takes.
    """
    return _scope.set(scope)


def leave(token: Token[Scope], before: Scope) -> None:
    """Run in the earlier scope again.

    Args:
        token: what enter() gave.
        before: the scope then.
    """
    try:
        _scope.reset(token)
    except ValueError:
        # an async generator that is closed by another task: there is no way back but forward
        _scope.set(before)


def bind(function: Callable[P, R]) -> Callable[P, R]:
    """A function that runs in this code's session and node, whichever thread calls it.

    Args:
        function: any function, also a coroutine function.

    Returns:
        The function with the scope of now; each call has a context of its own.

    Example:
        >>> import threading
        >>> from tracelode.record import bind
        >>> thread = threading.Thread(target=bind(print), args=("below the same node",))
    """
    scope = here()
    if is_async(function):

        @functools.wraps(function)
        async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:
            before = here()
            token = enter(scope)
            try:
                return await function(*args, **kwargs)  # type: ignore[misc]
            finally:
                leave(token, before)

        return awaited  # type: ignore[return-value]

    @functools.wraps(function)
    def bound(*args: P.args, **kwargs: P.kwargs) -> R:
        def run() -> R:
            _scope.set(scope)
            return function(*args, **kwargs)

        return copy_context().run(run)

    return bound


def is_async(function: Any) -> bool:
    """Is it a coroutine function? Asked of its code: inspect takes longer to load than the recorder.

    Args:
        function: any callable.
    """
    inner = getattr(function, "__func__", function)
    while isinstance(inner, functools.partial):
        inner = inner.func
    called = inner if hasattr(inner, "__code__") else vars(type(inner)).get("__call__")
    code = getattr(called, "__code__", None)
    return bool(code and code.co_flags & 0x80)


class Executor:
    """An executor of threads whose work runs in the scope of who submits it.

    Args:
        inner: any concurrent.futures executor of threads.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def submit(self, function: Callable[..., R], /, *args: Any, **kwargs: Any) -> Any:
        """Like the inner executor's.

        Args:
            function: what to call.
            args: its arguments.
            kwargs: its named arguments.

        Returns:
            A future.
        """
        return self._inner.submit(bind(function), *args, **kwargs)

    def map(self, function: Callable[..., R], *iterables: Any, **kwargs: Any) -> Any:
        """Like the inner executor's.

        Args:
            function: what to call.
            iterables: its arguments.
            kwargs: timeout and chunksize.

        Returns:
            An iterator of results.
        """
        return self._inner.map(bind(function), *iterables, **kwargs)

    def __enter__(self) -> Executor:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._inner.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

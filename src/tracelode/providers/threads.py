"""How is something that may block for ever waited for? In a thread that ends with the program."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


async def in_thread(function: Callable[..., _T], *words: Any, **named: Any) -> _T:
    """Call a function in a thread of its own; one that never ends holds nobody up.

    asyncio's own threads are joined when its loop ends, and so when a program does.

    Args:
        function: what blocks.
        words: its arguments by place.
        named: its arguments by name.

    Returns:
        What it returns.

    Raises:
        Exception: what it raises.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_T] = loop.create_future()

    def tell(set_: Callable[..., None], value: Any) -> None:
        if not answer.done():
            set_(value)

    def run() -> None:
        try:
            found = function(*words, **named)
        except BaseException as error:
            what: tuple[Any, Any] = (answer.set_exception, error)
        else:
            what = (answer.set_result, found)
        with contextlib.suppress(RuntimeError):  # the loop ended meanwhile: nobody waits
            loop.call_soon_threadsafe(tell, *what)

    threading.Thread(target=run, daemon=True, name="tracelode-tool").start()
    return await answer

"""When is a question asked again that got no answer? Few times, later each time, as the other side wishes."""

from __future__ import annotations

import random
from collections.abc import Callable
from threading import Event

import msgspec

from tracelode.errors import ProviderError
from tracelode.model.answer import Answer, Request

AGAIN = {"rate_limited": 4, "failed": 4, "unreachable": 3, "cut": 3, "timeout": 2}
"""Kinds of errors that may pass, and how often a question that ends so is asked at most; cut only where no
token was spent on it. Whoever still works when the time is over may have to be paid: twice, no more."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long one question may wait."""

    first: float = 1.0
    """Seconds before the second; doubled each time."""
    longest: float = 60.0
    """Seconds of one wait; who asks for a longer one is not asked again."""


def patiently(
    complete: Callable[[Request], Answer], request: Request, patience: Patience, stop: Event
) -> Answer:
    """Ask, and again where that may help.

    Args:
        complete: asks once.
        request: the question.
        patience: how often, how long.
        stop: set where nobody wants the answer any more.

    Returns:
        The answer.

    Raises:
        ProviderError: the last one.
    """
    wait = patience.first
    attempt = 0
    while True:
        attempt += 1
        try:
            return complete(request)
        except ProviderError as error:
            asked = error.retry_after
            late = asked is not None and asked > patience.longest
            if attempt >= AGAIN.get(error.kind, 1) or any(error.tokens) or late:
                raise
            # many that were turned away together must not come back together
            pause = asked if asked is not None else wait * random.uniform(0.75, 1.25)
            wait = min(2 * wait, patience.longest)
            if stop.wait(pause):
                raise

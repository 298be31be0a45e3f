"""What the tests of freshness share: a clock that is moved, and an offer that runs out."""

from __future__ import annotations

import datetime as dt
from typing import Any

from compile.execution import WRITE, bound, step, workflow
from tracelode.compile import lasting
from tracelode.model import binding as b
from tracelode.model.workflow import Fresh, Workflow


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = 1_772_359_200 * lasting.SECOND  # 2026-03-01T10:00:00Z

    def __call__(self) -> int:
        return self.at * 1_000

    def iso(self, later: int) -> str:
        """The moment so many seconds later."""
        return dt.datetime.fromtimestamp(self.at / lasting.SECOND + later, dt.UTC).isoformat()


def ordering(kind: Any = "seconds", always: bool = True, effect: Any = WRITE, field: str = "ttl") -> Workflow:
    """Reads an offer, and takes it while it holds."""
    limit = Fresh("offer#1", b.Copy("offer#1", field), kind, always)
    return workflow(
        step("offer#1"),
        step(
            "take#1",
            "offer#1",
            effect=effect,
            order=1,
            arguments=bound(id=b.Copy("offer#1", "id")),
            fresh=(limit,),
        ),
    )


UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({}, "it tells no expiry, as it did in every run"),
    ({"ttl": None}, "it tells no expiry, as it did in every run"),
    ({"ttl": "1h"}, "its expiry is told in another way than in the runs"),
    ({"ttl": 0}, "its expiry is told in another way than in the runs"),
    ({"ttl": -1}, "its expiry is told in another way than in the runs"),
    ({"ttl": {"s": 60}}, "its expiry is told in another way than in the runs"),
]
"""What an offer says of its expiry, and why that tells nothing."""

"""Which JSON has the answer of a run that lets a model cut sessions?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tracelode.cli import shapes

if TYPE_CHECKING:
    from tracelode.model.answer import Sending
    from tracelode.model.asked import Asked, Estimate

STATES = ("valid", "repaired", "last", "none", "cached", "stopped")
"""What may become of a session; stopped: it was never asked about."""


def counts(found: Asked) -> dict[str, int]:
    """Number of sessions by what became of them.

    Args:
        found: what a run did.
    """
    counted = Counter(
        "cached" if o.cached else "stopped" if o.reason == "stopped" else o.state for o in found.outcomes
    )
    return {state: counted[state] for state in STATES}


def reasons(found: Asked) -> dict[str, int]:
    """Why sessions got no marks, or older ones: reason to number, the commonest first.

    Args:
        found: what a run did.
    """
    return dict(Counter(o.reason for o in found.outcomes if o.reason).most_common())


def estimate(found: Estimate) -> dict[str, Any]:
    """What a run will send, about."""
    return {
        "backend": found.backend,
        "model": found.model,
        "place": found.place,
        "ask": list(found.ask),
        "cached": list(found.cached),
        "human": list(found.human),
        "short": list(found.short),
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        **_money(found.cost),
    }


def asked(before: Estimate, found: Asked) -> dict[str, Any]:
    """What a run did."""
    return {
        "author": found.author,
        "estimate": estimate(before),
        "counts": counts(found),
        "reasons": reasons(found),
        "marked": found.stored,
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        **_money(found.cost),
        "interrupted": found.interrupted,
        "problem": found.problem or None,
        "sessions": [
            {
                "session": o.session,
                "state": o.state,
                "cached": o.cached,
                "marks": len(o.marks),
                "repairs": o.repairs,
                "reason": o.reason or None,
                "model": o.model or None,
                "tokens_in": o.tokens_in,
                "tokens_out": o.tokens_out,
            }
            for o in found.outcomes
        ],
    }


def dry(before: Estimate, session: str | None, sending: Sending | None) -> dict[str, Any]:
    """What a run would send first."""
    first = None
    if sending is not None:
        first = {
            "session": session,
            "to": sending.to,
            "headers": list(sending.headers),
            "body": sending.body,
        }
    return {"estimate": estimate(before), "first": first}


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The parts of a JSON body, for a person: texts apart, everything else whole.

    Args:
        value: decoded JSON.
        place: where it stands.

    Yields:
        (place, text or small value).
    """
    if isinstance(value, dict) and _long(value):
        for key, inner in value.items():
            yield from leaves(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and _long(value):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{number}]")
    else:
        yield place, value


def plain(value: Any) -> str:
    """A small value on one line of ASCII.

    Args:
        value: decoded JSON.
    """
    return value if isinstance(value, str) and value.isascii() and value.isprintable() else json.dumps(value)


def _long(value: Any) -> bool:
    """Does a value hold a text of several lines?"""
    if isinstance(value, str):
        return "\n" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_long, inner))


def _money(picodollars: int | None) -> dict[str, Any]:
    if picodollars is None:
        return {"cost_picodollars": None, "cost_picodollars_string": None, "cost": None}
    return shapes.money(picodollars)

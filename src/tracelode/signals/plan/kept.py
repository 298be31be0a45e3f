"""What is kept of a plan tool's call? Its items in closed words and bounded texts, in one field.

A preview of arguments may be cut anywhere, so what plans need is taken from the whole arguments while they
are at hand and stored with the operation as its field `plan`. An operation without the field (another
source, an older store) is read from its preview as far as that is whole.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.plan import PlanEvent

FIELD = "plan"
"""Operation field that holds it."""


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item as a call tells it."""

    status: str = ""
    """Closed word of status.CLOSED; "" where the call tells none."""
    text: str = ""
    """First characters, redacted; "" where texts are not kept or the call tells none."""
    digest: str = ""
    """What equal wordings share; "" where the call tells no text."""
    verb: str = ""
    """Closed verb of the wording, where the text is not kept."""
    id: str = ""
    """The tool's own id."""
    native: str = ""
    """The tool's own word of the status, where it is an unusual one."""
    after: tuple[str, ...] = ()
    """Ids of the items that must be finished first."""
    before: tuple[str, ...] = ()
    """Ids of the items that must wait for this one."""


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call."""

    form: str = ""
    """list, create, change, propose, enter; handoff on a prompt that brings a plan along, accept on one
    that approves a plan an answer proposed; event for an event that was recorded as one."""
    items: tuple[Item, ...] = ()
    """The whole list, the one item, or the steps of a plan document (after names the heading above)."""
    hash: str = ""
    """What equal plan documents share."""
    outcome: str = ""
    """What a person said to a proposed plan: approve, changes, stop."""
    reason: str = ""
    """Their words, redacted and bounded."""
    left: int = 0
    """Items left out because the list is too long."""
    list: str = ""
    """Id of the list, where a tool keeps several apart."""
    event: dict[str, Any] = {}
    """A plan event as its record tells it (form event), without session, moment and place."""


_DECODER = msgspec.json.Decoder(Kept)
_ENCODER = msgspec.json.Encoder()
_NONE = Kept()


def packed(kept: Kept) -> str:
    """The field's text; "" for nothing."""
    return _ENCODER.encode(kept).decode() if kept.form else ""


def unpacked(text: str) -> Kept:
    """What packed() packed; nothing where the text is none of its."""
    try:
        return _DECODER.decode(text) if text else _NONE
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _NONE


def event_packed(event: PlanEvent) -> str:
    """The field's text of an event that was recorded as one.

    Args:
        event: as it was read.
    """
    row = event.record()
    left = ("session_id", "timestamp", "source", "schema")
    return packed(Kept("event", event={k: v for k, v in row.items() if k not in left}))

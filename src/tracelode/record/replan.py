"""What changed in a plan that is given whole? What was added, renamed, removed, moved, begun, ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tracelode.signals.listdiff import CERTAIN, Entry, diff

STATES = {
    "completed": "succeeded", "complete": "succeeded", "done": "succeeded", "succeeded": "succeeded",
    "finished": "succeeded", "in_progress": "running", "in-progress": "running", "running": "running",
    "doing": "running", "active": "running", "pending": "planned", "todo": "planned", "planned": "planned",
    "open": "planned", "not_started": "planned", "failed": "failed", "error": "failed",
    "cancelled": "removed", "canceled": "removed", "deleted": "removed", "removed": "removed",
}  # fmt: skip
"""Words of planners for states; any other word is planned, and is kept."""
_TEXTS = ("content", "step", "text", "description", "subject", "title", "task", "name")


class Item(NamedTuple):
    """One item of a list."""

    text: str
    """Its wording."""
    state: str
    """planned, running, succeeded, failed or removed."""
    native: str = ""
    """The planner's own word for the state where it is none of STATES."""


def item(given: Any) -> Item:
    """Read an item.

    Args:
        given: a text, a (text, state) pair, or an object with a text and a status.

    Returns:
        The item.

    Raises:
        ValueError: there is no text in it.
    """
    word = "pending"
    if isinstance(given, str):
        text = given
    elif isinstance(given, Mapping):
        text = next((given[key] for key in _TEXTS if isinstance(given.get(key), str)), "")
        word = str(given.get("status") or given.get("state") or word)
    elif isinstance(given, Sequence) and len(given) == 2:
        text, word = str(given[0]), str(given[1])
    else:
        text = getattr(given, "step", None) or getattr(given, "content", None) or ""
        word = str(getattr(given, "status", None) or word)
    if not text or not isinstance(text, str):
        raise ValueError("an item of a plan has a text: content, step or text")
    state = STATES.get(word.lower())
    return Item(text, state or "planned", "" if state else word)


def replan(session: Any, items: Sequence[Any], actor: str, reason: str | None) -> list[str]:
    """Record a plan that is given whole.

    Args:
        session: a Session; its `listed` is what the last call left.
        items: n items as item() reads them.
        actor: who planned it.
        reason: why.

    Returns:
        n nodes. O(n) for what is worded as before.
    """
    after = [item(given) for given in items]
    nodes = [node for node, _ in session.listed]
    before = [Entry(session.nodes[node].text, _state(session, node) == "succeeded") for node in nodes]
    found = diff(before, [Entry(one.text, one.state == "succeeded") for one in after])
    told = {"reason": reason} if reason else {}
    for place in found.removed:
        # taking a finished item off the list is bookkeeping
        if found.change in ("edited", "replaced") and _state(session, nodes[place]) not in (
            "succeeded",
            "removed",
        ):
            why = {"reason": "list_replaced"} if found.change == "replaced" else told
            text = session.nodes[nodes[place]].text
            session.revise(nodes[place], op="remove", before=text, after=None, actor=actor, **why)
    if found.change in ("renewed", "replaced") and after:
        session.next_epoch()
    kept = {pair.after: pair for pair in found.pairs}
    result: list[str] = []
    for place, one in enumerate(after):
        pair = kept.get(place)
        if pair is None:
            result.append(session.plan(one.text, actor=actor, reason=reason))
            continue
        result.append(nodes[pair.before])
        if pair.score is not None:
            sure: dict[str, Any] = {} if pair.score >= CERTAIN else {"evidence": "inferred"}
            old = session.nodes[nodes[pair.before]].text
            session.revise(result[-1], op="rename", before=old, after=one.text, actor=actor, **told, **sure)
    if found.reordered:
        order = [nodes[place] for place in sorted(pair.before for pair in found.pairs)]
        moved = [nodes[pair.before] for pair in found.pairs]
        session.revise(moved[0], op="reorder", before=order, after=moved, actor=actor, order=moved, **told)
    for node, one in zip(result, after, strict=True):
        _move(session, node, one, actor)
    session.listed = [(node, one.state) for node, one in zip(result, after, strict=True)]
    return result


def _state(session: Any, node: str) -> str:
    status: str = session.nodes[node].status
    return status


def _move(session: Any, node: str, one: Item, actor: str) -> None:
    """Record how the state of an item changed."""
    now = _state(session, node)
    more = {"native_status": one.native} if one.native else {}
    if one.state == now and not one.native:
        return
    if one.state == "removed":
        session.revise(node, op="remove", before=one.text, after=None, actor=actor)
    elif one.state == "running":
        if now != "running":
            session.start(node, actor=actor, payload=more)
    elif one.state in ("succeeded", "failed"):
        if now != one.state:
            session.stop(node, one.state, actor=actor, payload=more)
    elif now == "running":
        session.revise(node, op="pause", before="running", after=one.native or "planned", actor=actor, **more)
    elif now in ("succeeded", "failed", "removed"):
        session.revise(node, op="reopen", before=now, after=one.native or "planned", actor=actor, **more)
    elif more and session.nodes[node].native != one.native:
        session.revise(node, op="rescope", before="planned", after=one.native, actor=actor, **more)
    session.nodes[node].native = one.native

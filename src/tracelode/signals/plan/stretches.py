"""Which stretches of a session were done while an item of a plan was in progress?"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.signals.plan.board import At, Board, Node
from tracelode.signals.plan.keep import kept_of
from tracelode.signals.plan.kept import Kept

REFUSED = frozenset({"error", "nonzero", "denied", "interrupted"})
"""A call of a plan tool that ended so changed nothing."""
_WORK = frozenset({"tool", "subagent", "gui"})
_ASIDE = frozenset({("human", "steer"), ("automated", "1")})
"""A prompt that is a remark on the work at hand or a program's, not a new request."""


class Stretch(NamedTuple):
    """A half-open interval of a session's operations with the nodes in progress."""

    start: int
    """Place of the first operation."""
    stop: int
    """Place after the last operation."""
    nodes: tuple[Node, ...]
    """The latest started last; several share the work equally."""
    text: str
    """Wording of the latest one, redacted; "" where texts are not kept."""
    verb: str
    """Its closed verb, where its text is not kept."""


def calls_of(operation: Operation) -> Kept | None:
    """The call of a plan tool that an operation is, None where it is none or changed nothing."""
    if operation.kind != "plan" or operation.status in REFUSED:
        return None
    kept = kept_of(operation)
    return kept if kept.form in ("list", "create", "change") else None


def stretches(operations: Sequence[Operation]) -> list[Stretch]:
    """Where a node was in progress.

    Args:
        operations: the n operations of one session, in order.

    Returns:
        Stretches in order, apart, each of whole turns (a model operation and the tool calls it issued). A
        turn belongs to what is in progress at its first tool call that is no call of a plan tool. One
        without such a call belongs to what is in progress after it, so that the call that starts an item
        opens its stretch, or to what it ended. An item that no call ends goes on to the next prompt. O(n).

    Source:
        plan rules, E7 and E8; segmentation rules, plan.
    """
    starts, ends = _bounds(operations)
    if not starts:
        return []
    found: list[Stretch] = []
    reach = {o.fields["call"]: place for place, o in enumerate(operations) if "call" in o.fields}
    running: list[Node] = []
    start = last = 0
    before: tuple[Node, ...] = ()
    at_work: tuple[Node, ...] | None = None
    for place, operation in enumerate(operations):
        if place in ends:
            running = [node for node in running if node not in ends[place]]
        running += starts.get(place, ())
        if at_work is None and operation.kind in _WORK:
            at_work = tuple(running)
        last = max(last, reach.get(operation.fields.get("call") or operation.id, place))
        if last > place:
            continue
        after = tuple(running)
        # what a prompt ends is not in progress while the prompt is answered
        ended = before if operation.kind != "prompt" else ()
        held = (after or ended) if at_work is None else at_work
        if held:
            _add(found, start, place + 1, held)
        start, before, at_work = place + 1, after, None
    return found


def _bounds(operations: Sequence[Operation]) -> tuple[dict[int, list[Node]], dict[int, list[Node]]]:
    """Places where nodes begin and end to be in progress."""
    boards: dict[str, Board] = {}
    prompts: list[int] = []
    for place, operation in enumerate(operations):
        kept = calls_of(operation)
        if kept is not None:
            boards.setdefault(kept.list, Board()).apply(kept, At(place, operation.started))
        elif operation.kind == "prompt" and not _ASIDE.intersection(operation.fields.items()):
            prompts.append(place)
    starts: dict[int, list[Node]] = {}
    ends: dict[int, list[Node]] = {}
    for node in (node for board in boards.values() for node in board.nodes):
        for one in node.tries:
            stop = one.stop
            if stop is None or one.lost:
                later = bisect(prompts, one.seen)
                limit = prompts[later] if later < len(prompts) else len(operations)
                stop = limit if stop is None else min(stop, limit)
            if stop > one.start:
                starts.setdefault(one.start, []).append(node)
                ends.setdefault(stop, []).append(node)
    return starts, ends


def _add(found: list[Stretch], start: int, stop: int, nodes: tuple[Node, ...]) -> None:
    latest = nodes[-1]
    old = found[-1] if found else None
    if old is not None and old.stop == start and old.nodes == nodes:
        found[-1] = old._replace(stop=stop)
    else:
        found.append(Stretch(start, stop, nodes, latest.text, latest.verb))

"""Which steps come before which, over any number of edges?"""

from __future__ import annotations

from tracelode.model.workflow import Step


def reach(steps: tuple[Step, ...]) -> dict[str, frozenset[str]]:
    """Which steps must have ended before each: along hard edges, over any number of them.

    Args:
        steps: in any order.

    Returns:
        Slot to slots; on a cycle a step reaches itself.
    """
    direct = {s.slot: frozenset(s.after) for s in steps}
    found: dict[str, frozenset[str]] = {}
    for slot in direct:
        seen: set[str] = set()
        todo = list(direct[slot])
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo.extend(direct.get(at, ()))
        found[slot] = frozenset(seen)
    return found

"""Do the nodes of a session hang together? Unknown names, circles, chains and roots."""

from __future__ import annotations

from collections.abc import Iterator

from tracelode.model.plan import GOAL, PlanEvent
from tracelode.plan.circles import circles
from tracelode.plan.life import Story

Found = tuple[str, str, tuple[PlanEvent, ...], int]
"""Code, message, events, and how many could have it."""


def references(story: Story) -> Iterator[Found]:
    """What is off in parents and depends_on.

    Args:
        story: one session.

    Returns:
        (code, message, events, of how many).

    Source:
        plan rules, section 8, PT030 to PT032.
    """
    unknown = [e for e in story.events if _unknown(story, e)]
    if unknown:
        yield "PT030", "a parent or a dependency is no node of the session", tuple(unknown), len(story.events)
    for what, circle in (
        ("parents", _circle(story, parents=True)),
        ("depends_on", _circle(story, parents=False)),
    ):
        if circle:
            events = tuple(story.events[story.nodes[name].place] for name in circle)
            yield "PT030", f"{what} lead in a circle", events, len(story.nodes)
    if story.chain:
        chain = tuple(story.events[story.nodes[name].place] for name in story.chain)
        words = "each node's parent is the node planned before it: precedence, not hierarchy"
        yield "PT031", words, chain, len(story.plan)
    roots = [n for n in story.nodes.values() if n.planned is not None and n.parent is None]
    if len(roots) > 1:
        events = tuple(story.events[n.place] for n in roots)
        yield "PT032", "several nodes have no parent", events, len(story.nodes)


def _unknown(story: Story, event: PlanEvent) -> bool:
    """Nodes of other lists and calls above a sub-agent's goal stand outside the session by their form."""
    names = [*event.depends_on, *([event.parent_node_id] if event.parent_node_id else [])]
    return any(
        name not in story.nodes and name != GOAL and ":" not in name and not name.startswith("call/")
        for name in names
    )


def _circle(story: Story, *, parents: bool) -> list[str]:
    """Ids of nodes on a circle, the first one found."""
    before = {
        node.id: ((node.parent,) if node.parent else ()) if parents else node.after
        for node in story.nodes.values()
    }
    found = circles(before)
    first = min(found.values(), default=None)
    return [name for name in story.nodes if name in found and found[name] == first]

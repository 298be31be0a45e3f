"""Which nodes does a journal hold, and how did the search move from one to the next?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

STAGE = re.compile(r"stage_\d+")
"""Begins the folder of one stage of a run."""
MOVES = ("draft", "continue", "return_to_ancestor", "branch_switch", "restart", "replicate")
"""How a node follows the one before it."""
BACK = frozenset({"return_to_ancestor", "branch_switch"})
"""Moves that go back to something earlier."""


class Metric(msgspec.Struct):
    """What a program scored."""

    value: Any = None
    """A number, or per data set what later journals tell."""
    maximize: bool | None = None
    """Is more better?"""


class Node(msgspec.Struct):
    """One program of the search."""

    id: str | None = None
    """Own id."""
    step: int | None = None
    """Place in the journal from 0."""
    code: str | None = None
    """The program."""
    plan: str | None = None
    """What it is meant to do."""
    ctime: float | None = None
    """When it was made, seconds since the epoch."""
    parent_id: str | None = None
    """The node it changes, in later journals."""
    exec_time: float | None = None
    """Seconds it ran."""
    exc_type: str | None = None
    """Class of the exception it ended with."""
    term_out: Any = msgspec.field(name="_term_out", default=None)
    """What it printed."""
    analysis: str | None = None
    """What the model says of the result."""
    metric: Metric | None = None
    """Its score."""
    is_buggy: bool | None = None
    """Did it fail?"""
    is_seed_node: bool | None = None
    """Is it a copy of another node, run with another seed?"""
    is_seed_agg_node: bool | None = None
    """Does it only sum such copies up?"""


class Journal(msgspec.Struct):
    """The whole file."""

    nodes: list[Node] | None = None
    """Nodes in the order in which they were made."""
    node2parent: dict[str, str] | None = None
    """Node to the node it changes."""


def parents_of(journal: Journal) -> dict[str, str]:
    """Node to its parent, where that is a node of the journal.

    Args:
        journal: the file.
    """
    nodes = journal.nodes or []
    known = {node.id for node in nodes}
    told = {node.id: node.parent_id for node in nodes if node.id and node.parent_id}
    told |= journal.node2parent or {}
    return {n: p for n, p in told.items() if n in known and p in known and n != p and p is not None}


def moves_of(nodes: Sequence[Node], parents: Mapping[str, str]) -> list[str]:
    """How each node follows the one before it.

    Args:
        nodes: n nodes in order, each with an id.
        parents: node to its parent.

    Returns:
        n words of MOVES. A replicate is no move of the search: the node after it follows the one before it.
        Drafts are restarts once a node was changed.
    """
    found: list[str] = []
    before = ""
    changed = False
    for node in nodes:
        ident = node.id or ""
        parent = parents.get(ident)
        if node.is_seed_node or node.is_seed_agg_node:
            found.append("replicate")
            continue
        if parent is None:
            found.append("restart" if changed else "draft")
        elif parent == before or not before:
            found.append("continue")
        elif parent in _above(before, parents):
            found.append("return_to_ancestor")
        else:
            found.append("branch_switch")
        changed = changed or parent is not None
        before = ident
    return found


def _above(node: str, parents: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    at = parents.get(node)
    while at is not None and at not in found:
        found.add(at)
        at = parents.get(at)
    return found

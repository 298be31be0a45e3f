"""How does a profile become a tree, and what is too small to show?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tracelode.model.profile import Profile, Stack

FRACTION = 0.005
"""Nodes below this share of the total are folded, as in pprof."""


@dataclass
class Node:
    """A frame in its place."""

    stack: Stack
    """Frames from the root down to this one; () for the root of all."""
    flat: int = 0
    """Value of the stack itself."""
    cum: int = 0
    """Value of the stack and everything below."""
    children: list[Node] = field(default_factory=list)
    """Largest first."""
    folded: int = 0
    """For "(other n)": how many nodes it stands for."""
    merged: tuple[str, ...] = ()
    """For what merge() made: the frames side by side that it stands for, largest first."""
    told: bool = True
    """Does any operation in it tell the measure? Else its values mean unknown."""

    @property
    def values(self) -> tuple[int | None, int | None]:
        """Flat and cumulative value, None where unknown."""
        return (self.flat, self.cum) if self.told else (None, None)

    @property
    def frame(self) -> str:
        """The last frame."""
        return self.stack[-1] if self.stack else ""

    def walk(self) -> Iterator[Node]:
        """This node and all below, depth first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def build(profile: Profile) -> Node:
    """The tree of a profile's first measure.

    Args:
        profile: n stacks.

    Returns:
        The root of all; its cum is the total. O(n * depth) time.
    """
    root = Node(())
    nodes: dict[Stack, Node] = {(): root}
    below = profile.told_below()
    root.told = below is None or () in below
    for stack, flat, cum in profile.flat_cum():
        node = Node(stack, flat, cum, told=below is None or stack in below)
        nodes[stack] = node
        nodes[stack[:-1]].children.append(node)
        if len(stack) == 1:
            root.cum += cum
    for node in nodes.values():
        node.children.sort(key=lambda child: (-child.cum, child.stack))
    return root


def prune(root: Node, fraction: float | None, count: int | None) -> Node:
    """Fold what is too small into nodes named (other n).

    Args:
        root: what build() gave; left as it is.
        fraction: smallest share of the total that stays, None for FRACTION.
        count: at most so many nodes stay, None for all.

    Returns:
        A new tree with the same total.
    """
    least = abs(root.cum) * (FRACTION if fraction is None else fraction)
    # A parent is never smaller than its child and sorts before it: what stays is a tree.
    order = sorted((node for node in root.walk() if node.stack), key=lambda n: (-abs(n.cum), n.stack))
    stays = {node.stack for node in order[:count] if abs(node.cum) >= least}
    top = Node(root.stack, root.flat, root.cum, told=root.told)
    waiting = [(root, top)]
    while waiting:
        old, new = waiting.pop()
        small = [child for child in old.children if child.stack not in stays]
        if count is None and len(small) == 1 and not small[0].children:
            # One leaf takes no more room under its own name.
            stays.add(small.pop().stack)
        for child in old.children:
            if child.stack in stays:
                kept = Node(child.stack, child.flat, child.cum, told=child.told)
                new.children.append(kept)
                waiting.append((child, kept))
        if small:
            n = sum(1 for child in small for _ in child.walk())
            value = sum(child.cum for child in small)
            told = any(child.told for child in small)
            new.children.append(Node((*old.stack, f"(other {n:,})"), value, value, folded=n, told=told))
    return top


def beside(profile: Profile, root: Node) -> dict[Stack, list[int | None]]:
    """What all measures sum to at each node of a tree, everything below it counted.

    Args:
        profile: n stacks, m measures.
        root: a tree of it, pruned or not.

    Returns:
        m values by stack of a node; None where nothing in it tells a measure. O(n * depth * m) time.
    """
    found: dict[Stack, list[int | None]] = {}
    below = {node.stack: {child.frame: child for child in node.children} for node in root.walk()}
    folded = {node.stack: child for node in root.walk() for child in node.children if child.folded}
    for stack in profile.totals:
        told, node = profile.told(stack), root
        _into(found, node, told)
        for frame in stack:
            inner = below[node.stack].get(frame) or folded.get(node.stack)
            if inner is None:
                break
            node = inner
            _into(found, node, told)
            if node.folded:
                break
    return found


def _into(found: dict[Stack, list[int | None]], node: Node, told: Sequence[int | None]) -> None:
    sums = found.setdefault(node.stack, [None] * len(told))
    for place, value in enumerate(told):
        if value is not None:
            sums[place] = (sums[place] or 0) + value


def merge(root: Node, fits: Callable[[Node], bool]) -> Node:
    """Put siblings that are too small to be named into one node, so that they can be named together.

    Args:
        root: a tree; left as it is.
        fits: whether a node is large enough for one of its own.

    Returns:
        A new tree with the same total. What was put together has nothing below it.
    """
    top = Node(root.stack, root.flat, root.cum, told=root.told)
    waiting = [(root, top)]
    while waiting:
        old, new = waiting.pop()
        small = [child for child in old.children if not fits(child)]
        if small:
            # Two nodes of the rest side by side would be one too many.
            small = [child for child in old.children if child.folded or not fits(child)]
        rest = {child.stack for child in small}
        for child in old.children:
            if child.stack not in rest:
                kept = replace(child, children=[])
                new.children.append(kept)
                waiting.append((child, kept))
        if len(small) == 1:
            new.children.append(replace(small[0], children=[]))
        elif small:
            n = sum(node.folded or 1 for child in small for node in child.walk())
            value = sum(child.cum for child in small)
            made = Node((*old.stack, f"(other {n:,})"), value, value, folded=n)
            made.told = any(child.told for child in small)
            made.merged = tuple(child.frame for child in small)
            new.children.append(made)
    return top


@dataclass
class Around:
    """A frame with what stands above and below it, wherever it occurs."""

    flat: int = 0
    """Value of stacks that end in it."""
    cum: int = 0
    """Value of stacks it occurs in, each once."""
    callers: dict[str, int] = field(default_factory=dict)
    """Frame right above to value; "" where it is the root."""
    callees: dict[str, int] = field(default_factory=dict)
    """Frame right below to value."""
    told: bool = False
    """Does any operation in it tell the measure? Else its values mean unknown."""

    @property
    def values(self) -> tuple[int | None, int | None]:
        """Flat and cumulative value, None where unknown."""
        return (self.flat, self.cum) if self.told else (None, None)


def around(profile: Profile, frames: set[str], measure: int = 0) -> dict[str, Around]:
    """Callers and callees of frames.

    Args:
        profile: n stacks.
        frames: names.
        measure: place of the measure that is used.

    Returns:
        One entry per frame that occurs, in the order of frames' cumulative value, largest first.
    """
    found: dict[str, Around] = {}
    for stack in profile.totals:
        known = profile.told(stack)[measure]
        value = known or 0
        edges: set[tuple[str, str, bool]] = set()
        for place, frame in enumerate(stack):
            if frame not in frames:
                continue
            entry = found.setdefault(frame, Around())
            edges.add((frame, stack[place - 1] if place else "", True))
            if place + 1 < len(stack):
                edges.add((frame, stack[place + 1], False))
            else:
                entry.flat += value
        for frame in {frame for frame, _, _ in edges}:
            found[frame].cum += value
            found[frame].told |= known is not None
        for frame, other, above in edges:
            # A frame that recurs in one stack counts once per edge.
            side = found[frame].callers if above else found[frame].callees
            side[other] = side.get(other, 0) + value
    return dict(sorted(found.items(), key=lambda item: (-item[1].cum, item[0])))

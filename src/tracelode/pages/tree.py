"""How do stacks become a tree of bounded size? What is cut is summed and counted, never lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracelode.model.profile import Stack

NODES = 5_000
"""Frames of a page, at most."""


class Node:
    """A frame of the tree, or what is summed up of several."""

    __slots__ = ("children", "cut", "depth", "index", "name", "own", "parent", "rest", "score", "sums")

    def __init__(self, name: str, parent: Node | None, columns: int) -> None:
        self.name, self.parent = name, parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.children: dict[str, Node] = {}
        self.own: list[int | None] | None = None
        """Values of the stack that ends here, None where none does."""
        self.sums: list[int | None] = [None] * columns
        """Values of all stacks through it; None where all are unknown."""
        self.rest = 0
        """Frames that it stands for, 0 for a frame."""
        self.cut: Node | None = None
        """What is summed up below it."""
        self.score = 0.0
        """Largest share of the whole in any column that is seen."""
        self.index = -1
        """Its place in the file."""

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first; without recursion, stacks may be deep."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += node.children.values()


def _add(sums: list[int | None], values: Sequence[int | None]) -> None:
    for i, value in enumerate(values):
        if value is not None:
            sums[i] = value + (sums[i] or 0)


def build(
    rows: Sequence[tuple[Stack, Sequence[int | None]]], columns: int, seen: int, most: int
) -> list[Node]:
    """The tree in the order of the file: a frame comes before those below it.

    Args:
        rows: n stacks with one value a column.
        columns: values of a row.
        seen: the first so many columns decide what is kept: a frame that is large in one of them.
        most: frames kept; the others are summed up below their parent as one node.

    Returns:
        The root first. O(frames * log frames).
    """
    root = Node("all", None, columns)
    for stack, values in rows:
        node = root
        _add(node.sums, values)
        for frame in stack:
            below = node.children.get(frame)
            if below is None:
                below = node.children[frame] = Node(frame, node, columns)
            node = below
            _add(node.sums, values)
        node.own = list(values)
    nodes = list(root.walk())
    _score(nodes, root, seen)
    nodes.sort(key=lambda node: (-node.score, node.depth))
    # a parent is never smaller than its child and comes before it, so what is kept is a tree
    kept = {id(node) for node in nodes[: most + 1]}
    return _ordered(root, kept, columns)


def _score(nodes: list[Node], root: Node, seen: int) -> None:
    wholes = [abs(value or 0) for value in root.sums[:seen]]
    for node in nodes:
        node.score = max(
            (abs(value or 0) / whole for value, whole in zip(node.sums, wholes, strict=False) if whole),
            default=0.0,
        )
    for node in nodes:
        # signed or rounded sums could make a child larger than what is above it
        above = node.parent
        while above is not None and above.score < node.score:
            above.score = node.score
            above = above.parent


def _ordered(root: Node, kept: set[int], columns: int) -> list[Node]:
    found: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        node.index = len(found)
        found.append(node)
        if node.rest:
            continue
        small = [child for child in node.children.values() if id(child) not in kept]
        large = [child for _, child in sorted(node.children.items()) if id(child) in kept]
        if small:
            node.cut = _summed(node, small, columns)
            todo.append(node.cut)
        todo += reversed(large)
    return found


def _summed(node: Node, small: list[Node], columns: int) -> Node:
    frames = sum(1 for child in small for _ in child.walk())
    rest = Node(f"(other {frames:,})", node, columns)
    rest.rest = frames
    for child in small:
        _add(rest.sums, child.sums)
    rest.own = rest.sums
    return rest


def place(root: Node, stack: Stack) -> int | None:
    """Where a stack is found in a built tree.

    Args:
        root: of build().
        stack: frames, root to leaf.

    Returns:
        The place of its frame, or of the node it is summed up in; None where the tree has no such stack.
    """
    node = root
    for frame in stack:
        below = node.children.get(frame)
        if below is None:
            return None
        if below.index < 0:
            return None if node.cut is None else node.cut.index
        node = below
    return node.index

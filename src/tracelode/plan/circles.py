"""Which nodes wait for each other in a circle? Strongly connected parts, without recursion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def circles(before: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Nodes that lie on a circle.

    Args:
        before: node to what must come right before it; other names count for nothing.

    Returns:
        Node to the number of its circle: nodes of one number can all be reached from each other. O(nodes
        and edges).

    Source:
        Tarjan (1972), Depth-first search and linear graph algorithms.

    Example:
        >>> circles({"a": ["b"], "b": ["a"], "c": ["a"], "d": ["d"]})
        {'b': 0, 'a': 0, 'd': 1}
    """
    found: dict[str, int] = {}
    low: dict[str, int] = {}
    number: dict[str, int] = {}
    path: list[str] = []
    on: set[str] = set()
    for start in before:
        if start in number:
            continue
        waiting = [(start, iter(before[start]))]
        number[start] = low[start] = len(number)
        path.append(start)
        on.add(start)
        while waiting:
            name, rest = waiting[-1]
            other = next((o for o in rest if o in before), None)
            if other is None:
                waiting.pop()
                if waiting:
                    above = waiting[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == number[name]:
                    _part(name, path, on, before, found)
            elif other not in number:
                number[other] = low[other] = len(number)
                path.append(other)
                on.add(other)
                waiting.append((other, iter(before[other])))
            elif other in on:
                low[name] = min(low[name], number[other])
    return found


def _part(
    name: str, path: list[str], on: set[str], before: Mapping[str, Sequence[str]], found: dict[str, int]
) -> None:
    """Take the part that ends here off the path; alone it is a circle only if it waits for itself."""
    part: list[str] = []
    while not part or part[-1] != name:
        part.append(path.pop())
        on.discard(part[-1])
    if len(part) > 1 or name in before[name]:
        place = found[next(reversed(found))] + 1 if found else 0
        found.update(dict.fromkeys(part, place))

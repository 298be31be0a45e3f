"""Which dicts of a set of outputs are maps, whose keys are data? Their paths are generalised to {*}."""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.compile.paths import ANY_KEY, ANY_PLACE, Key, written
from tracelode.model.run import Tree

MANY = 8
"""Distinct keys beyond which a dict may be a map."""
SHARE = 0.5
"""Share of distinct keys among all keys seen, beyond which it is one."""
DICTS = 200
"""Dicts of one place that are looked at."""
ITEMS = 8
"""Elements of one list that are looked at."""


class Shape:
    """Where the maps are in the outputs of one tool.

    Args:
        outputs: of many runs, in an order of their own.

    Source:
        compiler rules, S0: a key is data where it is among the values of its own record, or where there are
        more than 8 keys over the runs and more than half of all keys seen are different ones.
    """

    def __init__(self, outputs: Iterable[Tree]) -> None:
        self.maps: frozenset[tuple[Key, ...]] = frozenset(_maps(list(outputs)))
        """Generalised places of the maps."""

    def general(self, keys: tuple[Key, ...]) -> str:
        """The generalised path of a place.

        Args:
            keys: dict keys and list places of one output.

        Returns:
            Text form, list places as [*] and keys of maps as {*}.

        Example:
            >>> Shape([{"cards": {"c1": {"id": "c1"}}}]).general(("cards", "c7", "id"))
            'cards.{*}.id'
        """
        if not self.maps:
            return written(tuple(ANY_PLACE if isinstance(key, int) else key for key in keys))
        at: tuple[Key, ...] = ()
        for key in keys:
            wide: Key = ANY_PLACE if isinstance(key, int) else ANY_KEY if at in self.maps else key
            at = (*at, wide)
        return written(at)


def _maps(outputs: list[Tree]) -> Iterable[tuple[Key, ...]]:
    waiting: list[tuple[tuple[Key, ...], list[Tree]]] = [((), outputs)]
    while waiting:
        at, values = waiting.pop()
        rows = [value for value in values if isinstance(value, dict) and value][:DICTS]
        items = [item for value in values if isinstance(value, list) for item in value[:ITEMS]]
        if items:
            waiting.append(((*at, ANY_PLACE), items[: DICTS * ITEMS]))
        if not rows:
            continue
        if _is_map(rows):
            yield at
            waiting.append(((*at, ANY_KEY), [inner for row in rows for inner in row.values()]))
            continue
        groups: dict[str, list[Tree]] = {}
        for row in rows:
            for key, inner in row.items():
                if type(inner) is dict or type(inner) is list:
                    groups.setdefault(key, []).append(inner)
        waiting.extend(((*at, key), group) for key, group in groups.items())


def _is_map(rows: list[dict[str, Tree]]) -> bool:
    seen = sum(map(len, rows))
    own = 0
    for row in rows:
        nested = [(key, inner) for key, inner in row.items() if type(inner) is dict]
        own += sum(key in inner.values() for key, inner in nested)
    if 2 * own > seen:
        return True
    distinct = len(set[str]().union(*rows))
    return len(rows) > 1 and distinct > MANY and distinct > SHARE * seen

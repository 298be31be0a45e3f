"""Which few groups of operations should be read, so that little is opened and little of a ranking is lost?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import ceil
from typing import Any, NamedTuple

from tracelode.errors import UsageError
from tracelode.model.ranking import Guide, Packet, Ranked, Ranking
from tracelode.profile.rank.collect import Known
from tracelode.profile.rank.controls import judged

GROUPS = 5
"""Groups opened where nothing else is asked for."""
BUDGET = 20_000
"""Tokens opened where nothing else is asked for."""
KEEP = 0.95
"""Part of what the budget could open that is enough: the rest would cost the most and tell the least."""
UNIT = 16
"""Tokens are counted in units of so many, rounded up: a budget is never passed."""
MOST_UNITS = 5_000
"""Units of a budget; above it they are made larger."""
_CANDIDATES = 200
_STEPS = 16


class Choice(NamedTuple):
    """A group that could be opened: its first operations, as deep as pays."""

    worth: tuple[float, ...]
    """What each of its n operations would tell, best first, each 0 or more."""
    tokens: tuple[int, ...]
    """What opening each of them would cost, 1 or more."""


class Opened(NamedTuple):
    """A group that is opened."""

    group: int
    """Its place among the candidates."""
    depth: int
    """How many of its operations, the first ones."""


def worth_of(place: int) -> float:
    """What the operation at a place of a ranking is worth.

    Args:
        place: 1-based.

    Returns:
        Its reciprocal: figures of rankings hang on the first places.
    """
    return 1.0 / place


def choose(groups: Sequence[Choice], most: int = GROUPS, budget: int = BUDGET) -> list[Opened]:
    """The groups to open, and how deep.

    Args:
        groups: n candidates.
        most: groups opened at most.
        budget: tokens opened at most.

    Returns:
        Chosen groups by place. Their tokens never sum to more than the budget. Of all choices of at most
        `most` groups that fit the worthiest is looked for, and then the cheapest one that is worth at least
        KEEP of it, so that a larger budget (up to UNIT * MOST_UNITS tokens) never opens less worth.
        O(n * most * budget / UNIT).

    Raises:
        UsageError: most below 1, or a budget below 1.

    Source:
        profile rules: guide; Sinha and Zoltners (1979), the multiple-choice knapsack problem.

    Example:
        >>> choose([Choice((1.0,), (100,)), Choice((0.9, 0.1), (10, 90)), Choice((0.5,), (10,))], 2, 50)
        [Opened(group=1, depth=1), Opened(group=2, depth=1)]
    """
    if most < 1 or budget < 1:
        raise UsageError("a guide opens at least one group and one token")
    order = sorted(range(len(groups)), key=lambda i: (-sum(groups[i].worth), i))[:_CANDIDATES]
    kept = sorted(i for i in order if groups[i].worth)
    total = sum(ceil(sum(groups[i].tokens) / UNIT) + len(groups[i].tokens) for i in kept)
    unit = UNIT * max(1, ceil(min(budget // UNIT, total) / MOST_UNITS))
    room = min(budget // unit, total)
    options = [_options(groups[i], unit, room) for i in kept]
    return [Opened(kept[g], depth) for g, depth in _knapsack(options, min(most, len(kept)), room)]


def _options(group: Choice, unit: int, room: int) -> list[tuple[int, int, float]]:
    """(depth, units, worth) of the depths to which a group can be opened: every one at first, then steps."""
    found: list[tuple[int, int, float]] = []
    tokens, worth, following = 0, 0.0, 1
    for depth, (cost, value) in enumerate(zip(group.tokens, group.worth, strict=True), 1):
        tokens, worth = tokens + cost, worth + value
        units = max(1, ceil(tokens / unit))
        if units > room:
            break
        if depth >= following or depth == len(group.tokens):
            found.append((depth, units, worth))
            following = depth + max(1, depth // _STEPS)
    return found


def _knapsack(groups: Sequence[list[tuple[int, int, float]]], most: int, room: int) -> list[tuple[int, int]]:
    import numpy as np

    best: Any = np.zeros((most + 1, room + 1))
    took: Any = np.zeros((len(groups), most + 1, room + 1), dtype=np.int16)
    for g, options in enumerate(groups):
        for k in range(most, 0, -1):
            for number, (_, units, worth) in enumerate(options, 1):
                with_it = best[k - 1, : room + 1 - units] + worth
                better = with_it > best[k, units:] + 1e-12
                took[g, k, units:][better] = number
                best[k, units:][better] = with_it[better]
    if not best[most, room] > 0:
        return []
    left = int(np.argmax(best[most] >= KEEP * best[most, room]))
    k, chosen = most, []
    for g in range(len(groups) - 1, -1, -1):
        number = int(took[g, k, left]) if k else 0
        if number:
            depth, units, _ = groups[g][number - 1]
            chosen.append((g, depth))
            left, k = left - units, k - 1
    return sorted(chosen)


def reader(scores: Sequence[float], opened: Collection[int]) -> list[float]:
    """The order of a reader who follows a ranking but has opened a part of the operations alone.

    Args:
        scores: n scores of the ranking.
        opened: places of the operations that were opened.

    Returns:
        n scores: what was not opened is equal, and last.

    Source:
        profile rules: a reader is simulated offline by our own rank restricted to the opened operations.
    """
    held = set(opened)
    lowest = min(scores, default=0.0) - 1.0
    return [score if i in held else lowest for i, score in enumerate(scores)]


def grouped(keys: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    """Places by group.

    Args:
        keys: the group of each of n operations.

    Returns:
        Group to the places of its operations, in order.
    """
    found: dict[tuple[str, ...], list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return found


def guide(ranking: Ranking, most: int = GROUPS, budget: int = BUDGET, known: Sequence[Known] = ()) -> Guide:
    """The packets to read of a ranking.

    Args:
        ranking: operations, best first; those it does not hold are never opened.
        most: groups opened at most.
        budget: tokens opened at most.
        known: sessions with known faults, for what a reader keeps of the full order.

    Returns:
        At most `most` packets whose tokens never sum to more than the budget.

    Raises:
        UsageError: most below 1, or a budget below 1.

    Source:
        profile rules: guide.
    """
    groups = list(grouped(ranked.group for ranked in ranking.ranked).values())
    choices = [
        Choice(tuple(worth_of(i + 1) for i in g), tuple(ranking.ranked[i].tokens for i in g)) for g in groups
    ]
    chosen = choose(choices, most, budget) if groups else []
    whole = sum(worth_of(i + 1) for i in range(len(ranking.ranked)))
    packets = [_packet([ranking.ranked[i] for i in groups[g][:d]], choices[g], whole) for g, d in chosen]
    packets.sort(key=lambda packet: (-packet.worth, packet.group))
    opened = {(r.session, r.index) for packet in packets for r in packet.opened}
    return Guide(
        packets=tuple(packets),
        budget=budget,
        tokens=sum(packet.tokens for packet in packets),
        of=ranking.tokens,
        worth=sum(packet.worth for packet in packets),
        ranking=ranking,
        full=judged((k.scores, k.faults) for k in known),
        kept=judged((_read(k, opened), k.faults) for k in known),
    )


def _packet(opened: Sequence[Ranked], choice: Choice, whole: float) -> Packet:
    return Packet(
        group=opened[0].group,
        operations=len(opened),
        sessions=len({ranked.root or ranked.session for ranked in opened}),
        tokens=sum(ranked.tokens for ranked in opened),
        worth=sum(choice.worth[: len(opened)]) / whole,
        opened=tuple(opened),
    )


def _read(known: Known, opened: Collection[tuple[str, int]]) -> list[float]:
    held = [i for i, index in enumerate(known.indexes) if (known.session, index) in opened]
    return reader(known.scores, held)

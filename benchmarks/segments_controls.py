"""What do cuts score that know less than a segmenter: blind ones, random ones, and changes of one field?"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from segments_data import Session

from tracelode.model.operation import Operation
from tracelode.profile.score.assess import SIZES, b3_f1, best_window, boundary_f1, window_tallies
from tracelode.profile.score.partition import cuts, from_cuts
from tracelode.profile.score.permutation import scattered, shuffled
from tracelode.profile.score.tally import Tally, average, tally, total
from tracelode.signals.lexicon import load
from tracelode.signals.tools import tool_frame

DRAWS = 20
"""Draws of a control that draws lots; a session's tally is their mean."""
BEST_B3, BEST_BOUNDARY = "best window, B3", "best window, boundary"
"""The controls that every method is compared with."""
HELD_OUT = "window, framework held out"
"""The size is the best one of all other frameworks."""

Labels = Sequence[Hashable]


def truths(sessions: Sequence[Session]) -> list[Labels]:
    """The true partitions."""
    return [session.truth for session in sessions]


def scored(sessions: Sequence[Session], partitions: Sequence[Labels]) -> list[Tally]:
    """Tallies of one partition a session."""
    return [tally(labels, s.truth) for labels, s in zip(partitions, sessions, strict=True)]


def verb_class(operation: Operation) -> str:
    """The class that the phase rule looks at: verbs that compete as one block are one class."""
    verb = operation.fields["verb"]
    return "edit" if verb == "create" else load().verbs[verb].block or verb


FIELDS: dict[str, Callable[[Operation], Hashable]] = {
    "change of tool": lambda operation: operation.fields["tool"],
    "change of command": lambda o: tool_frame(o.fields["tool"], o.fields.get("command", "")),
    "change of class": verb_class,
}
"""Controls that cut wherever one field changes; the command is the tool, and for a shell its program too."""


def npmi(rows: Sequence[Sequence[Hashable]]) -> dict[tuple[Hashable, Hashable], float]:
    """Normalised pointwise mutual information of adjacent labels, over all rows, -1..1."""
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    left: Counter[Hashable] = Counter()
    right: Counter[Hashable] = Counter()
    for (a, b), count in pairs.items():
        left[a] += count
        right[b] += count
    whole = pairs.total()
    return {
        (a, b): math.log(count * whole / (left[a] * right[b])) / -math.log(count / whole)
        if count < whole
        else 1.0
        for (a, b), count in pairs.items()
    }


def recurrence(sessions: Sequence[Session]) -> list[Labels]:
    """Cuts between classes that follow each other less often than by chance.

    The table is made of the sessions at hand, without their labels.
    """
    rows = [[verb_class(operation) for operation in session.operations] for session in sessions]
    table = npmi(rows)
    return [
        from_cuts([i for i in range(1, len(row)) if table[row[i - 1], row[i]] < 0], len(row)) for row in rows
    ]


def drawn(
    sessions: Sequence[Session], draw: Callable[[int, random.Random], Labels], seed: str
) -> list[Tally]:
    """Mean tallies of a control that draws lots for each session, named by its place."""
    chance = random.Random(seed)
    return [
        average([tally(draw(place, chance), session.truth) for _ in range(DRAWS)])
        for place, session in enumerate(sessions)
    ]


def held_out(sessions: Sequence[Session]) -> tuple[list[Tally], dict[str, int]] | None:
    """Windows whose size was chosen on the other frameworks, None where there are none."""
    sizes = {}
    for framework in {session.framework for session in sessions}:
        others = [session.truth for session in sessions if session.framework != framework]
        if not others:
            return None
        sizes[framework] = best_window(others)
    found = [window_tallies([session.truth], sizes[session.framework])[0] for session in sessions]
    return found, dict(sorted(sizes.items()))


def best(sessions: Sequence[Session]) -> dict[str, tuple[list[Tally], int]]:
    """The best windows of these sessions, by B3 and by boundary F1, with their sizes."""
    known = truths(sessions)
    sizes = {
        BEST_B3: best_window(known, b3_f1, SIZES),
        BEST_BOUNDARY: best_window(known, boundary_f1, SIZES),
    }
    return {name: (window_tallies(known, size), size) for name, size in sizes.items()}


def shuffles(sessions: Sequence[Session], partitions: Sequence[Labels], name: str, seed: int) -> list[Tally]:
    """A method's own groups in another order: what their number and lengths alone are worth."""
    return drawn(sessions, lambda place, chance: shuffled(partitions[place], chance), f"{seed} {name}")


def controls(sessions: Sequence[Session], seed: int) -> dict[str, list[Tally]]:
    """Every control of a set but those that look at the frameworks.

    Args:
        sessions: s sessions of one set.
        seed: of the random cuts.

    Returns:
        Name to s tallies.
    """
    known = truths(sessions)
    found = {
        "one group": window_tallies(known, max(map(len, known))),
        "every step its own group": window_tallies(known, 1),
    }
    found |= {f"window {size}": window_tallies(known, size) for size in SIZES}
    sums = total(found["one group"])
    pairs = sums.operations - sums.sessions
    rate = sums.true / pairs if pairs else 0.0
    found["random cuts, true rate"] = drawn(
        sessions, lambda place, chance: scattered(len(known[place]), rate, chance), f"{seed} random"
    )
    for name, field in FIELDS.items():
        rows = [[field(operation) for operation in session.operations] for session in sessions]
        # the runs, not the values: the same tool later on is another group
        found[name] = scored(sessions, [from_cuts(cuts(row), len(row)) for row in rows])
    found["recurrence, NPMI of classes"] = scored(sessions, recurrence(sessions))
    stored = [session.stored for session in sessions if session.stored is not None]
    if len(stored) == len(sessions):
        found["recurrence, as published"] = scored(sessions, stored)
    return found

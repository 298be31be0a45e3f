"""Which operations look wrong by themselves? Signals of ours, each with its words and its weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.profile.name.stage import is_evidence
from tracelode.signals.lexicon import load
from tracelode.signals.repeats import LOOPS, SORTS, Repeat, repeats

WEIGHTS: dict[str, float] = {
    "corrected": 8.0,
    "error": 6.0,
    "retry": 3.0,
    "redundant": 3.0,
    "rework": 3.0,
    "again": 2.0,
    "nonzero": 2.0,
    "deviation": 1.0,
}
"""Signal to what it adds to the log-odds of an operation. Set by hand, so that a correction or a failure
outweighs every place: no labelled set of this shape has texts to fit them on (MODEL_CARD.md)."""

WORDS: dict[str, str] = {
    "corrected": "a person stopped or corrected it",
    "error": "failed",
    "nonzero": "exit code other than 0",
    "deviation": "not the work its plan item names",
    **SORTS,
}
"""Signal to its words."""

_BESIDE = frozenset({"interrupt", "denial", "steer"})


class Signals(NamedTuple):
    """What the operations of one session show."""

    names: list[tuple[str, ...]]
    """Signals of each of n operations, the weightiest first."""
    repeats: list[Repeat]
    """What repeats what."""


def signals(operations: Sequence[Operation]) -> Signals:
    """The signals of each operation of a session.

    Args:
        operations: the n operations of one session in order.

    Returns:
        Keys of WEIGHTS for each; nothing but the session is looked at.

    Source:
        profile rules, ranking and reading: error, retry, loop, plan deviation, human correction.
    """
    lexicon = load()
    found: list[set[str]] = [set() for _ in operations]
    repeated = repeats(operations, lexicon)
    for repeat in repeated:
        if repeat.sort in ("retry", "rework") or (repeat.sort in LOOPS and repeat.same_result):
            found[repeat.place].add(repeat.sort)
    acted: int | None = None
    for i, operation in enumerate(operations):
        human = operation.fields.get("human")
        if operation.actor == "human":
            if human in _BESIDE and acted is not None:
                found[acted].add("corrected")
            continue
        acted = i
        if human in _BESIDE or operation.status in ("denied", "interrupted"):
            found[i].add("corrected")
        elif operation.status == "error" or "error" in operation.fields:
            found[i].add("error")
        elif operation.status == "nonzero":
            verb = lexicon.verbs.get(operation.fields.get("verb", ""))
            # grep without a hit ends so as well; what is exercised does not
            found[i].add("error" if verb is not None and verb.exercises else "nonzero")
        if not is_evidence(operation):
            continue
        declared, observed = operation.fields.get("stage_declared"), operation.fields.get("stage_observed")
        if declared and observed and declared.split(" ")[0] != observed.split(" ")[0]:
            found[i].add("deviation")
    order = sorted(WEIGHTS, key=lambda name: -WEIGHTS[name])
    return Signals([tuple(name for name in order if name in own) for own in found], repeated)

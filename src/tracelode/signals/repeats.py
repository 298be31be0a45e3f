"""What in a session repeats what? Retries, redundant reads, polls, rechecks, rework, and plain loops.

An action is a tool call: its tool and its input. It is looked for among the same tool's earlier actions:
equal ones anywhere in the session, near ones (likeness of at least NEAR) among the last WINDOW. What is found
is one of these, the first that fits:

    retry       the earlier one failed, and nothing was changed since but by other tries
    poll        it only looks, nothing was changed since, and it waits or its result is another than before
    redundant   it only looks, nothing was changed since, and its result is the same
    recheck     it looks or exercises, and something was changed since: ordinary work
    rework      it writes to a path that was written before, and something failed in between
    again       any other: the same action once more

Whether a call changes something is told by its verb's effect (signals.effects); an execution can change
anything, so only failed ones, tests and other checks leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from tracelode.model.operation import Operation
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.likeness import likeness

Sort = Literal["retry", "poll", "redundant", "recheck", "rework", "again"]
SORTS: dict[str, str] = {
    "retry": "tried again after a failure",
    "poll": "waited, or looked again with another result",
    "redundant": "looked again at what had not changed",
    "recheck": "checked again after a change",
    "rework": "wrote the same file again after a failure",
    "again": "did the same once more",
}
"""Sort of repeat to its words."""
LOOPS = frozenset({"retry", "redundant", "again"})
"""Sorts that can go round in circles; a poll waits, a recheck and a rework follow from something new."""

NEAR = 0.9
"""Likeness from which two actions, or two results, are nearly equal."""
WINDOW = 4
"""The same tool's last actions among which a near one is looked for."""

_KINDS = frozenset({"tool", "subagent", "gui"})
_FAILED = frozenset({"error", "nonzero", "denied"})
_CHANGES = frozenset({"write", "network", "execute"})
_STEADY = frozenset({"test", "lint", "verify", "check", "request", "inspectpr", "research", "navigate"})
"""Verbs whose effect reaches out or executes, and that leave what was read as it is."""
_LOOKS = frozenset({"read", "none"})


class Repeat(NamedTuple):
    """One action that repeats an earlier one."""

    place: int
    """Place of the action in the operations given."""
    of: int
    """Place of the latest earlier action it repeats."""
    sort: Sort
    """What sort of repeat."""
    likeness: float
    """Of the two actions, 0..1; of a rework 0 where only the path is the same."""
    same_result: bool
    """Whether the two results are equal or nearly so."""


class _Seen(NamedTuple):
    place: int
    action: str
    change: int
    """Changes before it, its own left out."""
    failures: int
    """Failed operations up to it."""


def action_text(operation: Operation) -> str:
    """The input of an action as it is compared.

    Args:
        operation: a tool call.

    Returns:
        The command or else the input; the path where neither was kept.
    """
    return operation.fields.get("command") or operation.arguments or operation.fields.get("path", "")


def acts(operation: Operation) -> bool:
    """Is an operation an action that can repeat another one?

    Args:
        operation: any operation; plan tools and those of another session's are none.
    """
    return operation.kind in _KINDS and not operation.inherited


def failed(operation: Operation) -> bool:
    """Did an action fail, as far as its record or an error class in its result tells?

    Args:
        operation: any operation.
    """
    return operation.status in _FAILED or "error" in operation.fields


def repeats(operations: Sequence[Operation], lexicon: Lexicon | None = None) -> list[Repeat]:
    """What repeats what in one session.

    Args:
        operations: the n operations of one session in order, verbs set as an import sets them.
        lexicon: the words; None for the built-in ones.

    Returns:
        Repeats by place, at most one for each action; only a session's own actions count. Pure.
        O(n * WINDOW) time in texts of bounded length, O(n) memory.

    Source:
        compiler rules, S3 denoise (retry, poll, redundant); profile rules, loops; plan rules: retry against
        rework.
    """
    lexicon = lexicon or load()
    equal: dict[tuple[str, str], _Seen] = {}
    recent: dict[str, list[_Seen]] = {}
    written: dict[str, _Seen] = {}
    found: list[Repeat] = []
    changes = failures = 0
    for place, operation in enumerate(operations):
        if not acts(operation):
            continue
        tool = operation.fields.get("tool") or operation.name
        action = action_text(operation)
        effect, steady = _effect(operation, lexicon)
        earlier, alike = _earlier(tool, action, equal, recent)
        path = operation.fields.get("path", "") if effect == "write" else ""
        if earlier is not None:
            before = operations[earlier.place]
            same = same_result(before, operation)
            waits = operation.fields.get("verb") == "wait"
            unchanged = changes == earlier.change
            sort = sort_of(effect in _LOOKS or steady, same and not waits, failed(before), unchanged)
            # the same words for another file's worth of text: a writer goes on, it does not repeat
            if sort == "again" and path in written and failures > written[path].failures:
                sort = "rework"
            found.append(Repeat(place, earlier.place, sort, alike, same))
        elif path in written and failures > written[path].failures:
            first = written[path].place
            found.append(Repeat(place, first, "rework", 0.0, same_result(operations[first], operation)))
        bad = failed(operation)
        failures += bad
        seen = _Seen(place, action, changes, failures)
        equal[tool, action] = seen
        recent[tool] = [*recent.get(tool, ())[-WINDOW + 1 :], seen]
        if path:
            written[path] = seen
        # what failed is taken to have changed nothing, else no retry could be told from a recheck
        changes += effect in _CHANGES and not steady and not bad
    return found


def same_result(one: Operation, other: Operation) -> bool:
    """Did two actions end alike, with equal or nearly equal results?

    Args:
        one: an action.
        other: another one.
    """
    return failed(one) == failed(other) and likeness(one.output, other.output, NEAR) >= NEAR


def _effect(operation: Operation, lexicon: Lexicon) -> tuple[str, bool]:
    verb = operation.fields.get("verb", "use")
    known = lexicon.verbs.get(verb)
    return ("execute" if known is None else known.effect), verb in _STEADY


def _earlier(
    tool: str,
    action: str,
    equal: dict[tuple[str, str], _Seen],
    recent: dict[str, list[_Seen]],
) -> tuple[_Seen | None, float]:
    """The latest action that is equal or, without one, the latest that is near."""
    found = equal.get((tool, action))
    if found is not None:
        return found, 1.0
    for seen in reversed(recent.get(tool, ())):
        alike = likeness(seen.action, action, NEAR)
        if alike >= NEAR:
            return seen, alike
    return None, 0.0


def sort_of(looks: bool, same: bool, failed_before: bool, unchanged: bool) -> Sort:
    """What sort of repeat is an action that was done before? The compiler's denoising asks the same.

    Args:
        looks: it only looks, or exercises.
        same: its result is the same as before.
        failed_before: the earlier one failed.
        unchanged: nothing that it could depend on was changed since.

    Returns:
        retry, again, recheck, redundant or poll.

    Source:
        compiler rules, S3 denoise.

    Example:
        >>> sort_of(looks=True, same=True, failed_before=False, unchanged=True)
        'redundant'
    """
    if failed_before and unchanged:
        return "retry"
    if not looks:
        return "again"
    if not unchanged:
        return "recheck"
    return "redundant" if same else "poll"


def chains(found: Iterable[Repeat]) -> list[list[Repeat]]:
    """Repeats that follow each other: each of a chain repeats the one before.

    Args:
        found: repeats of one session, by place.

    Returns:
        Chains by their first repeat; every repeat lies in one.

    Example:
        >>> found = [Repeat(place, of, "again", 1.0, True) for place, of in ((2, 0), (3, 1), (5, 2))]
        >>> [len(chain) for chain in chains(found)]
        [2, 1]
    """
    by_last: dict[int, list[Repeat]] = {}
    order: list[list[Repeat]] = []
    for repeat in found:
        chain = by_last.pop(repeat.of, None)
        if chain is None:
            chain = []
            order.append(chain)
        chain.append(repeat)
        by_last[repeat.place] = chain
    return order

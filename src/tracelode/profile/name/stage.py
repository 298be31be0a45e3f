"""What is a segment called? A pure function of its operations and the three before them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tracelode.model.operation import Operation
from tracelode.profile.name.facts import Fact, facts, operation_facts
from tracelode.profile.name.grammar import check
from tracelode.profile.name.trouble import diagnosis, fix
from tracelode.profile.name.work import carried, every_name
from tracelode.signals.lexicon import Lexicon, load

__all__ = ["CONTEXT", "is_evidence", "name_facts", "operation_facts", "segment_verb", "stage", "vocabulary"]

CONTEXT = 3
"""Operations before a segment that are looked at."""
EVIDENCE_KINDS = frozenset({"tool", "subagent", "plan", "gui"})
"""Kinds of operations that say what a segment does."""


def is_evidence(operation: Operation) -> bool:
    """Does an operation say what its segment does?

    Args:
        operation: any operation.

    Returns:
        True for a tool call; prompts, answers and notes take the segment they fall in.
    """
    return operation.kind in EVIDENCE_KINDS and bool(operation.fields.get("tool") or operation.name)


def stage(operations: Sequence[Operation], before: Sequence[Operation] = ()) -> str:
    """The stage name of a segment.

    Args:
        operations: the segment's operations, in order.
        before: operations ahead of it, in order; only the last three tool calls are looked at.

    Returns:
        A name of vocabulary(); the same for the same arguments, whatever else the session holds.

    Raises:
        ModelError: the name lies outside the vocabulary (a defect of the lexicon).

    Source:
        naming rules, steps 2 and 3; decision 0024.
    """
    seen = [operation for operation in operations if is_evidence(operation)]
    if not seen:
        return str(load().stages["no_tool"])
    rows, ahead = facts(seen, [operation for operation in before if is_evidence(operation)][-CONTEXT:])
    return check(name_facts(rows, ahead), vocabulary())


def segment_verb(verbs: Iterable[str], lexicon: Lexicon | None = None) -> str:
    """The verb of several operations: the one with the largest summed salience.

    Args:
        verbs: one closed verb per operation.
        lexicon: the words; None for the built-in ones.

    Returns:
        A closed verb. Verbs of one block (look, page) compete together, the largest member names the block;
        edit goes before create on ties, other ties by name.

    Source:
        naming rules, step 2.

    Example:
        >>> segment_verb(["explore", "explore", "search", "edit"]), segment_verb(["create", "edit"])
        ('explore', 'edit')
    """
    known = (lexicon or load()).verbs
    single: dict[str, float] = {}
    for verb in verbs:
        if verb in known:
            single[verb] = single.get(verb, 0.0) + known[verb].salience
    if not single:
        return "use"
    pooled: dict[str, float] = {}
    for verb, weight in single.items():
        block = known[verb].block or verb
        pooled[block] = pooled.get(block, 0.0) + weight
    # sums of decimal weights differ in the last bit with their order: compare rounded
    winner = min(pooled, key=lambda block: (-round(pooled[block], 6), block))
    if winner == "create" and single.get("edit", 0.0) >= single["create"]:
        return "edit"
    members = [verb for verb in single if (known[verb].block or verb) == winner]
    return min(members, key=lambda verb: (-round(single[verb], 6), verb))


def name_facts(rows: Sequence[Fact], ahead: Sequence[Fact] = ()) -> str:
    """The stage name from facts alone.

    Args:
        rows: one fact per tool call of the segment, at least one.
        ahead: up to three facts before it.

    Returns:
        A stage name.
    """
    return fix(rows, ahead) or diagnosis(rows, ahead) or carried(rows)


@cache
def vocabulary() -> frozenset[str]:
    """The closed set of stage names.

    Returns:
        Every name that stage() can give.

    Source:
        naming rules, step 3; decision 0024.
    """
    lexicon = load()
    words = lexicon.stages
    names = {words["no_tool"], *every_name()}
    causes = (*words["fixes"].values(), *words["fixable"], words["fix_else"])
    names.update(f"fix {cause}" for cause in causes)
    names.update(f"diagnose {cause}" for cause in (*lexicon.error_classes, words["diagnose_else"]))
    return frozenset(names)

"""What is a segment called? A pure function of its operations and the three before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from tracelode.model.operation import Operation
from tracelode.profile.name.grammar import check
from tracelode.signals.enrich import enrich
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.paths import OTHER
from tracelode.signals.shell import reading
from tracelode.signals.tools import is_shell

CONTEXT = 3
"""Operations before a segment that are looked at."""
EVIDENCE_KINDS = frozenset({"tool", "subagent", "plan", "gui"})
"""Kinds of operations that say what a segment does."""

_FAILED = frozenset({"error", "nonzero"})
_MAJORITY, _PLURALITY = 0.5, 0.34
_FAILED_SHARE, _FAILED_COUNT = 0.5, 2
_BESET_SHARE, _BESET_COUNT = 0.25, 3


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
        naming rules, steps 2 and 3.
    """
    lexicon = load()
    seen = [operation for operation in operations if is_evidence(operation)]
    if not seen:
        return str(lexicon.stages["no_tool"])
    facts = [operation_facts(operation) for operation in seen]
    context = [operation_facts(operation) for operation in before if is_evidence(operation)][-CONTEXT:]
    name = name_facts(facts, context, lambda: _is_program(seen, lexicon))
    return check(name, vocabulary())


Facts = tuple[str, str, bool, str]
"""Verb, role ("" for none), failed, error class ("" for none)."""


def operation_facts(operation: Operation) -> Facts:
    """What naming needs to know of one tool call.

    Args:
        operation: a tool call; its verb, path_role and error are worked out if they are not set.

    Returns:
        (verb, role, failed, error class).
    """
    fields = operation.fields
    if "verb" not in fields:
        fields = dict(fields)
        enrich(
            fields, kind=operation.kind, status=operation.status, name=operation.name, output=operation.output
        )
    error = fields.get("error", "")
    return (
        fields.get("verb", "use"),
        fields.get("path_role", ""),
        bool(error) or operation.status in _FAILED,
        error,
    )


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


def name_facts(
    facts: Sequence[Facts], context: Sequence[Facts], is_program: Callable[[], bool] | None = None
) -> str:
    """The stage name from facts alone.

    Args:
        facts: one row per tool call of the segment, at least one.
        context: up to three rows before it.
        is_program: called where the verb is run; tells a compiled program from a script.

    Returns:
        A stage name.
    """
    lexicon = load()
    words = lexicon.stages
    verb = segment_verb((row[0] for row in facts), lexicon)
    ahead = _last_failure(context, lexicon)
    if verb == "edit":
        cause = ahead or _failure_inside(facts, lexicon)
        if cause is not None:
            return f"fix {words['fixes'].get(cause[0]) or cause[3] or words['fix_else']}"
    looks = lexicon.verbs[verb].block == "look"
    if looks and ahead is not None:
        return f"diagnose {ahead[3] or words['diagnose_else']}"
    if looks or verb == "run":
        failed = [row for row in facts if row[2]]
        if len(failed) >= _FAILED_COUNT and len(failed) >= _FAILED_SHARE * len(facts):
            return f"diagnose {_commonest(row[3] for row in failed) or words['diagnose_else']}"
    if looks or verb in words["beset"].split():
        besetting = _besetting(facts)
        if besetting:
            return f"diagnose {besetting}"
    if verb == "fix":
        return f"fix {words['fix_else']}"
    if verb == "diagnose":
        return f"diagnose {(ahead[3] if ahead else '') or words['diagnose_else']}"
    if verb == "run" and is_program is not None and is_program():
        return str(words["program"])
    return lexicon.verbs[verb].stage or f"{verb} {_role(verb, facts, lexicon)}"


@cache
def vocabulary() -> frozenset[str]:
    """The closed set of stage names.

    Returns:
        Every name that stage() can give.

    Source:
        naming rules, step 3.
    """
    lexicon = load()
    words = lexicon.stages
    names = {words["no_tool"], words["program"]}
    roles = (*lexicon.role_names, words["role_else"], "code")
    for verb in lexicon.verbs.values():
        if verb.stage:
            names.add(verb.stage)
        elif verb.name not in ("fix", "diagnose"):
            names.update(f"{verb.name} {role}" for role in roles)
    causes = (*words["fixes"].values(), *lexicon.error_classes, words["fix_else"])
    names.update(f"fix {cause}" for cause in causes)
    names.update(f"diagnose {cause}" for cause in (*lexicon.error_classes, words["diagnose_else"]))
    return frozenset(names)


def _last_failure(context: Sequence[Facts], lexicon: Lexicon) -> Facts | None:
    """The last exercising operation among those before, if it failed."""
    for row in reversed(context):
        known = lexicon.verbs.get(row[0])
        if known is not None and known.exercises:
            return row if row[2] else None
    return None


def _failure_inside(facts: Sequence[Facts], lexicon: Lexicon) -> Facts | None:
    inside = lexicon.stages["inside"].split()
    return next((row for row in reversed(facts) if row[2] and row[0] in inside), None)


def _besetting(facts: Sequence[Facts]) -> str:
    """The error class that a segment runs into again and again, "" for none."""
    cause = _commonest(row[3] for row in facts)
    times = sum(row[3] == cause for row in facts) if cause else 0
    return cause if times >= _BESET_COUNT and times >= _BESET_SHARE * len(facts) else ""


def _commonest(values: Iterable[str]) -> str:
    counts = Counter(value for value in values if value)
    return min(counts, key=lambda value: (-counts[value], value), default="")


def _role(verb: str, facts: Sequence[Facts], lexicon: Lexicon) -> str:
    """The role that most paths of the segment's own verb have."""
    own = [row for row in facts if row[0] == verb and row[1]] or [row for row in facts if row[1]]
    roles = [row[1] for row in own]
    counts = Counter(role for role in roles if role != OTHER)
    if counts:
        order = {role: place for place, role in enumerate(lexicon.role_names)}
        best = min(counts, key=lambda role: (-counts[role], order.get(role, 99), role))
        if counts[best] >= _PLURALITY * len(roles):
            return best
    return "code" if verb in lexicon.stages["code_else"].split() else str(lexicon.stages["role_else"])


def _is_program(operations: Sequence[Operation], lexicon: Lexicon) -> bool:
    """Do most runs start a program that is no script?"""
    scripts = programs = 0
    for operation in operations:
        command = operation.fields.get("command", "")
        if not command or not is_shell(operation.fields.get("tool") or operation.name, lexicon):
            continue
        call = reading(command, lexicon)
        if call.script:
            scripts += 1
        elif call.verb == "run":
            programs += 1
    return programs > scripts

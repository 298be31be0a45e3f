"""When is something not compiled, and what would change that? One function for each rule, R1 to R13."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from tracelode.compile.masked import masked
from tracelode.compile.opposites import PAIRS
from tracelode.compile.reach import reach
from tracelode.compile.unsure import unsure
from tracelode.compile.unwritable import unwritable
from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Argument, Refusal, Step
from tracelode.redact.private import private

LOOSE, EXACT, FEWEST, DISTINCT = 0.4, 0.95, 3, 2
"""Share of steps that may be residual, of bound write arguments that must replay; runs; distinct copies."""

STRICT = frozenset(("destructive", "external_send", "append", "unknown"))
"""Effects whose every argument must be proven or given."""

WHOLE = frozenset(("R2", "R3", "R6", "R10", "R12", "R13"))
"""Rules that refuse the intent and no single step."""


@dataclass(frozen=True)
class Draft:
    """What the rules look at."""

    work: Work
    """The intent, all passes before done."""
    steps: tuple[Step, ...]
    """Steps in the order that was seen."""
    secret: Callable[[str], bool]
    """Does a text look like a secret?"""
    schemas: Mapping[str, str]
    """Tool to the digest of the schema that it has now, where that was declared."""


def refusals(draft: Draft) -> tuple[Refusal, ...]:
    """All refusals of a draft.

    Args:
        draft: steps and the work behind them.

    Returns:
        By rule, then by step.

    Source:
        compiler specification, section 6.
    """
    return tuple(refusal for rule in RULES for refusal in rule(draft))


def _unproven_write(draft: Draft) -> Iterator[Refusal]:
    for step in draft.steps:
        if step.effect.effect not in STRICT:
            continue
        for argument in step.arguments:
            if argument.proof in ("none", "suspected") and not isinstance(argument.binding, b.Unsourced):
                what = "has no rule" if argument.proof == "none" else "has a source that is only plausible"
                yield Refusal(
                    code="R1",
                    message=f"{step.tool} {_does(step)}, and its argument {argument.path} {what}",
                    lifts=_lift(argument),
                    slot=step.slot,
                    arg=argument.path,
                )


def _does(step: Step) -> str:
    words = {"destructive": "destroys", "external_send": "sends something out", "append": "adds something"}
    return words.get(step.effect.effect, "may change something (nobody declared its effect)")


def _lift(argument: Argument) -> str:
    if isinstance(argument.binding, b.Choose):
        return (
            "runs in which one rule picks the element (the same place, a field of it, a value that was asked)"
        )
    return (
        "a request that names the value, or runs in which it comes from one earlier output in at least 85 %"
    )


def _opposing(draft: Draft) -> Iterator[Refusal]:
    tools = sorted({s.tool for s in draft.steps if s.effect.writes})
    for number, one in enumerate(tools):
        for other in tools[number + 1 :]:
            if opposed(one, other) and not _together(draft, one, other):
                yield Refusal(
                    code="R2",
                    message=f"some runs call {one} and others {other}: they undo each other",
                    lifts="separate tasks for the two, or a value in the request that tells which was meant",
                )


def opposed(one: str, other: str) -> bool:
    """Do two tools undo each other: opposing verbs, the same other words?

    Args:
        one: tool name.
        other: tool name.

    Example:
        >>> opposed("add_song_to_playlist", "remove_song_from_playlist"), opposed("addTask", "deleteTask")
        (True, True)
        >>> opposed("create_event", "delete_file")
        False
    """
    first, second = _words(one), _words(other)
    for verb, counter in PAIRS:
        for a, z in ((verb, counter), (counter, verb)):
            if a in first and z in second:
                rest = (set(first) - {a} - _SMALL) ^ (set(second) - {z} - _SMALL)
                if not rest:
                    return True
    return False


_SMALL = frozenset(("to", "from", "in", "on", "of", "for", "a", "the", "into", "at", "by"))


def _words(tool: str) -> list[str]:
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", tool)]


def _together(draft: Draft, one: str, other: str) -> bool:
    """Do all runs that call one of two tools call both?"""
    for run in draft.work.runs:
        names = {call.name for call in run.calls}
        if (one in names) != (other in names):
            return False
    return True


def _too_few(draft: Draft) -> Iterator[Refusal]:
    count = len(draft.work.runs)
    if count < FEWEST:
        yield Refusal(
            code="R3",
            message=f"{count} of the runs may be learned from; {FEWEST} are needed{_once(draft.work)}",
            lifts=f"{FEWEST - count} more successful runs, or tracelode outcome set for runs that succeeded",
        )


def _once(work: Work) -> str:
    """What counts once, in words."""
    told = ((work.forks, "a fork", "forks"), (work.copies, "a copy", "copies"))
    parts = [f"{n:,} of them {one if n == 1 else many} of another" for n, one, many in told if n]
    return f" ({', '.join(parts)}, counted once)" if parts else ""


def _same_id(draft: Draft) -> Iterator[Refusal]:
    """A copied identifier that never varied may as well be a constant."""
    distinct = {
        (e.after, e.arg): e.numbers.get("distinct") for e in draft.work.edges if e.kind == "data_hard"
    }
    for step in draft.steps:
        if not step.effect.writes:
            continue
        for argument in step.arguments:
            if argument.proof != "hard" or not argument.edges:
                continue
            count = next(
                (
                    n
                    for (slot, arg), n in distinct.items()
                    if slot == step.slot and _general(argument.path) == arg
                ),
                None,
            )
            if count is not None and count < DISTINCT:
                yield Refusal(
                    code="R3",
                    message=f"all runs pass the same {argument.path} to {step.tool}: copy or constant?",
                    lifts="a run with another value",
                    slot=step.slot,
                    arg=argument.path,
                )


def _guessed(draft: Draft) -> Iterator[Refusal]:
    """Writes that would be a guess, though each of their arguments has a rule."""
    yield from unsure(draft.work, draft.steps)


def _general(path: str) -> str:
    from tracelode.compile.paths import general, parsed

    return general(parsed(path))


def _from_nowhere(draft: Draft) -> Iterator[Refusal]:
    for step in draft.steps:
        for argument in step.arguments:
            if isinstance(argument.binding, b.Unsourced):
                yield Refusal(
                    code="R4",
                    message=f"{step.tool} was given an identifier as {argument.path} that came from nowhere",
                    lifts="runs in which the identifier is looked up first; here it may be made up",
                    slot=step.slot,
                    arg=argument.path,
                )


def _mostly_loose(draft: Draft) -> Iterator[Refusal]:
    loose = sum(any(b.residual(a.binding) for a in s.arguments) for s in draft.steps)
    if draft.steps and loose > LOOSE * len(draft.steps):
        yield Refusal(
            code="R6",
            message=f"{loose} of {len(draft.steps)} steps need a decision: that is not worth a workflow",
            lifts="more runs of the same kind; until then a written skill may serve better",
        )


def _not_json(draft: Draft) -> Iterator[Refusal]:
    """What was meant as JSON and is none was refused by its tool, or read in a way that is not known."""
    alignment = draft.work.alignment
    for step in draft.steps if alignment is not None else ():
        assert alignment is not None
        texts = [
            run.calls[place].arguments
            for n, run in enumerate(draft.work.runs)
            for place in alignment.calls(n, step.slot)
        ]
        bad = sum(isinstance(text, str) and text.lstrip().startswith(("{", "[")) for text in texts)
        if bad:
            yield Refusal(
                code="R1",
                message=f"{bad:,} of {len(texts):,} calls of {step.tool} have arguments that are no JSON",
                lifts="runs in which the arguments can be read",
                slot=step.slot,
            )


def _unordered(draft: Draft) -> Iterator[Refusal]:
    """Unknown effects are ordered as writes; only a configured effect can have taken the order away."""
    after = reach(draft.steps)
    for step in draft.steps:
        if step.effect.effect != "unknown":
            continue
        for other in draft.steps:
            if other.slot == step.slot or not other.effect.writes:
                continue
            if other.slot not in after[step.slot] and step.slot not in after[other.slot]:
                yield Refusal(
                    code="R7",
                    message=f"what {step.tool} changes is unknown; it has no order against {other.tool}",
                    lifts=f"an effect for {step.tool} in the configuration",
                    slot=step.slot,
                )
                break


def _secrets(draft: Draft) -> Iterator[Refusal]:
    for step in draft.steps:
        for argument in step.arguments:
            texts = list(_constants(argument.binding))
            if any(draft.secret(text) or private(argument.path, text) for text in texts):
                gone = any(masked(text) for text in texts)
                what = f"the constant {argument.path} of {step.tool}"
                yield Refusal(
                    code="R8",
                    message=f"{what} was redacted on import: its value is not known"
                    if gone
                    else f"{what} looks like a secret, or like a number of a card, an account or a person",
                    lifts=f"runs with the {'value' if gone else 'secret'} in the tool's own settings, "
                    "where arguments do not carry it",
                    slot=step.slot,
                    arg=argument.path,
                )


def _constants(binding: b.Binding) -> Iterator[str]:
    if isinstance(binding, (b.Constant, b.Default)):
        yield binding.value if isinstance(binding.value, str) else msgspec.json.encode(binding.value).decode()
    if isinstance(binding, b.Template):
        yield from (p for p in binding.parts if isinstance(p, str))
    for inner in b.children(binding):
        yield from _constants(inner)


def _unwritable(draft: Draft) -> Iterator[Refusal]:
    for step in draft.steps:
        for argument in step.arguments:
            if any(unwritable(value) for value in _values(argument.binding)):
                yield Refusal(
                    code="R1",
                    message=f"what the runs pass as {argument.path} of {step.tool} cannot be written as "
                    "JSON: half a character, or no finite number",
                    lifts="runs in which that argument is a whole text, or a finite number",
                    slot=step.slot,
                    arg=argument.path,
                )


def _values(binding: b.Binding) -> Iterator[Tree]:
    if isinstance(binding, (b.Constant, b.Default)):
        yield binding.value
    if isinstance(binding, b.Template):
        yield from (p for p in binding.parts if isinstance(p, str))
    for inner in b.children(binding):
        yield from _values(inner)


def _open_branch(draft: Draft) -> Iterator[Refusal]:
    for step in draft.steps:
        if step.slot in draft.work.undecided and step.effect.writes:
            yield Refusal(
                code="R9",
                message=f"only {step.support} of {len(draft.work.runs)} runs call {step.tool}: when?",
                lifts="two runs each with and without it that differ in a value seen before it",
                slot=step.slot,
            )


def _circle(draft: Draft) -> Iterator[Refusal]:
    on = sorted(slot for slot, before in reach(draft.steps).items() if slot in before)
    if on:
        yield Refusal(
            code="R10",
            message=f"the steps {', '.join(on[:6])} must each come before the other",
            lifts="runs that agree on one order; a step that is done twice may be two steps",
        )


def _schema(draft: Draft) -> Iterator[Refusal]:
    told: set[str] = set()
    for step in draft.steps:
        now = draft.schemas.get(step.tool)
        if now is not None and step.schema and now != step.schema and step.tool not in told:
            told.add(step.tool)
            yield Refusal(
                code="R11",
                message=f"the arguments that {step.tool} takes now are not those it took in the runs",
                lifts="runs with the tool as it is now",
                slot=step.slot,
            )


def _disagreeing(draft: Draft) -> Iterator[Refusal]:
    always = [s for s in draft.steps if s.effect.writes and s.support < len(draft.work.runs)]
    loose = [s for s in always if s.when is None and s.slot not in draft.work.undecided]
    if loose:
        yield Refusal(
            code="R12",
            message=f"runs do not agree on what is changed: {', '.join(sorted({s.tool for s in loose})[:4])}",
            lifts="an outcome for each run, or separate tasks",
        )


def _not_repeated(draft: Draft) -> Iterator[Refusal]:
    if draft.work.runs and all(len(run.calls) <= 1 for run in draft.work.runs):
        yield Refusal(
            code="R13",
            message="every run is a single call: there is nothing to compile",
            lifts="nothing; call the tool",
        )
    elif not draft.steps:
        yield Refusal(
            code="R13",
            message="the runs have no step in common",
            lifts="runs that repeat a task",
        )


RULES: tuple[Callable[[Draft], Iterator[Refusal]], ...] = (
    _not_repeated,
    _unproven_write,
    _opposing,
    _too_few,
    _same_id,
    _guessed,
    _from_nowhere,
    _mostly_loose,
    _unordered,
    _secrets,
    _unwritable,
    _not_json,
    _open_branch,
    _circle,
    _schema,
    _disagreeing,
)
"""In the order in which they are told; R5 is added by the verification."""

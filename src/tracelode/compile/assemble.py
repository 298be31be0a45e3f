"""How do bound slots become a workflow, a read-only beginning of one, or a refusal? The pass "compile"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b

import msgspec

from tracelode.compile.accounted import learned, repeated
from tracelode.compile.freshness import fresh
from tracelode.compile.invariants import Read, checks
from tracelode.compile.readback import getter
from tracelode.compile.refuse import WHOLE, Draft, refusals
from tracelode.compile.request import asks
from tracelode.compile.schemas import schema_digest
from tracelode.compile.sealing import digest
from tracelode.compile.unsure import lone
from tracelode.compile.work import Slot, Work
from tracelode.model import binding as b
from tracelode.model.run import Call
from tracelode.model.workflow import Effect, Guard, Refusal, Refused, Step, Test, Trust, Workflow
from tracelode.redact.private import unsaid

COMPILER = "1"
"""Version of the compiler: changes when results change."""
PROVEN = 5
"""Successful runs from which a workflow may act without being asked."""
_UNKNOWN = Effect("unknown", "default")


def assemble(work: Work) -> Work:
    """Make a workflow of an intent, or refuse.

    Args:
        work: after bind.

    Returns:
        The same with its verdict and refusals.

    Source:
        compiler specification, S9 and section 6.
    """
    steps = steps_of(work)
    found = refusals(Draft(work, steps, looks_secret, _schemas_now(work)))
    return replace(work, refusals=found, verdict=decided(work, steps, found))


def decided(work: Work, steps: tuple[Step, ...], found: tuple[Refusal, ...]) -> Workflow | Refused:
    """Workflow, partial workflow or refusal.

    Args:
        work: the intent.
        steps: all its steps.
        found: what speaks against it.

    Returns:
        Whole where nothing does; the read-only steps before the first refused one where only steps are
        refused; else a refusal.
    """
    refused = Refused(intent=work.intent.id, refusals=found, runs=len(work.runs))
    if any(r.code in WHOLE and not r.slot for r in found):
        return refused
    kept = prefix(steps, {r.slot for r in found if r.slot})
    if not kept:
        return refused
    counts = lone(work, kept)
    kept = tuple(msgspec.structs.replace(s, checks=(*s.checks, *counts.get(s.slot, ()))) for s in kept)
    slots = {s.slot for s in kept}
    names = {n for s in kept for a in s.arguments for n in b.inputs(a.binding)}
    names.update(n for s in kept if s.when for t in s.when.tests for n in _test_inputs(t))
    inputs = repeated((i for i in work.inputs if i.name in names), work.runs)
    edges = tuple(e for e in work.edges if e.before in slots and e.after in slots)
    every, some = asks([unsaid(run.request) for run in work.runs], inputs)
    made = Workflow(
        id="",
        name=work.intent.name,
        intent=work.intent.id,
        description=_described(kept),
        inputs=inputs,
        steps=kept,
        edges=edges,
        trust=trust(work),
        runs=len(work.runs),
        variants=len(work.alignment.variants) if work.alignment else 1,
        refusals=found,
        partial=len(kept) < len(steps),
        compiler=COMPILER,
        asks=every,
        says=some,
        words=learned(work.runs, inputs),
    )
    return sealed(made, (run.key for run in work.runs))


def sealed(workflow: Workflow, runs: Iterable[str]) -> Workflow:
    """The workflow with its id and digest.

    Args:
        workflow: without them.
        runs: session keys that it was learned from.
    """
    origin = "\0".join((workflow.intent, workflow.compiler, *sorted(runs)))
    named = msgspec.structs.replace(workflow, id="wf_" + blake2b(origin.encode(), digest_size=6).hexdigest())
    return msgspec.structs.replace(named, digest=digest(named))


def _test_inputs(test: Test) -> tuple[str, ...]:
    return b.inputs(test.left) + (b.inputs(test.right) if test.right is not None else ())


def prefix(steps: tuple[Step, ...], refused: set[str]) -> tuple[Step, ...]:
    """All steps, or the read-only ones before the first that is refused.

    Args:
        steps: in the order that was seen.
        refused: slots.

    Returns:
        Steps that hang on kept steps only.
    """
    if not refused:
        return steps
    kept: list[Step] = []
    for step in steps:
        if step.slot in refused:
            break
        if step.effect.writes:
            # what changes something is left to who goes on: the rest may not come to its end
            break
        if set(_needs(step)) <= {s.slot for s in kept}:
            kept.append(step)
    return tuple(kept)


def _needs(step: Step) -> tuple[str, ...]:
    found = set(step.after)
    for argument in step.arguments:
        found.update(b.producers(argument.binding))
    return tuple(sorted(found))


def steps_of(work: Work) -> tuple[Step, ...]:
    """The steps of an intent.

    Args:
        work: after bind.

    Returns:
        In the order that was seen; a read-only step of some runs without a rule is asked about.
    """
    alignment = work.alignment
    assert alignment is not None
    after: dict[str, set[str]] = {slot.name: set() for slot in alignment.slots}
    for edge in work.edges:
        if edge.hard and edge.before in after and edge.after in after:
            after[edge.after].add(edge.before)
    return tuple(_step(work, slot, place, after[slot.name]) for place, slot in enumerate(alignment.slots))


def _step(work: Work, slot: Slot, place: int, after: set[str]) -> Step:
    calls = _calls(work, slot.name)
    effect = work.effects.get(slot.name, _UNKNOWN)
    guard = work.guards.get(slot.name)
    if guard is None and slot.name in work.undecided:
        taken = len({run for run, _ in calls})
        guard = Guard((Test(b.Free(), "eq", b.Constant(True)),), taken, len(work.runs) - taken)
    arguments = work.bindings.get(slot.name, ())
    needed = after | {p for a in arguments if a.proof == "hard" for p in b.producers(a.binding)}
    return Step(
        slot=slot.name,
        tool=slot.tool,
        server=slot.server,
        arguments=arguments,
        effect=effect,
        after=tuple(sorted(needed)),
        order=place,
        when=guard,
        each=work.loops.get(slot.name),
        wait=work.waits.get(slot.name),
        retries=2 if not effect.writes or effect.idempotent else 0,
        checks=(
            *checks([call for _, call in calls], effect.writes, _used(work, slot.name)),
            *work.preconditions.get(slot.name, ()),
        ),
        fresh=fresh(work, slot.name, arguments),
        approval=bool(effect.refused or effect.allowed) or (effect.writes and effect.basis != "configured"),
        read_back=getter(work, slot.name) if effect.writes else "",
        schema=_schema(work, slot.tool),
        support=len({run for run, _ in calls}),
    )


def _calls(work: Work, slot: str) -> list[tuple[int, Call]]:
    alignment = work.alignment
    assert alignment is not None
    return [(n, run.calls[i]) for n, run in enumerate(work.runs) for i in alignment.calls(n, slot)]


def _used(work: Work, slot: str) -> Read:
    """What later steps read in the outputs of a step."""
    edges = [e for e in work.edges if e.before == slot and e.kind == "data_hard"]
    written = {e.gpath for e in edges if work.effects.get(e.after, _UNKNOWN).writes}
    picked = {
        (one.list, pick.field)
        for arguments in work.bindings.values()
        for argument in arguments
        for one in b.selections(argument.binding)
        if one.step == slot
        for pick in one.picks
        if not isinstance(pick, b.At)
    }
    return Read(tuple(sorted({e.gpath for e in edges})), tuple(sorted(written)), tuple(sorted(picked)))


def _schema(work: Work, tool: str) -> str:
    """Digest of the schema that most runs show, "" where none does."""
    seen: dict[str, int] = {}
    for run in work.runs:
        for spec in run.tools:
            if spec.name == tool and spec.parameters:
                mark = schema_digest(spec.parameters)
                seen[mark] = seen.get(mark, 0) + 1
    return min(seen, key=lambda d: (-seen[d], d), default="")


def _schemas_now(work: Work) -> dict[str, str]:
    return {
        name: schema_digest(spec.parameters) for name, spec in work.declared.tools.items() if spec.parameters
    }


def trust(work: Work) -> Trust:
    """How far a workflow of these runs may be trusted.

    Args:
        work: the intent.
    """
    if any(run.outcome != "success" for run in work.runs):
        return "unknown_outcome"
    return "proven" if len(work.runs) >= PROVEN else "provisional"


def _described(steps: tuple[Step, ...]) -> str:
    tools = list(dict.fromkeys(s.tool for s in steps))
    shown = ", ".join(tools[:6]) + (f" and {len(tools) - 6} more" if len(tools) > 6 else "")
    return f"Calls {shown}."


def looks_secret(text: str) -> bool:
    """Does a text look like a secret to the one redactor?

    Args:
        text: a constant.
    """
    from tracelode.redact.fast import redact_text

    # an address or a home folder is personal, and no secret; where a mark of the redactor stands, the value
    # itself is gone, and the mark must never be sent in its place
    return "[secret:" in redact_text(text) or "[email]" in text

"""What does each step change, and which steps must keep their order because of it?

The class of a tool: what the user configured; else what was observed or, without that, what the verb in its
name says; else unknown, which is a write. What a tool declares of itself is not trusted: it can make a class
stronger and so add order, never take order away. A tool of no known verb that declares itself a reader is
taken for one, but keeps the order of a writer. A look that uses up what it tells (consuming.py) is unknown.
Two steps keep their order where one writes and what they touch is the same or not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

import msgspec

from tracelode.compile.consuming import consumers
from tracelode.compile.resources import Touch, meeting, touches
from tracelode.compile.work import Declared, Work
from tracelode.model.evidence import Edge
from tracelode.model.run import Call, Run, ToolSpec
from tracelode.model.workflow import Effect, EffectClass
from tracelode.signals.arguments import argument_fields
from tracelode.signals.effects import strongest, tool_class
from tracelode.signals.tools import is_shell, operation_verb

Tool: TypeAlias = tuple[str, str]
"""Server and name."""

SEEN = 3
"""Calls that were seen to change nothing before an unknown tool counts as a reader."""
VARIED = 2
"""Different arguments among them."""


@dataclass
class _Seen:
    """How the calls of a tool fared under observation."""

    changed: int = 0
    still: int = 0
    arguments: set[str] = field(default_factory=set)


class Knowledge:
    """What is known of the effects of tools.

    Args:
        runs: all runs at hand; what was observed in any of them counts for the tool.
        declared: what tools and people say beforehand.
    """

    def __init__(self, runs: Iterable[Run], declared: Declared | None = None) -> None:
        self._declared = declared or Declared()
        self._seen: dict[Tool, _Seen] = {}
        self._specs: dict[str, ToolSpec] = dict(self._declared.tools)
        self._known: dict[tuple[str, str, str], Effect] = {}
        self._people: dict[tuple[str, str, str], dict[str, int]] = {}
        given = tuple(runs)
        for run in given:
            for spec in run.tools:
                self._specs.setdefault(spec.name, spec)
            for call in run.calls:
                self._observe(run, call)
                said = run.decisions.get(call.index)
                if said is not None:
                    counts = self._people.setdefault(_kind(call, _command(call)), {})
                    counts[said] = counts.get(said, 0) + 1
        self._consumers: set[Tool] = set()
        self._consumers = consumers(given, self._changed)
        self._known.clear()

    def _changed(self, run: Run, start: int, stop: int) -> bool:
        """May what a call tells have been written by the run itself after an earlier call?"""
        last = run.calls[stop]
        mine = [touches(last, self.of(last), run.effects.get(last.index, ()))]
        for call in run.calls[start + 1 : stop]:
            effect = self.of(call)
            touched = [touches(call, effect, run.effects.get(call.index, ()))]
            if effect.writes and not call.error and meeting(touched, mine) is not None:
                return True
        return False

    def _observe(self, run: Run, call: Call) -> None:
        # a host that was reached may have been asked only
        changed = any(not seen.startswith("host:") for seen in run.effects.get(call.index, ()))
        if not changed and not (run.observed and not call.error and not call.missing):
            return
        seen = self._seen.setdefault((call.server, call.name), _Seen())
        if changed:
            seen.changed += 1
        else:
            seen.still += 1
            if len(seen.arguments) < VARIED:
                seen.arguments.add(repr(call.arguments))

    def spec(self, call: Call) -> ToolSpec | None:
        """What the tool of a call says of itself, None where it says nothing.

        Args:
            call: of the tool.
        """
        return next((self._specs[n] for n in spellings(call.server, call.name) if n in self._specs), None)

    def of(self, call: Call) -> Effect:
        """The effect of a call.

        Args:
            call: with its arguments: of a shell they count.

        Returns:
            Class and basis; the resource as argument paths only where the user configured them.

        Source:
            compiler rules, S6.
        """
        command = _command(call)
        key = (call.server, call.name, command)
        if key not in self._known:
            self._known[key] = self._judge(call, command)
        return self._known[key]

    def _judge(self, call: Call, command: str) -> Effect:
        found = self._class(call, command)
        said = self._people.get(_kind(call, command))
        if said is None:
            return found
        # where people were asked before, they are asked again; that they were says nothing of what it changes
        return msgspec.structs.replace(found, refused=said.get("refused", 0), allowed=said.get("allowed", 0))

    def _class(self, call: Call, command: str) -> Effect:
        for name in spellings(call.server, call.name):
            if name in self._declared.effects:
                given = self._declared.effects[name]
                return replace_basis(given, "configured", given.family or call.server)
        word = tool_class(call.name, command)
        found, basis = (word, "lexicon") if word else ("unknown", "default")
        seen = self._seen.get((call.server, call.name))
        if seen is not None and not command:
            if seen.changed and found in ("read", "unknown"):
                found, basis = "unknown", "observed"
            elif not seen.changed and not word and seen.still >= SEEN and len(seen.arguments) >= VARIED:
                found, basis = "read", "observed"
        if found == "read" and (call.server, call.name) in self._consumers:
            found, basis = "unknown", "observed"
        spec = self.spec(call)
        hints = spec.hints if spec is not None else {}
        hinted = _hinted(hints)
        if basis == "default" and hints.get("readOnlyHint") is True:
            found, basis = "read", "declared"
        elif hinted and strongest((found, hinted)) != found:
            found, basis = hinted, "declared"
        return Effect(
            effect=cast(EffectClass, found),
            basis=basis,
            family=call.server,
            idempotent=found != "read" and hints.get("idempotentHint") is True,
        )


def _command(call: Call) -> str:
    """The shell text of a call, "" for another tool."""
    if not is_shell(call.name):
        return ""
    if isinstance(call.arguments, str):
        return call.arguments
    return argument_fields(call.arguments).get("command", "")


def _kind(call: Call, command: str) -> tuple[str, str, str]:
    """What a person's word on one call is taken to be about: the tool, of a shell its verb as well."""
    return call.server, call.name, operation_verb(call.name, command) if command else ""


def replace_basis(effect: Effect, basis: str, family: str) -> Effect:
    """An effect with another basis and family.

    Args:
        effect: what is known.
        basis: how it is known.
        family: where its resources are compared.
    """
    return Effect(
        effect=effect.effect,
        basis=basis,
        resource=effect.resource,
        family=family,
        idempotent=effect.idempotent,
    )


def spellings(server: str, name: str) -> tuple[str, ...]:
    """The names under which a tool may be configured or declared, the most exact first.

    Args:
        server: its server, "" for none.
        name: its name.

    Returns:
        Such as mcp__shop__cancel, shop/cancel, cancel.
    """
    return (f"mcp__{server}__{name}", f"{server}/{name}", name) if server else (name,)


def _hinted(hints: Mapping[str, bool]) -> str:
    """The class that declared hints ask for; "" where they ask for none, or for less order."""
    if hints.get("readOnlyHint") is True:
        return ""
    if hints.get("destructiveHint") is True:
        return "destructive"
    if hints.get("readOnlyHint") is False:
        return "idempotent_write" if hints.get("idempotentHint") is True else "unknown"
    return ""


def effects(work: Work) -> Work:
    """Say what each slot changes, and order the slots that touch the same.

    Args:
        work: one intent with its alignment.

    Returns:
        The work with effects by slot, and effect edges after the edges that it had.

    Source:
        compiler rules, S6.
    """
    if work.alignment is None:
        return work
    known = knowledge(work)
    names = [slot.name for slot in work.alignment.slots]
    members = _members(work)
    found = {name: _effect(known, work, members[name]) for name in names}
    edges = list(_edges(work, names, members, found, known, len(work.edges)))
    return replace(work, effects=found, edges=(*work.edges, *edges))


Members: TypeAlias = list[tuple[int, tuple[int, ...]]]
"""Of a slot: (run, its calls there), for each run that has it."""


def knowledge(work: Work) -> Knowledge:
    """What all runs of an intent show of the effects of tools.

    Args:
        work: after the gate; a pass that asked before left the answer there.
    """
    if isinstance(work.knowledge, Knowledge):
        return work.knowledge
    return Knowledge((*work.runs, *work.failed, *work.others), work.declared)


def _members(work: Work) -> dict[str, Members]:
    assert work.alignment is not None
    found: dict[str, dict[int, list[int]]] = {slot.name: {} for slot in work.alignment.slots}
    for run, names in enumerate(work.alignment.of[: len(work.runs)]):
        for call, name in enumerate(names):
            if name in found:
                found[name].setdefault(run, []).append(call)
    return {name: [(run, tuple(calls)) for run, calls in at.items()] for name, at in found.items()}


def _effect(known: Knowledge, work: Work, members: Members) -> Effect:
    """The strongest effect among the calls of a slot."""
    each = [known.of(work.runs[run].calls[call]) for run, calls in members for call in calls]
    most = strongest(effect.effect for effect in each)
    best = next((effect for effect in each if effect.effect == most), None)
    if best is None:
        return Effect(effect="unknown", basis="default")
    first = work.runs[members[0][0]].calls[members[0][1][0]]
    entity = best.resource or touches(first, best, ()).paths
    return Effect(
        effect=best.effect,
        basis=best.basis,
        resource=entity,
        family=best.family,
        idempotent=all(effect.idempotent for effect in each if effect.writes) and best.writes,
        refused=max(effect.refused for effect in each),
        allowed=max(effect.allowed for effect in each),
    )


def _edges(
    work: Work,
    names: Sequence[str],
    members: Mapping[str, Members],
    found: Mapping[str, Effect],
    known: Knowledge,
    number: int,
) -> Iterable[Edge]:
    where = {name: dict(at) for name, at in members.items()}
    marks = {name: _touched(work, at, known) for name, at in members.items()}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            if not (_orders(found[one]) or _orders(found[other])):
                continue
            both = [run for run in where[one] if run in where[other]]
            if not both:
                continue
            met = sorted(
                {m for run in both if (m := meeting(marks[one][run], marks[other][run])) is not None}
            )
            if not met:
                continue
            ahead = sum(where[one][run][0] < where[other][run][0] for run in both)
            # where both orders were seen, the usual order of all slots decides: so edges make no circle
            first, then = (one, other) if ahead else (other, one)
            number += 1
            yield Edge(
                id=f"e{number}",
                before=first,
                after=then,
                kind="effect_hard",
                resource=met[0],
                basis=_weakest(found[one], found[other]),
                support=ahead or len(both),
                runs=len(both),
            )


def _touched(work: Work, members: Members, known: Knowledge) -> dict[int, tuple[Touch, ...]]:
    found = {}
    for run, calls in members:
        given = work.runs[run]
        found[run] = tuple(
            touches(given.calls[call], known.of(given.calls[call]), given.effects.get(call, ()))
            for call in calls
        )
    return found


def _orders(effect: Effect) -> bool:
    """Does a slot keep its order? What only declares itself a reader does: hints take no order away."""
    return effect.writes or effect.basis == "declared"


_BASES = ("configured", "people", "observed", "declared", "lexicon", "default")


def _weakest(one: Effect, other: Effect) -> str:
    """How the write behind an edge is known: the weakest basis of the writers."""
    return max((e.basis for e in (one, other) if _orders(e)), key=_BASES.index)

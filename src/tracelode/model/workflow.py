"""What is a workflow? Steps with bound arguments, the edges that order them, guards, and what was refused."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from tracelode.model.binding import Binding
from tracelode.model.evidence import Edge

VERSION = 1
"""Version of the file form; files of a newer one are refused."""

EffectClass = Literal["read", "idempotent_write", "append", "destructive", "external_send", "unknown"]
"""What a tool does to the world; unknown counts as a write."""

Trust = Literal["proven", "provisional", "unknown_outcome"]
"""proven: enough successful runs, and leaving them out bore it out; provisional: it is not so;
unknown_outcome: nobody said that they succeeded. Only proven workflows act without being asked."""

REFUSALS = tuple(f"R{n}" for n in range(1, 14))
ESCALATIONS = (
    "guard_failed",
    "unseen_branch",
    "schema_changed",
    "empty_selection",
    "ambiguous_selection",
    "tool_error_after_retry",
    "budget",
    "approval_required",
    "missing_input",
    "in_doubt",
    "decision_required",
    "stale",
)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "empty", "present")


class Test(msgspec.Struct, frozen=True, omit_defaults=True):
    """A comparison of a value with another."""

    left: Binding
    """What is looked at."""
    op: str
    """One of COMPARISONS; empty and present take no right side."""
    right: Binding | None = None
    """What it is compared with."""
    negated: bool = False
    """True: it must not hold."""


class Guard(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a step is taken: all tests hold. A value that a test needs and that is not there escalates."""

    tests: tuple[Test, ...]
    """One or more."""
    runs_with: int = 0
    """Runs that took the step."""
    runs_without: int = 0
    """Runs that did not."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was so in every run, of a step's output."""

    kind: str
    """type, required, nonempty, line, every, range, enum, count, equals, no_error."""
    path: str
    """Generalised path in the output."""
    value: Any = None
    """type name, [low, high], list of values, value; of every, the key that each element has."""
    role: str = "invariant"
    """invariant: learned of outputs. success: the criterion after a write."""


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one argument leaf gets its value."""

    path: str
    """Concrete path in the arguments."""
    binding: Binding
    """Its source."""
    support: int = 0
    """Runs that the binding explains."""
    runs: int = 0
    """Runs that pass the argument."""
    proof: str = ""
    """hard: proven by evidence. suspected: plausible. given: constant, default or input. none: residual."""
    edges: tuple[str, ...] = ()
    """Ids of its data edges."""
    when: Guard | None = None
    """Passed only where this holds; None: always."""


class ForEach(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call for each element of a list."""

    over: Binding
    """The list; an input, or Copy of one in an output (path with [*] gives a list)."""
    most: int
    """Largest count that was seen: more elements escalate."""
    top: int | None = None
    """Only the first so many."""


class Wait(msgspec.Struct, frozen=True, omit_defaults=True):
    """Repeat the call until its output says that something ended."""

    path: str
    """Path of the status."""
    until: tuple[Any, ...]
    """Values that end it."""
    every_ms: int
    """Pause between two calls."""
    most: int
    """Calls after which it escalates."""


class Fresh(msgspec.Struct, frozen=True, omit_defaults=True):
    """Until when something holds that a step copies from an earlier one's output."""

    step: str
    """Producer: a duration counts from when its call began."""
    value: Binding
    """What tells it in this run: Copy or Selected of the producer's output, or Each where a for-each step
    goes over that."""
    kind: Literal["seconds", "milliseconds", "moment"]
    """How long from the call on, or until which moment (ISO text or Unix number)."""
    always: bool = False
    """Every run told it: one that does not has an unknown expiry, and its write stands still."""


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a step does to the world, and how that is known."""

    effect: EffectClass
    """Class."""
    basis: str
    """configured, declared, observed, lexicon, default; people in workflows of earlier versions."""
    resource: tuple[str, ...] = ()
    """Argument paths whose values name what it touches; () where that is not known."""
    family: str = ""
    """Server or tool family in which resources are compared."""
    idempotent: bool = False
    """Declared so: a repeat does no harm."""
    refused: int = 0
    """Calls of the tool that people refused, in all runs at hand."""
    allowed: int = 0
    """Calls that people allowed when they were asked."""

    @property
    def writes(self) -> bool:
        """Does it change anything, or may it?"""
        return self.effect != "read"


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tool call of a workflow."""

    slot: str
    """Name: tool#number."""
    tool: str
    """Tool."""
    server: str = ""
    """Server or package that offers it."""
    arguments: tuple[Argument, ...] = ()
    """By path."""
    effect: Effect
    """What it does to the world."""
    after: tuple[str, ...] = ()
    """Steps that must have ended: along hard edges only."""
    order: int = 0
    """Place in the order that was seen; breaks ties, and is no edge."""
    when: Guard | None = None
    """None: always."""
    each: ForEach | None = None
    """One call for each element of a list."""
    wait: Wait | None = None
    """Repeat until."""
    retries: int = 0
    """Further tries after an error; 0 unless read or declared idempotent."""
    checks: tuple[Check, ...] = ()
    """What must hold of the output."""
    fresh: tuple[Fresh, ...] = ()
    """What must hold still of what it copies, before it is called."""
    approval: bool = False
    """A person must say yes first."""
    read_back: str = ""
    """Tool that shows whether this write happened, "" where none was seen."""
    schema: str = ""
    """Digest of the tool's argument schema as learned; "" if unknown."""
    support: int = 0
    """Runs that took it."""

    @property
    def asks(self) -> bool:
        """Does it wait for a person's yes: a write, or a call that people were asked about in the runs?"""
        return self.effect.writes or self.approval


class Input(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something who asks must give."""

    name: str
    """Name, in the words of the argument it feeds."""
    type: str
    """string, integer, number, boolean, date, time, list."""
    description: str = ""
    """Where it goes."""
    required: bool = True
    """False: some runs did without."""
    patterns: tuple[str, ...] = ()
    """RE2 expressions with one group that find it in a request, tried in order; () where none was learned."""
    mention: str = ""
    """Such as "date:0": it is the first date that the request mentions; "" where that was not so."""
    mentions: int = 0
    """How many of that kind every request mentioned; 0 where they did not agree."""
    order: str = ""
    """Of a date that is mentioned: "month first" or "day first" where recorded requests prove how 02/03/2027
    is read; "" where none does."""
    words: int = 0
    """Most words that a recorded value had; 0 where that is not known."""
    again: tuple[str, ...] = ()
    """Words behind which recorded requests name the value once more."""
    secret: bool = False
    """Its values look like secrets: never written anywhere."""
    masked: bool = False
    """Its values were redacted on import: how requests say it is not known."""
    multiline: bool = False
    """In some run it had several lines."""
    blank: bool = False
    """In some run it was an empty text."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why something is not compiled, and what would change that."""

    code: str
    """R1 to R13."""
    message: str
    """Plain English; no text of the trace."""
    lifts: str
    """What evidence would lift it."""
    slot: str = ""
    """Step, "" for the whole."""
    arg: str = ""
    """Argument, "" for none."""


class Workflow(msgspec.Struct, frozen=True, kw_only=True):
    """A compiled intent: the canonical artefact."""

    schema_version: int = VERSION
    """Version of this form."""
    id: str
    """wf_ and 12 hex digits: of what it was compiled from."""
    name: str
    """Short name, verb first."""
    intent: str
    """Intent id."""
    description: str = ""
    """What it does, in closed words and tool names."""
    inputs: tuple[Input, ...] = ()
    """What who asks must give."""
    steps: tuple[Step, ...]
    """In the order that was seen."""
    edges: tuple[Edge, ...] = ()
    """All kinds; only hard ones constrain."""
    trust: Trust
    """How far it may be trusted."""
    runs: int
    """Successful runs it was learned from."""
    variants: int = 1
    """Sets of steps among them."""
    refusals: tuple[Refusal, ...] = ()
    """What was left out, of a partial workflow."""
    partial: bool = False
    """True: ends before the first refused write, then hands over."""
    compiler: str = ""
    """Version of the compiler."""
    asks: tuple[str, ...] = ()
    """Words that every request said: one that leaves them out asks for something else."""
    says: tuple[str, ...] = ()
    """Verbs with an opposite that requests said, and words that turn, pick or widen what is asked."""
    words: tuple[str, ...] = ()
    """Words and signs that two requests said or more, without the values: a request with any other is not
    for a workflow that writes."""
    digest: str = ""
    """Of all the rest: tells whether the file was edited by hand."""

    def step(self, slot: str) -> Step:
        """The step of a slot.

        Args:
            slot: its name.

        Raises:
            KeyError: no such step.
        """
        for step in self.steps:
            if step.slot == slot:
                return step
        raise KeyError(slot)


class Refused(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An intent that is not compiled: a value, not an exception."""

    intent: str
    """Intent id."""
    refusals: tuple[Refusal, ...]
    """One or more."""
    runs: int = 0
    """Runs of the intent."""


Verdict: TypeAlias = Workflow | Refused

"""What do the passes of the compiler hand on? One state for all runs, one work for each intent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from tracelode.model.evidence import Edge, Evidence, Level
from tracelode.model.intent import Intent
from tracelode.model.run import Run, ToolSpec, Tree
from tracelode.model.workflow import Argument, Check, Effect, ForEach, Guard, Input, Refusal, Verdict, Wait

CallClass = Literal[
    "essential",
    "retry",
    "poll",
    "fan_out",
    "exploratory",
    "redundant",
    "dead_output",
    "compensated",
]


@dataclass(frozen=True)
class Options:
    """Settings of the compiler; the defaults are those of the specification."""

    rule: Literal["default", "paper"] = "default"
    """paper: single-run uniqueness alone, and a value that the prompt also explains is suspected."""
    variant: Literal["text", "text+tools"] = "text+tools"
    """What intents are told apart by."""
    similarity: float | None = None
    """Cosine from which runs are one intent; None: .50 for text, .65 for text and tools."""
    embedder: str = ""
    """Registered embeddings plug-in that reads the requests; "" for none."""
    fewest: int = 5
    """Runs of an intent; 3 or 4 are provisional."""
    support: float = 0.8
    """Share of runs that a path must explain."""
    lift: float = 0.3
    """Same, above the share in other runs' outputs."""
    accept: float = 0.85
    """Share of runs that a binding must explain."""
    curve: bool | None = None
    """Whether fewer runs are tried as well; None: where one intent alone is compiled."""
    keep_values: bool = False
    """Values in evidence as text, and not only as digests."""
    key: bytes = b"tracelode"
    """Key of the digests of values in evidence; a store gives its own."""
    workers: int = 0
    """Processes; 0 for the cores there are."""


@dataclass(frozen=True)
class Declared:
    """What tools and people say beforehand: priors. They add order or refuse, never harden a data edge."""

    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    """Tool name to what it says of itself."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """Tool name to an effect that the user configured: it may also take order away."""
    skills: Mapping[str, str] = field(default_factory=dict)
    """Name of a skill to its description."""


@dataclass(frozen=True)
class Label:
    """What one call was for."""

    kind: CallClass
    """Class."""
    of: int = -1
    """Index of the call it repeats, is undone by, or is tried again as; -1 for none."""
    why: str = ""
    """Closed words."""


@dataclass(frozen=True)
class Slot:
    """A place of the workflow: the calls of many runs that do the same."""

    name: str
    """tool#role, such as search#1."""
    tool: str
    """Tool."""
    server: str = ""
    """Server."""


@dataclass(frozen=True)
class Variant:
    """Runs that take the same slots."""

    slots: frozenset[str]
    """Names."""
    runs: tuple[int, ...]
    """Places in Work.runs."""


@dataclass(frozen=True)
class Alignment:
    """Which call of which run is which slot."""

    slots: tuple[Slot, ...]
    """In the order that was seen most."""
    of: tuple[tuple[str, ...], ...]
    """Per run, per call: slot name, "" for a call that was dropped. Several calls of a run have one slot
    only where they are a fan-out or a poll."""
    variants: tuple[Variant, ...]
    """Most frequent first."""
    failed: tuple[tuple[str, ...], ...] = ()
    """The same as of, for Work.failed; "" also where a call is like no slot."""
    rare: int = 0
    """Slots of one run alone, left out: their calls have "", and such a run is an unseen branch."""

    def calls(self, run: int, slot: str) -> tuple[int, ...]:
        """Calls of a run that are a slot.

        Args:
            run: place in Work.runs.
            slot: name.

        Returns:
            Call indexes in order.
        """
        return tuple(n for n, name in enumerate(self.of[run]) if name == slot)


@dataclass(frozen=True)
class Operand:
    """A further leaf that an operation takes."""

    call: int
    """Producer: index in the run."""
    path: str
    """Concrete path in its output."""
    gpath: str
    """Generalised path."""


@dataclass(frozen=True)
class Source:
    """An earlier leaf that explains an argument leaf, found in one run."""

    call: int
    """Producer: index in the run."""
    path: str
    """Concrete path in its output."""
    gpath: str
    """Generalised path."""
    level: Level
    """How close."""
    transforms: tuple[Any, ...] = ()
    """Transform that leads from the leaf to the argument."""
    span: tuple[int, int] | None = None
    """Place in a text."""
    prefix: str = ""
    """Fixed text before it in the argument (level L4)."""
    suffix: str = ""
    """Fixed text after it."""
    also: Operand | None = None
    """Second operand of arithmetic (level L5)."""


@dataclass(frozen=True)
class Traced:
    """One argument leaf of one call, and everything that explains it in its run."""

    call: int
    """Consumer: index in the run."""
    path: str
    """Concrete argument path."""
    gpath: str
    """Generalised argument path."""
    value: Tree
    """What was passed."""
    sources: tuple[Source, ...]
    """Producers, echoes traced through, repeats merged: one per producer class and generalised path."""
    prompt: tuple[Any, ...] | None = None
    """Transforms by which a user turn before the call tells it, None where none does."""
    system: bool = False
    """A system text tells it."""
    enum: bool = False
    """The schema lists it."""
    default: bool = False
    """The schema has it as default or constant."""
    echoes: tuple[int, ...] = ()
    """Calls whose outputs only repeat it."""
    information: bool = True
    """False: boolean, small number, short text or declared enum: equal by chance."""
    earlier: int = -1
    """First call before it that passed the same, -1 for none."""
    bits: float = 0.0
    """Minus log2 of its share among the output leaves of its run."""
    derived: tuple[Source, ...] = ()
    """Arithmetic over earlier leaves that gives it (L5) in several runs; the change is the operation."""


@dataclass(frozen=True)
class Work:
    """One intent on its way through the passes."""

    intent: Intent
    """Which."""
    runs: tuple[Run, ...]
    """Runs it is compiled from; after the gate the successful ones (or those of unknown outcome)."""
    failed: tuple[Run, ...] = ()
    """Runs that failed: negative evidence for guards."""
    others: tuple[Run, ...] = ()
    """Runs of other intents: what they show of tools counts as well (effects)."""
    aside: int = 0
    """Runs of unknown outcome that were left aside, since enough are known to have succeeded (gate)."""
    forks: int = 0
    """Runs that share calls with a longer one by inheritance, left aside (gate)."""
    copies: int = 0
    """Runs that say word for word what another one does, left aside (gate)."""
    options: Options = Options()
    """Settings."""
    declared: Declared = Declared()
    """Priors."""
    knowledge: Any = None
    """What is known of the effects of tools by all runs (denoise); later passes need not ask again."""
    labels: tuple[tuple[Label, ...], ...] = ()
    """Per run, per call (denoise)."""
    alignment: Alignment | None = None
    """Slots (align)."""
    traced: tuple[tuple[Traced, ...], ...] = ()
    """Per run: its argument leaves with their sources (evidence)."""
    crossed: Any = None
    """How every source fares over the runs (evidence.crossed), so that subsets need no search."""
    evidence: tuple[Evidence, ...] = ()
    """Tuples, by run, call and argument (evidence)."""
    edges: tuple[Edge, ...] = ()
    """Of all kinds (evidence, effects, control)."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """Slot to its effect (effects)."""
    guards: Mapping[str, Guard] = field(default_factory=dict)
    """Slot to when it is taken; a slot of all variants has none (control)."""
    undecided: tuple[str, ...] = ()
    """Slots of some variants only for which no guard was found (control)."""
    preconditions: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    """Slot to what must hold of its output: the opposite was seen only before failure (control)."""
    bindings: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Slot to its bound arguments (bind)."""
    inputs: tuple[Input, ...] = ()
    """What who asks must give (bind)."""
    loops: Mapping[str, ForEach] = field(default_factory=dict)
    """Slot to the list that it is called for each element of (bind)."""
    waits: Mapping[str, Wait] = field(default_factory=dict)
    """Slot to what it waits for (bind)."""
    refusals: tuple[Refusal, ...] = ()
    """Collected on the way."""
    verdict: Verdict | None = None
    """Workflow or refusal (assemble)."""
    ruled: Any = None
    """(scenes, rows of rules) of bind, so that the verification need not try the rules again."""
    verification: Any = None
    """What leave-one-out and the other checks found (verify)."""


@dataclass(frozen=True)
class State:
    """All runs on their way through the passes."""

    runs: tuple[Run, ...]
    """What was imported."""
    options: Options = Options()
    """Settings."""
    declared: Declared = Declared()
    """Priors."""
    intents: tuple[Intent, ...] = ()
    """By size (intents)."""
    alone: tuple[str, ...] = ()
    """Session keys that are of no intent (intents)."""
    forks: int = 0
    """Runs that share calls with a longer one by inheritance, left aside (intents)."""
    works: tuple[Work, ...] = ()
    """One for each intent that is compiled."""


class Pass(Protocol):
    """One step of the compiler: a plain function."""

    def __call__(self, state: State) -> State:
        """Go on.

        Args:
            state: what earlier passes left; never changed.

        Returns:
            The next state.
        """


def each(step: Callable[[Work], Work]) -> Pass:
    """A pass that works on every intent by itself.

    Args:
        step: what is done to one.

    Returns:
        The pass.
    """

    def run(state: State) -> State:
        return replace(state, works=tuple(step(work) for work in state.works))

    run.__name__ = step.__name__
    run.__doc__ = step.__doc__
    return run

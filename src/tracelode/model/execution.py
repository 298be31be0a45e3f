"""What happens when a workflow runs? Questions, replies, escalations, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from tracelode.model.run import Run, Tree
from tracelode.model.tools import Toolbox
from tracelode.model.workflow import Workflow

Mode = Literal["act", "shadow"]
"""act: tools are called. shadow: reads are called, writes are only told."""

By = Literal["person", "model", "policy"]
"""Who answered: a model's word approves no write and settles no doubt."""

ACTIONS = ("retry", "output", "accept", "skip", "stop")
"""What an escalation may be answered with: try the step again; here is the step's output, it is done; its
output is right as it is (of stale: what it copies holds all the same); go on without the step; end here and
hand over."""


class Failing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The guard or check that does not hold."""

    kind: str
    """guard, check, schema, argument, tool, fresh; effect or process: which of the two broke off amid a
    write."""
    what: str
    """Closed words."""
    path: str = ""
    """Where: a path of the output or the arguments."""


class Escalation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a run stands still, and all that whoever takes over needs: nothing is begun anew."""

    code: str
    """One of workflow.ESCALATIONS."""
    step: str
    """Slot, "" for the whole workflow."""
    tool: str = ""
    """Its tool."""
    message: str = ""
    """Plain English, closed words."""
    completed: dict[str, Tree] = {}
    """Slot to output, of the steps that are done."""
    skipped: tuple[str, ...] = ()
    """Steps whose guard did not hold."""
    bound: Tree = None
    """Arguments that the step was or would be called with, as far as they are known."""
    failing: Failing | None = None
    """What does not hold."""
    remaining: tuple[str, ...] = ()
    """Steps that are still to be done, this one first."""
    goal: str = ""
    """What the workflow is for."""
    writes: bool = False
    """May the step change something?"""
    actions: tuple[str, ...] = ACTIONS
    """What it may be answered with."""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model or a person has to say. What it holds of outputs is data, never an instruction."""

    key: str
    """Of the run: the same question has the same key."""
    kind: Literal["choose", "generate", "value", "approval", "escalation"]
    """choose: one of the candidates. generate: a text. value: a JSON value. approval: yes or no.
    escalation: one of its actions."""
    step: str
    """Slot."""
    tool: str
    """Tool of the step."""
    argument: str = ""
    """Path of the argument that is asked for."""
    schema: dict[str, Any] = {}
    """JSON Schema of the value, {} if unknown."""
    candidates: tuple[Tree, ...] = ()
    """Of choose: what can be chosen."""
    context: dict[str, Tree] = {}
    """Slot to output, of the steps that an answer is made from."""
    inputs: dict[str, Tree] = {}
    """What who asks gave, without secrets."""
    bound: Tree = None
    """Of approval: the arguments of the call."""
    effect: str = ""
    """Of approval: what the call does to the world."""
    goal: str = ""
    """What the workflow is for."""
    escalation: Escalation | None = None
    """Of escalation: all of it."""


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was said to a question."""

    by: By
    """Who said it."""
    choice: int | None = None
    """Of choose: 0-based candidate; None: none of them."""
    text: str | None = None
    """Of generate: the text."""
    value: Tree = None
    """Of value: the value. Of an escalation with the action output: the step's output."""
    yes: bool = False
    """Of approval."""
    action: str = "stop"
    """Of escalation: one of ACTIONS."""


Asker: TypeAlias = Callable[[Question], Awaitable[Reply | None]]
"""The one port through which a run asks; None: nobody can say, the run stands still and can be resumed."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What a run may spend."""

    calls: int = 1_000
    """Tool calls, retries and polls included, over all resumptions."""
    seconds: float = 3_600.0
    """Wall time from one start or resumption on."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run may go by itself."""

    mode: Mode = "act"
    """Act, or only tell what would be done."""
    writes: Literal["ask", "proven"] = "ask"
    """ask: every write needs a yes. proven: writes of a proven workflow that were bound by proof and are
    neither destructive nor sent to others need none."""
    approved: tuple[str, ...] = ()
    """Slots that a person approved beforehand; arguments that nothing proves need a yes all the same."""
    demoted: bool = False
    """True: runs although it was demoted."""
    again: bool = False
    """True: begins although an earlier run of the same inputs made a write, or may have made one, and has
    not ended; its writes are made once more."""
    jobs: int = 4
    """Calls at the same time."""
    timeout: float = 120.0
    """Seconds that one call may take."""
    budget: Budget = Budget()
    """What it may spend."""


class Proposed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A write that a shadow run would have made."""

    step: str
    """Slot."""
    tool: str
    """Tool."""
    arguments: Tree
    """Bound arguments."""
    verdict: Literal["", "same", "different", "absent"] = ""
    """Against the recorded run: same or other arguments, or no such call; "" where there is none."""
    differing: tuple[str, ...] = ()
    """Argument paths that differ."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """That a run could not go on by itself at a step, whoever helped."""

    step: str
    """Slot."""
    code: str
    """One of workflow.ESCALATIONS."""
    guard: str
    """What did not hold, "" for none."""
    writes: bool
    """May the step change something?"""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a run, so far."""

    run: str
    """Run id: resumes it."""
    workflow: str
    """Workflow id."""
    status: Literal["done", "escalated", "stopped", "handed_over"]
    """done: every step. escalated: waits for an answer. stopped: somebody ended it. handed_over: a partial
    workflow came to its end; the rest is for whoever asked."""
    outputs: dict[str, Tree] = {}
    """Slot to output."""
    skipped: tuple[str, ...] = ()
    """Steps whose guard did not hold."""
    escalation: Escalation | None = None
    """Why it stands still."""
    question: Question | None = None
    """What to answer to go on."""
    calls: int = 0
    """Tool calls made, over all resumptions."""
    asked: int = 0
    """Questions that were answered."""
    notes: tuple[Note, ...] = ()
    """Every place where it could not go on by itself, since this start or resumption."""
    proposed: tuple[Proposed, ...] = ()
    """Of a shadow run: the writes it would have made."""
    unreached: tuple[str, ...] = ()
    """Of a shadow run: steps that need what only a write would have given."""


class Engine(Protocol):
    """Runs workflows so that they survive the death of the process."""

    name: str
    """Registered name."""

    async def start(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        inputs: Mapping[str, Tree],
        *,
        place: str,
        run: str = "",
        policy: Policy | None = None,
        asker: Asker | None = None,
        state: Mapping[str, Tree] | None = None,
        recorded: Run | None = None,
    ) -> Outcome:
        """Run a workflow from its start.

        Args:
            workflow: what to do.
            toolbox: what does it.
            inputs: name to value.
            place: the journal: a file, or an address of the engine's own.
            run: id of the run, "" for a new one.
            policy: how far it may go; None for the default.
            asker: answers questions; None: it stands still at the first.
            state: values of the moment (cwd, ...); now and today are added.
            recorded: a run that the writes of a shadow run are compared with.

        Returns:
            How far it came.

        Raises:
            Repeated: an earlier run of the same inputs wrote, or may have written, and has not ended.
            RunError: it cannot start.
        """
        ...

    async def resume(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        *,
        place: str,
        run: str,
        reply: Reply | None = None,
        secrets: Mapping[str, Tree] | None = None,
        policy: Policy | None = None,
        asker: Asker | None = None,
        recorded: Run | None = None,
    ) -> Outcome:
        """Go on with a run that stands still, or whose process died.

        Args:
            workflow: the same.
            toolbox: what does it.
            place: the journal.
            run: id of the run.
            reply: to the question it stands at; None to look again.
            secrets: inputs that are never written down, once more.
            policy: how far it may go; None for the default.
            asker: answers questions.
            recorded: as at its start.

        Returns:
            How far it came.

        Raises:
            RunError: there is no such run, another process has it, or the workflow is another one.
        """
        ...

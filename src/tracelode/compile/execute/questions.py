"""How does a run ask, and what does whoever is asked get to see?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from tracelode.compile.evaluate import Scene, passes
from tracelode.compile.execute.arguments import Needed, candidates
from tracelode.compile.execute.ledger import Ledger, digest
from tracelode.compile.execute.monitor import SETUP
from tracelode.compile.execute.stops import Halt, Stand, Stopped, refused
from tracelode.compile.paths import get
from tracelode.model import binding as b
from tracelode.model.execution import Escalation, Failing, Note, Question, Reply
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.workflow import Argument, Step, Workflow

CANDIDATES = 200
"""Elements that a choice may have; more cannot be listed."""
UNREACHED = ("absent", "unreachable", "unauthorised")
"""Kinds of an error of a tool that tell of how it was given, and nothing of the workflow."""
_ROUNDS = 3
"""Times in a row that a model may say of one call that it shall be tried again."""


class Progress(Protocol):
    """How far a run is."""

    outputs: dict[str, Tree]
    """Slot to output."""
    skipped: set[str]
    """Slots whose guard did not hold."""

    def scene(self, element: Tree = None) -> Scene:
        """What is known now."""
        ...


class Questions:
    """Asks for a run.

    Args:
        workflow: which.
        steps: in order.
        ledger: remembers answers.
        progress: the run.
    """

    def __init__(self, workflow: Workflow, steps: Sequence[Step], ledger: Ledger, progress: Progress) -> None:
        self._workflow, self._steps, self._ledger, self._progress = workflow, steps, ledger, progress
        self._goal = workflow.description or workflow.name
        self._secret = {one.name for one in workflow.inputs if one.secret}
        self.notes: list[Note] = []
        self.decided: set[str] = set()
        """Slots of steps that are taken because somebody said so."""
        self.given: Tree = None
        """The output that the last escalation of a guard was answered with."""

    async def until(self, step: Step | None, key: str, look: Callable[[], Awaitable[None]]) -> str:
        """Do something that may halt, until it does not, or somebody says how to go on.

        Args:
            step: what it is about, None for the whole.
            key: of the question.
            look: what is done; it calls no tool that writes.

        Returns:
            "" where it went well; otherwise accept, skip or output.

        Raises:
            Stand: nobody can say.
            Stopped: somebody ended the run.
        """
        round_ = 0
        while True:
            reply = await self.earlier(f"{key}~{round_}")
            if reply is None:
                try:
                    await look()
                except Halt as halt:
                    reply = await self.escalate(step, f"{key}~{round_}", halt, round_)
                else:
                    return ""
            if reply.action != "retry":
                self.given = reply.value
                return reply.action
            round_ += 1

    async def earlier(self, key: str) -> Reply | None:
        """What was said to an escalation before this process began.

        Args:
            key: what the escalation is about.

        Returns:
            The reply; None for none, and for one that ended the run.
        """
        reply = await self._ledger.given(f"{key}:escalated")
        return reply if reply is not None and reply.action != "stop" else None

    async def escalate(self, step: Step | None, key: str, halt: Halt, round_: int) -> Reply:
        """Tell that a step cannot go on by itself, with all that is known.

        Args:
            step: which, None for the whole.
            key: of the question.
            halt: why.
            round_: times it was tried again.

        Returns:
            What to do; never stop.

        Raises:
            Stand: nobody can say.
            Stopped: somebody ended the run.
        """
        slot = step.slot if step else ""
        writes = bool(step and step.effect.writes)
        guard = _guard(step, halt)
        self.notes.append(Note(step=slot, code=halt.code, guard=guard, writes=writes))
        asked = self.escalation(step, halt)
        question = Question(
            key=f"{key}:escalated",
            kind="escalation",
            step=slot,
            tool=step.tool if step else "",
            goal=self._goal,
            inputs=self._inputs(),
            escalation=asked,
        )
        await self._ledger.note(slot, halt.code, guard)
        reply = await self._asked(question)
        if reply.action == "stop":
            raise Stopped(question)
        if reply.action == "retry" and reply.by == "model" and round_ >= _ROUNDS:
            raise Stand(question)
        return reply

    def escalation(self, step: Step | None, halt: Halt) -> Escalation:
        """The escalation of a halt.

        Args:
            step: which, None for the whole.
            halt: why.
        """
        hide = self._ledger.hide
        ended = self._progress.skipped
        rest = [s.slot for s in self._steps if s.slot not in ended and s.slot not in self._progress.outputs]
        slot = step.slot if step else ""
        return Escalation(
            code=halt.code,
            step=slot,
            tool=step.tool if step else "",
            # a tool's own words may repeat what it was given
            message=str(hide(halt.what)),
            completed=hide(dict(self._progress.outputs)),
            skipped=tuple(s.slot for s in self._steps if s.slot in ended),
            bound=hide(halt.bound),
            failing=halt.failing,
            remaining=(*((slot,) if slot else ()), *(s for s in rest if s != slot)),
            goal=self._goal,
            writes=bool(step and step.effect.writes),
            actions=halt.actions,
        )

    def told(self, question: Question) -> Escalation:
        """The escalation of a question that nobody answered.

        Args:
            question: an approval, or a value that no rule explains.
        """
        step = next((s for s in self._steps if s.slot == question.step), None)
        code = "approval_required" if question.kind == "approval" else "decision_required"
        what = (
            "a person must say yes first" if question.kind == "approval" else "no rule explains an argument"
        )
        failing = Failing(kind="argument", what=what, path=question.argument) if question.argument else None
        return self.escalation(step, Halt(code, what, bound=question.bound, failing=failing))

    async def approve(self, step: Step, key: str, arguments: Tree, loose: tuple[str, ...]) -> bool:
        """Ask a person for a yes to exactly this call.

        Args:
            step: a write.
            key: of the call.
            arguments: of the call.
            loose: argument paths that somebody was asked for, or that come from a text.

        Raises:
            Stand: nobody can say.
        """
        shown = self._ledger.hide(arguments)
        question = Question(
            key=f"{key}:approve:{digest(shown)[:12]}",
            kind="approval",
            step=step.slot,
            tool=step.tool,
            argument=", ".join(loose),
            goal=self._goal,
            inputs=self._inputs(),
            bound=shown,
            effect=step.effect.effect,
        )
        return (await self._asked(question)).yes

    async def passes(self, step: Step, scene: Scene) -> bool:
        """Is a guarded step taken? What no rule tells is asked.

        Args:
            step: which.
            scene: what is known.

        Raises:
            Missing: a value is not there.
            Stand: nobody can say.
        """
        answers: list[Tree] = []
        while True:
            left = list(answers)

            def decide(binding: b.Binding, left: list[Tree] = left) -> Tree:
                if not left:
                    raise Needed(binding)
                return left.pop(0)

            try:
                return passes(
                    step.when, Scene(scene.inputs, scene.outputs, scene.state, scene.element, decide)
                )
            except Needed as needed:
                argument = Argument("", needed.binding)
                self.decided.add(step.slot)
                answers.append(
                    await self.residual(
                        step, None, f"{step.slot}:when", argument, needed.binding, len(answers), scene
                    )
                )

    async def residual(
        self,
        step: Step,
        spec: ToolSpec | None,
        key: str,
        argument: Argument,
        binding: b.Binding,
        number: int,
        scene: Scene,
    ) -> Tree:
        """Ask for a value that no rule explains.

        Args:
            step: whose argument.
            spec: its tool.
            key: of the call.
            argument: which.
            binding: Generated, Choose or Free.
            number: of the binding within the argument.
            scene: what is known.

        Returns:
            The value: of a choice always one of the candidates'.

        Raises:
            Missing: there is nothing to choose from, or none of it was chosen.
            Stand: nobody can say.
        """
        name = f"{key}?{argument.path}#{number}"
        common = {
            "key": name,
            "step": step.slot,
            "tool": step.tool,
            "argument": argument.path,
            "goal": self._goal,
        }
        hide, inputs = self._ledger.hide, self._inputs()
        if isinstance(binding, b.Choose):
            rows = candidates(binding, scene, CANDIDATES)
            asked = Question(kind="choose", candidates=tuple(hide(rows)), inputs=inputs, **common)  # type: ignore[arg-type]
            reply = await self._asked(asked)
            if reply.choice is None:
                raise Halt("ambiguous_selection", "none of the candidates was chosen")
            try:
                return get(rows[reply.choice], binding.field)
            except LookupError:
                raise Halt("empty_selection", "the chosen candidate does not have the field") from None
        schema = _schema(spec, argument.path)
        known = {slot: scene.outputs[slot] for slot in _about(binding, scene) if slot in scene.outputs}
        kind = "generate" if isinstance(binding, b.Generated) else "value"
        asked = Question(kind=kind, schema=schema, context=hide(known), inputs=inputs, **common)  # type: ignore[arg-type]
        reply = await self._asked(asked)
        return reply.text if kind == "generate" else reply.value

    async def _asked(self, question: Question) -> Reply:
        reply = await self._ledger.reply(question)
        if reply is None or refused(question, reply):
            raise Stand(question)
        return reply

    def _inputs(self) -> dict[str, Tree]:
        given = self._progress.scene().inputs
        found = {name: value for name, value in given.items() if name not in self._secret}
        return dict(self._ledger.hide(found))


def _guard(step: Step | None, halt: Halt) -> str:
    """What the monitor is told of a halt: what did not hold, or that the run was not set up."""
    if halt.failing is None:
        return ""
    unreached = halt.failing.kind == "tool" and halt.failing.what.rpartition(" ")[2] in UNREACHED
    if step is None or unreached or (halt.failing.kind == "tool" and halt.code == "schema_changed"):
        return SETUP
    return f"{halt.failing.kind} {halt.failing.path}".strip()


def _about(binding: b.Binding, scene: Scene) -> Sequence[str]:
    named = binding.about if isinstance(binding, b.Generated) else ()
    return named or sorted(scene.outputs)


def _schema(spec: ToolSpec | None, path: str) -> dict[str, Tree]:
    """What the tool says of an argument; {} where it says nothing."""
    tree: Tree = spec.parameters if spec else {}
    for key in path.replace("[", ".").split("."):
        inner = tree.get("items" if key.endswith("]") else "properties") if isinstance(tree, dict) else None
        tree = inner if key.endswith("]") else inner.get(key) if isinstance(inner, dict) else None
    return tree if isinstance(tree, dict) else {}

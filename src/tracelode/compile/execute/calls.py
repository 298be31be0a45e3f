"""How is one call of a step made? Bound, approved, made once, waited for, checked, read back in doubt."""

from __future__ import annotations

import asyncio

import msgspec

from tracelode.compile.evaluate import Missing, Scene
from tracelode.compile.execute.arguments import arguments, known, misfit, tainted
from tracelode.compile.execute.checks import failing, getter_arguments, seen
from tracelode.compile.execute.fresh import Answered, Freshness
from tracelode.compile.execute.ledger import InDoubt, Ledger, call_key, write_key
from tracelode.compile.execute.questions import Questions
from tracelode.compile.execute.shadow import Recorded
from tracelode.compile.execute.stops import NOTHING, Halt
from tracelode.compile.execute.tools import Tools, failed
from tracelode.compile.paths import get
from tracelode.compile.transforms import same
from tracelode.errors import ToolError, ToolFailed, ToolUnsure
from tracelode.model import binding as b
from tracelode.model.execution import Failing, Policy, Proposed
from tracelode.model.run import Run, Tree
from tracelode.model.workflow import Argument, Step, Workflow

_PAUSE = 0.2
"""Seconds before the first retry; doubled before each further one."""
_LONGEST = 10.0
READ_BACK: Tree = {"tracelode": "the write was read back; what its tool answered is not known"}
"""Stands for the output of a write that happened and was not noted."""


class Ready(msgspec.Struct, frozen=True):
    """A call that is bound."""

    arguments: Tree
    """What it is called with."""
    asked: tuple[str, ...]
    """Argument paths whose value somebody was asked for."""
    place: int | None
    """Element of a for-each step."""
    round: int
    """Times somebody said that it shall be tried again."""
    scene: Scene
    """What was known when it was bound."""


class Unreached(Exception):
    """A shadow run cannot come here: what is needed only a write would have given."""


class Calls:
    """Makes the calls of a run.

    Args:
        workflow: which.
        tools: the toolbox within its limits.
        ledger: remembers.
        questions: asks.
        policy: how far the run may go.
        recorded: a run to compare a shadow run with.
    """

    def __init__(
        self,
        workflow: Workflow,
        tools: Tools,
        ledger: Ledger,
        questions: Questions,
        policy: Policy,
        recorded: Run | None,
    ) -> None:
        self._workflow, self._tools, self._ledger, self._questions = workflow, tools, ledger, questions
        self._policy = policy
        self._fresh = Freshness(workflow, ledger, questions)
        self._recorded = Recorded(recorded) if recorded is not None else None
        self._writers = {step.tool for step in workflow.steps if step.effect.writes}
        self._read = {slot for step in workflow.steps for slot in reads(step)}
        self._shadowed: set[str] = set()
        self._agreed: set[tuple[str, str]] = set()
        self.proposed: list[Proposed] = []
        """Writes that a shadow run would have made."""

    def reached(self, step: Step, missing: Missing) -> None:
        """Is a missing value one that only a write would have given?

        Args:
            step: that needs it.
            missing: what is missing.

        Raises:
            Unreached: it is, and this is a shadow run.
        """
        if self._policy.mode == "shadow" and missing.code == "unseen_branch" and self._shadowed & reads(step):
            self._shadowed.add(step.slot)
            raise Unreached from missing

    async def make(self, step: Step, scene: Scene, place: int | None) -> Tree:
        """Make one call of a step, whatever that takes.

        Args:
            step: which.
            scene: what is known.
            place: element of a for-each step, None outside one.

        Returns:
            Its output, NOTHING where somebody said to go on without it.

        Raises:
            Stand: nobody can say how to go on.
            Stopped: somebody ended the run.
            Unreached: a shadow run cannot come here.
        """
        round_ = 0
        while True:
            key = call_key(step.slot, place, round_=round_)
            reply = await self._questions.earlier(key)
            if reply is None or reply.action == "accept":
                try:
                    return await self._once(step, scene, place, round_)
                except Missing as missing:
                    self.reached(step, missing)
                    halt = Halt(missing.code, missing.what, bound=known(step, scene))
                except Answered as answered:
                    return answered.output
                except Halt as raised:
                    halt = raised
                reply = reply or await self._questions.escalate(step, key, halt, round_)
                if reply.action == "output" and halt.settles:
                    await self._ledger.settle(halt.settles, reply.value)
                if reply.action == "accept":
                    return halt.output
            if reply.action == "retry":
                round_ += 1
                continue
            if reply.action != "output":
                return NOTHING
            self._fresh.made(step.slot, place, key)  # no later than the call that it stands for
            return reply.value

    async def _once(self, step: Step, scene: Scene, place: int | None, round_: int) -> Tree:
        spec = self._tools.spec(step.server, step.tool)
        key = call_key(step.slot, place)

        async def ask(argument: Argument, binding: b.Binding, number: int) -> Tree:
            return await self._questions.residual(step, spec, key, argument, binding, number, scene)

        tree, asked = await arguments(step, scene, ask)
        if spec is not None and (why := misfit(spec, tree)):
            raise Halt("guard_failed", why, failing=Failing(kind="argument", what=why), bound=tree)
        if step.asks and self._policy.mode == "shadow":
            return self._propose(step, tree)
        ready = Ready(tree, asked, place, round_, scene)
        output = await (self._tried(step, ready, 0) if step.wait is None else self._waited(step, ready))
        wrong = None if output == READ_BACK else failing(step, output)
        if wrong is not None:
            raise Halt(
                "guard_failed", "the output is not as in the runs", failing=wrong, bound=tree, output=output
            )
        return output

    async def _approved(self, step: Step, ready: Ready) -> None:
        tree, loose = ready.arguments, tainted(step, ready.asked)
        agreed = (call_key(step.slot, ready.place), self._ledger.digest(tree))
        if not step.effect.writes and agreed in self._agreed:
            return  # a look that comes again, as it waits or after an error
        if step.slot in self._questions.decided:
            loose = ("whether it is taken", *loose)
        if not loose and step.slot in self._policy.approved:
            return
        proven = self._policy.writes == "proven" and self._workflow.trust == "proven"
        mild = step.effect.effect in ("idempotent_write", "append")
        if proven and mild and not loose and not step.approval:
            return
        if not await self._questions.approve(step, call_key(step.slot, ready.place), tree, loose):
            raise Halt(
                "approval_required",
                "a person said no to the call",
                bound=tree,
                actions=("skip", "stop"),
            )
        self._agreed.add(agreed)

    def _propose(self, step: Step, tree: Tree) -> Tree:
        shown = self._ledger.hide(tree)
        if self._recorded is None:
            self.proposed.append(Proposed(step=step.slot, tool=step.tool, arguments=shown))
            found = NOTHING
        else:
            verdict, differing, found = self._recorded.compare(step, tree)
            self.proposed.append(
                Proposed(
                    step=step.slot, tool=step.tool, arguments=shown, verdict=verdict, differing=differing
                )
            )
        if found is NOTHING:
            self._shadowed.add(step.slot)
            raise Unreached
        return found

    async def _waited(self, step: Step, ready: Ready) -> Tree:
        wait = step.wait
        assert wait is not None
        for poll in range(wait.most):
            if poll:
                await asyncio.sleep(wait.every_ms / 1_000)
            output = await self._tried(step, ready, poll)
            try:
                status = get(output, wait.path)
            except LookupError:
                continue
            if any(same(status, end) for end in wait.until):
                return output
        what = f"it did not end within {wait.most} calls"
        raise Halt(
            "guard_failed",
            what,
            failing=Failing(kind="guard", what=what, path=wait.path),
            bound=ready.arguments,
        )

    async def _tried(self, step: Step, ready: Ready, poll: int) -> Tree:
        tries = 1 + (step.retries if not step.effect.writes or step.effect.idempotent else 0)
        attempt = 0
        while True:
            key = call_key(step.slot, ready.place, poll, ready.round, attempt)
            attempt += 1
            try:
                return await self._made(step, ready, key)
            except InDoubt as doubt:
                return await self._read_back(step, ready.arguments, key, doubt)
            except ToolError as error:
                if attempt >= tries or error.kind in ("absent", "refused", "malformed", "large"):
                    raise Halt(
                        "tool_error_after_retry", str(error), failing=failed(error), bound=ready.arguments
                    ) from error
            await asyncio.sleep(min(_LONGEST, _PAUSE * 2 ** (attempt - 1)))

    async def _made(self, step: Step, ready: Ready, key: str) -> Tree:
        writes, tree = step.effect.writes, ready.arguments

        async def before() -> int | None:
            if step.fresh:
                await self._held(step, ready)
            self._tools.spend()
            if step.asks:
                await self._approved(step, ready)
            baseline = await self._count(step, tree) if writes and step.read_back else None
            if step.fresh and writes:
                await self._held(step, ready)  # a yes may have taken its time
            return baseline

        async def call() -> Tree:
            name = write_key(self._ledger.run, step.slot, ready.place) if writes else ""
            return await self._tools.call(step, tree, name)

        output = await self._ledger.step(
            key,
            self._ledger.digest(tree),
            call,
            before,
            writes=writes,
            repeatable=step.effect.idempotent and step.effect.basis == "configured",
        )
        self._fresh.made(step.slot, ready.place, key)
        return output

    async def _held(self, step: Step, ready: Ready) -> None:
        await self._fresh.hold(step, call_key(step.slot, ready.place, round_=ready.round), ready.scene)

    async def _count(self, step: Step, tree: Tree) -> int | None:
        """Records that show such a write; None where that cannot be told."""
        spec = self._tools.spec(step.server, step.read_back) or self._tools.spec("", step.read_back)
        if spec is None or step.read_back in self._writers:
            return None
        asked = getter_arguments(spec, tree)
        if asked is None:
            return None
        try:
            return seen(await self._tools.read(spec, asked), tree)
        except (ToolFailed, ToolUnsure):
            return None

    async def _read_back(self, step: Step, tree: Tree, key: str, doubt: InDoubt) -> Tree:
        """Look whether a write in doubt happened. It is never made again by itself."""
        baseline = doubt.baseline
        now = None if baseline is None else await self._count(step, tree)
        there = now is not None and baseline is not None and now > baseline
        if there and step.slot not in self._read:
            await self._ledger.settle(key, READ_BACK)
            return READ_BACK
        what = (
            "the write was made, but what the tool answered is lost; tell its output"
            if there
            else "it is not known whether the write was made; look, then say what is so"
        )
        actions = ("output", "stop") if there else ("output", "retry", "skip", "stop")
        raise Halt(
            "in_doubt",
            what,
            failing=Failing(kind="process" if doubt.died else "effect", what="in doubt"),
            bound=tree,
            actions=actions,
            settles=key,
        )


def reads(step: Step) -> set[str]:
    """The slots whose outputs a step needs.

    Args:
        step: any.
    """
    found: set[str] = set()
    tests = [*(step.when.tests if step.when else ())]
    for argument in step.arguments:
        found.update(b.producers(argument.binding))
        tests.extend(argument.when.tests if argument.when else ())
    for test in tests:
        found.update(b.producers(test.left))
        found.update(b.producers(test.right) if test.right is not None else ())
    if step.each is not None:
        found.update(b.producers(step.each.over))
    return found

"""How does a workflow run? As its edges allow, side by side where effects allow, never by guessing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from tracelode.compile.evaluate import Missing, Scene
from tracelode.compile.execute.arguments import elements, known
from tracelode.compile.execute.calls import Calls, Unreached
from tracelode.compile.execute.ledger import Ledger
from tracelode.compile.execute.plan import Front, ordered
from tracelode.compile.execute.questions import Questions
from tracelode.compile.execute.stops import NOTHING, Halt, Stand, Stopped
from tracelode.compile.execute.tools import Tools
from tracelode.model.execution import Outcome, Policy, Question
from tracelode.model.run import Run, Tree
from tracelode.model.tools import Toolbox
from tracelode.model.workflow import Step, Workflow


class Executor:
    """One run of one workflow in one process.

    Args:
        workflow: checked, see files.problems().
        toolbox: calls tools.
        ledger: remembers.
        inputs: name to value, secrets among them.
        state: values of the moment.
        policy: how far it may go.
        recorded: a run to compare a shadow run with.
    """

    def __init__(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        ledger: Ledger,
        inputs: Mapping[str, Tree],
        state: Mapping[str, Tree],
        policy: Policy,
        recorded: Run | None = None,
    ) -> None:
        self.workflow, self.ledger, self.policy = workflow, ledger, policy
        self.steps = ordered(workflow)
        self.inputs, self.state = inputs, state
        self.outputs: dict[str, Tree] = {}
        self.skipped: set[str] = set()
        self.unreached: set[str] = set()
        until = time.monotonic() + policy.budget.seconds
        self.tools = Tools(toolbox, ledger, policy, until)
        self.questions = Questions(workflow, self.steps, ledger, self)
        self.calls = Calls(workflow, self.tools, ledger, self.questions, policy, recorded)
        self._stop: Stand | Stopped | None = None

    def scene(self, element: Tree = None) -> Scene:
        """What is known now.

        Args:
            element: where a for-each step stands.
        """
        return Scene(self.inputs, self.outputs, self.state, element)

    async def run(self) -> Outcome:
        """Go as far as it goes.

        Returns:
            How far it came.
        """
        try:
            await self._look()
            await self._steps()
        except (Stand, Stopped) as stop:
            self._stop = stop
        return self._outcome()

    def _outcome(self) -> Outcome:
        question: Question | None = None
        escalation = None
        if self._stop is None:
            status = "handed_over" if self.workflow.partial else "done"
        else:
            asked = self._stop.question
            escalation = asked.escalation or self.questions.told(asked)
            status = "stopped" if isinstance(self._stop, Stopped) else "escalated"
            question = asked if status == "escalated" else None
        return Outcome(
            run=self.ledger.run,
            workflow=self.workflow.id,
            status=status,  # type: ignore[arg-type]
            outputs={step.slot: self.outputs[step.slot] for step in self.steps if step.slot in self.outputs},
            skipped=tuple(s.slot for s in self.steps if s.slot in self.skipped),
            escalation=escalation,
            question=question,
            calls=self.ledger.calls,
            asked=self.ledger.asked,
            notes=tuple(self.questions.notes),
            proposed=tuple(self.calls.proposed),
            unreached=tuple(s.slot for s in self.steps if s.slot in self.unreached),
        )

    async def _look(self) -> None:
        """Before anything is done: are the tools there, and as they were?"""
        await self.questions.until(self.steps[0] if self.steps else None, "tools", self.tools.look)
        for step in self.steps:

            async def look(step: Step = step) -> None:
                self.tools.check(step)

            action = await self.questions.until(step, f"{step.slot}:tool", look)
            if action == "skip":
                self.skipped.add(step.slot)

    async def _steps(self) -> None:
        front = Front(self.steps, self.skipped)
        tasks: dict[asyncio.Task[None], Step] = {}
        try:
            await self._turns(front, tasks)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):  # ended from outside: a write under way is in doubt
                for task in tasks:
                    task.cancel()
            if tasks:
                await asyncio.wait(tasks)
            raise
        if self._stop is not None:
            raise self._stop

    async def _turns(self, front: Front, tasks: dict[asyncio.Task[None], Step]) -> None:
        jobs = max(1, self.policy.jobs)
        while True:
            if self._stop is None:
                for step in front.next(jobs - len(tasks), self._bound):
                    tasks[asyncio.ensure_future(self._step(step))] = step
            if not tasks:
                break
            # what runs is let run to its end, whatever stopped the run: a write that is cut off is in doubt
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda t: tasks[t].order):
                step = tasks.pop(task)
                error = task.exception()
                if error is None:
                    front.end(step.slot)
                elif isinstance(error, Stand | Stopped):
                    self._stop = self._stop or error
                else:
                    raise error

    def _bound(self, step: Step) -> Tree:
        return known(step, self.scene())

    async def _step(self, step: Step) -> None:
        """Run one step to its end: done, skipped, or not reached by a shadow run."""
        try:
            rows: list[Tree] | None = None
            taken = False

            async def look() -> None:
                nonlocal rows, taken
                try:
                    taken = await self.questions.passes(step, self.scene())
                    rows = elements(step, self.scene()) if taken and step.each is not None else None
                except Missing as missing:
                    self.calls.reached(step, missing)
                    raise Halt(missing.code, missing.what, bound=known(step, self.scene())) from missing

            action = await self.questions.until(step, f"{step.slot}:when", look)
            if action == "skip" or (action == "" and not taken):
                self.skipped.add(step.slot)
                return
            if action == "output":
                self.outputs[step.slot] = self.questions.given
                return
            found = await self._called(step, rows)
        except Unreached:
            self.unreached.add(step.slot)
            return
        if found is NOTHING:
            self.skipped.add(step.slot)
        else:
            self.outputs[step.slot] = found

    async def _called(self, step: Step, rows: list[Tree] | None) -> Tree:
        if rows is None:
            return await self.calls.make(step, self.scene(), None)
        if step.asks:
            found = await self._in_turn(step, rows)
        else:
            found = await self._together(step, rows)
        return [one for one in found if one is not NOTHING]

    async def _in_turn(self, step: Step, rows: list[Tree]) -> list[Tree]:
        found, missed = [], False
        for place, row in enumerate(rows):
            try:
                found.append(await self.calls.make(step, self.scene(row), place))
            except Unreached:
                missed = True  # a shadow run tells the writes of all elements
        if missed:
            raise Unreached
        return found

    async def _together(self, step: Step, rows: list[Tree]) -> list[Tree]:
        room = asyncio.Semaphore(max(1, self.policy.jobs))

        async def one(place: int, row: Tree) -> Tree:
            async with room:
                return await self.calls.make(step, self.scene(row), place)

        found = await asyncio.gather(*(one(n, row) for n, row in enumerate(rows)), return_exceptions=True)
        for result in found:
            if isinstance(result, BaseException):
                raise result
        return list(found)

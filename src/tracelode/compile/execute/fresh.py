"""Does what a step copies still hold? Looked at before each call, by this run's outputs and clock."""

from __future__ import annotations

from tracelode.compile.evaluate import Missing, Scene, value
from tracelode.compile.execute.arguments import known
from tracelode.compile.execute.ledger import Ledger
from tracelode.compile.execute.questions import Questions
from tracelode.compile.execute.stops import NOTHING, Halt
from tracelode.compile.lasting import clock, held
from tracelode.model.execution import Failing
from tracelode.model.run import Tree
from tracelode.model.workflow import Fresh, Step, Workflow


class Answered(Exception):
    """Somebody said what comes of a step that is not called.

    Args:
        output: its output, NOTHING where the run goes on without it.
    """

    def __init__(self, output: Tree) -> None:
        super().__init__("answered")
        self.output = output


class Freshness:
    """Holds the steps of a run against the clock.

    Args:
        workflow: which.
        ledger: knows when calls began.
        questions: asks.

    Source:
        compiler specification, section 9; docs/decisions/0035-freshness.md.
    """

    def __init__(self, workflow: Workflow, ledger: Ledger, questions: Questions) -> None:
        self._ledger, self._questions = ledger, questions
        self._timed = {one.step for step in workflow.steps for one in step.fresh if one.kind != "moment"}
        self._begun: dict[str, dict[int | None, int | None]] = {}

    def made(self, slot: str, place: int | None, key: str) -> None:
        """A call of a step has its output: remember when it began, if somebody will ask.

        Args:
            slot: the step.
            place: element of a for-each step.
            key: of the call.
        """
        if slot in self._timed:
            self._begun.setdefault(slot, {})[place] = self._ledger.begun(key)

    async def hold(self, step: Step, key: str, scene: Scene) -> None:
        """Look whether a step may be called still; what was answered once is not asked again.

        Args:
            step: with fresh.
            key: of the call, without its attempts.
            scene: what is known.

        Raises:
            Answered: somebody said what comes of it.
            Stand: nobody can say.
            Stopped: somebody ended the run.
        """

        async def look() -> None:
            self._look(step, scene)

        action = await self._questions.until(step, f"{key}:fresh", look)
        if action == "output":
            raise Answered(self._questions.given)
        if action == "skip":
            raise Answered(NOTHING)

    def _look(self, step: Step, scene: Scene) -> None:
        for one in step.fresh:
            holds, why = self._held(one, scene)
            if holds is False or (holds is None and step.effect.writes):
                told = "no longer holds" if holds is False else "may not hold any more"
                raise Halt(
                    "stale",
                    f"what {one.step} gave {told}: {why}",
                    failing=Failing(kind="fresh", what="over" if holds is False else "unknown"),
                    bound=known(step, scene),
                    output=None,  # what is accepted here is what was copied; another try looks again
                )

    def _held(self, one: Fresh, scene: Scene) -> tuple[bool | None, str]:
        if one.step not in scene.outputs:
            return True, ""  # it was left out: nothing was copied from it
        try:
            told = value(one.value, scene)
        except Missing:
            told = None
        if told in (None, ""):
            return (None, "it tells no expiry, as it did in every run") if one.always else (True, "")
        times = self._begun.get(one.step, {None: None}).values()
        noted = [at for at in times if at is not None]
        begun = min(noted) if len(noted) == len(times) else None
        return held(one.kind, told, begun, clock())

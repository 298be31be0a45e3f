"""Which runs have not ended, and how does a person say what became of a write in doubt?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import UsageError
from tracelode.model.compiled import Chosen, OpenRun

if TYPE_CHECKING:
    from tracelode.model.execution import Asker, Question, Reply
    from tracelode.model.workflow import Workflow

SAID = {"tracelode": "a person said that it was done; what its tool answered is not known"}
"""Stands for the output of a write that a person saw."""


def open_runs(workflow: Workflow, chosen: Chosen) -> list[OpenRun]:
    """The runs of a workflow that have not ended.

    Args:
        workflow: which.
        chosen: engine and journal.

    Raises:
        UsageError: the engine keeps them elsewhere.
    """
    from tracelode.compile.execute.open_runs import open_runs

    return open_runs(_own(chosen, "--open"), workflow)


def unrepeated(workflow: Workflow, inputs: Mapping[str, Any], chosen: Chosen) -> None:
    """Refuse early what the engine refuses when it begins: before a run is told of.

    Args:
        workflow: which.
        inputs: name to value.
        chosen: engine and journal; other engines than embedded say it themselves.

    Raises:
        Repeated: an open run of the same inputs wrote, or is under way.
    """
    from pathlib import Path

    from tracelode.compile.execute.journal import Journal
    from tracelode.compile.execute.open_runs import unrepeated

    if chosen.engine == "embedded" and not chosen.shadow and Path(chosen.journal).exists():
        with Journal(Path(chosen.journal)) as journal:
            unrepeated(journal, workflow, inputs)


def restore(workflow: Workflow, chosen: Chosen) -> None:
    """Take a demotion back; what was noted until now counts no more.

    Args:
        workflow: which.
        chosen: engine and journal.

    Raises:
        UsageError: the engine keeps no such notes.
    """
    from pathlib import Path

    from tracelode.compile.execute.journal import Journal
    from tracelode.compile.execute.monitor import Monitor

    place = Path(_own(chosen, "--restore"))
    if place.exists():
        with Journal(place) as journal:
            Monitor(journal).restore(workflow.id)


def in_doubt(workflow: Workflow, chosen: Chosen, run: str) -> tuple[str, ...] | None:
    """The writes of an open run that may have been made, or not.

    Args:
        workflow: which.
        chosen: engine and journal.
        run: run id.

    Returns:
        Slots; None where no such run is open, or nothing is known of the engine's runs.
    """
    if chosen.engine != "embedded":
        return None
    return next((one.doubt for one in open_runs(workflow, chosen) if one.run == run), None)


def settled(
    workflow: Workflow, chosen: Chosen, asker: Asker | None, *, done: str, not_done: str, output: str | None
) -> Asker | None:
    """Who answers, where a person said beforehand what became of a write in doubt.

    Args:
        workflow: which.
        chosen: names the run that is resumed.
        asker: answers everything else, None for nobody.
        done: slot of a write that happened, "" for none.
        not_done: slot of a write that did not happen and shall be made, "" for none.
        output: JSON of what a write that happened gave.

    Raises:
        UsageError: the words do not go together, or the write is not in doubt.
    """
    from tracelode.model.execution import Reply

    slot = done or not_done
    if output is not None and not done:
        raise UsageError("--output tells what a step of --done STEP gave")
    if not slot:
        return asker
    if done and not_done:
        raise UsageError("--done and --not-done answer for one step at a time: give one of them")
    if not chosen.resume:
        raise UsageError(f"{'--done' if done else '--not-done'} says what is so of a run: give --resume RUN")
    doubt = in_doubt(workflow, chosen, chosen.resume)
    if doubt is not None and slot not in doubt:
        raise UsageError(
            f"{slot} of run {chosen.resume} is not in doubt; in doubt: {', '.join(doubt) or 'nothing'}"
        )
    if not_done:
        return _Settled(slot, Reply(by="person", action="retry"), asker)
    return _Settled(slot, Reply(by="person", action="output", value=_output(workflow, slot, output)), asker)


def is_read(workflow: Workflow, slot: str) -> bool:
    """Do later steps read the output of a step?

    Args:
        workflow: which.
        slot: the step.
    """
    from tracelode.compile.execute.calls import reads

    return any(slot in reads(step) for step in workflow.steps)


def _output(workflow: Workflow, slot: str, output: str | None) -> Any:
    if output is None:
        if is_read(workflow, slot):
            raise UsageError(f"later steps read what {slot} gave: tell it with --output JSON")
        return SAID
    from tracelode.compile.execute.checks import failing

    try:
        value = msgspec.json.decode(output)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError("--output is no JSON") from None
    step = next((step for step in workflow.steps if step.slot == slot and step.each is None), None)
    wrong = None if step is None else failing(step, value)
    if wrong is not None:
        where = f" at {wrong.path}" if wrong.path else ""
        raise UsageError(f"--output is not what {slot} gives: {wrong.what}{where}; nothing is noted")
    return value


def _own(chosen: Chosen, option: str) -> str:
    if chosen.engine != "embedded":
        raise UsageError(f"{option} looks into a journal file; the engine {chosen.engine} keeps its own")
    return chosen.journal


class _Settled:
    """Answers once for the write in doubt, and asks another one for the rest."""

    def __init__(self, slot: str, reply: Reply, asker: Asker | None) -> None:
        self._slot, self._reply, self._asker = slot, reply, asker
        self._said = False

    async def __call__(self, question: Question) -> Reply | None:
        asked = question.escalation
        if (
            not self._said
            and asked is not None
            and asked.code == "in_doubt"
            and asked.step == self._slot
            and self._reply.action in asked.actions
        ):
            self._said = True
            return self._reply
        return None if self._asker is None else await self._asker(question)

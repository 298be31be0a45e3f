"""Which runs of a workflow have not ended, and which writes did they make, or perhaps make?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tracelode.compile.execute.given import secrets
from tracelode.compile.execute.holding import busy
from tracelode.compile.execute.journal import BEGUN, DONE, IN_DOUBT, Journal
from tracelode.errors import Repeated
from tracelode.model.compiled import OpenRun
from tracelode.model.execution import Question
from tracelode.model.run import Tree
from tracelode.model.workflow import Workflow

_TAIL = re.compile(r"(\[\d+\])?(@\d+)?(~\d+)?(!\d+)?")
_Noted = tuple[OpenRun, dict[str, Any]]


def open_runs(place: str, workflow: Workflow) -> list[OpenRun]:
    """The runs of a workflow that have not ended.

    Args:
        place: file of the journal; one that is not there has none.
        workflow: which.

    Returns:
        By the time of their start.
    """
    if not Path(place).exists():
        return []
    with Journal(Path(place)) as journal:
        return [run for run, _ in _open(journal, workflow)]


def unrepeated(journal: Journal, workflow: Workflow, inputs: Mapping[str, Tree], own: str = "") -> None:
    """Refuse to begin what an earlier run began: its writes would be made a second time.

    Args:
        journal: open.
        workflow: which.
        inputs: name to value; secret ones are not compared, since they are not noted.
        own: id of the run that is to begin.

    Raises:
        Repeated: a run with the same inputs has not ended, and made a write, may have made one, or is under
            way and may come to one.
    """
    given = compared(workflow, inputs)
    writes = any(step.effect.writes for step in workflow.steps)
    for run, noted in _open(journal, workflow):
        if run.mode == "act" and noted == given and run.run != own:
            refuse(run.run, run.wrote, run.doubt, under_way=writes and busy(journal.path, run.run))


def compared(workflow: Workflow, inputs: Mapping[str, Tree]) -> dict[str, Tree]:
    """The inputs that tell whether two runs do the same.

    Args:
        workflow: which.
        inputs: name to value.
    """
    known = {one.name for one in workflow.inputs if not one.secret} - secrets(workflow, inputs)
    return {name: value for name, value in inputs.items() if name in known}


def refuse(run: str, wrote: Sequence[str], doubt: Sequence[str], *, under_way: bool) -> None:
    """Say what an open run of the same inputs wrote, or that it may come to a write.

    Args:
        run: its id.
        wrote: slots of writes that were made.
        doubt: slots of writes that may have been made.
        under_way: a process has it now.

    Raises:
        Repeated: it made a write, may have made one, or is under way.
    """
    told = f"may have made {', '.join(doubt)}" if doubt else f"made {', '.join(wrote)}" if wrote else ""
    if told or under_way:
        told = f"{told} and has not ended" if told else "is under way"
        raise Repeated(
            f"nothing was begun: run {run} of this workflow, with the same inputs, {told}; go on with it "
            f"(--resume {run}), or begin another one that writes once more (--again)",
            run,
        )


def _open(journal: Journal, workflow: Workflow) -> list[_Noted]:
    writes = [step.slot for step in workflow.steps if step.effect.writes]
    found = []
    rows = journal.rows(
        "SELECT run, mode, status, started, pending, inputs FROM runs "
        "WHERE workflow = ? AND status IN ('open', 'escalated') ORDER BY started, run",
        (workflow.id,),
    )
    for run, mode, status, started, pending, inputs in rows:
        calls = journal.rows("SELECT key, state FROM calls WHERE run = ? ORDER BY begun, key", (run,))
        replies = {row[0] for row in journal.rows("SELECT key FROM replies WHERE run = ?", (run,))}
        wrote, doubt = written(writes, calls, replies)
        step, code = _stands(pending)
        one = OpenRun(
            run=run,
            mode=mode,
            status=status,
            started=started,
            step=step,
            code=code,
            wrote=wrote,
            doubt=doubt,
        )
        found.append((one, msgspec.json.decode(inputs) if inputs else {}))
    return found


def written(
    writes: Iterable[str], calls: Iterable[tuple[Any, ...]], replies: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an open run wrote.

    Args:
        writes: slots that may change something.
        calls: (key, state) of each noted call.
        replies: keys of the questions that were answered.

    Returns:
        (slots that were written, slots that are in doubt: nobody has said yet what is so).
    """
    wrote: dict[str, None] = {}
    doubt: dict[str, None] = {}
    for key, state in calls:
        for slot in writes:
            tail = _TAIL.fullmatch(key, len(slot)) if key.startswith(slot) else None
            if tail is None:
                continue
            asked = f"{slot}{tail[1] or ''}{tail[3] or ''}:escalated"
            if state == DONE:
                wrote[slot] = None
            elif state in (BEGUN, IN_DOUBT) and asked not in replies:
                doubt[slot] = None
    return tuple(wrote), tuple(doubt)


def _stands(pending: bytes | None) -> tuple[str, str]:
    if pending is None:
        return "", ""
    question = msgspec.json.decode(pending, type=Question)
    if question.escalation is not None:
        return question.step, question.escalation.code
    return question.step, "approval_required" if question.kind == "approval" else "decision_required"

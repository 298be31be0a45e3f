"""How does a compiled workflow act on a task of BFCL or on a recorded run, and was every write right?

The real executor runs it. Approvals are given; no other question is answered, so the run stands still
there. On BFCL the tools are the task's classes. On a recorded run it is a shadow run: reads are answered
from the record, writes are told and compared, and a call that is not in the record fails.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from bfcl_world import World, _parsed, wrong_writes
from writes_families import Instance

from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.compile.transforms import same
from tracelode.errors import RunError, ToolFailed
from tracelode.model.execution import Outcome, Policy, Question, Reply
from tracelode.model.run import Run, ToolSpec, Tree
from tracelode.model.workflow import Workflow

End = Literal["right", "wrong", "escalated", "handed over", "missing input"]


class Acted(NamedTuple):
    """What came of one run of a workflow."""

    end: End
    """right: to its end, with the state of the gold calls; wrong: a write that no gold call makes, whether
    it was made or the tool refused it, or an end in another state; escalated: stood still after none or some
    of the gold writes; handed over: a partial workflow came to its end."""
    writes: int
    """Calls of tools that the workflow takes for writes, whether they changed anything or failed."""
    wrong: int
    """Of these, wrong ones."""
    why: str
    """Code of the escalation."""
    calls: tuple[tuple[str, str, Tree], ...]
    """(server, tool, arguments) that were made."""


class Box:
    """The classes of a task as a toolbox.

    Args:
        instance: the task.
        change: what is done to outputs before the workflow sees them.
    """

    def __init__(self, instance: Instance, change: Any = None) -> None:
        self._world = World(instance.row)
        servers = _servers(instance)
        self._specs = [
            msgspec.structs.replace(spec, server=servers[spec.name])
            for spec in instance.run.tools
            if spec.name in servers
        ]
        self._servers = servers
        self._change = change
        self.made: list[tuple[str, str, Tree]] = []

    async def describe(self) -> Sequence[ToolSpec]:
        """What the tools say of themselves."""
        return self._specs

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Make a call."""
        where = server or self._servers.get(name, "")
        if where not in self._world.made:
            raise ToolFailed("there is no such tool", kind="absent")
        self.made.append((where, name, arguments))
        text, failed = self._world.call(where, name, arguments)
        if failed:
            raise ToolFailed("the tool says that it failed", kind="refused")
        output = _parsed(text)
        return self._change(name, output) if self._change else output

    async def close(self) -> None:
        """Nothing to close."""


class Record:
    """A recorded run as a toolbox: each call answers what it answered then.

    Args:
        run: the record.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    async def describe(self) -> Sequence[ToolSpec]:
        """What the tools say of themselves: their names where nothing more is recorded."""
        told = {(spec.server, spec.name): spec for spec in self._run.tools}
        called = {(c.server, c.name): ToolSpec(name=c.name, server=c.server) for c in self._run.calls}
        return [{**called, **told}[key] for key in sorted({**called, **told})]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """What the first recorded call with these arguments answered."""
        for call in self._run.calls:
            if call.name == name and call.server == server and same(call.arguments, arguments):
                if call.missing or call.error:
                    break
                return call.output
        raise ToolFailed("the record has no such call", kind="absent")

    async def close(self) -> None:
        """Nothing to close."""


def _servers(instance: Instance) -> dict[str, str]:
    return {call.name: call.server for call in instance.run.calls}


async def _yes(question: Question) -> Reply | None:
    """A person who approves every write and answers nothing else."""
    return Reply(by="person", yes=True) if question.kind == "approval" else None


def started(
    workflow: Workflow, box: Any, inputs: Mapping[str, Tree], recorded: Run | None = None
) -> Outcome | None:
    """Run a workflow; None where it does not begin, since an input is missing or of another type.

    Args:
        workflow: which.
        box: its tools.
        inputs: name to value.
        recorded: for a shadow run.
    """
    policy = Policy(mode="act" if recorded is None else "shadow", demoted=True, jobs=1)
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "journal")
        try:
            return asyncio.run(
                EmbeddedEngine().start(
                    workflow, box, inputs, place=place, policy=policy, asker=_yes, recorded=recorded
                )
            )
        except RunError:
            return None


def acted(workflow: Workflow, instance: Instance, inputs: Mapping[str, Tree], change: Any = None) -> Acted:
    """Run a workflow on a task, and judge what it did by the task's gold calls.

    Args:
        workflow: which.
        instance: the task.
        inputs: name to value.
        change: what is done to outputs before the workflow sees them.
    """
    box = Box(instance, change)
    outcome = started(workflow, box, inputs)
    made = tuple(box.made)
    if outcome is None:
        return Acted("missing input", 0, 0, "missing_input", made)
    judged = wrong_writes(instance.row, instance.run, made)
    writers = {(step.server, step.tool) for step in workflow.steps if step.effect.writes}
    tried = [call for call in made if call[:2] in writers]
    strange = _strange(instance.run, tried)
    done = outcome.status == "done"
    wrong = max(judged.writes, strange) or (done and not judged.same)
    end: End = "wrong" if wrong else "right" if done else "escalated"
    if outcome.status == "handed_over" and not wrong:
        end = "handed over"
    why = outcome.escalation.code if outcome.escalation else ""
    return Acted(end, len(tried), max(judged.writes, strange), why, made)


def _strange(run: Run, tried: Sequence[tuple[str, str, Tree]]) -> int:
    """How many calls no gold call is like; each gold call counts once."""
    left = [(c.server, c.name, c.arguments) for c in run.calls]
    count = 0
    for server, name, arguments in tried:
        like = next((g for g in left if g[:2] == (server, name) and same(g[2], arguments)), None)
        if like is None:
            count += 1
        else:
            left.remove(like)
    return count

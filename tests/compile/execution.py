"""What the tests of running workflows share: steps in few words, a toolbox that counts, runs in one line."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.errors import ToolFailed
from tracelode.model import binding as b
from tracelode.model.execution import Asker, Outcome, Policy, Question, Reply
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import keyed
from tracelode.model.workflow import Argument, Effect, Input, Step, Workflow

READ = Effect("read", "configured", family="shop")
WRITE = Effect("append", "configured", family="shop")
YES = Policy(writes="proven")


def bound(**bindings: b.Binding) -> tuple[Argument, ...]:
    """Arguments with proven bindings."""
    return tuple(Argument(name, binding, proof="hard") for name, binding in bindings.items())


def step(slot: str, *after: str, effect: Effect = READ, order: int = 0, **more: Any) -> Step:
    """A step whose tool is the part of its slot before #."""
    return Step(slot=slot, tool=slot.partition("#")[0], after=after, effect=effect, order=order, **more)


def workflow(*steps: Step, **more: Any) -> Workflow:
    """A proven workflow; its inputs are texts."""
    names = more.pop("inputs", ())
    given = tuple(Input(name=n, type="string") if isinstance(n, str) else n for n in names)
    return Workflow(**{
        "id": "wf_000000000001", "name": "try", "intent": "i_1", "trust": "proven", "runs": 9,
        "inputs": given, "steps": steps, **more,
    })  # fmt: skip


class Box:
    """A toolbox of functions in this process, plain or async, that notes every call."""

    def __init__(self, specs: Mapping[str, ToolSpec] | None = None, **functions: Callable[..., Any]) -> None:
        self.functions, self.specs = functions, dict(specs or {})
        self.calls: list[tuple[str, Tree, str]] = []

    async def describe(self) -> list[ToolSpec]:
        return [self.specs.get(name, ToolSpec(name=name)) for name in sorted(self.functions)]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        self.calls.append((name, arguments, key))
        if name not in self.functions:
            raise ToolFailed("there is no such tool", kind="absent")
        given = keyed(self.specs[name], arguments, key) if name in self.specs else arguments
        found = self.functions[name](**given)
        return await found if inspect.isawaitable(found) else found

    async def close(self) -> None:
        pass

    def names(self) -> list[str]:
        """Names of the calls in order."""
        return [name for name, _, _ in self.calls]


def start(
    work: Workflow,
    box: Any,
    place: Path,
    inputs: Mapping[str, Tree] | None = None,
    run: str = "r",
    **more: Any,
) -> Outcome:
    """Run a workflow with the embedded engine."""
    more.setdefault("policy", YES)
    return asyncio.run(EmbeddedEngine().start(work, box, inputs or {}, place=str(place), run=run, **more))


def resume(work: Workflow, box: Any, place: Path, run: str = "r", **more: Any) -> Outcome:
    """Go on with a run."""
    more.setdefault("policy", YES)
    return asyncio.run(EmbeddedEngine().resume(work, box, place=str(place), run=run, **more))


def answering(*replies: Reply | None, heard: list[Question] | None = None) -> Asker:
    """Somebody who gives these replies, one after another, and notes the questions."""
    left = list(replies)

    async def ask(question: Question) -> Reply | None:
        if heard is not None:
            heard.append(question)
        return left.pop(0) if left else None

    return ask

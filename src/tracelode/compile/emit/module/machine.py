"""How does an emitted module run? With the standard library alone: what it needs is copied into it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from tracelode.compile.emit.module.values import (
    EVERY,
    EVERY_KEY,
    Asked,
    Missing,
    Scene,
    Tree,
    has,
    path_words,
)
from tracelode.compile.execute.checks import _KINDS, no_error
from tracelode.compile.execute.start import _is, moment
from tracelode.compile.paths import Key, _get
from tracelode.compile.transforms import same

Call: TypeAlias = Callable[[str, Any], Awaitable[Any]]
"""Calls a tool: (name, arguments) to its answer; it raises where the tool fails."""
ABSENT: Any = object()
"""Stands for an input that was not given."""
RETRY: Any = object()
"""Answer to an escalation: try the step again."""
SKIP: Any = object()
"""Answer to an escalation: go on without the step."""


class ToolFailed(Exception):
    """Raised by whoever calls tools: the call failed for certain, nothing was changed."""


class Escalation(Exception):
    """The workflow cannot go on by itself: everything that whoever takes over needs."""

    def __init__(self, code: str, step: Step, what: str, run: Run, **more: Any) -> None:
        super().__init__(f"{step.slot}: {code}: {what}")
        self.code, self.step, self.tool, self.what = code, step.slot, step.tool, what
        self.writes = step.writes
        self.completed = dict(run.outputs)
        self.skipped = tuple(run.skipped)
        self.argument: str = more.get("argument", "")
        self.arguments: Tree = more.get("arguments")
        self.candidates: tuple[Tree, ...] | None = more.get("candidates")
        self.output: Tree = more.get("output", ABSENT)


Escalate: TypeAlias = Callable[[Escalation], Awaitable[Any]]
"""Answers an escalation. decision_required: the value, or the place of the chosen candidate.
approval_required: True for yes. Others: RETRY, SKIP, or the output of the step. It raises to end the run."""


class Halt(Exception):
    """A call that cannot be made, or whose output is not as it was."""

    def __init__(self, code: str, what: str, **more: Any) -> None:
        super().__init__(what)
        self.code, self.what, self.more = code, what, more


class Check(NamedTuple):
    """What was so of an output in every run."""

    kind: str
    keys: tuple[Key, ...]
    value: Tree = None
    success: bool = False


class Wait(NamedTuple):
    """Call again until the status is one of some values."""

    keys: tuple[Key, ...]
    until: tuple[Tree, ...]
    seconds: float
    most: int


@dataclass(frozen=True)
class Step:
    """One tool call of the workflow."""

    slot: str
    tool: str
    arguments: Callable[[Scene], Tree]
    writes: bool = True
    loose: bool = False
    """A write whose target somebody is asked for, or comes from a text: always needs a yes."""
    when: Callable[[Scene], bool] | None = None
    each: Callable[[Scene], Tree] | None = None
    most: int = 0
    top: int | None = None
    wait: Wait | None = None
    retries: int = 0
    checks: tuple[Check, ...] = ()


def given(*inputs: tuple[str, str, Tree]) -> dict[str, Tree]:
    """The inputs that were given, each of its type."""
    found = {name: value for name, _, value in inputs if value is not ABSENT}
    for name, kind, value in inputs:
        if value is not ABSENT and not _is(kind, value):
            raise TypeError(f"input {name} must be of type {kind}")
    return found


def at_this_moment(state: Mapping[str, Tree] | None) -> dict[str, Tree]:
    """The values of the moment, and the caller's own."""
    return moment(state)


def failing(checks: Sequence[Check], output: Tree) -> str:
    """Which check an output does not pass, "" where all hold."""
    for check in checks:
        if not _passes(check, output):
            where = path_words(check.keys) or "the whole"
            return f"{check.kind} does not hold at {where}, as it did in every run"
    return ""


def _passes(check: Check, output: Tree) -> bool:
    if check.kind == "no_error":
        return no_error(output)
    try:
        found = _get(output, check.keys)
    except LookupError:
        return check.kind != "required" and not check.success and check.kind in _KINDS
    many = EVERY in check.keys or EVERY_KEY in check.keys
    if check.kind == "required":
        return not many or bool(found)
    test = _KINDS.get(check.kind)
    return test is not None and all(test(one, check.value) for one in (found if many else [found]))


class Run:
    """One run of the workflow. It keeps no journal: what was done is known as long as the process lives."""

    def __init__(
        self,
        call: Call,
        inputs: Mapping[str, Tree],
        state: Mapping[str, Tree],
        escalate: Escalate | None,
        approved: Collection[str],
    ) -> None:
        self.call, self.inputs, self.state = call, inputs, state
        self.escalate, self.approved = escalate, approved
        self.outputs: dict[str, Tree] = {}
        self.skipped: list[str] = []

    async def step(self, step: Step) -> None:
        """Take a step: its guard, its list, its calls."""
        while True:
            scene = Scene(self.inputs, self.outputs, self.state)
            try:
                if step.when is not None and not await self._known(step, step.when, scene):
                    self.skipped.append(step.slot)
                    return
                rows = None if step.each is None else self._rows(step, step.each(scene))
                break
            except (Missing, Halt) as halt:
                answer = await self._ask(halt.code, step, halt.what)
                if answer is RETRY:
                    continue
                self._end(step, answer)
                return
        if rows is None:
            self._end(step, await self._made(step, None))
            return
        found = [await self._made(step, row) for row in rows]
        self._end(step, [one for one in found if one is not SKIP])

    def _end(self, step: Step, output: Tree) -> None:
        if output is SKIP:
            self.skipped.append(step.slot)
        else:
            self.outputs[step.slot] = output

    def _rows(self, step: Step, rows: Tree) -> list[Tree]:
        found: list[Tree] = list(rows.values()) if isinstance(rows, dict) else rows
        if not isinstance(found, list):
            raise Halt("guard_failed", "what the step goes over is no list")
        found = found if step.top is None else found[: step.top]
        if len(found) > step.most:
            raise Halt("guard_failed", f"{len(found)} elements, where the runs had {step.most} at most")
        return found

    async def _made(self, step: Step, element: Tree) -> Tree:
        while True:
            try:
                return await self._once(step, element)
            except (Missing, Halt) as halt:
                answer = await self._ask(halt.code, step, halt.what, **getattr(halt, "more", {}))
            if answer is not RETRY:
                return answer

    async def _once(self, step: Step, element: Tree) -> Tree:
        scene = Scene(self.inputs, self.outputs, self.state, element)
        tree = await self._known(step, step.arguments, scene)
        if step.writes and (step.loose or step.slot not in self.approved):
            yes = await self._ask("approval_required", step, "a person must say yes first", arguments=tree)
            if yes is not True:
                raise Halt("approval_required", "a person said no to the call", arguments=tree)
        output = await (self._tried(step, tree) if step.wait is None else self._waited(step, step.wait, tree))
        if wrong := failing(step.checks, output):
            raise Halt("guard_failed", wrong, arguments=tree, output=output)
        return output

    async def _waited(self, step: Step, wait: Wait, tree: Tree) -> Tree:
        for poll in range(wait.most):
            if poll:
                await asyncio.sleep(wait.seconds)
            output = await self._tried(step, tree)
            if has(output, wait.keys) and any(same(_get(output, wait.keys), end) for end in wait.until):
                return output
        raise Halt("guard_failed", f"it did not end within {wait.most} calls", arguments=tree)

    async def _tried(self, step: Step, tree: Tree) -> Tree:
        for attempt in range(step.retries + 1):
            try:
                return await self.call(step.tool, tree)
            except Exception as error:
                if attempt < step.retries:
                    await asyncio.sleep(min(10.0, 0.2 * 2**attempt))
                    continue
                sure = isinstance(error, ToolFailed) or not step.writes
                code = "tool_error_after_retry" if sure else "in_doubt"
                what = "the tool failed" if sure else "it is not known whether the write was made"
                raise Halt(code, f"{what} ({type(error).__name__})", arguments=tree) from error
        raise AssertionError("a step is tried at least once")

    async def _known(self, step: Step, function: Callable[[Scene], Any], scene: Scene) -> Any:
        while True:
            try:
                return function(scene)
            except Asked as asked:
                scene.answers[asked.key] = await self._ask(
                    "decision_required",
                    step,
                    "no rule explains it",
                    argument=asked.key[0],
                    candidates=asked.candidates,
                )

    async def _ask(self, code: str, step: Step, what: str, **more: Any) -> Any:
        escalation = Escalation(code, step, what, self, **more)
        if self.escalate is None:
            raise escalation
        return await self.escalate(escalation)

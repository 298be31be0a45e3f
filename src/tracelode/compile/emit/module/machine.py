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
from tracelode.compile.execute.given import _wrong
from tracelode.compile.execute.start import moment
from tracelode.compile.lasting import clock, held
from tracelode.compile.paths import Key, _get
from tracelode.compile.transforms import same

Call: TypeAlias = Callable[[str, Any], Awaitable[Any]]
"""Calls a tool: (name, arguments) to its answer; it raises where the tool fails."""
ABSENT: Any = object()
"""Stands for an input that was not given."""
RETRY: Any = object()
"""Answer: try the step again."""
SKIP: Any = object()
"""Answer: go on without the step, or without this element of a for-each step."""
ACCEPT: Any = object()
"""Answer: the output that does not pass a check is right as it is; what was copied holds all the same."""
STOP: Any = object()
"""Answer: end the run here."""
PATIENCE = 10
"""Times in a row that one call is tried again because somebody says so."""


@dataclass(frozen=True)
class Output:
    """Answer: the step is done, and this is its output. Nothing else is ever taken for an output."""

    value: Tree


@dataclass(frozen=True)
class Value:
    """Answer to decision_required: the argument's value, or the place of the chosen candidate from 0."""

    value: Tree


class ToolFailed(Exception):
    """Raised by whoever calls tools: the call failed for certain, nothing was changed."""


class Escalation(Exception):
    """The workflow cannot go on by itself: everything that whoever takes over needs."""

    def __init__(self, code: str, step: Step, what: str, run: Any, **more: Any) -> None:
        # run is a Run, which is copied after this class since it raises it
        super().__init__(f"{step.slot}: {code}: {what}")
        self.code, self.step, self.tool, self.what = code, step.slot, step.tool, what
        self.writes = step.writes
        self.completed = dict(run.outputs)
        self.skipped = tuple(run.skipped)
        self.partly: tuple[Tree, ...] = tuple(run.partly)
        """Outputs of a for-each step whose other elements are not done."""
        self.argument: str = more.get("argument", "")
        self.arguments: Tree = more.get("arguments")
        self.candidates: tuple[Tree, ...] | None = more.get("candidates")
        self.output: Tree = more.get("output", ABSENT)
        self.answers = answers_to(code, self.output is not ABSENT)


class Stopped(Escalation):
    """Somebody said no, or stop, or what is no answer: nothing more is done. It tells what was done."""


Escalate: TypeAlias = Callable[[Escalation], Awaitable[Any]]
"""Answers an escalation. approval_required: True for yes, False for no, which ends the run.
decision_required: Value(...). Others: RETRY, SKIP, ACCEPT, STOP or Output(...), as far as its `answers` name
them. Whatever else it gives ends the run (Stopped); it is never taken for an output."""


def answers_to(code: str, accepted: bool) -> tuple[str, ...]:
    """What an escalation may be answered with."""
    if code == "approval_required":
        return ("yes", "no")
    if code == "decision_required":
        return ("value", "stop")
    return ("output", *(("accept",) if accepted or code == "stale" else ()), "retry", "skip", "stop")


def answer_word(answer: Any) -> str:
    """Which kind of answer something is, "" for none."""
    if answer is True or answer is False:
        return "yes" if answer else "no"
    if isinstance(answer, Output | Value):
        return "output" if isinstance(answer, Output) else "value"
    words = ((RETRY, "retry"), (SKIP, "skip"), (ACCEPT, "accept"), (STOP, "stop"))
    return next((word for one, word in words if answer is one), "")


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
    stale: Callable[[Scene, Mapping[str, int]], str] | None = None
    """Says why what it copies does not hold any more, "" where it does."""


class Fresh(NamedTuple):
    """What tells until when something holds that a step copies."""

    slot: str
    value: Callable[[], Tree]
    kind: str
    always: bool


def stale(scene: Scene, begun: Mapping[str, int], writes: bool, *limits: Fresh) -> str:
    """Why what a step copies does not hold any more, "" where it does. What is not known holds for a read."""
    for one in limits:
        if one.slot not in scene.outputs:
            continue
        try:
            told = one.value()
        except Missing:
            told = None
        if told in (None, ""):
            holds, why = (None if one.always else True), "it tells no expiry, as it did in every run"
        else:
            holds, why = held(one.kind, told, begun.get(one.slot), clock())
        if holds is False or (holds is None and writes):
            words = "no longer holds" if holds is False else "may not hold any more"
            return f"what {one.slot} gave {words}: {why}"
    return ""


def given(*inputs: tuple[str, str, bool, bool, Tree]) -> dict[str, Tree]:
    """The inputs that were given, each of its type: name, type, may it have lines, may it be empty, value."""
    found = {name: value for name, _, _, _, value in inputs if value is not ABSENT}
    for name, kind, lines, empty, value in inputs:
        if value is not ABSENT and (why := _wrong(kind, value, lines=lines, empty=empty)):
            raise TypeError(f"input {name} must be of type {kind}: {why}")
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
        self.partly: list[Tree] = []
        self.begun: dict[str, int] = {}
        """When the call that gave a step's output began, in UTC microseconds; of several the first."""

    async def step(self, step: Step) -> None:
        """Take a step: its guard, its list, its calls."""
        again = 0
        while True:
            scene = Scene(self.inputs, self.outputs, self.state)
            try:
                if step.when is not None and not await self._known(step, step.when, scene):
                    self.skipped.append(step.slot)
                    return
                rows = None if step.each is None else self._rows(step, step.each(scene))
                break
            except (Missing, Halt) as halt:
                answer = await self._ask(halt.code, step, halt.what, again)
            if answer is not RETRY:
                self._end(step, SKIP if answer is SKIP else answer.value)
                return
            again += 1
        if rows is None:
            self._end(step, await self._made(step, None))
            return
        for row in rows:
            output = await self._made(step, row)
            if output is not SKIP:
                self.partly.append(output)
        self._end(step, self.partly)
        self.partly = []

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
        again, holds = 0, False
        while True:
            try:
                return await self._once(step, element, holds)
            except (Missing, Halt) as halt:
                code, more = halt.code, getattr(halt, "more", {})
                answer = await self._ask(code, step, halt.what, again, **more)
            if answer is ACCEPT and code == "stale":
                holds = True
                continue
            if answer is ACCEPT:
                return more["output"]
            if answer is not RETRY:
                return SKIP if answer is SKIP else answer.value
            again += 1

    async def _once(self, step: Step, element: Tree, holds: bool) -> Tree:
        scene = Scene(self.inputs, self.outputs, self.state, element)
        tree = await self._known(step, step.arguments, scene)
        self._held(step, scene, tree, holds)
        if step.writes and (step.loose or step.slot not in self.approved):
            await self._ask("approval_required", step, "a person must say yes first", arguments=tree)
            self._held(step, scene, tree, holds)  # a yes may have taken its time
        output = await (self._tried(step, tree) if step.wait is None else self._waited(step, step.wait, tree))
        if wrong := failing(step.checks, output):
            raise Halt("guard_failed", wrong, arguments=tree, output=output)
        return output

    def _held(self, step: Step, scene: Scene, tree: Tree, holds: bool) -> None:
        if step.stale is not None and not holds and (why := step.stale(scene, self.begun)):
            raise Halt("stale", why, arguments=tree)

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
            at = clock()
            try:
                output = await self.call(step.tool, tree)
                self.begun[step.slot] = at if step.each is None else min(at, self.begun.get(step.slot, at))
                return output
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
                answer = await self._ask(
                    "decision_required",
                    step,
                    "no rule explains it",
                    argument=asked.key[0],
                    candidates=asked.candidates,
                )
                scene.answers[asked.key] = answer.value

    async def _ask(self, code: str, step: Step, what: str, again: int = 0, **more: Any) -> Any:
        """The answer to an escalation: always one that it may be answered with, and never no or stop."""
        escalation = Escalation(code, step, what, self, **more)
        if self.escalate is None:
            raise escalation
        answer = await self.escalate(escalation)
        word = answer_word(answer)
        if word == "stop":
            why = "somebody said to stop"
        elif word not in escalation.answers:
            kinds = ", ".join(escalation.answers)
            why = f"{word or type(answer).__name__} is no answer to it; answers: {kinds}"
        elif word == "no":
            why = "a person said no to the call"
        elif word == "retry" and again >= PATIENCE:
            why = f"{what}, though it was tried again {again} times"
        else:
            return answer
        raise Stopped(code, step, why, self, **more)

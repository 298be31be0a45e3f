"""How is a workflow run: which inputs does a request tell, who is asked, what is noted where?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode import registry
from tracelode.errors import ToolError, ToolFailed, UsageError
from tracelode.model.compiled import Beat, Chosen, Given
from tracelode.model.run import Run, ToolSpec, Tree

if TYPE_CHECKING:
    from tracelode.compile.request import Told
    from tracelode.model.asked import Backend
    from tracelode.model.execution import Asker, Engine, Outcome, Policy, Reply
    from tracelode.model.tools import Toolbox
    from tracelode.model.workflow import Input, Workflow

JOURNAL = "journal.sqlite"
"""File beside the workflow in which its runs are noted, where the user names none."""


def load(target: str | Path, *, accept_edits: bool = False) -> tuple[Workflow, Path]:
    """A workflow and its folder.

    Args:
        target: folder or file that compile() wrote.
        accept_edits: take a file that was edited by hand.

    Raises:
        WorkflowError: the file cannot be taken.
    """
    from tracelode.compile import files
    from tracelode.workspace.compiling_files import file_of

    place = file_of(target)
    return files.load(place, accept_edits=accept_edits), place.parent


def told(workflow: Workflow, request: str, given: Mapping[str, Any] | None = None) -> Told:
    """What a request tells: inputs that are certain, and what speaks against running this workflow for it.

    Args:
        workflow: which.
        request: what somebody asks, in words.
        given: values of inputs that are given beside it.
    """
    from tracelode.compile import request as requests

    return requests.told(workflow, request, given)


def typed(one: Input, text: str) -> Any:
    """A value as it was typed, of the type that an input has.

    Args:
        one: the input.
        text: as typed.

    Raises:
        UsageError: it is none of this type.
    """
    if one.type in ("string", "date", "time"):
        return text
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError(f"input {one.name} must be of type {one.type}") from None
    kinds: dict[str, Any] = {"integer": int, "number": (int, float), "boolean": bool, "list": list}
    if isinstance(value, bool) != (one.type == "boolean") or not isinstance(
        value, kinds.get(one.type, object)
    ):
        raise UsageError(f"input {one.name} must be of type {one.type}")
    return value


def lacking(workflow: Workflow, given: Mapping[str, Any]) -> list[Input]:
    """The inputs that must be given and are not.

    Args:
        workflow: which.
        given: name to value.
    """
    return [one for one in workflow.inputs if one.required and one.name not in given]


def run(
    workflow: Workflow,
    inputs: Given,
    toolbox: Toolbox,
    chosen: Chosen,
    *,
    name: str = "",
    asker: Asker | None = None,
    recorded: Run | None = None,
    reply: Reply | None = None,
    beat: Callable[[Beat], None] | None = None,
) -> Outcome:
    """Run a workflow to its end, or to where it cannot go on by itself.

    Args:
        workflow: which.
        inputs: name to value; of a run that is resumed, the secret ones once more.
        toolbox: calls tools; closed in the end.
        chosen: engine, journal, policy.
        name: id of a new run.
        asker: answers questions; None: it stands still at the first.
        recorded: a run that a shadow run is compared with.
        reply: to the question a resumed run stands at.
        beat: told of every call.

    Returns:
        How far it came.

    Raises:
        RunError: it cannot start or go on.
        UsageError: unknown engine, or writes of steps that there are not.
    """
    made = engine(chosen.engine)
    policy = policy_of(workflow, chosen)
    box = toolbox if beat is None else _Watched(toolbox, beat)
    more: dict[str, Any] = {} if recorded is None else {"recorded": recorded}

    async def go() -> Outcome:
        try:
            if chosen.resume:
                return await made.resume(
                    workflow, box, place=chosen.journal, run=chosen.resume, reply=reply,
                    secrets=inputs, policy=policy, asker=asker, **more,
                )  # fmt: skip
            return await made.start(
                workflow, box, inputs, place=chosen.journal, run=name, policy=policy, asker=asker, **more
            )
        finally:
            await box.close()

    return asyncio.run(go())


def printed(workflow: Workflow, outcome: Outcome, inputs: Given) -> Outcome:
    """What came of a run as it may be printed: [secret:NAME] where an input that is never written stands.

    Args:
        workflow: which.
        outcome: of the run.
        inputs: name to value.
    """
    from tracelode.compile.execute.given import secrets
    from tracelode.compile.execute.secret import masked
    from tracelode.model.execution import Outcome as Shape

    never = {name: inputs[name] for name in secrets(workflow, inputs)}
    return msgspec.convert(masked(msgspec.to_builtins(outcome), never), Shape) if never else outcome


def engine(name: str) -> Engine:
    """An engine by name.

    Args:
        name: as registered.

    Raises:
        UsageError: no such engine.
        PluginError: it cannot be loaded.
    """
    if name not in registry.names("engines"):
        raise UsageError(f"no engine {name!r}; known: {', '.join(registry.names('engines'))}")
    found: Engine = registry.load("engines", name)
    return found


def policy_of(workflow: Workflow, chosen: Chosen) -> Policy:
    """How far a run may go by itself.

    Args:
        workflow: which.
        chosen: what its user said.

    Raises:
        UsageError: writes of steps that there are not.
    """
    from tracelode.model.execution import Budget, Policy

    approved: tuple[str, ...] = ()
    if chosen.writes not in ("ask", "proven"):
        approved = tuple(word.strip() for word in chosen.writes.split(",") if word.strip())
        writing = [step.slot for step in workflow.steps if step.asks]
        if strange := [slot for slot in approved if slot not in writing]:
            raise UsageError(
                f"--yes-write {strange[0]}: no step of this name needs a yes; it is ask, proven, or some of "
                f"{', '.join(writing) or 'none'}"
            )
    return Policy(
        mode="shadow" if chosen.shadow else "act",
        writes="proven" if chosen.writes == "proven" else "ask",
        approved=approved,
        demoted=chosen.restored,
        again=chosen.again,
        timeout=chosen.timeout,
        budget=Budget(calls=chosen.calls, seconds=chosen.seconds),
    )


def askers(*, person: bool, backend: Backend | None = None) -> Asker | None:
    """Who answers the questions of a run.

    Args:
        person: ask at the terminal.
        backend: ask this model first; it approves no write. None for none.

    Returns:
        One asker, None for nobody.

    Raises:
        UsageError: settings of the model that do not go together.
    """
    found: list[Any] = []
    if backend is not None:
        from tracelode.providers.ask_model import AskModel
        from tracelode.providers.choose import provider

        found.append(AskModel(provider(backend)))
    if person:
        from tracelode.providers.ask_terminal import Terminal

        found.append(Terminal())
    if not found:
        return None
    from tracelode.providers.ask_model import in_turn

    return found[0] if len(found) == 1 else in_turn(*found)


def journal_of(folder: Path, chosen: Chosen) -> str:
    """Where a run is noted.

    Args:
        folder: of the workflow.
        chosen: what its user said.

    Raises:
        UsageError: an engine that needs an address.
    """
    if chosen.journal:
        return chosen.journal
    if chosen.engine != "embedded":
        raise UsageError(f"--engine {chosen.engine} needs --journal with the address of its database")
    return str(folder / JOURNAL)


class _Watched:
    """A toolbox that tells of its calls."""

    def __init__(self, box: Toolbox, beat: Callable[[Beat], None]) -> None:
        self._box, self._beat = box, beat

    async def describe(self) -> Sequence[ToolSpec]:
        return await self._box.describe()

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        begun = time.perf_counter_ns()
        self._beat(Beat(tool=name, state="begun"))
        try:
            found = await self._box.call(name, arguments, key, server=server)
        except ToolError as error:
            state = "failed" if isinstance(error, ToolFailed) else "unsure"
            self._beat(Beat(tool=name, state=state, microseconds=_since(begun), why=error.kind))
            raise
        self._beat(Beat(tool=name, state="done", microseconds=_since(begun)))
        return found

    async def close(self) -> None:
        await self._box.close()


def _since(begun: int) -> int:
    return max(1, (time.perf_counter_ns() - begun) // 1_000)


def given_file(workflow: Workflow, path: Path) -> Given:
    """Inputs of a JSON file.

    Args:
        workflow: which.
        path: an object with inputs by name.

    Raises:
        UsageError: the file cannot be read, is no object, or names what is no input.
    """
    from tracelode.files import bounded, why

    try:
        found = msgspec.json.decode(bounded(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {why(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UsageError(f"{path} is no JSON") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no object with inputs by name")
    return found


def known(workflow: Workflow, name: str) -> Input:
    """The input of a name.

    Args:
        workflow: which.
        name: as typed.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    for one in workflow.inputs:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in workflow.inputs) or "none"
    raise UsageError(f"{name!r} is no input of this workflow; its inputs: {names}")

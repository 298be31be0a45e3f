"""Are the tools there, as they were, and what do they answer in time and within budget?"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Sequence
from typing import TypeVar

from tracelode.compile.execute.ledger import Ledger
from tracelode.compile.execute.stops import Halt
from tracelode.compile.schemas import schema_digest
from tracelode.errors import ToolError, ToolFailed, ToolUnsure
from tracelode.model.execution import Failing, Policy
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import Toolbox
from tracelode.model.workflow import Step

_T = TypeVar("_T")
_QUALIFIED = re.compile(r"mcp__(.+?)__(.+)")
_GRACE = 2.0
"""Seconds that a call which was given up gets to end."""


class Tools:
    """The toolbox of a run, with its limits.

    Args:
        toolbox: calls tools.
        ledger: counts calls.
        policy: limits.
        until: monotonic second after which no call is begun.
    """

    def __init__(self, toolbox: Toolbox, ledger: Ledger, policy: Policy, until: float) -> None:
        self._toolbox, self._ledger, self._policy, self._until = toolbox, ledger, policy, until
        self._specs: dict[tuple[str, str], ToolSpec] = {}
        self._named: dict[str, list[ToolSpec]] = {}
        self.schemas: dict[str, str] = {}
        """Slot to the digest of the arguments that its tool takes now, "" where it does not tell."""

    async def look(self) -> None:
        """Ask what the tools say of themselves.

        Raises:
            Halt: they cannot be asked.
        """
        try:
            specs: Sequence[ToolSpec] = await self._bounded(self._toolbox.describe())
        except ToolError as error:
            raise Halt(
                "tool_error_after_retry",
                str(error),
                failing=Failing(kind="tool", what=error.kind),
                actions=("retry", "stop"),
            ) from error
        self._specs = {(spec.server, spec.name): spec for spec in specs}
        self._named = {}
        for spec in specs:
            self._named.setdefault(spec.name, []).append(spec)

    def spec(self, server: str, name: str) -> ToolSpec | None:
        """What a tool says of itself.

        Args:
            server: who offers it, "" for whoever does alone.
            name: the tool.

        Returns:
            The spec; None where there is no such tool, or several.
        """
        found = self._specs.get((server, name))
        if found is None and (parts := _QUALIFIED.fullmatch(name)):
            found = self._specs.get((parts[1], parts[2]))  # agents that speak to several servers write it so
        if found is not None or server:
            return found
        alike = self._named.get(name, [])
        return alike[0] if len(alike) == 1 else None

    def check(self, step: Step) -> None:
        """Is the tool of a step there, and as it was when the workflow was learned?

        Args:
            step: which.

        Raises:
            Halt: it is not.
        """
        spec = self.spec(step.server, step.tool)
        if spec is None:
            what = "there is no such tool now, or several servers offer one of this name"
            raise Halt(
                "schema_changed",
                what,
                failing=Failing(kind="tool", what="absent"),
                actions=("retry", "skip", "stop"),
            )
        reads = not step.effect.writes and step.effect.basis != "configured"
        if reads and spec.hints.get("readOnlyHint") is False:
            raise Halt(
                "schema_changed",
                "the tool says that it may change something, and was learned as one that reads",
                failing=Failing(kind="effect", what="changed"),
                actions=("retry", "skip", "stop"),
            )
        now = schema_digest(spec.parameters) if spec.parameters else ""
        known = step.schema or self._ledger.schemas.get(step.slot, "")
        self.schemas[step.slot] = now
        if known and now != known:
            when = "was learned" if step.schema else "last ran to its end"
            raise Halt(
                "schema_changed",
                f"the tool takes other arguments than when the workflow {when}",
                failing=Failing(kind="schema", what="changed"),
                output=None,  # what is accepted here is the new schema
                actions=("accept", "retry", "skip", "stop"),
            )

    def spend(self) -> None:
        """May one more call be begun?

        Raises:
            Halt: the budget is used up.
        """
        budget = self._policy.budget
        if self._ledger.calls >= budget.calls:
            what = f"the budget of {budget.calls:,} calls is used up"
        elif time.monotonic() > self._until:
            what = f"the budget of {budget.seconds:,.0f} seconds is used up"
        else:
            return
        raise Halt("budget", what, actions=("stop",))

    async def call(self, step: Step, arguments: Tree, key: str) -> Tree:
        """Call the tool of a step once.

        Args:
            step: which.
            arguments: of the call.
            key: of the write, "" for a read.

        Raises:
            ToolFailed: it failed for certain.
            ToolUnsure: it may have been done.
        """
        spec = self.spec(step.server, step.tool)
        if spec is None:
            raise ToolFailed("there is no such tool", kind="absent")
        return await self._bounded(self._toolbox.call(spec.name, arguments, key, server=spec.server))

    async def read(self, spec: ToolSpec, arguments: Tree) -> Tree:
        """Call a getter; it is none of the workflow's own steps.

        Args:
            spec: the tool.
            arguments: of the call.

        Raises:
            ToolError: it has no answer.
        """
        self._ledger.calls += 1
        return await self._bounded(self._toolbox.call(spec.name, arguments, "", server=spec.server))

    async def _bounded(self, call: Awaitable[_T]) -> _T:
        task = asyncio.ensure_future(call)
        try:
            done, _ = await asyncio.wait((task,), timeout=self._policy.timeout)
        except asyncio.CancelledError:
            task.cancel()
            task.add_done_callback(_heard)
            raise
        if not done:
            task.cancel()
            await asyncio.wait((task,), timeout=_GRACE)  # a tool that does not hear it is left behind
            task.add_done_callback(_heard)
            raise ToolUnsure(
                f"the tool did not answer within {self._policy.timeout:g} seconds", kind="timeout"
            )
        try:
            return task.result()
        except ToolError:
            raise
        except asyncio.CancelledError:
            raise ToolUnsure("the call was cut off", kind="cut") from None
        except Exception as error:
            # an adapter that breaks its word; what it says may hold text of a tool
            raise ToolUnsure(f"the toolbox broke ({type(error).__name__})", kind="failed") from None


def _heard(task: asyncio.Future[_T]) -> None:
    if not task.cancelled():
        task.exception()


def failed(error: ToolError) -> Failing:
    """What an error of a tool is called in an escalation.

    Args:
        error: of the tool.
    """
    sure = "failed" if isinstance(error, ToolFailed) else "unsure"
    return Failing(kind="tool", what=f"{sure}: {error.kind}")

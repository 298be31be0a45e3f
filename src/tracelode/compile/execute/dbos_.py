"""The engine that keeps runs in DBOS: the same steps, the same rules, in SQLite or PostgreSQL.

A run is a chain of DBOS workflows, one for the start and one for each resumption; each begins with what the
ones before it noted. DBOS repeats a step that was cut off; a write here is two steps, and the first one only
notes that it begins, so that the second is never repeated: it is in doubt.
"""

from __future__ import annotations

import asyncio
import os
import secrets as random
import threading
from collections.abc import Mapping
from typing import Any

import msgspec

from tracelode.compile.execute.dbos_open import ALONE, WORKFLOW, unrepeated
from tracelode.compile.execute.executor import Executor
from tracelode.compile.execute.ledger import Before, Call, InDoubt, digest
from tracelode.compile.execute.secret import hidden, shown
from tracelode.compile.execute.sound import sound
from tracelode.compile.execute.start import checked_inputs, encoded, identity, moment, needed_again
from tracelode.compile.execute.stops import refused
from tracelode.compile.lasting import clock
from tracelode.errors import MissingExtra, NoRun, Repeated, RunError, ToolFailed, ToolUnsure
from tracelode.model.execution import Asker, Outcome, Policy, Question, Reply
from tracelode.model.run import Run, Tree
from tracelode.model.tools import Toolbox
from tracelode.model.workflow import Workflow

_LAUNCH = threading.Lock()
_SERVED: dict[str, Any] = {"place": "", "function": None}
"""What DBOS, which is one for each process, is launched for."""
_LIVE: dict[str, _Live] = {}
"""What a run needs and no database holds, by the id of its DBOS workflow."""


class _Live:
    """What a run needs of this process."""

    def __init__(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        policy: Policy,
        asker: Asker | None,
        secrets: Mapping[str, Tree],
        recorded: Run | None,
    ) -> None:
        self.workflow, self.toolbox, self.policy = workflow, toolbox, policy
        self.asker, self.secrets, self.recorded = asker, secrets, recorded


class DbosLedger:
    """The memory of a run in DBOS.

    Args:
        run: run id.
        prior: name of a noted step to what it noted, of the chain so far.
        live: what the run needs of this process.
        engine: the DBOS class.
    """

    def __init__(self, run: str, prior: Mapping[str, Any], live: _Live, engine: Any) -> None:
        self.run = run
        self._prior, self._live, self._dbos = dict(prior), live, engine
        self.schemas: Mapping[str, str] = {}  # DBOS keeps nothing beside its runs
        self.calls = sum(1 for name in prior if name.startswith("call:"))
        self.asked = sum(1 for name, said in prior.items() if name.startswith("reply:") and said is not None)
        self._begun: dict[str, int | None] = {}
        self._turn = asyncio.Lock()

    def hide(self, tree: Tree) -> Tree:
        """A value without the run's secrets; see Ledger."""
        return hidden(tree, self._live.secrets)

    def digest(self, tree: Tree) -> str:
        """A digest of a value without the run's secrets; see Ledger."""
        return digest(self.hide(tree))

    async def step(
        self, key: str, arguments: str, call: Call, before: Before, *, writes: bool, repeatable: bool
    ) -> Tree:
        """Make a call unless it was made; see Ledger."""
        begun, made = self._prior.get(f"begin:{key}"), self._prior.get(f"call:{key}")
        if settled := self._prior.get(f"settle:{key}"):
            return self._shown(settled)
        for noted in (begun, made):
            if noted is not None and noted["arguments"] != arguments:
                raise RunError(f"{key} was called with other arguments before; run {self.run} stops here")
        if made is not None and (made["state"] == "done" or writes):
            return self._told(made, writes, repeatable)
        if begun is not None and not repeatable:
            raise InDoubt(begun["baseline"], died=True)
        baseline = await before()
        if writes:
            attempt = random.token_hex(8)

            async def begin() -> dict[str, Any]:
                return {"arguments": arguments, "baseline": baseline, "attempt": attempt, "at": clock()}

            noted = await self._noted(f"begin:{key}", begin)
            if noted["attempt"] != attempt and not repeatable and f"call:{key}" not in self._prior:
                # DBOS itself went through the workflow again: this write was begun by a process that died
                raise InDoubt(noted["baseline"], died=True)

        async def make() -> dict[str, Any]:
            return await self._made(call, arguments, baseline)

        self.calls += 1
        noted = await self._noted(f"call:{key}", make)
        self._begun[key] = noted.get("at")
        return self._told(noted, writes, repeatable)

    async def _made(self, call: Call, arguments: str, baseline: int | None) -> dict[str, Any]:
        common = {"arguments": arguments, "baseline": baseline, "at": clock()}
        try:
            return {**common, "state": "done", "output": encoded(self.hide(await call())).decode()}
        except ToolFailed as error:
            return {**common, "state": "failed", "kind": error.kind, "words": str(error)}
        except ToolUnsure as error:
            return {**common, "state": "unsure", "kind": error.kind, "words": str(error)}

    def _told(self, made: Mapping[str, Any], writes: bool, repeatable: bool) -> Tree:
        if made["state"] == "done":
            return self._shown(made["output"])
        if made["state"] == "failed":
            raise ToolFailed(made["words"], kind=made["kind"])
        if writes and not repeatable:
            raise InDoubt(made["baseline"])
        raise ToolUnsure(made["words"], kind=made["kind"])

    def begun(self, key: str) -> int | None:
        """When a call that was made began; see Ledger."""
        if key in self._begun:
            return self._begun[key]
        noted = self._prior.get(f"call:{key}") or self._prior.get(f"begin:{key}") or {}
        at: int | None = noted.get("at")  # runs of an earlier version noted none
        return at

    async def settle(self, key: str, output: Tree) -> None:
        """A write that was in doubt is known to have happened; see Ledger."""
        text = encoded(self.hide(output)).decode()

        async def note() -> str:
            return text

        self._prior[f"settle:{key}"] = await self._noted(f"settle:{key}", note)

    async def reply(self, question: Question) -> Reply | None:
        """The answer to a question; see Ledger."""
        if (earlier := await self.given(question.key)) is not None:
            return earlier
        asker = self._live.asker
        if asker is None:
            return None

        async def ask() -> str | None:
            async with self._turn:
                answer = await asker(question)
            if answer is None or refused(question, answer):
                return None
            return encoded(self.hide(msgspec.to_builtins(answer))).decode()

        said = await self._noted(f"reply:{question.key}", ask)
        if said is None:
            return None
        self._prior[f"reply:{question.key}"] = said
        self.asked += 1
        return await self.given(question.key)

    async def given(self, key: str) -> Reply | None:
        """The answer that was given to a question; see Ledger."""
        said = self._prior.get(f"reply:{key}")
        return None if said is None else msgspec.convert(self._shown(said), Reply)

    async def note(self, slot: str, code: str, guard: str) -> None:
        """Nothing: the outcome tells it, and Monitor.take() takes it."""

    def _shown(self, text: str) -> Tree:
        return shown(msgspec.json.decode(text), self._live.secrets)

    async def _noted(self, name: str, function: Any) -> Any:
        return await self._dbos.run_step_async({"name": name}, function)


async def _go(link: str, run: str, inputs: str, state: str, mark: str, prior: dict[str, Any]) -> str:
    """One link of a chain; runs within DBOS."""
    import dbos

    live = _LIVE.get(link)
    if live is None or identity(live.workflow) != mark:
        raise RunError(f"run {run} is resumed by tracelode alone: it needs its tools")
    given = {**msgspec.json.decode(inputs), **live.secrets}
    if link.endswith(".0") and live.policy.mode == "act" and not live.policy.again:

        async def look() -> list[str]:
            try:
                await unrepeated(dbos.DBOS, live.workflow, given, link)
            except Repeated as error:
                return [str(error), error.run]
            return []

        if other := await dbos.DBOS.run_step_async({"name": ALONE}, look):
            return encoded({"status": "repeated", "other": other}).decode()
    ledger = DbosLedger(run, prior, live, dbos.DBOS)
    # DBOS knows steps by their number: one after another, so that they have the same ones if it repeats them
    policy = msgspec.structs.replace(live.policy, jobs=1)
    executor = Executor(
        live.workflow, live.toolbox, ledger, given, msgspec.json.decode(state), policy, live.recorded
    )
    outcome = await executor.run()
    return encoded(hidden(msgspec.to_builtins(outcome), live.secrets)).decode()


class DbosEngine:
    """Runs workflows with DBOS, kept in SQLite or PostgreSQL: a killed run is resumed, no write made twice.

    See model.execution.Engine. `place` is the address of the database. One process serves one
    database at a time. DBOS keeps what a run noted until its owner deletes it.
    """

    name = "dbos"

    async def start(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        inputs: Mapping[str, Tree],
        *,
        place: str,
        run: str = "",
        policy: Policy | None = None,
        asker: Asker | None = None,
        state: Mapping[str, Tree] | None = None,
        recorded: Run | None = None,
    ) -> Outcome:
        """Run a workflow from its start; see Engine."""
        open_, secret = checked_inputs(workflow, inputs)
        policy = policy or Policy()
        sound(workflow)
        run = run or f"run_{random.token_hex(8)}"
        dbos = await _launched(place)
        if await dbos.DBOS.get_workflow_status_async(f"{run}.0") is not None:
            raise RunError(f"there is a run {run} already; resume it, or choose another id")
        live = _Live(workflow, toolbox, policy, asker, secret, recorded)
        facts = (encoded(open_).decode(), encoded(moment(state)).decode(), identity(workflow))
        begun = {"mode": policy.mode, "secrets": sorted(secret)}
        return await _chained(dbos, f"{run}.0", run, live, facts, begun)

    async def resume(
        self,
        workflow: Workflow,
        toolbox: Toolbox,
        *,
        place: str,
        run: str,
        reply: Reply | None = None,
        secrets: Mapping[str, Tree] | None = None,
        policy: Policy | None = None,
        asker: Asker | None = None,
        recorded: Run | None = None,
    ) -> Outcome:
        """Go on with a run; see Engine."""
        policy = policy or Policy()
        sound(workflow)
        dbos = await _launched(place)
        links: list[Any] = []
        while (found := await dbos.DBOS.get_workflow_status_async(f"{run}.{len(links)}")) is not None:
            links.append(found)
        if not links:
            raise NoRun(f"there is no run {run} in this database")
        _, _, inputs, state, mark, prior = links[-1].input["args"]
        if mark != identity(workflow):
            raise RunError(
                f"run {run} was begun with another version of its workflow; resume it with that one"
            )
        if prior["mode"] != policy.mode:
            raise RunError(f"run {run} was begun in mode {prior['mode']}, and ends in it")
        marked = [i.name for i in workflow.inputs if i.secret and i.required]
        secret = needed_again(workflow, prior.get("secrets", marked), secrets or {})
        last = None
        if links[-1].status == "SUCCESS":
            told = msgspec.json.decode(links[-1].output)
            if told["status"] == "repeated":
                raise RunError(f"run {run} was not begun: there was another one of the same inputs")
            last = msgspec.convert(shown(told, secret), Outcome)
            if last.status != "escalated":
                raise RunError(f"run {run} has ended ({last.status}); there is nothing to resume")
        elif links[-1].status == "PENDING":
            await dbos.DBOS.cancel_workflow_async(f"{run}.{len(links) - 1}")
        for step in await dbos.DBOS.list_workflow_steps_async(f"{run}.{len(links) - 1}"):
            if ":" in step["function_name"] and step["error"] is None:
                prior = {**prior, step["function_name"]: step["output"]}
        prior = _answered(prior, last, reply, run, secret)
        live = _Live(workflow, toolbox, policy, asker, secret, recorded)
        return await _chained(dbos, f"{run}.{len(links)}", run, live, (inputs, state, mark), prior)


def _answered(
    prior: dict[str, Any], last: Outcome | None, reply: Reply | None, run: str, secrets: Mapping[str, Tree]
) -> dict[str, Any]:
    if reply is None:
        return prior
    if last is None or last.question is None:
        raise RunError(f"run {run} does not stand at a question; resume it without a reply")
    if why := refused(last.question, reply):
        raise RunError(f"the reply cannot be taken: {why}")
    said = encoded(hidden(msgspec.to_builtins(reply), secrets)).decode()
    return {**prior, f"reply:{last.question.key}": said}


async def _chained(
    dbos: Any, link: str, run: str, live: _Live, facts: tuple[str, str, str], prior: dict[str, Any]
) -> Outcome:
    _LIVE[link] = live
    try:
        with dbos.SetWorkflowID(link):
            handle = await dbos.DBOS.start_workflow_async(_SERVED["function"], link, run, *facts, prior)
        text = await handle.get_result()
    finally:
        del _LIVE[link]
    told = msgspec.json.decode(text)
    if told["status"] == "repeated":
        raise Repeated(*told["other"])
    return msgspec.convert(shown(msgspec.json.decode(text), live.secrets), Outcome)


async def _launched(place: str) -> Any:
    try:
        import dbos
    except ImportError:
        raise MissingExtra("dbos", "dbos") from None
    await asyncio.to_thread(_LAUNCH.acquire)  # of two that start at once, one launches it
    try:
        return await _served(place, dbos)
    finally:
        _LAUNCH.release()


async def _served(place: str, dbos: Any) -> Any:
    if _SERVED["place"] == place:
        return dbos
    if _LIVE:
        raise RunError("this process serves another database while runs are under way")
    stop()
    _private(place)
    config: Any = {
        "name": "tracelode",
        "system_database_url": place,
        "log_level": "CRITICAL",
        "application_version": "1",
        # its own for each process: DBOS then takes up no run by itself, which would have no tools here
        "executor_id": random.token_hex(8),
    }
    if _SERVED["function"] is None:
        _SERVED["function"] = dbos.DBOS.workflow(name=WORKFLOW)(_go)
    try:
        dbos.DBOS(config=config)
        await asyncio.to_thread(dbos.DBOS.launch)
    except Exception as error:
        dbos.DBOS.destroy()
        # its message may hold the address, and so a password
        raise RunError(
            f"the database of DBOS cannot be opened ({type(error).__name__}); look at its address"
        ) from None
    _SERVED["place"] = place
    return dbos


def stop() -> None:
    """End what DBOS runs in this process."""
    if _SERVED["place"]:
        import dbos

        dbos.DBOS.destroy()
        _SERVED["place"] = ""


def _private(place: str) -> None:
    if place.startswith("sqlite:///"):
        path = place.removeprefix("sqlite:///")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise RunError(f"{path} cannot be used: {(error.strerror or '').lower()}") from None

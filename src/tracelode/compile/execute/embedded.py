"""The engine that needs nothing else: one process, one journal file."""

from __future__ import annotations

import asyncio
import secrets as random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tracelode.compile.execute.executor import Executor
from tracelode.compile.execute.holding import held
from tracelode.compile.execute.journal import BEGUN, DONE, FAILED, IN_DOUBT, Journal, Row
from tracelode.compile.execute.ledger import Before, Call, InDoubt, digest
from tracelode.compile.execute.monitor import Monitor
from tracelode.compile.execute.open_runs import unrepeated
from tracelode.compile.execute.secret import hidden, shown
from tracelode.compile.execute.sound import sound
from tracelode.compile.execute.start import checked_inputs, encoded, identity, moment, needed_again
from tracelode.compile.execute.stops import bare, refused
from tracelode.compile.lasting import clock
from tracelode.errors import NoRun, RunError, ToolError, ToolFailed, ToolUnsure
from tracelode.model.execution import Asker, Outcome, Policy, Question, Reply
from tracelode.model.run import Run, Tree
from tracelode.model.tools import Toolbox
from tracelode.model.workflow import Workflow


class JournalLedger:
    """The memory of a run in a journal file.

    Args:
        journal: open; the caller holds the run.
        run: run id.
        workflow: workflow id.
        asker: answers questions, None for nobody.
        secrets: name to value of what is never written.
    """

    def __init__(
        self, journal: Journal, run: str, workflow: str, asker: Asker | None, secrets: Mapping[str, Tree]
    ) -> None:
        self.run = run
        self.calls, self.asked = journal.count(run)
        self.schemas: Mapping[str, str] = journal.schemas(workflow)
        self._journal, self._workflow, self._asker, self._secrets = journal, workflow, asker, secrets
        self._turn = asyncio.Lock()

    def hide(self, tree: Tree) -> Tree:
        """A value without the run's secrets; see Ledger."""
        return hidden(tree, self._secrets)

    def digest(self, tree: Tree) -> str:
        """A digest of a value without the run's secrets; see Ledger."""
        return digest(hidden(tree, self._secrets))

    async def step(
        self, key: str, arguments: str, call: Call, before: Before, *, writes: bool, repeatable: bool
    ) -> Tree:
        """Make a call unless it was made; see Ledger."""
        row = self._journal.call(self.run, key)
        if row is not None:
            if row.arguments != arguments:
                raise RunError(f"{key} was called with other arguments before; run {self.run} stops here")
            if row.state == DONE:
                return self._output(row, key)
            if writes and row.state == FAILED:
                kind, _, words = row.error.partition("\n")
                raise ToolFailed(str(shown(words, self._secrets)), kind=kind)
            if writes and not repeatable:
                raise InDoubt(row.baseline, died=row.state == BEGUN)
        baseline = await before()
        at = clock()
        if writes:
            self._note(key, Row(BEGUN, arguments, None, "", baseline), synced=True, begun=at)
        self.calls += 1
        try:
            output = await call()
            whole = encoded(hidden(output, self._secrets))
        except ToolFailed as error:
            self._note(key, Row(FAILED, arguments, None, self._told(error), baseline), tries=1, begun=at)
            raise
        except ToolUnsure as error:
            self._note(
                key,
                Row(IN_DOUBT if writes else FAILED, arguments, None, self._told(error), baseline),
                tries=1,
                begun=at,
            )
            if writes and not repeatable:
                raise InDoubt(baseline) from None
            raise
        self._note(key, Row(DONE, arguments, whole, "", baseline), tries=1, begun=at)
        return shown(msgspec.json.decode(whole), self._secrets)

    def begun(self, key: str) -> int | None:
        """When a call that was made began; see Ledger."""
        return self._journal.begun(self.run, key)

    async def settle(self, key: str, output: Tree) -> None:
        """A write that was in doubt is known to have happened; see Ledger."""
        row = self._journal.call(self.run, key)
        if row is None:
            raise RunError(f"the journal has no note of {key}; run {self.run} stops here")
        whole = encoded(hidden(output, self._secrets))
        self._note(key, Row(DONE, row.arguments, whole, "", row.baseline))

    async def reply(self, question: Question) -> Reply | None:
        """The answer to a question; see Ledger."""
        if (earlier := await self.given(question.key)) is not None:
            return earlier
        if self._asker is None:
            return None
        async with self._turn:
            answer = await self._asker(question)
        if answer is None or refused(question, answer):
            return None
        self.keep(question.key, answer)
        return answer

    async def given(self, key: str) -> Reply | None:
        """The answer that was given to a question; see Ledger."""
        found = self._journal.reply(self.run, key)
        return (
            None
            if found is None
            else msgspec.convert(shown(msgspec.json.decode(found), self._secrets), Reply)
        )

    def keep(self, key: str, reply: Reply) -> None:
        """Note a reply.

        Args:
            key: of the question.
            reply: what was said.
        """
        self._journal.replied(self.run, key, encoded(hidden(msgspec.to_builtins(reply), self._secrets)))
        self.asked += 1

    async def note(self, slot: str, code: str, guard: str) -> None:
        """Remember that the run stood still; see Ledger."""
        self._journal.note(self.run, self._workflow, slot, code, guard)

    def _note(
        self, key: str, row: Row, *, tries: int = 0, synced: bool = False, begun: int | None = None
    ) -> None:
        self._journal.write(self.run, key, row, tries=tries, synced=synced, begun=begun)

    def _output(self, row: Row, key: str) -> Tree:
        if row.output is None:
            raise RunError(f"run {self.run} has ended, and what {key} gave was dropped")
        return shown(msgspec.json.decode(row.output), self._secrets)

    def _told(self, error: ToolError) -> str:
        return f"{error.kind}\n{hidden(str(error), self._secrets)}"


class EmbeddedEngine:
    """Runs workflows in this process, kept in one SQLite file: a killed run is resumed, no write made twice.

    See model.execution.Engine. `place` is the path of the file.
    """

    name = "embedded"

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
        policy = policy or Policy()
        sound(workflow)
        open_, secret = checked_inputs(workflow, inputs)
        run = run or f"run_{random.token_hex(8)}"
        now = moment(state)
        with Journal(Path(place)) as journal, held(Path(place), run):
            Monitor(journal).admit(workflow, policy)
            names = ",".join(sorted(secret))
            with journal.writing():  # of two that begin at once, one sees the other
                if policy.mode == "act" and not policy.again:
                    unrepeated(journal, workflow, inputs, run)
                journal.begin_run(
                    run, workflow.id, identity(workflow), policy.mode, encoded(open_), names, encoded(now)
                )
            ledger = JournalLedger(journal, run, workflow.id, asker, secret)
            return await self._go(
                journal, ledger, workflow, toolbox, {**open_, **secret}, now, policy, recorded
            )

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
        if not Path(place).exists():
            raise NoRun(f"there is no run {run}: there is no journal {place}")
        with Journal(Path(place)) as journal, held(Path(place), run):
            noted = _noted(journal, run, workflow, policy)
            names = [name for name in noted["secrets"].split(",") if name]
            secret = needed_again(workflow, names, secrets or {})
            ledger = JournalLedger(journal, run, workflow.id, asker, secret)
            if reply is not None:
                _answer(ledger, noted["pending"], reply)
            inputs = {**msgspec.json.decode(noted["inputs"]), **secret}
            now = msgspec.json.decode(noted["state"])
            return await self._go(journal, ledger, workflow, toolbox, inputs, now, policy, recorded)

    async def _go(
        self,
        journal: Journal,
        ledger: JournalLedger,
        workflow: Workflow,
        toolbox: Toolbox,
        inputs: Mapping[str, Tree],
        state: Mapping[str, Tree],
        policy: Policy,
        recorded: Run | None,
    ) -> Outcome:
        journal.set_run(ledger.run, "open", None)
        executor = Executor(workflow, toolbox, ledger, inputs, state, policy, recorded)
        outcome = await executor.run()
        pending = None if outcome.question is None else msgspec.json.encode(bare(outcome.question))
        journal.end_run(ledger.run, outcome.status, pending)
        if outcome.status == "done" and policy.mode == "act":
            journal.keep_schemas(workflow.id, executor.tools.schemas)
        Monitor(journal).judge(workflow)
        return outcome


def _noted(journal: Journal, run: str, workflow: Workflow, policy: Policy) -> dict[str, Any]:
    noted = journal.run(run)
    if noted["status"] not in ("open", "escalated"):
        raise RunError(f"run {run} has ended ({noted['status']}); there is nothing to resume")
    if noted["digest"] != identity(workflow):
        raise RunError(f"run {run} was begun with another version of its workflow; resume it with that one")
    if noted["mode"] != policy.mode:
        raise RunError(f"run {run} was begun in mode {noted['mode']}, and ends in it")
    return noted


def _answer(ledger: JournalLedger, pending: bytes | None, reply: Reply) -> None:
    if pending is None:
        raise RunError(f"run {ledger.run} does not stand at a question; resume it without a reply")
    question = msgspec.json.decode(pending, type=Question)
    if why := refused(question, reply):
        raise RunError(f"the reply cannot be taken: {why}")
    ledger.keep(question.key, reply)

"""How do the messages of a mini-swe-agent trajectory become operations?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.lenient import as_object, block_text
from tracelode.making import Maker, picodollars, usage_counts
from tracelode.model.measure import first_shares
from tracelode.model.operation import Operation, Status
from tracelode.model.ports import About, Change, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields
from tracelode.sources.mini_swe_agent.records import Extra, Info, Message, Stats, Trajectory, is_call

NAME = "mini-swe-agent"
_ACTION = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"\s*<returncode>\s*(-?\d{1,9})\s*</returncode>")
_INTERRUPTS: dict[str, tuple[Status, str]] = {
    "UserRejection": ("denied", "denial"),
    "UserInterruption": ("interrupted", "interrupt"),
}
"""How a person stopped the agent, by the word of the file: status of the open commands, human moment."""


class Reader:
    """Reads one trajectory.

    Args:
        trajectory: the decoded file.
        line: its place.
        path: the file as origins name it.
    """

    def __init__(self, trajectory: Trajectory, line: Line, path: str) -> None:
        self.task = trajectory.instance_id
        self.messages = trajectory.messages or []
        self.info = trajectory.info or Info()
        self.stats = self.info.model_stats or Stats()
        config = as_object(self.info.config)
        name = as_object(config.get("model")).get("model_name")
        self.model = name if isinstance(name, str) else ""
        cwd = as_object(config.get("environment")).get("cwd")
        self.project = cwd if isinstance(cwd, str) else ""
        self.maker = Maker(NAME, NAME, path)
        self.maker.line = line
        self.open: dict[str, str] = {}
        self.told: list[int | None] = []
        self.asked = False

    def items(self) -> Iterator[Item]:
        """Items of the run, message by message."""
        if not self.messages:
            yield Skip(self.maker.line.number, "trajectory without messages")
            return
        content = msgspec.json.encode([(m.role, m.content, m.output) for m in self.messages])
        self.maker.session = f"{NAME}-{blake2b(content, digest_size=6).hexdigest()}"
        yield About(self.maker.session, self.maker.session, self.project, task=self.task)
        shares = self._shares()
        facts = {"mini_swe_agent.exit_status": self.info.exit_status} if self.info.exit_status else {}
        for message in self.messages:
            for item in self._message(message, shares):
                if facts and isinstance(item, Operation):
                    item = msgspec.structs.replace(item, fields={**item.fields, **facts})
                    facts = {}
                yield item
        yield from self._rest()

    def _shares(self) -> Iterator[int] | None:
        """Equal shares of the run's cost, where no call tells its own."""
        extras = [m.extra for m in self.messages if m.extra is not None]
        cost = picodollars(self.stats.instance_cost)
        if cost is None or any(e.cost is not None for e in extras):
            return None
        calls = sum(map(is_call, self.messages))
        return iter(first_shares(cost, max(calls, self.stats.api_calls or 0, 1), calls))

    def _rest(self) -> Iterator[Item]:
        """Calls that the run counted and no message holds, with what they cost."""
        missing = (self.stats.api_calls or 0) - len(self.told)
        if missing <= 0:
            return
        measures = {"calls": missing}
        cost = picodollars(self.stats.instance_cost)
        known = sum(c or 0 for c in self.told)
        if cost is not None and cost > known:
            measures["cost.reported"] = cost - known
        yield self._call("unknown", None, measures, "")

    def _message(self, message: Message, shares: Iterator[int] | None) -> Iterator[Item]:
        extra = message.extra or Extra()
        at = lenient.moment(extra.timestamp)
        if is_call(message):
            yield from self._model(message, extra, at, shares)
        elif message.role == "system":
            yield self._note("system prompt", message, at)
        elif message.role == "exit" or extra.exit_status is not None:
            status: Status = "ok" if (extra.exit_status or "").lower() == "submitted" else "interrupted"
            yield from self._close(list(self.open.values()), status, block_text(message.content), at, {})
            yield self._note("exit", message, at)
        elif message.role in ("user", "tool") or message.type == "function_call_output":
            yield from self._said(message, extra, at)
        else:
            yield Skip(self.maker.line.number, "message with an unknown role")

    def _note(self, name: str, message: Message, at: int | None) -> Operation:
        return self.maker.operation(
            None, "system", "note", name, "ok", at, arguments=block_text(message.content)
        )

    def _call(self, status: Status, at: int | None, measures: dict[str, int], text: str) -> Operation:
        fields = {"model": self.model} if self.model else {}
        return self.maker.operation(
            None, "agent", "model", self.model or "unknown model", status, at,
            fields=fields, measures=measures, output=text,
        )  # fmt: skip

    def _model(
        self, message: Message, extra: Extra, at: int | None, shares: Iterator[int] | None
    ) -> Iterator[Item]:
        complaints: list[str] = []
        response = as_object(extra.response)
        measures = usage_counts(message.usage or response.get("usage"), complaints)
        for reason in complaints:
            yield Skip(self.maker.line.number, reason)
        cost = picodollars(extra.cost) if shares is None else next(shares)
        self.told.append(cost)
        if cost is not None:
            measures["cost.reported"] = cost
        lost = message.role == "user"
        text = (
            block_text(extra.model_response)
            if lost
            else block_text(message.content) or _said_by(message.output)
        )
        # old trajectories keep no moment of their own, but the server's: good for the day, not for spans
        moment = at if at is not None else lenient.moment(response.get("created"))
        call = self._call("error" if lost else "ok", moment, {**measures, "calls": 1}, text)
        if shares is not None:
            call.fields["mini_swe_agent.cost"] = "equal share of the run"
        yield call
        if lost:
            yield self._note("format error", message, at)
        opens = []
        for tool in self._tools(message, extra, call, moment):
            opens.append(tool.id)
            yield tool
        if at is not None:
            yield Tick(at, "model", call.id, opens=tuple(opens))

    def _tools(
        self, message: Message, extra: Extra, call: Operation | None, at: int | None
    ) -> Iterator[Operation]:
        actions = extra.actions
        if actions is None and call is not None:
            found = _ACTION.findall(block_text(message.content))
            actions = [{"command": found[0].strip()}] if len(found) == 1 else []
        for action in map(as_object, actions or []):
            command, ident = action.get("command"), action.get("tool_call_id")
            command = command if isinstance(command, str) else ""
            ident = ident if isinstance(ident, str) else ""
            tool = self.maker.tool(
                self.maker.scoped(ident),
                "bash",
                call,
                "unknown",
                at,
                fields=argument_fields({"command": command}),
                arguments=msgspec.json.encode({"command": command}).decode(),
                actor="agent" if call is not None else "human",
            )
            self.open[ident or tool.id] = tool.id
            yield tool

    def _said(self, message: Message, extra: Extra, at: int | None) -> Iterator[Item]:
        """A message in the user's place: the task, a command's output, a person, or the harness."""
        if extra.actions:
            opens = []
            for tool in self._tools(message, extra, None, at):
                opens.append(tool.id)
                yield tool
            if at is not None:
                yield Tick(at, "human", opens[0] if opens else None, opens=tuple(opens))
            return
        interrupt = _INTERRUPTS.get(extra.interrupt_type or "")
        if interrupt is not None:
            status, human = interrupt
            # the time of a refused command is a person's, not the command's
            moment = {"human": human}
            refused = moment if status == "denied" and self.open else {}
            yield from self._close(list(self.open.values()), status, "", at, refused, ends="human")
            yield self.maker.operation(
                None, "human", "note", human, status, at,
                fields={} if refused else moment, arguments=block_text(message.content),
            )  # fmt: skip
        elif self.open and extra.interrupt_type is None:
            yield from self._result(message, extra, at)
        elif message.role == "user" and not self.asked:
            self.asked = True
            yield self.maker.operation(
                None, "human", "prompt", "prompt", "ok", at,
                fields={"human": "prompt"}, arguments=block_text(message.content),
            )  # fmt: skip
        elif message.role == "user":
            yield self._note("harness message", message, at)
        else:
            yield Skip(self.maker.line.number, "tool result without a call")

    def _result(self, message: Message, extra: Extra, at: int | None) -> Iterator[Item]:
        ident = message.tool_call_id or message.call_id or ""
        key = ident if ident in self.open else next(iter(self.open))
        target = self.open.pop(key)
        shown = block_text(message.content) or block_text(message.output)
        match = _CODE.match(shown)
        code = extra.returncode if extra.returncode is not None else int(match[1]) if match else None
        status: Status = "unknown" if code is None else "ok" if code == 0 else "nonzero"
        if extra.exception_info:
            status = "error"
        output = extra.raw_output if isinstance(extra.raw_output, str) else shown
        yield from self._close([target], status, output, at, {})

    def _close(
        self,
        targets: list[str],
        status: Status,
        output: str,
        at: int | None,
        fields: dict[str, str],
        ends: str = "tool",
    ) -> Iterator[Item]:
        for target in targets:
            yield Change(id=target, status=status, ended=at, output=output, fields=fields)
        self.open = {key: ident for key, ident in self.open.items() if ident not in targets}
        if at is not None and targets:
            yield Tick(at, ends, targets[0], closes=tuple(targets))


def _said_by(output: Any) -> str:
    """Text of the parts of a response."""
    parts = output if isinstance(output, list) else []
    return "\n".join(
        filter(None, (block_text(part.get("content")) for part in parts if isinstance(part, dict)))
    )

"""How does a user record become prompts, interrupts, and the results of tool calls?"""

from __future__ import annotations

from collections.abc import Iterator

from tracelode.model.ports import Change, Item, Skip, Tick
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.context import Context
from tracelode.sources.claude_code.records import Block, Record, ToolResult, text_of
from tracelode.sources.claude_code.rewind import Rewinds


class UserRecords:
    """Reads user records.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.rewinds = Rewinds(context)

    def read(self, record: Record, at: int | None) -> Iterator[Item]:
        """Items of one record."""
        message = record.message
        if message is None:
            yield Skip(self.context.line.number, "user record without a message")
            return
        content = message.content
        blocks = content if isinstance(content, list) else []
        results = [block for block in blocks if block.type == "tool_result"]
        if results:
            yield from self._results(record, results, at)
        text = content if isinstance(content, str) else text_of([b for b in blocks if b.type == "text"])
        images = any(block.type == "image" for block in blocks)
        if results and not text:
            return
        kind = words.user_kind(record, text, bool(results), self.context.role)
        if kind is None and not images:
            if at is not None:
                yield Tick(at, "other", None)
            return
        actor, sort, name, human = words.USER_KINDS[kind or "prompt"]
        fields = {"human": human} if human else {}
        if kind == "automated":
            fields["automated"] = "1"
        if record.permissionMode:
            fields["mode"] = record.permissionMode
        operation = self.context.operation(
            f"{record.uuid}:{kind}" if results and record.uuid else record.uuid,
            actor,
            sort,
            name,
            "interrupted" if human == "interrupt" else "ok",
            at,
            fields=fields,
            arguments=text,
        )
        if self.context.role == "main" and words.starts_turn(kind, text):
            dead = self.rewinds.prompt(record, operation.id)
            if dead is not None:
                yield dead
        yield operation
        if at is not None and not results:
            yield Tick(at, "human" if human else "other", operation.id)

    def _results(self, record: Record, results: list[Block], at: int | None) -> Iterator[Item]:
        extra = record.toolUseResult if isinstance(record.toolUseResult, ToolResult) else None
        closed: list[str] = []
        human = False
        for block in results:
            target = self.context.answered(block.tool_use_id)
            if target is None:
                yield Skip(self.context.line.number, "tool result without a call")
                continue
            text = text_of(block.content)
            status = words.result_status(text, bool(block.is_error), record, extra)
            fields: dict[str, str] = {}
            if target in self.context.state.asks:
                self.context.state.asks.remove(target)
                if status != "error":
                    fields["human"] = "denial" if status == "denied" else "answer"
            elif status == "denied" and record.toolDenialKind in (None, "user-rejected"):
                fields["human"] = "denial"
            human = human or "human" in fields
            if extra is not None:
                agent = extra.agentId or extra.agent_id
                if agent:
                    fields["spawns"] = self.context.spawned(target, agent)
                if extra.backgroundTaskId or extra.isAsync:
                    fields["background"] = "1"
            own = words.own_duration(extra) if len(results) == 1 else None
            if own is None and not human:
                fields["duration_quality"] = "upper_bound"
            closed.append(target)
            yield Change(id=target, status=status, ended=at, output=text, fields=fields)
            if at is not None and own is not None:
                yield Tick(at, "tool", target, closes=(target,), own=own)
                closed.pop()
        if at is not None:
            yield Tick(at, "human" if human else "tool", closed[0] if closed else None, closes=tuple(closed))

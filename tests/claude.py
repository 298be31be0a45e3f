"""How does a test say what a Claude Code transcript holds? A fluent builder of records of the 2.1.x shape.

    t = Transcript("11111111-2222-4333-8444-555555555555", cwd="/home/sam/src/app")
    t.user("fix the test")
    t.assistant("Let me look.", tools=[("Bash", {"command": "pytest -q"})], usage=used(3, 900, write_1h=50))
    t.advance(4).result(t.calls[0], "1 failed", is_error=True)
    t.assistant("Found it.", usage=used(1, 950, output=12))
    t.write(tmp_path)

A pure function of the calls made: ids come from (session, agent, counter), time moves by advance() and the
gap inside a message. Nothing is checked: broken transcripts are wanted too, and raw() appends anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self
from uuid import UUID

Record = dict[str, Any]
Content = str | list[dict[str, Any]]
ToolUse = tuple[str, Mapping[str, Any]] | tuple[str, Mapping[str, Any], str]
"""(name, input) or (name, input, tool call id)."""

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
SESSION = "5a3c0000-0000-4000-8000-000000000001"


def used(fresh: int = 3, read: int = 0, *, write_5m: int = 0, write_1h: int = 0, output: int = 20) -> Record:
    """The usage block of one model call under its native names.

    Args:
        fresh: tokens of input that no cache held.
        read: tokens read from the cache.
        write_5m: tokens written to the cache for five minutes.
        write_1h: tokens written to the cache for one hour.
        output: tokens of output, the final count.
    """
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": write_5m + write_1h,
        "cache_read_input_tokens": read,
        "output_tokens": output,
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": write_1h, "ephemeral_5m_input_tokens": write_5m},
        "inference_geo": "",
    }


def slug(cwd: str) -> str:
    """The project folder of a working folder: every character but letters and digits becomes a dash."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


class Transcript:
    """One transcript under construction: the file of a session, or of one of its sub-agents.

    Args:
        session: session id of the records.
        cwd: working folder of the records; names the project folder on disk.
        start: first moment, ISO 8601 with an offset.
        model: model of assistant records that name none.
        version: version of the product.
        branch: version-control branch.
        agent: agent id; makes every record a sidechain record.
    """

    def __init__(
        self,
        session: str = SESSION,
        cwd: str = "/home/sam/src/app",
        *,
        start: str = "2026-10-02T08:00:00Z",
        model: str = "claude-sonnet-4-5-20250929",
        version: str = "2.1.114",
        branch: str = "main",
        agent: str | None = None,
    ) -> None:
        self.session, self.cwd, self.model, self.agent_id = session, cwd, model, agent
        self.version, self.branch = version, branch
        self.now = round(datetime.fromisoformat(start).timestamp() * 1000)
        """Milliseconds since the epoch: the moment of the next record."""
        self.records: list[Record] = []
        self.agents: list[tuple[Transcript, Record]] = []
        """Sub-agents with the content of their meta file."""
        self.last: str | None = None
        """uuid of the last chained record."""
        self.calls: list[str] = []
        """Tool call ids of the last assistant message, in order."""
        self.prompt_id: str | None = None
        self._issuer: dict[str, str] = {}
        self._count = 0

    def _digest(self, kind: str) -> bytes:
        self._count += 1
        name = f"{self.session}/{self.agent_id}/{kind}/{self._count}"
        return blake2b(name.encode(), digest_size=24).digest()

    def uuid(self) -> str:
        """The next record id."""
        return str(UUID(bytes=self._digest("uuid")[:16], version=4))

    def native_id(self, prefix: str) -> str:
        """The next id of the API's own kind, such as msg_01... or toolu_01..."""
        return prefix + "".join(ALPHABET[b % len(ALPHABET)] for b in self._digest(prefix))[:22]

    def stamp(self) -> str:
        """The present moment as records write it."""
        moment = datetime.fromtimestamp(self.now // 1000, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{self.now % 1000:03d}Z"

    def advance(self, seconds: float) -> Self:
        """Let time pass; a negative figure turns the clock back."""
        self.now += round(seconds * 1000)
        return self

    def raw(self, record: Record) -> Self:
        """Append a record as it is: nothing is added, the chain of parents does not move."""
        self.records.append(record)
        return self

    def _chained(self, body: Record, extra: Record, sourced: str | None = None) -> str:
        head: Record = {"parentUuid": sourced or self.last, "isSidechain": self.agent_id is not None}
        if body["type"] == "user" and self.prompt_id:
            head["promptId"] = self.prompt_id
        if self.agent_id is not None:
            head["agentId"] = self.agent_id
        tail = {"uuid": self.uuid(), "timestamp": self.stamp(), "userType": "external", "entrypoint": "cli"}
        tail |= {"cwd": self.cwd, "sessionId": self.session}
        tail |= {"version": self.version, "gitBranch": self.branch}
        self.records.append(head | body | tail | extra)
        self.last = str(self.records[-1]["uuid"])
        return self.last

    def user(self, content: Content, **extra: Any) -> Self:
        """A user record: a prompt, a wrapped command, an interrupt; extra adds or replaces fields."""
        self.prompt_id = self.uuid()
        self._chained({"type": "user", "message": {"role": "user", "content": content}}, extra)
        return self

    def assistant(
        self,
        text: str | None = None,
        *,
        tools: Sequence[ToolUse] = (),
        usage: Mapping[str, Any] | None = None,
        model: str | None = None,
        id: str | None = None,
        thinking: str | None = None,
        stop: str | None = "",
        partial: int | None = 1,
        gap: float = 0.4,
        **extra: Any,
    ) -> Self:
        """One model call: one record per content block, the usage repeated on each.

        Args:
            text: visible text, None for none.
            tools: the tool calls of the message; their ids are then in `calls`.
            usage: native usage block (see used()); None for one with small figures.
            model: model id, None for the transcript's.
            id: message id, None for a new one.
            thinking: text of a thinking block in front.
            stop: stop reason of the last record, "" to derive it, None for a message never finished.
            partial: output_tokens of all records but the last; None repeats the final figure.
            gap: seconds between two records of the message.
            extra: further top-level fields; also replaces fields of the envelope.
        """
        blocks: list[Record] = []
        if thinking is not None:
            signature = self.native_id("Ep") * 3
            blocks.append({"type": "thinking", "thinking": thinking, "signature": signature})
        if text is not None:
            blocks.append({"type": "text", "text": text})
        self.calls = []
        for name, input, *given in tools:
            self.calls.append(given[0] if given else self.native_id("toolu_01"))
            use = {"type": "tool_use", "id": self.calls[-1], "name": name, "input": dict(input)}
            blocks.append(use | {"caller": {"type": "direct"}})
        final = dict(used() if usage is None else usage)
        early = {k: v for k, v in final.items() if k not in ("server_tool_use", "inference_geo")}
        message = {"model": model or self.model, "id": id or self.native_id("msg_01")}
        request = self.native_id("req_011C")
        reason = ("tool_use" if self.calls else "end_turn") if stop == "" else stop
        for place, block in enumerate(blocks):
            is_last = place == len(blocks) - 1
            shown = final if is_last or partial is None else early | {"output_tokens": partial}
            body: Record = message | {"type": "message", "role": "assistant", "content": [block]}
            body |= {"stop_reason": reason if is_last else None, "stop_sequence": None, "usage": shown}
            if place:
                self.advance(gap)
            at = self._chained({"message": body, "requestId": request, "type": "assistant"}, extra)
            if block["type"] == "tool_use":
                self._issuer[block["id"]] = at
        return self

    def result(
        self,
        tool_id: str,
        content: Content,
        *,
        is_error: bool | None = None,
        tool_use_result: Any = None,
        **extra: Any,
    ) -> Self:
        """The result of a tool call, in a record of its own, hung on the record that issued the call.

        Args:
            tool_id: id of the call.
            content: what the model sees.
            is_error: the block's flag, None to leave it out.
            tool_use_result: the structured twin (toolUseResult), None to leave it out.
            extra: further top-level fields; also replaces fields of the envelope.
        """
        block: Record = {"tool_use_id": tool_id, "type": "tool_result", "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        issuer = self._issuer.get(tool_id)
        more: Record = {} if tool_use_result is None else {"toolUseResult": tool_use_result}
        if issuer:
            more["sourceToolAssistantUUID"] = issuer
        message = {"role": "user", "content": [block]}
        self._chained({"type": "user", "message": message}, more | extra, issuer)
        return self

    def system(self, subtype: str, **fields: Any) -> Self:
        """A system record; fields come after the envelope and replace its fields."""
        self._chained({"type": "system", "subtype": subtype}, {"isMeta": False} | fields)
        return self

    def compact(self, summary: str, *, pre_tokens: int, trigger: str = "manual") -> Self:
        """A compaction: the boundary, which starts a new chain, and the summary as a user record."""
        meta = {"trigger": trigger, "preTokens": pre_tokens}
        body = {"content": "Conversation compacted", "level": "info", "compactMetadata": meta}
        self.system("compact_boundary", parentUuid=None, logicalParentUuid=self.last, **body)
        return self.user(summary, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def attachment(self, kind: str, **fields: Any) -> Self:
        """An attachment record with the given content."""
        self._chained({"attachment": {"type": kind} | fields, "type": "attachment"}, {})
        return self

    def queue(self, operation: str, content: str | None = None) -> Self:
        """A queue-operation line (enqueue, dequeue, remove, popAll): it has no uuid and no parent."""
        line: Record = {"type": "queue-operation", "operation": operation, "timestamp": self.stamp()}
        line["sessionId"] = self.session
        return self.raw(line if content is None else line | {"content": content})

    def fork(self, session: str) -> Transcript:
        """A new session that starts with a copy of these records: same ids and times, own session id."""
        child = Transcript(session, self.cwd, model=self.model, version=self.version, branch=self.branch)
        child.records = [r | {"sessionId": session} if "sessionId" in r else dict(r) for r in self.records]
        child.now, child.last, child.prompt_id = self.now, self.last, self.prompt_id
        child._issuer, child.calls = dict(self._issuer), list(self.calls)
        return child

    def agent(
        self, agent_id: str, tool_id: str, *, kind: str = "Explore", about: str = "", model: str = ""
    ) -> Transcript:
        """The transcript of a sub-agent started by a tool call; it is written beside this one.

        Args:
            agent_id: id of the sub-agent.
            tool_id: the tool call that started it.
            kind: agent type, for the meta file.
            about: the call's description, for the meta file.
            model: its model, empty for this transcript's.
        """
        child = Transcript(self.session, self.cwd, version=self.version, branch=self.branch, agent=agent_id)
        child.model, child.now, child.prompt_id = model or self.model, self.now, self.prompt_id
        meta = {"agentType": kind, "description": about, "toolUseId": tool_id, "spawnDepth": 1}
        self.agents.append((child, meta))
        return child

    def bytes(self) -> bytes:
        """The transcript as it lies on disk: one JSON object per line."""
        lines = (json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in self.records)
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")

    def write(self, directory: Path) -> Path:
        """Write session and sub-agents below directory, the parent of projects/; gives the session file."""
        project = directory / "projects" / slug(self.cwd)
        path = project / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        for child, meta in self.agents:
            below = project / self.session / "subagents" / f"agent-{child.agent_id}.jsonl"
            below.parent.mkdir(parents=True, exist_ok=True)
            below.write_bytes(child.bytes())
            text = json.dumps(meta, ensure_ascii=False, separators=(",", ":"))
            below.with_suffix(".meta.json").write_text(text + "\n", encoding="utf-8")
        return path

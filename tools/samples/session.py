"""How does a scenario become a transcript? Time, cache and tokens of a session, kept while it is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from math import ceil
from typing import Any
from uuid import UUID

from claude import Transcript, used
from samples.ledger import HAIKU, OPUS, SONNET, Call, Ledger
from samples.toolbox import INTERRUPTED, Tool

SEED = "tracelode demo 1"
HOME = "/home/sam"
RATE = {OPUS: 52, SONNET: 68, HAIKU: 130}
"""Output tokens a second."""
LIFE_MS = {"5m": 300_000, "1h": 3_600_000}
"""How long a cache entry lives after its last use."""


def digest(*parts: object) -> bytes:
    """Bytes that depend on the seed and the parts alone."""
    return blake2b("/".join(map(str, (SEED, *parts))).encode(), digest_size=16).digest()


def session_id(number: int) -> str:
    """The id of the number-th demo session: a version 4 UUID that starts with de0000 and the number."""
    return f"de0000{number:02d}{str(UUID(bytes=digest('session', number), version=4))[8:]}"


def count(text: str) -> int:
    """About how many tokens a text has."""
    return ceil(len(text) / 3.4)


def opened(
    ledger: Ledger,
    number: int,
    project: str,
    start: str,
    *,
    model: str = SONNET,
    branch: str = "main",
    base: int = 15_400,
    life: str = "1h",
) -> Session:
    """A new main session.

    Args:
        ledger: where the truth is summed.
        number: number of the demo session.
        project: folder below ~/src.
        start: first moment, ISO 8601.
        model: model of the session.
        branch: version-control branch.
        base: tokens of the system prompt, tools and project notes; another session left most in the cache.
        life: how long cache entries live, "5m" or "1h".
    """
    root = f"{HOME}/src/{project}"
    transcript = Transcript(session_id(number), root, start=start, model=model, branch=branch)
    session = Session(ledger, transcript, base=base, cached=10_900, life=life)
    session.state("permission-mode", permissionMode="default")
    session.state("custom-title", customTitle=f"demo-{number:02d}")
    return session


class Session:
    """One transcript being told: the main one of a session, or a sub-agent's.

    Args:
        ledger: where the truth is summed.
        transcript: where the records go.
        base: tokens in front of the conversation.
        cached: of base, tokens that the cache holds already.
        life: how long cache entries live, "5m" or "1h".
    """

    def __init__(self, ledger: Ledger, transcript: Transcript, *, base: int, cached: int, life: str) -> None:
        self.ledger, self.t, self.life = ledger, transcript, life
        self.base = self.context = base
        self.cached = cached
        self.step_name = ""
        self.last_call = self.turn_from = self.t.now
        self.seen = 0

    # ---- small things

    def path(self, name: str) -> str:
        """A file of the project."""
        return f"{self.t.cwd}/{name}"

    def pause(self, seconds: float) -> None:
        """Let time pass in which nothing is written."""
        self.t.advance(seconds)

    def state(self, kind: str, **fields: Any) -> None:
        """A state line: no uuid, no time."""
        self.t.raw({"type": kind, **fields, "sessionId": self.t.session})

    def wobble(self, spread: int) -> int:
        """A figure in [0, spread) that depends on the place in the transcript alone."""
        return (
            int.from_bytes(digest(self.t.session, self.t.agent_id, len(self.t.records))[:4], "big") % spread
        )

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count what is told inside under a named step as well."""
        self.step_name = name
        yield
        self.step_name = ""

    def _book(self, kind: str) -> None:
        role = "subagent" if self.t.agent_id else "main"
        self.ledger.operations[(self.t.session, role, kind, self.step_name)] += 1

    def _note(self, *events: str) -> None:
        for event in events:
            self.ledger.events[event] += 1
            self._book("note")

    def _worked(self, since: int) -> None:
        if not self.t.agent_id:
            self.ledger.active.update({self.step_name or "other": self.t.now - since})

    # ---- people

    def prompt(self, text: str, after: float = 0.0) -> None:
        """The user types something, some seconds after the last record."""
        self.pause(after)
        self.turn_from, self.seen = self.t.now, len(self.t.records)
        self.t.user(text, permissionMode="default")
        self.ledger.humans["prompt"] += 1
        self._book("prompt")
        self.context += count(text) + 40

    def break_off(self) -> None:
        """The record of an interrupt, right after the call it stopped."""
        self.t.user([{"type": "text", "text": INTERRUPTED}])
        self.ledger.humans["interrupt"] += 1
        self._book("note")

    # ---- the model and its tools

    def call(self, text: str | None, *tools: Tool, think: int = 0, thought: str | None = None) -> None:
        """One model call and the results of its tools.

        Args:
            text: what it says before it acts, None for nothing.
            tools: the calls it makes; they run side by side and answer when they are done.
            think: tokens it thinks without showing them.
            thought: text of a thinking block it shows.
        """
        started = self.t.now
        inputs = sum(count(json.dumps(tool.input)) + 38 for tool in tools)
        output = count((text or "") + (thought or "")) + inputs + think + 70 + self.wobble(180)
        self._spend(text, tools, thought, output)
        self._worked(started)
        began = self.t.now
        ids = list(self.t.calls)
        self.context += output
        ends = [self._run(tool, id, began) for tool, id in zip(tools, ids, strict=True)]
        for place in sorted(range(len(tools)), key=lambda i: ends[i][0]):
            self._answer(ids[place], ends[place][1], began, ends[place][0])
        if not any(tool.extra or tool.name == "ExitPlanMode" for tool in tools):
            self._worked(began)

    def _answer(self, id: str, tool: Tool, began: int, ended: int) -> None:
        if tool.steer:
            self.t.now = began + round(tool.steer[0] * 1000)
            self.t.queue("enqueue", tool.steer[1])
        self.t.now = ended
        twin = None if self.t.agent_id else tool.twin
        self.t.result(id, tool.shown, is_error=tool.error, tool_use_result=twin, **tool.extra)
        shown = tool.shown if isinstance(tool.shown, str) else "".join(b["text"] for b in tool.shown)
        self.context += count(shown) + 30 + tool.bulk
        self._book(tool.kind)
        self.ledger.statuses[tool.status] += 1
        if tool.steer:
            text = tool.steer[1]
            self.t.attachment("queued_command", prompt=text, commandMode="prompt", origin={"kind": "human"})
            self.context += count(text) + 60
            self._book("prompt")
        moments = {"steer": tool.steer, "denial": tool.extra, "answer": tool.name == "ExitPlanMode"}
        self.ledger.humans.update(name for name, there in moments.items() if there)

    def _run(self, tool: Tool, id: str, began: int) -> tuple[int, Tool]:
        if tool.work is None:
            return began + round(tool.seconds * 1000), tool
        about, kind = tool.input["description"], tool.input["subagent_type"]
        name = digest("agent", self.t.session, id).hex()[:17]
        transcript = self.t.agent(name, id, kind=kind, about=about, model=tool.model)
        transcript.now = began + 40
        base = 9_700 + count(tool.input["prompt"])
        child = Session(self.ledger, transcript, base=base, cached=0, life="5m")
        child.step_name = self.step_name
        child.t.user(tool.input["prompt"])
        child._book("prompt")
        report = tool.work(child)
        return child.t.now + 30, _reported(tool, child, report, began)

    def _spend(self, text: str | None, tools: tuple[Tool, ...], thought: str | None, output: int) -> None:
        blocks = len(tools) + (text is not None) + (thought is not None)
        busy = 1.3 + output / RATE[self.t.model] + self.context / 45_000 + self.wobble(900) / 1000
        gap = busy * 0.45 / blocks
        self.pause(busy - gap * (blocks - 1))
        if self.t.now - self.last_call > LIFE_MS[self.life]:
            self.cached = 0
        new, fresh = self.context - self.cached, 1 + self.wobble(9)
        five, hour = (new, 0) if self.life == "5m" else (0, new)
        spent = used(fresh, self.cached, write_5m=five, write_1h=hour, output=output)
        uses = [(tool.name, tool.input) for tool in tools]
        partial = min(output, 1 + self.wobble(8))
        self.t.assistant(text, tools=uses, usage=spent, thinking=thought, partial=partial, gap=gap)
        tokens = (fresh, self.cached, five, hour, output)
        row = (self.t.session, self.t.agent_id, self.t.cwd, self.t.model, self.step_name, self.t.now, tokens)
        self.ledger.calls.append(Call(*row))
        self._book("model")
        self.cached, self.last_call = self.context, self.t.now

    def say(self, text: str, *, think: int = 0) -> str:
        """The model's last words of a turn."""
        self.call(text, think=think)
        if not self.t.agent_id:
            took, messages = self.t.now - self.turn_from, len(self.t.records) - self.seen
            self.t.system("turn_duration", durationMs=took, messageCount=messages)
        return text

    # ---- what the product does

    def compact(self, summary: str) -> None:
        """The user has the conversation compacted."""
        self.t.compact(summary, pre_tokens=self.context)
        self.t.user("<command-name>/compact</command-name>\n<command-message>compact</command-message>")
        self.t.user("<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>")
        self._note("compact boundary", "compact summary", "local command", "local command output")
        self.context, self.cached = self.base + count(summary) + 900, min(self.base, self.cached)

    def api_error(self) -> None:
        """Two failed tries and the error message in the place of an answer."""
        fault = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        wait = {"retryInMs": 2140.5, "retryAttempt": 9, "maxRetries": 10}
        self.pause(38)
        self.t.system("api_error", level="error", error={"status": 529, "error": fault}, **wait)
        self.pause(4)
        none = used(0, output=0) | {"service_tier": None}
        text = f"API Error: 529 {json.dumps(fault, separators=(',', ':'))}"
        flags: dict[str, Any] = {"error": "unknown", "isApiErrorMessage": True}
        id = self.t.uuid()
        self.t.assistant(text, usage=none, model="<synthetic>", id=id, stop="stop_sequence", **flags)
        del self.t.records[-1]["requestId"]
        self._note("api error", "synthetic error message")

    def fork(self, number: int) -> Session:
        """A new session that starts with a copy of this one and goes on from the present moment."""
        child = Session(
            self.ledger, self.t.fork(session_id(number)), base=self.base, cached=self.cached, life=self.life
        )
        child.context, child.last_call = self.context, self.last_call
        child.state("custom-title", customTitle=f"demo-{number:02d}")
        self.ledger.events["fork"] += 1
        return child


def _reported(tool: Tool, child: Session, report: str, began: int) -> Tool:
    """The Agent call with its result: the report, and figures of which the tokens are the last call's."""
    records = child.t.records
    spent = next(r["message"]["usage"] for r in reversed(records) if r["type"] == "assistant")
    total = sum(v for k, v in spent.items() if k.endswith("_tokens"))
    uses = len({b["id"] for r in records for b in r["message"]["content"] if _is_use(b)})
    took = child.t.now - began
    name = str(child.t.agent_id)
    tail = f"<usage>total_tokens: {total}\ntool_uses: {uses}\nduration_ms: {took}</usage>"
    note = f"agentId: {name} (use SendMessage with to: '{name}' to continue this agent)\n{tail}"
    shown = [{"type": "text", "text": report}, {"type": "text", "text": note}]
    twin = {"status": "completed", "prompt": tool.input["prompt"], "agentId": name}
    twin |= {"agentType": tool.input["subagent_type"], "content": shown[:1], "totalDurationMs": took}
    twin |= {"totalTokens": total, "totalToolUseCount": uses, "usage": spent}
    return Tool(name=tool.name, input=tool.input, shown=shown, twin=twin)


def _is_use(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_use"

"""How does a test say what a Codex rollout holds? A fluent builder of records of the 0.118 to 0.142 shape.

    r = Rollout().turn().user("fix the test")
    r.says("Let me look.").shell("pytest -q").tokens(900, 600, 40).result("1 failed", code=1)
    r.says("Found it.").tokens(1_000, 900, 12)

Token counts are given per response and written as running totals. A pure function of the calls made; raw()
appends anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from tracelode.model.operation import Operation
from tracelode.workspace import Workspace
from written import added, every

Record = dict[str, Any]

PARENT = "01a1a06c-1400-7000-8000-00000000000a"
CHILD = "01a1a0a3-0280-7000-8000-00000000000b"
GRANDCHILD = "01a1a0d9-f100-7000-8000-00000000000c"
"""Thread ids of version 7, made at 8, 9 and 10 o'clock of 2026-11-03."""
MODEL = "gpt-5.4"
KEYS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")


def moment(thread: str) -> float:
    """Seconds since the epoch at which a thread id of version 7 was made."""
    return int(thread[:8] + thread[9:13], 16) / 1000


class Rollout:
    """One rollout under construction.

    Args:
        thread: thread id; the file starts when it was made, unless start says otherwise.
        start: first moment, seconds since the epoch.
        meta: False leaves out the first session_meta.
        fields: further fields of session_meta; also replaces fields.
    """

    def __init__(
        self, thread: str = PARENT, *, start: float | None = None, meta: bool = True, **fields: Any
    ) -> None:
        self.thread = thread
        self.now = moment(thread) if start is None else start
        self.records: list[Record] = []
        self.total = dict.fromkeys(KEYS, 0)
        self.last_call = ""
        self._count = 0
        if meta:
            self.meta(thread, **fields)

    def stamp(self) -> str:
        """The present moment as records write it."""
        whole = round(self.now * 1000)
        return f"{datetime.fromtimestamp(whole // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{whole % 1000:03d}Z"

    def advance(self, seconds: float) -> Self:
        """Let time pass."""
        self.now += seconds
        return self

    def raw(self, kind: str, payload: Mapping[str, Any], **extra: Any) -> Self:
        """A record of any kind at the present moment."""
        self.records.append({"timestamp": self.stamp(), "type": kind, "payload": dict(payload)} | extra)
        return self

    def event(self, kind: str, /, **fields: Any) -> Self:
        """An event."""
        return self.raw("event_msg", {"type": kind} | fields)

    def item(self, kind: str, /, **fields: Any) -> Self:
        """A response item."""
        return self.raw("response_item", {"type": kind} | fields)

    def ident(self, prefix: str = "call_") -> str:
        """The next id of the API's own kind."""
        self._count += 1
        return prefix + blake2b(f"{self.thread}/{self._count}".encode(), digest_size=12).hexdigest()

    def meta(self, thread: str, **fields: Any) -> Self:
        """A session_meta: the first tells the file's thread, later ones those it copied from."""
        body: Record = {"id": thread, "timestamp": self.stamp(), "cwd": "/home/sam/src/app", "source": "cli"}
        body |= {"originator": "codex-tui", "cli_version": "0.125.0", "model_provider": "openai"}
        return self.raw("session_meta", body | {"git": {"branch": "main", "commit_hash": "0" * 40}} | fields)

    def turn(self, turn_id: str | None = None, *, model: str | None = MODEL, **fields: Any) -> Self:
        """The start of a turn and its settings; without an id one of version 7 is made of the moment."""
        if turn_id is None:
            self._count += 1
            milliseconds = f"{round(self.now * 1000):012x}"
            turn_id = f"{milliseconds[:8]}-{milliseconds[8:]}-7000-8000-{self._count:012x}"
        self.event("task_started", **({"turn_id": turn_id, "model_context_window": 258400} | fields))
        settings: Record = {"turn_id": turn_id, "cwd": "/home/sam/src/app", "approval_policy": "on-request"}
        return self.raw("turn_context", settings | ({"model": model, "effort": "high"} if model else {}))

    def user(self, text: str) -> Self:
        """A message, told twice as Codex does."""
        self.item("message", role="user", content=[{"type": "input_text", "text": text}])
        return self.event("user_message", message=text, images=[])

    def says(self, text: str) -> Self:
        """Words of the model, told twice as Codex does."""
        self.event("agent_message", message=text)
        return self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def call(self, name: str, arguments: Mapping[str, Any], call_id: str | None = None) -> Self:
        """A function call."""
        self.last_call = call_id or self.ident()
        return self.item("function_call", name=name, arguments=json.dumps(arguments), call_id=self.last_call)

    def shell(self, command: str, call_id: str | None = None) -> Self:
        """A shell command."""
        return self.call("exec_command", {"cmd": command, "workdir": "/home/sam/src/app"}, call_id)

    def result(
        self,
        text: str,
        code: int | None = None,
        *,
        wall: float = 0.25,
        session: int | None = None,
        call_id: str | None = None,
    ) -> Self:
        """The result of the last call: bare, with an exit code, or of a process that goes on."""
        state = (
            f"Process running with session ID {session}"
            if code is None
            else f"Process exited with code {code}"
        )
        if code is not None or session is not None:
            head = f"Chunk ID: a1b2c3\nWall time: {wall:.4f} seconds\n{state}\nOriginal token count: 9\n"
            text = f"{head}Output:\n{text}"
        return self.item("function_call_output", call_id=call_id or self.last_call, output=text)

    def tokens(
        self,
        input: int,
        cached: int = 0,
        output: int = 0,
        reasoning: int = 0,
        *,
        write: int | None = None,
        last: bool = True,
    ) -> Self:
        """The count at the end of a response: what it added, written as a running total."""
        added = dict(zip(KEYS, (input, cached, output, reasoning), strict=True))
        if write is not None:
            added["cache_write_input_tokens"] = write
        self.total = {key: self.total.get(key, 0) + added.get(key, 0) for key in self.total | added}
        return self.count(self.total, added if last else None)

    def count(self, total: Mapping[str, int], last: Mapping[str, int] | None) -> Self:
        """A token count as it is."""
        info = {
            key: dict(usage) | {"total_tokens": usage["input_tokens"] + usage["output_tokens"]}
            for key, usage in (("total_token_usage", total), ("last_token_usage", last))
            if usage is not None
        }
        return self.event("token_count", info=info | {"model_context_window": 258400}, rate_limits=None)

    def repeat(self) -> Self:
        """The last token count once more, as at the start of a turn."""
        last = next(r["payload"] for r in reversed(self.records) if r["payload"].get("type") == "token_count")
        return self.event("token_count", info=last["info"], rate_limits=None)

    def done(self) -> Self:
        """The end of a turn."""
        return self.event("task_complete", turn_id="", last_agent_message=None)

    def child(self, thread: str = CHILD, *, spawn: bool = True, at: str = "copied", **fields: Any) -> Rollout:
        """A thread that starts with a copy of these records.

        Args:
            thread: its id.
            spawn: started as a sub-agent; False for a person's fork.
            at: copied gives the copies the moment of copying, original leaves theirs.
            fields: further fields of session_meta.
        """
        source: Any = "cli"
        if spawn:
            source = {"subagent": {"thread_spawn": {"parent_thread_id": self.thread, "depth": 1}}}
        made = Rollout(thread, forked_from_id=self.thread, source=source, **fields)
        made.total = dict(self.total)
        for record in self.records:
            made.records.append(record if at == "original" else record | {"timestamp": made.stamp()})
        return made

    def bytes(self) -> bytes:
        """The rollout as it lies on disk."""
        return b"".join(json.dumps(record).encode() + b"\n" for record in self.records)

    def files(self) -> dict[str, Any]:
        """Path below a Codex home to content."""
        return {f"sessions/2026/11/03/rollout-2026-11-03T08-00-00-{self.thread}.jsonl": self.bytes()}


def stored(folder: Path, *rollouts: Rollout) -> Workspace:
    """A store with some rollouts, imported at once."""
    return added(folder, {name: data for r in rollouts for name, data in r.files().items()})[0]


def tokens(workspace: Workspace, session: str | None = None) -> int:
    """Tokens of all kinds, of the store or of one root session."""
    totals = workspace.totals()
    kinds = totals.tokens if session is None else totals.by["session"][session].tokens
    return sum(value or 0 for value in kinds.values())


def working() -> Rollout:
    """A thread with two responses, 1,000 and 2,000 tokens."""
    r = Rollout().turn().user("fix the test").advance(1)
    r.shell("pytest -q").tokens(900, 100, 100, 40).advance(2).result("1 failed", 1)
    return r.advance(1).says("Found it.").tokens(1_950, 900, 50, 10).done()


def only(workspace: Workspace, **wanted: str) -> Operation:
    (found,) = [o for o in every(workspace) if all(getattr(o, k) == v for k, v in wanted.items())]
    return found


def facts(workspace: Workspace) -> list[tuple[Any, ...]]:
    """What a store holds of every operation."""
    return [
        (
            o.session,
            o.index,
            o.id,
            o.kind,
            o.name,
            o.status,
            o.started,
            o.ended,
            o.parent,
            o.arguments,
            o.output,
            sorted(o.fields.items()),
            sorted(o.measures.items()),
            o.origin.line,
            o.inherited,
        )
        for o in every(workspace)
    ]

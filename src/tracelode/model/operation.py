"""What is an operation? The one noun everything else is made of, or says where in it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

import msgspec

Actor = Literal["human", "agent", "system"]
Kind = Literal["prompt", "model", "tool", "subagent", "gui", "process", "file", "network", "plan", "note"]
Status = Literal["ok", "error", "nonzero", "denied", "interrupted", "running", "unknown"]

KINDS: tuple[str, ...] = Kind.__args__  # type: ignore[attr-defined]
STATUSES: tuple[str, ...] = Status.__args__  # type: ignore[attr-defined]

FIELDS: dict[str, str] = {
    "project": "working folder of the root session, home folder as ~",
    "cwd": "working folder of this operation, where it differs from the project",
    "agent": "the product that ran: claude-code, codex, ...",
    "role": "main or subagent; effects for processes, files and hosts of no tool call",
    "model": "model id as the source names it",
    "call": "id of the model operation that issued this one",
    "tool": "tool name as the source names it; views show its frame, filters take either",
    "frame": "tool frame in views: the tool, with a known first word for shells",
    "command": "shell command, redacted, at most 1,000 characters",
    "description": "the agent's own words about a tool call, redacted",
    "path": "file the operation touches, relative to the project or home (~)",
    "path_role": "closed role of the path: code, tests, docs, config, ...",
    "domain": "host of a web request",
    "port": "port of the host, where the operation names one",
    "pid": "number of the process, of a process or of the one that touched a file or host",
    "ppid": "number of the process that started this one",
    "process": "id of the process operation that did this, or that started this process",
    "lineage": "root where nothing recorded had to start the process: the command itself, or the agent",
    "slack": "microseconds by which the start of a process may be later than it says",
    "cause": "id of the tool operation that the source itself names as what did this",
    "assigned": "how an effect was joined to a tool call: id, tree, ambiguous or none",
    "touch": "what was done to a file at most: open, read, write, rename or delete",
    "exit": "exit code of a process, or the signal that ended it",
    "sampled": "1 where an effect was seen by looking again and again: what was shorter was missed",
    "error": "closed error class of a failed operation",
    "said": "closed verb of a prompt's first line",
    "asked": "closed kind of work that a prompt's first line names",
    "verb": "closed verb of the operation",
    "branch": "version-control branch",
    "mode": "permission mode",
    "background": "1 when the tool was sent to the background",
    "spawns": "session key of the sub-agent this operation started",
    "usage_quality": "lower_bound: the final counts were never written; shared: a part of a sum over calls",
    "duration_quality": "upper_bound when the time of a tool is use to result, not its own figure",
    "intent": "closed root name of the session's work",
    "stage": "closed name of the segment the operation lies in",
    "stage_declared": "closed name that the plan item in progress gives to the segment",
    "stage_observed": "closed name of the same segment by its operations alone",
    "team": "team whose members share one list of tasks, where the source names it",
    "plan": "what a plan tool's call says, as JSON: closed words, digests, redacted beginnings of items",
    "plan.goal": "beginning of what the session was first asked for",
    "plan.node": "item of the plan in progress; of several the one started last",
    "plan.epoch": "generation of the plan that the item belongs to, from 1",
    "plan.status": "how the item stands in the end: planned, running, succeeded, failed or removed",
    "plan.attempt": "number of the attempt at the item, from 1",
    "plan.until": "what a person did next: prompt, steer, answer, denial or interrupt",
    "plan.rework": "own: the call takes out lines that the session wrote; finished: of a finished item",
    "focus": "optional open object of the segment",
    "rolled_back": "1 when the operation lies on a branch that was rewound",
    "automated": "1 when a program and not a person wrote the prompt",
    "human": "closed kind of human moment: prompt, steer, answer, denial, interrupt",
    "service_tier": "service tier the source names, where it is not the standard one",
    "speed": "speed the source names, where it is not the standard one",
    "geo": "geography the source names, where it bears on the price",
    "trace": "id of the trace the operation was recorded in",
    "told_by": "log, message or total: what told the operation, where that is no span or record of its own",
    "native": "digest of the provider's own id of an answer or tool call",
    "replay": "ids under which other threads may hold the same record, a space between two",
    "replayed": "1 where the source itself says that the record is a copy of another thread's",
    "compaction": "what caused a compaction: auto or manual",
    "session": "key of the session the operation belongs to",
    "kind": "kind of the operation",
    "status": "status of the operation",
    "task": "known task, ticket or benchmark id of the session",
    "outcome": "success or failure of the session, where it is known",
    "proxy": "observed hint at how the session ended, such as tests passed; never a verdict",
    "day": "calendar day of the call's last record in the zone asked for",
}
"""Canonical names of operation fields and what they hold; adapters add their own under a prefix."""


class Origin(msgspec.Struct, frozen=True):
    """Where an operation came from: every number can be traced to a line."""

    adapter: str
    """Name of the source adapter."""
    path: str
    """Path relative to a named root (claude:, ~, or absolute outside both)."""
    line: int
    """1-based line of the first record; 0 where the format has no lines."""
    offset: int = 0
    """Byte offset of that line in the decompressed stream."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing an actor did."""

    session: str
    """Key of the session it belongs to."""
    index: int
    """0-based place in the session's total order."""
    id: str
    """Stable hash, 16 hex digits: independent of the path it was read from."""
    actor: Actor
    """Who did it."""
    kind: Kind
    """What sort of thing it is."""
    name: str
    """Tool name, model id, or a short closed word."""
    status: Status = "unknown"
    """How it ended."""
    started: int | None = None
    """UTC microseconds since the epoch, None if unknown."""
    ended: int | None = None
    """UTC microseconds since the epoch, None if unknown or still open."""
    parent: str | None = None
    """Id of the operation that contains or issued it."""
    fields: dict[str, str] = {}
    """Canonical names of FIELDS, adapter's own under a prefix."""
    measures: dict[str, int] = {}
    """Integers by measure name (model.measure)."""
    arguments: str = ""
    """Input, redacted and bounded once it is past ingest."""
    output: str = ""
    """Result, redacted and bounded once it is past ingest."""
    origin: Origin
    """Where it came from."""
    inherited: bool = False
    """True when another session owns the same record (fork, resume); folds skip it."""


def operation_id(family: str, native: str, occurrence: int = 0) -> str:
    """The stable id of an operation.

    Args:
        family: agent family, such as "claude-code".
        native: the source's own id; without one, "session key#index".
        occurrence: n-th use of the same native id in one session, from 0.

    Returns:
        16 hex digits.

    Source:
        accounting rules, identity.
    """
    return blake2b(f"{family}\0{native}\0{occurrence}".encode("utf-8", "replace")).hexdigest()[:16]

"""How does a test read a Claude Code file without a store, in any pieces, and beside a reader of its own?"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import msgspec

from claude import Record, Transcript
from tracelode.files import Records
from tracelode.ingest.draft import Builder, Draft, Thread
from tracelode.model.operation import Operation
from tracelode.model.ports import Line
from tracelode.redact.fast import Redactor
from tracelode.sources.claude_code import ClaudeCode
from tracelode.workspace import Workspace


def lines_of(data: bytes) -> list[Line]:
    """The numbered lines of a file's bytes."""
    found, offset = [], 0
    for number, text in enumerate(data.splitlines(keepends=True), 1):
        found.append(Line(number, offset, text.strip()))
        offset += len(text)
    return found


def told(data: bytes, *cuts: int, name: str = "x.jsonl") -> dict[str, Thread]:
    """Threads of a transcript that is read in pieces, its state saved after each; nothing may be skipped."""
    source, threads = ClaudeCode(), dict[str, Thread]()
    state, lines, start = source.fresh(), lines_of(data), 0
    for cut in (*cuts, len(lines)):
        builder = Builder(Redactor(), name, source.agent, threads)
        for item in source.read(lines[start:cut], state, name):
            builder.take(item)
        assert not builder.skipped, builder.skipped
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state))
        start = cut
    return threads


def same_in_pieces(t: Transcript) -> dict[str, list[Draft]]:
    """What a transcript holds by session key, the same however it is cut."""
    whole = {key: list(thread.drafts.values()) for key, thread in told(t.bytes()).items() if thread.drafts}
    for cut in range(1, len(t.records)):
        found = told(t.bytes(), cut)
        pieces = {key: list(thread.drafts.values()) for key, thread in found.items() if thread.drafts}
        assert pieces == whole, cut
    return whole


def main_of(workspace: Workspace) -> list[Operation]:
    """Operations of the only root session."""
    (session,) = [s for s in workspace.sessions() if s.key == s.root]
    return workspace.operations(session.key)


def raw(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, read without the project's help."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def told_by(path: Path) -> dict[str, Thread]:
    """Threads of a real transcript."""
    source, threads = ClaudeCode(), dict[str, Thread]()
    builder = Builder(Redactor(), path.name, source.agent, threads)
    for item in source.read(Records(path), source.fresh(), path.name):
        builder.take(item)
    return threads


def tokens(draft: Draft) -> int:
    """Tokens of all kinds of one call."""
    return sum(n for name, n in draft.measures.items() if name.startswith("tokens."))


def spoiled(records: list[Record], value: Any, seed: int) -> bytes:
    """Records of which about half have one field, anywhere inside, replaced by a value."""
    rng = random.Random(seed)
    found = copy.deepcopy(records)
    for record in found:
        spots: list[tuple[Any, Any]] = []
        stack: list[Any] = [record]
        while stack:
            node = stack.pop()
            for key, child in node.items() if isinstance(node, dict) else enumerate(node):
                spots.append((node, key))
                if isinstance(child, dict | list):
                    stack.append(child)
        if spots and rng.random() < 0.5:
            node, key = rng.choice(spots)
            node[key] = copy.deepcopy(value)
    return b"".join(json.dumps(record).encode() + b"\n" for record in found)


def unharmed(source: Any, data: bytes) -> None:
    """A source reads bytes without an unhandled error, and what it yields is well formed."""
    for item in source.read(lines_of(data), source.fresh(), "x.jsonl"):
        if isinstance(item, Operation):
            item.arguments.encode()
            assert all(isinstance(v, str) for v in item.fields.values())
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())

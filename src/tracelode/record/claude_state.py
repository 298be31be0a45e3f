"""What does a hook remember from one call to the next? The session as it stood, redacted as events are."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import IO, Any

from tracelode.record.claude_hook import take
from tracelode.record.clean import Cleaner
from tracelode.record.live import Session
from tracelode.record.nodes import Node
from tracelode.record.recorder import DAY, REDACT, folder_of
from tracelode.record.sink import Sink

WRITER = "claude-code"
_SCRAP = 2_000
"""Characters of a wording that are remembered."""


def record(told: dict[str, Any], place: Path, stream: IO[bytes]) -> None:
    """Record one call of the hook.

    Args:
        told: its input, with a session_id.
        place: folder of the traces.
        stream: the session's state, open for reading and writing, locked by the caller.

    Raises:
        OSError: nothing can be written.
    """
    state = _read(stream)
    folder = folder_of(place, told["session_id"], state["day"])
    cleaner = Cleaner(os.environ.get(REDACT) or "summary", place)
    sink = Sink(lambda writer: folder / f"{writer}.jsonl", cleaner, "none", writer=WRITER, seq=state["seq"])
    session = Session(told["session_id"], sink)
    session.epoch, session.number = state["epoch"], state["number"]
    session.listed = [(node, status) for node, status in state["listed"]]
    for name, (text, parent, status, attempt, native) in state["nodes"].items():
        node = session.nodes[name] = Node(text, parent)
        node.status, node.attempt, node.native = status, attempt, native
    take(session, told)
    sink.close()
    state |= {"seq": sink.seq, "epoch": session.epoch, "number": session.number, "listed": session.listed}
    state["nodes"] = {
        name: (cleaner.name(node.text[:_SCRAP]), node.parent, node.status, node.attempt, node.native)
        for name, node in session.nodes.items()
    }
    stream.seek(0)
    stream.write(json.dumps(state, separators=(",", ":")).encode())
    stream.truncate()
    stream.flush()


def _read(stream: IO[bytes]) -> dict[str, Any]:
    state: dict[str, Any] = {
        "day": os.environ.get(DAY) or time.strftime("%Y-%m-%d", time.gmtime()), "seq": 0, "epoch": 1,
        "number": 0, "listed": [], "nodes": {},
    }  # fmt: skip
    # cut off by a machine that stopped: the session begins anew, its events stay
    with contextlib.suppress(ValueError):
        state |= json.loads(stream.read() or b"{}")
    return state

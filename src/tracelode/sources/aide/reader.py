"""How does a journal become operations? Each node is planned, run and judged."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b, sha256
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.lenient import block_text
from tracelode.making import Maker
from tracelode.model.operation import Operation, Status
from tracelode.model.plan import PlanEvent
from tracelode.model.ports import About, Item, Line, Skip, Tick
from tracelode.signals.plan.kept import event_packed
from tracelode.sources.aide.tree import BACK, STAGE, Journal, Node, moves_of, parents_of

AGENT = "aide"
TOOL = "python"
FILE = "runfile.py"
"""The file in which AIDE runs every program."""
DESCRIPTION, SUMMARY = 2_000, 500


def read_journal(file: Line, path: str, kin: str) -> Iterator[Item]:
    """Items of one journal.

    Args:
        file: the whole file.
        path: the file as origins name it.
        kin: what the journals of one run share.
    """
    found, complaints = lenient.decode(file.data, Journal)
    for reason in complaints:
        yield Skip(file.number, reason)
    for journal in found[:1]:
        nodes = [node for node in journal.nodes or [] if node.id]
        if len(nodes) < len(journal.nodes or []):
            yield Skip(file.number, "node without an id", len(journal.nodes or []) - len(nodes))
        if not nodes:
            yield Skip(file.number, "journal without a node")
            return
        staged = STAGE.match(path.rpartition("/")[0].rpartition("/")[2]) is not None
        key = _key(kin if staged else nodes[0].id or "")
        yield About(key, key, "")
        reader = _Reader(Maker(AGENT, AGENT, path, key), parents_of(journal))
        reader.maker.line = file
        before = ""
        for node, move in zip(nodes, moves_of(nodes, reader.parents), strict=True):
            yield from reader.node(node, move, before)
            before = node.id or ""


def _key(text: str) -> str:
    return f"{AGENT}-{blake2b(text.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


class _Reader:
    """Reads the nodes of one journal in order."""

    def __init__(self, maker: Maker, parents: dict[str, str]) -> None:
        self.maker = maker
        self.parents = parents

    def node(self, node: Node, move: str, before: str) -> Iterator[Item]:
        """What happened to one node.

        Args:
            node: the node.
            move: how it follows the one before it.
            before: id of that one.
        """
        ident = node.id or ""
        made = _moment(node.ctime)
        if made is None and node.ctime is not None:
            yield Skip(self.maker.line.number, "moment out of range left out")
        parent = self.parents.get(ident)
        if move in BACK and parent is not None:
            payload = {"op": "backtrack", "move": move, "from": before}
            yield self._event("back", node, "revise", "planned", made, payload, on=parent)
        payload = {"op": "create", "move": move}
        if node.plan:
            payload["description"] = node.plan[:DESCRIPTION]
        yield self._event("plan", node, "plan", "planned", made, payload)
        if node.is_buggy is None and node.exec_time is None:
            return
        yield from self._run(node, made)

    def _run(self, node: Node, made: int | None) -> Iterator[Item]:
        ended = None
        if made is not None and node.exec_time is not None and 0 <= node.exec_time < 10**8:
            ended = made + round(node.exec_time * 1_000_000)
        output = block_text(node.term_out) if not isinstance(node.term_out, list) else "".join(
            part for part in node.term_out if isinstance(part, str)
        )  # fmt: skip
        code = {"path": FILE, "content": node.code} if node.code else {"path": FILE}
        status: Status = "error" if node.exc_type or node.is_buggy else "ok"
        start = self._event("start", node, "execute", "running", made, {})
        run = self.maker.tool(
            f"{node.id}/start", TOOL, None, status, made, ended=ended, fields=dict(start.fields),
            arguments=msgspec.json.encode(code).decode(), output=output,
        )  # fmt: skip
        yield run
        if made is not None:
            yield Tick(made, "model", run.id, opens=(run.id,))
        if ended is not None:
            yield Tick(ended, "tool", run.id, closes=(run.id,))
        said = node.analysis or output[-SUMMARY:]
        payload: dict[str, Any] = {"tool": TOOL, **({"result_summary": said[:SUMMARY]} if said else {})}
        if node.exc_type:
            payload["error_type"] = node.exc_type[:80]
        score = node.metric.value if node.metric is not None else None
        if isinstance(score, int | float) and not isinstance(score, bool):
            payload["measures"] = {"score": score}
        status_of = "failed" if node.is_buggy else "succeeded"
        yield self._event("end", node, "execute", status_of, ended, payload, actor="system")

    def _event(
        self, word: str, node: Node, event_type: Any, status: Any, at: int | None, payload: dict[str, Any],
        *, on: str = "", actor: Any = "agent",
    ) -> Operation:  # fmt: skip
        """An operation that is a plan event."""
        ident = on or node.id or ""
        event = PlanEvent(
            session_id=self.maker.session,
            event_id=sha256(f"{AGENT}\0{node.id}\0{word}".encode("utf-8", "replace")).hexdigest()[:32],
            timestamp=at,
            actor=actor,
            event_type=event_type,
            node_id=ident,
            parent_node_id=self.parents.get(ident),
            status=status,
            payload=payload,
        )
        return self.maker.operation(
            f"{node.id}/{word}", actor, "plan", event_type, "ok", at, fields={"plan": event_packed(event)},
            arguments=str(payload.get("description", "")),
        )  # fmt: skip


def _moment(seconds: float | None) -> int | None:
    if seconds is None or not 0 < seconds < 10**10:
        return None
    return round(seconds * 1_000_000)

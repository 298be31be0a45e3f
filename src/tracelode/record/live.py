"""What does a program say about its plan? Goal, nodes, execution, review and revision, in its own words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tracelode.record.event import GOAL
from tracelode.record.nodes import Node
from tracelode.record.running import Running
from tracelode.record.scope import Scope, enter, here, leave
from tracelode.record.sink import Sink
from tracelode.record.trace import RecordError, TraceSession

CORRECTIVE = ("request_changes", "reject", "deny_tool", "interrupt")
"""Decisions with which a human corrects."""


class Session(TraceSession):
    """A session that is being recorded; a context manager, also an asynchronous one.

    Args:
        session_id: its id.
        sink: where events go.
        strict: raise for what is no event, and end open nodes as failed.
        task_id: what joins it with other sessions.
        task_type: procedure, explore or domain, or a word of your own.
        rate: share of sessions that are kept by lot, where this one is.
        closing: called with the session when it has ended.
    """

    def __init__(
        self,
        session_id: str,
        sink: Sink | None = None,
        *,
        strict: bool = False,
        task_id: str | None = None,
        task_type: str | None = None,
        rate: float = 1.0,
        closing: Callable[[Session], None] | None = None,
    ) -> None:
        super().__init__(session_id, sink, strict=strict, task_id=task_id)
        self.task_type = task_type
        self.epoch = 1
        """Generation of the plan."""
        self.nodes: dict[str, Node] = {}
        self.listed: list[tuple[str, str]] = []
        """The plan's list as it was given last: (node, state)."""
        self.keep_reasons: set[str] = set()
        """Why the session is kept whatever sampling says: failed, rolled back, corrected."""
        self.completed = ""
        self.day = ""
        """YYYY-MM-DD in UTC, when it began."""
        self.place: Path | None = None
        """The recorder's folder or file."""
        self._rate = rate
        self._owner = os.getpid()
        self.number = 0
        """Nodes of this generation."""
        self._closing = closing
        self._token: Any = None
        self._before = Scope()

    def goal(self, text: str, *, actor: str = "human") -> str:
        """Say what the session is for.

        Args:
            text: the goal.
            actor: who said it.

        Returns:
            The goal's node.
        """
        self.nodes.setdefault(GOAL, Node(text, None))
        more = {"task_type": self.task_type} if self.task_type else {}
        self.record(actor, "plan", GOAL, None, "planned", {"op": "goal", "description": text, **more})
        return GOAL

    def plan(
        self,
        text: str,
        *,
        parent: str | None = GOAL,
        depends_on: Iterable[str] = (),
        actor: str = "agent",
        reason: str | None = None,
        node_id: str | None = None,
        evidence: str = "declared",
    ) -> str:
        """Plan a node.

        Args:
            text: what is to be done.
            parent: the node it is part of: the goal, where there is one; None for none.
            depends_on: nodes that must be finished first.
            actor: who planned it.
            reason: why, where that is known.
            node_id: an id of your own.
            evidence: inferred where code, and no planner, says so.

        Returns:
            The node's id.
        """
        if node_id is None:
            self.number += 1
            node_id = f"{self.epoch}/{self.number}"
        if parent == GOAL and GOAL not in self.nodes:
            parent = None
        began = any(node.attempt for node in self.nodes.values())
        payload: dict[str, Any] = {
            "op": "add" if began else "create", "description": text, "plan_epoch": self.epoch,
        }  # fmt: skip
        if reason:
            payload["reason"] = reason
        self.nodes[node_id] = Node(text, parent)
        if evidence == "declared":
            self.listed.append((node_id, "planned"))
        edges = tuple(depends_on)
        self.record(
            actor, "plan", node_id, parent, "planned", payload, depends_on=edges, evidence=evidence
        )  # fmt: skip
        return node_id

    def execute(self, node: str, *, actor: str = "agent", reason: str | None = None) -> Running:
        """Execute a node: `with` and `async with`.

        Args:
            node: its id.
            actor: who does it.
            reason: why again, for another attempt.

        Returns:
            The context manager; succeeded at its end, failed where it is left by an exception.
        """
        return Running(self, node, actor, reason)

    def start(self, node: str, *, actor: str = "agent", payload: dict[str, Any] | None = None) -> None:
        """Say that a node is being executed.

        Args:
            node: its id.
            actor: who does it.
            payload: what else is known.
        """
        known = self.nodes.setdefault(node, Node("", None))
        if known.status == "succeeded":
            self._keep("rolled_back")
        known.status, known.attempt = "running", known.attempt + 1
        told = {"attempt": known.attempt, **(payload or {})}
        self.record(actor, "execute", node, known.parent, "running", told)

    def stop(
        self,
        node: str,
        status: str = "succeeded",
        *,
        actor: str = "agent",
        payload: dict[str, Any] | None = None,
    ) -> None:
        """Say how a node ended.

        Args:
            node: its id.
            status: succeeded or failed.
            actor: who did it.
            payload: what else is known.
        """
        known = self.nodes.setdefault(node, Node("", None))
        more: dict[str, Any] = {}
        if known.status != "running":
            # the start was not recorded: it is implied, and its moment unknown
            known.attempt += 1
            told = {"attempt": known.attempt}
            self.record(actor, "execute", node, known.parent, "running", told, evidence="inferred")
        known.status = status
        if status == "failed":
            self._keep("failed")
        more = {"attempt": known.attempt, **(payload or {})}
        self.record(actor, "execute", node, known.parent, status, more)

    def review(
        self,
        node: str = GOAL,
        *,
        decision: str,
        reason: str | None = None,
        actor: str = "human",
        status: str = "updated",
        **payload: Any,
    ) -> None:
        """Record what someone decided about a node.

        Args:
            node: its id.
            decision: approve, request_changes, reject, answer, deny_tool, interrupt, prompt, note and so on.
            reason: why, in their words.
            actor: who decided.
            status: of the node as of now.
            payload: what else is known.
        """
        if actor == "human" and decision in CORRECTIVE:
            self._keep("corrected")
        more = {"reason": reason} if reason else {}
        self.record(
            actor, "review", node, self._parent(node), status, {"decision": decision, **more, **payload}
        )

    def revise(
        self,
        node: str,
        *,
        op: str,
        before: Any = None,
        after: Any = None,
        reason: str | None = None,
        actor: str = "agent",
        evidence: str = "declared",
        **payload: Any,
    ) -> None:
        """Record a change of the plan.

        Args:
            node: its id.
            op: rename, remove, reorder, depend, pause, reopen, backtrack, rescope and so on.
            before: how it was.
            after: how it is.
            reason: why.
            actor: who changed it.
            evidence: inferred where a rule says so.
            payload: what else is known.

        Raises:
            RecordError: in strict mode, without before or after.
        """
        told: dict[str, Any] = {"op": op, **payload}
        if before is not None or after is not None:
            told["diff"] = {"before": before, "after": after}
        elif self.strict:
            raise RecordError("a change says how it was and how it is: before and after")
        if reason:
            told["reason"] = reason
        if op in ("reopen", "backtrack"):
            self._keep("rolled_back")
        status = "planned" if op in ("pause", "reopen") else "updated"
        known = self.nodes.get(node)
        if known is not None:
            if op == "remove":
                known.status = "removed"
            elif status == "planned":
                known.status = "planned"
            elif op == "rename" and isinstance(after, str):
                known.text = after
        self.record(actor, "revise", node, self._parent(node), status, told, evidence=evidence)

    def replan(self, items: Sequence[Any], *, actor: str = "agent", reason: str | None = None) -> list[str]:
        """Record a plan that is given whole: what changed against the last one is found.

        Args:
            items: n texts, (text, state) pairs or objects with content, step or text, and status.
            actor: who planned it.
            reason: why.

        Returns:
            The node of each item, in its order.

        Source:
            plan rules, identity across rewritten lists: E1, E2, E4 to E7.
        """
        from tracelode.record.replan import replan

        return replan(self, items, actor, reason)

    def next_epoch(self) -> None:
        """Begin another generation of the plan: its nodes are counted anew."""
        self.epoch, self.number = self.epoch + 1, 0

    def complete(
        self,
        status: str = "succeeded",
        *,
        measures: dict[str, float] | None = None,
        actor: str = "system",
        **payload: Any,
    ) -> None:
        """Say that the task has ended; a second time is passed over.

        Args:
            status: succeeded or failed.
            measures: name to number.
            actor: who says so.
            payload: what else is known.
        """
        if self.completed:
            return
        for node, known in list(self.nodes.items()):
            if self.strict and known.status == "running":
                self.stop(node, "failed", actor="system", payload={"reason": "unclosed"})
        self.completed = status
        if status == "failed":
            self._keep("failed")
        more = {"measures": measures} if measures else {}
        if self._sink is not None:
            more["sampling"] = self.sampling()
        self.record(actor, "complete", GOAL, None, status, {**more, **payload})

    def sampling(self) -> dict[str, Any]:
        """Rate, weight and reasons; a weight corrects counts for the sessions that were not kept."""
        # what is kept in any case stands for itself alone
        weight = 1.0 if self.keep_reasons or not self._rate else 1 / self._rate
        return {"rate": self._rate, "weight": weight, "kept_by": sorted(self.keep_reasons)}

    @property
    def redact(self) -> str:
        """Mode of redaction."""
        return self._cleaner.mode

    @property
    def kept(self) -> bool:
        """Are events written, and not only held until something says that they are to be kept?"""
        return self._sink is None or self._sink.kept

    def found(self, text: str) -> str:
        """The node of a wording that waits to be executed, else a new one below the node being executed.

        Args:
            text: its wording.

        Returns:
            The node's id.
        """
        for node, known in self.nodes.items():
            if known.text == text and known.status in ("planned", "failed"):
                return node
        scope = here()
        parent = scope.nodes[-1] if scope.session is self and scope.nodes else GOAL
        return self.plan(text, parent=parent, evidence="inferred")

    def close(self) -> None:
        """End the recording, without a complete event where there was none."""
        if self._closing is not None and os.getpid() == self._owner:
            closing, self._closing = self._closing, None
            try:
                closing(self)
            except Exception as error:
                self._problem(error)
        if self._sink is not None:
            try:
                self._sink.close()
            except OSError as error:
                self._problem(error)

    def _keep(self, reason: str) -> None:
        self.keep_reasons.add(reason)
        if self._sink is not None and not self._sink.kept:
            try:
                self._sink.keep()
            except OSError as error:
                self._problem(error)

    def _parent(self, node: str) -> str | None:
        known = self.nodes.get(node)
        return known.parent if known is not None else None

    def __enter__(self) -> Session:
        self._before = here()
        self._token = enter(Scope(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        leave(self._token, self._before)
        # ended by the caller, or by a system that stops: what came before is failed work
        ended = kind is None or issubclass(kind, GeneratorExit)
        more: dict[str, Any] = {} if kind is None else {"error_type": kind.__name__}
        # a fork that leaves the block is not the end of the task
        if os.getpid() == self._owner:
            self.complete("succeeded" if ended else "failed", **more)
        self.close()

    async def __aenter__(self) -> Session:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

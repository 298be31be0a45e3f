"""What did people and agents plan, start, finish, change and decide? One event model for all plan tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from tracelode.model.operation import Operation
from tracelode.model.plan import GOAL, Attempt, Plan, PlanEvent, PlanNode
from tracelode.signals.arguments import asks_person
from tracelode.signals.plan.approved import Documents
from tracelode.signals.plan.board import Node, Step
from tracelode.signals.plan.keep import kept_of, reason_in
from tracelode.signals.plan.kept import Kept
from tracelode.signals.plan.lanes import Followed, Handoff, Lane, follow, handoffs
from tracelode.signals.plan.told import told_event
from tracelode.signals.text import text_verb

DESCRIPTION = 2_000
SUMMARY = 500
_EVIDENCE = {"human": "human", "agent": "declared", "system": "observed"}


def plans(lanes: Sequence[Lane], known: Iterable[Handoff] = ()) -> list[Plan]:
    """The plans of some threads.

    Args:
        lanes: n threads; members of a team or a family that share a list belong into one call.
        known: prompts of other sessions that brought a plan along; those of lanes are found here.

    Returns:
        One plan a thread that has an event, in the order of lanes.

    Source:
        plan rules, sections 5.2 to 5.6.
    """
    followed = follow(lanes)
    given = [*known, *handoffs(o for lane in lanes for o in lane.operations)]
    built = (_Thread(lane, followed, given).plan() for lane in lanes)
    return [plan for plan in built if plan.events]


class _Draft(NamedTuple):
    """An event before it gets its id and place."""

    event_type: str
    status: str
    node: str
    payload: dict[str, Any]
    actor: str = "agent"
    evidence: str = "declared"
    parent: str | None = None
    depends_on: tuple[str, ...] = ()
    epoch: int = 0
    late: bool = False
    """True: at the end of the operation, not at its start."""
    task: str = ""


class _Thread:
    """Builds the events of one lane."""

    def __init__(self, lane: Lane, followed: Followed, given: Sequence[Handoff]) -> None:
        self.lane = lane
        self.followed = followed
        self.given = given
        self.events: list[PlanEvent] = []
        self.running: list[str] = []
        self.started: set[str] = set()
        """Nodes of which an event said that they run."""
        self.goal: PlanNode | None = None
        self.task = ""
        self.proposed = False
        self.listed = any(self._steps(o)[1] for o in lane.operations)
        self.documents = Documents(lane.session)
        self.waiting: Kept | None = None
        """A plan that an answer proposed and nobody has answered."""

    def plan(self) -> Plan:
        for operation in self.lane.operations:
            if (told := told_event(operation)) is not None:
                self.events.append(told)
                continue
            drafts = list(self._drafts(operation))
            self._follow(drafts)
            if not operation.inherited:
                self._emit(operation, list(self._lived(drafts)))
        board = self.followed.boards.get(self.lane.session)
        return Plan(
            session=self.lane.session,
            nodes=(*((self.goal,) if self.goal else ()), *self._nodes(), *self.documents.nodes),
            events=tuple(self.events),
            epochs=board.epochs if board else self.documents.epochs,
        )

    def _nodes(self) -> Iterator[PlanNode]:
        """Nodes that this lane made, on whatever list, as they are at the end."""
        for operation in self.lane.operations:
            key, steps = self._steps(operation)
            for step in steps:
                if step.node is not None and step.event_type == "plan":
                    prefix = self._prefix(key)
                    yield _node(step.node, self.lane.session, prefix, self._parent(prefix))

    def _steps(self, operation: Operation) -> tuple[str, list[Step]]:
        return self.followed.steps.get((self.lane.session, operation.index), (self.lane.session, []))

    def _prefix(self, key: str) -> str:
        """What stands before the ids of a list's nodes: nothing for the lane's own."""
        return "" if key == self.lane.session else f"{key}:"

    def _parent(self, prefix: str) -> str | None:
        return GOAL if self.goal is not None and not prefix else None

    def _drafts(self, operation: Operation) -> Iterator[_Draft]:
        if operation.kind == "plan":
            kept = kept_of(operation)
            if kept.form == "propose":
                yield from self._proposal(operation, kept)
            elif kept.form == "enter":
                yield _Draft("review", "updated", GOAL, {"decision": "note"}, actor="system")
            key, steps = self._steps(operation)
            for step in steps:
                yield _stepped(step, self._prefix(key), self._parent(self._prefix(key)))
            if kept.form != "propose" and "human" in operation.fields:
                yield from self._answer(operation)
        elif operation.kind == "prompt":
            yield from self._asked(operation)
        elif operation.kind == "model":
            kept = kept_of(operation)
            if kept.form == "propose":
                yield from self._proposal(operation, kept)
                self.waiting = kept
        elif operation.kind == "note":
            if operation.fields.get("human") == "interrupt":
                yield self._review("interrupt", {})
            elif operation.name.startswith("compaction") and not self._after_note():
                yield _Draft("review", "updated", GOAL, {"decision": "note"}, actor="system")
        elif "human" in operation.fields:
            yield from self._answer(operation)

    def _after_note(self) -> bool:
        """A compaction has a boundary and a summary: one note is enough."""
        return bool(self.events) and self.events[-1].payload.get("decision") == "note"

    def _review(self, decision: str, more: dict[str, Any], late: bool = False) -> _Draft:
        """A person's word: on the item in progress, where it is a single one."""
        node = self.running[0] if len(self.running) == 1 else GOAL
        parent = self._parent("") if node != GOAL and ":" not in node else None
        payload = {"decision": decision, **more}
        return _Draft("review", "updated", node, payload, "human", "human", parent, late=late)

    def _asked(self, operation: Operation) -> Iterator[_Draft]:
        kept, waiting = kept_of(operation), self.waiting
        self.waiting = None
        if waiting is not None and kept.form == "accept":
            yield self._review("approve", {})._replace(node=GOAL, parent=None)
            yield from self._steps_of(waiting, operation)
            return
        yield self._prompt(operation, kept)
        if kept.form == "handoff":
            yield from self._steps_of(kept, operation)

    def _steps_of(self, kept: Kept, operation: Operation) -> Iterator[_Draft]:
        """The steps of a document that a person approved: the plan, where no tool keeps one."""
        if self.listed:
            return
        for node in self.documents.add(kept, operation.index, self._parent("")):
            payload = {"op": "create", **({"description": node.text} if node.text else {})}
            yield _Draft("plan", "planned", node.id, payload, "agent", "human", node.parent, epoch=node.epoch)

    def _prompt(self, operation: Operation, kept: Kept) -> _Draft:
        actor = "system" if operation.fields.get("automated") == "1" else operation.actor
        text = operation.arguments[:DESCRIPTION]
        more: dict[str, Any] = {"description": text} if text else {}
        if kept.form == "handoff":
            more |= {"handoff": True, "plan_hash": kept.hash}
            self.task = self.task or f"plan:{kept.hash}"
        elif self.goal is not None:
            return self._review("prompt", more)._replace(actor=actor, evidence=_EVIDENCE[actor])
        status = "planned" if self.goal is None else "updated"
        if self.goal is None:
            self.goal = PlanNode(
                id=GOAL, session=self.lane.session, parent=self._above(), epoch=0, text=text[:120],
                verb=operation.fields.get("said"), status="planned", removed=False, created=operation.index,
            )  # fmt: skip
        return _Draft("plan", status, GOAL, {"op": "goal", **more}, actor, _EVIDENCE[actor])

    def _above(self) -> str | None:
        return f"call/{self.lane.call}" if self.lane.call else None

    def _answer(self, operation: Operation) -> Iterator[_Draft]:
        """A person's answer to a tool's question, or refusal of a tool."""
        tool = operation.fields.get("tool") or operation.name
        moment = operation.fields["human"]
        if moment == "answer":
            summary = operation.output[:SUMMARY]
            more = {"tool": tool, **({"result_summary": summary} if summary else {})}
            yield self._review("answer", more, late=True)
        elif moment == "denial":
            reason = reason_in(operation.output)[:SUMMARY]
            more = {"tool": tool, **({"reason": reason} if reason else {})}
            yield self._review("decline_question" if asks_person(tool) else "deny_tool", more, late=True)

    def _proposal(self, operation: Operation, kept: Kept) -> Iterator[_Draft]:
        """A proposed plan and what came of it."""
        kind, status = ("revise", "updated") if self.proposed else ("plan", "planned")
        self.proposed = True
        payload = {"op": "plan_proposed", "plan_hash": kept.hash}
        told = {"ok": "approve", "denied": "stop"} if operation.kind == "plan" else {}
        outcome = kept.outcome or told.get(operation.status, "")
        later = self._handed_over(operation, kept) if outcome == "stop" else None
        task = f"plan:{kept.hash}" if later else ""
        yield _Draft(kind, status, GOAL, payload, task=task)
        review = _Draft("review", "updated", GOAL, {}, actor="human", evidence="human", late=True, task=task)
        if outcome == "approve":
            yield review._replace(payload={"decision": "approve"})
            for draft in self._steps_of(kept, operation):
                yield draft._replace(late=True)
        elif outcome == "changes":
            reason = {"reason": kept.reason} if kept.reason else {}
            yield review._replace(payload={"decision": "request_changes", **reason})
        elif later is not None:
            decision = {"decision": "approve_in_new_session", "in_session": later.session}
            yield review._replace(payload=decision, evidence="observed")
        elif outcome == "stop":
            yield review._replace(payload={"decision": "reject"}, evidence="inferred")

    def _handed_over(self, operation: Operation, kept: Kept) -> Handoff | None:
        """The later prompt that brings the same plan.

        Source:
            plan rules, H3: a stop is mostly an approval with a cleared context.
        """
        ended = operation.ended if operation.ended is not None else operation.started
        for one in self.given:
            if not kept.hash or one.hash != kept.hash:
                continue
            if one.session == operation.session:
                if one.place > operation.index:
                    return one
            elif ended is None or one.moment is None or one.moment >= ended:
                return one
        return None

    def _follow(self, drafts: Sequence[_Draft]) -> None:
        """Keep which nodes are in progress."""
        for draft in drafts:
            if draft.event_type == "execute" and draft.status == "running":
                self.running.append(draft.node)
            elif draft.event_type == "execute" or draft.payload.get("op") in ("pause", "remove"):
                self.running = [node for node in self.running if node != draft.node]

    def _lived(self, drafts: Iterable[_Draft]) -> Iterator[_Draft]:
        """The events with the start of what was started in an inherited part: no node ends that never ran."""
        for draft in drafts:
            if draft.event_type == "execute":
                if draft.status in ("succeeded", "failed") and draft.node not in self.started:
                    yield draft._replace(status="running", payload={}, evidence="inferred")
                self.started.add(draft.node)
            yield draft

    def _emit(self, operation: Operation, drafts: Sequence[_Draft]) -> None:
        origin = operation.origin
        for ordinal, draft in enumerate(drafts):
            name = "\0".join((origin.adapter, operation.session, operation.id, str(ordinal)))
            moment = operation.ended if draft.late and operation.ended is not None else operation.started
            payload = draft.payload
            if operation.kind == "plan" and "tool" not in payload:
                payload = {**payload, "tool": operation.fields.get("tool") or operation.name}
            if draft.epoch:
                payload = {**payload, "plan_epoch": draft.epoch}
            self.events.append(
                PlanEvent(
                    session_id=operation.session,
                    event_id=sha256(name.encode("utf-8", "replace")).hexdigest()[:32],
                    timestamp=moment,
                    actor=draft.actor,  # type: ignore[arg-type]
                    event_type=draft.event_type,  # type: ignore[arg-type]
                    node_id=draft.node,
                    parent_node_id=self._above() if draft.node == GOAL else draft.parent,
                    status=draft.status,  # type: ignore[arg-type]
                    payload=payload,
                    seq=len(self.events),
                    task_id=draft.task or self.task or None,
                    actor_id=operation.session if self.lane.call and draft.actor == "agent" else None,
                    depends_on=draft.depends_on,
                    evidence=draft.evidence,  # type: ignore[arg-type]
                    source=origin,
                )
            )


def _stepped(step: Step, prefix: str, parent: str | None) -> _Draft:
    node = step.node
    payload = step.payload
    if prefix and payload.get("op") in ("depend", "reorder"):
        diff = {side: [f"{prefix}{name}" for name in names] for side, names in payload["diff"].items()}
        payload = {**payload, "diff": diff}
    return _Draft(
        step.event_type,
        step.status,
        f"{prefix}{node.id}" if node is not None else GOAL,
        payload,
        evidence="inferred" if step.inferred else "declared",
        parent=parent if node is not None else None,
        depends_on=tuple(f"{prefix}{name}" for name in step.depends_on),
        epoch=node.epoch if node is not None else 0,
    )


def _node(node: Node, session: str, prefix: str, parent: str | None) -> PlanNode:
    attempts = tuple(
        Attempt(t.start, t.stop, t.started, t.ended, t.end, t.implied)  # type: ignore[arg-type]
        for t in node.tries
    )
    return PlanNode(
        id=f"{prefix}{node.id}",
        session=session,
        parent=parent,
        epoch=node.epoch,
        text=node.text,
        verb=(text_verb(node.text) if node.text else node.verb) or None,
        status=node.state,  # type: ignore[arg-type]
        removed=node.removed,
        created=node.created,
        attempts=attempts,
        depends_on=tuple(f"{prefix}{name}" for name in node.depends_on),
        evidence="inferred" if node.inferred else "declared",
    )

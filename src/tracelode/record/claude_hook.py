"""What does a hook of Claude Code tell about the plan? Events from its tools, prompts and decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tracelode.record.event import GOAL, UNBOUND
from tracelode.record.live import Session
from tracelode.record.running import text

PLAN = "claude-plan"
"""Node of a plan that is proposed as a document."""
HANDOFF = "Implement the following plan:"

Told = Mapping[str, Any]


def take(session: Session, told: Told) -> None:
    """Record what one call of the hook tells.

    Args:
        session: the session as the last call left it.
        told: the hook's input.

    Source:
        plan rules, section 5.4; https://docs.claude.com/en/docs/claude-code/hooks.
    """
    event = told.get("hook_event_name")
    if event == "UserPromptSubmit":
        _prompt(session, told)
    elif event == "PreToolUse" and told.get("tool_name") == "ExitPlanMode":
        _proposed(session, told)
    elif event in ("PostToolUse", "PostToolUseFailure"):
        _tool(session, told, failed=event == "PostToolUseFailure")
    elif event == "SubagentStop":
        _note(session, "a sub-agent ended")
    elif event == "SessionEnd":
        # nobody said that the task is done: that the session ended is all there is
        reason = told.get("reason")
        session.record(
            "system", "complete", GOAL, None, "succeeded",
            {"reason": f"session ended: {reason}" if isinstance(reason, str) else "session ended"},
            evidence="inferred",
        )  # fmt: skip


def _prompt(session: Session, told: Told) -> None:
    prompt = told.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip() or prompt.startswith("/"):
        return
    if GOAL in session.nodes:
        session.review(decision="prompt", reason=prompt)
        return
    session.goal(prompt)
    if prompt.startswith(HANDOFF):
        session.review(decision="approve_in_new_session", handoff=True)


def _proposed(session: Session, told: Told) -> None:
    plan = _dict(told.get("tool_input")).get("plan")
    if not isinstance(plan, str):
        return
    first = PLAN not in session.nodes
    if first:
        session.plan(plan, node_id=PLAN, evidence="human")
        return
    before, session.nodes[PLAN].text = session.nodes[PLAN].text, plan
    session.revise(PLAN, op="plan_proposed", before=before, after=plan)


def _tool(session: Session, told: Told, *, failed: bool) -> None:
    name = told.get("tool_name")
    if not isinstance(name, str):
        return
    given, result = _dict(told.get("tool_input")), told.get("tool_response")
    special = None if failed else _SPECIAL.get(name)
    if special is not None:
        special(session, given, _dict(result))
        return
    node = next((n for n, known in session.nodes.items() if known.status == "running"), UNBOUND)
    known = session.nodes.get(node)
    payload: dict[str, Any] = {"tool": name, "input_summary": _summary(given)}
    if known is not None:
        payload["attempt"] = known.attempt
    if failed:
        payload["error_type"] = "interrupt" if told.get("is_interrupt") else "error"
        if isinstance(told.get("error"), str):
            payload["result_summary"] = told["error"]
    elif result is not None:
        payload["result_summary"] = _summary(result)
    session.record("agent", "execute", node, known.parent if known else None, "running", payload)


def _todos(session: Session, given: Told, _: Told) -> None:
    todos = given.get("todos")
    if isinstance(todos, list):
        session.replan(todos)


def _task_created(session: Session, given: Told, result: Told) -> None:
    task = str(_dict(result.get("task")).get("id") or "")
    subject = given.get("subject")
    if not task or not isinstance(subject, str):
        return
    if f"{session.epoch}/{task}" in session.nodes:
        # numbers begin again once the list is empty: the same number is another task
        session.next_epoch()
    session.plan(subject, node_id=f"{session.epoch}/{task}")


def _task_updated(session: Session, given: Told, _: Told) -> None:
    node = f"{session.epoch}/{given.get('taskId')}"
    known = session.nodes.get(node)
    if known is None:
        return
    subject, status = given.get("subject"), given.get("status")
    if isinstance(subject, str) and subject != known.text:
        session.revise(node, op="rename", before=known.text, after=subject)
    blocked = given.get("addBlockedBy")
    if isinstance(blocked, list) and blocked:
        edges = tuple(f"{session.epoch}/{one}" for one in blocked)
        session.revise(node, op="depend", before=[], after=list(edges), depends_on=edges)
    if status == "in_progress" and known.status != "running":
        session.start(node)
    elif status == "completed" and known.status != "succeeded":
        session.stop(node)
    elif status == "deleted":
        session.revise(node, op="remove", before=known.text, after=None)
    elif status == "pending" and known.status == "running":
        session.revise(node, op="pause", before="running", after="planned")


def _answered(session: Session, _: Told, result: Told) -> None:
    answers = result.get("answers")
    told = text(answers) if answers else None
    session.review(decision="answer" if answers else "decline_question", reason=told)


def _plan_ended(session: Session, _: Told, result: Told) -> None:
    if PLAN in session.nodes:
        session.review(PLAN, decision="approve")


def _note(session: Session, note: str) -> None:
    session.review(decision="note", actor="system", reason=note)


_SPECIAL: dict[str, Callable[[Session, Told, Told], None]] = {
    "TodoWrite": _todos,
    "TaskCreate": _task_created,
    "TaskUpdate": _task_updated,
    "AskUserQuestion": _answered,
    "ExitPlanMode": _plan_ended,
    "EnterPlanMode": lambda session, given, result: _note(session, "plan mode"),
}


def _dict(value: Any) -> Told:
    return value if isinstance(value, dict) else {}


def _summary(value: Any) -> str:
    """The first text of what a tool got or gave, else all of it."""
    if isinstance(value, dict):
        for key in ("command", "file_path", "pattern", "url", "query", "stdout"):
            if isinstance(value.get(key), str) and value[key]:
                return str(value[key])
    return text(value)

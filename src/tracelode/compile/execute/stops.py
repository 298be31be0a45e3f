"""How does a run stand still? What is raised on the way, and what an answer may be."""

from __future__ import annotations

import msgspec

from tracelode.compile.execute.arguments import fits
from tracelode.model.execution import ACTIONS, Failing, Question, Reply
from tracelode.model.run import Tree

NOTHING = object()
"""No output, as against an output of null."""
TEXT = 20_000
"""Characters that a written text may have."""


class Halt(Exception):
    """A step cannot go on by itself.

    Args:
        code: one of workflow.ESCALATIONS.
        what: closed words.
        failing: what does not hold.
        bound: arguments, as far as they are known.
        output: the output that does not pass a check, NOTHING for none.
        actions: what may be answered.
        settles: key of the call that is in doubt.
    """

    def __init__(
        self,
        code: str,
        what: str,
        *,
        failing: Failing | None = None,
        bound: Tree = None,
        output: object = NOTHING,
        actions: tuple[str, ...] = ACTIONS,
        settles: str = "",
    ) -> None:
        super().__init__(what)
        self.code, self.what, self.failing, self.bound, self.output = code, what, failing, bound, output
        self.settles = settles
        self.actions = tuple(a for a in actions if a != "accept" or output is not NOTHING)


class Stand(Exception):
    """Nobody can answer now: the run stands at a question.

    Args:
        question: which.
    """

    def __init__(self, question: Question) -> None:
        super().__init__("stands")
        self.question = question


class Stopped(Exception):
    """Somebody ended the run.

    Args:
        question: at which question.
    """

    def __init__(self, question: Question) -> None:
        super().__init__("stopped")
        self.question = question


def bare(question: Question) -> Question:
    """A question without what was read or given: enough to tell which answers can be taken.

    Args:
        question: whole.
    """
    asked = question.escalation
    if asked is not None:
        asked = msgspec.structs.replace(asked, completed={}, bound=None)
    return msgspec.structs.replace(
        question,
        candidates=(None,) * len(question.candidates),
        context={},
        inputs={},
        bound=None,
        escalation=asked,
    )


def refused(question: Question, reply: Reply) -> str:
    """Why a reply cannot be taken.

    Args:
        question: what was asked.
        reply: what was said.

    Returns:
        Closed words, "" where it can. A model neither approves a write nor settles a doubt about one.
    """
    if question.kind == "approval":
        return "" if reply.by != "model" else "a model's word approves no write"
    if question.kind == "choose":
        inside = reply.choice is None or 0 <= reply.choice < len(question.candidates)
        return "" if inside else "the choice is none of the candidates"
    if question.kind == "generate":
        if reply.text is None or not reply.text.strip():
            return "there is no text"
        return "" if len(reply.text) <= TEXT else f"the text has more than {TEXT:,} characters"
    if question.kind == "value":
        return (
            "" if fits(question.schema, reply.value) else "the value is not of the type that the tool takes"
        )
    return _action(question, reply)


def _action(question: Question, reply: Reply) -> str:
    asked = question.escalation
    if asked is None or reply.action not in asked.actions:
        return "this escalation cannot be answered so"
    if reply.by == "model" and asked.writes and reply.action != "stop":
        return "a model's word decides nothing about a write"
    return ""

"""How is a person at a terminal asked? Plainly, with all that is known, and with no default that acts."""

from __future__ import annotations

import asyncio
import sys
from typing import TextIO

import msgspec

from tracelode.model.execution import Escalation, Question, Reply
from tracelode.model.run import Tree
from tracelode.providers.threads import in_thread

_SHOWN = 600
"""Signs of a value that are shown."""
_YES, _NO = ("yes", "y"), ("no", "n")
_LINES = {
    "retry": "try the step again",
    "output": "the step is done: tell its output",
    "accept": "its output is right as it is",
    "skip": "go on without the step",
    "stop": "end here",
}
_STALE = {
    **_LINES,
    "retry": "look again whether it holds",
    "accept": "what it copies holds all the same: call it",
}


class Terminal:
    """Asks a person; an empty answer, or the end of the input, leaves the run where it stands.

    Args:
        source: where answers are read.
        sink: where questions are written.
    """

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None) -> None:
        self._source, self._sink = source or sys.stdin, sink or sys.stderr
        self._lock = asyncio.Lock()

    async def __call__(self, question: Question) -> Reply | None:
        """Ask; see Asker."""
        async with self._lock:
            for line in _told(question):
                self._write(line)
            return await self._answer(question)

    async def _answer(self, question: Question) -> Reply | None:
        while True:
            said = (await in_thread(self._source.readline)).strip()
            if not said:
                return None
            reply = _read(question, said)
            if reply is None:
                self._write(f"That cannot be taken. {_wanted(question)}")
                continue
            if question.kind == "escalation" and reply.action == "output":
                self._write("Its output, as JSON or plain text:")
                text = (await in_thread(self._source.readline)).strip()
                return Reply(by="person", action="output", value=_value(text)) if text else None
            return reply

    def _write(self, line: str) -> None:
        # what tools said may hold signs that a terminal obeys
        print("".join(c if c.isprintable() else "?" for c in line), file=self._sink, flush=True)


def _told(question: Question) -> list[str]:
    head = f"{question.goal or 'A workflow'}: step {question.step or 'start'} ({question.tool})"
    lines = [head]
    if question.kind == "approval":
        lines += [f"  {question.effect}: may it be called with", f"  {_short(question.bound)}"]
        if question.argument:
            lines.append(f"  not from the request, nor proven: {question.argument}")
    elif question.kind == "choose":
        lines.append(f"  {question.argument}: which of these?")
        lines += [f"  {n}  {_short(one)}" for n, one in enumerate(question.candidates)]
    elif question.kind == "escalation" and question.escalation is not None:
        lines += _stuck(question.escalation)
    else:
        lines.append(
            f"  {question.argument}: {'a text' if question.kind == 'generate' else 'a value'} is needed"
        )
        lines += [f"  {slot}: {_short(value)}" for slot, value in sorted(question.context.items())]
    return [*lines, _wanted(question)]


def _stuck(asked: Escalation) -> list[str]:
    lines = [f"  {asked.code}: {asked.message}"]
    if asked.failing is not None and asked.failing.path:
        lines.append(f"  at {asked.failing.path}")
    if asked.bound is not None:
        lines.append(f"  called with {_short(asked.bound)}")
    lines.append(f"  done: {', '.join(asked.completed) or 'nothing'}; to do: {', '.join(asked.remaining)}")
    words = _STALE if asked.code == "stale" else _LINES
    return [*lines, *(f"  {action:7} {words[action]}" for action in asked.actions)]


def _wanted(question: Question) -> str:
    if question.kind == "approval":
        return "Answer yes or no:"
    if question.kind == "choose":
        return "Answer with a number, or none:"
    if question.kind == "escalation" and question.escalation is not None:
        *others, last = question.escalation.actions
        return f"Answer {', '.join(others)} or {last}:" if others else f"Answer {last}:"
    return "Answer with the text:" if question.kind == "generate" else "Answer with the value:"


def _read(question: Question, said: str) -> Reply | None:
    if question.kind == "approval":
        word = said.lower()
        return Reply(by="person", yes=word in _YES) if word in _YES + _NO else None
    if question.kind == "choose":
        if said.lower() == "none":
            return Reply(by="person")
        inside = said.isascii() and said.isdigit() and int(said) < len(question.candidates)
        return Reply(by="person", choice=int(said)) if inside else None
    if question.kind == "escalation":
        actions = question.escalation.actions if question.escalation else ()
        return Reply(by="person", action=said.lower()) if said.lower() in actions else None
    if question.kind == "generate":
        return Reply(by="person", text=said)
    return Reply(by="person", value=_value(said))


def _value(said: str) -> Tree:
    try:
        return msgspec.json.decode(said)
    except msgspec.DecodeError:
        return said


def _short(value: Tree) -> str:
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} signs)"

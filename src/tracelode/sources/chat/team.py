"""How do the messages of a Magentic-One team become operations? The orchestrator calls its agents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tracelode.making import Maker
from tracelode.model.operation import Operation
from tracelode.model.ports import Change, Item, Skip
from tracelode.sources.chat.messages import text_of

_HANDS_TO = re.compile(r"Orchestrator \(-> (.+)\)")


def team_items(messages: list[Any], maker: Maker) -> Iterator[Item]:
    """Items of one team's run.

    The orchestrator's thoughts are its model calls. What it tells an agent comes out of the thought
    before, so it is an operation of that call; the agent's message is its result. The calls that the
    agents make themselves are not in the file.

    Args:
        messages: decoded {role, content}.
        maker: of the run's session.
    """
    thought: Operation | None = None
    waiting: dict[str, str] = {}
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str):
            yield Skip(maker.line.number, "message without a role")
            continue
        text = text_of(message.get("content"))
        hands = _HANDS_TO.fullmatch(role)
        if role == "human":
            yield maker.operation(
                None, "human", "prompt", "prompt", "ok", None, fields={"human": "prompt"}, arguments=text
            )
        elif role == "Orchestrator (thought)":
            thought = maker.operation(
                None, "agent", "model", "unknown model", "ok", None, measures={"calls": 1}, output=text
            )
            yield thought
        elif hands:
            order = maker.tool(None, hands[1], thought, "unknown", None, kind="subagent", arguments=text)
            waiting[hands[1]] = order.id
            yield order
        elif role in waiting:
            yield Change(id=waiting.pop(role), output=text)
        elif role == "Orchestrator (termination condition)":
            yield maker.operation(None, "system", "note", "termination", "ok", None, output=text)
        else:
            yield Skip(maker.line.number, "message with an unknown role")

"""How does a test get a store with runs of tool calls in it? Conversations as chat messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tracelode
from tracelode import samples
from tracelode.workspace import Workspace

SAMPLES = samples.travel()
"""The bundled runs of a travel desk."""
Called = tuple[str, dict[str, Any], Any]
"""Tool, arguments, output: a str is what the tool printed, None no result at all."""


def talk(key: str, request: str, calls: Iterable[Called], **more: Any) -> dict[str, Any]:
    """One conversation.

    Args:
        key: its id; made long enough to be unique.
        request: what was asked.
        calls: in order.
        more: further keys of the object.
    """
    messages: list[dict[str, Any]] = [{"role": "user", "content": request}]
    for number, (tool, arguments, output) in enumerate(calls):
        asked = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append(
            {"role": "assistant", "content": "", "tool_calls": [{"id": f"c{number}", "function": asked}]}
        )
        if output is not None:
            text = output if isinstance(output, str) else json.dumps(output)
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    messages.append({"role": "assistant", "content": "Done."})
    return {"id": f"conversation-of-a-test-{key}", "messages": messages, **more}


def store(
    folder: Path, talks: Sequence[dict[str, Any]], *, ended: str | None = "success", name: str = "runs.jsonl"
) -> Workspace:
    """Write conversations as JSON Lines and import them.

    Args:
        folder: an empty one; the store is its store/.
        talks: conversations.
        ended: outcome of all, None for none.
        name: of the file.
    """
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in talks))
    workspace = tracelode.open(folder / "store", tz="UTC")
    workspace.add(path)
    if ended is not None:
        rows = [f"{s.key},{ended}," for s in workspace.sessions()]
        (folder / "outcomes.csv").write_text("\n".join(["session,outcome,task", *rows]) + "\n")
        workspace.judge_from(folder / "outcomes.csv")
    return workspace


def travel(folder: Path) -> Workspace:
    """The bundled runs of a travel desk, all of which succeeded."""
    workspace = tracelode.open(folder / "store", tz="UTC")
    workspace.add(SAMPLES / "runs.jsonl")
    workspace.judge_from(SAMPLES / "outcomes.csv")
    return workspace


def orders(count: int, output: Any = None) -> list[dict[str, Any]]:
    """Runs that look a customer up and open a ticket for an order: a read, then a write.

    Args:
        count: runs.
        output: what the look-up told instead; it may hold {} for the customer's number.
    """
    made = []
    for n in range(count):
        number = f"K-{4100 + 37 * n}"
        told = {"customer": number, "tier": "gold"} if output is None else output
        told = told.replace("{}", number) if isinstance(told, str) else told
        made.append(
            talk(
                f"{n:02}",
                f"Open a ticket for order O-{700 + n * 13}, please.",
                [
                    ("find_order", {"order": f"O-{700 + n * 13}"}, told),
                    ("open_ticket", {"customer": number}, {"ticket": f"T{n}"}),
                ],
            )
        )
    return made

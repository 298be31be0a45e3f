"""Which made-up runs do the pages on comparing follow? An agent before and after a fix, as JSON Lines.

Run: python -m tracelode.samples.runs FILE. 24 tasks, 3 runs of each before and after; the same bytes every
time. Before the fix a ticket service rejects calls without a call id, and the agent sends the same call again
and again. The runs follow the rules below: they show how to ask, and prove nothing about agents.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TASKS = 24
RUNS = 3
MODEL = "claude-sonnet-4-5-20250929"
STARTS = {"before": datetime(2026, 9, 14, 8, tzinfo=UTC), "after": datetime(2026, 10, 5, 8, tzinfo=UTC)}
REJECTED = "HTTP 422: error: field call_id is missing\nexit code 22"
MOST_CALLS = 10
"""Rejected calls of a run that never finds out why are fewer."""
SECOND = 1_000_000


class Told:
    """One session: operations with times, and tokens that grow with the conversation."""

    def __init__(self, key: str, start: int, chance: random.Random) -> None:
        self.key, self.now, self.chance = key, start, chance
        self.context = 9_000
        self.lines: list[dict[str, Any]] = []

    def _add(self, kind: str, name: str, seconds: float, **given: Any) -> str:
        index = len(self.lines)
        began, self.now = self.now, self.now + round(seconds * SECOND)
        self.lines.append(
            {"type": "operation", "root": self.key, "session": self.key, "index": index,
             "id": f"{self.key[:10]}{index:06d}", "actor": "human" if kind == "prompt" else "agent",
             "kind": kind, "name": name, "started": began, "ended": self.now,
             "origin": {"adapter": "made", "path": "made", "line": index + 1, "offset": 0}, **given}
        )  # fmt: skip
        return str(self.lines[-1]["id"])

    def prompt(self, text: str) -> None:
        """What the agent is asked."""
        self._add("prompt", "prompt", 0, status="ok", fields={"human": "prompt"}, arguments=text)

    def work(self, tool: str, fields: dict[str, str], shown: str, *, failed: bool = False) -> None:
        """One call of the model and the tool it asks for."""
        output = self.chance.randrange(90, 260)
        measures = {"calls": 1, "tokens.input_fresh": 4, "tokens.cache_read": self.context,
                    "tokens.output": output}  # fmt: skip
        call = self._add(
            "model", MODEL, 2 + output / 60, status="ok", fields={"model": MODEL}, measures=measures
        )
        self._add(
            "tool", tool, self.chance.uniform(0.2, 4), status="nonzero" if failed else "ok",
            fields={"tool": tool, "call": call, **fields}, output=shown,
        )  # fmt: skip
        self.context += output + self.chance.randrange(200, 900)

    def say(self) -> None:
        """The model's last words."""
        measures = {
            "calls": 1,
            "tokens.input_fresh": 4,
            "tokens.cache_read": self.context,
            "tokens.output": 120,
        }
        self._add("model", MODEL, 4, status="ok", fields={"model": MODEL}, measures=measures)


def run(told: Told, size: int, *, fixed: bool) -> bool:
    """Tell one run of a task of a size; whether it succeeded."""
    told.prompt("Fix the ticket and close it through the ticket service.")
    for i in range(size):
        told.work("Read", {"path": f"src/parcel/part{i}.py"}, "def load():\n    ...")
        told.work("Grep", {"path": "src"}, f"src/parcel/part{i}.py:12")
    for i in range(1 + size // 2):
        told.work("Edit", {"path": f"src/parcel/part{i}.py"}, "edited")
    for passed in (told.chance.random() < 0.6, True):
        told.work("Bash", {"command": "pytest -q"}, "3 passed" if passed else "1 failed", failed=not passed)
        if passed:
            break
        told.work("Edit", {"path": "src/parcel/part0.py"}, "edited")
    closed = _close(told, fixed=fixed)
    told.say()
    return closed and told.chance.random() < 0.95


def _close(told: Told, *, fixed: bool) -> bool:
    """Close the ticket; before the fix some calls are rejected, and some runs never find out why."""
    fields = {"command": "curl -s -X POST http://localhost:8080/tickets/close"}
    if not fixed:
        lost = told.chance.random() < 0.4
        for _ in range(told.chance.randrange(5, MOST_CALLS) if lost else told.chance.randrange(3)):
            told.work("Bash", fields, REJECTED, failed=True)
        if lost and told.chance.random() < 0.8:
            return False
    told.work("Bash", fields, "closed")
    return True


def lines() -> Iterator[dict[str, Any]]:
    """Every line of the file."""
    yield {"type": "tracelode", "version": 1}
    sizes = [random.Random(task).randrange(2, 10) for task in range(TASKS)]
    number = 0
    for when, start in STARTS.items():
        for task, size in enumerate(sizes):
            for attempt in range(RUNS):
                chance = random.Random(f"{when} {task} {attempt}")
                key = f"{chance.getrandbits(128):032x}"
                began = int(start.timestamp()) * SECOND + number % (TASKS * RUNS) * 3_600 * SECOND
                told = Told(key, began, chance)
                succeeded = run(told, size, fixed=when == "after")
                number += 1
                yield {"type": "session", "session": key, "root": key, "agent": "ticket-agent",
                       "role": "main", "project": "~/src/parcel", "task": f"ticket-{task + 1:02d}",
                       "outcome": "success" if succeeded else "failure"}  # fmt: skip
                yield from told.lines


def main() -> int:
    """Write the file."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m tracelode.samples.runs FILE\n")
        return 2
    text = "".join(json.dumps(line) + "\n" for line in lines())
    Path(sys.argv[1]).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

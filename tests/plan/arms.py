"""Sessions of one team before and after a change of how its agent plans, made by rule: a study's two arms.

python arms.py FOLDER writes plain/, rules/ and study.yaml. In plain the agent guesses business rules and is
corrected while it works; in rules it lists them first, and is told before it works.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROCEDURE = ("import orders", "clean addresses", "merge ledgers", "archive mails", "rename columns",
             "split files")  # fmt: skip
DOMAIN = ("score credit", "flag returns", "price freight", "rank leads", "plan shifts", "route calls",
          "match invoices", "sort claims", "set limits", "pick samples")  # fmt: skip
STEPS = ("look at the data", "fill what is missing", "derive features", "fit a baseline", "write the report")
STUDY = """study: does it pay to confirm business rules before planning?
metrics: 1
arms:
  plain: {files: plain}
  rules: {files: rules, note: the prompt asks to confirm business rules first}
tasks:
"""


class Session:
    """Events of one session, a minute apart."""

    def __init__(self, key: str, task: str, family: str, start: int) -> None:
        self.key, self.task, self.start = key, task, start
        self.rows: list[dict[str, Any]] = []
        self.add("human", "plan", "goal", "planned", op="goal", description=f"{task} for the month",
                 task_type=family)  # fmt: skip

    def add(self, actor: str, kind: str, node: str, status: str, **payload: Any) -> None:
        """One event."""
        minute = self.start + len(self.rows)
        self.rows.append({
            "session_id": self.key, "event_id": f"{self.key}-{len(self.rows):03}", "task_id": self.task,
            "timestamp": f"2026-{4 + minute // 43_200:02}-{1 + minute % 43_200 // 1440:02}T"
            f"{minute % 1440 // 60:02}:{minute % 60:02}:00.000000Z",
            "actor": actor, "event_type": kind, "node_id": node, "parent_node_id": None, "status": status,
            "payload": payload,
        })  # fmt: skip

    def work(self, node: str, calls: int) -> None:
        """One attempt with its tool calls."""
        self.add("agent", "execute", node, "running")
        for call in range(calls):
            tool, told = (("Read", f"table_{call}.csv"), ("Bash", "pytest -q"))[call % 2]
            self.add("agent", "execute", node, "running", tool=tool, input_summary=told, result_summary="ok")
        self.add("agent", "execute", node, "succeeded")


def session(arm: str, task: str, family: str, run: int, chance: random.Random) -> Session:
    """One session of an arm."""
    key = f"{arm}-{task.replace(' ', '-')}-{run}"
    one = Session(key, task, family, chance.randrange(40_000))
    told = arm == "rules"
    for place, step in enumerate(STEPS):
        one.add("agent", "plan", f"1/{place + 1}", "planned", op="create", description=step)
    knows = 0.9 if told else 0.1
    early = family == "domain" and chance.random() < knows
    if early:
        one.add("human", "review", "1/2", "updated", decision="answer", reason="a missing amount is 0 here")
    for place in range(len(STEPS)):
        node = f"1/{place + 1}"
        one.work(node, 2 + chance.randrange(4))
        wrong = family == "domain" and not early and place == 2
        if wrong and chance.random() < 0.9:
            one.add("human", "review", "1/2", "updated", decision="request_changes",
                    reason="a missing amount is 0 here")  # fmt: skip
            one.work("1/2", 2 + chance.randrange(3))
    if chance.random() < (0.2 if told else 0.6):
        one.add("agent", "plan", "1/6", "planned", op="add", description="try boosted trees")
        one.work("1/6", 3)
    one.add("system", "complete", "goal", "succeeded")
    return one


def sessions(seed: int = 0, runs: int = 2) -> Iterator[tuple[str, Session]]:
    """All sessions with their arm."""
    chance = random.Random(seed)
    for arm in ("plain", "rules"):
        for family, tasks in (("procedure", PROCEDURE), ("domain", DOMAIN)):
            for task in tasks:
                for run in range(runs):
                    yield arm, session(arm, task, family, run, chance)


def write(folder: Path, seed: int = 0, runs: int = 2) -> Path:
    """The files of both arms and the study; its path."""
    for arm, one in sessions(seed, runs):
        path = folder / arm / f"{one.key}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in one.rows))
    lines = [f"  {task}: {{family: {family}}}\n" for family, tasks in
             (("procedure", PROCEDURE), ("domain", DOMAIN)) for task in tasks]  # fmt: skip
    study = folder / "study.yaml"
    study.write_text(STUDY + "".join(lines) + f"repeats: {runs}\nalso: [unplanned, corrective]\n")
    return study


if __name__ == "__main__":
    write(Path(sys.argv[1]))

"""How do labelled sets become sessions with a true partition, and what could not be read?"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from labelled import arguments, operation

from tracelode.model.operation import Operation
from tracelode.profile.train.labelled import Labelled, groups, session_of, with_calls

SILENT = frozenset(("", "none", "[No reasoning in response]"))
"""What the turns say where the agent said, did or saw nothing."""
TOOLS = {"run": "execute_bash", "run_ipython": "execute_ipython_cell"}
"""Tools of actions that come under another name, as the source of that framework names them."""
APART = "\n---\n"
"""Stands between the shell lines of one turn."""
_BRACKETED = re.compile(r"\s*\[(\w+)\]\s*(.*)", re.DOTALL)
_EDITOR = re.compile(r"str_replace_editor\s+(\w+)(?:\s+(\S+))?")


class Session(NamedTuple):
    """One run with its true partition; the operations know nothing of it."""

    key: str
    """Session key."""
    framework: str
    """The agent that ran."""
    operations: list[Operation]
    """The n labelled operations in order, enriched as an import would."""
    whole: list[Operation]
    """The same with the model calls that issued them, as an import stores a session."""
    places: list[int]
    """n places of the labelled operations in it."""
    truth: list[int]
    """n group labels."""
    stored: list[int] | None
    """n group labels of a published method that the set holds beside the truth."""
    task: str = ""
    """What the agent was given to do; training keeps the sessions of one task together."""


class Dataset(NamedTuple):
    """The sessions of one set."""

    name: str
    """File name up to the first dot."""
    truth: str
    """Whose the labels are: human, or declared by the agent itself."""
    sessions: list[Session]
    """In file order."""


class Unread(NamedTuple):
    """Counts of what was left out, by reason."""

    counts: Counter[tuple[str, str]]
    """(file, reason) to lines."""

    def add(self, path: Path, reason: str) -> None:
        """Count one."""
        self.counts[path.name, reason] += 1

    def notes(self) -> list[str]:
        """One line for each reason."""
        return [f"{name}: {count} x {reason}" for (name, reason), count in sorted(self.counts.items())]


def read(path: Path, unread: Unread) -> Iterator[dict[str, Any]]:
    """Rows of a file; a line that is not exactly one JSON object is counted."""
    try:
        with gzip.open(path, "rb") as lines:
            for line in lines:
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError:
                    unread.add(path, "broken line")
                    continue
                if isinstance(row, dict):
                    yield row
                else:
                    unread.add(path, "line that is no object")
    except (EOFError, OSError, zlib.error):
        unread.add(path, "file that ends early or is not gzip")


def said(text: Any) -> str:
    """A text of a turn, "" where it stands for nothing."""
    return "" if not isinstance(text, str) or text.strip() in SILENT else text


def action_fields(action: str) -> dict[str, str]:
    """Tool, command and path of an action as its framework writes it."""
    if match := _BRACKETED.match(action):
        name, rest = TOOLS.get(match[1], match[1]), match[2]
        given = arguments(rest) if rest.startswith("{") else {"command": rest[:1_000]}
        return {"tool": name, **given}
    if match := _EDITOR.match(action):
        path = {"path": match[2]} if match[2] else {}
        return {"tool": "str_replace_editor", "command": match[1], **path}
    if action.strip() == "submit":
        return {"tool": "submit"}
    return {"tool": "bash", "command": action[:1_000]}


def from_turns(row: dict[str, Any]) -> Session:
    """A session from a row of turns; a turn holds one operation or several that are never split."""
    operations: list[Operation] = []
    texts: list[str] = []
    for number, turn in enumerate(row["turns"]):
        output = said(turn.get("visible_result"))
        code = re.search(r"<returncode>(-?\d+)", output)
        status = "unknown" if code is None else ("ok" if code.group(1) == "0" else "nonzero")
        narration = said(turn.get("intent")).replace("THOUGHT:", "")
        action, ids = said(turn.get("planned_action")), turn["operation_ids"]
        pieces = action.split(APART)
        if len(pieces) != len(ids):
            pieces = [action] * len(ids)  # which line is whose is not told
        for piece in pieces:
            fields = {**action_fields(piece), "call": str(number)}
            made = operation(row["session"], len(operations), fields, status, output, narration)
            operations.append(msgspec.structs.replace(made, arguments=piece[:1_000]))
            texts.append(narration)
    n = len(operations)
    stored = row.get("recurrence_group")
    return Session(
        str(row["session"]),
        str(row.get("framework") or "unknown"),
        operations,
        *with_calls(operations, texts),
        groups(row["gold_stage"], n),
        None if stored is None else groups(stored, n),
        str(row.get("task_name") or row.get("task") or ""),
    )


def from_steps(row: dict[str, Any]) -> Session:
    """A session from a row of steps."""
    made = session_of(row)
    whole, places = list(made.operations), list(made.places)
    operations = [whole[place] for place in places]
    agent = str(row.get("agent") or "unknown")
    return Session(made.key, agent, operations, whole, places, list(made.truth), None, made.task)


def labels_of(sessions: Sequence[Session]) -> list[Labelled]:
    """The sessions as training takes them."""
    return [Labelled(s.key, s.task, s.whole, s.places, s.truth) for s in sessions]


SETS: tuple[tuple[str, str, Callable[[dict[str, Any]], Session]], ...] = (
    ("codetrace", "human", from_turns),
    ("plan-silver", "declared", from_steps),
)
"""Name, whose labels, reader of a row."""


def load(folder: Path) -> tuple[list[Dataset], list[str]]:
    """The sets of a folder.

    Args:
        folder: holds segmentation/NAME.*.jsonl.gz; the middle name does not matter.

    Returns:
        The sets that are there, and notes: what is missing and what could not be read.
    """
    found, missing, unread = [], [], Unread(Counter())
    for name, whose, reader in SETS:
        sessions: dict[str, Session] = {}
        for path in sorted((folder / "segmentation").glob(f"{name}*.jsonl.gz")):
            for row in read(path, unread):
                try:
                    session = reader(row)
                except (AttributeError, KeyError, TypeError, ValueError):
                    unread.add(path, "row without usable steps and labels")
                    continue
                if not session.operations:
                    unread.add(path, "session without operations")
                elif session.key in sessions:
                    unread.add(path, "session that came before")
                else:
                    sessions[session.key] = session
        if sessions:
            found.append(Dataset(name, whose, list(sessions.values())))
        else:
            missing.append(f"missing: segmentation/{name}.*.jsonl.gz")
    return found, [*missing, *unread.notes()]

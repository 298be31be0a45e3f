"""SWE-agent trajectories: one .traj file of JSON a run, under trajectories/<user>/<run>/<instance>/.

The format is described at https://swe-agent.com/latest/usage/trajectories/; how its versions differ is in
docs/sources/swe-agent.md.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.lenient import as_object, block_text
from tracelode.making import Maker, picodollars
from tracelode.model.measure import first_shares
from tracelode.model.operation import Operation, Status
from tracelode.model.ports import About, Change, Item, Line, Skip
from tracelode.outline import outline

__all__ = ["SweAgent"]

NAME = "swe-agent"

TOOLS = frozenset(
    (
        "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "undo_edit", "set_cursors",
        "append", "search_dir", "search_file", "find_file", "filemap", "str_replace_editor", "view_image",
        "submit", "exit_forfeit", "decompile", "disassemble", "debug_start", "debug_step", "debug_exec",
        "debug_continue", "debug_add_breakpoint", "debug_stop", "connect_start", "connect_sendline",
        "connect_exec", "connect_stop",
    )
)  # fmt: skip
"""Commands that SWE-agent puts into its shell: tools of their own; any other command is a shell's."""

_PATHS = frozenset(("open", "create", "str_replace_editor", "filemap", "view_image"))
_IN_FILE = frozenset(
    ("goto", "scroll_up", "scroll_down", "edit", "insert", "undo_edit", "set_cursors", "append")
)
_FAILED = ("Your proposed edit has introduced new syntax error", "EXECUTION TIMED OUT")
_NO_MODEL = frozenset(("replay", "human", "human_thought", "instant_empty_submit"))
_ACTION = re.compile(r"\s*([A-Za-z_]+)(?=\s|$)")


class Stats(msgspec.Struct):
    """What the run spent, told once for all of its calls."""

    instance_cost: float | None = None
    """Dollars."""
    tokens_sent: int | None = None
    """Input tokens."""
    tokens_received: int | None = None
    """Output tokens."""
    api_calls: int | None = None
    """Model calls; 0 where a trajectory was replayed or typed by a person."""


class Info(msgspec.Struct):
    """How the run ended."""

    exit_status: str | None = None
    """submitted, exit_cost, ..."""
    model_stats: Stats | None = None
    """What it spent."""


class Step(msgspec.Struct):
    """One turn: what the model said, what was run, what came back."""

    action: str | None = None
    """Command."""
    observation: Any = None
    """Its output."""
    response: Any = None
    """The model's words with the command."""
    thought: Any = None
    """The model's words before the command."""
    state: Any = None
    """Open file and working folder after the command: an object, in older versions JSON text."""
    execution_time: float | None = None
    """Seconds the command took."""


class Entry(msgspec.Struct):
    """A message of the history."""

    role: str | None = None
    """system, user, assistant or tool."""
    content: Any = None
    """Text or blocks."""
    is_demo: bool | None = None
    """Part of a demonstration put before the task."""
    action: str | None = None
    """Command in an assistant's message."""
    thought: Any = None
    """Its words before the command."""


class Trajectory(msgspec.Struct):
    """A .traj file."""

    trajectory: list[Step] | None = None
    """Turns."""
    history: list[Entry] | None = None
    """Messages, from the system prompt on."""
    info: Info | None = None
    """How it ended."""
    replay_config: Any = None
    """Configuration of the run, from version 1.0 on."""


class State(msgspec.Struct):
    """Nothing: a trajectory is read whole each time."""


class SweAgent:
    """Reads SWE-agent trajectories, old and new, and demonstrations that are a history alone."""

    name = NAME
    version = "1"
    agent = NAME
    layout = "document"
    suffixes: tuple[str, ...] = (".traj", ".traj.gz", ".traj.zst")

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is a SWE-agent trajectory?

        Args:
            head: the first bytes of the decompressed file.

        Returns:
            1.0 for turns or a history with actions, 0.0 otherwise.
        """
        if not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") or b'"action"' not in head:
            return 0.0
        keys = outline(head)
        turns = "trajectory[].action" in keys and "trajectory[].observation" in keys
        past = "history[].role" in keys and ("history[].action" in keys or "history[].agent" in keys)
        return 1.0 if turns or past else 0.0

    def fresh(self) -> State:
        """An empty resume state."""
        return State()

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn a trajectory into operations and facts.

        Args:
            records: the file as one record.
            state: what fresh() gave.
            path: the file as origins name it.

        Returns:
            Items, turn by turn.

        Source:
            formats: benchmarks' trajectories, SWE-agent.
        """
        for line in records:
            found, complaints = lenient.decode(line.data, Trajectory)
            for reason in complaints:
                yield Skip(line.number, reason)
            for trajectory in found[:1]:
                yield from _Reader(trajectory, line, path).items()


class _Reader:
    """Reads one trajectory."""

    def __init__(self, trajectory: Trajectory, line: Line, path: str) -> None:
        self.history = trajectory.history or []
        self.steps = trajectory.trajectory or _steps_of(self.history)
        self.info = trajectory.info or Info()
        self.config = as_object(trajectory.replay_config)
        model = as_object(as_object(self.config.get("agent")).get("model")).get("name")
        self.model = model if isinstance(model, str) and model not in _NO_MODEL else ""
        self.maker = Maker(NAME, NAME, path)
        self.maker.line = line
        self.path = path

    def items(self) -> Iterator[Item]:
        line = self.maker.line.number
        if not self.steps and not self.history:
            yield Skip(line, "trajectory without turns")
            return
        content = msgspec.json.encode([(s.action, s.observation) for s in self.steps])
        key = f"{NAME}-{blake2b(content, digest_size=6).hexdigest()}"
        self.maker.session = key
        states = [as_object(step.state) for step in self.steps]
        project = next((s["working_dir"] for s in states if isinstance(s.get("working_dir"), str)), "")
        yield About(key, key, project, task=self._task())
        yield from self._before()
        shares, rest = self._shares()
        opened = ""
        for step, state, measures in zip(self.steps, states, shares, strict=True):
            yield from self._step(step, measures, opened)
            named = state.get("open_file")
            opened = named if isinstance(named, str) and named != "n/a" else ""
        if rest is not None:
            # asked again after an answer that was no command: calls, but no turns
            yield self.maker.operation(None, "agent", "model", self.model or "unknown model", "unknown", None,
                                       fields=self._fields(), measures=rest)  # fmt: skip

    def _task(self) -> str | None:
        """The instance's id, as the configuration or, before 1.0, the file's name tells it."""
        told = as_object(self.config.get("problem_statement")).get("id")
        if isinstance(told, str) and told:
            return told
        name = PurePosixPath(self.path).name
        return name.partition(".traj")[0] if ".traj" in name else None

    def _before(self) -> Iterator[Item]:
        """What stands before the first turn: system prompt, demonstration, task."""
        facts = {"swe_agent.exit_status": self.info.exit_status} if self.info.exit_status else {}
        for entry in self.history:
            text = block_text(entry.content)
            if entry.role == "system":
                made = self.maker.operation(
                    None, "system", "note", "system prompt", "ok", None, arguments=text
                )
            elif entry.role == "user" and entry.is_demo:
                made = self.maker.operation(
                    None, "system", "note", "demonstration", "ok", None, arguments=text
                )
            elif entry.role == "user":
                made = self.maker.operation(
                    None, "human", "prompt", "prompt", "ok", None, fields={"human": "prompt"}, arguments=text
                )
            elif entry.is_demo:
                continue
            else:
                break
            yield msgspec.structs.replace(made, fields={**made.fields, **facts})
            facts = {}

    def _fields(self) -> dict[str, str]:
        fields = {"model": self.model} if self.model else {}
        stats = self.info.model_stats
        if stats is not None and (stats.tokens_sent is not None or stats.tokens_received is not None):
            fields["usage_quality"] = "shared"
        return fields

    def _shares(self) -> tuple[list[dict[str, int]], dict[str, int] | None]:
        """Measures of each turn's call, and those of calls that made no turn.

        A trajectory tells tokens and cost once for all of its calls: each call gets an equal share.
        """
        count = len(self.steps)
        stats = self.info.model_stats or Stats()
        told = stats.api_calls if stats.api_calls is not None and stats.api_calls >= 0 else count
        calls = max(count, told)
        shares: list[dict[str, int]] = [{"calls": 1 if told else 0} for _ in range(count)]
        rest: dict[str, int] = {"calls": calls - count if told else 0}
        for name, value in (
            ("tokens.input_fresh", stats.tokens_sent),
            ("tokens.output", stats.tokens_received),
            ("cost.reported", picodollars(stats.instance_cost)),
        ):
            if value is not None and value >= 0 and calls:
                own = first_shares(value, calls, count)
                for share, part in zip(shares, own, strict=True):
                    share[name] = part
                rest[name] = value - sum(own)
        return shares, rest if calls > count else None

    def _step(self, step: Step, measures: dict[str, int], opened: str) -> Iterator[Item]:
        fields = self._fields()
        words = block_text(step.response) or block_text(step.thought)
        call = self.maker.operation(None, "agent", "model", self.model or "unknown model", "ok", None,
                                    fields=fields, measures=measures, output=words)  # fmt: skip
        yield call
        action = (step.action or "").strip()
        if not action:
            return
        tool = self._tool(action, call, opened)
        yield tool
        output = block_text(step.observation)
        more = {} if step.execution_time is None else {"swe_agent.seconds": f"{step.execution_time:.3f}"}
        status: Status = "error" if output.lstrip().startswith(_FAILED) else "unknown"
        yield Change(id=tool.id, status=status, output=output, fields=more)

    def _tool(self, action: str, call: Operation, opened: str) -> Operation:
        match = _ACTION.match(action)
        name = match[1] if match and match[1] in TOOLS else "bash"
        fields: dict[str, str] = {}
        if name == "bash":
            fields["command"] = action
        else:
            words = _words(action)
            if name == "str_replace_editor" and len(words) > 1:
                fields["command"] = words.pop(1)
            if name in _PATHS and len(words) > 1:
                fields["path"] = words[1]
            elif name in _IN_FILE and opened:
                fields["path"] = opened
        return self.maker.tool(None, name, call, "unknown", None, fields=fields, arguments=action)


def _words(action: str) -> list[str]:
    """The words of a command's first line."""
    line = action.split("\n", 1)[0]
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _steps_of(history: list[Entry]) -> list[Step]:
    """Turns of a history: a demonstration may hold nothing else."""
    steps: list[Step] = []
    for entry in history:
        if entry.role == "assistant" and not entry.is_demo:
            steps.append(Step(action=entry.action, response=entry.content, thought=entry.thought))
        elif entry.role in ("tool", "user") and steps and steps[-1].observation is None:
            steps[-1].observation = block_text(entry.content)
    return steps

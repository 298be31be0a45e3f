"""How are the tools of BFCL executed, in any order, and what does each call change? By its own classes.

Calls are made by name with the arguments that a task's gold calls have; no text of a task is evaluated.
"""

from __future__ import annotations

import copy
import datetime
import importlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from compile_data import BFCL_WHEEL, DATA, bfcl
from workload import Absent

from tracelode.model.run import Run, Tree

STEM = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
MODULES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
_NEEDS = (f"{BFCL_WHEEL[0]}=={BFCL_WHEEL[1]}", "mpmath>=1.3,<2")


class Outcome(NamedTuple):
    """What came of executing calls in some order."""

    outputs: dict[int, str]
    """Index of the call to its output, as text."""
    failed: frozenset[int]
    """Calls that raised, or whose output is an error."""
    state: str
    """All that the classes hold in the end."""
    changed: dict[int, tuple[str, ...]]
    """Index of the call to the classes whose state it changed."""


def install() -> None:
    """Put the classes where they can be imported, from the package index unless they are there.

    Raises:
        Absent: they cannot be had.
    """
    default = Path.home() / ".cache" / "tracelode-bench"
    folder = Path(os.environ.get("TRACELODE_BENCH_WHEELS") or default)
    target = folder / f"bfcl-{BFCL_WHEEL[1]}"
    if not (target / "bfcl_eval").is_dir() or not (target / "mpmath").is_dir():
        words = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
        done = subprocess.run([*words, "--find-links", str(folder), *_NEEDS], stdout=sys.stderr, check=False)
        if done.returncode or not (target / "bfcl_eval").is_dir():
            raise Absent("bfcl-eval and mpmath could not be installed")
    if str(target) not in sys.path:
        sys.path.insert(0, str(target))


class World:
    """The classes of one task, as its configuration sets them up.

    Args:
        row: the task.
    """

    def __init__(self, row: dict[str, Any]) -> None:
        self.made: dict[str, Any] = {}
        for kind in row["involved_classes"]:
            made = getattr(importlib.import_module(f"{STEM}.{MODULES[kind]}"), kind)()
            if kind != "MathAPI":  # it holds no state
                made._load_scenario(copy.deepcopy(row["initial_config"].get(kind, {})), long_context=False)
            self.made[kind] = made

    def call(self, server: str, name: str, arguments: Tree) -> tuple[str, bool]:
        """Make one call.

        Args:
            server: class that offers the tool.
            name: tool.
            arguments: dict; a key that is a number is a place.

        Returns:
            (output as text, whether it failed).
        """
        given = copy.deepcopy(arguments)
        places = sorted((key for key in given if key.isdigit()), key=int)
        positional = [given.pop(key) for key in places]
        try:
            found = getattr(self.made[server], name)(*positional, **given)
        except Exception as error:
            return f"{type(error).__name__}: {error}", True
        failed = isinstance(found, dict) and "error" in found
        return (found if isinstance(found, str) else json.dumps(found, default=str)), failed

    def states(self) -> dict[str, str]:
        """Class to all that it holds, as text."""
        return {kind: json.dumps(_plain(made, {}), sort_keys=True) for kind, made in self.made.items()}


def _plain(value: Any, seen: dict[int, int]) -> Any:
    """A value as JSON; moments are left out, and what was met before is a number."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return "moment"
    if isinstance(value, random.Random):
        return hash(value.getstate())
    if id(value) in seen:
        return f"#{seen[id(value)]}"
    seen[id(value)] = len(seen)
    if isinstance(value, dict):
        return [[_plain(k, seen), _plain(v, seen)] for k, v in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(inner, seen) for inner in value]
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(_plain(inner, seen)) for inner in value)
    if hasattr(value, "__dict__"):
        return [type(value).__name__, _plain(vars(value), seen)]
    return repr(value)


def execute(row: dict[str, Any], run: Run, order: Iterable[int], watch: bool = False) -> Outcome:
    """Make the calls of a task in an order.

    Args:
        row: the task.
        run: its gold calls.
        order: their indexes.
        watch: also tell what each call changed.
    """
    world = World(row)
    outputs: dict[int, str] = {}
    failed: set[int] = set()
    changed: dict[int, tuple[str, ...]] = {}
    before = world.states() if watch else {}
    for index in order:
        call = run.calls[index]
        outputs[index], bad = world.call(call.server, call.name, call.arguments)
        if bad:
            failed.add(index)
        if watch:
            after = world.states()
            moved = tuple(sorted(kind for kind in after if after[kind] != before[kind]))
            if moved:
                changed[index] = moved
            before = after
    return Outcome(outputs, frozenset(failed), json.dumps(world.states(), sort_keys=True), changed)


class Wrong(NamedTuple):
    """What calls did that a task's gold calls do not do."""

    writes: int
    """Calls that changed a state and are none of the gold calls; each gold call counts once."""
    missing: int
    """Gold calls that change a state and were not made."""
    same: bool
    """Whether the final state is that of the gold calls."""


def wrong_writes(row: dict[str, Any], run: Run, made: Sequence[tuple[str, str, Tree]]) -> Wrong:
    """Judge the calls that somebody made for a task: an agent, or a compiled workflow.

    Args:
        row: the task.
        run: its gold calls.
        made: (class, tool, arguments), in order.
    """
    truth = execute(row, run, range(len(run.calls)), watch=True)
    due = Counter(_key(c.server, c.name, c.arguments) for n, c in enumerate(run.calls) if n in truth.changed)
    left, wrong = Counter(due), 0
    world = World(row)
    before = world.states()
    for server, name, arguments in made:
        world.call(server, name, arguments)
        after = world.states()
        if after != before:
            key = _key(server, name, arguments)
            wrong += left[key] <= 0
            left[key] -= 1
        before = after
    return Wrong(wrong, sum((+left).values()), json.dumps(before, sort_keys=True) == truth.state)


def _key(server: str, name: str, arguments: Tree) -> str:
    return json.dumps([server, name, arguments], sort_keys=True)


def tasks(data: Path = DATA) -> list[tuple[dict[str, Any], Run]]:
    """The base tasks with their gold calls.

    Raises:
        Absent: the data or the classes are not there.
    """
    path = data / "workflow" / "bfcl_multiturn" / "BFCL_v4_multi_turn_base.json"
    if not path.exists():
        raise Absent(f"missing: {'/'.join(path.parts[-3:])}")
    rows = {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    return [(rows[run.key], run) for run in bfcl(data)]


def recorded(run: Run, outcome: Outcome, observed: bool) -> Run:
    """A run with the outputs of its execution.

    Args:
        run: gold calls.
        outcome: of executing them in their order.
        observed: also say what each call changed.
    """
    calls = tuple(
        msgspec.structs.replace(
            call,
            output=_parsed(outcome.outputs[call.index]),
            missing=False,
            error="error" if call.index in outcome.failed else "",
        )
        for call in run.calls
    )
    effects = {n: tuple(f"state:{kind}" for kind in kinds) for n, kinds in outcome.changed.items()}
    return msgspec.structs.replace(run, calls=calls, effects=effects if observed else {}, observed=observed)


def _parsed(text: str) -> Tree:
    try:
        return json.loads(text)
    except ValueError:
        return text


def deterministic(row: dict[str, Any], run: Run) -> tuple[Outcome | None, str]:
    """A task's execution where it can be repeated, else why not."""
    kinds: Sequence[str] = row["involved_classes"]
    if any(call.server not in kinds for call in run.calls):
        return None, "a gold call of no class"
    first = execute(row, run, range(len(run.calls)), watch=True)
    second = execute(row, run, range(len(run.calls)))
    if first.outputs != second.outputs or first.state != second.state:
        return None, "not the same twice"
    if first.failed:
        return first, "calls that fail"
    return first, ""

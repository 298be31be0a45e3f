"""How do public task traces become runs of the compiler, and what is missing where one cannot be read?

ComplexFuncBench and the tool documents of BFCL come in wheels from the package index: they are downloaded
once into a folder of their own (TRACELODE_BENCH_WHEELS, or the user's cache) and nothing of them is kept
here.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workload import Absent

from tracelode.compile.paths import get
from tracelode.model.operation import Origin
from tracelode.model.run import Call, Run, ToolSpec, Tree, Turn

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Where the sets lie unless --data says otherwise."""
CFB_WHEEL = ("nestful-wrapper", "0.1.7")
BFCL_WHEEL = ("bfcl-eval", "2026.3.23")
PER_INTENT = 10
"""Consecutive records of ComplexFuncBench that share an intent."""
_CFB = "data_v1/complexfuncbench/complexfuncbench-"
_REFERENCE = re.compile(r"\$(var\d+)\.(.+)\$")
_BFCL_DOCS = "bfcl_eval/data/multi_turn_func_doc/"


def options(description: str | None) -> ArgumentParser:
    """The options that every benchmark of the compiler has: --data, --intents, --json."""
    parser = ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--intents", default="0-49", help="intents of ComplexFuncBench, first-last")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def records(given: Namespace) -> tuple[int, int]:
    """First record and the one after the last, of --intents."""
    first, _, last = str(given.intents).partition("-")
    return int(first) * PER_INTENT, (int(last or first) + 1) * PER_INTENT


def wheel(name: str, version: str) -> Path:
    """A wheel from the package index, downloaded unless it is there.

    Args:
        name: distribution.
        version: exact.

    Raises:
        Absent: it is not there and cannot be downloaded.
    """
    default = Path.home() / ".cache" / "tracelode-bench"
    folder = Path(os.environ.get("TRACELODE_BENCH_WHEELS") or default)
    stem = f"{name.replace('-', '_')}-{version}-"
    if not any(folder.glob(f"{stem}*.whl")):
        folder.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
        done = subprocess.run([*words, f"{name}=={version}"], stdout=sys.stderr, check=False)
        if done.returncode or not any(folder.glob(f"{stem}*.whl")):
            raise Absent(f"{name} {version} is not in the folder of wheels and could not be downloaded")
    return sorted(folder.glob(f"{stem}*.whl"))[0]


def _inside(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def _there(path: Path) -> Path:
    if not path.exists():
        raise Absent(f"missing: {'/'.join(path.parts[-3:])}")
    return path


def _origin(file: str, line: int) -> Origin:
    return Origin(adapter="benchmark", path=file, line=line)


def complexfuncbench(start: int = 0, stop: int = 500, traces: Path | None = None) -> list[Run]:
    """Runs of ComplexFuncBench with the wheel's references resolved to the values they stand for.

    Args:
        start: first record.
        stop: the record after the last.
        traces: wheel; None downloads it.

    Returns:
        Runs named cfb-0000 and so on; ten consecutive ones share an intent.

    Raises:
        Absent: the wheel cannot be had.
    """
    path = traces or wheel(*CFB_WHEEL)
    specs = tuple(_cfb_spec(s) for s in json.loads(_inside(path, f"{_CFB}spec.json")))
    rows = json.loads(_inside(path, f"{_CFB}data.json"))[start:stop]
    return [_cfb_run(number, row, specs) for number, row in enumerate(rows, start)]


def _cfb_spec(spec: dict[str, Any]) -> ToolSpec:
    given = spec["query_parameters"] or {}
    fields = {
        name: {k: v for k, v in says.items() if k in ("type", "description", "enum", "default") and v}
        for name, says in given.items()
    }
    required = sorted(name for name, says in given.items() if says.get("required"))
    return ToolSpec(
        name=spec["name"],
        server=spec["host"],
        description=spec["description"],
        parameters={"type": "object", "properties": fields, "required": required},
        hints={"readOnlyHint": True},
    )


def _cfb_run(number: int, row: dict[str, Any], specs: tuple[ToolSpec, ...]) -> Run:
    key = f"cfb-{number:04d}"
    outputs: dict[str, Tree] = {}
    calls = []
    for index, call in enumerate(row["output"]):
        calls.append(
            Call(
                index=index,
                name=call["name"],
                arguments=_resolved(call["arguments"], outputs),
                output=call["response"],
                operation=f"{key}#{index}",
                origin=_origin(f"{key}.json", index + 1),
            )
        )
        outputs[call["label"]] = call["response"]
    used = {call.name for call in calls}
    return Run(
        key=key,
        calls=tuple(calls),
        turns=(Turn(role="user", text=row["input"], before=0),),
        outcome="success",
        tools=tuple(spec for spec in specs if spec.name in used),
    )


def _resolved(tree: Tree, outputs: dict[str, Tree]) -> Tree:
    if isinstance(tree, dict):
        return {key: _resolved(value, outputs) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_resolved(value, outputs) for value in tree]
    found = _REFERENCE.fullmatch(tree) if isinstance(tree, str) else None
    return tree if found is None else _first_at(outputs[found[1]], found[2])


def _first_at(tree: Tree, path: str) -> Tree:
    """What lies at a path that leaves list places out: they are the first."""
    for key in path.split("."):
        while isinstance(tree, list):
            tree = tree[0]
        tree = get(tree, key)
    return tree


def agentdojo(data: Path = DATA) -> list[Run]:
    """The ground-truth runs of AgentDojo's tasks.

    Args:
        data: folder of the sets.

    Returns:
        97 runs in file order; tune on the first 48.

    Raises:
        Absent: the file is not there.
    """
    path = _there(data / "workflow" / "agentdojo" / "ground_truth_traces.json")
    return [_agentdojo_run(row) for row in json.loads(path.read_text(encoding="utf-8"))]


def _agentdojo_run(row: dict[str, Any]) -> Run:
    calls = tuple(
        Call(
            index=index,
            name=call["name"],
            server=row["group"],
            arguments=call["args"],
            output=call["output"],
            error="other" if call["error"] else "",
            operation=f"{row['id']}#{index}",
            origin=_origin(f"{row['id']}.json", index + 1),
        )
        for index, call in enumerate(row["calls"])
    )
    said = (Turn(role="user", text=row["prompt"], before=0),)
    return Run(key=row["id"], calls=calls, turns=said, outcome="success")


def tau_bench(data: Path = DATA) -> list[Run]:
    """The real trajectories of tau-bench's airline domain.

    Args:
        data: folder of the sets.

    Returns:
        200 runs, 50 tasks four times each, named tau-TASK-TRIAL.

    Raises:
        Absent: the file is not there.
    """
    path = _there(data / "workflow" / "tau_bench" / "gpt-4o-airline.json")
    return [_tau_run(row) for row in json.loads(path.read_text(encoding="utf-8"))]


def _tau_run(row: dict[str, Any]) -> Run:
    key = f"tau-{row['task_id']:02d}-{row['trial']}"
    results = {m["tool_call_id"]: m["content"] for m in row["traj"] if m["role"] == "tool"}
    turns: list[Turn] = []
    calls: list[Call] = []
    for line, message in enumerate(row["traj"], 1):
        if message["role"] in ("system", "user", "assistant") and message["content"]:
            turns.append(Turn(role=message["role"], text=message["content"], before=len(calls)))
        for asked in message.get("tool_calls") or ():
            told = results.get(asked["id"])
            calls.append(
                Call(
                    index=len(calls),
                    name=asked["function"]["name"],
                    arguments=json.loads(asked["function"]["arguments"]),
                    output=_parsed(told),
                    missing=told is None,
                    error="other" if (told or "").startswith("Error") else "",
                    operation=f"{key}#{len(calls)}",
                    origin=_origin(f"{key}.json", line),
                )
            )
    return Run(
        key=key,
        calls=tuple(calls),
        turns=tuple(turns),
        task=str(row["task_id"]),
        outcome="success" if row["reward"] == 1 else "failure",
    )


def _parsed(text: str | None) -> Tree:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def bfcl(data: Path = DATA, docs: Path | None = None) -> list[Run]:
    """The gold calls of BFCL's 200 multi-turn base tasks; they have no outputs until they are executed.

    Args:
        data: folder of the sets.
        docs: wheel with the tools' documents; None downloads it.

    Returns:
        Runs named by task; a call's server is the class that offers the tool.

    Raises:
        Absent: a file or the wheel is not there.
    """
    folder = data / "workflow" / "bfcl_multiturn"
    stem = "BFCL_v4_multi_turn_base.json"
    asked = _lines(_there(folder / stem))
    gold = {row["id"]: row["ground_truth"] for row in _lines(_there(folder / "possible_answer" / stem))}
    tools = _bfcl_tools(docs or wheel(*BFCL_WHEEL))
    return [_bfcl_run(row, gold[row["id"]], tools) for row in asked]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def _bfcl_tools(path: Path) -> dict[str, dict[str, ToolSpec]]:
    """Document stem to tools by name."""
    found: dict[str, dict[str, ToolSpec]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not (name.startswith(_BFCL_DOCS) and name.endswith(".json")):
                continue
            stem = name.removeprefix(_BFCL_DOCS).removesuffix(".json")
            rows = (json.loads(line) for line in archive.read(name).decode().splitlines() if line.strip())
            found[stem] = {
                row["name"]: ToolSpec(
                    name=row["name"],
                    server=stem,
                    description=row["description"],
                    parameters={**row["parameters"], "type": "object"},
                )
                for row in rows
            }
    return found


_CLASSES = {
    "GorillaFileSystem": "gorilla_file_system", "MathAPI": "math_api", "MessageAPI": "message_api",
    "TwitterAPI": "posting_api", "TicketAPI": "ticket_api", "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking", "VehicleControlAPI": "vehicle_control",
}  # fmt: skip
"""Class of a task's configuration to the stem of its document."""


def _bfcl_run(row: dict[str, Any], gold: list[list[str]], tools: dict[str, dict[str, ToolSpec]]) -> Run:
    offered = {
        name: (kind, spec)
        for kind in row["involved_classes"]
        for name, spec in tools.get(_CLASSES.get(kind, ""), {}).items()
    }
    turns: list[Turn] = []
    calls: list[Call] = []
    for said, wanted in zip(row["question"], gold, strict=True):
        turns.extend(Turn(role=m["role"], text=m["content"], before=len(calls)) for m in said)
        for text in wanted:
            name, arguments = _bfcl_call(text, offered)
            kind = offered[name][0] if name in offered else ""
            calls.append(
                Call(index=len(calls), name=name, server=kind, arguments=arguments, missing=True,
                     operation=f"{row['id']}#{len(calls)}",
                     origin=_origin(f"{row['id']}.json", len(calls) + 1))
            )  # fmt: skip
    used = {call.name for call in calls}
    specs = tuple(spec for name, (_, spec) in sorted(offered.items()) if name in used)
    return Run(key=row["id"], calls=tuple(calls), turns=tuple(turns), outcome="success", tools=specs)


def _bfcl_call(text: str, offered: dict[str, tuple[str, ToolSpec]]) -> tuple[str, Tree]:
    """Tool and arguments of a call as Python writes it; nothing of it is executed."""
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise Absent("a gold call of BFCL is no call")
    name = node.func.id
    names = list(offered[name][1].parameters.get("properties", {})) if name in offered else []
    arguments = {
        names[place] if place < len(names) else str(place): ast.literal_eval(value)
        for place, value in enumerate(node.args)
    }
    arguments.update({k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg})
    return name, arguments

"""How do labelled sets and real histories become operations? Readers shared by the benchmarks."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tracelode.model.operation import Operation, Origin
from tracelode.profile.name.stage import is_evidence
from tracelode.profile.train.labelled import arguments
from tracelode.signals.enrich import enrich

ORIGIN = Origin("benchmark", "", 0)
EMPTY = ("", "None", "(no content)", None)


class Run(NamedTuple):
    """One session of a set."""

    key: str
    task: str
    operations: list[Operation]
    groups: list[int]
    plans: list[str]


def rows(folder: Path, stem: str) -> Iterator[dict[str, Any]]:
    """Rows of a normalised set, whatever its middle name; broken lines are passed over."""
    for path in sorted(folder.glob(f"{stem}.*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if isinstance(row, dict):
                    yield row


def operation(
    session: str, index: int, fields: dict[str, str], status: str, output: str, said: str
) -> Operation:
    """One tool call, enriched as an import would."""
    output = output if len(output) <= 1_000 else output[:500] + output[-500:]
    enrich(fields, kind="tool", status=status, output=output, narration=said[:400])
    return Operation(
        session=session,
        index=index,
        id=f"{session}#{index}",
        actor="agent",
        kind="tool",
        name=fields["tool"],
        status=status,  # type: ignore[arg-type]
        fields=fields,
        output=output,
        origin=ORIGIN,
    )


def run_of(row: dict[str, Any]) -> Run:
    """A run from a row of steps."""
    operations = []
    for i, step in enumerate(row["steps"]):
        said = step.get("thought")
        status = {True: "error", False: "ok"}.get(step.get("error"), "unknown")
        fields = {"tool": step["tool"], **arguments(step.get("text") or "")}
        operations.append(
            operation(row["traj_id"], i, fields, status, step.get("obs") or "", "" if said in EMPTY else said)
        )
    return Run(row["traj_id"], row["task"], operations, row.get("groups") or [], row.get("group_names") or [])


def native(folder: Path) -> list[Run]:
    """Runs of real histories, through an import into a store of their own."""
    import tracelode

    with tempfile.TemporaryDirectory() as store:
        workspace = tracelode.open(store)
        workspace.add(folder)
        found = []
        sessions = workspace.sessions()
        above = {s.key: s.fork_of or "" if s.key == s.root else s.root for s in sessions}
        for session in sessions:
            # a sub-agent counts with its root, a fork with what it was forked from
            first, passed = session.key, set[str]()
            while above.get(first) and first not in passed:
                passed.add(first)
                first = above[first]
            own = [o for o in workspace.operations(session.key) if not o.inherited]
            if any(is_evidence(o) for o in own):
                found.append(Run(first, session.project, own, [], []))
    return found

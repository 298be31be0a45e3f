"""A workspace in memory: what the command line calls, on operations made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from tracelode.__main__ import main
from tracelode.errors import QueryError
from tracelode.model.contiguity import Contiguity
from tracelode.model.finding import Finding
from tracelode.model.measure import TOKEN_KINDS, parts
from tracelode.model.operation import Operation, Origin
from tracelode.model.profile import Profile, fold
from tracelode.model.query import Query
from tracelode.model.report import Audit, AuditLine, Doctor, ImportReport, Skipped, Sums, Totals
from tracelode.model.segment import Segment, Segmentation
from tracelode.model.session import Session

Run: TypeAlias = Callable[..., tuple[int, str, str]]
"""A command line: exit code, standard output, standard error."""


def commands(capsys: pytest.CaptureFixture[str], *, flat: bool = False) -> Run:
    """Run command lines in this process.

    Args:
        capsys: of the test.
        flat: errors as one line, however wide the terminal is.
    """

    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, " ".join(err.split()) if flat else err

    return call


DAY = 86_400_000_000
START = 1_790_000_000_000_000
"""2026-09-21 14:13:20 UTC in microseconds."""


def operation(session: str, index: int, **more: Any) -> Operation:
    """An operation with sound defaults; fields and measures by keyword."""
    fields = {"intent": "fix bug", "stage": "edit code", "tool": "Edit", **more.pop("fields", {})}
    measures = {"tokens.output": 100, "cost": 10**9, "operations": 1, **more.pop("measures", {})}
    at = START + index * 1_000_000
    values: dict[str, Any] = {
        "id": f"{index:016x}",
        "actor": "agent",
        "kind": "tool",
        "name": "Edit",
        "status": "ok",
        "started": at,
        "ended": at + 500_000,
        "origin": Origin("fake", f"~/{session}.jsonl", index + 1, index * 100),
        **more,
    }
    return Operation(session=session, index=index, fields=fields, measures=measures, **values)


def session(key: str, operations: list[Operation], /, **more: Any) -> Session:
    """A session over operations."""
    values: dict[str, Any] = {
        "root": key,
        "agent": "claude-code",
        "role": "main",
        "project": "~/shop",
        "started": operations[0].started if operations else None,
        "ended": operations[-1].ended if operations else None,
        "operations": len(operations),
        "calls": sum(o.measures.get("calls", 0) for o in operations),
        "intent": operations[0].fields["intent"] if operations else "",
        "source": f"~/{key}.jsonl",
        **more,
    }
    return Session(key=key, **values)


class FakeWorkspace:
    """The facade's questions, answered by loops."""

    def __init__(self, path: Path, sessions: dict[Session, list[Operation]] | None = None) -> None:
        self.path, self.tz = path, "UTC"
        self.store: dict[str, tuple[Session, list[Operation]]] = {
            s.key: (s, ops) for s, ops in (sessions or {}).items()
        }
        self.found: list[Finding] = []
        self.report = ImportReport()
        self.known = Doctor()
        self.history: list[tuple[str, Path, int]] = []
        self.added: list[tuple[Any, ...]] = []
        self.opened: dict[str, Any] = {}
        self.on_add: Callable[[], None] = lambda: None
        self.put_aside: Path | None = None
        self.notes: list[str] = []

    def add(self, *paths: Path, **more: Any) -> ImportReport:
        self.added.append((paths, more))
        self.on_add()
        return self.report

    def local_history(self) -> list[tuple[str, Path, int]]:
        return self.history

    def empty(self) -> bool:
        return not self.store

    def doctor(self) -> Doctor:
        return self.known

    def contiguities(self, sessions: Iterable[str] | None = None) -> dict[str, Contiguity]:
        return {}

    def audit(self, measure: str, query: Query | None = None, limit: int = 20) -> Audit:
        lines = [
            AuditLine(
                value=value,
                path=o.origin.path,
                line=o.origin.line or 0,
                place=f"{o.session}#{o.index}",
                name=o.name,
            )
            for _, o in self._kept(query or Query())
            if (value := sum(o.measures.get(part, 0) for part in parts(measure)))
        ]
        lines.sort(key=lambda line: (-line.value, line.place))
        total = sum(line.value for line in lines)
        unit = "picodollars" if measure == "cost" else "tokens"
        return Audit(measure=measure, unit=unit, total=total, lines=len(lines), largest=lines[:limit])

    def sessions(self) -> list[Session]:
        return [s for s, _ in self.store.values()]

    def findings(self, query: Query | None = None) -> list[Finding]:
        return self.found

    def operations(self, session: str) -> list[Operation]:
        if session not in self.store:
            raise QueryError(f"no session {session!r}")
        return self.store[session][1]

    def segmentation(self, session: str, *_: object) -> Segmentation:
        """Stretches of one stage."""
        operations = self.operations(session)
        cuts = [
            i
            for i, o in enumerate(operations)
            if not i or o.fields["stage"] != operations[i - 1].fields["stage"]
        ]
        pieces = tuple(
            Segment(operations[a].index, operations[b - 1].index + 1, 0, operations[a].fields["stage"])
            for a, b in pairwise([*cuts, len(operations)])
        )
        return Segmentation(session, "fake", "1", pieces)

    def _kept(self, query: Query) -> Iterable[tuple[Session, Operation]]:
        for item, operations in self.store.values():
            for o in operations:
                fields = {**o.fields, "session": item.root, "kind": o.kind, "outcome": item.outcome or ""}
                at = o.started or 0
                if o.inherited or any(fields.get(k) != v for k, v in query.where):
                    continue
                if (query.since is None or at >= query.since) and (query.until is None or at < query.until):
                    yield item, o

    def profile(self, query: Query | None = None, **more: Any) -> Profile:
        query = msgspec.structs.replace(query or Query(), **more)
        fields = (*query.tagroot, *query.stack, *query.tagleaf)
        samples = []
        for item, o in self._kept(query):
            known = {**o.fields, "session": item.root}
            stack = tuple(known[f] for f in fields if known.get(f))
            if stack:
                values = tuple(sum(o.measures.get(p, 0) for p in parts(m)) for m in query.measures)
                samples.append((stack, values))
        return msgspec.structs.replace(fold(samples, query.measures), fields=fields)

    def sessions_by(self, query: Query, depth: int) -> dict[tuple[str, ...], int]:
        seen: dict[tuple[str, ...], set[str]] = {}
        for item, o in self._kept(query):
            stack = tuple(o.fields[f] for f in query.stack if o.fields.get(f))
            seen.setdefault(stack[:depth], set()).add(item.root)
        return {stack: len(roots) for stack, roots in seen.items()}

    def totals(self, query: Query | None = None, *, split: bool = True) -> Totals:
        total = Totals(tz=self.tz, by={"session": {}, "model": {}})
        roots = set()
        for item, o in self._kept(query or Query()):
            roots.add(item.root)
            row = total.by["session"].setdefault(item.root, Sums(sessions=1))
            for sums in (total, row):
                _add(sums, o)
            at = o.started or 0
            total.first = at if total.first is None else min(total.first, at)
            total.last = at if total.last is None else max(total.last, at)
        total.sessions = len(roots)
        total.subagents = sum(s.key != s.root for s in self.sessions())
        return total

    def export(self, profile: Profile, target: Any, format: str | None = None) -> None:
        rows = [[list(s), list(v)] for s, v in profile.totals.items()]
        data = json.dumps({"format": format, "measures": profile.measures, "rows": rows}).encode()
        if hasattr(target, "write"):
            target.write(data)
        else:
            Path(target).write_bytes(data)


def _add(sums: Sums, o: Operation) -> None:
    sums.operations += 1
    sums.calls += o.measures.get("calls", 0)
    sums.calls_lower_bound += o.measures.get("calls.lower_bound", 0)
    sums.cost_picodollars += o.measures.get("cost", 0)
    for kind in TOKEN_KINDS:
        name = kind.removeprefix("tokens.")
        if kind in o.measures or name != "reasoning":
            sums.tokens[name] = (sums.tokens.get(name) or 0) + o.measures.get(kind, 0)
        else:
            sums.tokens.setdefault(name, None)
    if bare := o.measures.get("tokens.unpriced", 0):
        model = o.fields.get("model", "unknown")
        sums.unpriced[model] = sums.unpriced.get(model, 0) + bare
    for kind in ("model", "tool", "blocked", "idle", "unknown"):
        sums.time_us[kind] = sums.time_us.get(kind, 0) + o.measures.get(f"time.{kind}", 0)


def _deploy() -> list[Operation]:
    deploy = [
        operation("aaaa1111-x", 0, kind="prompt", name="prompt", status="unknown", fields={"tool": ""}),
        operation(
            "aaaa1111-x",
            1,
            kind="model",
            name="sonnet",
            id="m" * 16,
            measures={"calls": 1, "tokens.output": 0, "cost": 0},
        ),
        operation(
            "aaaa1111-x",
            2,
            name="Bash",
            id="b" * 16,
            fields={
                "call": "m" * 16,
                "tool": "Bash:kubectl",
                "stage": "start service",
                "command": "kubectl apply",
            },
            arguments="kubectl apply -f a.yaml",
            output="denied",
            status="error",
            measures={"tokens.output": 30, "cost": 3 * 10**12, "tokens.input_fresh": 5},
        ),
        operation(
            "aaaa1111-x",
            3,
            name="Task",
            fields={"call": "m" * 16, "tool": "Task", "spawns": "aaaa1111-x/agent-1"},
            measures={"tokens.output": 31, "cost": 10**12, "tokens.cache_read": 900},
        ),
    ]
    for item in deploy:
        item.fields["intent"] = "deploy service"
    return deploy


def small_workspace(path: Path) -> FakeWorkspace:
    """Three root sessions, one sub-agent, one fork; $4.01 in all."""
    deploy = _deploy()
    child = [operation("aaaa1111-x/agent-1", i, name="Read", fields={"tool": "Read"}) for i in range(2)]
    fix = [operation("bbbb2222-y", i) for i in range(3)]
    fork = [operation("bbbb3333-z", 0, inherited=True), operation("bbbb3333-z", 1)]
    made = FakeWorkspace(
        path,
        {
            session("aaaa1111-x", deploy, outcome="failure"): deploy,
            session(
                "aaaa1111-x/agent-1", child, root="aaaa1111-x", role="subagent", parent_operation=deploy[3].id
            ): child,
            session("bbbb2222-y", fix, outcome="success"): fix,
            session("bbbb3333-z", fork, fork_of="bbbb2222-y", inherited=1, operations=1): fork,
        },
    )
    made.found = [
        Finding(
            what="deploy service: 3 of 3 attempts fail at the same step",
            where=("aaaa1111-x#2",),
            score=1.0,
            why="3 of 3",
            kind="repeated-failure",
        )
    ]
    return made


def skips() -> list[Skipped]:
    """What an import may leave out."""
    return [Skipped("~/a.jsonl", 3, "line is no JSON", 2), Skipped("~/b.bin", 0, "unknown format")]

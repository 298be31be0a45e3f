"""Which parts of a LangSmith run do we read, and which runs does a file hold?"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tracelode.lenient import fit

DEPTH = 64
"""Runs inside each other and lists inside each other are followed this deep."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Record(msgspec.Struct):
    """A run."""

    id: str | None = None
    """Own id."""
    trace_id: str | None = None
    """Id of the outermost run."""
    parent_run_id: str | None = None
    """Run around it."""
    dotted_order: str | None = None
    """Moments and ids of the runs from the outermost to this one."""
    run_type: str | None = None
    """llm, chain, tool, ..."""
    name: str | None = None
    """What it is called."""
    start_time: Any = None
    """ISO 8601 (UTC where no zone is told) or milliseconds."""
    end_time: Any = None
    """The same."""
    error: Any = None
    """What went wrong."""
    inputs: Any = None
    """Anything."""
    outputs: Any = None
    """Anything."""
    extra: dict[str, Any] | None = None
    """Metadata, invocation parameters, runtime."""
    usage_metadata: dict[str, Any] | None = None
    """Tokens."""
    prompt_tokens: int | None = None
    """Input in exports of the API; of an outer run: of all inside it."""
    completion_tokens: int | None = None
    """Output in exports of the API."""
    total_cost: Any = None
    """Dollars in exports of the API."""


class Export:
    """Collects the runs of one file.

    Args:
        complaints: receives closed words on what was left out.
    """

    def __init__(self, complaints: list[str]) -> None:
        self.complaints = complaints
        self.runs: dict[str, Record] = {}

    def add(self, value: Any, depth: int = 0) -> None:
        """Take whatever a file holds.

        Args:
            value: a decoded JSON value.
            depth: how far inside lists and runs it lies.
        """
        if depth > DEPTH:
            self.complaints.append("nested too deep")
        elif isinstance(value, list):
            for item in value:
                self.add(item, depth + 1)
        elif not isinstance(value, dict):
            self.complaints.append("record is not an object")
        elif isinstance(value.get("post"), list) or isinstance(value.get("patch"), list):
            for key in ("post", "patch"):
                self.add(value.get(key) or [], depth + 1)
        elif isinstance(value.get("runs"), list):
            self.add(value["runs"], depth + 1)
        elif value.keys() & {"run_type", "dotted_order", "trace_id"}:
            self._run(value, depth)
        else:
            self.complaints.append("record is not a run")

    def _run(self, value: dict[str, Any], depth: int) -> None:
        run = fit(value, Record, self.complaints)
        chain = _UUID.findall(run.dotted_order or "")
        run.id = run.id or (chain[-1] if chain else None)
        if run.id is None:
            self.complaints.append("run without an id")
            return
        if run.parent_run_id is None and len(chain) > 1 and chain[-1] == run.id:
            run.parent_run_id = chain[-2]
        run.trace_id = run.trace_id or (chain[0] if chain else None)
        old = self.runs.get(run.id)
        if old is None:
            self.runs[run.id] = run
        else:
            # a patch tells what became known since the post
            for name in Record.__struct_fields__:
                found = getattr(run, name)
                if found is not None and found != {}:
                    setattr(old, name, found)
        for child in value["child_runs"] if isinstance(value.get("child_runs"), list) else ():
            if isinstance(child, dict):
                self.add({"parent_run_id": run.id, "trace_id": run.trace_id} | _told(child), depth + 1)


def _told(value: dict[str, Any]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if inner is not None}

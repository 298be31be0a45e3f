"""How does a test get a store with files of any format in it?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tracelode
from tracelode.model.operation import Operation
from tracelode.model.report import ImportReport
from tracelode.workspace import Workspace


def lines(records: Iterable[Any]) -> bytes:
    """Records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def added(
    folder: Path, files: Mapping[str, bytes | dict[str, Any] | list[Any]]
) -> tuple[Workspace, ImportReport]:
    """Write files below a folder and import them.

    Args:
        folder: an empty folder, or one of an earlier call: its store is used again.
        files: path below the folder to content; what is no bytes is written as one JSON value.

    Returns:
        (workspace, report of the import).
    """
    for name, content in files.items():
        path = folder / "history" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    workspace = tracelode.open(folder / "store", tz="UTC")
    return workspace, workspace.add(folder / "history")


def every(workspace: Workspace) -> list[Operation]:
    """Operations of all sessions, in the order of their keys."""
    return [o for s in sorted(workspace.sessions(), key=lambda s: s.key) for o in workspace.operations(s.key)]

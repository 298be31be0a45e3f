"""What does a finished session's folder say about itself? Counts, hashes, redaction, weight."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from tracelode.record.event import SCHEMA_VERSION
from tracelode.record.live import Session

NAME = "manifest.json"


def write(folder: Path, session: Session, redact: str) -> None:
    """Write the manifest of a session.

    Args:
        folder: of the session.
        session: it has ended.
        redact: mode of redaction.

    Raises:
        OSError: it cannot be written.
    """
    files: dict[str, Any] = {}
    for path in sorted(folder.glob("*.jsonl")):
        data = path.read_bytes()
        files[path.name] = {
            "events": data.count(b"\n"), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(),
        }  # fmt: skip
    told = {
        "schema": SCHEMA_VERSION,
        "session_id": session.session_id,
        "events": sum(file["events"] for file in files.values()),
        "files": files,
        "redaction": redact,
        "sampling": session.sampling(),
        "complete": bool(session.completed),
        "problems": session.problems,
    }
    part = folder / f"{NAME}.{os.getpid()}.part"
    with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as stream:
        stream.write(json.dumps(told, indent=1).encode() + b"\n")
    os.replace(part, folder / NAME)

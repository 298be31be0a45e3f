"""What did a recorder write? Its lines, and the schema they are held against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tracelode.model.plan_schema import schema

VALID = Draft202012Validator(schema())
SECRET = "sk-ant-api03-" + "abcDEF0123456789" * 3


def rows(place: Path) -> list[dict[str, Any]]:
    """Every event below a folder, or of a file: each line is valid, in the order of writers and numbers."""
    files = [place] if place.is_file() else sorted(place.rglob("*.jsonl"))
    found = []
    for file in files:
        data = file.read_bytes()
        assert data.endswith(b"\n")
        for line in data.splitlines():
            row = json.loads(line)
            errors = [error.message for error in VALID.iter_errors(row)]
            assert not errors, errors
            found.append(row)
    return sorted(found, key=lambda row: (row["timestamp"], row.get("writer", ""), row["seq"]))


def told(place: Path) -> list[tuple[str, str, str]]:
    """(type, node, status) of every event."""
    return [(row["event_type"], row["node_id"], row["status"]) for row in rows(place)]

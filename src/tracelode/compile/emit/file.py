"""How does a workflow lie in a folder? The canonical file, and the JSON Schema of what may stand in it."""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.compile.emit.given import Files, Given, workflow_of
from tracelode.compile.sealing import sealed
from tracelode.model.workflow import VERSION, Workflow


def workflow_file(given: Given) -> Files:
    """workflow.json, which compile.files.load() reads again.

    Args:
        given: a workflow, or a work whose verdict is one.

    Raises:
        WorkflowError: refused.
    """
    # sorted keys, as compile.files.dump() writes
    data = msgspec.json.encode(msgspec.to_builtins(sealed(workflow_of(given))), order="deterministic")
    return {"workflow.json": msgspec.json.format(data, indent=2) + b"\n"}


def schema_file(given: Given) -> Files:
    """workflow.schema.json: the schema of all workflows of this version.

    Args:
        given: not looked at; what is refused has a schema all the same.
    """
    data = msgspec.json.encode(schema(), order="deterministic")
    return {"workflow.schema.json": msgspec.json.format(data, indent=2) + b"\n"}


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of workflow.json."""
    found = msgspec.json.schema(Workflow)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:tracelode:workflow:{VERSION}",
        "title": "tracelode workflow",
        **found,
    }

"""Which tools does an OpenAPI description declare? One for each operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tracelode.model.run import ToolSpec
from tracelode.redact.fast import redact_text

HINTS: dict[str, dict[str, bool]] = {
    "get": {"readOnlyHint": True},
    "head": {"readOnlyHint": True},
    "options": {"readOnlyHint": True},
    "put": {"readOnlyHint": False, "idempotentHint": True},
    "delete": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "post": {"readOnlyHint": False},
    "patch": {"readOnlyHint": False},
}
"""What the method of an operation says of it (RFC 9110, 9.2)."""
LINKS = 20
"""References followed one after another."""


def operations(tree: Mapping[str, Any], complain: Callable[[str], None]) -> Iterator[ToolSpec]:
    """The operations of a description.

    Args:
        tree: decoded, OpenAPI 3 or Swagger 2.
        complain: receives closed words on what is left out.

    Yields:
        One tool for each operation: its id, or its method and path; its parameters and body as one schema.

    Source:
        OpenAPI Specification 3.1.0, Operation Object; 2.0, Parameter Object.
    """
    for path, item in tree["paths"].items():
        if not isinstance(item, dict):
            complain("a path that holds no operations")
            continue
        shared = item.get("parameters")
        for method, given in item.items():
            if method.lower() not in HINTS:
                continue
            if not isinstance(given, dict):
                complain("an operation that is no object")
                continue
            name = given.get("operationId")
            about = given.get("description") or given.get("summary")
            yield ToolSpec(
                name=name if isinstance(name, str) and name else _named(method, path),
                description=redact_text(about) if isinstance(about, str) else "",
                parameters=_schema(tree, [*_items(shared), *_items(given.get("parameters"))], given),
                hints=dict(HINTS[method.lower()]),
            )


def _named(method: str, path: str) -> str:
    return f"{method.lower()}_{re.sub(r'[^A-Za-z0-9]+', '_', path).strip('_')}"


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _schema(tree: Mapping[str, Any], parameters: list[Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    required: list[str] = []
    for given in parameters:
        one = _resolved(tree, given)
        name = one.get("name")
        if not isinstance(name, str):
            continue
        if one.get("in") == "body":  # Swagger 2
            _add(_resolved(tree, one.get("schema")), tree, fields, required)
            continue
        known = _resolved(tree, one.get("schema")) or {
            key: one[key] for key in ("type", "enum", "default", "format", "items") if key in one
        }
        about = one.get("description")
        fields[name] = {**known, "description": about} if isinstance(about, str) else known
        if one.get("required") is True:
            required.append(name)
    body = _resolved(tree, operation.get("requestBody"))
    content = body.get("content")
    if isinstance(content, dict):
        for kind in sorted(content, key=lambda k: ("json" not in k, k))[:1]:
            of_kind = content[kind] if isinstance(content[kind], dict) else {}
            _add(_resolved(tree, of_kind.get("schema")), tree, fields, required)
    return {"type": "object", "properties": fields, "required": sorted(set(required))}


def _add(
    schema: Mapping[str, Any], tree: Mapping[str, Any], fields: dict[str, Any], required: list[str]
) -> None:
    properties = schema.get("properties")
    for name, given in properties.items() if isinstance(properties, dict) else ():
        fields.setdefault(name, _resolved(tree, given))
    required.extend(name for name in _items(schema.get("required")) if isinstance(name, str))


def _resolved(tree: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """An object, references inside the file followed; {} where they lead nowhere or in a circle."""
    for _ in range(LINKS):
        if not isinstance(value, dict):
            return {}
        link = value.get("$ref")
        if not isinstance(link, str):
            return value
        value = tree
        for step in link.removeprefix("#/").split("/") if link.startswith("#/") else ("",):
            step = step.replace("~1", "/").replace("~0", "~")
            value = value.get(step) if isinstance(value, dict) else None
    return {}

"""Which operation of which OpenAPI document is a tool?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracelode.compile.emit.names import slug

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True)
class Source:
    """One document."""

    name: str
    """Letters, digits, _ and -."""
    url: str
    """Address or path, as it was given."""
    document: Mapping[str, Any]
    """Parsed."""


@dataclass(frozen=True)
class Operation:
    """One operation."""

    source: Source
    """Its document."""
    id: str
    """operationId, "" where it has none."""
    path: str
    """Expression that leads to it."""
    places: Mapping[str, str]
    """Argument to path, query, header, cookie or body."""
    takes_body: bool
    """It has a JSON body: arguments that are no parameters are its fields."""
    whole: bool
    """The body is one argument named body, and not an object of fields."""


def sources(documents: Mapping[str, Any]) -> tuple[Source, ...]:
    """The documents with unique names.

    Args:
        documents: address or path to parsed document.
    """
    found: list[Source] = []
    for url in sorted(documents):
        document = documents[url]
        if not isinstance(document, Mapping):
            continue
        info = document.get("info")
        title = info.get("title") if isinstance(info, Mapping) else ""
        name = slug(str(title or "api"), "_", "api")
        while any(s.name == name for s in found):
            name += "_2"
        found.append(Source(name, url, document))
    return tuple(found)


def find(known: Sequence[Source], server: str, tool: str) -> Operation | None:
    """The operation that a tool is.

    Args:
        known: documents.
        server: who offers the tool: where a document has that name it alone counts.
        tool: operationId, or method and path with _ between, as our own OpenAPI tools are called.

    Returns:
        The operation; None where there is none, or several.
    """
    named = [s for s in known if server and s.name == slug(server, "_")]
    found = [o for s in named or known for name, o in _operations(s) if name == tool]
    return found[0] if len(found) == 1 else None


def _operations(source: Source) -> Iterator[tuple[str, Operation]]:
    paths = source.document.get("paths")
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        if not isinstance(item, Mapping):
            continue
        for method in _METHODS:
            told = item.get(method)
            if isinstance(told, Mapping):
                yield _operation(source, str(path), method, item, told)


def _operation(
    source: Source, path: str, method: str, item: Mapping[str, Any], told: Mapping[str, Any]
) -> tuple[str, Operation]:
    places: dict[str, str] = {}
    for one in (*item.get("parameters", ()), *told.get("parameters", ())):
        parameter = _resolved(source.document, one)
        if isinstance(parameter.get("name"), str) and isinstance(parameter.get("in"), str):
            places[parameter["name"]] = parameter["in"]
    body = _resolved(source.document, told.get("requestBody"))
    content = body.get("content")
    json = content.get("application/json") if isinstance(content, Mapping) else None
    schema = _resolved(source.document, json.get("schema")) if isinstance(json, Mapping) else {}
    fields = schema.get("properties")
    whole = json is not None and not isinstance(fields, Mapping)
    places.update(dict.fromkeys(fields if isinstance(fields, Mapping) else ["body"] if whole else (), "body"))
    name = told.get("operationId")
    pointer = f"/paths/{path.replace('~', '~0').replace('/', '~1')}/{method}"
    operation = Operation(
        source,
        name if isinstance(name, str) else "",
        f"{{$sourceDescriptions.{source.name}.url}}#{pointer}",
        places,
        json is not None and not whole,
        whole,
    )
    return operation.id or re.sub(r"[^A-Za-z0-9]+", "_", f"{method}_{path}").strip("_"), operation


def _resolved(document: Mapping[str, Any], node: Any) -> Mapping[str, Any]:
    """A node, or what its local $ref leads to."""
    for _ in range(20):
        if not isinstance(node, Mapping):
            return {}
        ref = node.get("$ref")
        if not isinstance(ref, str):
            return node
        node = document
        for key in ref.removeprefix("#/").split("/") if ref.startswith("#/") else ["\0"]:
            node = node.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(node, Mapping) else None
    return {}

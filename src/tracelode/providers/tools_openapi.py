"""How are the operations of an OpenAPI 3 description called? At an address that the user names, and no other.

Source: https://spec.openapis.org/oas/v3.1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from tracelode.errors import MissingExtra, ToolFailed, ToolUnsure, UsageError
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import LARGEST, keyed
from tracelode.providers.places import checked_url, key_of
from tracelode.providers.threads import in_thread

_METHODS = ("get", "head", "put", "delete", "post", "patch", "options")
_SENT = frozenset(("host", "accept", "connection", "content-type", "content-length"))
_UNSURE = frozenset((408, 425))
_DEEP = 40


class _Operation(msgspec.Struct, frozen=True):
    """One operation, ready to be called."""

    spec: ToolSpec
    method: str
    path: str
    where: Mapping[str, str]
    """Argument to path, query, header or body."""
    whole: bool
    """Whether the argument body is the body, instead of its fields."""


class OpenApiTools:
    """A toolbox of HTTP operations.

    Args:
        document: the description, as JSON that was read.
        url: where its paths are; servers that the description names are not used.
        server: what the tools are offered as.
        headers: HTTP header to the variable of the environment that holds its value.
        timeout: seconds that one call may take.
        insecure: take http:// to other machines.

    Raises:
        UsageError: no description of version 3, or an address that is not one to send to.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        url: str,
        *,
        server: str = "",
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        insecure: bool = False,
    ) -> None:
        if not str(document.get("openapi", "")).startswith("3."):
            raise UsageError("the description is not of OpenAPI 3")
        try:
            self._url = checked_url(url, insecure=insecure)
        except UsageError as error:
            raise UsageError(str(error).replace("--base-url", "the address of the operations")) from None
        self._headers, self._timeout, self._server = dict(headers or {}), timeout, server
        self._operations = {one.spec.name: one for one in _operations(document, server)}
        self._client: Any = None

    async def describe(self) -> list[ToolSpec]:
        """What the description says; see Toolbox."""
        return [self._operations[name].spec for name in sorted(self._operations)]

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Send a request once; see Toolbox."""
        operation = self._operations.get(name)
        if operation is None or server not in ("", self._server):
            raise ToolFailed(f"there is no operation {name!r}", kind="absent")
        given = keyed(operation.spec, arguments, key)
        request = _request(operation, given)
        client = self._open()
        values = {h: key_of(variable, "", vendor=False) for h, variable in self._headers.items()}
        return await in_thread(self._send, client, operation, request, values)

    async def close(self) -> None:
        """End the connections; see Toolbox."""
        if self._client is not None:
            self._client.close()

    def _open(self) -> Any:
        if self._client is None:
            try:
                from tracelode.providers import http
            except ImportError:
                raise MissingExtra("httpx2", "mcp") from None
            named = {h.lower() for h in self._headers}
            own = {
                n.lower()
                for o in self._operations.values()
                for n, place in o.where.items()
                if place == "header"
            }
            self._client = http.client(self._url, self._timeout, frozenset(_SENT | named | own))
        return self._client

    def _send(
        self, client: Any, operation: _Operation, request: dict[str, Any], values: dict[str, str]
    ) -> Tree:
        import httpx2

        from tracelode.providers.http import failure

        name = operation.spec.name
        headers = {**request["headers"], **values, "accept": "application/json, text/*;q=0.5"}
        try:
            answer = client.request(
                operation.method.upper(),
                self._url + request["path"],
                params=request["query"],
                headers=headers,
                **({} if request["body"] is None else {"json": request["body"]}),
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol):
            raise ToolFailed(f"{self._url} cannot be reached", kind="unreachable") from None
        except httpx2.HTTPError as error:
            kind = "timeout" if isinstance(error, httpx2.TimeoutException) else "cut"
            raise ToolUnsure(f"the operation {name!r} has no answer", kind=kind) from None
        except Exception as error:
            raise ToolUnsure(str(failure(error, self._url)), kind="large") from None
        return _answer(name, answer)


def _answer(name: str, answer: Any) -> Tree:
    status = answer.status_code
    said = f"the operation {name!r} answered with status {status}"
    if 400 <= status < 500 and status not in _UNSURE:
        raise ToolFailed(said, kind="refused" if status in (400, 404, 405, 415, 422) else "failed")
    if not 200 <= status < 300:
        # a redirection may come after the work was done, and an error of the server amid it
        raise ToolUnsure(said, kind="failed")
    if len(answer.content) > LARGEST:
        raise ToolUnsure(f"{said} and more than {LARGEST >> 20} MB", kind="large")
    if not answer.content:
        return None
    if "json" not in answer.headers.get("content-type", "application/json"):
        return answer.text
    try:
        return msgspec.json.decode(answer.content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ToolUnsure(f"{said} and what is no JSON", kind="malformed") from None


def _request(operation: _Operation, arguments: Tree) -> dict[str, Any]:
    """Where each argument goes; nothing is sent that the description does not name."""
    path, query, headers = operation.path, [], {}
    body: Any = None
    for name, value in arguments.items():
        place = operation.where.get(name)
        if place is None:
            raise ToolFailed(f"the operation {operation.spec.name!r} does not take {name!r}", kind="refused")
        if place == "body":
            body = value if operation.whole else {**(body or {}), name: value}
        elif place == "path":
            text = quote(_text(value), safe="")
            if text in ("", ".", ".."):
                raise ToolFailed(f"the argument {name!r} cannot stand in a path", kind="refused")
            path = path.replace("{" + name + "}", text)
        elif place == "query":
            query += [
                (name, _text(one))
                for one in (value if isinstance(value, list) else [value])
                if one is not None
            ]
        else:
            text = _text(value)
            if not text.isascii() or not text.isprintable():
                raise ToolFailed(f"the argument {name!r} cannot stand in a header", kind="refused")
            headers[name] = text
    if "{" in path:
        raise ToolFailed(f"the operation {operation.spec.name!r} lacks a part of its path", kind="refused")
    return {"path": path, "query": query, "headers": headers, "body": body}


def _text(value: Tree) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    return msgspec.json.encode(value).decode()


def _operations(document: Mapping[str, Any], server: str) -> Iterator[_Operation]:
    paths = document.get("paths")
    if not isinstance(paths, Mapping):
        return
    for path, item in paths.items():
        if not isinstance(item, Mapping):
            continue
        for method in _METHODS:
            if isinstance(item.get(method), Mapping):
                yield _operation(document, server, str(path), method, item)


def _operation(
    document: Mapping[str, Any], server: str, path: str, method: str, item: Mapping[str, Any]
) -> _Operation:
    told = item[method]
    properties: dict[str, Any] = {}
    required: list[str] = []
    where: dict[str, str] = {}
    for one in [*item.get("parameters", ()), *told.get("parameters", ())]:
        parameter = _whole(document, one)
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or place not in ("path", "query", "header"):
            continue  # a cookie is no argument
        properties[name] = _whole(document, parameter.get("schema", {}))
        where[name] = place
        if (parameter.get("required") or place == "path") and name not in required:
            required.append(name)
    body = _whole(document, told.get("requestBody", {}))
    content = body.get("content", {}).get("application/json", {})
    schema = _whole(document, content.get("schema", {})) if content else {}
    fields = schema.get("properties")
    whole = bool(content) and (not isinstance(fields, Mapping) or bool({*fields} & {*where}))
    if whole:
        properties["body"], where["body"] = schema, "body"
        required += ["body"] if body.get("required") else []
    elif content and isinstance(fields, Mapping):
        properties.update(fields)
        where.update(dict.fromkeys(fields, "body"))
        required += [name for name in schema.get("required", ()) if name not in required]
    hints = {"readOnlyHint": method in ("get", "head", "options")}
    if not hints["readOnlyHint"]:
        hints["idempotentHint"] = method in ("put", "delete")
        hints["destructiveHint"] = method == "delete"
    name = told.get("operationId") or re.sub(r"[^A-Za-z0-9]+", "_", f"{method}_{path}").strip("_")
    spec = ToolSpec(
        name=str(name),
        server=server,
        description=str(told.get("summary") or told.get("description") or ""),
        parameters={"type": "object", "properties": properties, "required": required},
        hints=hints,
    )
    return _Operation(spec, method, path, where, whole)


def _whole(document: Mapping[str, Any], node: Any, deep: int = 0, via: tuple[str, ...] = ()) -> Any:
    """A node with its references followed, as far as they lie in the same document and lead to no circle."""
    if isinstance(node, list):
        return [_whole(document, one, deep + 1, via) for one in node]
    if not isinstance(node, Mapping) or deep > _DEEP:
        return node if not isinstance(node, Mapping) else {}
    place = node.get("$ref")
    if isinstance(place, str):
        if not place.startswith("#/") or place in via:
            return {}
        found: Any = document
        for part in place[2:].split("/"):
            found = (
                found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
            )
        return _whole(document, found if found is not None else {}, deep + 1, (*via, place))
    return {key: _whole(document, value, deep + 1, via) for key, value in node.items()}

"""Are operations called at the user's address once, as described, and is what comes back told apart?"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tracelode.errors import ToolError, ToolFailed, ToolUnsure, UsageError
from tracelode.providers.tools_openapi import OpenApiTools

ROOM = {
    "type": "object",
    "properties": {"room": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["room"],
}
DOCUMENT = {
    "openapi": "3.1.0",
    "servers": [{"url": "http://127.0.0.1:9/elsewhere"}],
    "paths": {
        "/hotels/{hotel}/rooms": {
            "parameters": [{"$ref": "#/components/parameters/hotel"}],
            "get": {
                "operationId": "rooms",
                "parameters": [
                    {"name": "free", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "tag", "in": "query", "schema": {"type": "array"}},
                ],
            },
            "post": {
                "operationId": "book",
                "parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Room"}}},
                },
            },
            "delete": {"summary": "Close it."},
        },
        "/say/{status}": {
            "parameters": [{"name": "status", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {"operationId": "say"},
        },
    },
    "components": {
        "parameters": {
            "hotel": {"name": "hotel", "in": "path", "required": True, "schema": {"type": "string"}}
        },
        "schemas": {"Room": ROOM, "Loop": {"properties": {"next": {"$ref": "#/components/schemas/Loop"}}}},
    },
}


@contextmanager
def serving() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A real server that notes requests; the path tells how it answers."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.append({"method": self.command, "path": self.path, "headers": headers, "body": body})
            word = self.path.rpartition("/")[2]
            if word == "hang":
                time.sleep(5)
            if word == "cut":
                self.connection.close()
                return
            answer = {
                "bad": b"{no",
                "large": b'"' + b"x" * (9 << 20) + b'"',
                "text": b"plain",
                "empty": b"",
            }.get(word, json.dumps({"ok": True}).encode())
            self.send_response(int(word) if word.isdigit() else 200)
            self.send_header("content-type", "text/plain" if word == "text" else "application/json")
            self.send_header("content-length", str(len(answer)))
            self.send_header("location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_DELETE = _any

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def call(url: str, name: str, arguments: Any, key: str = "", **more: Any) -> Any:
    async def go() -> Any:
        box = OpenApiTools(DOCUMENT, url, **more)
        try:
            return await box.call(name, arguments, key)
        finally:
            await box.close()

    return asyncio.run(go())


def test_operations_say_what_they_are() -> None:
    specs = {
        s.name: s
        for s in asyncio.run(OpenApiTools(DOCUMENT, "http://127.0.0.1:1", server="hotel").describe())
    }
    assert sorted(specs) == ["book", "delete_hotels_hotel_rooms", "rooms", "say"]
    assert specs["book"].parameters["required"] == ["hotel", "room"]
    assert sorted(specs["book"].parameters["properties"]) == ["Idempotency-Key", "hotel", "nights", "room"]
    assert specs["rooms"].hints == {"readOnlyHint": True}
    gone = specs["delete_hotels_hotel_rooms"].hints
    assert gone == {"readOnlyHint": False, "idempotentHint": True, "destructiveHint": True}


def test_each_argument_goes_where_the_description_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTEL_KEY", "key-of-nobody")
    with serving() as (url, seen):
        given = {"hotel": "a/b c", "free": True, "tag": ["x", "y z"]}
        assert call(url, "rooms", given, headers={"X-Key": "HOTEL_KEY"}) == {"ok": True}
        call(url, "book", {"hotel": "h", "room": "9", "nights": 2}, key="k1")
    assert seen[0]["path"] == "/hotels/a%2Fb%20c/rooms?free=true&tag=x&tag=y+z"
    assert seen[0]["headers"]["x-key"] == "key-of-nobody"
    assert (seen[1]["method"], json.loads(seen[1]["body"])) == ("POST", {"room": "9", "nights": 2})
    assert seen[1]["headers"]["idempotency-key"] == "k1"
    assert "x-key" not in seen[1]["headers"]


@pytest.mark.parametrize(
    ("word", "error", "kind"),
    [
        ("400", ToolFailed, "refused"),
        ("403", ToolFailed, "failed"),
        ("409", ToolFailed, "failed"),
        ("429", ToolFailed, "failed"),
        ("408", ToolUnsure, "failed"),
        ("500", ToolUnsure, "failed"),
        ("503", ToolUnsure, "failed"),
        ("302", ToolUnsure, "failed"),
        ("bad", ToolUnsure, "malformed"),
        ("large", ToolUnsure, "large"),
        ("cut", ToolUnsure, "cut"),
        ("hang", ToolUnsure, "timeout"),
    ],
)
def test_what_goes_wrong_is_told_apart_and_sent_once(word: str, error: type[ToolError], kind: str) -> None:
    with serving() as (url, seen):
        with pytest.raises(error) as raised:
            call(url, "say", {"status": word}, timeout=0.5 if word == "hang" else 10.0)
        assert raised.value.kind == kind
        assert len(seen) == 1


def test_a_server_that_is_not_there_got_nothing() -> None:
    with pytest.raises(ToolFailed) as raised:
        call("http://127.0.0.1:1", "say", {"status": "200"})
    assert raised.value.kind == "unreachable"


def test_answers_that_are_no_json() -> None:
    with serving() as (url, _):
        assert call(url, "say", {"status": "text"}) == "plain"
        assert call(url, "say", {"status": "empty"}) is None


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("rooms", {"hotel": "h", "other": 1}),
        ("rooms", {}),
        ("rooms", {"hotel": ".."}),
        ("book", {"hotel": "h", "room": "9", "Idempotency-Key": "a\r\nb: c"}),
        ("nothing", {}),
    ],
)
def test_what_the_description_does_not_allow_is_not_sent(name: str, given: Any) -> None:
    with serving() as (url, seen):
        with pytest.raises(ToolFailed):
            call(url, name, given)
        assert seen == []


def test_addresses_and_documents_that_are_none() -> None:
    for url in ("http://example.com", "https://me:pw@example.com", "nonsense"):
        with pytest.raises(UsageError, match="address"):
            OpenApiTools(DOCUMENT, url)
    with pytest.raises(UsageError, match="OpenAPI 3"):
        OpenApiTools({"swagger": "2.0"}, "https://example.com")
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}
    paths = {"/a": {"post": {"requestBody": {"content": content}}}}
    loop = {"openapi": "3.0.0", "paths": paths, "components": DOCUMENT["components"]}
    assert asyncio.run(OpenApiTools(loop, "https://example.com").describe())[0].name == "post_a"

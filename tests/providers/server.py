"""A real HTTP server on this machine that answers as a model's endpoint does, well or badly."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}


@dataclass
class Seen:
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """What the user and the model said, the rules apart."""
        return [m["content"] for m in self.body["messages"] if m["role"] != "system"]

    @property
    def ids(self) -> list[str]:
        """Ids at the lines of the packet, in order."""
        return re.findall(r"^#\d+(?:-#\d+)? ([0-9a-z]+) ", self.texts[0], re.MULTILINE)


@dataclass
class Reply:
    """What is sent back."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    before: float = 0.0
    """Seconds before the first byte."""
    between: float = 0.0
    """Seconds between two bytes."""
    cut: int | None = None
    """Bytes of the body after which the connection is closed."""


@dataclass
class Server:
    """The server, while it runs."""

    port: int
    answer: Callable[[Seen], Reply]
    seen: list[Seen] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(answer: Callable[[Seen], Reply] | list[Reply]) -> Iterator[Server]:
    """Run a server.

    Args:
        answer: what it sends back to a request; a list is used up, and its last reply repeated.
    """
    if isinstance(answer, list):
        replies = list(answer)
        answer = lambda _: replies.pop(0) if len(replies) > 1 else replies[0]  # noqa: E731

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw or b"{}"))
            with found.lock:
                found.seen.append(seen)
                reply = found.answer(seen)
            time.sleep(reply.before)
            with suppress(OSError):  # who asked may be gone
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in {"content-type": reply.kind, **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            if reply.between:
                for place in range(len(reply.body)):
                    self.wfile.write(reply.body[place : place + 1])
                    self.wfile.flush()
                    time.sleep(reply.between)
                return
            self.wfile.write(reply.body[: reply.cut])
            if reply.cut is not None:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *_: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    found = Server(httpd.server_port, answer)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        httpd.shutdown()
        httpd.server_close()


def said(
    backend: str, text: str, *, stop: str = "", tokens: tuple[int, int] = (1_000, 50), **more: Any
) -> Reply:
    """A whole answer in a backend's protocol.

    Args:
        backend: openai or anthropic.
        text: what the model said; with anthropic, JSON becomes the use of the tool.
        stop: why it ended, in the protocol's word.
        tokens: input and output.
        more: of the Reply.
    """
    if backend == "openai":
        body: dict[str, Any] = {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "own-model-1",
            "choices": [{
                "index": 0, "finish_reason": stop or "stop",
                "message": {"role": "assistant", "content": text, "refusal": None},
            }],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]},
        }  # fmt: skip
    else:
        block: dict[str, Any] = {"type": "text", "text": text}
        with suppress(ValueError):
            given = json.loads(text)
            block = {"type": "tool_use", "id": "toolu_1", "name": "marks", "input": given}
        body = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "own-model-1", "content": [block],
            "stop_reason": stop or "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
        }  # fmt: skip
    return Reply(json.dumps(body).encode(), **more)


def marked(backend: str, marks: list[tuple[str, list[str]]], **more: Any) -> Reply:
    """An answer with marks: (id, path) each."""
    rows = [{"start_operation_id": at, "path": path} for at, path in marks]
    return said(backend, json.dumps({"marks": rows}), **more)

"""How are the tools of MCP servers called? By the official client, over standard input and output or HTTP.

Protocol: https://modelcontextprotocol.io/specification.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tracelode.errors import MissingExtra, ToolFailed, ToolUnsure, UsageError
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import LARGEST, keyed
from tracelode.providers.places import is_loopback, key_of

_PAGES = 100
_OPEN = 30.0
"""Seconds that a server may take to start and greet."""
_REFUSED = frozenset((-32_700, -32_600, -32_601, -32_602))
"""Codes of JSON-RPC by which a server says that it did not take the call."""
_TIMEOUT = -32_001
_HINTS = {
    "read_only_hint": "readOnlyHint",
    "destructive_hint": "destructiveHint",
    "idempotent_hint": "idempotentHint",
    "open_world_hint": "openWorldHint",
}


class McpServer(msgspec.Struct, frozen=True, kw_only=True):
    """One server and how it is reached."""

    name: str
    """What its tools are known by."""
    command: tuple[str, ...] = ()
    """Program and arguments that start it; () for one behind an address."""
    url: str = ""
    """Address of its endpoint; "" for a command."""
    environment: tuple[str, ...] = ()
    """Variables of the environment that the command gets, besides the usual ones (PATH, HOME, ...)."""
    headers: Mapping[str, str] = {}
    """HTTP header to the variable of the environment that holds its value."""
    insecure: bool = False
    """Whether http:// may lead to another machine."""


class McpTools:
    """A toolbox of MCP servers; each is started, or connected to, when it is first needed.

    Args:
        servers: by unique names.
        timeout: seconds that one call may take.

    Raises:
        UsageError: a server that cannot be reached as it is told.
    """

    def __init__(self, servers: Iterable[McpServer], *, timeout: float = 120.0) -> None:
        self._open = {server.name: _Connection(server, timeout) for server in servers}

    async def describe(self) -> list[ToolSpec]:
        """What the servers list now; see Toolbox."""
        found: list[ToolSpec] = []
        for name in sorted(self._open):
            found += await self._open[name].tools()
        return sorted(found, key=lambda spec: (spec.server, spec.name))

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Call a tool once; see Toolbox."""
        names = [server] if server else sorted(self._open)
        offering = [n for n in names if n in self._open and await self._open[n].offers(name)]
        if len(offering) != 1:
            raise ToolFailed(f"there is no tool {name!r}, or several servers offer it", kind="absent")
        return await self._open[offering[0]].call(name, arguments, key)

    async def close(self) -> None:
        """End the connections and the servers that were started; see Toolbox."""
        for connection in self._open.values():
            await connection.close()


class _Connection:
    """A client of one server; it lives in a task of its own, as the package wants it."""

    def __init__(self, server: McpServer, timeout: float) -> None:
        if bool(server.command) == bool(server.url):
            raise UsageError(f"MCP server {server.name!r} needs either a command or an address")
        if server.url:
            _look(server)
        self._server, self._timeout = server, timeout
        self._client: Any = None
        self._task: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._lock = asyncio.Lock()
        self._specs: dict[str, ToolSpec] = {}

    async def tools(self) -> list[ToolSpec]:
        """The tools that it lists."""
        client = await self._ready()
        found: list[ToolSpec] = []
        cursor: str | None = None
        try:
            for _ in range(_PAGES):
                page = await asyncio.wait_for(client.list_tools(cursor=cursor), self._timeout)
                found += [_spec(self._server.name, tool) for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    break
        except Exception as error:
            await self._drop()
            what = f"MCP server {self._server.name!r} does not list its tools ({type(error).__name__})"
            raise ToolFailed(what, kind="unreachable") from None
        self._specs = {spec.name: spec for spec in found}
        return found

    async def offers(self, name: str) -> bool:
        """Does it list a tool?"""
        if not self._specs:
            await self.tools()
        return name in self._specs

    async def call(self, name: str, arguments: Tree, key: str) -> Tree:
        """Call one of its tools once."""
        client = await self._ready()
        given = keyed(self._specs[name], arguments, key)
        try:
            result = await client.call_tool(name, given, read_timeout_seconds=self._timeout)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            raise await self._failure(name, error) from None
        if result.is_error:
            raise ToolFailed(f"the tool {name!r} says that it failed", kind="failed")
        return _output(name, result)

    async def close(self) -> None:
        """End it."""
        await self._drop()

    async def _failure(self, name: str, error: Exception) -> ToolFailed | ToolUnsure:
        code = getattr(error, "code", None)
        if code in _REFUSED:
            return ToolFailed(
                f"MCP server {self._server.name!r} does not take the call of {name!r}", kind="refused"
            )
        if code == _TIMEOUT:
            return ToolUnsure(
                f"the tool {name!r} did not answer within {self._timeout:g} seconds", kind="timeout"
            )
        if type(error).__name__ in ("ValidationError", "RuntimeError", "UnexpectedClaimedResult"):
            return ToolUnsure(f"the tool {name!r} answered with what it did not announce", kind="malformed")
        await self._drop()
        return ToolUnsure(f"MCP server {self._server.name!r} broke off at the call of {name!r}", kind="cut")

    async def _ready(self) -> Any:
        async with self._lock:
            if self._task is not None and self._task.done():
                self._client = self._task = None
            if self._client is None:
                self._end = asyncio.Event()
                opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
                self._task = asyncio.create_task(self._live(opened))
                done, _ = await asyncio.wait(
                    (opened, self._task), timeout=_OPEN, return_when="FIRST_COMPLETED"
                )
                if not opened.done() or opened.exception() is not None:
                    error = opened.exception() if opened.done() else None
                    await self._drop()
                    if isinstance(error, MissingExtra | UsageError):
                        raise error
                    what = f"MCP server {self._server.name!r} cannot be started or reached"
                    raise ToolFailed(what, kind="unreachable")
                del done
                self._client = opened.result()
            return self._client

    async def _live(self, opened: asyncio.Future[Any]) -> None:
        try:
            async with self._made() as client:
                opened.set_result(client)
                await self._end.wait()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # a group of errors of the package's tasks is none of Exception's
            if not opened.done():
                opened.set_exception(error)
        finally:
            if not opened.done():
                opened.set_exception(ToolFailed("it ended", kind="unreachable"))

    async def _drop(self) -> None:
        task, self._task, self._client = self._task, None, None
        if task is None:
            return
        self._end.set()
        done, _ = await asyncio.wait((task,), timeout=10.0)
        if not done:
            task.cancel()
            await asyncio.wait((task,), timeout=10.0)

    @contextlib.asynccontextmanager
    async def _made(self) -> Any:
        try:
            import mcp
            from mcp.client.stdio import stdio_client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError:
            raise MissingExtra("mcp", "mcp") from None
        server = self._server
        if server.command:
            given = {name: os.environ[name] for name in server.environment if name in os.environ}
            start = mcp.StdioServerParameters(
                command=server.command[0], args=[*server.command[1:]], env=given
            )
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                async with mcp.Client(stdio_client(start, errlog=nowhere), cache=None) as client:
                    yield client
            return
        import httpx2

        from tracelode.providers.http import AGENT

        headers = {name: key_of(variable, "", vendor=False) for name, variable in server.headers.items()}
        host = urlsplit(server.url).hostname or ""
        timeout = httpx2.Timeout(self._timeout + 5.0, connect=20.0)
        async with httpx2.AsyncClient(
            headers={"user-agent": AGENT, **headers}, timeout=timeout, trust_env=not is_loopback(host)
        ) as web:
            transport = streamable_http_client(server.url, http_client=web, max_sse_event_size=LARGEST)
            async with mcp.Client(transport, cache=None) as client:
                yield client


def _look(server: McpServer) -> None:
    parts = urlsplit(server.url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise UsageError(f"MCP server {server.name!r}: the address must be https://HOST/PATH without a user")
    if parts.scheme == "http" and not is_loopback(parts.hostname) and not server.insecure:
        raise UsageError(f"MCP server {server.name!r}: http:// is read by everybody on the way; use https://")


def _spec(server: str, tool: Any) -> ToolSpec:
    notes = tool.annotations
    said = {ours: getattr(notes, theirs) for theirs, ours in _HINTS.items()} if notes is not None else {}
    return ToolSpec(
        name=tool.name,
        server=server,
        description=tool.description or "",
        parameters=dict(tool.input_schema),
        hints={name: value for name, value in said.items() if isinstance(value, bool)},
    )


def _output(name: str, result: Any) -> Tree:
    """What a tool answered, as agents see it: its text, read as JSON where it is an object or a list.

    An answer of several blocks, or of none, is its structured content where there is one.
    """
    texts = [block.text for block in result.content if block.type == "text"]
    if sum(len(text) for text in texts) > LARGEST:
        raise ToolUnsure(f"the tool {name!r} answered with more than {LARGEST >> 20} MB", kind="large")
    if len(texts) == 1 and len(result.content) == 1:
        return _parsed(texts[0])
    if result.structured_content is not None:
        return result.structured_content
    if len(texts) != len(result.content):
        raise ToolUnsure(f"the tool {name!r} answered with what is no text", kind="malformed")
    return "\n".join(texts)


def _parsed(text: str) -> Tree:
    if text.lstrip()[:1] in ("{", "["):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            return msgspec.json.decode(text)
    return text

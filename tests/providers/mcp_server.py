"""A real MCP server with tools that behave well or badly. A script: over stdio, or HTTP at a port."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import anyio
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

LOG = Path(os.environ.get("SHOP_LOG", os.devnull))
server = MCPServer("shop")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def find(city: str) -> dict[str, list[dict[str, str]]]:
    """Find rooms."""
    return {"rooms": [{"id": f"{city}-1"}, {"id": f"{city}-2"}]}


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
def book(room: str, idempotency_key: str = "") -> str:
    """Book a room."""
    with LOG.open("a") as stream:
        stream.write(f"{room} {idempotency_key}\n")
    return f"booked {room}"


@server.tool()
def fail(word: str) -> str:
    """Fail."""
    raise ValueError(f"no {word}")


@server.tool()
def die(room: str) -> str:
    """Write, then die."""
    with LOG.open("a") as stream:
        stream.write(f"{room} died\n")
    os._exit(1)


@server.tool()
async def hang() -> str:
    """Never answer."""
    await anyio.sleep(3600)
    return "late"


@server.tool()
def block() -> str:
    """Never answer, and hear nothing."""
    time.sleep(3600)
    return "late"


@server.tool()
def listed() -> list[int]:
    """Answer in several blocks."""
    return [1, 2]


@server.tool()
def many() -> str:
    """Answer with more than anybody reads."""
    return "x" * (9 * 1024 * 1024)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()

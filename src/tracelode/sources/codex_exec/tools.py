"""What kind of tool call is an item of the stream?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from tracelode.model.operation import Kind
from tracelode.sources.codex_exec.records import Item

_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:?#\s]{1,253})")

Tool = tuple[str, Kind, dict[str, str], str, str]
"""(name, kind, fields, arguments, output) of a tool call."""


def _json(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()


def _command(item: Item) -> Tool:
    fields = {"command": item.command} if item.command else {}
    return "command_execution", "tool", fields, _json({"command": item.command}), item.aggregated_output or ""


def _patch(item: Item) -> Tool:
    paths = [change.path for change in item.changes or [] if change.path]
    fields = {"path": paths[0]} if paths else {}
    return "file_change", "tool", fields, _json({"changes": paths}), ""


def _mcp(item: Item) -> Tool:
    name = f"mcp__{item.server or 'unknown'}__{item.tool or 'unknown'}"
    output = item.error.message if item.error and item.error.message else _texts(item.result)
    return name, "tool", {}, _json(item.arguments), output


def _texts(result: Any) -> str:
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(content, list):
        return _json(result)
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _search(item: Item) -> Tool:
    action = item.action if isinstance(item.action, dict) else {}
    host = _HOST.match(action["url"]) if isinstance(action.get("url"), str) else None
    fields = {"domain": host[1].lower()} if host else {}
    return "web_search", "tool", fields, _json({"query": item.query, "action": item.action}), ""


def _plan(item: Item) -> Tool:
    return "update_plan", "plan", {}, _json({"plan": item.items}), ""


def _collab(item: Item) -> Tool:
    name = item.tool or "unknown tool"
    spawned = item.receiver_thread_ids or []
    fields = {"spawns": spawned[0]} if name == "spawn_agent" and spawned else {}
    kind: Kind = "subagent" if name == "spawn_agent" else "tool"
    return name, kind, fields, _json({"prompt": item.prompt, "receivers": spawned}), ""


TOOLS: dict[str, Callable[[Item], Tool]] = {
    "command_execution": _command,
    "file_change": _patch,
    "mcp_tool_call": _mcp,
    "web_search": _search,
    "todo_list": _plan,
    "collab_tool_call": _collab,
}

"""Which spans are processes that ran? Their facts, and the tool call that they lie in."""

from __future__ import annotations

import shlex
from typing import Any

from tracelode.sources.otel.tree import Node

_COMMANDS = ("process.command_line", "process.command")
_PROGRAMS = ("process.executable.name", "process.executable.path", "process.command")
_OWN = ("process.pid", "process.command_line", "process.command_args", "process.executable.name")
"""Attributes of which a span of a process has one; those of the resource say who wrote the span."""


def is_process(node: Node) -> bool:
    """Is a span the run of a process?

    Args:
        node: a span that is nothing else.

    Source:
        OpenTelemetry semantic conventions, spans of command line programs (Development).
    """
    return node.role == "other" and any(_told(node, name) for name in _OWN)


def name_of(node: Node) -> str:
    """What a process is called: its program's base name, else as the span is."""
    program = node.get(_PROGRAMS)
    return program.replace("\\", "/").rpartition("/")[2] or node.span.name or "process"


def fields_of(node: Node) -> dict[str, str]:
    """Fields of the operation of a process.

    Args:
        node: a span for which is_process() holds; the ids of all spans of its trace are known.
    """
    attributes = node.span.attributes
    words = attributes.get("process.command_args")
    command = node.get(_COMMANDS)
    if isinstance(words, (list, tuple)) and words and all(isinstance(w, str) for w in words):
        command = shlex.join(words)
    above = node.parent
    while above is not None and not is_process(above) and above is not node.tool:
        above = above.parent
    fields = {
        "pid": _number(attributes.get("process.pid")),
        "ppid": _number(attributes.get("process.parent_pid")),
        "exit": _number(attributes.get("process.exit.code")),
        "command": command,
        "process": above.ident if above is not None and above is not node.tool else "",
        "cause": node.tool.ident if node.tool is not None else "",
    }
    return {name: value for name, value in fields.items() if value}


def _told(node: Node, name: str) -> bool:
    value = node.span.attributes.get(name)
    return value is not None and value != "" and value != []


def _number(value: Any) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 40
    return str(value) if whole else ""

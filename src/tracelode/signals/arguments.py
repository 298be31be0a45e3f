"""What does a tool's input say in the words of fields, and which tools are more than tools?"""

from __future__ import annotations

import re
import shlex
from typing import Any

from tracelode.model.operation import Kind
from tracelode.signals.lexicon import Lexicon, load

_COMMANDS = ("command", "cmd", "commandLine", "CommandLine")
_PATHS = (
    "file_path",
    "absolute_path",
    "notebook_path",
    "filePath",
    "path",
    "dir_path",
    "target_file",
    "filename",
    "file",
)
_BACKGROUND = ("run_in_background", "is_background", "background")
_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:?#\s]{1,253})", re.IGNORECASE)
_SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh"})
_KINDS: dict[str, Kind] = {"plan": "plan", "delegate": "subagent"}


def argument_fields(given: Any) -> dict[str, str]:
    """The parts of a tool's input that are fields of an operation.

    Args:
        given: the decoded input; anything but an object gives no field.

    Returns:
        command, description, path, domain and background, each where the input has it.

    Example:
        >>> argument_fields({"cmd": ["bash", "-lc", "ls src"], "url": "https://example.org/a"})
        {'command': 'ls src', 'domain': 'example.org'}
    """
    if not isinstance(given, dict):
        return {}
    fields: dict[str, str] = {}
    command = next((given[key] for key in _COMMANDS if given.get(key)), None)
    if isinstance(command, list) and all(isinstance(part, str) for part in command):
        inner = len(command) == 3 and command[0] in _SHELLS and command[1] in ("-c", "-lc")
        command = command[2] if inner else shlex.join(command)
    if isinstance(command, str):
        fields["command"] = command
    if isinstance(given.get("description"), str) and given["description"]:
        fields["description"] = given["description"]
    path = next((given[key] for key in _PATHS if isinstance(given.get(key), str) and given[key]), None)
    if path and "\n" not in path:
        fields["path"] = path
    host = host_of(given.get("url"))
    if host:
        fields["domain"] = host
    if any(given.get(key) is True for key in _BACKGROUND):
        fields["background"] = "1"
    return fields


def host_of(url: Any) -> str | None:
    """The host of an address, None for anything else.

    Args:
        url: text, or anything.
    """
    match = _HOST.match(url) if isinstance(url, str) else None
    return match[1].lower() if match else None


def tool_kind(tool: str, lexicon: Lexicon | None = None) -> Kind:
    """Is a tool more than a tool?

    Args:
        tool: tool name as the source names it.
        lexicon: the words; None for the built-in ones.

    Returns:
        plan for tools that keep a plan, subagent for those that start one, else tool.
    """
    return _KINDS.get((lexicon or load()).tools.get(tool.lower(), ""), "tool")


def asks_person(tool: str, lexicon: Lexicon | None = None) -> bool:
    """Is a tool's result a person's answer?

    Args:
        tool: tool name as the source names it.
        lexicon: the words; None for the built-in ones.
    """
    return (lexicon or load()).tools.get(tool.lower()) == "ask"

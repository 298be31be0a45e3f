"""Which toolbox does a word mean: MCP server, Python functions, OpenAPI document, allowed commands?"""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import UsageError
from tracelode.files import bounded, why
from tracelode.model.tools import Toolbox

GRAMMAR = "mcp:COMMAND, https://HOST/PATH, MODULE:FUNCTION,..., openapi:FILE@URL, or shell:FILE"
"""What a toolbox is written as; NAME= before it is the server that its tools are known by."""
_NAMED = re.compile(r"([A-Za-z][\w.-]*)=(.+)", re.S)
_PYTHON = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*(?:,[A-Za-z_]\w*)*)")


def toolbox(
    words: Sequence[str],
    *,
    environment: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    timeout: float = 120.0,
) -> Toolbox:
    """The toolbox that words mean; no server is started before its first use.

    Args:
        words: each [NAME=] and one form of GRAMMAR.
        environment: variables of the environment that commands of MCP servers get, besides the usual ones.
        headers: HTTP header to the variable of the environment that holds its value.
        timeout: seconds one call may take.

    Returns:
        One toolbox.

    Raises:
        UsageError: a word means none, or what it names cannot be read.
    """
    from tracelode.providers.tools_together import ToolsTogether

    if not words:
        raise UsageError(f"a workflow needs tools; write them as --tools {GRAMMAR}")
    boxes = []
    for number, word in enumerate(words, 1):
        named = _NAMED.fullmatch(word)
        name, rest = (named[1], named[2]) if named else ("", word)
        boxes.append(_one(name, rest, number, tuple(environment), dict(headers or {}), timeout))
    return boxes[0] if len(boxes) == 1 else ToolsTogether(boxes)


def _one(
    name: str, word: str, number: int, environment: tuple[str, ...], headers: dict[str, str], timeout: float
) -> Toolbox:
    kind, _, rest = word.partition(":")
    if kind in ("mcp", "http", "https") and rest:
        from tracelode.providers.tools_mcp import McpServer, McpTools

        server = name or f"mcp{number}"
        if kind == "mcp":
            try:
                command = tuple(shlex.split(rest))
            except ValueError:
                raise UsageError("--tools mcp:COMMAND: a quote in the command has no end") from None
            if not command:
                raise UsageError("--tools mcp: needs the command that starts the server")
            reached = McpServer(name=server, command=command, environment=environment)
        else:
            reached = McpServer(name=server, url=word, headers=headers)
        return McpTools([reached], timeout=timeout)
    if kind == "openapi" and rest:
        from tracelode.providers.tools_openapi import OpenApiTools

        file, at, url = rest.rpartition("@")
        if not at:
            raise UsageError("--tools openapi:FILE@URL needs the address of the operations behind @")
        return OpenApiTools(_document(file), url, server=name, headers=headers, timeout=timeout)
    if kind == "shell" and rest:
        return _shell(rest, name, timeout)
    if (found := _PYTHON.fullmatch(word)) is not None:
        return _python(found[1], found[2].split(","), name)
    raise UsageError(f"--tools cannot be {word[:60]!r}; write it as {GRAMMAR}")


def _document(file: str) -> Any:
    path = Path(file).expanduser()
    try:
        data = bounded(path)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {why(error)}") from None
    try:
        if path.suffix.lower() in (".yaml", ".yml"):
            import yaml

            found = yaml.safe_load(data)
        elif path.suffix.lower() == ".toml":
            found = msgspec.toml.decode(data)
        else:
            found = msgspec.json.decode(data)
    except Exception as error:
        # the words of a parser may quote the file
        raise UsageError(
            f"{file} is no {path.suffix.lstrip('.').upper() or 'JSON'} that can be read"
        ) from error
    if not isinstance(found, dict | list):
        raise UsageError(f"{file} holds no description of tools")
    return found


def openapi_documents(paths: Iterable[str | Path]) -> dict[str, Any]:
    """The OpenAPI documents among declarations.

    Args:
        paths: files; folders and what is no such document are passed over.

    Returns:
        Path to document.
    """
    found = {}
    for path in paths:
        if Path(path).is_file():
            with contextlib.suppress(UsageError):
                tree = _document(str(path))
                if isinstance(tree, dict) and "openapi" in tree:
                    found[str(path)] = tree
    return found


def _shell(file: str, name: str, timeout: float) -> Toolbox:
    from tracelode.providers.tools_shell import Command, ShellTools

    found = _document(file)
    listed = found.get("commands", found.get("command")) if isinstance(found, dict) else found
    try:
        commands = msgspec.convert(listed, list[Command])
    except msgspec.ValidationError:
        raise UsageError(
            f"{file} lists no commands: each has a name and words, as "
            '[[commands]] name = "list" words = ["ls", "{folder}"]'
        ) from None
    return ShellTools(commands, server=name, timeout=timeout)


def _python(module: str, names: Sequence[str], server: str) -> Toolbox:
    from importlib import import_module

    from tracelode.providers.tools_python import PythonTools

    here = str(Path.cwd())
    if here not in sys.path:
        # the user named a module: one of the working folder counts, as with python -m
        sys.path.insert(0, here)
    try:
        found = import_module(module)
    except (Exception, SystemExit) as error:
        raise UsageError(f"the module {module} cannot be imported: {type(error).__name__}") from error
    functions: dict[str, Callable[..., Any]] = {}
    for name in names:
        if not hasattr(found, name):
            raise UsageError(f"the module {module} has no {name}")
        functions.update(_functions(getattr(found, name), f"{module}:{name}"))
    hints = getattr(found, "HINTS", {})
    return PythonTools(functions, server=server, hints=hints if isinstance(hints, dict) else {})


def _functions(value: Any, place: str) -> dict[str, Callable[..., Any]]:
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list | tuple):
        items = [(getattr(one, "__name__", ""), one) for one in value]
    else:
        items = [(getattr(value, "__name__", ""), value)]
    if not all(isinstance(name, str) and name and callable(one) for name, one in items):
        raise UsageError(f"{place} is no function, and no list or dict of functions")
    return dict(items)

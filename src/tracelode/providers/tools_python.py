"""How are Python functions offered as tools?"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from tracelode.errors import ToolError, ToolFailed, ToolUnsure
from tracelode.model.run import ToolSpec, Tree
from tracelode.model.tools import keyed
from tracelode.providers.threads import in_thread

_TYPES: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    tuple: "array",
    dict: "object",
}

_BYTES = (bytes, bytearray, memoryview)


class PythonTools:
    """A toolbox of functions, plain or async; plain ones run in threads.

    A function that raises ToolFailed says that nothing happened. Whatever else it raises leaves that open.

    Args:
        functions: tool name to function; it is called with the arguments by name.
        server: what the tools are offered as.
        hints: tool name to what it declares: readOnlyHint and the like.
        schemas: tool name to JSON Schema of its arguments, where the function's own annotations do not do.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        *,
        server: str = "",
        hints: Mapping[str, Mapping[str, bool]] | None = None,
        schemas: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._functions = dict(functions)
        hints, schemas = hints or {}, schemas or {}
        self._specs = {
            name: ToolSpec(
                name=name,
                server=server,
                description=(inspect.getdoc(function) or "").split("\n")[0],
                parameters=dict(schemas.get(name) or _schema(function)),
                hints=dict(hints.get(name, {})),
            )
            for name, function in sorted(self._functions.items())
        }

    async def describe(self) -> list[ToolSpec]:
        """What the functions say of themselves; see Toolbox."""
        return list(self._specs.values())

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Call a function once; see Toolbox."""
        spec = self._specs.get(name)
        if spec is None or server not in ("", spec.server):
            raise ToolFailed(f"there is no function {name!r}", kind="absent")
        function = self._functions[name]
        given = keyed(spec, arguments, key)
        try:
            inspect.signature(function).bind(**given)
        except TypeError:
            raise ToolFailed(f"the function {name!r} does not take these arguments", kind="refused") from None
        try:
            if inspect.iscoroutinefunction(function):
                found = await function(**given)
            else:
                found = await in_thread(_kept(function), **given)
        except (ToolError, asyncio.CancelledError):
            raise
        except (Exception, SystemExit) as error:
            # its message may hold what it was given
            raise ToolUnsure(f"the function {name!r} raised {type(error).__name__}", kind="failed") from None
        try:
            return _json(found)
        except (TypeError, ValueError, RecursionError):
            what = f"the function {name!r} returned what is no JSON value"
            raise ToolUnsure(what, kind="malformed") from None

    async def close(self) -> None:
        """Nothing to end: a thread cannot be."""


def _json(found: Any) -> Tree:
    """What a function returned, of JSON's types only; bytes are none, and no text stands for them.

    Raises:
        RecursionError: it holds itself.
        TypeError: it is no JSON value.
        ValueError: it is out of range.
    """
    tree = msgspec.to_builtins(found, str_keys=True, builtin_types=_BYTES)
    left = [tree]
    while left:
        one = left.pop()
        if isinstance(one, _BYTES):
            raise TypeError
        if isinstance(one, dict):
            left.extend(one.values())
        elif isinstance(one, list | tuple):
            left.extend(one)
    return tree


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; that it ends the program or interrupts it is an error of a tool, and ends nobody else."""

    def kept(**given: Any) -> Any:
        try:
            return function(**given)
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise ToolUnsure(f"the function raised {type(error).__name__}", kind="failed") from None

    return kept


def _schema(function: Callable[..., Any]) -> dict[str, Any]:
    """JSON Schema of a function's arguments, as far as its annotations tell."""
    try:
        known = get_type_hints(function)
    except Exception:  # names that only a type checker can see
        known = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            continue
        properties[name] = _type(known.get(name))
        if parameter.default is parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _type(hint: Any) -> dict[str, Any]:
    plain = get_origin(hint) or hint
    if plain in _TYPES:
        return {"type": _TYPES[plain]}
    kinds = [
        _TYPES.get(get_origin(arg) or arg, "null" if arg is type(None) else "") for arg in get_args(hint)
    ]
    return {"type": kinds} if kinds and all(kinds) else {}

"""Which shape has whoever calls tools for a workflow?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tracelode.model.run import ToolSpec, Tree

KEY_NAMES = (
    "Idempotency-Key",
    "clientRequestToken",
    "clientToken",
    "client_request_token",
    "client_token",
    "idempotencyKey",
    "idempotency-key",
    "idempotency_key",
)
"""Arguments by which tools tell a repeated call from a new one."""
LARGEST = 8 * 1024 * 1024
"""Bytes of an answer; a larger one is none."""


class Toolbox(Protocol):
    """Offers tools and calls them. Several calls may be under way at once, all in one event loop."""

    async def describe(self) -> Sequence[ToolSpec]:
        """What the tools say of themselves now.

        Returns:
            Specs, sorted by server and name.

        Raises:
            ToolFailed: it cannot be asked.
        """
        ...

    async def call(self, name: str, arguments: Tree, key: str, *, server: str = "") -> Tree:
        """Call a tool once; never a second time by itself.

        Args:
            name: the tool.
            arguments: dict of its arguments.
            key: the same for the same write, another one for another; passed on where the tool
                declares an argument of KEY_NAMES. "" for a read.
            server: who offers it, "" where that is not known.

        Returns:
            Its answer, a JSON value.

        Raises:
            ToolFailed: the call failed for certain.
            ToolUnsure: it may have been done.
        """
        ...

    async def close(self) -> None:
        """End what still runs."""
        ...


def key_name(spec: ToolSpec) -> str:
    """The argument by which a tool tells a repeated call from a new one.

    Args:
        spec: the tool.

    Returns:
        Its name, "" where the tool declares none.
    """
    declared = spec.parameters.get("properties")
    return next((name for name in KEY_NAMES if isinstance(declared, dict) and name in declared), "")


def keyed(spec: ToolSpec, arguments: Tree, key: str) -> Tree:
    """Arguments with the key of the write, where the tool takes one; a key that was there is replaced.

    Args:
        spec: the tool.
        arguments: dict; not changed.
        key: of the write, "" for a read.
    """
    name = key_name(spec)
    return {**arguments, name: key} if name and key and isinstance(arguments, dict) else arguments

"""What is kept of a source's texts? Everything passes the redactor here and is cut."""

from __future__ import annotations

import re
from typing import Any, Protocol

import msgspec

from tracelode.model.operation import FIELDS, Operation
from tracelode.signals.plan.keep import keep_again

COMMAND = 1_000
DESCRIPTION = 300
ARGUMENTS = 1_000
OUTPUT_HEAD = 500
OUTPUT_TAIL = 500
_NAMED = ("model", "branch", "mode", "domain", "tool", "service_tier", "speed", "geo", "compaction", "spawns")
_OURS = frozenset(
    ("call", "human", "usage_quality", "duration_quality", "background", "rolled_back", "automated", "replay",
     "replayed", "pid", "ppid", "port", "process", "lineage", "slack", "cause", "assigned", "sampled",
     "touch", "exit")
)  # fmt: skip
"""Fields that hold ids and words of ours; what any other field holds may come from the source."""
_CUT = re.compile(r"\n…\[\d{1,12} characters\]…|…\Z")
_SLACK = 40
"""Characters that the mark of a cut may add to a bounded text."""


class Cleaner(Protocol):
    """The redactor, as ingest uses it."""

    def text(self, s: str) -> str:
        """Whole text, redacted."""

    def preview(self, s: str, head: int, tail: int = 0) -> str:
        """Redacted and cut."""

    def path(self, s: str) -> str:
        """Path, home folder as ~."""

    def name(self, s: str) -> str:
        """Short identifier."""

    def start(self, s: str, count: int) -> str:
        """First characters of the redacted text, in every mode."""

    def value(self, obj: Any, limit: int) -> str:
        """Decoded JSON value as bounded text."""


def kept_arguments(redactor: Cleaner, text: str, kind: str) -> str:
    """An operation's input as it is kept.

    Args:
        redactor: the one choke point.
        text: as the source yields it.
        kind: kind of the operation.
    """
    if kind in ("prompt", "note", "model"):
        return bounded(redactor, text, ARGUMENTS)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return bounded(redactor, text, ARGUMENTS)
    return redactor.value(value, ARGUMENTS)


def whole_arguments(redactor: Cleaner, operation: Operation) -> str:
    """An operation's input, redacted and not cut.

    Args:
        redactor: the choke point.
        operation: as the source yields it.
    """
    if not operation.arguments or operation.kind in ("prompt", "note", "model"):
        return redactor.text(operation.arguments)
    try:
        value = msgspec.json.decode(operation.arguments)
    except (msgspec.DecodeError, RecursionError):
        return redactor.text(operation.arguments)
    return redactor.value(value, 1 << 40)


def bounded(redactor: Cleaner, text: str, head: int, tail: int = 0) -> str:
    """A text as it is kept: redacted and cut.

    Args:
        redactor: the one choke point.
        text: any text.
        head: characters kept at the start.
        tail: characters kept at the end.

    Returns:
        The preview; one that was cut before (an export of a store) is not cut a second time.
    """
    if head + tail < len(text) <= head + tail + _SLACK and _CUT.search(text):
        return redactor.text(text)
    return redactor.preview(text, head, tail)


def byte_length(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def kept_fields(redactor: Cleaner, given: dict[str, str], project: str) -> dict[str, str]:
    """Fields as they are kept; those without a value are left out.

    Args:
        redactor: the one choke point.
        given: as the source yields them.
        project: clean working folder of the session.
    """
    fields: dict[str, str] = {}
    for key, value in given.items():
        if key in _NAMED:
            fields[key] = redactor.name(value)
        elif key == "command":
            fields[key] = bounded(redactor, value, COMMAND)
        elif key == "description":
            fields[key] = bounded(redactor, value, DESCRIPTION)
        elif key == "plan":
            fields[key] = keep_again(value, redactor.start, redactor.text)
        elif key in ("path", "cwd"):
            fields[key] = relative(redactor.path(value), project)
        elif "." in key:
            # an adapter's own: what the source says, not our words
            fields[redactor.name(key)] = redactor.name(value)
        else:
            # closed words and ids of ours; another store's export may have any name for a field
            known = key if key in FIELDS else redactor.name(key)
            fields[known] = value if key in _OURS else redactor.name(value)
    return {key: value for key, value in fields.items() if value}


def relative(path: str, project: str) -> str:
    """A path as views show it: relative to the project where it lies inside.

    Args:
        path: clean path.
        project: clean project folder.

    Returns:
        The path without the project prefix, "." for the project itself.
    """
    if project and path.startswith(project):
        rest = path[len(project) :]
        if not rest:
            return "."
        if rest[0] == "/":
            return rest[1:]
    return path

"""What is the first line of a recording? A line of fixed length: what is learned later fits into it."""

from __future__ import annotations

import json
import os
from pathlib import Path

VERSION = 1
LENGTH = 8_192
"""Bytes of the line with its end; the rest is blank."""


def write(target: Path, values: dict[str, object]) -> None:
    """Begin a recording: a new private file with its first line.

    Args:
        target: where; a file that is there is an error.
        values: id, tracer, cwd, started and so on; JSON values.

    Raises:
        FileExistsError: there is a file already.
        OSError: it cannot be written.
    """
    with open(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
        stream.write(_line(values))


def update(target: Path, values: dict[str, object]) -> None:
    """Replace the first line of a recording.

    Args:
        target: the recording.
        values: all values, old and new.
    """
    with open(target, "r+b") as stream:
        stream.write(_line(values))


def _line(values: dict[str, object]) -> bytes:
    body = {"tracelode_record": VERSION, **values}
    text = json.dumps(body, separators=(",", ":")).encode()
    if len(text) >= LENGTH:
        # a path of thousands of bytes: the folder is the only value without a bound
        text = json.dumps({**body, "cwd": ""}, separators=(",", ":")).encode()
    return text.ljust(LENGTH - 1) + b"\n"

"""Which JSON values does a file hold: one, or one a line?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode import lenient
from tracelode.model.ports import Line

Found = tuple[Line, Any, str]
"""Where a value stands, the value, and closed words where there is none."""


def values(file: Line) -> Iterator[Found]:
    """The values of a file.

    Args:
        file: its whole content.

    Returns:
        (place, value, ""), or (place, None, closed words) for what could not be read. A file whose
        first line is a whole value is taken line by line, so that a broken line costs itself alone.
    """
    try:
        yield file, msgspec.json.decode(file.data), ""
        return
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    end = file.data.find(b"\n")
    if end > 0 and _decodes(file.data[:end]):
        for line in _lines(file.data):
            yield from _one(line)
    else:
        yield from _one(file)


def _decodes(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def _lines(data: bytes) -> Iterator[Line]:
    start = number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        text = data[start:end].strip()
        if text:
            yield Line(number, start, text)
        start = end + 1


def _one(line: Line) -> Iterator[Found]:
    try:
        yield line, msgspec.json.decode(line.data), ""
        return
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    for value, complaint in lenient.objects(line.data.decode("utf-8", "replace")):
        yield line, None if complaint else lenient.clean(value), complaint

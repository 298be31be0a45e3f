"""Operations for tests, without a source."""

from __future__ import annotations

from typing import Any

from tracelode.model.operation import Operation, Origin
from tracelode.signals.enrich import enrich

_PATHS = ("Read", "Edit", "Write", "Grep", "Glob", "LS")


def call(text: str, status: str = "ok", output: str = "", **fields: str) -> Operation:
    """A tool call: "Read a.py" for a tool with a path, "$ git push" for a shell line, else a tool's name."""
    values = dict(fields)
    tool, _, rest = text.partition(" ")
    if tool == "$":
        values |= {"tool": "Bash", "command": rest}
    else:
        values["tool"] = tool
        if rest:
            values["path" if tool in _PATHS else "description"] = rest
    enrich(values, kind="tool", status=status, output=output)
    return raw("tool", values["tool"], status=status, output=output, fields=values)


def raw(kind: str, name: str = "", **values: Any) -> Operation:
    """An operation of any kind, not enriched."""
    return Operation(
        **{
            "session": "s",
            "index": 0,
            "id": name,
            "actor": "agent",
            "kind": kind,
            "name": name,
            "origin": Origin("test", "a", 1),
            **values,
        }
    )


def session(*turns: list[Operation] | Operation | str) -> list[Operation]:
    """A session: a list is one turn with its model call, a text one such turn, an operation stands alone."""
    found: list[Operation] = []
    for number, turn in enumerate(turns):
        if isinstance(turn, Operation):
            found.append(turn)
            continue
        calls = [call(turn)] if isinstance(turn, str) else turn
        found.append(raw("model", id=f"m{number}"))
        found += [replace(c, fields={**c.fields, "call": f"m{number}"}) for c in calls]
    return [replace(o, index=i, id=o.id if o.kind == "model" else f"o{i}") for i, o in enumerate(found)]


def replace(operation: Operation, **changes: Any) -> Operation:
    """A copy with changed fields."""
    import msgspec

    copy: Operation = msgspec.structs.replace(operation, **changes)
    return copy

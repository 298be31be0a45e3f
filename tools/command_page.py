"""What does each command take? The page of commands, from the declarations that --help is made of."""

from __future__ import annotations

import inspect
import re
from typing import Any

from tracelode.cli import helptext
from tracelode.cli.app import COMMANDS, build

Option = tuple[str, str]
"""Names with what they take, and the line of help."""


def commands() -> str:
    """The page: the whole help, the options that commands share, then each command."""
    app = build()
    taken = {name: _taken(app[name]) for _, name, _, _ in COMMANDS}
    shared = _shared(taken)
    out = [
        "# Commands\n\nMade from the same declarations as `tracelode COMMAND --help`.\n\n"
        f"```\n{helptext.text()}```\n\n## Shared options\n",
    ]
    for group in shared:
        options = next(o for parts in taken.values() for g, o in parts if g is group)
        out.append(f"\n### {_head(group)}\n\n{_table(options)}")
    for _, name, _, line in COMMANDS:
        out.append(f"\n## {name}\n\n{line}\n\n{_told(app[name].default_command)}")
        own = [option for group, options in taken[name] if group not in shared for option in options]
        out.append(_table(own))
        links = [f"[{_head(g)}](#{_anchor(_head(g))})" for g, _ in taken[name] if g in shared]
        if links:
            out.append(("\n" if own else "") + f"Shared options: {', '.join(links)}.\n")
    return "".join(out)


def _taken(command: Any) -> list[tuple[type | None, list[Option]]]:
    """Options of a command, by the class that declares them; None: the command itself."""
    parts: list[tuple[type | None, list[Option]]] = [(None, [])]
    own = parts[0][1]
    inherited: set[str] = set()
    for argument in command.assemble_argument_collection():
        names = [n for n in argument.names if not n.startswith(("--no-", "--empty-"))]
        if names == ["*"]:
            parts.append((argument.hint, []))
            inherited = {n.replace("_", "-") for n in argument.hint.__dataclass_fields__}
            continue
        if not names or argument.parameter.show is False:
            continue
        # The collection is flat: an option is of the class before it if the class has a field of that name.
        where = parts[-1][1] if argument.field_info.name.replace("_", "-") in inherited else own
        where.append((_names(names, argument), argument.parameter.help or ""))
    return parts


def _names(names: list[str], argument: Any) -> str:
    takes = argument.parameter.metavar or "|".join(map(str, argument.get_choices() or ()))
    if not names[0].startswith("-"):
        return f"`{takes or names[0]}`"
    return ", ".join(f"`{n}`" for n in names) + (f" `{takes}`" if takes else "")


def _shared(taken: dict[str, list[tuple[type | None, list[Option]]]]) -> list[type]:
    """Classes of options that two commands or more take, in the order they are met."""
    met: dict[type, int] = {}
    for parts in taken.values():
        for group, _ in parts:
            if group is not None:
                met[group] = met.get(group, 0) + 1
    return [group for group, count in met.items() if count > 1]


def _head(group: type) -> str:
    return (group.__doc__ or "").strip().split("\n")[0].rstrip(".")


def _anchor(head: str) -> str:
    return re.sub(r"[^\w\s-]", "", head).strip().lower().replace(" ", "-")


def _told(function: Any) -> str:
    """What a command's docstring says below its first line."""
    doc = inspect.cleandoc(function.__doc__ or "")
    body = re.split(r"\n\n(?:Args|Returns|Raises|Source):", doc)[0].partition("\n\n")[2]
    return f"{body}\n\n" if body and not body.startswith(("Args:", "Returns:")) else ""


def _table(options: list[Option]) -> str:
    if not options:
        return ""
    rows = [("option", "what it does"), ("---", "---"), *options]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in rows)

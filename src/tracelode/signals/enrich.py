"""Which closed facts do an operation's strings show? Sets verb, path role and error class."""

from __future__ import annotations

from tracelode.signals.failures import error_class, error_class_alone
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.paths import path_role
from tracelode.signals.shell import reading
from tracelode.signals.tools import is_shell, operation_verb

_TOOL_KINDS = frozenset({"tool", "subagent", "plan", "gui"})
_FAILED = frozenset({"error", "nonzero"})
_ENDED = frozenset({"ok", "unknown"})


def enrich(
    fields: dict[str, str],
    *,
    kind: str,
    status: str = "unknown",
    name: str = "",
    output: str = "",
    narration: str = "",
    lexicon: Lexicon | None = None,
) -> None:
    """Add verb, path_role and error to the fields of a tool operation, in place.

    Args:
        fields: fields of the operation: tool, command, description, path, background are read. A verb or
            role that is already there stays.
        kind: kind of the operation; others than tool, subagent, plan and gui are left alone.
        status: how it ended.
        name: tool name where fields has no tool.
        output: result, may be a preview.
        narration: text before the call, asked where command and description leave the verb open.
        lexicon: the words; None for the built-in ones.

    Source:
        naming rules, steps 1 and 2.

    Example:
        >>> fields = {"tool": "Bash", "command": "cat docs/guide.md"}
        >>> enrich(fields, kind="tool", status="ok")
        >>> fields["verb"], fields["path_role"]
        ('explore', 'docs')
    """
    tool = fields.get("tool") or name
    if not tool or kind not in _TOOL_KINDS:
        return
    lexicon = lexicon or load()
    command, path = fields.get("command", ""), fields.get("path", "")
    verb = fields.get("verb")
    if not verb:
        verb = fields["verb"] = operation_verb(
            tool,
            command,
            fields.get("description", ""),
            path,
            fields.get("background", ""),
            narration,
            lexicon,
        )
    if "path_role" not in fields:
        if not path and command and is_shell(tool, lexicon):
            path = reading(command, lexicon).path
        if path:
            fields["path_role"] = path_role(path, lexicon)
    if output and "error" not in fields:
        found = _error(verb, status, output, lexicon)
        if found:
            fields["error"] = found


def _error(verb: str, status: str, output: str, lexicon: Lexicon) -> str | None:
    if status in _FAILED:
        return error_class(output, lexicon)
    known = lexicon.verbs.get(verb)
    if status in _ENDED and known is not None and known.exercises:
        return error_class_alone(output, lexicon)
    return None

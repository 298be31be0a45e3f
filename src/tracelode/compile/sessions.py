"""What kind of work was a coding session? A key that sessions share whatever their words."""

from __future__ import annotations

from tracelode.compile.documents import command
from tracelode.model.run import Run
from tracelode.signals.arguments import argument_fields
from tracelode.signals.effects import effect
from tracelode.signals.human import prompt_facts
from tracelode.signals.lexicon import load
from tracelode.signals.paths import path_role
from tracelode.signals.tools import is_shell, operation_verb

_LOOKS = frozenset({"read", "none"})


def session_key(run: Run) -> tuple[str, ...] | None:
    """The kind of work of a coding session.

    Args:
        run: which.

    Returns:
        (what was asked, roles of edited paths, verbs of commands that do more than look), each of closed
        words; None for a run without shell and editor, and for one that did nothing but look.

    Source:
        compile: S1 intent discovery, for sessions whose prompts hardly cluster.
    """
    lexicon = load()
    roles: set[str] = set()
    verbs: set[str] = set()
    for call in run.calls:
        fields = argument_fields(call.arguments)
        if is_shell(call.name):
            words = fields.get("command", "") or command(call.arguments)
            if effect(call.name, words) not in _LOOKS:
                verbs.add(operation_verb(call.name, words))
        elif call.name.lower() in lexicon.tools and effect(call.name) == "write" and fields.get("path"):
            roles.add(path_role(fields["path"]))
    if not roles and not verbs:
        return None
    facts = prompt_facts(run.request)
    asked = facts.get("asked") or facts.get("said") or ""
    return asked, " ".join(sorted(roles)), " ".join(sorted(verbs))


def session_name(key: tuple[str, ...]) -> str:
    """A kind of work in words.

    Args:
        key: as session_key gives it.

    Example:
        >>> session_name(("fix", "code tests", "commit test"))
        'fix code and tests: commit, test'
    """
    asked, roles, verbs = key
    subject = " ".join(part for part in (asked or "work on", " and ".join(roles.split())) if part)
    return f"{subject}: {', '.join(verbs.split())}" if verbs else subject

"""What kind of work was a coding session? A key that sessions share whatever their words."""

from __future__ import annotations

from collections import Counter

from tracelode.compile.documents import command
from tracelode.model.run import Run
from tracelode.signals.arguments import argument_fields
from tracelode.signals.effects import effect
from tracelode.signals.human import prompt_facts
from tracelode.signals.lexicon import load
from tracelode.signals.paths import path_role
from tracelode.signals.tools import is_shell, operation_verb

_LOOKS = frozenset({"read", "none"})
_MOST = 0.7
"""Share of the edited files whose role names the work."""
_ASKED = {"fix": "fix bug", "add": "add feature", "refactor": "refactor code", "review": "review changes"}


def session_key(run: Run) -> tuple[str, ...] | None:
    """The kind of work of a coding session.

    Args:
        run: which.

    Returns:
        (intent, roles of edited paths, verbs of commands that do more than look), each of closed words; None
        for a run without shell and editor, and for one that did nothing but look.

    Source:
        compile: S1 intent discovery, for sessions whose prompts hardly cluster; naming rules, step 7.
    """
    lexicon = load()
    edited: dict[str, str] = {}
    verbs: set[str] = set()
    for call in run.calls:
        fields = argument_fields(call.arguments)
        if is_shell(call.name):
            words = fields.get("command", "") or command(call.arguments)
            if effect(call.name, words) not in _LOOKS:
                verbs.add(operation_verb(call.name, words))
        elif call.name.lower() in lexicon.tools and effect(call.name) == "write" and fields.get("path"):
            edited[fields["path"]] = path_role(fields["path"])
    if not edited and not verbs:
        return None
    roles = Counter(edited.values())
    return _intent(roles, run.request), " ".join(sorted(roles)), " ".join(sorted(verbs))


def _intent(roles: Counter[str], request: str) -> str:
    facts = prompt_facts(request)
    asked = _ASKED.get(facts.get("asked") or facts.get("said", ""), "")
    for role in sorted(roles):
        if roles[role] >= _MOST * roles.total() and role in load().intent_roles:
            return f"change {role}"
    return asked or ("change code" if roles else "run commands")


def session_name(key: tuple[str, ...]) -> str:
    """A kind of work in words.

    Args:
        key: as session_key gives it.

    Example:
        >>> session_name(("fix bug", "code tests", "commit test"))
        'fix bug in code and tests: commit, test'
    """
    intent, roles, verbs = key
    plain = roles.replace(" ", " and ")
    subject = f"{intent} in {plain}" if plain and plain not in intent else intent
    return f"{subject}: {', '.join(verbs.split())}" if verbs else subject

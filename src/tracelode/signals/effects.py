"""What can a tool call change: read, write, execute, network or none? And how far does a write reach?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tracelode.signals.command import classify, tokens
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.looking import only_looks
from tracelode.signals.shell import parts
from tracelode.signals.tools import is_shell, operation_verb

EFFECTS: tuple[str, ...] = ("read", "write", "execute", "network", "none")
"""The closed list, in rising order of reach but for none."""

CLASSES: tuple[str, ...] = (
    "read",
    "idempotent_write",
    "append",
    "destructive",
    "external_send",
    "unknown",
)
"""What a call does to the world, in rising order: of several the last counts."""


REVERSIBLE = ("read", "idempotent_write")
"""Of CLASSES: nothing is changed, or what is can be written as it was."""


def irreversible(found: str) -> bool:
    """May what a call does be beyond undoing? What no word tells may be.

    Args:
        found: of CLASSES, or "".

    Example:
        >>> irreversible("read"), irreversible("external_send"), irreversible("")
        (False, True, True)
    """
    return found not in REVERSIBLE


def effect(tool: str, command: str = "", lexicon: Lexicon | None = None) -> str:
    """The effect class of a tool call, by its verb.

    Args:
        tool: tool name as the source names it.
        command: shell command, "" for other tools.
        lexicon: the words; None for the built-in ones.

    Returns:
        One of EFFECTS.

    Example:
        >>> effect("Read"), effect("Bash", "git push"), effect("Bash", "rm -r build"), effect("TodoWrite")
        ('read', 'network', 'write', 'none')
    """
    lexicon = lexicon or load()
    return lexicon.verbs[operation_verb(tool, command, lexicon=lexicon)].effect


def strongest(classes: Iterable[str]) -> str:
    """The class that counts among several.

    Args:
        classes: of CLASSES.

    Returns:
        The last in the order of CLASSES, "" for none at all.
    """
    return max(classes, key=CLASSES.index, default="")


def tool_class(tool: str, command: str = "", lexicon: Lexicon | None = None) -> str:
    """What a call does to the world, as far as words tell: its tool's name, and the command of a shell.

    Args:
        tool: tool name, with or without its server.
        command: shell command, "" for other tools.
        lexicon: the words; None for the built-in ones.

    Returns:
        One of CLASSES; "" where no word tells, which is to count as a write. A name is a read only where
        nothing else in it may say that something changes.

    Source:
        compiler rules, S6: verb lexicon.

    Example:
        >>> tool_class("get_order"), tool_class("mcp__shop__cancelOrder"), tool_class("post_get_login_status")
        ('read', 'destructive', 'read')
        >>> tool_class("find_and_delete"), tool_class("frobnicate"), tool_class("Bash", "cat a; rm b")
        ('destructive', '', 'destructive')
        >>> tool_class("get_approval"), tool_class("list_item_for_sale"), tool_class("list_sales")
        ('', '', 'read')
    """
    lexicon = lexicon or load()
    if is_shell(tool, lexicon):
        return _command_class(command, lexicon) if command else "unknown"
    return _name_class(tool.partition("__")[2].partition("__")[2] or tool, lexicon)


@lru_cache(maxsize=4_096)
def _name_class(name: str, lexicon: Lexicon) -> str:
    found = _words_class(name, lexicon)
    if found != "read" or (name.lower() in lexicon.tools and name.lower() not in lexicon.effects):
        return found
    return found if only_looks(tokens(name), lexicon) else ""


def _words_class(name: str, lexicon: Lexicon) -> str:
    own = lexicon.tools.get(name.lower())
    if own is not None and name.lower() not in lexicon.effects:
        return _verb_class(own, lexicon)
    words = tokens(name)
    known: list[tuple[int, str]] = []
    for place, word in enumerate(words):
        pair = lexicon.effects.get(f"{word}.{words[place + 1]}") if place + 1 < len(words) else None
        if pair or word in lexicon.effects:
            known.append((place, pair or lexicon.effects[word]))
    if not known:
        return ""
    if lexicon.words["effect_joints"].intersection(words):
        return strongest(found for _, found in known)
    nouns = lexicon.words["effect_nouns"]
    first, found = known[0]
    if words[first] not in nouns:
        return found
    for place, later in known[1:]:
        # "post_get_status" looks; in "email_mark_as_read" the reading is no verb
        if words[place] not in nouns and (later != "read" or place == first + 1):
            return later
    return found


@lru_cache(maxsize=4_096)
def _command_class(command: str, lexicon: Lexicon) -> str:
    found = []
    for part in parts(command, lexicon):
        call = classify(part, lexicon)
        found.append(_verb_class(call.verb, lexicon))
        if part.target and not part.target.startswith("/dev/"):
            found.append("idempotent_write")
        if part.words and part.words[0] in lexicon.words["moves"]:
            found.append("idempotent_write")  # the folder that later commands run in
    return strongest(found) or "unknown"


def _verb_class(verb: str, lexicon: Lexicon) -> str:
    known = lexicon.verbs.get(verb)
    if known is None or verb in lexicon.words["effect_looks"]:
        return "unknown" if known is None else "read"
    if verb in lexicon.words["effect_destroys"]:
        return "destructive"
    if verb in lexicon.words["effect_sends"]:
        return "external_send"
    if known.effect == "none":
        return "unknown" if verb in ("delegate", "ask") else "read"
    return {"read": "read", "write": "idempotent_write"}.get(known.effect, "unknown")

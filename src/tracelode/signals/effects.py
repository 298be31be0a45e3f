"""What can a tool call change: read, write, execute, network or none?"""

from __future__ import annotations

from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.tools import operation_verb

EFFECTS: tuple[str, ...] = ("read", "write", "execute", "network", "none")
"""The closed list, in rising order of reach but for none."""


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

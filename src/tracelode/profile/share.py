"""Which words may leave the machine? Closed vocabulary stays, everything else becomes a pseudonym."""

from __future__ import annotations

from collections.abc import Callable

from tracelode.model.operation import KINDS, STATUSES
from tracelode.model.query import Query
from tracelode.profile.name import intent, stage
from tracelode.redact.pseudonyms import Pseudonyms
from tracelode.signals.lexicon import load
from tracelode.signals.tools import is_shell


def pseudonymiser(query: Query, salt: str) -> Callable[[str], str]:
    """A function that keeps closed words and replaces the rest.

    Args:
        query: the query whose frames are renamed.
        salt: secret of the store; equal names get equal pseudonyms inside one store only.

    Returns:
        frame -> frame or pseudonym.

    Source:
        profile: --share writes closed vocabulary only.
    """
    lexicon, names = load(), Pseudonyms(salt.encode())
    own = {f"({kind})" for kind in KINDS} | {"(none)", "(hidden)", "(answer)"}
    closed = intent.vocabulary() | stage.vocabulary() | frozenset(KINDS) | frozenset(STATUSES)

    def rename(frame: str) -> str:
        if frame in closed or frame.lower() in lexicon.tools or frame in own:
            return frame
        base, _, word = frame.partition(":")
        if is_shell(base, lexicon) and (frame == base or word in lexicon.commands):
            return frame
        kind = "mcp" if base == "mcp" else "name"
        return names.of(kind, frame)

    return rename

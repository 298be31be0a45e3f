"""What are files, functions and parameters called that stand for names of a trace? Never by those names."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from hashlib import blake2b

_LONGEST = 48


def slug(text: str, sign: str = "-", fallback: str = "workflow") -> str:
    """Letters, digits and one sign between words.

    Args:
        text: any.
        sign: - or _.
        fallback: what stands for a text without letters and digits.

    Returns:
        1 to 48 signs a-z, 0-9 and the sign, never at an end.

    Example:
        >>> slug("Book: hôtel/../room")
        'book-h-tel-room'
    """
    made = re.sub(r"[^a-z0-9]+", sign, text.lower()).strip(sign)
    return made[:_LONGEST].rstrip(sign) or fallback


def identifier(text: str, taken: Iterable[str], fallback: str = "value") -> str:
    """A Python name for a text.

    Args:
        text: any.
        taken: names that it must not be.
        fallback: what stands before a digit, and for a text without letters.

    Returns:
        A name that is no keyword, no builtin and not taken.
    """
    made = slug(text, "_", fallback)
    if not made[0].isalpha():
        made = f"{fallback}_{made}"
    used = {*taken, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
    found, number = made, 2
    while found in used:
        found, number = f"{made}_{number}", number + 1
    return found


def file_name(workflow: str, name: str) -> str:
    """The stem of the files of a workflow.

    Args:
        workflow: its id, which keeps two of one name apart.
        name: its name.
    """
    tail = workflow.rpartition("_")[2]
    mark = (
        tail if re.fullmatch(r"[0-9a-f]{6,}", tail) else blake2b(workflow.encode(), digest_size=6).hexdigest()
    )
    return f"{slug(name)[:40].rstrip('-')}-{mark[:6]}"

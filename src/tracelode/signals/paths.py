"""Which role has a path: code, tests, docs, config, ...?"""

from __future__ import annotations

import re
from functools import lru_cache

from tracelode.signals.lexicon import Lexicon, load

OTHER = "files"
"""Role of a path that no row of the lexicon knows."""

_HOME = re.compile(
    r"^(?:~|/home/[^/]+|(?:/?[A-Za-z]:|/[a-z]|/mnt/[a-z])?/Users/[^/]+|/root|(?:/private)?/tmp|/var/folders/[^/]+/[^/]+)"
    r"(?=/|$)"
)
_SLUG = re.compile(r"(?:^|(?<=/))-(?:Users|home)-[^-/]+-?")


def strip_home(path: str) -> str:
    """A path without its home or temporary folder, with forward slashes.

    Args:
        path: any spelling: /home/x, /Users/x, C:\\Users\\x, /c/Users/x, /mnt/c/Users/x, a folder slug.

    Returns:
        The rest of the path, without a leading slash where a prefix was dropped.

    Source:
        naming rules, step 8, P2.

    Example:
        >>> strip_home("C:\\\\Users\\\\ann\\\\app\\\\main.py"), strip_home("/home/docs/a.py")
        ('app/main.py', 'a.py')
    """
    path = path.replace("\\", "/")
    rest = _HOME.sub("", path)
    if rest is not path:
        rest = rest.lstrip("/") if len(rest) < len(path) else rest
    return _SLUG.sub("", rest)


def path_role(path: str, lexicon: Lexicon | None = None) -> str:
    """The closed role of a path.

    Args:
        path: relative or absolute, any slashes.
        lexicon: the words; None for the built-in ones.

    Returns:
        A role of the lexicon, or "files" where none fits.

    Source:
        naming rules, appendix, path roles.

    Example:
        >>> path_role("src/app/main.py"), path_role("tests/test_main.py"), path_role("notes")
        ('code', 'tests', 'files')
    """
    return _role(path, lexicon or load())


@lru_cache(maxsize=16_384)
def _role(path: str, lexicon: Lexicon) -> str:
    return lexicon.roles.first(strip_home(path)) or OTHER

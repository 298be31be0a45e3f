"""How are patterns made only once a text needs them? Compiling them all takes longer than most imports."""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast

T = TypeVar("T", str, bytes)


class _Late:
    """Stands in for a pattern; the first use compiles it, then its methods are the pattern's own."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self.pattern, self._flags)
        for method in (
            "search",
            "match",
            "fullmatch",
            "finditer",
            "findall",
            "split",
            "sub",
            "subn",
            "groups",
        ):
            self.__dict__[method] = getattr(made, method)
        return getattr(made, name)


def late(pattern: T, flags: int = 0) -> re.Pattern[T]:
    """A pattern that is compiled when it is first used.

    Args:
        pattern: as of re.compile.
        flags: as of re.compile.

    Returns:
        What can be used as the compiled pattern.
    """
    return cast("re.Pattern[T]", _Late(pattern, flags))

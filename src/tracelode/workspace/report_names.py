"""Which names does a report tell? All of them, or with share only those of closed lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tracelode import registry
from tracelode.model.profile import Stack
from tracelode.model.query import Query

if TYPE_CHECKING:
    from tracelode.pricing.table import PriceTable


class ReportNames:
    """How a report writes names.

    Args:
        share: True: closed vocabulary only, everything else a pseudonym.
        salt: secret of the store.
        keys: session keys of the store; short ones are written where they are unique.
    """

    def __init__(self, share: bool, salt: str, keys: Iterable[str] = ()) -> None:
        from tracelode.profile.share import pseudonymiser
        from tracelode.redact.pseudonyms import Pseudonyms

        self.share = share
        self._name = Pseudonyms(salt.encode()).of
        self._frame: Callable[[str], str] = pseudonymiser(Query(), salt) if share else str
        self._short = {} if share else _short(keys)
        self._prices: PriceTable | None = None

    def frame(self, frame: str) -> str:
        """A frame of a stack."""
        return self._frame(frame)

    def stack(self, stack: Stack) -> str:
        """A stack on one line."""
        return " › ".join(map(self._frame, stack))

    def session(self, key: str) -> str:
        """A session's key, as short as it is unique."""
        return self._name("session", key) if self.share else self._short.get(key, key)

    def place(self, where: str) -> str:
        """A place, "session#index"."""
        key, mark, index = where.rpartition("#")
        return f"{self.session(key)}{mark}{index}"

    def line(self, path: str, line: int) -> str:
        """A file and line; "" where it must not be told."""
        if self.share or not path:
            return ""
        return f"{path}:{line}" if line else path

    def of(self, dimension: str, name: str) -> str:
        """A value that totals are split by: a project, a model, a day."""
        if not self.share or name == "(none)" or dimension not in ("project", "model", "agent"):
            return name
        if dimension == "agent" and name in registry.names("sources"):
            return name
        return (dimension == "model" and self._public(name)) or self._name(dimension, name)

    def _public(self, model: str) -> str:
        """The vendor's own id of a model in the shipped price table; any other name may be somebody's own."""
        if self._prices is None:
            from tracelode.pricing.table import PriceTable

            self._prices = PriceTable.load()
        known = self._prices.find(model)
        return "" if known is None else known.id


def _short(keys: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    ordered = sorted(set(keys))
    for place, key in enumerate(ordered):
        near = [ordered[i] for i in (place - 1, place + 1) if 0 <= i < len(ordered)]
        size = 8
        while size < len(key) and any(other.startswith(key[:size]) for other in near):
            size += 1
        found[key] = key[:size]
    return found

"""How are the sessions of a store cut? By which segmenter, one of them tried, all of them cut anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode import registry
from tracelode.workspace.asking import Asking
from tracelode.workspace.places import checked_segmenter

if TYPE_CHECKING:
    from tracelode.model.segment import Segmentation

SEGMENTER = "chain"
"""What cuts the sessions of a store that was not told otherwise."""


class Segmenting(Asking):
    """A workspace's segments; part of Workspace."""

    _importer: Any

    def _import(self, archive: bool = False) -> Any:
        raise NotImplementedError

    @property
    def segmenter(self) -> str:
        """Name of the segmenter that cuts sessions of this store."""
        return self._catalog.meta("segmenter") or SEGMENTER

    def segment(self, segmenter: str) -> int:
        """Cut every session anew, and those of later imports, with another segmenter.

        Args:
            segmenter: its registered name.

        Returns:
            Number of sessions, sub-agents included, that were cut and named anew; the sources are not read.

        Raises:
            UsageError: no such segmenter.
            StoreError: the store can only be read.
        """
        checked_segmenter(segmenter)
        self._catalog.set_meta("segmenter", segmenter)
        self._importer = None
        return len(self._catalog.sessions()) if self._import().refresh_locked() else 0

    def segmentation(self, session: str, segmenter: str | None = None) -> Segmentation:
        """How one session is cut, or would be.

        Args:
            session: key or unique beginning of one.
            segmenter: a registered name; None for the store's. Nothing is stored.

        Returns:
            The named segments.

        Raises:
            QueryError: none or several sessions match.
            UsageError: no such segmenter.
        """
        from tracelode.profile.name.apply import label

        made = registry.load("segmenters", checked_segmenter(segmenter or self.segmenter))
        key = self.session(session).key
        operations = self._ask().operations(key)
        cut = label(operations, made)[0]
        return msgspec.structs.replace(cut, session=key)

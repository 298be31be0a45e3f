"""How are the sessions of a store cut? By which segmenter, one of them tried, one of them trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import StoreError, UsageError
from tracelode.workspace.asking import Asking
from tracelode.workspace.places import checked_segmenter

if TYPE_CHECKING:
    from tracelode.model.segment import Segmentation
    from tracelode.model.training import Training
    from tracelode.store.cuts import Cut

SEGMENTER = "chain"
"""What cuts the sessions of a store that was not told otherwise."""
TRAINED = ("bayes", "learned")
"""Segmenters that learn from labels of one's own."""


class Segmenting(Asking):
    """A workspace's segments; part of Workspace."""

    path: Path
    _importer: Any

    def _import(self, archive: bool = False) -> Any:
        raise NotImplementedError

    @property
    def segmenter(self) -> str:
        """Name of the segmenter that cuts sessions of this store."""
        return self._catalog.meta("segmenter") or SEGMENTER

    def segment(self, segmenter: str | None = None, *, granularity: float | None = None) -> int:
        """Cut every session anew, and those of later imports, with another segmenter, or finer.

        Args:
            segmenter: its registered name; None for the store's.
            granularity: how finely learned cuts, alone or in the chain: 1 as people who label, 2 more often,
                .5 more seldom; None for what it is.

        Returns:
            Number of sessions, sub-agents included, that were cut and named anew; the sources are not read.

        Raises:
            UsageError: no such segmenter, or it needs training or rules that the store does not keep, or it
                has no such granularity.
            StoreError: the store can only be read.
        """
        from tracelode.ingest.segmenters import GRANULARITY, make

        chosen = checked_segmenter(segmenter or self.segmenter)
        make(chosen, self.path, granularity)
        self._catalog.set_meta("segmenter", chosen)
        if granularity is not None:
            self._keep(GRANULARITY, None if granularity == 1 else f"{granularity!r}".encode())
        return self._recut()

    def segmentation(
        self, session: str, segmenter: str | None = None, *, granularity: float | None = None
    ) -> Segmentation:
        """How one session is cut, or would be.

        Args:
            session: key or unique beginning of one.
            segmenter: a registered name, to try it; None for how it is cut: by the marks that were made of
                it, else by the store's segmenter. Nothing is stored.
            granularity: how finely it is tried; None for the store's.

        Returns:
            The named segments.

        Raises:
            QueryError: none or several sessions match.
            UsageError: no such segmenter, or it needs training or rules that the store does not keep.
        """
        from tracelode.ingest.segmenters import make
        from tracelode.profile.label import label
        from tracelode.store.cuts import cut_of

        key = self.session(session).key
        if segmenter is None and granularity is None:
            kept = cut_of(self._catalog, key)
            if kept is not None:
                return kept
        made = make(checked_segmenter(segmenter or self.segmenter), self.path, granularity)
        operations = self._ask().operations(key)
        return msgspec.structs.replace(label(operations, made).segmentation, session=key)

    def cuts(self) -> list[Cut]:
        """What cut the sessions of this store, one segmenter after the other, oldest first.

        Returns:
            The cuts; all families of the store are cut by the last one, those of later imports too.
        """
        from tracelode.store.cuts import cuts

        found = cuts(self._catalog)
        if found:
            found[-1] = msgspec.structs.replace(found[-1], families=len(self._catalog.families()))
        return found

    def uncut(self) -> dict[str, int]:
        """Root sessions that another segmenter still cuts, by its name: a change of it was stopped."""
        from tracelode.store.cuts import unfinished

        return unfinished(self._catalog, self.segmenter)

    def rules(self, path: str | Path) -> int:
        """Keep a file of rules for the segmenter rules, and cut every session anew by them.

        Args:
            path: TOML of [[segment]] tables; its content is kept, later changes of the file are not seen.

        Returns:
            Number of sessions that were cut anew.

        Raises:
            UsageError: the file cannot be read or has a mistake; nothing is kept.
            StoreError: the store can only be read.
        """
        from tracelode.files import bounded, why
        from tracelode.ingest.segmenters import keep
        from tracelode.profile.rulebook import LARGEST, read

        file = Path(path).expanduser()
        try:
            content = bounded(file, LARGEST)
        except OSError as error:
            raise UsageError(f"the rule file {file} cannot be read: {why(error)}") from error
        read(content)
        self._writable()
        keep("rules", self.path, content)
        return self.segment("rules")

    def train(
        self,
        segmenter: str,
        labels: str | Path | None = None,
        *,
        told: Callable[[Training], None] | None = None,
    ) -> Training:
        """Teach a segmenter how your own sessions are cut, if it then beats cutting blindly.

        Args:
            segmenter: bayes or learned.
            labels: "marks" (made of sessions of this store), "plan" (where agents kept one), or a file of
                labelled sessions; None for the marks if there are enough, else the plans.
            told: called with the figures before anything is kept.

        Returns:
            Figures on sessions that were not learned from, and whether what was learned is kept. If it is,
            sessions that this segmenter cuts are cut anew.

        Raises:
            UsageError: no such trainer, or the file cannot be read.
            MissingExtra: the library that the trainer needs is not installed.
            StoreError: the store can only be read.

        Source:
            evaluation protocol, segmentation: out-of-fold figures beside the best fixed window.
        """
        from tracelode.workspace.training import trained

        if segmenter not in TRAINED:
            raise UsageError(f"segmenter {segmenter!r} learns nothing; those that do: {', '.join(TRAINED)}")
        self._writable()
        found, content = trained(self._catalog, self._ask(), segmenter, labels)
        if told is not None:
            told(found)
        if content is None:
            return found
        self._keep(segmenter, content)
        return msgspec.structs.replace(found, recut=self._recut())

    def forget(self, segmenter: str) -> int:
        """Throw away what a segmenter learned in this store, or the store's rules.

        Args:
            segmenter: bayes, learned or rules.

        Returns:
            Number of sessions that were cut anew.

        Raises:
            UsageError: the store keeps nothing for it, or cuts by it and it cannot do without.
            StoreError: the store can only be read.
        """
        from tracelode.ingest.segmenters import FILES, kept

        if segmenter not in FILES or kept(segmenter, self.path) is None:
            raise UsageError(f"this store keeps nothing for the segmenter {segmenter!r}")
        if segmenter == self.segmenter and segmenter != "learned":
            raise UsageError(
                f"the sessions are cut by {segmenter}; cut them by another first: "
                f"tracelode segment --with {SEGMENTER}"
            )
        self._writable()
        self._keep(segmenter, None)
        return self._recut()

    def _keep(self, segmenter: str, content: bytes | None) -> None:
        from tracelode.ingest.segmenters import keep

        keep(segmenter, self.path, content)

    def _writable(self) -> None:
        if self._catalog.readonly:
            raise StoreError(f"the store in {self.path} can only be read")

    def _recut(self) -> int:
        """Cut anew what another segmenter, or another state of it, cut; the number of root sessions."""
        self._importer = None
        if self.empty():
            return 0
        return len(self._catalog.families()) if self._import().refresh_locked() else 0

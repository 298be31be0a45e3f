"""How is a store looked at in a browser? A profile as a page with the operations behind its frames."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from tracelode.model.behind import Behind
from tracelode.model.profile import Profile
from tracelode.model.query import Query
from tracelode.workspace.asking import Asking
from tracelode.workspace.writing import private


class Showing(Asking):
    """A workspace's pages; part of Workspace."""

    def behind(self, query: Query) -> Behind:
        """Operations behind the frames of a view.

        Args:
            query: as for profile(); its first measure says which operations are the largest.

        Returns:
            A bounded number of operations with file and line; all are counted. None are told where names
            must not be told.

        Raises:
            UnknownField: a field that no operation has.
            UnknownMeasure: a measure that does not exist.
        """
        from tracelode.profile.view import viewer
        from tracelode.store.behind import behind

        if query.share:
            return Behind(query.measures, (), {})
        return behind(self._ask(), query, viewer(query, self._salt()))

    def export_page(self, profile: Profile, query: Query, target: str | Path | IO[bytes]) -> None:
        """Write a profile as a page to zoom and search in.

        Args:
            profile: what is shown; it may hold further measures than those of the query, as tokens without
                a price, which the page speaks of.
            query: what was asked; its measures can be chosen in the page.
            target: a path (written whole or not at all) or an open binary stream.

        Raises:
            ExportError: a value is below 0, or the file cannot be written.
        """
        import msgspec

        from tracelode.exports.html_ import HtmlExporter

        # what has no price is said of single operations too
        beside = tuple(m for m in ("tokens.unpriced",) if m in profile.measures and m not in query.measures)
        asked = msgspec.structs.replace(query, measures=(*query.measures, *beside), detail=False)
        exporter = HtmlExporter(query.measures, self.behind(asked))
        if not isinstance(target, str | Path):
            exporter.write(profile, target)
            return
        with private(str(target)) as stream:
            exporter.write(profile, stream)

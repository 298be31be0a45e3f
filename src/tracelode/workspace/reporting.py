"""What are the main findings of a store, on one page to send to a colleague?"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from tracelode.errors import MissingExtra, QueryError
from tracelode.model.numbers import number
from tracelode.model.query import Query
from tracelode.workspace.comparing import Comparing
from tracelode.workspace.compiling import Compiling
from tracelode.workspace.planning import Planning
from tracelode.workspace.ranking import RankingOperations
from tracelode.workspace.showing import Showing

if TYPE_CHECKING:
    from tracelode.model.report import Doctor, Totals
    from tracelode.pages.parts import Page, Section
    from tracelode.workspace.report_names import ReportNames

STACK = ("intent", "stage")
"""Fields that name a kind of work."""
BESIDE = ("tokens", "tokens.output", "time.active", "operations")
"""Measures of the flame graph beside the one that sorts."""
MOST_SESSIONS = 2_000
"""Sessions up to which plans are measured and repeating work is looked for: a page is made in seconds."""


class Reporting(Showing, RankingOperations, Compiling, Planning, Comparing):
    """The page of a workspace; part of Workspace."""

    def report(self, query: Query | None = None, *, share: bool = False) -> Page:
        """The main findings: totals, where the money went, failures, steps, circles, plans, what is unknown.

        Args:
            query: filters (where, since, until); None for the whole store.
            share: True: closed vocabulary only. Projects, sessions, files, models and tools that are not
                public names become pseudonyms, and no text of a trace is told.

        Returns:
            The page; what the store cannot tell is left out, or said to be unknown.

        Raises:
            QueryError: the store holds nothing that passes the filters.
        """
        from tracelode.pages.parts import Page
        from tracelode.workspace import report_sections as sections
        from tracelode.workspace.report_names import ReportNames

        query = msgspec.structs.replace(query or Query(tz=self.tz), share=share)
        found = self.totals(query)
        if not found.operations:
            raise QueryError("nothing to report; run tracelode import PATH first, or loosen the filters")
        measure = "cost" if found.total_tokens > sum(found.unpriced.values()) else "tokens.output"
        names = ReportNames(share, self._salt(), (s.key for s in self._catalog.sessions()))
        made: list[Section | None] = [
            sections.totals(found),
            sections.money(found, measure, names),
            self._kinds(query, measure, names),
            self._failures(query, measure),
            sections.looks(self.findings(query), self.rank(query=query, limit=sections.ROWS), names),
            sections.circles(self.loops(query=query, limit=sections.ROWS), names),
            self._plans_measured(query, found),
            self._repeating(query, found, names),
            sections.unknown(found, self._examined(found), names),
        ]
        return Page(
            title="What the agents did",
            lead=_span(found, share),
            marks=("names are pseudonyms where they are not of a closed list",) if share else (),
            sections=tuple(section for section in made if section is not None),
            comments=tuple(c for c in self.comments(query) if not (share and "=" in c)),
        )

    def export_report(
        self, target: str | Path | IO[bytes], query: Query | None = None, *, share: bool = False
    ) -> Page:
        """Write the page of report() as one HTML file.

        Args:
            target: a path (written whole or not at all) or an open binary stream.
            query: as for report().
            share: as for report().

        Returns:
            The page that was written.

        Raises:
            QueryError: as for report().
            ExportError: the file cannot be written.
        """
        from tracelode.workspace.planning_pages import write_page

        page = self.report(query, share=share)
        write_page(page, target)
        return page

    def _kinds(self, query: Query, measure: str, names: ReportNames) -> Section:
        from tracelode.pages.flame import payload
        from tracelode.pages.parts import Flame, Section, Words
        from tracelode.workspace import report_sections as sections

        measures = tuple(dict.fromkeys((measure, *BESIDE)))
        folded = (*measures, "tokens.unpriced")
        plain = msgspec.structs.replace(query, stack=STACK, measures=folded, share=False, lane="separate")
        whole = msgspec.structs.replace(query, measures=folded)
        table = sections.work(self.profile(plain), self.sessions_by(plain, len(STACK)), names)
        flame = Flame(payload(self.profile(whole), measures, self.behind(whole)))
        return Section("Kinds of work", (table, Words("As a flame graph", "title"), flame))

    def _failures(self, query: Query, measure: str) -> Section | None:
        from tracelode.pages import difference
        from tracelode.pages.parts import Section, Words

        asked = msgspec.structs.replace(query, stack=STACK, measures=(measure,))
        try:
            found = self.difference(by="outcome", query=asked)
        except QueryError:
            return None  # no outcomes, or all alike: nothing to compare
        parts = [*difference.summary(found)]
        for section in difference.sections(found):
            parts += section.parts
        lead = Words("More in failed sessions is where to look, and no cause.", "soft")
        return Section("Failed against succeeded", (lead, *parts))

    def _plans_measured(self, query: Query, found: Totals) -> Section | None:
        if query.where or query.since is not None or query.until is not None:
            return None  # plans are of whole sessions
        if found.sessions > MOST_SESSIONS:
            return None
        from tracelode.pages.planning import headline

        report = self.plan_metrics(whole=False)
        return headline(report) if any(one.nodes for one in report.sessions) else None

    def _repeating(self, query: Query, found: Totals, names: ReportNames) -> Section | None:
        from tracelode.workspace import report_sections as sections

        if found.sessions > MOST_SESSIONS:
            return None
        try:
            return sections.candidates(self.intents(msgspec.structs.replace(query, share=False)), names)
        except MissingExtra:
            return None

    def _examined(self, found: Totals) -> Doctor:
        from tracelode.workspace.doctor import examine

        return examine(self._catalog, self._ask(), found.unpriced)


def _span(found: Totals, share: bool) -> str:
    """The days, and how much of what."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    zone = ZoneInfo(found.tz)
    days = [
        datetime.fromtimestamp(at / 1e6, zone).strftime("%Y-%m-%d") for at in (found.first, found.last) if at
    ]
    words = " to ".join(dict.fromkeys(days)) or "at unknown times"
    where = "" if share or not days else f" ({found.tz})"
    return f"{words}{where}: {number(found.sessions, 'session')}, {number(found.operations, 'operation')}"

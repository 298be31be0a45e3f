"""Which operations should be looked at first, which groups read, and where do sessions go in circles?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tracelode.errors import UsageError
from tracelode.model.measure import parts
from tracelode.model.query import Query
from tracelode.workspace.asking import Asking

if TYPE_CHECKING:
    from tracelode.model.ranking import Guide, Loops, Ranking
    from tracelode.profile.rank.collect import Collector
    from tracelode.store.stream import Stretch

GROUPS = ("stage", "tool")
"""Fields of the groups where no others are asked for: what was done, and with what."""
RAW = ("tool",)
"""Fields of the groups that a ranking is compared with."""
_BYTES = ("bytes.arguments", "bytes.output")


class RankingOperations(Asking):
    """A workspace's rankings; part of Workspace."""

    def rank(
        self,
        session: str | None = None,
        query: Query | None = None,
        *,
        groups: Sequence[str] = GROUPS,
        limit: int = 50,
        direct: str | None = None,
        faults: str | Path | None = None,
    ) -> Ranking:
        """Which operations to look at first.

        Args:
            session: key or unique beginning of one, a root with its sub-agents; None for all.
            query: filters: which operations are ranked. Groups are judged by all sessions that pass them,
                whatever their outcome.
            groups: fields of the groups.
            limit: operations kept, at most.
            direct: COLUMN=FILE.csv with the user's own diagnostic (columns session, operation and COLUMN,
                larger is worse): it orders first, the profile breaks its ties.
            faults: CSV file of known faults (columns session, operation), on which the order and its controls
                are scored.

        Returns:
            The first operations with their reasons and controls. Sessions are read one at a time.

        Raises:
            QueryError: none or several sessions match.
            UnknownField: a field that no operation has.
            SourceError: a file cannot be read or lacks a column.
            UsageError: a limit below 1, no group field, or a direct that is not COLUMN=FILE.csv.

        Source:
            profile rules: ranking and reading.
        """
        return self._ranked(session, query, groups, limit, direct, faults).ranking()

    def guide(
        self,
        session: str | None = None,
        query: Query | None = None,
        *,
        most: int | None = None,
        budget: int | None = None,
        groups: Sequence[str] = GROUPS,
        direct: str | None = None,
        faults: str | Path | None = None,
    ) -> Guide:
        """Which few groups of operations to read.

        Args:
            session: as for rank().
            query: as for rank().
            most: groups opened at most; None for 5.
            budget: tokens opened at most; None for 20,000.
            groups: fields of the groups.
            direct: as for rank().
            faults: as for rank(); then the guide says what a reader of its packets keeps of the full order.

        Returns:
            Packets that never sum to more than the budget.

        Raises:
            UsageError: most or budget below 1; else as rank().
        """
        from tracelode.profile.guide import BUDGET, choose, guide
        from tracelode.profile.guide import GROUPS as MOST
        from tracelode.profile.rank.collect import LIMIT

        most, budget = MOST if most is None else most, BUDGET if budget is None else budget
        choose([], most, budget)  # a bad figure is said before anything is read
        found = self._ranked(session, query, groups, LIMIT, direct, faults)
        return guide(found.ranking(), most, budget, found.known)

    def loops(
        self,
        session: str | None = None,
        query: Query | None = None,
        *,
        measures: Sequence[str] | None = None,
        least: int = 1,
        limit: int = 50,
    ) -> Loops:
        """Where sessions go in circles.

        Args:
            session: as for rank().
            query: filters on the first repetition of a loop.
            measures: what repetitions cost; the first one sorts. None for the default measure, tokens and
                the time of tools.
            least: repetitions that make a loop.
            limit: loops kept, at most.

        Returns:
            The dearest loops, with integers from the stored measures.

        Raises:
            QueryError: none or several sessions match.
            UnknownMeasure: no such measure.
            UsageError: least or limit below 1.
        """
        from tracelode.profile.loops import LoopCollector

        if least < 1 or limit < 1:
            raise UsageError("a loop has at least one repetition, and at least one is shown")
        if measures is None:
            measures = tuple(dict.fromkeys((self.default_measure(), "tokens", "time.tool")))
        stored = tuple(dict.fromkeys(name for measure in measures for name in parts(measure)))
        roots = {s.key: s.root for s in self._catalog.sessions()}
        collector = LoopCollector(measures, least, limit, roots)
        for stretch in self._stretches(session, query, (), stored):
            collector.add(stretch)
        return collector.loops()

    def _ranked(
        self,
        session: str | None,
        query: Query | None,
        groups: Sequence[str],
        limit: int,
        direct: str | None,
        faults: str | Path | None,
    ) -> Collector:
        from tracelode.profile.rank.collect import Collector
        from tracelode.profile.rank.direct import read, split_option
        from tracelode.store.stream import splits

        if limit < 1 or not groups:
            raise UsageError("a ranking keeps at least one operation and has groups of at least one field")

        def key(text: str) -> str:
            return self.session(text).key

        query = query or Query(tz=self.tz)
        told = None
        if direct is not None:
            column, path = split_option(direct)
            told = read(path, column, key)
        known = None if faults is None else read(Path(faults).expanduser(), "", key)
        fields = tuple(groups)
        stretches = self._stretches(session, query, (fields, RAW), _BYTES)
        judged = msgspec.structs.replace(query, stack=fields)
        collector = Collector(
            limit=limit,
            named=splits(self._ask(), judged, fields),
            raw=splits(self._ask(), judged, RAW),
            direct=told,
            faults=known,
            fields=fields,
            roots={s.key: s.root for s in self._catalog.sessions()},
        )
        for stretch in stretches:
            collector.add(stretch)
        return collector

    def _stretches(
        self,
        session: str | None,
        query: Query | None,
        stacks: Sequence[tuple[str, ...]],
        measures: Sequence[str],
    ) -> Iterator[Stretch]:
        from tracelode.store.stream import stretches

        keys = None
        # what lies below a tool call is no step of an agent
        steps = [s for s in self.sessions() if s.role != "effects"]
        if session is not None:
            one = self.session(session)
            keys = [s.key for s in steps if s.key == one.key or one.key == one.root == s.root]
        elif len(steps) < len(self.sessions()):
            keys = [s.key for s in steps]
        return stretches(self._ask(), query or Query(tz=self.tz), stacks, measures, keys)

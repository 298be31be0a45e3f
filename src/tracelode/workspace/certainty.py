"""How sure are the segments that figures rest on? Mixed-up sessions, and shares when cut otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import QueryError
from tracelode.model.query import Query
from tracelode.workspace.comparing import Comparing, bare
from tracelode.workspace.sides import checked_pair, heads, pair_key

if TYPE_CHECKING:
    from tracelode.model.contiguity import Contiguity
    from tracelode.model.difference import Sensitivity, ToldApart

IDLE = 300_000_000
"""Idle limit of a store that was not told another one, microseconds."""
NULLS = 100
"""Deals of outcomes that a share of pairs in order is held against."""
SHIPPED = ("chain", "learned", "changepoint", "phase", "plan")
"""Segmenters that cut every store alike: without training, rules or a model."""


class Certainty(Comparing):
    """How far segments can be trusted; part of Workspace."""

    _settings: dict[str, str]

    def contiguities(self, sessions: Iterable[str] | None = None) -> dict[str, Contiguity]:
        """How far the work of sessions lies in stretches, and what makes their segments doubtful.

        Args:
            sessions: keys, sub-agents apart from their roots; None for all.

        Returns:
            Key to index and marks; sessions without a tool call are absent.
        """
        from tracelode.profile.contiguity import contiguity
        from tracelode.store.runs import stretches

        wanted = None if sessions is None else list(sessions)
        idle = int(self._settings.get("idle", IDLE))
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for row in stretches(self._ask(), idle, wanted):
            rows.setdefault(row[0], []).append(row)
        spans: dict[str, list[tuple[int | None, int | None]]] = {}
        for item in self._catalog.sessions():
            if item.key != item.root:
                spans.setdefault(item.root, []).append((item.started, item.ended))
        return {
            key: contiguity(
                {stage: (n, same) for _, stage, n, same, _, _ in held},
                together=sum(row[4] for row in held),
                resumed=held[0][5],
                spans=spans.get(key, ()),
            )
            for key, held in rows.items()
        }

    def contiguity(self, session: str) -> Contiguity | None:
        """How far the work of one session lies in stretches.

        Args:
            session: key or unique beginning of one.

        Returns:
            Index and marks, None for a session without a tool call.

        Raises:
            QueryError: none or several sessions match.
        """
        key = self.session(session).key
        return self.contiguities([key]).get(key)

    def sensitivity(
        self,
        base: Query | None = None,
        other: Query | None = None,
        *,
        by: str | None = None,
        query: Query | None = None,
        names: tuple[str, str] = ("base", "other"),
        per: str = "session",
        pair: str | tuple[str, ...] | None = None,
        segmenters: tuple[str, ...] | None = None,
    ) -> Sensitivity:
        """How far the shares of stages move when sessions are cut otherwise.

        Args:
            base: as for difference().
            other: as for difference().
            by: as for difference().
            query: measure and filters; stages are compared, whatever its stack is.
            names: as for difference().
            per: as for difference(), but without a default of its own.
            pair: as for difference().
            segmenters: registered names; None for the store's own and those that need neither
                training nor a model.

        Returns:
            Shares of every stage under every segmenter. Sessions are cut in memory, family by family; nothing
            is stored. What an annotator marked is not in it.

        Raises:
            QueryError: nothing to compare.
            UsageError: unknown words.
        """
        from tracelode.ingest.segmenters import make
        from tracelode.profile.pairs import weigh
        from tracelode.profile.sensitivity import Tally
        from tracelode.store.runs import families
        from tracelode.workspace.places import checked_segmenter

        query = query if query is not None else self.query()
        sides, _ = self._sides(base, other, by, query, names)
        runs, _, _ = self._runs(sides, query, checked_pair(pair))
        weights = weigh([r.task for r in runs[0]], [r.task for r in runs[1]], per)
        own = self._catalog.meta("segmenter") or "chain"
        asked = segmenters or (own, *(name for name in SHIPPED if name != own))
        tally = Tally({name: make(checked_segmenter(name), self._catalog.folder) for name in asked})
        seen: set[str] = set()
        certain = self.contiguities()
        for place, (side, held, own_weights) in enumerate(
            zip(sides, runs, (weights.base, weights.other), strict=True)
        ):
            by_root = {run.root: w for run, w in zip(held, own_weights, strict=True) if w}
            for root, threads in families(self._ask(), side.query, query.measures[0], sorted(by_root)):
                for key, (operations, values) in threads.items():
                    weight = by_root[root]
                    both = (weight, 0) if place == 0 else (0, weight)
                    mixed = key in certain and bool(certain[key].marks)
                    tally.add(operations, values, both, doubtful=mixed)
                    seen.add(key)
        return self._sensitivity(tally.cuts(), query, (sides[0].name, sides[1].name), seen)

    def told_apart(
        self,
        query: Query | None = None,
        *,
        by: str = "outcome",
        pair: str | tuple[str, ...] | None = None,
        nulls: int = NULLS,
        seed: int = 0,
    ) -> ToldApart:
        """Does what differs between failed and succeeded sessions hold on tasks it was not learned on?

        Args:
            query: filters; None for the whole store.
            by: outcome or proxy.
            pair: field or fields that sessions of a pair share.
            nulls: times the outcomes of each task are dealt anew.
            seed: of the deals.

        Returns:
            Share of pairs of one task in which the failed session scores higher, by length, failures and
            shares of tools weighed on the other tasks; the same under dealt outcomes.

        Raises:
            QueryError: no task has sessions that failed and sessions that succeeded.
        """
        import random

        from tracelode.model.difference import ToldApart
        from tracelode.profile.pairs_told import Trial, concordance, dealt, features, told_apart

        query = query if query is not None else self.query()
        sides, _ = self._sides(None, None, by, query, ("base", "other"))
        tools = msgspec.structs.replace(query, where=(*query.where, ("kind", "tool")))
        names, errors = self._counted(tools, "tool"), self._counted(tools, "status")
        fields, known = checked_pair(pair), heads(self._catalog.sessions())
        trials = []
        for failed, side in enumerate(sides):
            for root in sorted(side.roots or ()):
                task = pair_key(fields, known.get(root))
                if task is not None and root in names:
                    bad = sum(n for word, n in errors[root].items() if word in ("error", "nonzero"))
                    trials.append(Trial(task, bool(failed), names[root], bad))
        ends: dict[str, set[bool]] = {}
        for trial in trials:
            ends.setdefault(trial.task, set()).add(trial.failed)
        trials = [trial for trial in trials if len(ends[trial.task]) == 2]
        if not trials:
            raise QueryError("no pairs: no task has sessions that failed and sessions that succeeded")
        rows = features(trials)
        found = concordance(told_apart(rows, trials), trials)
        assert found.value is not None
        null = [
            concordance(told_apart(rows, deal), deal).value or 0.0
            for deal in (dealt(trials, random.Random(seed + i)) for i in range(nulls))
        ]
        above = sum(value >= found.value - 1e-12 for value in null)
        return ToldApart(
            value=found.value, pairs=found.pairs, tasks=len(found.by_task),
            null=sum(null) / len(null) if null else None, p=(above + 1) / (len(null) + 1) if null else None,
        )  # fmt: skip

    def _counted(self, query: Query, field: str) -> dict[str, dict[str, int]]:
        """Operations of each session by a field's value."""
        found: dict[str, dict[str, int]] = {}
        for stack, values in (
            self._ask().fold(bare(query, ("session", field), ("operations",))).totals.items()
        ):
            # a shell's frame names its first word too; the tool alone tells more on other tasks
            name = stack[1] if stack[1].startswith("mcp:") else stack[1].partition(":")[0]
            row = found.setdefault(stack[0], {})
            row[name] = row.get(name, 0) + values[0]
        return found

    def _sensitivity(self, cuts: Any, query: Query, names: tuple[str, str], seen: set[str]) -> Sensitivity:
        from tracelode.model.difference import Sensitivity
        from tracelode.signals.lexicon import load

        doubtful: dict[str, int] = {}
        roots = {session.key: session.root for session in self._catalog.sessions()}
        mixed = {
            (mark, roots.get(key, key)) for key, found in self.contiguities(sorted(seen)).items()
            for mark in found.marks
        }  # fmt: skip
        for mark, _ in mixed:
            doubtful[mark] = doubtful.get(mark, 0) + 1
        return Sensitivity(
            measure=query.measures[0], names=names, lexicons=(load().version,), cuts=cuts,
            doubtful=doubtful, sessions=len({roots.get(key, key) for key in seen}),
        )  # fmt: skip

"""What differs between two sets of sessions, and did a change pay? Asked of a store; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from tracelode.errors import UsageError
from tracelode.model.measure import parts
from tracelode.model.numbers import number
from tracelode.model.profile import Profile
from tracelode.model.query import Query
from tracelode.model.unknown import TELLTALE, untold, why
from tracelode.workspace.asking import Asking
from tracelode.workspace.sides import (
    Side,
    by_outcome,
    by_value,
    checked_pair,
    heads,
    judged,
    pair_key,
)

if TYPE_CHECKING:
    from tracelode.model.comparison import Comparison
    from tracelode.model.difference import Difference
    from tracelode.profile.pairs import Run

QUALITIES = ("success", "proxy")
"""What compare can hold."""


class Comparing(Asking):
    """Differences and comparisons of sets of sessions; part of Workspace."""

    def difference(
        self,
        base: Query | None = None,
        other: Query | None = None,
        *,
        by: str | None = None,
        query: Query | None = None,
        names: tuple[str, str] = ("base", "other"),
        per: str | None = None,
        pair: str | tuple[str, ...] | None = None,
        least: tuple[int, int] | None = None,
        headline: int | None = None,
        seed: int = 0,
    ) -> Difference:
        """Other minus base, stack by stack.

        Args:
            base: filters of the base set; or give `by`.
            other: filters of the other set.
            by: outcome (succeeded against failed), proxy, or a field with two values.
            query: stack, measure (the first), frame filters, lane, share; and with `by` the filters that both
                share. None for the default stack and measure.
            names: words for two sets of filters.
            per: task, session or total; None for task where sets are told apart by outcome, share
                tasks enough, or are to be paired, else session.
            pair: field or fields that sessions of a pair share: task, project, intent, agent; None for task
                where it pairs them.
            least: sessions and tasks that a frame needs to be called different; None for 3 and 2.
            headline: rows with an interval; None for 20.
            seed: of the resamples.

        Returns:
            The difference, in exact integers.

        Raises:
            QueryError: nothing to compare; the message says what is missing.
            UsageError: neither two sets nor `by`, or words that are unknown.

        Source:
            docs/decisions/0012-paired-differences.md.
        """
        from tracelode.profile.diff import HEADLINE, LEAST, difference

        query = query if query is not None else self.query()
        sides, proxy = self._sides(base, other, by, query, names)
        fields = checked_pair(pair)
        runs, left, notes = self._runs(sides, query, fields)
        shown = (sides[0].name, sides[1].name)
        if per is None:
            tasks = [{run.task for run in side} - {None} for side in runs]
            paired = by in ("outcome", "proxy") or pair is not None or len(tasks[0] & tasks[1]) >= 2
            per = "task" if paired else "session"
        made = difference(
            runs[0], runs[1], measure=query.measures[0], names=shown, per=per, pair=fields,
            least=least or LEAST, headline=HEADLINE if headline is None else headline, seed=seed,
        )  # fmt: skip
        versions = {version for _, version in self._catalog.families().values()}
        if len(versions) > 1:
            notes.append(
                f"sessions are named by {len(versions)} versions of rules; tracelode import names them alike"
            )
        if proxy:
            notes.insert(
                0, "no session has an outcome: these are told apart by proxies, what was observed last"
            )
        return msgspec.structs.replace(
            made, proxy=proxy, notes=tuple(notes), left_out=(*made.left_out, *left),
            fields=(*query.tagroot, *query.stack, *query.tagleaf),
            comments=(*self.comments(query), *_described(made)),
        )  # fmt: skip

    def _sides(
        self, base: Query | None, other: Query | None, by: str | None, query: Query, names: tuple[str, str]
    ) -> tuple[tuple[Side, Side], bool]:
        if (base is None) != (other is None) or (base is None) == (by is None):
            raise UsageError("a difference takes two sets, or one field that tells them apart")
        if base is not None and other is not None:
            if base == other:
                raise UsageError("both sets are the same; name two different ones")
            return (Side(names[0], base), Side(names[1], other)), False
        if by in ("outcome", "proxy"):
            known = heads(self._catalog.sessions())
            if query.where or query.since is not None or query.until is not None:
                inside = {frames[0] for frames in self._sessions_in(query)}
                known = {root: item for root, item in known.items() if root in inside}
            one, two, proxy = by_outcome(known, query, proxy=by == "proxy")
            return (one, two), proxy
        assert by is not None
        found = self._ask().fold(bare(query, (by,), ("operations",)))
        values = [stack[0] for stack in found.totals if stack[0] != "(none)"]
        one, two = by_value(by, values, query)
        if query.share:
            from tracelode.profile.share import pseudonymiser

            rename = pseudonymiser(query, self._salt())
            one, two = one._replace(name=rename(one.name)), two._replace(name=rename(two.name))
        return (one, two), False

    def _sessions_in(self, query: Query) -> Iterable[tuple[str, ...]]:
        """Keys of the root sessions that filters leave, each as a stack of one frame."""
        stacks: Iterable[tuple[str, ...]] = self._ask().fold(bare(query, ("session",), ("calls",))).totals
        return stacks

    def _runs(
        self, sides: tuple[Side, Side], query: Query, pair: tuple[str, ...]
    ) -> tuple[tuple[list[Run], list[Run]], list[tuple[str, int]], list[str]]:
        """Runs of both sides, what was left out, and notes.

        Raises:
            QueryError: a set without a session, or without one that tells the measure.
        """
        from tracelode.profile.pairs import Run, refuse_empty, refuse_unknown
        from tracelode.profile.view import viewer

        measure = query.measures[0]
        parts(measure)
        view = viewer(query, self._salt())
        known = heads(self._catalog.sessions())
        mute = self._mute(measure)
        found: list[list[Run]] = []
        sizes: list[int] = []
        unpriced = 0
        profile: Profile | None = None
        for side in sides:
            asked = msgspec.structs.replace(
                side.query, stack=query.stack, tagroot=("session", *query.tagroot), tagleaf=query.tagleaf,
                lane=query.lane, measures=tuple(dict.fromkeys((measure, "tokens.unpriced"))), tz=query.tz,
            )  # fmt: skip
            # succeeded and failed sessions are asked for at once
            if profile is None or sides[0].query != sides[1].query:
                profile = self._ask().fold(asked)
            silent = profile.untold.get(measure, frozenset())
            stacks: dict[str, dict[tuple[str, ...], int]] = {}
            told: set[str] = set()
            for stack, values in profile.totals.items():
                root = stack[0]
                if side.roots is not None and root not in side.roots:
                    continue
                row = stacks.setdefault(root, {})
                shown = stack[1:] if view is None else view(stack[1:])
                if stack not in silent and root not in mute:
                    told.add(root)
                if shown is not None:
                    row[shown] = row.get(shown, 0) + values[0]
                    unpriced += values[-1] if root not in mute else 0
            sizes.append(len(stacks))
            found.append([Run(root, pair_key(pair, known.get(root)), stacks[root]) for root in sorted(told)])
        shown_names = sides[0].name, sides[1].name
        refuse_empty((sizes[0], sizes[1]), shown_names)
        unknown = sizes[0] - len(found[0]), sizes[1] - len(found[1])
        refuse_unknown(measure, (len(found[0]), len(found[1])), unknown, shown_names)
        left = [(f"with {measure} unknown ({why(measure)})", sum(unknown))] if any(unknown) else []
        notes = []
        if unpriced and measure == "cost":
            notes.append(f"{number(unpriced, 'token')} of these sessions without a price: not in the cost")
        return (found[0], found[1]), left, notes

    def _mute(self, measure: str) -> frozenset[str]:
        """Keys of the root sessions that do not tell a measure, whatever filters leave of them."""
        whole = self._ask().fold(bare(Query(tz=self.tz), ("session",), TELLTALE))
        return frozenset(
            stack[0]
            for stack, values in whole.totals.items()
            if untold(measure, dict(zip(TELLTALE, values, strict=True)))
        )

    def comparison(
        self,
        base: Query,
        other: Query,
        *,
        measure: str | None = None,
        names: tuple[str, str] = ("base", "other"),
        pair: str | tuple[str, ...] | None = None,
        hold: str | None = None,
        margin: float = 0.05,
        seed: int = 0,
    ) -> Comparison:
        """Hold two sets of runs of the same tasks against each other.

        Args:
            base: filters of the runs before a change.
            other: filters of those after it.
            measure: what is compared; None for the store's default.
            names: words for the two sets.
            pair: field or fields that runs of a pair share; None for task.
            hold: success (or proxy) that must not get worse; None for no gate.
            margin: largest loss of it that is accepted, as a share of runs.
            seed: of sign flips and resamples.

        Returns:
            Effect, interval, p value, and the gate.

        Raises:
            QueryError: fewer than 2 tasks have runs with known values on both sides.
            UsageError: words that are unknown, a margin that is none, sets that share a session.

        Source:
            docs/decisions/0013-quality-gate.md.
        """
        from tracelode.profile.compare.paired import Outcome, compare
        from tracelode.profile.pairs import refuse_empty

        measure = measure or self.default_measure()
        parts(measure)
        if hold is not None and hold not in QUALITIES:
            raise UsageError(f"compare holds {' or '.join(QUALITIES)}, not {hold!r}")
        if base == other:
            raise UsageError("both sets are the same; name two different ones")
        fields, known = checked_pair(pair), heads(self._catalog.sessions())
        rows = [self._values(side, measure) for side in (base, other)]
        both = sum(root in rows[1] for root in rows[0])
        if both:
            raise UsageError(
                f"the sets share {number(both, 'session')}, and a run is either before or after a change; "
                "name sets that share none, as by time, project or task"
            )
        refuse_empty((len(rows[0]), len(rows[1])), names)
        inside = [known[root] for root in {*rows[0], *rows[1]} if root in known]
        ends, seems = judged(inside, proxy=hold == "proxy")
        sides = [
            [
                Outcome(root, pair_key(fields, known.get(root)), row[root], ends.get(root))
                for root in sorted(row)
            ]
            for row in rows
        ]
        found = compare(
            sides[0], sides[1], measure=measure, names=names, pair=fields, margin=margin, seed=seed,
            hold=None if hold is None else "proxy" if seems else hold,
        )  # fmt: skip
        notes = []
        if hold == "success" and seems:
            notes.append("no run has an outcome: the gate goes by proxies, what was observed last")
        return msgspec.structs.replace(found, notes=tuple(notes))

    def _values(self, side: Query, measure: str) -> dict[str, int | None]:
        """Root key to the measure, None where it or the price of a call is unknown."""
        measures = tuple(dict.fromkeys((measure, "tokens.unpriced")))
        profile, mute = self._ask().fold(bare(side, ("session",), measures)), self._mute(measure)
        priced = measure in ("cost", "cost.fees")
        found: dict[str, int | None] = {}
        for stack in profile.totals:
            told = profile.told(stack)
            found[stack[0]] = None if stack[0] in mute or (priced and told[-1]) else told[0]
        return found

    # writing ------------------------------------------------------------------------------------

    def export_difference(
        self, difference: Difference, target: str | Path | IO[bytes], format: str | None = None
    ) -> None:
        """Write a difference to a file, the format chosen by its suffix.

        Args:
            difference: what to write.
            target: a path (written whole or not at all) or an open binary stream.
            format: name of a format, None to go by the suffix.

        Raises:
            UsageError: no format of that name or suffix.
            ExportError: the format cannot hold it, or the file cannot be written.
        """
        from tracelode.workspace.signed import write_difference

        write_difference(difference, target, format)


def bare(query: Query, stack: tuple[str, ...], measures: tuple[str, ...]) -> Query:
    """A query's filters on another stack."""
    return msgspec.structs.replace(
        query, stack=stack, measures=measures, tagroot=(), tagleaf=(), lane="separate", detail=False
    )


def _described(made: Difference) -> tuple[str, ...]:
    """What a file says of how it was made."""
    base, other = made.names
    scaled = {
        "task": f"scaled to {number(made.weight, 'task')}",
        "session": f"scaled to {number(made.weight, 'session')} each",
    }
    return (
        f"{other} minus {base}, per {made.per}",
        *((scaled[made.per],) if made.per in scaled else ()),
        f"{made.sessions[0]:,} and {number(made.sessions[1], 'session')}, {number(made.tasks, 'task')}, "
        f"{number(made.pairs, 'pair')}",
    )

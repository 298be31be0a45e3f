"""Which operations of many sessions come first? Sessions are added one by one, the first ones kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from tracelode.model.finding import Finding
from tracelode.model.operation import Operation
from tracelode.model.ranking import Direct, Ranked, Ranking, Scored, Spectrum
from tracelode.model.report import Skipped
from tracelode.profile.rank.controls import (
    CONTROLS,
    judged,
    lexicographic,
    ordinal,
    places,
    reading_tokens,
    store_controls,
)
from tracelode.profile.rank.direct import Told
from tracelode.profile.rank.session import Scores, scored
from tracelode.profile.rank.spectrum import spectrum

LIMIT = 2_000
"""Ranked operations kept at most."""
HEAD = 10
"""First operations that our order and a control are compared on."""
OURS = "rank"
KIND = "ranked-operation"

Group = tuple[str, ...]
Splits = Mapping[Group, tuple[int, int]]
"""Group to its (failed, succeeded) sessions; under (), all of them."""


class Given(Protocol):
    """One session with what is asked of it."""

    @property
    def session(self) -> str:
        """Its key."""

    @property
    def operations(self) -> Sequence[Operation]:
        """Its n own operations in order."""

    @property
    def groups(self) -> Sequence[Sequence[Group]]:
        """For each its group and its raw group."""

    @property
    def chosen(self) -> Sequence[bool]:
        """For each whether it is ranked."""


class Known(NamedTuple):
    """The order of one session with known faults."""

    session: str
    """Its key."""
    indexes: list[int]
    """Indexes of its n ranked operations."""
    scores: list[float]
    """n scores."""
    faults: set[int]
    """Places among the n."""


class _Best:
    """The first so many of what is added, whatever the order it comes in."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: list[tuple[Any, ...]] = []
        self._last: tuple[Any, ...] | None = None

    def wants(self, key: tuple[Any, ...]) -> bool:
        return self._last is None or key < self._last

    def add(self, key: tuple[Any, ...]) -> None:
        self._held.append(key)
        if len(self._held) > 2 * self._limit + 64:
            self._cut()

    def _cut(self) -> None:
        self._held.sort()
        del self._held[self._limit :]
        if len(self._held) == self._limit:
            self._last = self._held[-1]

    def found(self) -> list[tuple[Any, ...]]:
        self._cut()
        return self._held


class Collector:
    """Ranks the operations of the sessions that are added.

    Args:
        limit: operations kept.
        named: splits of the sessions by group.
        raw: splits by tool alone.
        direct: the user's own diagnostic, None for none.
        faults: known faults, None for none.
        fields: fields of the groups.
        roots: session key to the key of its root; what is not in it is a root itself.
    """

    def __init__(
        self,
        *,
        limit: int = LIMIT,
        named: Splits | None = None,
        raw: Splits | None = None,
        direct: Told | None = None,
        faults: Told | None = None,
        fields: tuple[str, ...] = (),
        roots: Mapping[str, str] | None = None,
    ) -> None:
        self._named, self._raw = named or {}, raw or {}
        self._direct, self._faults, self._fields = direct, faults, fields
        self._limit = limit
        self._best = _Best(max(limit, HEAD))
        self._controls = {name: _Best(HEAD) for name in CONTROLS}
        self._shapes: Counter[str] = Counter()
        self._operations = self._tokens = self._used = 0
        self._roots, self._below, self._families = dict(roots or {}), 0, set[str]()
        self._values: set[float] = set()
        self._orders: dict[str, list[tuple[list[float], set[int]]]] = {}
        self._matched_faults = 0
        self._cache: dict[Group, Spectrum | None] = {}
        self.known: list[Known] = []
        """Orders of the sessions with known faults, the direct score first."""

    def add(self, given: Given) -> None:
        """Rank one session's operations among all.

        Args:
            given: the session; nothing of it is kept but its first operations' facts.
        """
        groups = [pair[0] for pair in given.groups]
        spectra = [self._split(group) for group in groups]
        found = scored(given.operations, spectra)
        mine = [i for i in found.candidates if given.chosen[i]]
        if not mine:
            return
        root = self._roots.get(given.session, given.session)
        self._families.add(root)
        self._below += root != given.session
        self._operations += len(mine)
        self._shapes[found.shape] += 1
        direct = self._told(given, mine)
        raw = [_ochiai(self._raw, pair[1]) for pair in given.groups]
        controls = store_controls(given.operations, raw)
        self._keep_controls(given, mine, controls)
        ranks = {name: places([scores[i] for i in mine]) for name, scores in controls.items()}
        for at, i in enumerate(mine):
            operation = given.operations[i]
            tokens = reading_tokens(operation)
            self._tokens += tokens
            told = direct.get(i)
            key = (told is None, -(told or 0.0), -found.scores[i], given.session, operation.index)
            if self._best.wants(key):
                beside = {name: rank[at] for name, rank in ranks.items()}
                kept = msgspec.structs.replace(operation, arguments="", output="")
                facts = (kept, root, groups[i], spectra[i], found.reasons[i], beside, len(mine), tokens)
                self._best.add((*key, facts))
        if self._faults is not None:
            self._judge(given, mine, found, direct, controls)

    def _split(self, group: Group) -> Spectrum | None:
        if group not in self._cache:
            failed, passed = self._named.get((), (0, 0))
            own = self._named.get(group, (0, 0))
            self._cache[group] = spectrum(*own, failed, passed) if failed and passed else None
        return self._cache[group]

    def _told(self, given: Given, mine: Sequence[int]) -> dict[int, float]:
        if self._direct is None:
            return {}
        found: dict[int, float] = {}
        for i in mine:
            o = given.operations[i]
            score = self._direct.of(given.session, o.index, o.id)
            if score is not None:
                found[i] = score
        self._used += len(found)
        for score in found.values():
            if len(self._values) < 2:
                self._values.add(score)
        return found

    def _keep_controls(
        self, given: Given, mine: Sequence[int], controls: Mapping[str, Sequence[float]]
    ) -> None:
        for name, scores in controls.items():
            best = self._controls[name]
            n = len(given.operations)
            for i in mine:
                # places from the end: sessions of other lengths stay comparable
                score = scores[i] - n if name == CONTROLS[0] else scores[i]
                key = (-score, given.session, given.operations[i].index)
                if best.wants(key):
                    best.add(key)

    def _judge(
        self,
        given: Given,
        mine: list[int],
        found: Scores,
        direct: Mapping[int, float],
        controls: Mapping[str, Sequence[float]],
    ) -> None:
        faults = {at for at, i in enumerate(mine) if self._is_fault(given, i)}
        if not faults:
            return
        self._matched_faults += len(faults)
        scores = [found.scores[i] for i in mine]
        told = {at: direct[i] for at, i in enumerate(mine) if i in direct}
        ours = ordinal(lexicographic(told, scores)) if told else scores
        self.known.append(Known(given.session, [given.operations[i].index for i in mine], ours, faults))
        orders = {OURS: ours, **{name: [row[i] for i in mine] for name, row in controls.items()}}
        orders["random"] = [0.0] * len(mine)
        if told:
            orders["direct alone"] = ordinal(lexicographic(told, [0.0] * len(mine)))
            orders["without direct"] = scores
        for name, order in orders.items():
            self._orders.setdefault(name, []).append((order, faults))

    def _is_fault(self, given: Given, i: int) -> bool:
        o = given.operations[i]
        return self._faults is not None and self._faults.of(given.session, o.index, o.id) is not None

    def ranking(self) -> Ranking:
        """The order of everything that was added.

        Returns:
            Its first operations; the same whatever order the sessions were added in.
        """
        rows = self._best.found()
        ranked = tuple(_ranked(row) for row in rows[: self._limit])
        failed, passed = self._named.get((), (0, 0))
        head = {(row[3], row[4]) for row in rows[:HEAD]}
        return Ranking(
            ranked=ranked,
            operations=self._operations,
            sessions=len(self._families),
            subagents=self._below,
            tokens=self._tokens,
            groups=self._fields,
            failed=failed,
            passed=passed,
            shapes=dict(sorted(self._shapes.items())),
            alike={name: self._overlap(name, best, head) for name, best in self._controls.items()},
            direct=self._direct_report(),
            faults={name: score for name, score in self._scored().items() if score is not None},
            fault_sessions=len(self.known),
            fault_rows=tuple(self._fault_rows()),
        )

    def _overlap(self, name: str, best: _Best, head: set[tuple[Any, ...]]) -> float | None:
        failed, passed = self._raw.get((), (0, 0))
        if not head or (name == CONTROLS[-1] and not (failed and passed)):
            return None
        own = {key[1:] for key in best.found()}
        return len(head & own) / len(head)

    def _scored(self) -> dict[str, Scored | None]:
        return {name: judged(rows) for name, rows in self._orders.items()}

    def _direct_report(self) -> Direct | None:
        if self._direct is None:
            return None
        given = len(self._direct.by_id) + sum(map(len, self._direct.by_index.values()))
        return Direct(
            column=self._direct.column,
            used=self._used,
            without=self._operations - self._used,
            unmatched=max(0, given - self._used),
            constant=self._used > 1 and len(self._values) == 1,
            skipped=tuple(self._direct.skipped),
        )

    def _fault_rows(self) -> list[Skipped]:
        if self._faults is None:
            return []
        given = len(self._faults.by_id) + sum(map(len, self._faults.by_index.values()))
        lost = max(0, given - self._matched_faults)
        gone = [Skipped("faults", 0, "fault of an operation that was not ranked", lost)] if lost else []
        return [*self._faults.skipped, *gone]


def _ochiai(splits: Splits, group: Group) -> float:
    failed, passed = splits.get((), (0, 0))
    own = splits.get(group, (0, 0))
    return spectrum(*own, failed, passed).ochiai or 0.0 if failed and passed else 0.0


def _ranked(row: tuple[Any, ...]) -> Ranked:
    lacking, told, score, session, index, facts = row
    operation, root, group, split, reasons, controls, of, tokens = facts
    stage = operation.fields.get("stage", "") or "operation"
    finding = Finding(
        what=f"{stage}: {reasons[0]}" if reasons else stage,
        where=(f"{session}#{index}",),
        score=-score,
        why="; ".join(reasons) or "nothing stands out",
        kind=KIND,
    )
    return Ranked(
        finding=finding,
        session=session,
        root=root,
        index=index,
        id=operation.id,
        name=operation.fields.get("frame") or operation.name,
        path=operation.origin.path,
        line=operation.origin.line,
        group=group,
        direct=None if lacking else -told,
        score=-score,
        spectrum=split,
        reasons=reasons,
        controls=controls,
        of=of,
        tokens=tokens,
    )

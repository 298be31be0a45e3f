"""How are verdicts told? Evidence tuples, one for each argument leaf of a run, and the edges they make."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tracelode.compile import transforms
from tracelode.compile.evidence.crossed import Crossed, Fare
from tracelode.compile.evidence.judged import Verdict
from tracelode.compile.evidence.permuted import permuted
from tracelode.compile.work import Options, Source, Traced, Work
from tracelode.model.binding import Transform
from tracelode.model.evidence import CrossRun, Edge, Evidence, Excluded, Producer, Value
from tracelode.model.run import Tree

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def tuples(work: Work, found: Crossed, judged: Mapping[tuple[int, int], Verdict]) -> tuple[Evidence, ...]:
    """The evidence tuples of an intent.

    Args:
        work: after trace.
        found: counts over the runs.
        judged: verdict of every leaf.

    Returns:
        By run, call and argument.
    """
    telling = _Telling(work, found)
    return tuple(
        telling.one(run, traced, judged[run, place])
        for run, leaves in enumerate(work.traced)
        for place, traced in enumerate(leaves)
    )


class _Telling:
    def __init__(self, work: Work, found: Crossed) -> None:
        self.work, self.found = work, found
        self.crossed: dict[tuple[object, ...], CrossRun] = {}

    def one(self, run: int, traced: Traced, verdict: Verdict) -> Evidence:
        call = self.work.runs[run].calls[traced.call]
        source = verdict.source
        return Evidence(
            workflow="",
            intent=self.work.intent.id,
            run=self.work.runs[run].key,
            call=traced.call,
            slot=self.found.slots[run][traced.call],
            tool=call.name,
            arg=traced.path,
            value=_value(traced, self.work.options),
            producer=self._producer(run, source) if source is not None else None,
            level=source.level if source is not None else None,
            transform=_shown(source) if source is not None else None,
            alternatives=tuple(self._producer(run, other) for other in verdict.alternatives),
            excluded=_excluded(traced, verdict, len(self.work.runs)),
            cross_run=self._cross_run(verdict),
            verdict=verdict.kind,
            basis=verdict.basis,
            reasons=verdict.reasons,
            file=call.origin.path if call.origin is not None else "",
            line=call.origin.line if call.origin is not None else 0,
        )

    def _producer(self, run: int, source: Source) -> Producer:
        return Producer(
            call=source.call,
            slot=self.found.slots[run][source.call],
            path=source.path,
            gpath=source.gpath,
            span=source.span,
        )

    def _cross_run(self, verdict: Verdict) -> CrossRun | None:
        if verdict.numbers is None:
            return None
        candidate, one, group = verdict.numbers
        at = (group.slot, group.path, candidate.rule)
        if at not in self.crossed:
            free = [
                n
                for n in sorted(candidate.has)
                if self.work.traced[group.places[n][0]][group.places[n][1]].prompt is None
            ]
            p = permuted(group, candidate, free) if verdict.basis == "cross_run" else None
            self.crossed[at] = _told(one, p)
        return self.crossed[at]


def _told(one: Fare, p: float | None) -> CrossRun:
    return CrossRun(
        runs=one.runs,
        support=round(one.support, 4),
        shuffled=round(one.shuffled, 4),
        lift=round(one.lift, 4),
        distinct=one.distinct,
        p=None if p is None else round(p, 4),
    )


def digest(value: Tree, key: bytes) -> str:
    """The keyed digest of a value.

    Args:
        value: leaf.
        key: of the store, at most 64 bytes.

    Returns:
        16 hex digits; equal for values that are canonically equal.
    """
    shown = repr((transforms.canonical(value) or ((type(value).__name__, transforms.text(value)),))[-1])
    return hashlib.blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64]).hexdigest()


def _value(traced: Traced, options: Options) -> Value:
    text = transforms.text(traced.value)
    return Value(
        sha=digest(traced.value, options.key),
        type=_TYPES.get(type(traced.value), "string"),
        length=len(text),
        bits=traced.bits,
        text=text if options.keep_values else None,
    )


def _shown(source: Source) -> str | None:
    """The change of form in words; texts around a value are the trace's own, so they are only counted."""
    chain: Sequence[Transform] = source.transforms
    parts = [f"{t.name} {t.with_}".strip() for t in chain]
    if source.also is not None:
        parts.append(f"call {source.also.call} at {source.also.path} as second operand")
    if source.prefix or source.suffix:
        parts.append(f"{len(source.prefix)} fixed characters before it and {len(source.suffix)} after")
    return ", then ".join(parts) or None


def _excluded(traced: Traced, verdict: Verdict, runs: int) -> tuple[Excluded, ...]:
    calls = {source.call for source in traced.sources}
    found = [
        Excluded("prompt", "absent" if traced.prompt is None else "told"),
        Excluded("system", "told" if traced.system else "absent"),
        Excluded("constant", f"{verdict.constant} distinct values in {runs} runs")
        if verdict.constant
        else Excluded("constant", "single run"),
        Excluded("schema_enum", "listed" if traced.enum else "none"),
        Excluded("schema_default", "the same" if traced.default else "none"),
    ]
    found += [Excluded("echo", f"call {call} repeats it, seen through") for call in traced.echoes]
    found.append(Excluded("other_producer", f"{max(0, len(calls) - 1)} classes"))
    if traced.earlier >= 0:
        found.append(Excluded("earlier_argument", f"call {traced.earlier} passed the same"))
    return tuple(found)


def edges(
    work: Work, found: Crossed, judged: Mapping[tuple[int, int], Verdict], runs: frozenset[int]
) -> tuple[Edge, ...]:
    """The data edges that verdicts make.

    Args:
        work: after trace.
        found: counts over the runs.
        judged: verdicts of the leaves of these runs.
        runs: places of the runs that count.

    Returns:
        By consumer, argument, producer and path; suspected ones only where no hard one leads from the same
        producer to the same argument.
    """
    rank = _ranks(found.slots, runs)
    drafts: dict[tuple[str, str, str, str], _Draft] = {}
    for (run, place), verdict in sorted(judged.items()):
        traced, slots = work.traced[run][place], found.slots[run]
        after = slots[traced.call]
        if verdict.kind == "none" or verdict.source is None or not after:
            continue
        hard = verdict.kind == "hard"
        named = (verdict.source, *verdict.alternatives) if verdict.basis == "cross_run" else (verdict.source,)
        for at in (operand for source in named for operand in (source, source.also) if operand is not None):
            before = slots[at.call]
            if before and before != after:
                draft = drafts.setdefault((after, traced.gpath, before, at.gpath), _Draft())
                draft.add(run, verdict, hard)
    hard_pairs = {(a, arg, b) for (a, arg, b, _), draft in drafts.items() if draft.hard}
    kept = sorted(
        (key for key, draft in drafts.items() if draft.hard or key[:3] not in hard_pairs),
        key=lambda key: (rank[key[0]], key[1], rank[key[2]], key[3]),
    )
    both = _both(found.slots, runs, {(key[2], key[0]) for key in kept})
    return tuple(_edge(n, key, drafts[key], both[key[2], key[0]]) for n, key in enumerate(kept, 1))


class _Draft:
    """An edge in the making."""

    def __init__(self) -> None:
        self.runs: set[int] = set()
        self.hard: set[int] = set()
        self.bases: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.numbers: Fare | None = None

    def add(self, run: int, verdict: Verdict, hard: bool) -> None:
        self.runs.add(run)
        if hard:
            self.hard.add(run)
            self.bases[verdict.basis] += 1
        self.reasons.update(verdict.reasons[:1])
        if verdict.numbers is not None and (self.numbers is None or verdict.basis == "cross_run"):
            self.numbers = verdict.numbers[1]


def _edge(number: int, key: tuple[str, str, str, str], draft: _Draft, both: int) -> Edge:
    after, arg, before, gpath = key
    numbers: dict[str, object] = {}
    if draft.numbers is not None:
        one = draft.numbers
        numbers = {"support": round(one.support, 4), "lift": round(one.lift, 4), "distinct": one.distinct}
    basis = "cross_run" if draft.bases.get("cross_run") else "single_run"
    return Edge(
        id=f"e{number}",
        before=before,
        after=after,
        kind="data_hard" if draft.hard else "data_suspected",
        arg=arg,
        gpath=gpath,
        reason="" if draft.hard else _most(draft.reasons),
        basis=basis,
        support=len(draft.hard or draft.runs),
        runs=both,
        numbers=numbers,
    )


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda reason: (-counts[reason], reason)) if counts else ""


def _ranks(slots: Sequence[Sequence[str]], runs: Iterable[int]) -> dict[str, tuple[float, str]]:
    """Slots in the order in which they come on average."""
    seen: dict[str, list[int]] = {}
    for run in sorted(runs):
        for place, slot in enumerate(slots[run]):
            if slot:
                seen.setdefault(slot, []).append(place)
    return {slot: (sum(places) / len(places), slot) for slot, places in seen.items()}


def _both(
    slots: Sequence[Sequence[str]], runs: Iterable[int], pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    held = [frozenset(slots[run]) for run in sorted(runs)]
    return {(a, b): sum(a in names and b in names for names in held) for a, b in pairs}

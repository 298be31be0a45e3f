"""Which looks did a run not need? Detours that other runs do without, and habits that nobody reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tracelode.compile.telling import Told, informative
from tracelode.compile.work import Label
from tracelode.signals.lexicon import load
from tracelode.signals.tools import is_shell

SHARE = 0.5
"""Share of runs below which a call is no step of the intent."""
FEWEST = 2
"""Runs that must be there to compare with."""
ROUNDS = 5
"""Most times that everything is judged again: what only a detour used is a detour."""
KEPT = frozenset({"essential", "poll", "fan_out"})
"""Classes whose arguments count as a use."""


def explorations(
    told: Sequence[Told], labels: Sequence[list[Label]], reads: Sequence[Sequence[bool]]
) -> None:
    """Label looks whose output nothing used and that fewer than half of the runs have.

    Args:
        told: per run, what its calls tell.
        labels: per run and call; essential ones may become exploratory.
        reads: per run and call, whether it only looks.

    Source:
        compiler rules, S3. The tool alone does not tell a detour with a tool that the task needs as well:
        so the n-th call of a tool counts as a step of its own, and of the calls of one tool those are its
        detours whose arguments neither the request nor an earlier output tells, and whose output nothing
        uses.
    """
    if len(told) < FEWEST:
        return
    usual = _usual(told, labels)
    for _ in range(ROUNDS):
        counts = [_counts(one, mine) for one, mine in zip(told, labels, strict=True)]
        found = [
            (run, call)
            for run, (one, mine) in enumerate(zip(told, labels, strict=True))
            for call in _excess(one, mine, reads[run], counts, run, usual)
        ]
        for run, call in found:
            labels[run][call] = Label("exploratory", -1, "looked at, not used, and few runs do it")
        if not found:
            return


def _usual(told: Sequence[Told], labels: Sequence[list[Label]]) -> set[tuple[str, str, str]]:
    """(tool, path, value) that half of the runs pass: no request must tell them."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for one, mine in zip(told, labels, strict=True):
        seen.update(
            {
                (one.run.calls[n].name, path, text)
                for n, found in enumerate(one.arguments)
                if mine[n].kind in KEPT
                for path, text in found
            }
        )
    return {key for key, count in seen.items() if count >= max(2, SHARE * len(told))}


def _counts(told: Told, labels: Sequence[Label]) -> Counter[tuple[str, str]]:
    """How many steps of each tool a run has; a wait and a for-each are one."""
    return Counter(
        (call.server, call.name)
        for call, label in zip(told.run.calls, labels, strict=True)
        if label.kind in KEPT and not (label.kind in ("poll", "fan_out") and label.of >= 0)
    )


def _excess(
    told: Told,
    labels: Sequence[Label],
    reads: Sequence[bool],
    counts: Sequence[Counter[tuple[str, str]]],
    run: int,
    usual: set[tuple[str, str, str]],
) -> Iterable[int]:
    kept = [n for n, label in enumerate(labels) if label.kind in KEPT]
    loose = [n for n in kept if reads[n] and labels[n].kind == "essential"]
    if not loose:
        return
    needed = _needed(told, kept, usual)
    spoken = _spoken(told, kept, loose)
    for tool in sorted({(told.run.calls[n].server, told.run.calls[n].name) for n in loose}):
        own = counts[run][tool]
        others = [count[tool] for place, count in enumerate(counts) if place != run]
        # the n-th call is a step where half of the runs have as many, this one counted in
        steps = max((k for k in range(1, own + 1) if _share(others, k) >= SHARE), default=0)
        if own <= steps:
            continue
        mine = [n for n in loose if (told.run.calls[n].server, told.run.calls[n].name) == tool]
        mine.sort(key=lambda n: (_grounded(told, n, kept, usual), -n))
        # a spared one is not replaced by one with better grounds
        yield from (n for n in mine[: own - steps] if n not in needed and n not in spoken)


def _share(others: Sequence[int], least: int) -> float:
    return (1 + sum(count >= least for count in others)) / (1 + len(others))


def _needed(told: Told, kept: Sequence[int], usual: set[tuple[str, str, str]]) -> set[int]:
    """Calls that alone tell a value which a later call was given."""
    found = set()
    for call in kept:
        name = told.run.calls[call].name
        for path, text in told.arguments[call]:
            if not informative(text) or (name, path, text) in usual or told.asked(call, text):
                continue
            tellers = told.tellers(call, text, kept)
            if len(tellers) == 1:
                found.add(tellers[0])
    return found


def _spoken(told: Told, kept: Sequence[int], loose: Sequence[int]) -> set[int]:
    """Calls that alone tell something which the agent said after them."""
    found = set()
    for turn in told.run.turns:
        if turn.role != "assistant" or not turn.before:
            continue
        words = {word.strip(".,;:!?()[]*\"'") for word in turn.text.split()}
        for word in sorted(w for w in words if informative(w) and any(c.isdigit() for c in w)):
            if not told.asked(min(turn.before, len(told.run.calls)) - 1, word):
                tellers = told.tellers(turn.before, word, kept)
                if len(tellers) == 1 and tellers[0] in loose:
                    found.add(tellers[0])
    return found


def _grounded(told: Told, call: int, kept: Sequence[int], usual: set[tuple[str, str, str]]) -> float:
    """Share of a call's telling arguments that the request, an earlier output or most runs tell."""
    name = told.run.calls[call].name
    values = [(path, text) for path, text in told.arguments[call] if len(text) > 2]
    known = sum(
        (name, path, text) in usual or told.asked(call, text) or bool(told.tellers(call, text, kept))
        for path, text in values
    )
    return known / len(values) if values else 1.0


def dead(told: Sequence[Told], labels: Sequence[list[Label]], reads: Sequence[Sequence[bool]]) -> None:
    """Label looks that most runs have although neither an argument nor the last answer uses what they tell.

    Args:
        told: per run, what its calls tell.
        labels: per run and call; essential ones may become dead_output.
        reads: per run and call, whether it only looks.

    Source:
        compiler rules, S3. Only where an answer was recorded can it be known that nobody read an output. What
        a shell or an agent's own tool shows is read by the agent itself, whatever it says later.
    """
    if len(told) < FEWEST:
        return
    own = load().tools
    frequent = Counter(name for one in told for name in {call.name for call in one.run.calls})
    for run, (one, mine) in enumerate(zip(told, labels, strict=True)):
        said = [t.text for t in one.run.turns if t.role == "assistant" and t.before == len(one.run.calls)]
        if not said:
            continue
        kept = [n for n, label in enumerate(mine) if label.kind in KEPT]
        for n in kept:
            name = one.run.calls[n].name
            habit = frequent[name] >= SHARE * len(told) and name.lower() not in own and not is_shell(name)
            if not (reads[run][n] and mine[n].kind == "essential" and habit):
                continue
            passed = any(
                one.tells(n, text)
                for later in kept
                if later > n
                for _, text in one.arguments[later]
                if len(text) > 1
            )
            if not passed and not _answers(one, n, " ".join(said)):
                mine[n] = Label("dead_output", -1, "nothing used what it told")


def _answers(told: Told, call: int, said: str) -> bool:
    words = {word.strip(".,;:!?()[]*\"'") for word in said.split()}
    return any(
        told.tells(call, word) for word in sorted(words) if len(word) > 1 and word.lower() not in _SMALL
    )


_SMALL = frozenset(
    ("the", "and", "you", "your", "for", "are", "was", "has", "have", "had", "with", "that", "this", "from",
     "not", "can", "will", "all", "any", "but", "is", "it", "in", "on", "of", "to", "an", "or", "as", "at",
     "be", "by", "if", "so", "do", "we", "he", "me", "my", "no", "our", "out", "up", "us", "its", "done")
)  # fmt: skip
"""Words that any answer has."""

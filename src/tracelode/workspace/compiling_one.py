"""How is one intent compiled: its contents read, the passes done, its figures made, its files written?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.compile.work import Declared, Options, State, Work
from tracelode.model.compiled import Compiled, Metric, Reading
from tracelode.model.intent import Intent
from tracelode.model.run import Run
from tracelode.model.verification import Verification
from tracelode.model.workflow import Refusal, Refused, Verdict, Workflow

if TYPE_CHECKING:
    from tracelode.model.evidence import Evidence

NO_RUNS = Refusal(
    code="R3",
    message="none of the runs may be learned from",
    lifts="successful runs",
)


def compiled(
    intent: Intent,
    runs: Sequence[Run],
    others: Sequence[Run],
    options: Options,
    declared: Declared,
    reading: Reading,
    emit: Sequence[str] = (),
    documents: Mapping[str, Any] | None = None,
) -> Compiled:
    """Compile one intent.

    Args:
        intent: which.
        runs: its runs, whole.
        others: runs of elsewhere that show what tools change.
        options: settings.
        declared: priors.
        reading: what was read for it.
        emit: names of artefacts.
        documents: path to the OpenAPI document that was declared.

    Returns:
        Verdict, proof and figures.
    """
    from tracelode.compile.left import left_out

    work = worked(intent, runs, others, options, declared)
    tried = broken = 0
    if isinstance(work.verdict, Workflow) and work.ruled is not None:
        from tracelode.compile.verify.reorder import reordered

        tried, broken = reordered(work.verdict, work.ruled[0])
    verdict = work.verdict or Refused(intent=intent.id, refusals=(NO_RUNS,), runs=0)
    verification = work.verification or Verification()
    found = Compiled(
        intent=intent,
        verdict=verdict,
        verification=verification,
        edges=verdict.edges if isinstance(verdict, Workflow) else work.edges,
        evidence=_named(work.evidence, verdict),
        sessions=tuple(run.key for run in work.runs),
        failed=len(work.failed),
        aside=work.aside,
        forks=work.forks,
        copies=work.copies,
        calls=sum(len(run.calls) for run in work.runs),
        dropped=_dropped(work),
        left=left_out(work),
        bound=_bound(verdict, verification),
        removable=(verification.saved or {}).get("tool_calls", 0),
        measures=_measures(work.runs),
        orders=tried,
        broken=broken,
        reading=reading,
    )
    found = msgspec.structs.replace(found, metrics=metrics(found))
    if emit:
        from tracelode.workspace.compiling_files import artefacts

        files, unmade = artefacts(work, emit, documents or {})
        found = msgspec.structs.replace(found, files=files, unmade=unmade)
    return found


def worked(
    intent: Intent, runs: Sequence[Run], others: Sequence[Run], options: Options, declared: Declared
) -> Work:
    """One intent through all passes but the first, with the time they took.

    Args:
        intent: which.
        runs: its runs, whole.
        others: runs of elsewhere.
        options: settings.
        declared: priors.
    """
    from tracelode.compile.passes import PASSES, run

    begun = time.perf_counter_ns()
    work = Work(intent=intent, runs=tuple(runs), others=tuple(others), options=options, declared=declared)
    (work,) = run(State(runs=(), options=options, declared=declared, works=(work,)), PASSES[1:]).works
    spent = (time.perf_counter_ns() - begun) // 1_000
    if isinstance(work.verification, Verification):
        work = replace(work, verification=msgspec.structs.replace(work.verification, spent_us=spent))
    return work


def _named(evidence: Sequence[Evidence], verdict: Any) -> tuple[Evidence, ...]:
    """Evidence with the id of the workflow it proves."""
    name = verdict.id if isinstance(verdict, Workflow) else ""
    return tuple(msgspec.structs.replace(one, workflow=name) for one in evidence)


def _dropped(work: Work) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for place, labels in enumerate(work.labels):
        slots = work.alignment.of[place] if work.alignment is not None else ()
        counts.update(label.kind for n, label in enumerate(labels) if n < len(slots) and not slots[n])
    counts.pop("essential", None)
    return dict(sorted(counts.items()))


def _bound(verdict: Verdict, verification: Verification) -> int:
    from tracelode.compile.verify.saved import bound_calls

    return len(bound_calls(verdict, verification.folds))


def _measures(runs: Sequence[Run]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for run in runs:
        for call in run.calls:
            total.update(call.measures)
    return dict(sorted(total.items()))


def metrics(one: Compiled) -> dict[str, Metric]:
    """The figures of a compiled intent, each with what it is made of.

    Args:
        one: without its metrics.

    Returns:
        Name to figure; what is not known says why.

    Source:
        compiler specification, section 7.
    """
    checked, n = one.verification, len(one.verification.folds)
    why = None if n else "no run could be left out"
    whole = [fold for fold in checked.folds if fold.whole]
    right = sum(fold.right == len(fold.calls) for fold in whole)
    found = {
        "calls_bound": _share(checked.bound, checked.calls, n, why),
        "replay_exact": _share(checked.right, checked.bound, n, why or "no call was bound"),
        "runs_bound": _share(len(whole), n, n, why),
        "runs_exact": _share(right, len(whole), n, why or "no run was bound as a whole"),
        "wrong_writes": Metric(value=checked.wrong_writes if n else None, unit="writes", n=n, reason=why),
        "orders_broken": _share(one.broken, one.orders, n, "the edges allow no other order"),
    }
    return {**found, **_spared(one)}


def _share(part: int, whole: int, n: int, why: str | None) -> Metric:
    if not whole:
        return Metric(value=None, numerator=part, denominator=whole, n=n, reason=why)
    return Metric(value=part / whole, numerator=part, denominator=whole, n=n)


def _spared(one: Compiled) -> dict[str, Metric]:
    """What the runs would have spared: calls that need no model, and what asking for them cost."""
    saved, n = one.verification.saved, len(one.sessions)
    refused = None if one.workflow is not None else "refused"
    found = {"calls_removable": _share(one.removable, one.calls, n, "no call")}
    if refused:
        found["calls_removable"] = Metric(value=None, denominator=one.calls, n=n, reason=refused)
    tokens = [name for name in one.measures if name.startswith("tokens.") and name != "tokens.unpriced"]
    sums = {
        "tokens": (sum(saved.get(t, 0) for t in tokens), sum(one.measures[t] for t in tokens), bool(tokens)),
        "cost": (saved.get("cost", 0), one.measures.get("cost", 0), "cost" in one.measures),
        "time_model": (
            saved.get("time.model", 0), one.measures.get("time.model", 0), "time.model" in one.measures
        ),
    }  # fmt: skip
    units = {"tokens": "tokens", "cost": "picodollars", "time_model": "microseconds"}
    for name, (part, whole, known) in sums.items():
        lacks = refused or (None if known else f"the traces do not tell {units[name]}")
        found[f"{name}_saved_per_run"] = Metric(
            value=None if lacks or not n else part // n,
            numerator=None if lacks else part,
            denominator=n,
            unit=f"{units[name]} per run",
            n=n,
            reason=lacks,
        )
        found[f"{name}_removable"] = (
            Metric(value=None, n=n, reason=lacks) if lacks else _share(part, whole, n, f"no {name} at all")
        )
    found["break_even"] = _even(one, found)
    return found


def _even(one: Compiled, found: Mapping[str, Metric]) -> Metric:
    """Runs after which compiling has paid: it asks no model, so that only its time counts against it."""
    spent, per_run = one.verification.spent_us, found["time_model_saved_per_run"]
    if per_run.value:
        runs = -(-spent // int(per_run.value))
        return Metric(
            value=max(1, runs), numerator=spent, denominator=int(per_run.value), unit="runs", n=per_run.n
        )
    if found["tokens_saved_per_run"].value:
        return Metric(value=1, unit="runs", n=per_run.n)
    reason = per_run.reason or found["tokens_saved_per_run"].reason or "nothing would be saved"
    return Metric(value=None, unit="runs", n=per_run.n, reason=reason)


Told = Callable[[int, int], None]
"""Told how many of how many intents are done."""

"""Would workflows compiled from recorded runs have made the writes of runs that they were not learned from?

Every successful run of an intent is left out once, and the intent compiled from the others; every failed
run is replayed through the workflow of the successful ones. Inputs are given as a careful reader would
(writes_inputs). The replay is a shadow run of the real executor: reads are answered from the record, writes
are told and compared with it. A write is equal where the record has it, else wrong; in a failed run, whose
own writes may be the mistake, one that the task's gold actions have is equal as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from writes_inputs import told
from writes_run import Record, started

from tracelode.compile.passes import PASSES, run
from tracelode.compile.transforms import same
from tracelode.compile.work import Options, State, Work
from tracelode.model.run import Run, Tree
from tracelode.model.workflow import Workflow

SETTINGS = {"default": Options(), "loose": Options(similarity=0.3, fewest=3)}
"""Name to settings; loose ones put runs together that ask for different things."""

Gold = Mapping[str, Sequence[tuple[str, Tree]]]
"""Session key to (tool, arguments) that the task's author says are right."""


def tau_gold(data: Path) -> dict[str, list[tuple[str, Tree]]]:
    """The gold actions of tau-bench's tasks, by session key.

    Args:
        data: folder of the sets.
    """
    path = data / "workflow" / "tau_bench" / "gpt-4o-airline.json"
    return {
        f"tau-{row['task_id']:02d}-{row['trial']}": [
            (action["name"], action["kwargs"]) for action in row["info"]["task"]["actions"]
        ]
        for row in json.loads(path.read_text(encoding="utf-8"))
    }


def replayed(runs: Sequence[Run], options: Options, gold: Gold) -> dict[str, Any]:
    """Figures of one set with one setting.

    Args:
        runs: all runs of the set.
        options: settings.
        gold: gold actions, {} where there are none.

    Returns:
        Intents by verdict, refusals by code, replays of runs left out and of failed runs.
    """
    state = run(State(runs=tuple(runs), options=options))
    verdicts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    by_key = {r.key: r for r in runs}
    folds = sum(w.verification.wrong_writes for w in state.works)
    for work in state.works:
        verdicts[kind(work)] += 1
        codes.update({r.code for r in work.refusals})
        for held in work.runs:
            members = tuple(by_key[k] for k in work.intent.runs if k != held.key)
            alone = Work(intent=work.intent, runs=members, others=work.others, options=options)
            (rest,) = run(State(runs=(), options=options, works=(alone,)), PASSES[1:]).works
            _replay(rest, held, gold, left_out, strict=True)
        for held in work.failed:
            _replay(work, held, gold, failed, strict=False)
    return {
        "runs": len(runs), "in_intents": sum(len(w.intent.runs) for w in state.works),
        "verdicts": dict(verdicts), "refusals": dict(sorted(codes.items())),
        "wrong_before_refusal": folds, "left_out": dict(left_out), "failed": dict(failed),
    }  # fmt: skip


def kind(work: Work) -> str:
    """whole, partial or refused.

    Args:
        work: with its verdict.
    """
    if not isinstance(work.verdict, Workflow):
        return "refused"
    return "partial" if work.verdict.partial else "whole"


def _replay(work: Work, held: Run, gold: Gold, counts: Counter[str], strict: bool) -> None:
    counts["runs"] += 1
    verdict = work.verdict
    if not isinstance(verdict, Workflow):
        counts["runs refused"] += 1
        return
    if not any(step.effect.writes for step in verdict.steps):
        counts["runs without a write"] += 1
        return
    outcome = started(verdict, Record(held), told(work, verdict, held), recorded=held)
    if outcome is None:
        counts["runs escalated"] += 1
        return
    counts["runs escalated"] += outcome.status == "escalated"
    for proposed in outcome.proposed:
        counts["writes"] += 1
        meant = not strict and any(
            name == proposed.tool and same(arguments, proposed.arguments)
            for name, arguments in gold.get(held.key, ())
        )
        if proposed.verdict == "same" or meant:
            counts["equal"] += 1
        else:
            counts["wrong"] += 1


def pooled(members: Sequence[Run], options: Options) -> tuple[Work, ...]:
    """All runs of many families as one history.

    Args:
        members: runs.
        options: settings.
    """
    return run(State(runs=tuple(members), options=options)).works


def alone(members: Sequence[Run]) -> Work:
    """Runs as one intent.

    Args:
        members: runs.
    """
    from tracelode.model.intent import Intent

    keys = tuple(sorted(r.key for r in members))
    work = Work(intent=Intent(id="i_00000000", name="task", runs=keys), runs=tuple(members))
    return run(State(runs=(), works=(replace(work),)), PASSES[1:]).works[0]

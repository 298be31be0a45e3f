"""What did the calls cost that need no model any more?"""

from __future__ import annotations

from tracelode.compile.work import Work
from tracelode.model import binding as b
from tracelode.model.workflow import Verdict, Workflow


def saved(work: Work, verdict: Verdict | None) -> dict[str, int]:
    """Measures of all calls that a workflow makes by itself.

    Args:
        work: the intent.
        verdict: what it became.

    Returns:
        Integers by measure name over all runs, with tool_calls and runs (calls are model calls); what was
        dropped as noise counts as saved only where the workflow is whole.
    """
    if not isinstance(verdict, Workflow) or work.alignment is None:
        return {}
    sure = {s.slot for s in verdict.steps if not any(b.residual(a.binding) for a in s.arguments)}
    total: dict[str, int] = {"tool_calls": 0, "runs": len(work.runs)}
    for place, run in enumerate(work.runs):
        for call in run.calls:
            slot = work.alignment.of[place][call.index]
            if slot in sure or (not slot and not verdict.partial):
                total["tool_calls"] += 1
                for name, amount in call.measures.items():
                    total[name] = total.get(name, 0) + amount
    return total

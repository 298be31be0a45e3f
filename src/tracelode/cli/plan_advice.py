"""tracelode plan policy and plan bench: what is proposed, and what planners are tried on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracelode.cli.options import StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.cli.plan_options import PlanOptions


def policy(targets: tuple[str, ...], files: bool, store: StoreOptions, options: PlanOptions) -> int:
    """Propose permissions and changes of how agents plan."""
    from tracelode.cli import plan_advice_text, shapes, shapes_plan_advice
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import advising

    how: dict[str, Any] = {
        "form": options.form or "claude", "human": options.human_seconds, "rework": options.rework_seconds,
    }  # fmt: skip
    if files:
        found = advising.policy_of_files(targets, **how)
    else:
        found = open_workspace(store).plan_policy(*targets, **how)
    answer = shapes_plan_advice.policy(found) if store.json else None
    if not found.rules and not found.proposals:
        return nothing_found("no tool call and no review to propose anything from", answer)
    if answer is not None:
        shapes.write(answer)
    else:
        plan_advice_text.policy(found)
    return 0


def bench(
    targets: tuple[str, ...], files: bool, output: Path | None, store: StoreOptions, options: PlanOptions
) -> int:
    """Make a benchmark, or score plans on one."""
    if options.score is not None:
        return _score(targets, output, store, options)
    from tracelode.cli import plan_advice_text, shapes, shapes_plan_advice
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import advising

    if output is None or str(output) == "-":
        raise UsageError("plan bench needs a file; write it as: plan bench -o FILE, or BENCH --score PLANS")
    if files:
        made = advising.bench_of_files(targets, output)
    else:
        made = open_workspace(store).plan_bench(output, *targets)
    answer = shapes_plan_advice.made(made, str(output)) if store.json else None
    if not made.items:
        reasons = ", ".join(f"{n:,} x {reason}" for reason, n in made.left_out.items())
        return nothing_found(f"no finished session with a plan{': ' + reasons if reasons else ''}", answer)
    if answer is not None:
        shapes.write(answer)
    else:
        plan_advice_text.made(made, str(output))
    return 0


def _score(targets: tuple[str, ...], output: Path | None, store: StoreOptions, options: PlanOptions) -> int:
    from tracelode.cli import plan_advice_text, shapes, shapes_plan_advice
    from tracelode.workspace import advising

    if len(targets) != 1 or output is not None:
        raise UsageError("plans are scored on one benchmark; write it as: plan bench BENCH --score PLANS")
    assert options.score is not None
    found = advising.bench_score(targets[0], options.score)
    if store.json:
        shapes.write(shapes_plan_advice.score(found))
    else:
        plan_advice_text.score(found)
    return 0

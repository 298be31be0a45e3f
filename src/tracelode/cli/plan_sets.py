"""tracelode plan study and plan metrics --against: what do sets of sessions say against each other?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tracelode.cli.options import StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.cli.plan_options import PlanOptions
    from tracelode.model.plan_study import Study
    from tracelode.model.planning import PlanReport

FAILED = 4
"""Exit code of a design that fails."""


def study(targets: tuple[str, ...], output: Path | None, store: StoreOptions, options: PlanOptions) -> int:
    """Analyse a study file."""
    from tracelode.cli import plan_sets_text, shapes, shapes_plan_study
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import studying

    if len(targets) != 1:
        raise UsageError("plan study needs one study file; write it as: plan study study.yaml")
    if output is not None and not is_page(output):
        raise UsageError("plan study -o writes a page; name it FILE.html")
    if studying.stored_study(targets[0]):
        found = open_workspace(store).plan_study(targets[0], describe=options.describe)
    else:
        found = studying.study_files(targets[0], describe=options.describe)
    if output is not None:
        _page(found, output, store)
    elif store.json:
        shapes.write(shapes_plan_study.study(found))
    else:
        plan_sets_text.study(found)
    return 0 if found.sound else FAILED


def is_page(output: Path) -> bool:
    """Does a file name mean a page? "-" does."""
    return str(output) == "-" or str(output).lower().endswith((".html", ".htm"))


def _page(found: Study, output: Path, store: StoreOptions) -> None:
    from tracelode.cli import shapes
    from tracelode.cli.text import clean
    from tracelode.workspace.planning_pages import study_page

    study_page(found, output if str(output) != "-" else sys.stdout.buffer)
    if str(output) == "-":
        return
    if store.json:
        shapes.write({"output": str(output), "sound": found.sound, "arms": [arm.name for arm in found.arms]})
    else:
        failed = "" if found.sound else ": the design fails, no differences are told"
        sys.stdout.write(f"wrote {clean(str(output))}{failed}\n")


def against(report: PlanReport, store: StoreOptions, options: PlanOptions, metric: str | None = None) -> int:
    """Hold sessions against an answer that was kept."""
    from tracelode.cli import plan_sets_text, shapes, shapes_plan_study
    from tracelode.workspace import studying

    assert options.against is not None
    metrics = [metric] if metric else []
    found = studying.against(report, options.against, metrics=metrics, seed=options.seed or 0)
    if store.json:
        shapes.write(shapes_plan_study.against(found))
    else:
        plan_sets_text.against(found)
    return 0

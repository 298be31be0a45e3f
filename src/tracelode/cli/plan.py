"""tracelode plan: how do people and agents plan? Check the record, measure it, see it over time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tracelode.cli import plan_advice, plan_forecast, plan_sets
from tracelode.cli.options import STORE, StoreOptions
from tracelode.cli.plan_options import PLAN, WORDS, PlanOptions, PlanWords
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.model.planning import PlanCheck, PlanReport, SessionPlan
    from tracelode.workspace import Workspace

Action = Literal[
    "check", "metrics", "timeline", "alerts", "study", "forecast", "policy", "bench", "export", "schema"
]  # fmt: skip
FAILED = 4
"""Exit code of findings at or above the limit."""


def plan(
    action: Annotated[
        Action,
        Parameter(
            help="check: what is off in the record. metrics: how it was planned. timeline: a row a node. "
            "alerts: at which event a rule fires. study: arms of a study file. forecast: can trouble "
            "be foreseen? policy: where to ask people. bench: a benchmark of plans. export: events as JSON "
            "Lines. schema: their JSON Schema."
        ),
    ],
    /,
    *targets: Annotated[
        str,
        Parameter(
            help="Files or folders of plan events, or SESSION... of the store (a unique beginning is "
            "enough). Default: all sessions of the store. study takes a study file."
        ),
    ],
    own: PlanWords = WORDS,
    options: PlanOptions = PLAN,
    store: StoreOptions = STORE,
) -> int:
    """See how people and agents plan: from event files or from the sessions of the store.

    High or low is not right or wrong: read a figure with the kind of task. What cannot be told is "-", with
    the reason.

    Args:
        action: what to do.
        targets: files or sessions.
        own: what single actions take.
        options: of sets of sessions, forecasts, permissions and benchmarks.
        store: where sessions are.

    Returns:
        Exit code.
    """
    own.check(action)
    options.check(action)
    if action == "schema":
        return _schema(targets)
    if action == "export":
        return _export(targets, own.output, store)
    if action == "check":
        return _check(targets, store, own)
    if action in ("metrics", "timeline"):
        return _figures(action, targets, store, own, options)
    return _beyond(action, targets, store, own, options)


def _figures(
    action: Action, targets: tuple[str, ...], store: StoreOptions, own: PlanWords, options: PlanOptions
) -> int:
    report = _measured(targets, store, own.chained, options)
    if action == "timeline":
        return _timeline(report, own.output, store)
    if options.against is not None and report.sessions:
        return plan_sets.against(report, store, options, own.metric)
    if own.output is not None:
        return _page(report, own.metric, own.output, store)
    return _metrics(report, own.metric, store)


def _beyond(
    action: Action, targets: tuple[str, ...], store: StoreOptions, own: PlanWords, options: PlanOptions
) -> int:
    """What is asked of many sessions."""
    if action == "study":
        return plan_sets.study(targets, own.output, store, options)
    files = _files(targets)
    if action == "forecast":
        return plan_forecast.forecast(targets, files, own.output, store, options)
    if action == "policy":
        return plan_advice.policy(targets, files, store, options)
    if action == "bench":
        return plan_advice.bench(targets, files, own.output, store, options)
    from tracelode.cli.plan_alerts import alerts

    return alerts(targets, own.rules, own.fail_on or "error", own.output, store, files=files)


def _files(targets: tuple[str, ...]) -> bool:
    """Do the targets name files? Files and sessions are not mixed: what they tell is not the same."""
    from tracelode.workspace.planning import is_path

    kinds = {is_path(word) for word in targets}
    if len(kinds) > 1:
        raise UsageError("name files or sessions, not both")
    return kinds == {True}


def _opened(store: StoreOptions, chained: bool | None) -> Workspace:
    from tracelode.cli.view import open_workspace

    if chained is not None:
        raise UsageError("--parent-as is for files: sessions of the store say what depends on what")
    return open_workspace(store)


def _check(targets: tuple[str, ...], store: StoreOptions, own: PlanWords) -> int:
    from tracelode.cli import plan_text, shapes, shapes_plan
    from tracelode.cli.nothing import no_plan_event, nothing_found
    from tracelode.workspace import planning

    if _files(targets):
        found: PlanCheck = planning.check_files(targets, chained=own.chained)
    else:
        found = _opened(store, own.chained).plan_check(*targets)
    if own.sarif:
        import json

        sys.stdout.write(json.dumps(planning.sarif(found), indent=2) + "\n")
    elif not found.events and not found.findings:
        return nothing_found(no_plan_event(found.unusable), shapes_plan.check(found) if store.json else None)
    elif store.json:
        shapes.write(shapes_plan.check(found))
    else:
        plan_text.check(found)
    return FAILED if planning.reaches(found, own.limit) else 0


def _measured(
    targets: tuple[str, ...], store: StoreOptions, chained: bool | None, options: PlanOptions
) -> PlanReport:
    from tracelode.workspace import planning

    how: dict[str, Any] = {"cluster": options.cluster, "seed": options.seed or 0}
    if _files(targets):
        return planning.measure_files(targets, chained=chained, **how)
    return _opened(store, chained).plan_metrics(*targets, **how)


def _metrics(report: PlanReport, metric: str | None, store: StoreOptions) -> int:
    from tracelode.cli import plan_text, shapes, shapes_plan
    from tracelode.cli.nothing import no_plan_event, nothing_found

    answer = shapes_plan.report(report, metric) if store.json else None
    if not report.sessions:
        return nothing_found(no_plan_event(report.unusable), answer)
    known = [p.name for p in report.pooled]
    if metric is not None and metric not in known:
        raise UsageError(f"unknown metric {metric!r}; known: {', '.join(known)}")
    if answer is not None:
        shapes.write(answer)
    elif metric is not None:
        plan_text.proof(report, metric)
    else:
        plan_text.metrics(report)
    return 0


def _page(report: PlanReport, metric: str | None, output: Path, store: StoreOptions) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.nothing import no_plan_event, nothing_found
    from tracelode.cli.text import clean
    from tracelode.workspace.planning_pages import metrics_page

    if metric is not None:
        raise UsageError("a page has all metrics; leave out --metric")
    if not plan_sets.is_page(output):
        raise UsageError("plan metrics -o writes a page; name it FILE.html")
    if not report.sessions:
        return nothing_found(no_plan_event(report.unusable), {"sessions": []} if store.json else None)
    metrics_page(report, output if str(output) != "-" else sys.stdout.buffer)
    if str(output) != "-":
        if store.json:
            shapes.write({"output": str(output), "sessions": len(report.sessions)})
        else:
            sys.stdout.write(f"wrote {clean(str(output))}\n")
    return 0


def _timeline(report: PlanReport, output: Path | None, store: StoreOptions) -> int:
    from tracelode.cli import plan_text, shapes, shapes_plan
    from tracelode.cli.nothing import lost_lines, no_plan_event, nothing_found
    from tracelode.cli.screen import warn
    from tracelode.cli.text import clean
    from tracelode.workspace import local_zone, planning

    if not report.sessions:
        return nothing_found(no_plan_event(report.unusable), {"sessions": []} if store.json else None)
    told = [s for s in report.sessions if s.tier in ("declared", "human")]
    planned: list[SessionPlan] = told or list(report.sessions[:1])
    if output is not None and report.unusable:
        warn(lost_lines(report.unusable))
    if output is not None and str(output).lower().endswith((".html", ".htm")):
        from tracelode.workspace.planning_pages import timeline_page

        timeline_page(planned, output)
        if store.json:
            shapes.write({"output": str(output), "sessions": [one.session_id for one in planned]})
        else:
            sys.stdout.write(f"wrote {clean(str(output))}\n")
    elif output is not None:
        if len(planned) > 1:
            raise UsageError(f"a picture is of one session; name one of {len(planned):,}")
        planning.timeline_svg(planned[0], output if str(output) != "-" else sys.stdout.buffer)
        if str(output) != "-":
            if store.json:
                shapes.write({"output": str(output), "session_id": planned[0].session_id})
            else:
                sys.stdout.write(f"wrote {clean(str(output))}\n")
    elif store.json:
        shapes.write(
            {"sessions": [shapes_plan.timeline(one) for one in planned], "unusable": report.unusable}
        )
    else:
        plan_text.timeline(planned, store.tz or local_zone(), report.unusable)
    return 0


def _export(targets: tuple[str, ...], output: Path | None, store: StoreOptions) -> int:
    from tracelode.cli import shapes
    from tracelode.cli.nothing import no_plan_event, nothing_found
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import open_workspace

    if output is None:
        raise UsageError("plan export needs a file; write it as: plan export SESSION -o FILE (- for stdout)")
    if targets and _files(targets):
        raise UsageError("plan export takes sessions of the store")
    workspace = open_workspace(store)
    if str(output) == "-":
        sys.stdout.flush()
        return 0 if workspace.plan_export(sys.stdout.buffer, *targets) else nothing_found(no_plan_event(0))
    count = workspace.plan_export(output, *targets)
    if not count:
        return nothing_found(no_plan_event(0), {"events": 0} if store.json else None)
    if store.json:
        shapes.write({"output": str(output), "events": count})
    else:
        sys.stdout.write(f"wrote {number(count, 'event')} to {clean(str(output))}\n")
    return 0


def _schema(targets: tuple[str, ...]) -> int:
    import json

    from tracelode.workspace import planning

    if targets:
        raise UsageError("plan schema takes no file")
    sys.stdout.write(json.dumps(planning.schema(), indent=2) + "\n")
    return 0

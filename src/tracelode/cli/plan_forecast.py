"""tracelode plan forecast: can trouble be foreseen from the beginning of a session?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tracelode.cli.options import StoreOptions
from tracelode.errors import UsageError

if TYPE_CHECKING:
    from tracelode.cli.plan_options import PlanOptions
    from tracelode.workspace.forecasting import Rows

FAILED = 4
"""Exit code where nothing passes the gate."""


def forecast(
    targets: tuple[str, ...], files: bool, output: Path | None, store: StoreOptions, options: PlanOptions
) -> int:
    """Try labels at moments, keep what passes, or use what was kept."""
    from tracelode.cli import plan_forecast_text, shapes, shapes_plan_forecast
    from tracelode.cli.nothing import nothing_found
    from tracelode.model.forecast import LABELS
    from tracelode.workspace import forecasting

    if options.saved is not None:
        return _using(targets, files, output, store, options)
    moments = [word.strip() for word in (options.at or "").split(",") if word.strip()]
    rows = _rows(targets, files, moments, store)
    labels = (options.label,) if options.label else LABELS
    budget = 0.05 if options.alarms is None else options.alarms
    seed = options.seed or 0
    found = forecasting.forecast(
        rows, labels=labels, kind=options.model or "logistic", budget=budget, seed=seed
    )
    if not found.forecast.sessions:
        return nothing_found("no session to look at", {"trials": []} if store.json else None)
    kept = forecasting.write_model(found, output, budget=budget, seed=seed) if output is not None else None
    if store.json:
        shapes.write(shapes_plan_forecast.forecast(found.forecast, kept))
    else:
        plan_forecast_text.forecast(found.forecast)
        if output is not None:
            plan_forecast_text.kept(kept, str(output))
    return 0 if any(trial.skill for trial in found.forecast.trials) else FAILED


def _using(
    targets: tuple[str, ...], files: bool, output: Path | None, store: StoreOptions, options: PlanOptions
) -> int:
    from tracelode.cli import plan_forecast_text, shapes, shapes_plan_forecast
    from tracelode.workspace import forecasting

    if output is not None or options.label or options.at or options.model or options.alarms is not None:
        raise UsageError("--with uses a model as it is; it goes without -o, --label, --at, --model, --alarms")
    assert options.saved is not None
    model = forecasting.read_model(options.saved)
    found = forecasting.risks(model, _rows(targets, files, [model.at], store))
    if store.json:
        shapes.write(shapes_plan_forecast.risks(found))
    else:
        plan_forecast_text.risks(found, model.base)
    return 0


def _rows(targets: tuple[str, ...], files: bool, moments: list[str], store: StoreOptions) -> Rows:
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import forecasting

    if files:
        return forecasting.starts_of_files(targets, moments)
    return open_workspace(store).plan_starts(*targets, moments=moments)

"""Can trouble be foreseen? Beginnings of stored sessions and of event files, tried and perhaps kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.files import bounded, why
from tracelode.model.forecast import LABELS, Forecast, Kept, Label, Risks, Start
from tracelode.workspace.planning import RECORDED
from tracelode.workspace.studying import Studying
from tracelode.workspace.writing import private

if TYPE_CHECKING:
    from tracelode.plan.forecast.start import Moment

Rows = dict[str, list[Start | str]]
"""Moment to the beginning of each session, or to why it has none."""


class Foreseen(msgspec.Struct, frozen=True):
    """A forecast with what it was made of."""

    forecast: Forecast
    """What was tried."""
    rows: Rows
    """Of which beginnings."""


def starts_of_files(paths: Sequence[str | Path], moments: Sequence[str]) -> Rows:
    """Beginnings of sessions in files of plan events.

    Args:
        paths: files and folders.
        moments: where beginnings end, as "10" or "5m"; none for 5, 10, 20 and 40 calls.

    Raises:
        SourceError: a path cannot be read.
        UsageError: a moment is none.
    """
    from tracelode.plan.forecast.start import Facts, of_events
    from tracelode.plan.metrics import measure
    from tracelode.plan.read import load, stories

    asked = _moments(moments)
    rows: Rows = {one.name: [] for one in asked}
    for session, events in stories(load(Path(p).expanduser() for p in paths)):
        told = measure(events)
        facts = Facts(session, told.task, told.project, "", told.outcome)
        for name, start in of_events(events, facts, asked).items():
            rows[name].append(start)
    return rows


def forecast(
    rows: Rows,
    *,
    labels: Sequence[Label] = LABELS,
    kind: str = "logistic",
    budget: float = 0.05,
    seed: int = 0,
) -> Foreseen:
    """Try to foresee labels from beginnings.

    Args:
        rows: beginnings.
        labels: what is to be foreseen.
        kind: logistic or boosting.
        budget: false alarms a session that are accepted.
        seed: of folds and draws.

    Returns:
        What was tried, and which of it holds.

    Raises:
        UsageError: a budget outside 0..1.
        MissingExtra: boosting without its library.
    """
    from tracelode.plan.forecast.models import library
    from tracelode.plan.forecast.protocol import forecast as made

    if not 0 < budget < 1:
        raise UsageError("false alarms a session lie between 0 and 1; write it as 0.05")
    if kind == "boosting":
        library()
    return Foreseen(made(rows, labels=labels, kind=kind, budget=budget, seed=seed), rows)


def write_model(found: Foreseen, path: str | Path, *, budget: float = 0.05, seed: int = 0) -> Kept | None:
    """Write the model of the one trial that passed; of several the one with the highest bound of AUROC.

    Args:
        found: what was tried.
        path: the file.
        budget: false alarms a session that are accepted.
        seed: of folds and trees.

    Returns:
        What was written, None where no trial passed: then nothing is.
    """
    from tracelode.plan.forecast.protocol import keep

    held = [trial for trial in found.forecast.trials if trial.skill]
    if not held:
        return None
    best = max(held, key=lambda t: min(g.auroc_interval[0] for g in t.grouped if g.auroc_interval))
    kept = keep(found.rows[best.at], best, budget=budget, seed=seed)
    with private(str(path)) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    return kept


def read_model(path: str | Path) -> Kept:
    """Read a model that was kept.

    Args:
        path: the file.

    Raises:
        SourceError: it cannot be read, or is none.
    """
    from tracelode.plan.forecast.protocol import decode

    try:
        return decode(bounded(Path(path).expanduser()))
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    except ValueError as error:
        raise SourceError(f"{error}; tracelode plan forecast -o FILE writes one", path=str(path)) from error


def risks(kept: Kept, rows: Rows) -> Risks:
    """What a kept model says of sessions.

    Args:
        kept: the model.
        rows: their beginnings at its moment.

    Raises:
        MissingExtra: boosting without its library.
    """
    from tracelode.plan.forecast.using import using

    return using(kept, rows[kept.at])


def _moments(words: Sequence[str]) -> list[Moment]:
    from tracelode.plan.forecast.protocol import MOMENTS
    from tracelode.plan.forecast.start import moment

    return [moment(word) for word in dict.fromkeys(words or MOMENTS)]


class Forecasting(Studying):
    """Forecasts of a workspace's sessions."""

    def plan_starts(self, *sessions: str, moments: Sequence[str] = ()) -> Rows:
        """Beginnings of stored sessions; sub-agents' threads do not count.

        Args:
            sessions: keys or unique beginnings; none for all.
            moments: where beginnings end, as "10" (tool calls) or "5m"; none for 5, 10, 20 and 40 calls.

        Returns:
            Moment to the beginning of each session, or to why it has none.

        Raises:
            QueryError: none or several sessions match.
            UsageError: a moment is none.

        Source:
            plan rules, section 9.3.
        """
        from tracelode.plan.forecast.start import Facts, of_events, of_operations

        asked = _moments(moments)
        named = {self.session(key).root for key in sessions}
        rows: Rows = {one.name: [] for one in asked}
        heads = [s for s in self._catalog.sessions() if s.key == s.root and s.role != "effects"]
        heads.sort(key=lambda s: (s.started or 0, s.key))
        recorded = {
            plan.session: list(plan.events)
            for plan in self._plans(())
            if any(e.source is not None and e.source.adapter == RECORDED for e in plan.events)
        }
        for head in heads:
            if named and head.key not in named:
                continue
            outcome = head.outcome or ""
            facts = Facts(head.key, head.task or "", head.project, head.agent, outcome)
            if head.key in recorded:
                found = of_events(recorded[head.key], facts, asked)
            else:
                found = of_operations(self._ask().operations(head.key), facts, asked)
            for name, start in found.items():
                rows[name].append(start)
        if not heads:
            raise QueryError("no session; run tracelode import PATH first")
        return rows

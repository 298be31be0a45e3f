"""How does a forecast look in a terminal? What was tried, against chance, and a plain word where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.screen import Screen
from tracelode.cli.table import Column, Flex, Styled
from tracelode.cli.text import clean, number
from tracelode.model.plan_words import bounds

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.forecast import Forecast, Kept, Risks, Trial, Validation

ROWS = 40
"""Sessions shown."""
DRIFT = 0.25
"""Stability index from which a feature is named."""
_TITLES = {
    "failure": "failure: the session is said to have failed",
    "rework": "rework: lines written later are taken out again, above the 75th percentile of the rest",
    "correction": "correction: a person interrupts, denies a tool or asks for changes later",
}


def forecast(found: Forecast) -> None:
    """Write what was tried.

    Args:
        found: trials by label and moment.
    """
    screen = Screen()
    screen.sentence(f"{number(found.sessions, 'session')}; a model knows the beginning alone")
    for label in dict.fromkeys(trial.label for trial in found.trials):
        trials = [trial for trial in found.trials if trial.label == label]
        screen.sentence("")
        screen.sentence(_TITLES[label])
        if any(trial.grouped or trial.random for trial in trials):
            _table(screen, trials)
        _without(screen, trials)
        for trial in trials:
            if trial.skill:
                _detail(screen, trial)
        _verdict(screen, trials)
    for note in found.notes:
        screen.sentence(note)


def _table(screen: Screen, trials: list[Trial]) -> None:
    rows: list[list[Cell]] = []
    for trial in trials:
        for one in (*trial.grouped, *([trial.random] if trial.random else [])):
            leaks = one.by == "random"
            name = "random: leaks" if leaks else f"by {one.by}"
            style = "dim" if leaks else ""
            rows.append([f"after {trial.at}", f"{trial.positives:,}/{trial.sessions:,}", Styled(name, style),
                         Styled(_share(one.auroc), style), bounds(one.auroc_interval), _share(one.within),
                         _share(one.baseline), _share(one.precision), _share(one.skill)])  # fmt: skip
    columns = [Column(""), Column("came", right=True), Column("held back", grow=True, least=13),
               Column("AUROC", right=True), Column("bounds", rank=1), Column("within", right=True, rank=3),
               Column("who alone", right=True, rank=4), Column("AP", right=True, rank=2),
               Column("skill", right=True)]  # fmt: skip
    screen.table(columns, rows)


def _without(screen: Screen, trials: list[Trial]) -> None:
    """What was not tried, and which sessions do not count: those that ended early are gone."""
    for trial in trials:
        parts = [f"{n:,} {reason}" for reason, n in trial.excluded.items()]
        left = f"left out {'; '.join(parts)}" if parts else ""
        untried = "" if trial.grouped else (
            f"{trial.positives:,} of {number(trial.sessions, 'session')}: {trial.reason}")  # fmt: skip
        told = [part for part in (untried, left) if part]
        if told:
            screen.flow(f"after {trial.at}", told, joint="; ", indent=9)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _verdict(screen: Screen, trials: list[Trial]) -> None:
    good = [trial for trial in trials if trial.skill]
    if good:
        screen.sentence(f"holds after {', '.join(t.at for t in good)}: -o FILE keeps the model")
        return
    tried = [trial for trial in trials if trial.grouped]
    if not tried:
        screen.sentence(f"no skill on your data: {trials[0].reason}")
        return
    best = max(tried, key=lambda t: t.grouped[0].auroc or 0.0)
    one = best.grouped[0]
    screen.sentence(
        f"no skill on your data: n {best.sessions:,}, AUROC {_share(one.auroc)} {bounds(one.auroc_interval)} "
        f"by {one.by} after {best.at} ({best.reason}); use rules: tracelode plan policy, plan alerts"
    )


def _detail(screen: Screen, trial: Trial) -> None:
    """Calibration, warnings and weights of a trial that holds."""
    one = trial.grouped[0]
    bins = [f"{b.said:.2f} said, {b.came:.2f} came ({b.sessions:,})" for b in one.bins]
    screen.flow("chances", [f"after {trial.at}", *bins, f"error {one.error:.3f}", f"Brier {one.brier:.3f}"],
                joint="; ", indent=9)  # fmt: skip
    _warnings(screen, one)
    top = [f"{clean(name)} {weight:+.2f}" for name, weight in list(trial.weights.items())[:6]]
    if top:
        screen.flow("weights", [*top, "log odds for one standard deviation"], joint="; ", indent=9)


def _warnings(screen: Screen, one: Validation) -> None:
    found = one.alarms
    if found is None:
        return
    lead = "" if found.lead is None else f"{number(round(found.lead), 'call')} ahead"
    screen.flow(
        "warnings",
        [f"{found.alarms:,}, right {found.hits:,} (precision {_share(found.precision)}, recall "
         f"{_share(found.recall)})", *([lead] if lead else []),
         f"false ones a session {found.false_rate:.3f}, wanted {found.budget:g}"],
        joint="; ", indent=9,
    )  # fmt: skip


def kept(model: Kept | None, path: str) -> None:
    """Write whether a model was written.

    Args:
        model: what was written, None for nothing.
        path: where.
    """
    screen = Screen()
    if model is None:
        screen.sentence("no model is written: none passes the gate")
        return
    screen.sentence(
        f"wrote {clean(path)}: {model.label} after {model.at}, warns from {model.threshold:.3f}; use it "
        f"with: tracelode plan forecast --with {clean(path)} SESSION"
    )


def risks(found: Risks, base: float) -> None:
    """Write what a model says of sessions.

    Args:
        found: chances by session.
        base: share that came in training.
    """
    screen = Screen()
    screen.sentence(
        f"{found.label} after {found.at}; warns from {found.threshold:.3f}; base rate in training {base:.3f}"
    )
    listed = sorted(found.rows, key=lambda row: -(row.chance or 0.0))
    rows: list[list[Cell]] = [
        [Flex(row.session), f"{row.chance:.3f}" if row.chance is not None else "-",
         Styled("warned", "yellow") if row.warned else ""]
        for row in listed[:ROWS]
    ]  # fmt: skip
    screen.table([Column("session", grow=True), Column("chance", right=True), Column("")], rows)
    if len(listed) > ROWS:
        screen.sentence(f"and {len(listed) - ROWS:,} more; see --json")
    off = [f"{clean(name)} {value:.2f}" for name, value in found.drift.items() if value >= DRIFT]
    if off:
        screen.flow("drift", [*off, "these lie otherwise than in training: validate again"],
                    joint="; ", indent=9)  # fmt: skip

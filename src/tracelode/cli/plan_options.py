"""Which options do plan metrics, study, forecast, policy and bench take beside those of plan?"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import path
from tracelode.errors import UsageError

_SETS = Group("Sets of sessions (metrics, study, forecast)", sort_key=5)
_FORECAST = Group("Early warning (forecast)", sort_key=6)
_POLICY = Group("Permissions and benchmark (policy, bench)", sort_key=7)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlanWords:
    """What single actions of plan take."""

    sarif: Annotated[bool, Parameter(help="Print findings as SARIF (check).")] = False
    """SARIF instead of text."""
    strict: Annotated[bool, Parameter(help="Warnings fail too: --fail-on warning (check).")] = False
    """Warnings fail."""
    fail_on: Annotated[
        Literal["error", "warning", "info"] | None,
        Parameter(help="Exit 4 where a finding (check) or an alert is at least that. Default: error."),
    ] = None
    """Lowest severity that fails."""
    parent_as: Annotated[
        Literal["depends_on", "hierarchy"] | None,
        Parameter(help="What parents mean. Default: depends_on where they form a chain (PT031)."),
    ] = None
    """What parents mean."""
    metric: Annotated[
        str | None, Parameter(help="Only this metric, with the events behind it (metrics).", metavar="NAME")
    ] = None
    """One metric."""
    rules: Annotated[
        str | None,
        Parameter(
            help="Rules in YAML (alerts); the word default prints the built-in ones. Default: these.",
            metavar="FILE|default",
        ),
    ] = None
    """What is watched."""
    output: Annotated[
        Path | None,
        Parameter(
            name=("--output", "-o"),
            help="File to write: a page (.html; metrics, timeline, study), an SVG (timeline), JSON Lines "
            "(export, alerts, bench), OpenTelemetry logs (alerts, *.otlp.json), a model (forecast).",
            converter=path,
            metavar="FILE",
        ),
    ] = None
    """File to write."""

    @property
    def chained(self) -> bool | None:
        """Are parents what must be finished before? None where that is not said."""
        return None if self.parent_as is None else self.parent_as == "depends_on"

    @property
    def limit(self) -> str:
        """Lowest severity of a finding that fails."""
        return self.fail_on or ("warning" if self.strict else "error")

    def check(self, action: str) -> None:
        """Refuse options of another action.

        Args:
            action: of plan.

        Raises:
            UsageError: one is given.
        """
        _check(self, action)


WORDS = PlanWords()
"""None of them."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What statistics of plans are asked for."""

    cluster: Annotated[
        Literal["task", "project", "session"] | None,
        Parameter(
            group=_SETS,
            help="What sessions are drawn by for intervals. Default: task or project where all tell it.",
        ),
    ] = None
    """Cluster of the bootstrap."""
    seed: Annotated[int | None, Parameter(group=_SETS, help="Of draws and deals. Default: 0.")] = None
    """Seed."""
    against: Annotated[
        Path | None,
        Parameter(
            group=_SETS,
            help="An answer of plan metrics --json that was kept: what became of it since (metrics).",
            converter=path,
            metavar="FILE",
        ),
    ] = None
    """Kept answer."""
    describe: Annotated[
        bool, Parameter(group=_SETS, help="Tell the arms' figures although the design fails (study).")
    ] = False
    """Figures without differences."""
    label: Annotated[
        Literal["failure", "rework", "correction"] | None,
        Parameter(group=_FORECAST, help="What is to be foreseen. Default: each that the sessions tell."),
    ] = None
    """What is foreseen."""
    at: Annotated[
        str | None,
        Parameter(
            group=_FORECAST,
            help="After how many tool calls, or how much time: 5,10,20,40 (the default), 10m.",
            metavar="N,...",
        ),
    ] = None
    """Prefixes."""
    model: Annotated[
        Literal["logistic", "boosting"] | None,
        Parameter(group=_FORECAST, help="boosting needs pip install 'tracelode[train]'. Default: logistic."),
    ] = None
    """Model."""
    alarms: Annotated[
        float | None,
        Parameter(group=_FORECAST, help="False alarms a session that are accepted. Default: 0.05."),
    ] = None
    """Budget of false alarms."""
    saved: Annotated[
        Path | None,
        Parameter(
            name="--with",
            group=_FORECAST,
            help="A model that -o wrote: the risk of each session named.",
            converter=path,
            metavar="FILE",
        ),
    ] = None
    """A model file."""
    form: Annotated[
        Literal["claude", "codex"] | None,
        Parameter(
            name="--for", group=_POLICY, help="Whose permissions are proposed (policy). Default: claude."
        ),
    ] = None
    """Form of the snippet."""
    human_seconds: Annotated[
        float | None,
        Parameter(group=_POLICY, help="What an approval costs a person. Default: as measured, else 30."),
    ] = None
    """Cost of an approval."""
    rework_seconds: Annotated[
        float | None,
        Parameter(group=_POLICY, help="What a mistake costs. Default: as measured, else 600."),
    ] = None
    """Cost of rework."""
    score: Annotated[
        Path | None,
        Parameter(
            group=_POLICY,
            help="Plans to be scored on the benchmark named: JSON Lines of id and steps (bench).",
            converter=path,
            metavar="FILE",
        ),
    ] = None
    """Plans of a planner."""

    def check(self, action: str) -> None:
        """Refuse options of another action.

        Raises:
            UsageError: one is given.
        """
        _check(self, action)


PLAN = PlanOptions()
"""None given."""
_OWN = {
    "sarif": ("check",), "strict": ("check",), "fail_on": ("check", "alerts"),
    "parent_as": ("check", "metrics", "timeline"), "metric": ("metrics",), "rules": ("alerts",),
    "output": ("metrics", "timeline", "alerts", "study", "export", "bench", "forecast"),
    "cluster": ("metrics", "forecast"), "seed": ("metrics", "forecast"), "against": ("metrics",),
    "describe": ("study",), "label": ("forecast",), "at": ("forecast",), "model": ("forecast",),
    "alarms": ("forecast",), "saved": ("forecast",), "form": ("policy",), "human_seconds": ("policy",),
    "rework_seconds": ("policy",), "score": ("bench",),
}  # fmt: skip
"""Which actions take an option."""


def _check(options: PlanWords | PlanOptions, action: str) -> None:
    for field in fields(options):
        actions = _OWN[field.name]
        if getattr(options, field.name) not in (None, False) and action not in actions:
            name = {"saved": "with", "form": "for"}.get(field.name, field.name).replace("_", "-")
            raise UsageError(f"--{name} goes with plan {' and plan '.join(actions)}")

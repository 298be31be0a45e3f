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
        for field in fields(self):
            given = getattr(self, field.name)
            actions = _OWN[field.name]
            if given not in (None, False) and action not in actions:
                name = {"saved": "with", "form": "for"}.get(field.name, field.name).replace("_", "-")
                raise UsageError(f"--{name} goes with plan {' and plan '.join(actions)}")


PLAN = PlanOptions()
"""None given."""
_OWN = {
    "cluster": ("metrics", "forecast"), "seed": ("metrics", "forecast"), "against": ("metrics",),
    "describe": ("study",), "label": ("forecast",), "at": ("forecast",), "model": ("forecast",),
    "alarms": ("forecast",), "saved": ("forecast",), "form": ("policy",), "human_seconds": ("policy",),
    "rework_seconds": ("policy",), "score": ("bench",),
}  # fmt: skip
"""Which actions take an option."""

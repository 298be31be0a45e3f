"""How are metrics of plans grouped and written? The same on the screen and on a page."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("declared against observed", ("work_in_plan", "supported_completion", "tested_completion",
                                   "observed_rework")),
    ("decomposition", ("node_count", "node_count_seed", "nodes_initial", "nodes_added", "nodes_removed",
                       "plan_depth", "branching", "granularity")),
    ("coverage", ("coverage", "coverage_seed", "coverage_initial", "completion")),
    ("order", ("deviation", "deviation_seed", "displaced", "unplanned", "repeated", "deviation_explained",
               "order_only", "kendall_distance", "alignment_fitness", "precedence_violations")),
    ("people", ("human_rate", "human_rate_seed", "human_pre", "human_mid", "human_post", "planning",
                "corrective", "human_per_attempt", "human_per_hour", "detection_delay")),
    ("time and resources", ("node_duration", "node_duration_seed", "node_duration_median",
                            "node_duration_p90", "attempt_duration", "wall_time", "human_wait",
                            "concentration")),
    ("rollback", ("rollback_rate", "rollback_rate_seed", "rollback_cost", "rework_finished",
                  "rework_later_prompt", "rollback_D1", "rollback_D2", "rollback_D3", "rollback_D4",
                  "rollback_D5", "rollback_D6")),
    ("where nothing was planned", ("segment_count", "segment_calls", "segment_time",
                                   "segment_concentration")),
)  # fmt: skip
"""(title, names of metrics); the first is the headline."""
LEVEL = 0.05
"""p at or below which two sets are said to differ."""
NARROW = {
    "no spread": "each tells the same: how far off they may be cannot be seen",
    "few clusters": "fewer than 10 tell something else than 0 or all: they hold about 9 times in 10",
    "long tails": "values lie far apart: the true mean is above them up to 1 time in 11; see the median",
}
"""What a reason for bounds that are too narrow means, measured by benchmarks/plan_intervals.py."""


def metric_text(value: float | int | None, unit: str, *, signed: bool = False) -> str:
    """A metric for people.

    Args:
        value: None where it cannot be told.
        unit: as in PlanMetric.
        signed: with a sign, for a difference.

    Returns:
        Text; "-" for None.

    Example:
        >>> metric_text(None, "ratio"), metric_text(0.5, "ratio"), metric_text(3, "nodes", signed=True)
        ('-', '0.500', '+3')
    """
    if value is None:
        return "-"
    sign = "+" if signed else ""
    if unit == "seconds":
        return f"{value:{sign},.1f} s"
    return f"{value:{sign},}" if isinstance(value, int) else f"{value:{sign},.3f}"


def bounds(pair: tuple[float, float] | None, unit: str = "", *, signed: bool = False) -> str:
    """An interval for people.

    Args:
        pair: lower and upper bound, None where there is none.
        unit: as in PlanMetric.
        signed: with signs, for a difference.

    Returns:
        Text; "" for None.

    Example:
        >>> bounds((0.25, 0.5)), bounds((-2.0, 14.25), "seconds", signed=True)
        ('[0.250, 0.500]', '[-2.0, +14.2]')
    """
    if pair is None:
        return ""
    sign = "+" if signed else ""
    digits = 1 if unit == "seconds" or max(abs(pair[0]), abs(pair[1])) >= 100 else 3
    return f"[{pair[0]:{sign},.{digits}f}, {pair[1]:{sign},.{digits}f}]"


def chance(p: float | None) -> str:
    """A p value for people.

    Args:
        p: 0 to 1, None where nothing was tested.

    Returns:
        Text; "-" for None.

    Example:
        >>> chance(0.00391), chance(0.2), chance(None)
        ('0.0039', '0.200', '-')
    """
    return "-" if p is None else f"{p:.4f}" if p < 0.01 else f"{p:.3f}"


def narrowed(whys: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
    """Which bounds hold the true figure less often than they say?

    Args:
        whys: name to the reasons of its bounds, "" for none.

    Returns:
        Reason in words to names, in their order.

    Example:
        >>> narrowed({"coverage": ("", "no spread"), "completion": ("", "")})
        {'each tells the same: how far off they may be cannot be seen': ['coverage']}
    """
    named: dict[str, list[str]] = {}
    for name, both in whys.items():
        for why in dict.fromkeys(filter(None, both)):
            named.setdefault(NARROW[why], []).append(name)
    return named

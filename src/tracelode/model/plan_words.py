"""How are metrics of plans grouped and written? The same on the screen and on a page."""

from __future__ import annotations

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

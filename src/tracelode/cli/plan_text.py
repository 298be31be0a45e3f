"""How do plans look in a terminal? Findings, figures with their proof, and rows over time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from tracelode.cli import plan_sets_text
from tracelode.cli.nothing import lost_lines
from tracelode.cli.screen import Screen
from tracelode.cli.table import Column, Flex, Styled
from tracelode.cli.text import clean, moment, number, rough
from tracelode.model.plan_words import GROUPS, metric_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracelode.cli.table import Cell
    from tracelode.model.planning import PlanCheck, PlanFinding, PlanMetric, PlanReport, SessionPlan

_SIGNS = {"succeeded": "=", "failed": "x", "running": ">", "segment": "-"}
ROWS = 30
"""Rows of a table on the screen."""
_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}


def check(found: PlanCheck) -> None:
    """Write findings, the checklist and the problems that show.

    Args:
        found: a check.
    """
    screen = Screen()
    words = [number(found.events, "event"), number(found.sessions, "session")]
    if found.unusable:
        words.append(f"{found.unusable:,} unusable")
    if found.duplicates:
        words.append(f"{found.duplicates:,} copies left out")
    screen.sentence(", ".join(words))
    if found.findings:
        _findings(screen, found.findings)
    else:
        screen.sentence("nothing is off")
    screen.sentence("")
    rows: list[list[Cell]] = [
        [f"{c.item}", Flex(c.text), f"{c.good:,}/{c.of:,}" if c.of else "-", _mark(c.passed, c.note)]
        for c in found.checklist
    ]
    columns = [Column("", right=True), Column("capture checklist", grow=True, least=16),
               Column("kept", right=True), Column("")]  # fmt: skip
    screen.table(columns, rows)
    for note in dict.fromkeys(c.note for c in found.checklist if c.note):
        screen.sentence(f"not told: {note}")
    seen = [t for t in found.troubles if t.seen]
    if seen:
        screen.sentence("")
    for trouble in seen:
        screen.flow("problem", [f"{trouble.name} ({trouble.symptom})", f"cause: {trouble.cause}",
                                f"remedy: {trouble.remedy}"], joint="; ", indent=9)  # fmt: skip


def _mark(passed: bool | None, note: str) -> Styled:
    if passed is None:
        return Styled("not told" if note else "open", "dim")
    return Styled("pass", "green") if passed else Styled("FAIL", "red")


def _findings(screen: Screen, findings: Sequence[PlanFinding]) -> None:
    """One row a kind: the same thing in many sessions is one row."""
    groups: dict[tuple[str, str, str], list[PlanFinding]] = {}
    for one in findings:
        groups.setdefault((one.severity, one.code, one.message), []).append(one)
    order = {"error": 0, "warning": 1, "info": 2}
    listed = sorted(groups.items(), key=lambda g: (order[g[0][0]], g[0][1:]))
    for (severity, code, message), same in listed[:ROWS]:
        sessions = len({f.session_id for f in same})
        parts = [f"{severity}: {message}"]
        if any(f.examples or f.count > 1 for f in same):
            parts.append(f"{sum(f.count for f in same):,}x")
        if sessions > 1:
            parts.append(f"in {number(sessions, 'session')}")
        where = ", ".join(clean(e) for e in same[0].examples[:3])
        if where:
            place = f"line {same[0].line}: " if same[0].line and not where.startswith("line") else ""
            parts.append(f"{place}{where}")
        screen.flow(code, [Text(parts[0], style=_STYLES[severity]), *parts[1:]], joint="; ", indent=7)
        if severity != "info":
            screen.flow("", [Text(same[0].fix, style="dim")], indent=7)
    if len(listed) > ROWS:
        screen.sentence(f"and {len(listed) - ROWS:,} kinds more; see --json")


def metrics(report: PlanReport) -> None:
    """Write the metrics of one session, or of several together.

    Args:
        report: at least one session.
    """
    screen = Screen()
    if len(report.sessions) == 1:
        _one(screen, report.sessions[0])
    else:
        plan_sets_text.together(report, GROUPS)
    if any(p.weighted for p in report.pooled):
        screen.sentence("corrected for sessions that sampling left out")
    if report.unusable:
        screen.sentence(lost_lines(report.unusable))
    screen.sentence("high or low is not right or wrong: read it with the kind of task")


def _one(screen: Screen, one: SessionPlan) -> None:
    counts = ", ".join(f"{n:,} {word}" for word, n in one.counts.items())
    screen.flow("session", [clean(one.session_id)], indent=9)
    if one.goal:
        screen.flow("goal", [clean(one.goal)], indent=9)
    kind = clean(one.task_type) or "kind of task not told"
    actors = ", ".join(f"{clean(word)} {n:,}" for word, n in one.actors.items())
    screen.flow("events", [counts, actors, kind, f"plan {one.tier}"], joint="; ", indent=9)
    by_name = {m.name: m for m in one.metrics}
    for title, names in GROUPS:
        listed = [by_name[name] for name in names if name in by_name and _worth(by_name[name])]
        rows = [_row(metric) for metric in listed]
        if listed and all(m.value is None for m in listed):
            reason = Counter(m.reason for m in listed).most_common(1)[0][0]
            screen.sentence("")
            screen.flow(title, [f"not applicable: {reason}"], indent=len(title) + 2)
        elif rows:
            screen.sentence("")
            columns = [Column(title, least=18), Column("value", right=True), Column("of", right=True, rank=2),
                       Column("", grow=True, rank=1)]  # fmt: skip
            screen.table(columns, rows)
    _nodes(screen, one)
    _people(screen, one)
    _back(screen, one)
    for note in one.notes:
        screen.sentence(f"note: {note}")


def _nodes(screen: Screen, one: SessionPlan) -> None:
    """What each node took: where resources go."""
    if not one.nodes:
        return
    screen.sentence("")
    rows: list[list[Cell]] = [
        ["" if n.initial else "+", Flex(n.text or n.id), n.status, f"{n.attempts:,}", rough(n.time),
         *("-" if v is None else f"{v:,}" for v in (n.calls, n.turns, n.tokens)), f"{n.human:,}"]
        for n in one.nodes[:ROWS]
    ]  # fmt: skip
    columns = [
        Column(""), Column("node", grow=True, least=12), Column("status", rank=3),
        Column("tries", right=True), Column("time", right=True), Column("calls", right=True, rank=1),
        Column("turns", right=True, rank=4), Column("tokens", right=True, rank=2),
        Column("people", right=True, rank=5),
    ]  # fmt: skip
    screen.table(columns, rows)
    if len(one.nodes) > ROWS:
        screen.sentence(f"and {len(one.nodes) - ROWS:,} more; see --json")


def _worth(metric: PlanMetric) -> bool:
    """Counts of detectors that found nothing are left out on the screen, and stretches of what has a plan."""
    if metric.name.startswith("segment_"):
        return metric.value is not None
    return not (metric.name.startswith("rollback_D") and metric.value == 0)


def _row(metric: PlanMetric) -> list[Cell]:
    return [metric.name, metric_text(metric.value, metric.unit), _of(metric), Flex(metric.reason, "dim")]


def _of(metric: PlanMetric) -> str:
    if metric.denominator is None or metric.numerator is None:
        return ""
    parts = [f"{p:,}" if isinstance(p, int) else f"{p:,.1f}" for p in (metric.numerator, metric.denominator)]
    return "/".join(parts)


def _people(screen: Screen, one: SessionPlan) -> None:
    if not one.interventions:
        return
    screen.sentence("")
    rows: list[list[Cell]] = [
        [moment(i.timestamp, "UTC", "%H:%M:%S"), i.position, i.decision + ("" if i.declared else "*"),
         Flex(i.node_id), Flex(i.text, "dim")]
        for i in one.interventions[:ROWS]
    ]  # fmt: skip
    screen.table([Column("UTC", rank=2), Column("when"), Column("people"), Column("node", least=8),
                  Column("", grow=True, rank=1)], rows)  # fmt: skip
    if len(one.interventions) > ROWS:
        screen.sentence(f"and {len(one.interventions) - ROWS:,} more; see --json")
    if any(not i.declared for i in one.interventions):
        screen.sentence("* concluded from type, status and moment")


def _back(screen: Screen, one: SessionPlan) -> None:
    for back in one.rollbacks[:ROWS]:
        parts = [f"to {clean(back.to_node)} ({', '.join(back.detectors)})", f"by {back.initiator}"]
        if back.trigger:
            parts.append(f"after {clean(back.trigger)}")
        parts.append("plan corrected" + ("" if back.diff else ", no difference told") if back.corrected
                     else "plan not corrected")  # fmt: skip
        if back.cost is not None:
            parts.append(f"{back.cost / 1e6:,.0f} s repeated")
        if back.delay is not None:
            parts.append(f"seen after {back.delay / 1e6:,.0f} s")
        screen.flow("rollback", parts, joint="; ", indent=9)


def proof(report: PlanReport, name: str) -> None:
    """Write one metric of every session with the events behind it.

    Args:
        report: at least one session.
        name: of a metric.
    """
    screen = Screen()
    for one in report.sessions:
        found = next((m for m in one.metrics if m.name == name), None)
        if found is None:
            continue
        mix = ", ".join(f"{n:,} {word}" for word, n in found.evidence.items())
        parts = [metric_text(found.value, found.unit), _of(found), f"n {found.n:,}", mix, found.reason]
        screen.flow(clean(one.session_id), ["", *(p for p in parts if p)], joint="  ", indent=9)
        if found.events:
            screen.flow("", [clean(e) for e in found.events], joint=" ", indent=9)


def timeline(sessions: Sequence[SessionPlan], tz: str, unusable: int = 0) -> None:
    """Write sessions over time: a row a node, a cell a stretch.

    Args:
        sessions: measured sessions.
        tz: zone of clock times.
        unusable: lines of files that are no event.
    """
    screen = Screen()
    for place, one in enumerate(sessions):
        if place:
            screen.sentence("")
        _drawn(screen, one, tz)
    signs = ("= succeeded", "x failed", "~ paused or removed", "> running", "? start not told", "H person",
             "< rollback")  # fmt: skip
    screen.flow("", signs, joint="  ", indent=0)
    if any(one.tier == "inferred" for one in sessions):
        screen.sentence("- a stretch of one stage: nothing was planned")
    if unusable:
        screen.sentence(lost_lines(unusable))


def _drawn(screen: Screen, one: SessionPlan, tz: str) -> None:
    span = f"{moment(one.started, tz)} to {moment(one.ended, tz, '%H:%M')}"
    screen.flow("session", [clean(one.session_id), span], joint=", ", indent=9)
    if not one.nodes:
        screen.sentence("no plan node")
        return
    cells = 20 if screen.width < 60 else min(80, screen.width - 44)
    goals = _marks(one, cells, {i.node_id for i in one.interventions} - {n.id for n in one.nodes})
    rows: list[list[Cell]] = []
    if goals.strip():
        rows.append(["", Flex(clean(one.goal) or "goal", "dim"), goals, ""])
    for node in one.nodes[:200]:
        mark = "" if node.initial else "+"
        rows.append([mark, Flex(node.text or node.id), _line(one, node.id, cells), rough(node.time) or "-"])
    screen.table([Column(""), Column("node", grow=True, least=10), Column("time"),
                  Column("spent", right=True, rank=1)], rows)  # fmt: skip
    if len(one.nodes) > 200:
        screen.sentence(f"and {len(one.nodes) - 200:,} nodes more; see --json")


def _cell(one: SessionPlan, at: int | None, cells: int) -> int | None:
    if at is None or one.started is None or one.ended is None:
        return None
    span = one.ended - one.started
    return min(cells - 1, max(0, (at - one.started) * cells // span)) if span else 0


def _line(one: SessionPlan, node: str, cells: int) -> str:
    line = [" "] * cells
    for bar in one.bars:
        if bar.node != node:
            continue
        start = _cell(one, bar.started, cells)
        if start is None:
            continue
        stop = _cell(one, bar.ended if bar.ended is not None else one.ended, cells)
        sign = "?" if bar.implied else _SIGNS.get(bar.end, "~")
        for place in range(start, max(start, stop if stop is not None else start) + 1):
            line[place] = sign
    for back in one.rollbacks:
        at = _cell(one, back.timestamp, cells)
        if back.to_node == node and at is not None:
            line[at] = "<"
    for person in one.interventions:
        at = _cell(one, person.timestamp, cells)
        if person.node_id == node and at is not None:
            line[at] = "H"
    return "".join(line).rstrip()


def _marks(one: SessionPlan, cells: int, nodes: set[str]) -> str:
    line = [" "] * cells
    for person in one.interventions:
        at = _cell(one, person.timestamp, cells)
        if person.node_id in nodes and at is not None:
            line[at] = "H"
    return "".join(line).rstrip()

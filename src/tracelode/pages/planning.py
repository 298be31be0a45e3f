"""How is planning read by people? Metrics with what they are made of, and sessions over time, as pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from tracelode.model.numbers import number
from tracelode.model.plan_words import GROUPS, metric_text
from tracelode.model.planning import PlanMetric, PlanReport, Pooled, SessionPlan
from tracelode.model.words import duration, percent
from tracelode.pages.parts import Cell, Page, Part, Picture, Row, Section, Table, Tiles, Tone, Words

_T = TypeVar("_T")
SESSIONS = 60
"""Sessions in a table or with a timeline, at most."""
ROWS = 200
"""Nodes or interventions of one session, at most."""
REASONS = 3
"""Reasons why a metric has no value, at most."""
CAUTION = "High or low is not right or wrong: read a figure with the kind of task."
_HEADLINE = (
    ("work_in_plan", "work that lies in the plan"),
    ("supported_completion", "done items with work behind them"),
    ("completion", "planned items done"),
    ("coverage", "planned items worked on"),
    ("human_rate", "of all events but goals are of people"),
    ("rollback_rate", "of all starts go back to earlier work"),
)


def headline(report: PlanReport) -> Section:
    """Planning in a few figures, for a page about more than plans.

    Args:
        report: sessions and their pooled metrics.
    """
    by_name = {one.name: one for one in report.pooled}
    planned = _planned(report)
    tiles = [(f"{planned:,} of {len(report.sessions):,}", "sessions and sub-agents with a plan")]
    for name, words in _HEADLINE:
        one = by_name.get(name)
        if one is not None and one.pooled is not None:
            ratio = one.unit == "ratio"
            text = percent(round(one.pooled * 10_000), 10_000) if ratio else metric_text(one.pooled, one.unit)
            tiles.append((text, words))
    return Section("Plans", (Tiles(tuple(tiles)), Words(CAUTION, "soft")))


def _planned(report: PlanReport) -> int:
    """Sessions with a plan; stretches of one stage where nothing was planned are none."""
    return sum(1 for one in report.sessions if one.tier in ("declared", "human"))


def metrics_page(report: PlanReport) -> Page:
    """All metrics of one session, or of several together and one by one.

    Args:
        report: at least one session.
    """
    sections: list[Section] = []
    if len(report.sessions) == 1:
        one = report.sessions[0]
        title, lead = one.session_id, one.goal
        sections += [*_groups({m.name: m for m in one.metrics}, _metric, _ONE), *session(one)]
    else:
        planned = _planned(report)
        title = "How people and agents plan"
        lead = f"{len(report.sessions):,} sessions and sub-agents; {planned:,} with a plan."
        sections += _groups({p.name: p for p in report.pooled}, _pooled, _MANY)
        people = _people_where(report)
        if people is not None:
            sections.append(people)
        sections.append(Section("Session by session", (_sessions(report),)))
    if report.unusable:
        words = f"{number(report.unusable, 'line')} cannot be used; tracelode plan check says why."
        sections.append(Section("", (Words(words, "note"),)))
    marks = (f"definitions version {report.metrics_version}",)
    return Page(title=title, lead=lead, marks=(CAUTION, *marks), sections=tuple(sections))


def timeline_page(sessions: Sequence[SessionPlan], draw: Callable[[SessionPlan], str]) -> Page:
    """Sessions over time, each with its nodes, people and rollbacks.

    Args:
        sessions: measured sessions.
        draw: the picture of one, as an SVG without a style of its own.
    """
    found = []
    for one in sessions[:SESSIONS]:
        picture = Picture(svg=draw(one), note="dashed: no start told; purple: a person; red mark: a rollback")
        parts = [part for section in session(one) for part in section.parts]
        found.append(Section(one.session_id, (picture, *parts)))
    if len(sessions) > SESSIONS:
        found.append(Section("", (Words(f"and {number(len(sessions) - SESSIONS, 'more session')}"),)))
    one_only = len(sessions) == 1
    return Page(
        title="Plan over time" if one_only else "Plans over time",
        lead=sessions[0].goal if one_only else f"{number(len(sessions), 'session')}.",
        sections=tuple(found),
    )


def session(one: SessionPlan) -> tuple[Section, ...]:
    """What one session's nodes took, where people stepped in, what was gone back to.

    Args:
        one: a measured session.
    """
    found: list[Section] = []
    if one.nodes:
        found.append(Section("Nodes", (_nodes(one),)))
    if one.interventions:
        found.append(Section("People", (_people(one),)))
    if one.rollbacks:
        found.append(Section("Rollbacks", (_rollbacks(one),)))
    if one.notes:
        found.append(Section("", tuple(Words(note, "note") for note in one.notes)))
    return tuple(found)


_ONE = ("metric", ">value", ">of", "why unknown, or what was left out")
_MANY = ("metric", ">pooled", ">mean", ">median", ">sessions", "why unknown")


def _groups(by_name: dict[str, _T], row: Callable[[_T], Row], heads: tuple[str, ...]) -> list[Section]:
    """Metrics in their groups; one that no group names comes last."""
    named = {name for _, names in GROUPS for name in names}
    rest = tuple(name for name in by_name if name not in named)
    found = []
    for title, names in (*GROUPS, ("further metrics", rest)):
        rows = tuple(row(by_name[name]) for name in names if name in by_name)
        if rows:
            found.append(Section(title.capitalize(), (Table(heads=heads, rows=rows, few=True),)))
    return found


def _metric(one: PlanMetric) -> Row:
    known = one.numerator is not None and one.denominator is not None
    of = f"{_plain(one.numerator)} / {_plain(one.denominator)}" if known else ""
    return (one.name, _value(one.value, one.unit), of, Cell(one.reason, "soft"))


def _pooled(one: Pooled) -> Row:
    of = one.sessions + sum(one.missing.values())
    reasons = sorted(one.missing.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{n:,} x {reason or 'not told'}" for reason, n in reasons[:REASONS]]
    if len(reasons) > REASONS:
        parts.append(f"and {number(len(reasons) - REASONS, 'other reason')}")
    why = "; ".join(parts)
    values = (_value(v, one.unit) for v in (one.pooled, one.mean, one.median))
    return (one.name, *values, f"{one.sessions:,} of {of:,}", Cell(why, "soft"))


def _value(value: float | int | None, unit: str) -> str | Cell:
    if value is None:
        return Cell("unknown", "soft")
    text = metric_text(value, unit)
    return Cell(text, share=float(value)) if unit == "ratio" and 0 <= value <= 1 else text


def _plain(value: float | int | None) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _people_where(report: PlanReport) -> Section | None:
    where: Counter[str] = Counter(
        i.position for one in report.sessions for i in one.interventions if i.decision != "goal"
    )
    if not where:
        return None
    words = {"pre": "before work began", "mid": "while it went on", "post": "after it", "unknown": "unknown"}
    tiles = tuple((f"{where[key]:,}", text) for key, text in words.items() if where[key] or key != "unknown")
    return Section("Where people stepped in", (Tiles(tiles),))


def _sessions(report: PlanReport) -> Table:
    rows = []
    for one in report.sessions[:SESSIONS]:
        by_name = {m.name: m for m in one.metrics}
        picked = (by_name.get(name) for name in ("completion", "deviation", "rollback_rate"))
        rows.append(
            (
                Cell(one.session_id, code=True),
                one.tier,
                f"{len(one.nodes):,}",
                f"{len(one.interventions):,}",
                f"{len(one.rollbacks):,}",
                *(None if m is None or m.value is None else metric_text(m.value, m.unit) for m in picked),
            )
        )
    left = len(report.sessions) - len(rows)
    heads = ("session", "plan", ">nodes", ">of people", ">rollbacks", ">completion", ">deviation",
             ">rollback rate")  # fmt: skip
    return Table(heads=heads, rows=tuple(rows), note=f"and {left:,} more" if left > 0 else "")


_TONES: dict[str, Tone] = {"succeeded": "good", "failed": "bad"}


def _nodes(one: SessionPlan) -> Part:
    rows = tuple(
        (
            node.text or node.id,
            Cell(node.status, _TONES.get(node.status, "soft")),
            "planned" if node.initial else "added",
            f"{node.attempts:,}",
            None if node.time is None else duration(node.time),
            *(None if v is None else f"{v:,}" for v in (node.calls, node.turns, node.tokens)),
            f"{node.human:,}",
        )
        for node in one.nodes[:ROWS]
    )
    left = len(one.nodes) - len(rows)
    heads = ("node", "status", "when", ">tries", ">time", ">calls", ">turns", ">tokens", ">people")
    return Table(heads=heads, rows=rows, note=f"and {number(left, 'more node')}" if left > 0 else "")


def _people(one: SessionPlan) -> Part:
    rows = tuple(
        (
            i.position,
            i.decision + ("" if i.declared else " (concluded)"),
            "yes" if i.corrective else "",
            Cell(i.node_id, code=True),
            i.text,
        )
        for i in one.interventions[:ROWS]
    )
    left = len(one.interventions) - len(rows)
    note = (
        "concluded: from type, status and moment, not declared" if any("(" in row[1] for row in rows) else ""
    )
    return Table(
        heads=("when", "decision", "corrects", "node", "words"),
        rows=rows,
        note="; ".join(filter(None, (note, f"and {left:,} more" if left > 0 else ""))),
    )


def _rollbacks(one: SessionPlan) -> Part:
    rows = tuple(
        (
            Cell(back.to_node, code=True),
            ", ".join(back.detectors),
            back.initiator,
            "corrected" if back.corrected else "not corrected",
            None if back.cost is None else duration(back.cost),
            None if back.delay is None else duration(back.delay),
        )
        for back in one.rollbacks[:ROWS]
    )
    heads = ("back to", "told by", "by", "plan", ">repeated", ">seen after")
    return Table(heads=heads, rows=rows, few=True)

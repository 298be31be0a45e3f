"""What does the page of a store say? A section an answer: totals, money, steps, circles, what is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from tracelode.model.compiled import Found
from tracelode.model.finding import Finding
from tracelode.model.numbers import number
from tracelode.model.priced import money_text
from tracelode.model.profile import Profile
from tracelode.model.ranking import Loops, Ranking
from tracelode.model.report import Doctor, Sums, Totals
from tracelode.model.words import UNKNOWN, count, dollars, duration, noun, percent, value_text
from tracelode.pages.parts import Bars, Cell, Part, Row, Section, Table, Tiles, Words
from tracelode.workspace.report_names import ReportNames

ROWS = 12
"""Rows of a table."""
BARS = 8
"""Bars of one picture."""
TOP = "A + behind money: tokens whose model has no price come on top; What is unknown names the models."
"""What a sign means."""
SLOTS = 31
"""Days, weeks or months side by side, at most."""
_TIMES = ("model", "tool", "blocked", "idle", "unknown")


def value(measure: str, sums: Sums) -> int:
    """What totals are of the measure that a report is sorted by: cost, else output tokens."""
    return sums.cost_picodollars if measure == "cost" else sums.tokens.get("output") or 0


def value_words(measure: str, sums: Sums) -> str:
    """The same for people; what has no price is said, never $0."""
    if sums.untold:
        return UNKNOWN
    return _words(measure, value(measure, sums), _bare(measure, sums))


def totals(found: Totals) -> Section:
    """Sessions, calls, tokens, money and time."""
    lacking = sum(found.unpriced.values())
    cost = dollars(found.cost_picodollars) if found.cost_picodollars or not lacking else "unpriced"
    cost = UNKNOWN if found.untold else cost
    tokens = found.tokens
    written = (tokens.get("cache_write_5m") or 0) + (tokens.get("cache_write_1h") or 0)
    kinds = (
        (count(tokens.get("input_fresh")), "of them fresh input"),
        (count(tokens.get("cache_read")), "read from caches"),
        (count(written), "written to caches"),
        (count(tokens.get("output")), "output"),
        (count(tokens.get("reasoning")), "reasoning, where told apart"),
    )
    tiles = [
        (cost, f"and {lacking:,} tokens without a price" if lacking else "cost"),
        (f"{found.sessions:,}", f"sessions, {number(found.subagents, 'sub-agent')}"),
        (f"{found.calls:,}", "model calls"),
        (UNKNOWN if found.untold else count(found.total_tokens), "tokens"),
        *(() if found.untold else kinds),
        *((duration(found.time_us.get(kind, 0)), f"{_TIME_WORDS[kind]}") for kind in _TIMES),
    ]
    return Section("", (Tiles(tuple(tiles)),))


_TIME_WORDS = {
    "model": "time of models",
    "tool": "time of tools",
    "blocked": "waiting for a person",
    "idle": "idle",
    "unknown": "time of unknown use",
}


def money(found: Totals, measure: str, names: ReportNames) -> Section:
    """Where it went: by model, project and time."""
    parts: list[Part] = []
    for dimension, title in (("model", "By model"), ("project", "By project"), ("agent", "By agent")):
        rows = found.by.get(dimension, {})
        if len(rows) > 1 or dimension == "model":
            parts += [Words(title, "title"), _bars(rows, measure, dimension, names)]
    if len(found.by.get("day", {})) > 1:
        parts += [Words(f"Over time ({found.tz})", "title"), _over_time(found, measure)]
    if found.unpriced and measure == "cost":
        parts.append(Words(TOP, "soft"))
    return Section(f"Where the {'money' if measure == 'cost' else noun(measure)} went", tuple(parts))


def _bars(rows: dict[str, Sums], measure: str, dimension: str, names: ReportNames) -> Bars:
    held = ((name, sums) for name, sums in rows.items() if sums.total_tokens or value(measure, sums))
    ordered = sorted(held, key=lambda row: (-value(measure, row[1]), -row[1].total_tokens, row[0]))
    longest = max((value(measure, sums) for _, sums in ordered), default=0) or 1
    shown = [
        (names.of(dimension, name), value_words(measure, sums), value(measure, sums) / longest)
        for name, sums in ordered[:BARS]
    ]
    rest = ordered[BARS:]
    note = ""
    if rest:
        left = _words(measure, *(sum(of(measure, sums) for _, sums in rest) for of in (value, _bare)))
        note = f"and {len(rest):,} more with {left} together"
    return Bars(rows=tuple(shown), note=note)


def _over_time(found: Totals, measure: str) -> Bars:
    """Days, else weeks, else months: the first that fit."""
    days = {day: (value(measure, sums), _bare(measure, sums)) for day, sums in found.by["day"].items()}
    for slot in (str, _week, lambda day: day[:7], lambda day: day[:4]):
        sums: dict[str, tuple[int, int]] = {}
        for day, (held, bare) in days.items():
            key = day if day == "(none)" else slot(day)
            before = sums.get(key, (0, 0))
            sums[key] = (before[0] + held, before[1] + bare)
        if len(sums) <= SLOTS:
            break
    longest = max((n for n, _ in sums.values()), default=0) or 1
    ordered = sorted(sums.items(), key=lambda slot: (slot[0] == "(none)", slot[0]))
    named = (("at an unknown time" if key == "(none)" else key, held) for key, held in ordered)
    return Bars(rows=tuple((key, _words(measure, n, bare), n / longest) for key, (n, bare) in named))


def _bare(measure: str, sums: Sums) -> int:
    """Tokens without a price, where it is money that is told."""
    return sum(sums.unpriced.values()) if measure == "cost" else 0


def _words(measure: str, held: int, bare: int) -> str:
    """A sum for people; money that has no price is said."""
    return money_text(held, bare) if measure == "cost" else value_text(measure, held)


def _week(day: str) -> str:
    at = date.fromisoformat(day)
    return f"week of {at - timedelta(days=at.weekday())}"


def work(profile: Profile, sessions: dict[tuple[str, ...], int], names: ReportNames) -> Table:
    """The dearest kinds of work.

    Args:
        profile: folded on the fields that name a kind of work; its first measure sorts.
        sessions: stack to root sessions that have it.
        names: how names are written.
    """
    measure, whole = profile.measures[0], profile.total()
    at = {m: i for i, m in enumerate(profile.measures)}
    rows = sorted(profile.totals.items(), key=lambda row: (-row[1][0], row[0]))
    lines: list[Row] = []
    for stack, values in rows[:ROWS]:
        bare = values[at["tokens.unpriced"]] if "tokens.unpriced" in at else 0
        text = _words(measure, values[0], bare)
        lines.append(
            (
                names.stack(stack),
                Cell(text, share=values[0] / whole if whole else 0.0),
                percent(values[0], whole),
                *(value_text(m, values[at[m]]) for m in ("tokens", "time.active", "operations")),
                f"{sessions.get(stack, 0):,}",
            )
        )
    left = len(rows) - len(lines)
    note = ""
    if left > 0:
        note = f"and {left:,} more with {value_text(measure, sum(v[0] for _, v in rows[ROWS:]))} together"
    heads = (" › ".join(profile.fields), f">{noun(measure)}", ">%", ">tokens", ">active time", ">operations",
             ">sessions")  # fmt: skip
    return Table(heads=heads, rows=tuple(lines), note=note)


def looks(findings: Iterable[Finding], ranking: Ranking | None, names: ReportNames) -> Section | None:
    """What to look at first: steps that fail again and again, and operations by rank."""
    parts: list[Part] = []
    found = list(findings)
    if found:
        rows = tuple(
            (one.what, one.why, Cell(names.place(one.where[0]) if one.where else "", code=True))
            for one in found[:ROWS]
        )
        parts.append(Table(heads=("what fails again and again", "why", "open"), rows=rows))
    if ranking is not None and ranking.ranked:
        lines: list[Row] = [
            (
                Cell(names.place(f"{one.session}#{one.index}"), code=True),
                names.stack(one.group),
                "; ".join(one.reasons),
                Cell(names.line(one.path, one.line), "soft", code=True),
            )
            for one in ranking.ranked[:ROWS]
        ]
        told_of = 3 if names.share else 4  # files are not told to others
        heads = ("operation", " › ".join(ranking.groups), "reasons", "line")[:told_of]
        told = f"ranked: {number(ranking.operations, 'operation')} of {number(ranking.sessions, 'session')}"
        if not ranking.failed or not ranking.passed:
            told += "; no outcomes tell failed from succeeded sessions, so groups are not compared"
        parts.append(Table(heads=heads, rows=tuple(line[:told_of] for line in lines), note=f"{told}."))
    return Section("Steps to look at first", tuple(parts)) if parts else None


def circles(found: Loops, names: ReportNames) -> Section | None:
    """Where sessions do the same again with the same result."""
    if not found.loops:
        return None
    measures = list(found.measures)
    rows: tuple[Row, ...] = tuple(
        (
            Cell(names.place(f"{one.session}#{one.places[0]}"), code=True),
            f"{names.frame(one.stage)} › {names.frame(one.tool)}",
            one.words,
            f"{one.repeats:,}",
            *(value_text(m, one.measures.get(m)) for m in measures),
        )
        for one in found.loops[:ROWS]
    )
    costs = ", ".join(f"{value_text(m, v)} {noun(m)}" for m, v in found.measures.items() if v is not None)
    note = (
        f"{number(found.total, 'loop')} with {number(found.repeats, 'repetition')}"
        + (f": {costs}" if costs else "")
        + "."
    )
    heads = ("from", "stage › tool", "what", ">again", *(f">{noun(m)}" for m in measures))
    return Section("Circles", (Table(heads=heads, rows=rows, note=note),))


def candidates(found: Found, names: ReportNames) -> Section | None:
    """Work that repeats: what the compiler could make a workflow of."""
    if not found.intents:
        return None
    rows = []
    for one in found.intents[:ROWS]:
        good, bad, open_ = found.outcomes.get(one.id, (0, 0, len(one.runs)))
        name = names.frame(one.name)
        tools = ", ".join(names.frame(tool) for tool, _ in one.tools[:4])
        more = f" and {len(one.tools) - 4:,} more" if len(one.tools) > 4 else ""
        ended = f"{good:,} / {bad:,} / {open_:,}"
        rows.append((Cell(one.id, code=True), name, f"{len(one.runs):,}", ended, tools + more))
    heads = ("intent", "name", ">runs", ">succeeded / failed / unknown", "tools")
    inside = sum(len(one.runs) for one in found.intents)
    note = (
        f"{number(len(found.intents), 'intent')} of {number(inside, 'run')}; "
        f"{number(found.alone, 'run')} alone. tracelode compile INTENT says which become a workflow, and "
        "why others do not."
    )
    return Section("Work that repeats", (Table(heads=heads, rows=tuple(rows), note=note),))


def unknown(found: Totals, doctor: Doctor, names: ReportNames) -> Section:
    """What the figures do not hold, and how exact they are."""
    parts: list[Part] = []
    if found.unpriced:
        rows = tuple((names.of("model", model), f"{tokens:,}") for model, tokens in found.unpriced.items())
        head = ("model without a price", ">tokens")
        parts.append(
            Table(heads=head, rows=rows[:ROWS], few=True, note=_left(len(rows) - ROWS, "more model"))
        )
    told = list(_exactness(found, doctor))
    if doctor.skipped:
        reasons = tuple((one.reason, f"{one.count:,}") for one in doctor.skipped[:ROWS])
        head = ("what could not be used of the sources", ">times")
        left = _left(len(doctor.skipped) - ROWS, "more reason")
        parts.append(Table(heads=head, rows=reasons, few=True, note=left))
    parts += [Words(words, "plain") for words in told]
    if not parts:
        parts.append(Words("Every model has a price, every line could be used."))
    return Section("What is unknown", tuple(parts))


def _exactness(found: Totals, doctor: Doctor) -> Iterable[str]:
    if found.calls_lower_bound:
        yield (
            f"{found.calls_lower_bound:,} of {number(found.calls, 'call')} without a final count of tokens: "
            "such figures are lower bounds."
        )
    if found.tokens.get("reasoning") is None and found.calls:
        yield "No source tells reasoning tokens apart; output holds both."
    tool, bound = doctor.quality.get("tool_us"), doctor.quality.get("tool_us_upper_bound")
    if tool and bound:
        yield f"{percent(bound, tool)} of the time of tools is an upper bound: from the call to its result."


def _left(left: int, noun: str) -> str:
    return f"and {number(left, noun)}" if left > 0 else ""

"""What does the first screen say? Totals, work by cost, what to look at, what to type next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from rich.text import Text

from tracelode.cli import shapes
from tracelode.cli.keys import short_keys
from tracelode.cli.screen import Screen, bar
from tracelode.cli.table import Cell, Column, Flex
from tracelode.cli.text import JOINT, clean, cut_stack, moment, number, rough, shell_word, width
from tracelode.cli.view import default_measure
from tracelode.model.finding import Finding
from tracelode.model.query import Query
from tracelode.model.report import Totals
from tracelode.model.words import SHORT, UNKNOWN, count, dollars, percent, value_text

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

ROWS = 10
"""Rows of the table of work."""
STACK = ("intent", "stage")
"""Fields that name a kind of work."""
LOOKS = 3
"""Findings named on the screen."""


@dataclass(frozen=True)
class Work:
    """One kind of work: a stack with what it took."""

    stack: tuple[str, ...]
    """intent, stage."""
    value: int
    """Of the board's measure."""
    sessions: int
    """Root sessions with operations in it."""


@dataclass(frozen=True)
class Board:
    """Everything the first screen shows."""

    totals: Totals
    """Totals and their split."""
    measure: str
    """cost, or tokens.output where nothing is priced."""
    work: list[Work]
    """Largest first; values sum to the total."""
    findings: list[Finding]
    """What is worth a look, most first."""
    short: dict[str, str]
    """Session key to the shortest unique start of it."""


def ask(workspace: Workspace, query: Query, *, split: bool = False) -> Board:
    """Put the questions of the first screen.

    Args:
        workspace: an open workspace.
        query: filters.
        split: totals along every dimension as well, as the JSON answer has them.

    Returns:
        The answers.
    """
    totals = workspace.totals(query, split=split)
    measure = default_measure(totals.total_tokens, sum(totals.unpriced.values()))
    return Board(
        totals=totals,
        measure=measure,
        work=_work(workspace, query, measure),
        findings=workspace.findings(query),
        short=short_keys(workspace.sessions()),
    )


def _work(workspace: Workspace, query: Query, measure: str) -> list[Work]:
    asked = msgspec.structs.replace(query, stack=STACK, measures=(measure,))
    values: dict[tuple[str, ...], int] = {}
    # A sub-agent's frames come below the stage that spawned it: they are part of that work.
    for stack, (value,) in workspace.profile(asked).totals.items():
        work = stack[: len(STACK)]
        values[work] = values.get(work, 0) + value
    sessions = workspace.sessions_by(asked, len(STACK))
    order = sorted(values, key=lambda work: (-values[work], work))
    return [Work(work, values[work], sessions.get(work, 0)) for work in order]


def answer(board: Board) -> dict[str, Any]:
    """The board as JSON."""
    return {
        **shapes.totals(board.totals),
        "measure": board.measure,
        "top": [{"stack": list(w.stack), board.measure: w.value, "sessions": w.sessions} for w in board.work],
        "findings": [shapes.finding(f) for f in board.findings],
    }


def draw(screen: Screen, board: Board, title: str) -> None:
    """Write the screen down to the findings.

    Args:
        screen: standard output.
        board: what ask() gave.
        title: the command, as typed.
    """
    _heads(screen, board.totals, title)
    screen.print()
    _table(screen, board)
    screen.print()
    for place, item in enumerate(board.findings[:LOOKS]):
        _look(screen, board, item, "look at" if not place else "")


def follow(screen: Screen, board: Board, *, wrote: str | None, store: str | None, picture: str) -> None:
    """Write what was written and what to type next.

    Args:
        screen: standard output.
        board: what ask() gave.
        wrote: path of a file, or None.
        store: folder the commands need to be told, or None.
        picture: file name for the example of flame.
    """
    if wrote is not None:
        screen.flow("wrote", [clean(wrote)], indent=9, whole=True)
    where = _place(board, board.findings[0].where[0]) if board.findings and board.findings[0].where else None
    commands = [f"tracelode show {shell_word(where)}" if where else "tracelode sessions"]
    commands += ["tracelode top", f"tracelode flame -o {picture}"]
    if store is not None:
        export = f"export TRACELODE_STORE={clean(store)}"
        screen.flow("next", [Text(export, style="cyan")], indent=9, whole=True)
    label = "next" if store is None else ""
    screen.flow(label, [Text(c, style="cyan") for c in commands], indent=9, whole=True)


def _heads(screen: Screen, totals: Totals, title: str) -> None:
    families = [number(totals.sessions, "session")]
    if totals.subagents:
        families.append(number(totals.subagents, "sub-agent"))
    if totals.forks:
        families.append(number(totals.forks, "fork"))
    days = "unknown" if totals.first is None else f"{_span(totals)} ({clean(totals.tz)})"
    indent = max(9, width(title) + 3)
    if totals.first is not None and indent + width(f"{', '.join(families)}   {days}") <= screen.width:
        screen.flow(title, [", ".join(families), days], joint="   ", indent=indent)
    else:
        screen.flow(title, [", ".join(families)], indent=indent)
        screen.flow("days", [days], indent=7)
    tokens = totals.tokens
    if totals.untold:
        told = [f"{number(totals.calls, 'call')}, no source tells them"]
        screen.flow("tokens", _led(UNKNOWN, told), indent=7)
        screen.flow("cost", _led(UNKNOWN, ["where no tokens are known"]), indent=7)
        _times(screen, totals)
        return
    parts = [
        f"fresh {count(tokens.get('input_fresh') or 0)}",
        f"cache read {count(tokens.get('cache_read') or 0)}",
    ]
    parts.append(
        f"write 5m {count(tokens.get('cache_write_5m') or 0)} 1h {count(tokens.get('cache_write_1h') or 0)}"
    )
    parts.append(f"output {count(tokens.get('output') or 0)}")
    if tokens.get("reasoning") is not None:
        parts.append(f"reasoning {count(tokens['reasoning'])}")
    screen.flow("tokens", _led(count(totals.total_tokens), parts), indent=7)
    if totals.calls_lower_bound:
        lower = f"{totals.calls_lower_bound:,} of {totals.calls:,} calls have no final count: at least this"
        screen.flow("", [Text(lower, style="yellow")], indent=7)
    names = [f"{clean(model)} {count(n)} tokens" for model, n in totals.unpriced.items()]
    unpriced = [f"unpriced: {names[0]}", *names[1:]] if names else ["unpriced: none"]
    if len(unpriced) > 3:
        unpriced[3:] = [number(len(unpriced) - 3, "more model")]
    cost = dollars(totals.cost_picodollars) if totals.cost_picodollars or not names else "unpriced"
    screen.flow("cost", _led(cost, unpriced if cost != "unpriced" else names[:3] + unpriced[3:]), indent=7)
    _times(screen, totals)


def _times(screen: Screen, totals: Totals) -> None:
    if totals.first is None:
        screen.flow("time", ["unknown"], indent=7)
        return
    kinds = ("model", "tool", "blocked", "idle", "unknown")
    screen.flow("time", [f"{k} {rough(totals.time_us.get(k, 0)) or '0 s'}" for k in kinds], indent=7)


def _led(total: str, parts: list[str]) -> list[Text]:
    first = Text().append(total, style="bold").append(f"  {parts[0]}")
    return [first, *(Text(part) for part in parts[1:])]


def _span(totals: Totals) -> str:
    first, last = (moment(at, totals.tz, "%Y-%m-%d") for at in (totals.first, totals.last))
    if first == last:
        return first
    return f"{first}..{last[5:] if last[:4] == first[:4] else last}"


def _table(screen: Screen, board: Board) -> None:
    total, name = sum(w.value for w in board.work), board.measure
    shown = [
        (Flex(JOINT.join(w.stack), shorten=cut_stack), w.value, f"{w.sessions:,}") for w in board.work[:ROWS]
    ]
    rest = board.work[ROWS:]
    if rest:
        shown.append((Flex(f"(other {len(rest):,})", "dim"), sum(w.value for w in rest), ""))

    def told(value: int) -> str:
        return UNKNOWN if board.totals.untold else value_text(name, value)

    largest = max((w.value for w in board.work), default=0)
    rows: list[list[Cell]] = [
        [label, bar(value if n else 0, largest), told(value), percent(value, total), n]
        for label, value, n in shown
    ]
    columns = [
        Column(f"{name} by intent > stage", grow=True, least=26),
        Column(style="cyan", rank=2),
        Column(name, right=True, short=SHORT.get(name, "")),
        Column("%", right=True, rank=1),
        Column("sessions", right=True, rank=3),
    ]
    screen.table(columns, rows)


def _look(screen: Screen, board: Board, item: Finding, label: str) -> None:
    words: list[str | Text] = [*clean(item.what).split(" ")]
    if item.where:
        words.append(Text(_place(board, item.where[0]), style="cyan"))
    screen.flow(label, words, joint=" ", indent=9)


def _place(board: Board, where: str) -> str:
    session, mark, index = where.rpartition("#")
    return clean(f"{board.short.get(session, session)}{mark}{index}")

"""How do rankings look on the screen: what they rest on, beside what they stand, and what was left out?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.text import clean, number, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell
    from tracelode.model.ranking import Ranked, Ranking, Scored
    from tracelode.model.report import Skipped

JOIN = "; "
"""Between two reasons."""
_NAMES = {"rank": "this order", "direct alone": "direct alone", "without direct": "without direct"}


def score_text(value: float) -> str:
    """A score with one decimal."""
    return f"{value:.1f}"


def share_text(value: float | None) -> str:
    """A share in percent, "-" where it is not known."""
    return "-" if value is None else f"{100 * value:.0f}%"


def fewer(text: str, cells: int) -> str:
    """Reasons that fit: the last ones go first, a single one is cut at its end."""
    while width(text) > cells and JOIN in text:
        text = text.rpartition(JOIN)[0]
    while width(text) > cells:
        text = text.rstrip("…")[:-1].rstrip() + "…"
    return text


def place_text(item: Ranked, short: dict[str, str]) -> str:
    """An operation as tracelode show takes it."""
    return f"{clean(short.get(item.session, item.session))}#{item.index}"


def order(screen: Screen, items: Sequence[Ranked], short: dict[str, str], direct: bool) -> None:
    """Write ranked operations as a table.

    Args:
        screen: where.
        items: n operations, best first.
        short: session key to its short name.
        direct: whether the user's own diagnostic is shown.
    """
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import JOINT, cut_path, cut_stack

    rows: list[list[Cell]] = []
    for item in items:
        row: list[Cell] = [Styled(place_text(item, short), "cyan")]
        if direct:
            row.append("-" if item.direct is None else f"{item.direct:g}")
        row += [
            score_text(item.score),
            Flex(JOINT.join(item.group), shorten=cut_stack),
            Flex(JOIN.join(item.reasons) or "nothing stands out", shorten=fewer),
            Flex(f"{item.path}:{item.line}" if item.line else item.path, "dim", shorten=cut_path),
        ]
        rows.append(row)
    columns = [Column("operation")]
    columns += [Column("direct", right=True)] if direct else []
    columns += [
        Column("score", right=True, rank=7),
        Column("group", least=16, rank=6),
        Column("why", least=18),
        Column("read from", least=24, rank=9),
    ]
    screen.table(columns, rows)


def rests_on(screen: Screen, ranking: Ranking) -> None:
    """Say which outcomes, diagnostic and controls a ranking stands on and beside.

    Args:
        screen: where.
        ranking: a ranking of at least one operation.
    """
    fields = ",".join(ranking.groups)
    if ranking.failed and ranking.passed:
        screen.sentence(
            f"groups   {fields}, split by {ranking.failed:,} failed and "
            f"{number(ranking.passed, 'succeeded session')}"
        )
    else:
        screen.sentence(
            f"groups   {fields}; they do not count here: that takes sessions that failed and sessions that "
            "succeeded (tracelode outcome says which did)"
        )
    direct = ranking.direct
    if direct is not None:
        text = (
            f"direct   {clean(direct.column)}: {number(direct.used, 'operation')}, {direct.without:,} without"
        )
        if direct.constant:
            text += "; all scores are the same, so they order nothing"
        screen.sentence(text)
    alike = [f"{name} {share_text(value)}" for name, value in ranking.alike.items() if value is not None]
    first = min(10, ranking.operations)
    screen.sentence(f"controls of the first {first} the same: {', '.join(alike)}")


def against(screen: Screen, orders: dict[str, Scored], sessions: int) -> None:
    """Write how well orders find known faults.

    Args:
        screen: where.
        orders: score by name of the order.
        sessions: sessions with a known fault.
    """
    from tracelode.cli.table import Column, Flex

    if not orders:
        return
    screen.print()
    screen.sentence(f"known faults in {number(sessions, 'session')}:")
    rows: list[list[Cell]] = [
        [
            Flex(_NAMES.get(name, name)),
            f"{score.map:.3f}",
            share_text(score.hit_1),
            share_text(score.hit_5),
            share_text(score.within_3),
        ]
        for name, score in orders.items()
    ]
    titles = [
        Column(title, right=True, rank=rank)
        for title, rank in (("first", 2), ("first 5", 3), ("within 3", 4))
    ]
    screen.table([Column("order", least=14), Column("MAP", right=True), *titles], rows)


def said(rows: Iterable[Skipped]) -> None:
    """Warn of rows that could not be used.

    Args:
        rows: counted and located.
    """
    from tracelode.cli.screen import warn

    for row in rows:
        where = f"{clean(row.path)}:{row.line}" if row.line else clean(row.path)
        warn(f"{where}: {row.count:,} x {row.reason}")


def left_out(ranking: Ranking) -> None:
    """Warn of what a file told in vain.

    Args:
        ranking: any ranking.
    """
    from tracelode.cli.screen import warn

    direct = ranking.direct
    if direct is not None:
        said(direct.skipped)
        if direct.unmatched:
            scores = "1 score is" if direct.unmatched == 1 else f"{direct.unmatched:,} scores are"
            warn(f"{scores} of operations that are not ranked here")
    said(ranking.fault_rows)


def examples(screen: Screen, items: Sequence[Ranked], short: dict[str, str]) -> None:
    """Write operations of a packet as lines that lead back to their files.

    Args:
        screen: where.
        items: n operations, best first.
        short: session key to its short name.
    """
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import cut_path

    rows: list[list[Cell]] = [
        [
            Styled(place_text(item, short), "cyan"),
            Flex(JOIN.join(item.reasons) or "nothing stands out", shorten=fewer),
            Flex(f"{item.path}:{item.line}" if item.line else item.path, "dim", shorten=cut_path),
        ]
        for item in items
    ]
    screen.table([Column(), Column(least=18), Column(least=24, rank=9)], rows, indent=3, heading=False)

"""How is a session's outline printed? A line a segment, indented, with what it took and where people were."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.cli.screen import Screen
from tracelode.cli.table import Cell, Column, Flex, Styled
from tracelode.cli.text import moment, rough
from tracelode.model.stretch import Stretch
from tracelode.model.words import count, dollars


def draw(screen: Screen, stretches: Sequence[Stretch], tz: str) -> None:
    """Write an outline.

    Args:
        screen: standard output.
        stretches: in order.
        tz: zone of clock times.
    """
    rows: list[list[Cell]] = []
    day = ""
    for one in stretches:
        at = moment(one.started, tz, "%Y-%m-%d")
        if at not in ("-", day):
            rows += [["", at, *[""] * 7]] if day else []
            day = at
        rows.append(
            [
                Styled(f"#{one.start}", "cyan"),
                moment(one.started, tz, "%H:%M:%S"),
                Flex(one.name, depth=one.level),
                f"{one.operations:,}",
                Styled(f"{one.failed:,}" if one.failed else "", "red"),
                count(one.measures["tokens"]) if one.measures["tokens"] else "",
                _cost(one),
                rough(one.measures["time.active"]),
                Flex(people(one), "magenta"),
            ]
        )
    columns = [
        Column("from", right=True), Column("time", rank=3), Column("stretch of work", least=16),
        Column("ops", right=True), Column("failed", right=True, rank=2), Column("tokens", right=True, rank=4),
        Column("cost", right=True), Column("active", right=True, rank=1), Column("people", least=8, rank=5),
    ]  # fmt: skip
    screen.table(columns, rows, gap=1)


def _cost(one: Stretch) -> str:
    """Money; what has no price is no $0."""
    cost, bare = one.measures["cost"], one.measures["tokens.unpriced"]
    if not cost:
        return "unpriced" if bare else ""
    return f"{dollars(cost)}+" if bare else dollars(cost)


def people(one: Stretch) -> str:
    """Where people stepped in, in few words.

    Args:
        one: a stretch.

    Returns:
        As "prompt, 2 steers"; "" for nowhere.
    """
    return ", ".join(word if n == 1 else f"{n} {word}s" for word, n in one.people.items())

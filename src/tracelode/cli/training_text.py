"""How are figures of a trained segmenter shown, on the screen and as JSON?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.cli.screen import Screen
from tracelode.cli.table import Column, Flex
from tracelode.cli.text import clean, number

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.training import Bounds, Training

_INDENT = 9


def shape(found: Training) -> dict[str, Any]:
    """What segment --train answers; figures are shares of 1, intervals pairs.

    Args:
        found: the answer of training.
    """
    answer: dict[str, Any] = msgspec.to_builtins(found)
    return answer


def draw_figures(found: Training) -> None:
    """Show what a segmenter learned from, and how it cuts what it did not see.

    Args:
        found: the answer of training, before anything was kept.
    """
    screen = Screen()
    seen = [
        number(found.sessions, "labelled session"),
        number(found.tasks, "group"),
        number(found.cuts, "cut"),
    ]
    screen.flow("labels", [clean(found.labels), *seen], joint=", ", indent=_INDENT)
    for skip in found.skipped:
        place = f"line {skip.line:,}: " if skip.line else ""
        screen.flow("skipped", [f"{skip.count:,} x {clean(skip.reason)}, first {place}".rstrip(": ")],
                    indent=_INDENT)  # fmt: skip
    if not found.rows:
        return
    screen.flow("figures", [found.divisions, "95 % by bootstrap over sessions"], joint="; ", indent=_INDENT)
    rows: list[list[Cell]] = [
        [
            Flex(row.method),
            _share(row.b3),
            _between(row.b3_interval),
            _share(row.boundary),
            _between(row.boundary_interval),
            f"{row.cuts:,.0f}",
        ]
        for row in found.rows
    ]
    columns = [
        Column("method", least=16),
        Column("B3", right=True),
        Column("95 %", right=True, rank=2),
        Column("cut F1", right=True),
        Column("95 %", right=True, rank=1),
        Column("cuts", right=True, rank=3),
    ]
    screen.table(columns, rows)
    for said, lift in (("B3", found.lift_b3), ("cut F1", found.lift_boundary)):
        if lift is not None and lift.value is not None:
            gain = f"{said} {lift.value:+.3f} {_between(lift.interval, sign=True)} over the best window"
            screen.flow("gain", [gain], indent=_INDENT)


def draw_end(found: Training, segmenter: str) -> None:
    """Say whether it was kept, and what that changed.

    Args:
        found: the answer of training.
        segmenter: what cuts the sessions of the store.
    """
    screen = Screen()
    if not found.kept:
        screen.flow("refused", [f"{found.reason}; nothing was kept"], indent=_INDENT)
        return
    screen.flow("kept", [f"{found.segmenter} {found.version}, in the store"], indent=_INDENT)
    if found.recut:
        screen.flow("cut", [f"{number(found.recut, 'session')} anew with it, by {segmenter}"], indent=_INDENT)
    elif segmenter not in (found.segmenter, "chain" if found.segmenter == "learned" else ""):
        screen.flow(
            "next", [f"tracelode segment --with {found.segmenter}  cuts every session by it"], indent=_INDENT
        )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _between(bounds: Bounds | None, *, sign: bool = False) -> str:
    if bounds is None:
        return "-"
    form = "{:+.3f}" if sign else "{:.3f}"
    return f"[{form.format(bounds[0])}, {form.format(bounds[1])}]"

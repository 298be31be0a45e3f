"""tracelode peek: what calls the frames that match, and what do they call?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tracelode.cli.options import STORE, VIEW, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.cli.nodes import Around
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell
    from tracelode.model.profile import Profile

EDGES = 10
"""Callers or callees named without --nodecount."""


def peek(
    regex: Annotated[str, Parameter(help="Regular expression; matches anywhere in a frame.")],
    /,
    *,
    view: ViewOptions = VIEW,
    store: StoreOptions = STORE,
) -> int:
    """Print every frame that matches with its callers above and its callees below.

    Args:
        regex: regular expression.
        view: what is counted.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.heading import heading, nothing
    from tracelode.cli.nodes import around
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.screen import Screen
    from tracelode.cli.view import load, pattern, unpriced

    matches = pattern(regex, "REGEX")
    loaded = load(view, store)
    profile = loaded.shown()
    names = {frame for stack in profile.totals for frame in stack}
    found = around(profile, {name for name in names if matches and matches.search(name)})
    answer = None
    if store.json:
        nodes = [_answer(frame, entry) for frame, entry in found.items()]
        answer = {**shapes.head(profile, unpriced(loaded)), "nodes": nodes}
    if not profile.totals:
        return nothing(loaded, answer)
    if not found:
        return nothing_found("no frame matches REGEX; tracelode tree shows the frames", answer)
    if answer is not None:
        shapes.write(answer)
    else:
        screen = Screen()
        heading(screen, loaded)
        _draw(screen, profile, found, view.nodecount or EDGES)
    return 0


def _answer(frame: str, entry: Around) -> dict[str, Any]:
    return {
        "frame": frame,
        "flat": entry.values[0],
        "cum": entry.values[1],
        "callers": [
            {"frame": f or None, "value": v if entry.told else None} for f, v in _sorted(entry.callers)
        ],
        "callees": [{"frame": f, "value": v if entry.told else None} for f, v in _sorted(entry.callees)],
    }


def _sorted(side: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(side.items(), key=lambda item: (-item[1], item[0]))


def _draw(screen: Screen, profile: Profile, found: dict[str, Around], limit: int) -> None:
    from tracelode.cli.table import Column, Flex
    from tracelode.model.words import percent, value_text

    measure, total = profile.measures[0], profile.total()
    rows: list[list[Cell]] = []
    for frame, entry in found.items():
        flat, cum = entry.values
        rows += [["", "", "", "", *edge] for edge in _edges(entry.callers, cum, measure, limit)]
        rows.append(
            [
                value_text(measure, flat),
                percent(flat, total),
                value_text(measure, cum),
                percent(cum, total),
                "",
                "",
                Flex(frame, "bold cyan"),
            ]
        )
        rows += [["", "", "", "", *edge] for edge in _edges(entry.callees, cum, measure, limit)]
        rows.append([""] * 7)
    titles = {"flat": 3, "flat %": 4, "cum": 0, "cum %": 2, "edge": 0, "edge %": 1}
    columns = [Column(title, right=True, rank=rank) for title, rank in titles.items()]
    screen.table([*columns, Column("callers, frame, callees", least=20)], rows[:-1])


def _edges(side: dict[str, int], cum: int | None, measure: str, limit: int) -> list[list[Cell]]:
    from tracelode.cli.table import Flex
    from tracelode.model.words import percent, value_text

    order = _sorted(side)
    shown = [(name or "(root)", value, "") for name, value in order[:limit]]
    if len(order) > limit:
        rest = order[limit:]
        shown.append((f"(other {len(rest):,})", sum(value for _, value in rest), "dim"))
    told = cum is not None
    return [
        [value_text(measure, v if told else None), percent(v, cum), Flex(name, style, depth=1)]
        for name, v, style in shown
    ]

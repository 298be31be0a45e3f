"""tracelode peek: what calls the frames that match, and what do they call?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from tracelode.cli.options import STORE, VIEW, StoreOptions, ViewOptions

if TYPE_CHECKING:
    from tracelode.cli.nodes import Around
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell
    from tracelode.cli.view import View
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
    matching = {name for name in names if matches and matches.search(name)}
    found = around(profile, matching)
    others = {m: around(profile, matching, i) for i, m in enumerate(profile.measures) if i}
    told = {profile.measures[0]: found}
    answer = None
    if store.json:
        nodes = [
            _answer(frame, entry, {m: side[frame] for m, side in (told | others).items()} if others else {})
            for frame, entry in found.items()
        ]
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
        bare = around(loaded.bare, matching)
        _draw(screen, loaded, profile, _Found(found, others, bare), view.nodecount or EDGES)
    return 0


def _answer(frame: str, entry: Around, others: dict[str, Around]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "frame": frame,
        "flat": entry.values[0],
        "cum": entry.values[1],
        "callers": [
            {"frame": f or None, "value": v if entry.told else None} for f, v in _sorted(entry.callers)
        ],
        "callees": [{"frame": f, "value": v if entry.told else None} for f, v in _sorted(entry.callees)],
    }
    if others:
        answer["values"] = {m: other.values[1] for m, other in others.items()}
        for side in ("callers", "callees"):
            for row in answer[side]:
                row["values"] = {
                    m: getattr(other, side)[row["frame"] or ""] if other.told else None
                    for m, other in others.items()
                }
    return answer


def _sorted(side: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(side.items(), key=lambda item: (-item[1], item[0]))


class _Found(NamedTuple):
    """Frames with what stands around them, by the measure that sorts, by the others, by what has no price."""

    first: dict[str, Around]
    others: dict[str, dict[str, Around]]
    bare: dict[str, Around]


def _draw(screen: Screen, loaded: View, profile: Profile, found: _Found, limit: int) -> None:
    from tracelode.cli.heading import not_shown
    from tracelode.cli.table import Column, Flex
    from tracelode.model.words import SHORT, percent

    others, measure, total = found.others, profile.measures[0], profile.total()
    rows: list[list[Cell]] = []
    for frame, entry in found.first.items():
        (flat, cum), lack = entry.values, found.bare[frame]
        more = {m: side[frame] for m, side in others.items()}
        rows += [["", "", "", "", *edge] for edge in _edges(loaded, "callers", entry, more, lack, limit)]
        rows.append(
            [
                loaded.text(measure, flat, lack.flat),
                percent(flat, total),
                loaded.text(measure, cum, lack.cum),
                percent(cum, total),
                "",
                "",
                *(loaded.text(m, other.values[1], lack.cum) for m, other in more.items()),
                Flex(frame, "bold cyan"),
            ]
        )
        rows += [["", "", "", "", *edge] for edge in _edges(loaded, "callees", entry, more, lack, limit)]
        rows.append([""] * (7 + len(more)))
    titles = {"flat": 4, "flat %": 5, "cum": 0, "cum %": 3, "edge": 0, "edge %": 2}
    columns = [Column(title, right=True, rank=rank) for title, rank in titles.items()]
    columns += [Column(m, right=True, short=SHORT.get(m, ""), rank=1) for m in others]
    gone = screen.table([*columns, Column("callers, frame, callees", least=20)], rows[:-1])
    not_shown(screen, gone, others)


def _edges(
    loaded: View, side: str, entry: Around, more: dict[str, Around], bare: Around, limit: int
) -> list[list[Cell]]:
    """Rows of the frames on one side: value, share, values of the other measures, name."""
    from tracelode.cli.table import Flex
    from tracelode.model.words import percent

    order = _sorted(getattr(entry, side))
    shown = [([name], name or "(root)", value, "") for name, value in order[:limit]]
    if len(order) > limit:
        rest = order[limit:]
        names = [name for name, _ in rest]
        shown.append((names, f"(other {len(rest):,})", sum(value for _, value in rest), "dim"))
    cum = entry.values[1]
    rows: list[list[Cell]] = []
    for names, shown_as, value, style in shown:
        lack = sum(getattr(bare, side)[n] for n in names)
        beside = [
            loaded.text(m, sum(getattr(other, side)[n] for n in names) if other.told else None, lack)
            for m, other in more.items()
        ]
        told = loaded.text(loaded.measure, value if entry.told else None, lack)
        rows.append([told, percent(value, cum), *beside, Flex(shown_as, style, depth=1)])
    return rows

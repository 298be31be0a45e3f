"""tracelode compare: did a change pay, and did quality hold?"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from tracelode.cli.arguments import integer, share
from tracelode.cli.diff import SETS, SetOptions
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.model.comparison import Comparison, Gate

_TEST = Group("What is tested", sort_key=1)
MARGIN = 0.05
"""Loss of quality that is accepted where nothing else is said."""


def compare(
    base: Annotated[
        str | None,
        Parameter(help="Runs before: FIELD=VALUE, WHEN..WHEN, or several joined by commas."),
    ] = None,
    other: Annotated[str | None, Parameter(help="Runs after.")] = None,
    /,
    *,
    sets: SetOptions = SETS,
    measure: Annotated[
        str | None,
        Parameter(
            group=_TEST,
            help="cost, tokens, time.active, ... Default: cost where calls are priced, else tokens.output.",
            metavar="MEASURE",
        ),
    ] = None,
    hold: Annotated[
        Literal["success", "proxy"] | None,
        Parameter(group=_TEST, help="Quality that must not get worse; else exit code 4."),
    ] = None,
    margin: Annotated[
        float | None,
        Parameter(
            group=_TEST, help="With --hold: largest loss that is accepted, a share of runs. Default: 0.05.",
            metavar="SHARE", converter=share,
        ),
    ] = None,
    seed: Annotated[
        int,
        Parameter(group=_TEST, help="Of flips and resamples. Default: 0.", metavar="N", converter=integer),
    ] = 0,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:  # fmt: skip
    """Compare two sets of runs of the same tasks: the effect per task, how sure it is, and a gate on quality.

    Args:
        base: words of the base set.
        other: words of the other set.
        sets: further words, and what pairs share.
        measure: what is compared.
        hold: success or proxy.
        margin: largest accepted loss.
        seed: of flips and resamples.
        filters: what both sets share.
        store: where.

    Returns:
        Exit code; 4 where the gate was not passed.
    """
    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.screen import Screen
    from tracelode.cli.sets import two_sets
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace
    from tracelode.errors import UsageError

    if margin is not None and hold is None:
        raise UsageError("--margin says how much of a quality may be lost; name the quality with --hold")
    workspace = open_workspace(store)
    held = two_sets(base, other, sets.base_where, sets.other_where, query_of(filters, workspace), workspace)
    if held is None:
        raise UsageError("compare takes two sets of runs, as: tracelode compare ..2026-10-01 2026-10-02..")
    if workspace.empty():
        return nothing_found(nothing_stored(workspace), {} if store.json else None)
    found = workspace.comparison(
        held[0],
        held[1],
        measure=measure,
        names=held[2],
        pair=sets.fields(),
        hold=hold,
        margin=MARGIN if margin is None else margin,
        seed=seed,
    )
    if store.json:
        shapes.write(answer(found))
    else:
        _draw(Screen(), found)
    return 0 if found.gate is None or found.gate.passed else 4


def answer(found: Comparison) -> dict[str, Any]:
    """A comparison as JSON values.

    Args:
        found: the comparison.

    Returns:
        Means, their difference with bounds, p value, detectable difference, gate; floats in the unit.
    """
    from tracelode.model.measure import unit

    def span(bounds: tuple[float, float] | None) -> dict[str, float] | None:
        return None if bounds is None else {"low": bounds[0], "high": bounds[1]}

    change = found.change
    return {
        "measure": found.measure,
        "unit": unit(found.measure),
        "names": {"base": found.names[0], "other": found.names[1]},
        "tasks": found.tasks,
        "sessions": {"base": found.sessions[0], "other": found.sessions[1]},
        "left_out": dict(found.left_out),
        "base": float(found.base),
        "other": float(found.other),
        "net": {"value": float(found.net), **(span(found.interval) or {"low": None, "high": None})},
        "change": {
            "value": None if change is None else float(change),
            **(span(found.relative) or {"low": None, "high": None}),
        },
        "p": found.p,
        "exact": found.exact,
        "detectable": found.detectable,
        "gate": None if found.gate is None else _gate(found.gate),
        "notes": list(found.notes),
    }


def _gate(gate: Gate) -> dict[str, Any]:
    net = None if gate.base is None or gate.other is None else gate.other - gate.base
    return {
        "hold": gate.hold,
        "margin": gate.margin,
        "passed": gate.passed,
        "tasks": gate.tasks,
        "base": gate.base,
        "other": gate.other,
        "net": net,
        "low": gate.low,
        "high": gate.high,
        "level": 0.95,
        "sided": "one",
        "reach": gate.reach,
        "left_out": gate.left_out,
    }


def _draw(screen: Screen, found: Comparison) -> None:
    from rich.text import Text

    from tracelode.cli.text import clean, number
    from tracelode.model.difference import bound_text

    base, other = (clean(name) for name in found.names)
    one, two = (_mean(found.measure, value) for value in (found.base, found.other))
    parts = [f"{base} {one}", f"{other} {two}", "means over tasks"]
    screen.flow(found.measure, parts, indent=max(10, len(found.measure) + 2))
    change = "" if found.change is None else f" ({100 * float(found.change):+.1f}%)"
    net = [Text(f"{_mean(found.measure, found.net, sign=True)}{change}", style="bold")]
    shown: list[str | Text] = [*net]
    if found.interval is not None:
        low, high = (bound_text(found.measure, bound) for bound in found.interval)
        share = (
            "" if found.relative is None else ", " + " .. ".join(f"{100 * b:+.1f}%" for b in found.relative)
        )
        shown.append(f"95% {low} .. {high}{share}")
    screen.flow("change", shown, indent=10)
    how = "every flip of signs" if found.exact else "10,000 flips of signs"
    screen.flow("luck", [f"p {_p(found.p)}", f"{how} over {number(found.tasks, 'task')}"], indent=10)
    n, m = found.sessions
    screen.flow("runs", [f"{n:,} {base}", f"{m:,} {other}", number(found.tasks, "task")], indent=10)
    if found.left_out:
        screen.flow("left out", [f"{n:,} {why}" for why, n in found.left_out], indent=10)
    if found.detectable is None:
        power = f"{number(found.tasks, 'task')} cannot show any difference at p .05; 6 are the least"
    else:
        power = f"so many tasks show {bound_text(found.measure, found.detectable).lstrip('+')} 4 times in 5"
        if found.base:
            power += f" ({100 * found.detectable / float(found.base):.1f}%)"
    screen.flow("power", [power], indent=10)
    if found.gate is not None:
        _draw_gate(screen, found.gate)
    for note in found.notes:
        screen.flow("note", [note], indent=10)


def _draw_gate(screen: Screen, gate: Gate) -> None:
    from rich.text import Text

    from tracelode.cli.text import number

    style = "green" if gate.passed else "red"
    parts: list[str | Text] = [
        Text(f"{gate.hold} {'held' if gate.passed else 'not shown to hold'}", style=style)
    ]
    if gate.low is None or gate.base is None or gate.other is None:
        parts.append(f"no task has a run of known {gate.hold} on both sides")
    else:
        parts.append(f"{100 * gate.base:.1f}% to {100 * gate.other:.1f}%")
        parts.append(
            f"change at least {100 * gate.low:+.1f}% (one-sided 95%), margin {-100 * gate.margin:+.1f}%"
        )
        if not gate.passed and gate.reach is not None and gate.reach > gate.margin:
            parts.append(
                f"{number(gate.tasks, 'task')} alike on both sides hold {100 * gate.reach:.1f}% at best"
            )
    if gate.left_out:
        parts.append(f"{number(gate.left_out, 'run')} without a known {gate.hold}")
    screen.flow("gate", parts, indent=10)


def _mean(measure: str, value: Fraction, *, sign: bool = False) -> str:
    from tracelode.model.difference import each_text

    return each_text(measure, value.numerator, value.denominator, sign=sign)


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.00005 else "below 0.0001"

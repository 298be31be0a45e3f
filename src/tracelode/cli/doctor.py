"""tracelode doctor: what does the store know, what does it lack, and how exact is it?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.model.report import Doctor


def doctor(*, store: StoreOptions = STORE) -> int:
    """Print what was found and skipped, gaps in the history, and how much of the figures is exact.

    Args:
        store: where.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import shapes

    found = _examined(store)
    if store.json:
        shapes.write(msgspec.to_builtins(msgspec.structs.replace(found, files=found.files - found.unknown)))
    else:
        _draw(found)
    return 0


def _examined(store: StoreOptions) -> Doctor:
    """What is found in the store; before there is one, on this machine."""
    from tempfile import TemporaryDirectory

    from tracelode import workspace
    from tracelode.cli.screen import warn
    from tracelode.cli.view import open_workspace
    from tracelode.errors import QueryError

    try:
        opened = open_workspace(store)
    except QueryError as error:
        if store.store is not None or "TRACELODE_STORE" in os.environ:
            raise
        with TemporaryDirectory() as folder:
            found = workspace.admitted(folder, tz=store.tz).doctor()
        warn(str(error))
        return found
    return opened.doctor()


def _draw(found: Doctor) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, number

    screen = Screen()
    for source, folder, files, missing in found.histories:
        counts = f"{number(files, 'file')}, {missing:,} not read"
        screen.flow("history", [f"{clean(source)} in {clean(folder)}:", counts], joint=" ", indent=9)
    if not found.histories:
        screen.flow("history", ["none found on this machine"], indent=9)
    empty = sum(s.count for s in found.skipped if s.reason == "empty file")
    parts = [f"{found.files - found.unknown:,} read"]
    if found.unknown > empty:
        parts.append(f"{found.unknown - empty:,} of no known format")
    if empty:
        parts.append(f"{empty:,} empty")
    if found.gone:
        parts.append(f"{found.gone:,} gone from disk and kept here")
    screen.flow("files", parts, joint=", ", indent=9)
    if found.prompted:
        screen.flow(
            "gaps",
            [
                f"{found.prompted_only:,} of {found.prompted:,} sessions in the prompt history",
                "have no transcript any more",
            ],
            joint=" ",
            indent=9,
        )
    if found.skipped:
        screen.flow(
            "skipped", [f"{sum(s.count for s in found.skipped):,}, by reason and first place:"], indent=9
        )
        named = [(s.count, s.reason, f"{s.path}:{s.line}" if s.line else s.path) for s in found.skipped]
        screen.places([(n, clean(reason), clean(place)) for n, reason, place in named], indent=9)
    _effects(screen, found.effects)
    _quality(screen, found.quality, found.unpriced)


def _effects(screen: Screen, effects: dict[str, int]) -> None:
    from tracelode.cli.import_ import effects_told

    if effects:
        screen.flow("effects", effects_told(effects), joint=", ", indent=9)


def _quality(screen: Screen, quality: dict[str, int | None], unpriced: dict[str, int]) -> None:
    from tracelode.cli.text import clean
    from tracelode.model.words import count, duration, percent, value_text

    calls, lower = quality.get("calls") or 0, quality.get("calls_lower_bound") or 0
    if calls:
        screen.flow(
            "tokens",
            [f"{lower:,} of {calls:,} calls ({percent(lower, calls)})", "are lower bounds: no final count"],
            joint=" ",
            indent=9,
        )
    for model, tokens in unpriced.items():
        screen.flow("unpriced", [f"{clean(model)} {count(tokens)} tokens"], indent=9)
    bare = quality.get("unpriced_where_reported") or 0
    if quality.get("cost_reported"):
        screen.flow(
            "cost",
            [
                f"the sources report {value_text('cost', quality['cost_reported'])};",
                f"computed for the same calls {value_text('cost', quality['cost_where_reported'])}"
                + (f", {count(bare)} of their tokens unpriced" if bare else ""),
            ],
            joint=" ",
            indent=9,
        )
    tool, upper = quality.get("tool_us") or 0, quality.get("tool_us_upper_bound") or 0
    if tool:
        screen.flow(
            "time",
            [f"{duration(upper)} of {duration(tool)} tool time", "is an upper bound: from use to result"],
            joint=" ",
            indent=9,
        )

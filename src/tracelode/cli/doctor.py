"""tracelode doctor: what does the store know, what does it lack, and how exact is it?"""

from __future__ import annotations

from tracelode.cli.options import STORE, StoreOptions


def doctor(*, store: StoreOptions = STORE) -> int:
    """Print what was found and skipped, gaps in the history, and how much of the figures is exact.

    Args:
        store: where.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean
    from tracelode.cli.view import open_workspace

    workspace = open_workspace(store)
    found = workspace.doctor()
    if store.json:
        shapes.write(msgspec.to_builtins(found))
        return 0
    screen = Screen()
    for source, folder, files, missing in found.histories:
        screen.flow(
            "history",
            [f"{clean(source)} in {clean(folder)}:", f"{files:,} files, {missing:,} not read"],
            joint=" ",
            indent=9,
        )
    if not found.histories:
        screen.print("history  none found on this machine")
    screen.print(f"files    {found.files:,} read, {found.gone:,} of them gone from disk and kept here")
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
    for item in found.skipped:
        place = f"{item.path}:{item.line}" if item.line else item.path
        screen.flow(
            "skipped", [f"{item.count:,} x {item.reason},", f"first {clean(place)}"], joint=" ", indent=9
        )
    _quality(screen, found.quality, found.unpriced)
    return 0


def _quality(screen: object, quality: dict[str, int], unpriced: dict[str, int]) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean
    from tracelode.model.words import count, duration, percent, value_text

    assert isinstance(screen, Screen)
    calls, lower = quality.get("calls", 0), quality.get("calls_lower_bound", 0)
    if calls:
        screen.flow(
            "tokens",
            [f"{lower:,} of {calls:,} calls ({percent(lower, calls)})", "are lower bounds: no final count"],
            joint=" ",
            indent=9,
        )
    for model, tokens in unpriced.items():
        screen.print(f"unpriced {clean(model)} {count(tokens)} tokens")
    if quality.get("cost_reported"):
        screen.flow(
            "cost",
            [
                f"the sources report {value_text('cost', quality['cost_reported'])};",
                f"computed for the same calls {value_text('cost', quality['cost_where_reported'])}",
            ],
            joint=" ",
            indent=9,
        )
    tool, upper = quality.get("tool_us", 0), quality.get("tool_us_upper_bound", 0)
    if tool:
        screen.flow(
            "time",
            [f"{duration(upper)} of {duration(tool)} tool time", "is an upper bound: from use to result"],
            joint=" ",
            indent=9,
        )

"""tracelode gc: what is over, and what is to be forgotten? Deletes by the policy's retention, or by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.governing import Policy
    from tracelode.model.report import GcReport

ROWS = 30
"""Sessions on the screen."""
_WHAT = {
    "raw": "whole texts",
    "redacted": "texts",
    "aggregates": "everything",
}


def gc(
    *folders: Annotated[
        Path,
        Parameter(help="Folders of recordings instead of the store.", converter=path, metavar="DIR"),
    ],
    dry_run: Annotated[bool, Parameter(help="Change nothing; say what would go.")] = False,
    forget: Annotated[
        tuple[str, ...],
        Parameter(
            help="Delete a session, or every session that holds a name or pseudonym; repeatable. "
            "No import brings it back.",
            metavar="SESSION|NAME",
        ),
    ] = (),
    key: Annotated[
        Path | None,
        Parameter(
            help="File of the pseudonyms' key. Default: in the workspace folder.",
            converter=path,
            metavar="FILE",
        ),
    ] = None,
    policy: Annotated[bool, Parameter(help="Print what policy.yaml may say, and where it lies.")] = False,
    store: StoreOptions = STORE,
) -> int:
    """Delete what is over as policy.yaml says, and finish what was begun; or forget sessions by name.

    Nothing goes until policy.yaml of the workspace folder switches a class on. Held sessions stay.

    Args:
        folders: recordings.
        dry_run: change nothing.
        forget: what is to go.
        key: of the pseudonyms.
        policy: print a policy.
        store: where.

    Returns:
        Exit code.
    """
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.text import clean
    from tracelode.cli.view import open_workspace
    from tracelode.workspace import default_store, governing

    place = store.store or default_store()
    if policy:
        sys.stdout.write(f"# {clean(str(place / 'policy.yaml'))}\n{governing.policy_text()}")
        return 0
    if folders:
        rules = governing.policy_of(folders[0], place)
        report = governing.folders_gc(folders, rules, forget=forget, dry=dry_run, key=key)
    else:
        workspace = open_workspace(store)
        rules = workspace.policy()
        if forget:
            report = workspace.forget_sessions(*forget, dry=dry_run, key=key)
        else:
            report = workspace.gc(dry=dry_run)
    if store.json:
        shapes.write(msgspec.to_builtins(report))
    else:
        _draw(report, rules, place, forgetting=bool(forget))
    return 0


def _draw(report: GcReport, rules: Policy, place: Path, *, forgetting: bool) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean, number

    screen = Screen()
    would = "would go" if report.dry else "gone"
    if forgetting:
        screen.sentence(f"{number(len(report.forgotten), 'session')} {would}")
        for session in report.forgotten[:ROWS]:
            screen.flow("", [clean(session)], indent=2)
        if report.kin:
            words = f"{number(len(report.kin), 'session')} with copies of its records stay"
            screen.flow("note", [words, "forget them by name as well", *map(clean, report.kin[:5])],
                        joint="; ", indent=6)  # fmt: skip
    else:
        _expired(screen, report, rules, place, would)
    if report.expired:
        rows: list[list[Cell]] = [
                [Flex(clean(e.session)), _WHAT[e.what], f"{e.days:,}", Flex(clean(e.where))]
                for e in report.expired[:ROWS]]  # fmt: skip
        screen.table([Column("session", grow=True, least=12), Column("what goes"), Column("days", right=True),
                      Column("where", rank=1)], rows)  # fmt: skip
        if len(report.expired) > ROWS:
            screen.sentence(f"and {len(report.expired) - ROWS:,} more; see --json")
    if not report.dry:
        screen.sentence(f"{number(report.rewritten, 'shard')} written anew, {report.freed:,} bytes freed")
    if report.tombstones:
        screen.sentence(f"{number(report.tombstones, 'key')} that no import brings back")


def _expired(screen: object, report: GcReport, rules: Policy, place: Path, would: str) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, number

    assert isinstance(screen, Screen)
    limits = [f"{name} {days:,} days" for name in ("raw", "redacted", "aggregates")
              if (days := getattr(rules.retention, name)) is not None]  # fmt: skip
    if not limits:
        where = clean(str(place / "policy.yaml"))
        screen.sentence(f"retention is off: {where} switches it on; see tracelode gc --policy")
    else:
        screen.sentence(f"kept: {', '.join(limits)}; {number(len(report.expired), 'session')} {would}")
    if report.held:
        screen.sentence(f"{number(len(report.held), 'session')} on legal hold")
    for one in report.open[:ROWS]:
        screen.flow("open", [f"{clean(one)}: no end is recorded, left alone"], indent=6)

"""What does a person, or a program, read of marks that went out or came in?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tracelode.cli.text import clean, home, iso, number

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.annotation import Agreement, Annotation
    from tracelode.model.session import Session
    from tracelode.workspace.annotating_report import Exported, Imported

SHOWN = 20
"""Rows of one kind on the screen; --json has all of them."""


def exported(report: Exported, everything: list[Session]) -> None:
    """Print what was written.

    Args:
        report: of the export.
        everything: all sessions, for short names.
    """
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.model.words import count

    screen, short = Screen(), short_keys(everything)
    seen = "without the current marks" if report.blind else "with the current marks"
    screen.flow("wrote", [number(len(report.sessions), "session"), seen, f"to {clean(home(report.folder))}"],
                joint=", ", indent=9)  # fmt: skip
    if report.looked_at:
        screen.flow(
            "chosen",
            [f"by confidence, from {report.looked_at:,} of {number(report.of, 'session')}"],
            indent=9,
        )
    then = shlex.join(["tracelode", "annotate", "import", report.folder])
    screen.flow("next", ["mark the stages as its README.md says, then:", clean(then)], joint=" ", indent=9)
    rows: list[list[Cell]] = []
    for item in report.sessions[:SHOWN]:
        row: list[Cell] = [Styled(clean(short[item.session]), "cyan"), Flex(item.file)]
        row += [f"{item.operations:,}", count(item.characters), count(item.tokens)]
        rows.append([*row, item.stratum] if report.looked_at else row)
    columns = [Column("session"), Column("marks file", least=12), Column("ops", right=True),
               Column("characters", right=True, rank=2), Column("~tokens", right=True, rank=1)]  # fmt: skip
    screen.table([*columns, Column("sure", rank=3)] if report.looked_at else columns, rows)
    if len(report.sessions) > SHOWN:
        screen.sentence(f"{len(report.sessions) - SHOWN:,} more; --json names every one")


def refused(problems: Sequence[tuple[str, str]]) -> None:
    """Say why nothing was taken in, on standard error.

    Args:
        problems: (place, reason) of each.
    """
    from tracelode.cli.screen import say, warn

    warn(f"nothing is taken in: {number(len(problems), 'problem')}")
    for place, reason in problems[: 2 * SHOWN]:
        say(f"{place}: {reason}" if place else reason)
    if len(problems) > 2 * SHOWN:
        say(f"{len(problems) - 2 * SHOWN:,} more; --json names every one")


def imported(report: Imported, everything: list[Session]) -> None:
    """Print what was taken in, or would be.

    Args:
        report: of the import.
        everything: all sessions, for short names.
    """
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Styled

    screen, short = Screen(), short_keys(everything)
    marks = sum(item.marks for item in report.taken)
    lead = "taken in" if report.stored or not report.taken else "to take"
    screen.flow(lead, [number(len(report.taken), "session"), number(marks, "mark")], joint=", ", indent=11)
    rest = [f"{len(report.unchanged):,} unchanged"] if report.unchanged else []
    rest += [f"{len(report.empty):,} not marked yet"] if report.empty else []
    rest += (
        [f"{number(report.repeated, 'mark')} left out: a path that repeats the one before"]
        if report.repeated
        else []
    )
    if rest:
        screen.flow("beside", rest, joint=", ", indent=11)
    if report.taken:
        screen.flow("agreement", [f"B3 {_share(report.b3)}", f"cuts {_share(report.boundary)}"], joint=", ",
                    indent=11)  # fmt: skip
    if report.names:
        more = [f"and {len(report.names) - SHOWN:,} more"] if len(report.names) > SHOWN else []
        screen.flow("new names", [*report.names[:SHOWN], *more], joint=", ", indent=11)
    for a, b, why in report.alike[:SHOWN]:
        screen.flow("alike", [f"{a} / {b}: {why}"], indent=11)
    if len(report.alike) > SHOWN:
        screen.flow(
            "", [f"{number(len(report.alike) - SHOWN, 'more pair')}; --json names every one"], indent=11
        )
    rows: list[list[Cell]] = []
    for item in report.taken[:SHOWN]:
        agreed = item.agreement
        rows.append([Styled(clean(short[item.session]), "cyan"), f"{item.before:,}", f"{item.marks:,}",
                     _share(agreed.b3), _share(agreed.boundary), clean(agreed.beside.partition(" ")[0]),
                     "-" if item.revision is None else f"{item.revision:,}"])  # fmt: skip
    if rows:
        screen.table(
            [Column("session"), Column("before", right=True), Column("marks", right=True),
             Column("B3", right=True), Column("cuts", right=True, rank=1), Column("beside", rank=3),
             Column("revision", right=True, rank=2)], rows,
        )  # fmt: skip
    if len(report.taken) > SHOWN:
        screen.sentence(f"{len(report.taken) - SHOWN:,} more; --json names every one")


def history(found: Sequence[Annotation], everything: list[Session], tz: str, *, one: bool) -> None:
    """Print revisions of marks.

    Args:
        found: oldest first.
        everything: all sessions, for short names.
        tz: zone of clock times.
        one: they are of one session.
    """
    from tracelode.cli.keys import short_keys
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex, Styled
    from tracelode.cli.text import moment

    screen, short = Screen(), short_keys(everything)
    rows: list[list[Cell]] = []
    for item in found:
        agreed = item.agreement
        row: list[Cell] = [] if one else [Styled(clean(short.get(item.session, item.session[:13])), "cyan")]
        row += [f"{item.revision:,}", moment(item.made, tz), Flex(item.author), f"{len(item.marks):,}"]
        row += [_share(agreed.b3 if agreed else None), _share(agreed.boundary if agreed else None)]
        row += [Flex(_beside(agreed)), Flex(item.reason)]
        rows.append(row)
    columns = [
        Column("revision", right=True), Column("made", rank=1), Column("author", rank=2),
        Column("marks", right=True, rank=4), Column("B3", right=True), Column("cuts", right=True, rank=5),
        Column("beside", rank=6), Column("reason", rank=3),
    ]  # fmt: skip
    screen.table(columns if one else [Column("session"), *columns], rows)


def _beside(agreed: Agreement | None) -> str:
    if agreed is None:
        return "-"
    return agreed.beside.partition(" ")[0] + (", blind" if agreed.blind else "")


def _share(value: float | None) -> str:
    """A score as a share."""
    from tracelode.model.words import percent

    return percent(None if value is None else round(value * 1000), 1000)


# shapes -----------------------------------------------------------------------------------------


def exported_shape(report: Exported) -> dict[str, Any]:
    """What export and review answer."""
    return {
        "folder": report.folder,
        "blind": report.blind,
        "looked_at": report.looked_at or None,
        "of": report.of,
        "sessions": [
            {
                "session": item.session,
                "file": item.file,
                "operations": item.operations,
                "characters": item.characters,
                "tokens_estimate": item.tokens,
                "confidence": item.confidence,
                "stratum": item.stratum or None,
            }
            for item in report.sessions
        ],
    }


def imported_shape(report: Imported) -> dict[str, Any]:
    """What import answers."""
    return {
        "stored": report.stored,
        "problems": [],
        "sessions": [
            {
                "session": item.session,
                "file": item.file,
                "marks": item.marks,
                "before": item.before,
                "revision": item.revision,
                "agreement": agreement_shape(item.agreement),
            }
            for item in report.taken
        ],
        "unchanged": report.unchanged,
        "empty": report.empty,
        "repeated": report.repeated,
        "new_names": report.names,
        "alike": [{"name": a, "other": b, "why": why} for a, b, why in report.alike],
        "agreement": {"b3": report.b3, "boundary": report.boundary},
    }


def agreement_shape(agreed: Agreement | None) -> dict[str, Any] | None:
    """How far marks agree with what was there before."""
    if agreed is None:
        return None
    return {"b3": agreed.b3, "boundary": agreed.boundary, "beside": agreed.beside, "blind": agreed.blind}


def revision_shape(item: Annotation) -> dict[str, Any]:
    """One revision."""
    return {
        "session": item.session,
        "revision": item.revision,
        "made": iso(item.made),
        "author": item.author,
        "reason": item.reason or None,
        "operations": item.operations,
        "last": item.last,
        "marks": [{"start_operation_id": m.start_operation_id, "path": list(m.path)} for m in item.marks],
        "agreement": agreement_shape(item.agreement),
    }

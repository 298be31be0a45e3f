"""Which options do rank and guide share? Each is declared here once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from tracelode.cli.arguments import path

if TYPE_CHECKING:
    from tracelode.cli.options import FilterOptions
    from tracelode.model.ranking import Ranking
    from tracelode.workspace import Workspace

_RANK = Group("What is ranked", sort_key=1)

SessionWord = Annotated[
    str | None,
    Parameter(help="Key of a session, a unique start of it, or its short name. Default: all sessions."),
]
"""The session, in place of all."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RankOptions:
    """What a ranking rests on."""

    group: Annotated[
        str,
        Parameter(
            group=_RANK,
            help="Fields of the groups that failed and succeeded sessions are split by. Default: stage,tool.",
            metavar="FIELD,...",
        ),
    ] = "stage,tool"
    """Fields, separated by commas."""
    direct: Annotated[
        str | None,
        Parameter(
            group=_RANK,
            help="Your own diagnostic: a CSV file with the columns session, operation and COLUMN, larger is "
            "worse. It orders first; the profile breaks its ties.",
            metavar="COLUMN=FILE",
        ),
    ] = None
    """Column and file."""
    faults: Annotated[
        Path | None,
        Parameter(
            group=_RANK,
            help="Known faults: a CSV file with the columns session, operation. The order and its controls "
            "are scored on them.",
            converter=path,
            metavar="FILE",
        ),
    ] = None
    """File of known faults."""


RANK = RankOptions()
"""No option given."""


def asked(
    workspace: Workspace, session: str | None, options: RankOptions, filters: FilterOptions
) -> dict[str, Any]:
    """What rank and guide ask the workspace.

    Args:
        workspace: an open one.
        session: the word of a session, None for all.
        options: of the ranking.
        filters: which operations are ranked.

    Returns:
        Arguments of Workspace.rank() and guide().

    Raises:
        UsageError: no field, or a word that cannot be read.
    """
    from tracelode.cli.view import filters as query_of
    from tracelode.errors import UsageError

    fields = tuple(word.strip() for word in options.group.split(",") if word.strip())
    if not fields:
        raise UsageError("--group names no field; write it as --group stage,tool")
    return {
        "session": key_of(workspace, session),
        "query": query_of(filters, workspace),
        "groups": fields,
        "direct": options.direct,
        "faults": options.faults,
    }


def key_of(workspace: Workspace, session: str | None) -> str | None:
    """The key of the session that a word names.

    Args:
        workspace: an open one.
        session: key, unique start or short name; None for all.

    Raises:
        QueryError: none or several match.
    """
    if session is None:
        return None
    from tracelode.cli.keys import resolve

    return resolve(session, workspace.sessions()).key


def unscored(ranking: Ranking) -> str | None:
    """What is wrong where a diagnostic was given and says nothing of what is ranked.

    Args:
        ranking: any ranking.

    Returns:
        A sentence; None where at least one score was used, or none was given.
    """
    if ranking.direct is None or ranking.direct.used or not ranking.ranked:
        return None
    return "no score of the file is of a ranked operation; mend the file, or leave out --direct"


def nothing(workspace: Workspace, what: str, answer: dict[str, Any] | None) -> int:
    """Say why nothing was found.

    Args:
        workspace: an open one.
        what: what was looked for, with what to do.
        answer: what is told of it in JSON; None where the answer is no JSON.

    Returns:
        Exit code 3.
    """
    from tracelode.cli.nothing import nothing_found, nothing_stored

    return nothing_found(nothing_stored(workspace) if workspace.empty() else what, answer)

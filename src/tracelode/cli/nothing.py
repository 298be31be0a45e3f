"""Why is there nothing to show? Nothing was imported, or what was read holds no session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracelode.cli.text import number

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

NOTHING = 3
"""Exit code where nothing was found."""
REASONS = 3
"""Reasons named in the message."""


def nothing_found(reason: str, answer: dict[str, Any] | None = None) -> int:
    """End a run that found nothing: one place, so that a program reads why as a person does.

    Args:
        reason: one sentence, with what to do.
        answer: what else is told in JSON, such as empty rows; None where the answer is no JSON.

    Returns:
        The exit code.
    """
    from tracelode.cli import shapes
    from tracelode.cli.screen import warn

    if answer is not None:
        shapes.write({**answer, "reason": reason})
    warn(reason)
    return NOTHING


def no_plan_event(unusable: int) -> str:
    """Say why files, or a workspace, tell of no plan.

    Args:
        unusable: lines that were read and are no event.

    Returns:
        A sentence for nothing_found.
    """
    if unusable:
        return f"no plan event: {lost_lines(unusable)}"
    return "no plan event; run tracelode import PATH first, or name a file of plan events"


def lost_lines(unusable: int) -> str:
    """Say that lines are no plan events.

    Args:
        unusable: how many, at least one.

    Returns:
        A sentence.
    """
    return f"{number(unusable, 'line')} cannot be used; tracelode plan check says why"


def nothing_stored(workspace: Workspace) -> str:
    """Say why a workspace is empty.

    Args:
        workspace: one without operations.

    Returns:
        One sentence with what to do.
    """
    known = workspace.doctor()
    if not known.files:
        return "nothing imported yet; run tracelode import PATH, or tracelode demo"
    reasons = [f"{skip.count:,} x {skip.reason}" for skip in known.skipped[:REASONS]]
    if len(known.skipped) > REASONS:
        reasons.append("...")
    why = f": {', '.join(reasons)}" if reasons else ""
    files = "the 1 file that was" if known.files == 1 else f"the {number(known.files, 'file')} that were"
    return f"no session in {files} read{why}; tracelode doctor says where"

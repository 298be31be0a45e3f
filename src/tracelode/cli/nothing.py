"""Why is there nothing to show? Nothing was imported, or what was read holds no session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.text import number

if TYPE_CHECKING:
    from tracelode.workspace import Workspace

REASONS = 3
"""Reasons named in the message."""


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

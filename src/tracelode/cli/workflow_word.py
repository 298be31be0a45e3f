"""Which workflow does a word name: a folder, a file, or an intent?"""

from __future__ import annotations

from pathlib import Path

from tracelode.errors import UsageError

PLACE = Path("tracelode-workflows")


def at_hand() -> str:
    """The only workflow in the folder where compile writes without -o.

    Raises:
        UsageError: there is none, or several.
    """
    found = sorted(p.parent for p in PLACE.glob("*/workflow.json")) if PLACE.is_dir() else []
    if len(found) == 1:
        return str(found[0])
    what = "there is no workflow in" if not found else f"there are {len(found):,} workflows in"
    raise UsageError(f"{what} ./{PLACE}: name a folder that tracelode compile wrote")


def named(target: str) -> bool:
    """Does a word name a folder or file, and no intent?

    Args:
        target: as typed.

    Raises:
        WorkflowError: a file that is not there, or a folder without a workflow.
    """
    from tracelode.workspace.compiling_files import folder_of

    return folder_of(target) is not None

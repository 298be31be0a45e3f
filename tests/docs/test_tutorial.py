"""Does the tutorial lead to the step that the samples were written to show?"""

from __future__ import annotations

import json

from docs.pages import ROOT, parts
from tracelode.cli.app import COMMANDS

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
TRUTH = json.loads((ROOT / "tests" / "samples" / "truth.json").read_text(encoding="utf-8"))


def commands(text: str) -> str:
    """All commands of a page."""
    return "\n".join(step.code for part in parts(text) for step in part.steps)


def test_it_ends_at_the_step_that_fails_in_every_attempt() -> None:
    step = TRUTH["by"]["step"]["deploy git server: ssh authentication"]
    shown = TUTORIAL[TUTORIAL.index("## 5.") : TUTORIAL.index("## 6.")]
    assert any(f"operation  {session}#" in shown for session in step["sessions"])
    assert "authentication error" in shown
    assert "Permission denied (publickey)" in shown
    assert f"look at  deploy service: {len(step['sessions'])} of {len(step['sessions'])} attempts" in TUTORIAL


def test_every_command_is_shown_on_some_page() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = "\n".join(commands(page.read_text(encoding="utf-8")) for page in pages)
    names = {name for _, name, _, _ in COMMANDS} - {"completion"}
    assert {name for name in names if f"tracelode {name}" not in shown} == set()

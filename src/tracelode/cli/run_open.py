"""What is said of a run that has not ended: its id, where it broke off, how it goes on, which are open?"""

from __future__ import annotations

import json as json_
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tracelode.cli import ending
from tracelode.cli.text import clean, number, shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracelode.model.compiled import Chosen, OpenRun
    from tracelode.model.execution import Outcome
    from tracelode.model.workflow import Workflow

INTERRUPTED = 130


@contextmanager
def aside() -> Iterator[None]:
    """Meanwhile, what tools and their commands print goes to standard error: the answer alone is ours."""
    real, kept = sys.stdout, -1
    with suppress(OSError, ValueError):
        real.flush()
        if real.fileno() == 1:
            kept = os.dup(1)
            os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = real
        if kept >= 0:
            os.dup2(kept, 1)
            os.close(kept)


class Going:
    """A run that is begun or resumed, as its user hears of it.

    Args:
        workflow: which.
        target: as its user named it.
        chosen: what it is run with.
        accept_edits: was an edited file taken?
        json: is JSON asked for?
    """

    def __init__(
        self, workflow: Workflow, target: str, chosen: Chosen, *, accept_edits: bool, json: bool
    ) -> None:
        self._workflow, self._chosen, self._json = workflow, chosen, json
        self.run = chosen.resume or f"run_{secrets.token_hex(8)}"
        words = [f"tracelode run {shell_word(clean(target))} --resume {clean(self.run)}"]
        words += [f"--tools {shell_word(clean(one))}" for one in chosen.tools]
        words.append(f"--journal {shell_word(clean(chosen.journal))}")
        if chosen.engine != "embedded":
            words.append(f"--engine {shell_word(clean(chosen.engine))}")
        words += ["--shadow"] * chosen.shadow + ["--accept-edits"] * accept_edits
        self._resume = " ".join(words)

    def say(self) -> None:
        """Say first which run it is: whoever kills the process has to know."""
        from tracelode.cli.shapes import SCHEMA_VERSION

        if self._json:
            told = {"schema_version": SCHEMA_VERSION, "run": self.run, "journal": self._chosen.journal}
            ending.tell(json_.dumps(told) + "\n")
        elif not self._chosen.resume:
            ending.tell(f"run {self.run}\n")

    def interrupted(self, error: BaseException) -> bool:
        """Does an exception end the run because somebody interrupted it?

        Args:
            error: whatever was raised.
        """
        return isinstance(error, KeyboardInterrupt) or ending.interrupted()

    def broken_off(self) -> int:
        """Say that the run was interrupted, what is in doubt, and how it goes on.

        Returns:
            The exit code.
        """
        from tracelode.workspace import running_open

        ending.deaf()
        doubt = running_open.in_doubt(self._workflow, self._chosen, self.run)
        noted = doubt is not None or self._chosen.engine != "embedded"
        ways = self._ways(doubt or ()) if noted else []
        if self._json:
            from tracelode.cli import shapes

            shapes.write(
                {"status": "interrupted", "run": self.run, "journal": self._chosen.journal,
                 "in_doubt": None if doubt is None else list(doubt), "resume": ways}
            )  # fmt: skip
        what = f"interrupted; run {self.run} " + ("has not ended" if noted else "had not begun")
        lines = [f"tracelode: {what}"]
        lines += [
            f"in doubt  {clean(slot)}: the write may have been made, or not; look, then say what is so"
            for slot in doubt or ()
        ]
        lines += [f"{'or' if place else 'resume':10}{way}" for place, way in enumerate(ways)]
        ending.tell("\n".join(lines) + "\n")
        return INTERRUPTED

    def tell(self, outcome: Outcome) -> None:
        """Write how far the run came.

        Args:
            outcome: of the run.
        """
        from tracelode.cli import run_text, shapes, shapes_compile
        from tracelode.cli.screen import Screen

        asked = outcome.escalation
        doubt = (asked.step,) if asked is not None and asked.code == "in_doubt" else ()
        ways = self._ways(doubt)
        if self._json:
            resume = ways if outcome.status == "escalated" else []
            told = {**shapes_compile.outcome(outcome), "journal": self._chosen.journal, "resume": resume}
            shapes.write(told)
        else:
            run_text.draw(Screen(), self._workflow, outcome, ways)

    def _ways(self, doubt: Sequence[str]) -> list[str]:
        """Command lines that go on: with a write in doubt, one for each thing that may be so."""
        if not doubt:
            return [self._resume]
        slot = shell_word(clean(doubt[0]))
        output = " --output JSON" if self._read(doubt[0]) else ""
        return [f"{self._resume} --done {slot}{output}", f"{self._resume} --not-done {slot}"]

    def _read(self, slot: str) -> bool:
        from tracelode.workspace.running_open import is_read

        return is_read(self._workflow, slot)


def listed(runs: Sequence[OpenRun], workflow: Workflow, *, json: bool) -> int:
    """Write the runs of a workflow that have not ended.

    Args:
        runs: of its journal.
        workflow: which.
        json: is JSON asked for?

    Returns:
        The exit code: 3 where there is none.
    """
    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found

    if not runs:
        return nothing_found("no run of this workflow is open in the journal", {"runs": []} if json else None)
    if json:
        shapes.write({"workflow": workflow.id, "runs": [shape(one) for one in runs]})
    else:
        _draw(runs)
    return 0


def shape(one: OpenRun) -> dict[str, object]:
    """An open run as JSON."""
    return {
        "run": one.run,
        "mode": one.mode,
        "status": one.status,
        "started_us": one.started,
        "step": one.step or None,
        "code": one.code or None,
        "wrote": list(one.wrote),
        "in_doubt": list(one.doubt),
    }


def _draw(runs: Sequence[OpenRun]) -> None:
    from datetime import UTC, datetime

    from tracelode.cli.screen import Screen

    screen = Screen()
    screen.sentence(f"{number(len(runs), 'run')} not ended")
    for one in runs:
        begun = datetime.fromtimestamp(one.started / 1_000_000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        stands = (
            f"waits at {clean(one.step) or 'its start'}: {one.code}" if one.code else "broke off, or runs"
        )
        parts = [f"{clean(one.run)}", f"begun {begun}", stands]
        if one.mode == "shadow":
            parts.insert(1, "shadow")
        if one.wrote:
            parts.append(f"made {', '.join(clean(slot) for slot in one.wrote)}")
        if one.doubt:
            parts.append(f"in doubt: {', '.join(clean(slot) for slot in one.doubt)}")
        screen.flow("run", parts, joint=", ", indent=10)

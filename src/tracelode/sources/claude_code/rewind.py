"""Did a person go back to an earlier point of the conversation? What came after it is a dead branch.

A rewind writes nothing of its own: the next prompt follows the record that an earlier prompt followed, and
everything from that earlier prompt on stays in the file, off the chain of the last record. So the prompts on
the active path are all that has to be remembered.
"""

from __future__ import annotations

from tracelode.model.ports import Change
from tracelode.sources.claude_code.context import Context, Prompt, digest
from tracelode.sources.claude_code.records import Record

KEPT = 256
"""Prompts back to which a rewind is noticed."""


class Rewinds:
    """Follows the active path of a file's main thread.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def prompt(self, record: Record, operation: str) -> Change | None:
        """Take note of a prompt.

        Args:
            record: a record that starts a turn.
            operation: id of its operation, not yet yielded.

        Returns:
            What marks the branch that this prompt leaves, None where it leaves none.

        Source:
            formats: acceptance case A17.
        """
        state = self.context.state
        own = digest(record.uuid or operation)
        if any(prompt.record == own for prompt in state.prompts):
            # /branch writes records again, without their parents
            return None
        parent = ""
        if record.parentUuid:
            parent = digest(record.parentUuid)
        elif state.chained or not state.prompts:
            parent = digest(f"start of {record.sessionId}")
        dead = None
        for place, prompt in enumerate(state.prompts):
            if parent and prompt.parent == parent:
                dead = Change(id=prompt.operation, fields={"rolled_back": "1"}, onward=True)
                del state.prompts[place:]
                break
        state.prompts.append(Prompt(parent, own, operation))
        del state.prompts[:-KEPT]
        return dead

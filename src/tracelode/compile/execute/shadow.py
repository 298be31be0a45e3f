"""Would a workflow have made the writes that were made? Its proposals against a recorded run."""

from __future__ import annotations

from typing import Literal

from tracelode.compile.execute.stops import NOTHING
from tracelode.compile.paths import leaves, written
from tracelode.compile.transforms import same
from tracelode.model.run import Call, Run, Tree
from tracelode.model.workflow import Step

Compared = Literal["", "same", "different", "absent"]


class Recorded:
    """A recorded run that writes are looked up in, each call once.

    Args:
        run: what an agent did.
    """

    def __init__(self, run: Run) -> None:
        self._left: list[Call] = [call for call in run.calls if not call.error]

    def compare(self, step: Step, arguments: Tree) -> tuple[Compared, tuple[str, ...], Tree]:
        """Look a write up.

        Args:
            step: the write.
            arguments: what it would be called with.

        Returns:
            (verdict, argument paths that differ, the recorded output; NOTHING where the arguments differ).
        """
        calls = [
            (n, c) for n, c in enumerate(self._left) if c.name == step.tool and c.server in (step.server, "")
        ]
        if not calls:
            return "absent", (), NOTHING
        ranked = [(len(differing(c.arguments, arguments)), n, c) for n, c in calls]
        _, place, call = min(ranked, key=lambda found: found[:2])
        del self._left[place]
        paths = differing(call.arguments, arguments)
        if paths:
            return "different", paths, NOTHING
        return "same", (), NOTHING if call.missing else call.output


def differing(recorded: Tree, proposed: Tree) -> tuple[str, ...]:
    """Paths at which two values differ.

    Args:
        recorded: one.
        proposed: other.

    Returns:
        Sorted paths of leaves that only one has, or that are not the same.
    """
    one, other = dict(leaves(recorded)), dict(leaves(proposed))
    return tuple(
        sorted(
            written(at)
            for at in {*one, *other}
            if at not in one or at not in other or not same(one[at], other[at])
        )
    )

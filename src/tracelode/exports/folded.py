"""Folded stacks: one line per stack, frames joined by ";", a space and an integer.

Specification: https://github.com/brendangregg/FlameGraph (input of flamegraph.pl).
"""

from __future__ import annotations

from typing import IO

from tracelode.model.profile import Profile
from tracelode.model.words import stack_text


class FoldedExporter:
    """Writes one measure of a profile as folded stacks, in its stored unit.

    Args:
        measure: which measure; None for the profile's first.
    """

    name = "folded"
    suffixes = (".folded",)
    binary = False

    def __init__(self, measure: str | None = None) -> None:
        self.measure = measure

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write the stacks whose value is not 0, sorted.

        Args:
            profile: what to write.
            stream: an open binary stream.

        Raises:
            UnknownMeasure: the profile does not carry the chosen measure.
        """
        place = profile.place(self.measure)
        lines = [
            f"{stack_text(stack)} {values[place]}\n"
            for stack, values in sorted(profile.totals.items())
            if values[place]
        ]
        stream.write("".join(lines).encode())

"""Folded pairs: one line per stack with the values of both sets, as difffolded.pl writes them.

Specification: https://github.com/brendangregg/FlameGraph/blob/master/difffolded.pl (its output, which
flamegraph.pl draws as a differential flame graph).
"""

from __future__ import annotations

from typing import IO

from tracelode.model.difference import Difference
from tracelode.model.words import stack_text


class DiffFoldedExporter:
    """Writes "stack base other", in the measure's stored unit, scaled as Difference.integers() says."""

    def write(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write the stacks that are not 0 on both sides, sorted.

        Args:
            difference: what to write.
            stream: an open binary stream.
        """
        rows = zip(difference.rows, *difference.integers(), strict=True)
        lines = sorted(
            f"{stack_text(row.stack)} {base} {other}\n" for row, base, other in rows if base or other
        )
        stream.write("".join(lines).encode())

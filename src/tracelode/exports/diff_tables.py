"""A difference as JSON or CSV: both sets, their net value, and what supports each stack.

Specification: this file; `schema_version` changes when a reader of the older one would be misled.
"""

from __future__ import annotations

import csv
import io
import re
from typing import IO

from tracelode.model.difference import Difference
from tracelode.model.difference_json import answer
from tracelode.model.words import json_text, stack_text

SCHEMA_VERSION = 1
"""Version of the layout."""
# The quotes in front make the guard reversible: one quote is taken off whatever follows.
_FORMULA = re.compile("'*[=+\\-@＝＋－＠]")


class DiffJsonExporter:
    """Writes a difference as one JSON object: answer() with schema_version, one row a line."""

    def write(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write the object.

        Args:
            difference: what to write.
            stream: an open binary stream.
        """
        found = {"schema_version": SCHEMA_VERSION, **answer(difference)}
        rows = ",\n".join(f"  {json_text(row)}" for row in found.pop("rows"))
        lines = [f"{json_text(key)}: {json_text(value)}" for key, value in found.items()]
        lines.append(f'"rows": [\n{rows}\n]' if rows else '"rows": []')
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


class DiffCsvExporter:
    """Writes stack, base, other, net, the bounds of net, sessions of both sides, and tasks."""

    def write(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write a header and one row per stack, the largest difference first.

        Args:
            difference: what to write.
            stream: an open binary stream.
        """
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            ["stack", "base", "other", "net", "low", "high", "base_sessions", "other_sessions", "tasks",
             "supported"]
        )  # fmt: skip
        for row, base, other in zip(difference.rows, *difference.integers(), strict=True):
            found, cell = difference.support.get(row.stack), stack_text(row.stack)
            support = (found.base, found.other, found.tasks) if found else (0, 0, 0)
            writer.writerow(
                [f"'{cell}" if _FORMULA.match(cell) else cell, base, other, other - base,
                 *("" if bound is None else bound for bound in (row.low, row.high)), *support,
                 int(difference.supported(row.stack))]
            )  # fmt: skip
        stream.write(text.getvalue().encode())

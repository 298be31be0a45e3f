"""CSV: one row per stack, one column per measure, safe to open in a spreadsheet.

Specification: RFC 4180, with LF line ends. Formula guard: OWASP, CSV Injection.
"""

from __future__ import annotations

import csv
import io
import re
from typing import IO

from tracelode.model.profile import Profile
from tracelode.model.words import exact_dollars, stack_text

# The quotes in front make the guard reversible: one quote is taken off whatever follows.
_FORMULA = re.compile("'*[=+\\-@＝＋－＠]")


class CsvExporter:
    """Writes the totals of a profile as CSV: stack, then the measures.

    Frames are joined by ";" as in folded stacks. A column of picodollars is followed by one of
    dollars, since spreadsheets round integers above 2^53.
    """

    name = "csv"
    suffixes = (".csv",)
    binary = False

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write a header and one row per stack, sorted.

        Args:
            profile: what to write.
            stream: an open binary stream.
        """
        money = [unit == "picodollars" for unit in profile.units]
        header = ["stack"]
        for measure, is_money in zip(profile.measures, money, strict=True):
            header += [measure, f"{measure}_dollars"] if is_money else [measure]
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        for stack in sorted(profile.totals):
            row: list[str | int | None] = [_guarded(stack_text(stack))]
            for value, is_money in zip(profile.told(stack), money, strict=True):
                # an empty cell is unknown
                row += [value, None if value is None else exact_dollars(value)] if is_money else [value]
            writer.writerow(row)
        stream.write(text.getvalue().encode())


def _guarded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell

"""JSON: the totals of a profile for programs, money as integer picodollars and as exact dollars.

Specification: this file; `schema_version` changes when a reader of the older one would be misled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from tracelode.model.profile import Profile
from tracelode.model.words import exact_dollars, json_text

SCHEMA_VERSION = 1
"""Version of the layout."""


class JsonExporter:
    """Writes the totals of a profile as one JSON object.

    Keys: schema_version, fields (projected stack fields), measures, units (by measure), comments,
    total (by measure), rows: [{stack: [frames, root to leaf], <measure>: integer, null where
    unknown}]. Beside every measure in picodollars stands <measure>_dollars, a decimal string: readers
    that hold numbers as doubles round integers above 2^53, which is $9,007.
    """

    name = "json"
    suffixes = (".json",)
    binary = False

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write the object, rows sorted by stack, one a line.

        Args:
            profile: what to write.
            stream: an open binary stream.
        """
        totals = [profile.total(i) if profile.known(i) else None for i in range(len(profile.measures))]
        head = {
            "schema_version": SCHEMA_VERSION,
            "fields": list(profile.fields),
            "measures": list(profile.measures),
            "units": dict(zip(profile.measures, profile.units, strict=True)),
            "comments": list(profile.comments),
            "total": _values(profile, totals),
        }
        rows = [
            {"stack": list(stack), **_values(profile, profile.told(stack))}
            for stack in sorted(profile.totals)
        ]
        lines = [f"{json_text(key)}: {json_text(value)}" for key, value in head.items()]
        # One row a line: a diff of two files shows the stacks that changed.
        table = ",\n".join(f"  {json_text(row)}" for row in rows)
        lines.append(f'"rows": [\n{table}\n]' if rows else '"rows": []')
        stream.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _values(profile: Profile, values: Sequence[int | None]) -> dict[str, int | str | None]:
    found: dict[str, int | str | None] = {}
    for measure, unit, value in zip(profile.measures, profile.units, values, strict=True):
        found[measure] = value
        if unit == "picodollars":
            found[f"{measure}_dollars"] = None if value is None else exact_dollars(value)
    return found

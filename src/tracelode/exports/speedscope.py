"""speedscope: one "sampled" profile per measure over shared frames, for speedscope.app.

Specification: https://www.speedscope.app/file-format-schema.json
"""

from __future__ import annotations

from typing import IO, Any

from tracelode.errors import ExportError
from tracelode.model.measure import outward
from tracelode.model.profile import Profile
from tracelode.model.words import json_text, printable

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
"""The value by which speedscope knows its own format."""

_UNITS = {"microseconds": "microseconds", "bytes": "bytes"}


class SpeedscopeExporter:
    """Writes all measures of a profile for speedscope.

    The format knows time and bytes; other measures have unit "none" and name their unit in the
    profile's name. Cost is in nanodollars.
    """

    name = "speedscope"
    suffixes = (".speedscope.json",)
    binary = False

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write one sampled profile per measure, stacks sorted, those of value 0 left out.

        Args:
            profile: what to write.
            stream: an open binary stream.

        Raises:
            ExportError: a value is negative; speedscope has no place for it.
        """
        frames = sorted({frame for stack in profile.totals for frame in stack})
        document = {
            "$schema": SCHEMA,
            "exporter": "tracelode",
            "name": _title(profile),
            "activeProfileIndex": 0,
            "shared": {"frames": [{"name": printable(frame)} for frame in frames]},
            "profiles": _sampled(profile, {frame: i for i, frame in enumerate(frames)}),
        }
        stream.write(json_text(document).encode() + b"\n")


def _title(profile: Profile) -> str:
    return f"tracelode: {' > '.join(profile.fields)}" if profile.fields else "tracelode"


def _sampled(profile: Profile, places: dict[str, int]) -> list[dict[str, Any]]:
    stacks = sorted(profile.totals)
    indices = [[places[frame] for frame in stack] for stack in stacks]
    found = []
    for i, (measure, stored) in enumerate(zip(profile.measures, profile.units, strict=True)):
        unit, values = outward(stored, [profile.totals[stack][i] for stack in stacks])
        if any(value < 0 for value in values):
            raise ExportError(f"{measure}: speedscope cannot show values below 0; write pprof instead")
        kept = [place for place, value in enumerate(values) if value]
        found.append(
            {
                "type": "sampled",
                "name": measure if unit in _UNITS or unit == measure else f"{measure} ({unit})",
                "unit": _UNITS.get(unit, "none"),
                "startValue": 0,
                "endValue": sum(values),
                "samples": [indices[place] for place in kept],
                "weights": [values[place] for place in kept],
            }
        )
    return found

"""Which export formats are there, and which one does a file name choose?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from tracelode import registry
from tracelode.errors import ExportError, UsageError
from tracelode.model.profile import Profile


def write(profile: Profile, target: str | Path | IO[bytes], format: str | None) -> None:
    """Write a profile to a file or stream.

    Args:
        profile: what to write.
        target: a path (written whole or not at all) or an open binary stream.
        format: name of an exporter, None to go by the suffix.

    Raises:
        UsageError: no format of that name or suffix.
        ExportError: the file cannot be written.
    """
    named = isinstance(target, str | Path)
    exporter = exporter_for(str(target) if named else "", format)
    if not named:
        exporter.write(profile, target)
        return
    aside = Path(f"{target}.part")
    try:
        # a profile names projects and files: for the owner's eyes, like the store
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            exporter.write(profile, stream)
        os.replace(aside, str(target))
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        aside.unlink(missing_ok=True)


def formats() -> dict[str, tuple[str, ...]]:
    """Export formats by name, with their suffixes."""
    found = {name: tuple(registry.load("exports", name).suffixes) for name in registry.names("exports")}
    found["parquet"] = (".parquet",)
    return found


def exporter_for(target: str, format: str | None) -> Any:
    """The exporter a format name or a file name's longest known suffix chooses.

    Raises:
        UsageError: there is none.
    """
    if format == "parquet" or (format is None and target.endswith(".parquet")):
        from tracelode.store.tables import ParquetExporter

        return ParquetExporter()
    names = registry.names("exports")
    if format is not None:
        if format not in names:
            raise UsageError(f"unknown format {format!r}; known: {', '.join((*names, 'parquet'))}")
        return registry.load("exports", format)
    best: tuple[int, Any] | None = None
    for name in names:
        exporter = registry.load("exports", name)
        for suffix in exporter.suffixes:
            if target.endswith(suffix) and (best is None or len(suffix) > best[0]):
                best = (len(suffix), exporter)
    if best is None:
        known = ", ".join(s for suffixes in formats().values() for s in suffixes)
        raise UsageError(f"the suffix of {Path(target).name!r} names no format; known: {known}")
    return best[1]

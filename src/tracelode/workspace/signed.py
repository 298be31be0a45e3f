"""How does a difference become a file? Its formats, chosen by suffix as those of a profile."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import IO, Any

from tracelode.errors import UsageError
from tracelode.model.difference import Difference
from tracelode.workspace.writing import private

FORMATS: dict[str, tuple[str, bool, str]] = {
    "pprof": (".pb.gz", True, "tracelode.exports.pprof:PprofExporter"),
    "folded": (".folded", False, "tracelode.exports.difffolded:DiffFoldedExporter"),
    "svg": (".svg", False, "tracelode.exports.svg_diff:DiffSvgExporter"),
    "html": (".html", False, "tracelode.exports.html_diff:DiffHtmlExporter"),
    "json": (".json", False, "tracelode.exports.diff_tables:DiffJsonExporter"),
    "csv": (".csv", False, "tracelode.exports.diff_tables:DiffCsvExporter"),
}
"""Name of a format to its suffix, whether it is binary, and what writes it."""


def difference_format(target: str, format: str | None) -> str:
    """The format that a name or a file name's suffix chooses.

    Args:
        target: file name.
        format: name of a format, None to go by the suffix.

    Returns:
        A key of FORMATS.

    Raises:
        UsageError: there is none.
    """
    if format is not None:
        if format not in FORMATS:
            raise UsageError(f"no format {format!r} for differences; known: {', '.join(FORMATS)}")
        return format
    for name, (suffix, _, _) in FORMATS.items():
        if target.lower().endswith(suffix):
            return name
    known = " ".join(suffix for suffix, _, _ in FORMATS.values())
    raise UsageError(f"no format for differences by the suffix of {Path(target).name!r}; use one of {known}")


def write_difference(difference: Difference, target: str | Path | IO[bytes], format: str | None) -> None:
    """Write a difference to a file or stream.

    Args:
        difference: what to write.
        target: a path (written whole or not at all) or an open binary stream.
        format: name of a format, None to go by the suffix.

    Raises:
        UsageError: no format of that name or suffix.
        ExportError: the file cannot be written.
    """
    named = isinstance(target, str | Path)
    name = difference_format(str(target) if named else "", format)
    module, _, maker = FORMATS[name][2].partition(":")
    exporter = getattr(import_module(module), maker)()
    # pprof reads signed values of a plain profile; the others show both sides
    shown: Any = difference.signed() if name == "pprof" else difference
    if not isinstance(target, str | Path):
        exporter.write(shown, target)
        return
    with private(str(target)) as stream:
        exporter.write(shown, stream)

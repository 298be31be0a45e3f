"""Where does a view go that was asked for as a file?"""

from __future__ import annotations

import sys
from pathlib import Path

from tracelode.cli import shapes
from tracelode.cli.options import FileOptions, StoreOptions, ViewOptions
from tracelode.cli.view import load
from tracelode.errors import UsageError


def write_file(
    view: ViewOptions,
    store: StoreOptions,
    file: FileOptions,
    *,
    suffix: str = "",
    detail: bool = False,
) -> int:
    """Write the profile of a view to a file or to standard output.

    Args:
        view: what is counted.
        store: where from.
        file: target and format; its output is set.
        suffix: format of standard output without --format, as svg.
        detail: samples with labels too.

    Returns:
        Exit code.

    Raises:
        UsageError: binary output to a terminal, or standard output in no format.
        ExportError: the format cannot be written.
    """
    from tracelode.cli.screen import warn

    target = file.output or "-"
    loaded = load(view, store, to_file=True, detail=detail)
    profile = loaded.shown()
    if not profile.totals:
        warn("nothing to write; run tracelode import PATH first, or loosen the filters")
        return 3
    if target == "-":
        form = file.format or suffix
        if not form:
            raise UsageError("-o - needs --format: pprof, folded, speedscope, svg, json, csv or parquet")
        if form in ("pprof", "parquet") and sys.stdout.isatty():
            raise UsageError(f"{form} is binary; pipe it, or name a file with -o")
        sys.stdout.flush()
        loaded.workspace.export(profile, sys.stdout.buffer, form)
        sys.stdout.buffer.flush()
        return 0
    path = Path(target)
    if not path.suffix and not file.format:
        raise UsageError(
            f"{target!r} has no suffix to pick the format by; name it .svg or .pb.gz, or give --format"
        )
    loaded.workspace.export(profile, path, file.format)
    if store.json:
        answer = {"wrote": target, "bytes": path.stat().st_size, "stacks": len(profile.totals)}
        shapes.write({**answer, "measures": list(profile.measures)})
    else:
        warn(f"wrote {target}: {len(profile.totals):,} stacks, {', '.join(profile.measures)}")
    return 0

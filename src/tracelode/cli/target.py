"""Where does a view go that was asked for as a file?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

import msgspec

from tracelode.cli import shapes
from tracelode.cli.options import FileOptions, StoreOptions, ViewOptions
from tracelode.cli.view import View, load
from tracelode.errors import UsageError
from tracelode.model.profile import Profile


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
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.text import clean, number

    target = file.output or "-"
    check_target(target, file.format, suffix)
    loaded = load(view, store, to_file=True, detail=detail)
    profile = loaded.shown()
    if not profile.totals:
        reason = "nothing to write; run tracelode import PATH first, or loosen the filters"
        return nothing_found(reason, {} if store.json and target != "-" else None)
    if target == "-":
        sys.stdout.flush()
        _export(loaded, sys.stdout.buffer, file.format or suffix)
        sys.stdout.buffer.flush()
        return 0
    path = Path(target).expanduser()
    _export(loaded, path, file.format)
    if store.json:
        # A device or a pipe does not tell how much went into it.
        size = path.stat().st_size if path.is_file() else None
        answer = {"wrote": target, "bytes": size, "stacks": len(profile.totals)}
        shapes.write({**answer, "measures": list(profile.measures)})
    else:
        sys.stderr.write(
            f"wrote {clean(target)}: {number(len(profile.totals), 'stack')} by {profile.measures[0]}\n"
        )
    return 0


def _export(loaded: View, target: Path | IO[bytes], form: str | None) -> None:
    """Write a view; a page holds the operations behind its frames too."""
    by_suffix = form is None and str(target).lower().endswith(".html")
    if form == "html" or by_suffix:
        loaded.workspace.export_page(loaded.profile, loaded.query, target)
    else:
        loaded.workspace.export(_told(loaded), target, form)


def _told(loaded: View) -> Profile:
    """The shown measures; that cost lacks tokens without a price is told beside it."""
    profile, bare = loaded.shown(), loaded.total("tokens.unpriced")
    if "cost" not in profile.measures or not bare:
        return profile
    comments = (*profile.comments, f"unpriced {bare:,} tokens are not in cost")
    return msgspec.structs.replace(profile, comments=comments)


def write_operations(store: StoreOptions, file: FileOptions) -> int:
    """Write every operation of a store to a file or to standard output.

    Args:
        store: where from.
        file: target.

    Returns:
        Exit code.

    Raises:
        UsageError: no target.
        ExportError: the file cannot be written.
    """
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import open_workspace

    if file.output is None:
        raise UsageError("--operations needs a file; write it as: tracelode export --operations -o x.jsonl")
    workspace = open_workspace(store)
    if file.output == "-":
        sys.stdout.flush()
        workspace.export_operations(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return 0
    count = workspace.export_operations(file.output)
    if store.json:
        shapes.write({"wrote": file.output, "operations": count})
    else:
        sys.stderr.write(f"wrote {clean(file.output)}: {number(count, 'operation')}\n")
    return 0


def write_warehouse(store: StoreOptions, target: Path | None, ddl: str | None) -> int:
    """Write a store as the tables of a warehouse, and print what makes them elsewhere.

    Args:
        store: where from.
        target: folder of the warehouse, None to print statements alone.
        ddl: dialect of the statements, None for none.

    Returns:
        Exit code.

    Raises:
        ExportError: the folder cannot be written, or holds something else.
    """
    from tracelode.cli.text import clean, number
    from tracelode.cli.view import open_workspace
    from tracelode.workspace.warehousing import statements

    if target is not None:
        counts = open_workspace(store).export_warehouse(target)
        if store.json:
            shapes.write({"wrote": str(target), "rows": counts})
        else:
            told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
            sys.stderr.write(f"wrote {clean(str(target))}, {number(len(counts), 'table')}: {told}\n")
    if ddl is not None:
        sys.stdout.write(statements(ddl, target if target is not None else "WAREHOUSE"))
    return 0


def wanted(file: FileOptions) -> bool:
    """Is a file asked for, instead of the screen?

    Args:
        file: target and format.

    Raises:
        UsageError: a format without a target.
    """
    if file.output is None and file.format is not None:
        raise UsageError("--format goes with -o; write it as -o FILE, or -o - for standard output")
    return file.output is not None


def check_target(target: str, form: str | None = None, suffix: str = "") -> None:
    """Refuse a target whose format cannot be told, before anything is asked.

    Args:
        target: path, or - for standard output.
        form: name of a format, None to go by the suffix.
        suffix: format of standard output without one.

    Raises:
        UsageError: binary output to a terminal, or no format.
    """
    from tracelode import workspace

    known = workspace.formats()
    if form is not None and form not in known:
        raise UsageError(f"no format {form!r}; known: {', '.join(known)}")
    if target != "-":
        suffixes = sorted(s for names in known.values() for s in names)
        if form is None and not target.lower().endswith(tuple(suffixes)):
            raise UsageError(
                f"no format by the suffix of {target!r}; use one of {' '.join(suffixes)}, or --format"
            )
    elif not (form or suffix):
        raise UsageError(f"-o - needs --format, one of {', '.join(known)}")
    elif sys.stdout.isatty() and workspace.is_binary(form or suffix):
        raise UsageError(f"{form} is binary; pipe it, or name a file with -o")

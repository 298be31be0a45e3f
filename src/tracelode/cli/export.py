"""tracelode export: how do other tools get the profile? As a file in the format of its suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.options import FILES, STORE, VIEW, FileOptions, StoreOptions, ViewOptions
from tracelode.errors import UsageError


def export(
    *,
    detail: Annotated[
        bool, Parameter(help="Samples with labels (session, operation, id) that lead back.")
    ] = False,
    operations: Annotated[
        bool, Parameter(help="Not a profile but every operation, as JSON Lines that import reads.")
    ] = False,
    warehouse: Annotated[
        Path | None,
        Parameter(
            help="Not a profile but the whole store as Parquet tables, a folder a table and day.",
            converter=path,
            metavar="DIR",
        ),
    ] = None,
    ddl: Annotated[
        Literal["duckdb", "clickhouse"] | None,
        Parameter(help="Print the statements that make these tables in a database and load them."),
    ] = None,
    view: ViewOptions = VIEW,
    file: FileOptions = FILES,
    store: StoreOptions = STORE,
) -> int:
    """Write a profile to a file: pprof, folded, speedscope, SVG, JSON, CSV or Parquet, by suffix.

    Args:
        detail: labels too.
        operations: the whole store as JSON Lines.
        warehouse: the whole store as Parquet tables.
        ddl: statements for a database.
        view: what is counted.
        file: target and format.
        store: where from.

    Returns:
        Exit code.
    """
    from tracelode.cli.target import write_file, write_operations, write_warehouse

    if warehouse is not None or ddl is not None:
        if view != VIEW or detail or operations or file != FILES:
            raise UsageError("--warehouse and --ddl are of the whole store; they go with --store alone")
        return write_warehouse(store, warehouse, ddl)
    if operations:
        if view != VIEW or detail or file.format is not None:
            raise UsageError("--operations writes the whole store; it goes with -o and --store alone")
        return write_operations(store, file)
    if file.output is None and file.format is None:
        raise UsageError("export needs a file; write it as: tracelode export -o profile.pb.gz")
    return write_file(view, store, file, detail=detail)

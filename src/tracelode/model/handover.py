"""How does a profile get into other people's tables and notebooks? Columns, and a frame with the viewer."""

from __future__ import annotations

from html import escape
from importlib.metadata import entry_points
from io import BytesIO
from typing import Any, Protocol

from tracelode.errors import ExportError, MissingExtra
from tracelode.model.words import encodable

NODES = 2_000
"""Frames of the viewer in a notebook, at most: its output is stored with the notebook."""
HEIGHT = 680
"""Pixels of it."""
_LARGEST = 2**63


class Told(Protocol):
    """What is handed over: a profile, which knows this module."""

    @property
    def measures(self) -> tuple[str, ...]:
        """m measure names."""

    @property
    def totals(self) -> dict[tuple[str, ...], tuple[int, ...]]:
        """n stacks to m integers each."""

    def told(self, stack: tuple[str, ...]) -> tuple[int | None, ...]:
        """Totals of one stack, None where unknown."""


def columns(profile: Told) -> dict[str, list[Any]]:
    """A profile as columns.

    Args:
        profile: n stacks of m measures.

    Returns:
        stack: n lists of frames, root to leaf, sorted; a column of n integers a measure, None where unknown.
    """
    stacks = sorted(profile.totals)
    told = [profile.told(stack) for stack in stacks]
    found: dict[str, list[Any]] = {"stack": [[encodable(frame) for frame in stack] for stack in stacks]}
    for place, measure in enumerate(profile.measures):
        found[measure] = [values[place] for values in told]
    return found


def _wide(values: list[int | None]) -> bool:
    """Does a column need more than 64 bits?"""
    return any(value is not None and not -_LARGEST <= value < _LARGEST for value in values)


def to_arrow(profile: Told) -> Any:
    """A pyarrow.Table: stack is list<string>, measures are int64, decimal128(38, 0) where large.

    Args:
        profile: what is handed over.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    try:
        import pyarrow as arrow
    except ImportError:
        raise MissingExtra("pyarrow", "arrow") from None
    arrays = {}
    for name, values in columns(profile).items():
        if name == "stack":
            kind = arrow.list_(arrow.string())
        else:
            kind = arrow.decimal128(38, 0) if _wide(values) else arrow.int64()
        arrays[name] = arrow.array(values, kind)
    return arrow.table(arrays)


def to_pandas(profile: Told) -> Any:
    """A pandas.DataFrame: stack holds lists, measures are Int64 with NA where unknown, objects where large.

    Args:
        profile: what is handed over.

    Raises:
        MissingExtra: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtra("pandas", "pandas") from None
    made = {}
    for name, values in columns(profile).items():
        plain = name == "stack" or _wide(values)
        made[name] = pandas.Series(values, dtype="object" if plain else "Int64")
    return pandas.DataFrame(made)


def to_polars(profile: Told) -> Any:
    """A polars.DataFrame: stack is List(String), measures are Int64, or Int128 where 64 bits are too few.

    Args:
        profile: what is handed over.

    Raises:
        MissingExtra: polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtra("polars", "polars") from None
    held = columns(profile)
    schema: dict[str, Any] = {"stack": polars.List(polars.String)}
    for measure in profile.measures:
        schema[measure] = polars.Int128 if _wide(held[measure]) else polars.Int64
    return polars.DataFrame(held, schema=schema)


def framed(shown: Any, how: str = "write") -> str | None:
    """The viewer in a frame that can reach nothing of the notebook around it.

    Args:
        shown: a profile or a difference.
        how: the method of the html exporter that writes it.

    Returns:
        HTML; None where the viewer cannot show it, as where values are below 0.
    """
    # by the door that every exporter comes in by: nouns know no exporter
    points = entry_points(group="tracelode.exports", name="html")
    for point in points:
        stream = BytesIO()
        try:
            getattr(point.load()(nodes=NODES), how)(shown, stream)
        except ExportError:
            return None
        page = escape(stream.getvalue().decode(), quote=True)
        return (
            f'<iframe sandbox="allow-scripts" title="flame graph" width="100%" height="{HEIGHT}" '
            f'style="border:0" srcdoc="{page}"></iframe>'
        )
    return None

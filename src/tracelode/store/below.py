"""How were processes, files and hosts joined to tool calls? Counts over the whole store."""

from __future__ import annotations

from tracelode.store.duckdb import DuckAsker


def effects(asker: DuckAsker) -> dict[str, int]:
    """Number of effects by how they were assigned.

    Args:
        asker: of the store.

    Returns:
        tree, id, ambiguous or none to a number; empty for a store without effects.

    Source:
        docs/decisions/0014-effects.md.
    """
    if asker.empty():
        return {}
    rows = asker._rows(
        "SELECT json_extract_string(fields, '$.assigned') AS how, count(*) FROM {operations} "
        "WHERE kind IN ('process', 'file', 'network') AND NOT inherited AND how IS NOT NULL "
        "GROUP BY 1 ORDER BY 1"
    )
    return {how: int(count) for how, count in rows}

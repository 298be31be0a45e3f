"""How are the operations of many sessions read in one go, with or without what tools answered?"""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.store.duckdb import DuckAsker
from tracelode.store.schema import OPERATIONS, quoted
from tracelode.store.shards import row_operation


def series(asker: DuckAsker, sessions: Sequence[str], *, outputs: bool = True) -> dict[str, list[Operation]]:
    """The operations of sessions.

    Args:
        asker: reads the store.
        sessions: keys.
        outputs: False leaves out what tools answered; what models said stays.

    Returns:
        Key to operations in order, inherited ones included; a session without any is absent.

    Raises:
        StoreError: a shard is broken.
    """
    found: dict[str, list[Operation]] = {}
    if asker.empty() or not sessions:
        return found
    kept = "output" if outputs else "CASE WHEN kind = 'model' THEN output ELSE '' END"
    columns = ", ".join(kept if name == "output" else name for name, _ in OPERATIONS)
    among = ", ".join(quoted(key) for key in sorted(sessions))
    for row in asker._rows(
        f"SELECT {columns} FROM {{operations}} WHERE session IN ({among}) ORDER BY session, idx"
    ):
        found.setdefault(row[0], []).append(row_operation(row))
    return found


def stages(asker: DuckAsker, sessions: Sequence[str]) -> dict[str, dict[int, str]]:
    """The stage of every own operation of some sessions.

    Args:
        asker: reads the store.
        sessions: keys.

    Returns:
        Key to index to stage; operations without one are absent.

    Raises:
        StoreError: a shard is broken.
    """
    found: dict[str, dict[int, str]] = {}
    if asker.empty() or not sessions:
        return found
    among = ", ".join(quoted(key) for key in sorted(sessions))
    text = f"SELECT session, idx, stage FROM {{frames}} WHERE session IN ({among}) AND stage IS NOT NULL"
    for session, index, stage in asker._rows(text):
        found.setdefault(session, {})[index] = stage
    return found

"""Which tool calls of a store may have made a commit? What their results print is read by others."""

from __future__ import annotations

from tracelode.model.operation import Operation
from tracelode.store.duckdb import DuckAsker
from tracelode.store.shards import row_operation

VERBS = ("commit", "deploy", "pull", "push", "sync")
"""Verbs of calls that may make a commit: sync has git cherry-pick and git revert; the others go before commit
where one line holds several commands."""
WAIT = "wait"
"""Verb of calls that read on what a command in the background prints; alone they are no hint at a commit."""


def committing(asker: DuckAsker) -> dict[str, list[Operation]]:
    """Own tool calls whose verb is one of VERBS, and those that wait, in families that have such calls.

    Args:
        asker: reads the store.

    Returns:
        Root key to the calls of its family, in the order of sessions and indices.

    Raises:
        StoreError: a shard is broken.
    """
    found: dict[str, list[Operation]] = {}
    if asker.empty():
        return found
    verbs = " OR ".join(f'fields LIKE \'%"verb":"{verb}"%\'' for verb in (*VERBS, WAIT))
    text = (
        f"SELECT root, * FROM {{operations}} WHERE kind = 'tool' AND NOT inherited AND ({verbs}) "
        "ORDER BY root, session, idx"
    )
    for root, *row in asker._rows(text):
        operation = row_operation(tuple(row))
        if operation.fields.get("verb") in (*VERBS, WAIT):
            found.setdefault(root, []).append(operation)
    return {
        root: operations
        for root, operations in found.items()
        if any(operation.fields["verb"] != WAIT for operation in operations)
    }

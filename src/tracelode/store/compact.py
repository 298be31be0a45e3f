"""How does a store stay quick to read? Small shards are merged and dead rows dropped, in one transaction."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from tracelode.store.catalog import Catalog
from tracelode.store.shards import TABLES, intact, relation, shard_file, write_parquet

SMALL = 5_000
"""A shard with fewer operations is small."""
ENOUGH = 8
"""So many small or half-dead shards are worth a merge."""
MOST = 50_000
"""Operations in a merged shard."""


def compact(catalog: Catalog, connection: Any, *, enough: int = ENOUGH) -> int:
    """Merge small and half-dead shards where there are many of them.

    Args:
        catalog: the store's catalog; the caller holds the import lock.
        connection: DuckDB connection.
        enough: do nothing below this many candidates.

    Returns:
        Number of shards that were merged away.
    """
    sizes = {name: (count, families) for name, count, families in catalog.sizes()}
    dead = catalog.shards()
    small = [
        name
        for name, (count, families) in sorted(sizes.items())
        if count < SMALL or 2 * len(dead.get(name, ())) > families
    ]
    if len(small) < enough:
        return 0
    group: list[str] = []
    total = merged = 0
    for name in small:
        if group and total + sizes[name][0] > MOST:
            merged += _merge(catalog, connection, group)
            group, total = [], 0
        group.append(name)
        total += sizes[name][0]
    return merged + _merge(catalog, connection, group)


def heal(catalog: Catalog) -> int:
    """Forget what lay in shards that are gone or damaged, so that its files are read again.

    Args:
        catalog: the store's catalog; the caller holds the import lock.

    Returns:
        Number of families that were forgotten; what their sources no longer hold is lost.
    """
    broken = {name for name in catalog.shards() if not intact(catalog.folder, name)}
    if not broken:
        return 0
    roots = [root for root, (shard, _) in catalog.families().items() if shard in broken]
    with catalog.transaction():
        for root in roots:
            for source in {s.source for s in catalog.sessions(root)}:
                catalog.drop_source(source)
            for row in catalog.sources_of(root):
                catalog.drop_source(row.path)
            catalog.drop_sessions([s.key for s in catalog.sessions(root)])
            catalog.drop_family(root)
        for name in broken:
            catalog.drop_shard(name)
    return len(roots)


def _merge(catalog: Catalog, connection: Any, names: list[str]) -> int:
    """Write the living rows of some shards as one and point their families at it."""
    folder: Path = catalog.folder
    dead = catalog.shards()
    chosen = {name: dead[name] for name in names}
    moved = [root for root, (shard, _) in catalog.families().items() if shard in chosen]
    target = secrets.token_hex(8)
    for table in TABLES:
        # no ORDER BY: rows stream through, and whoever reads a family sorts it
        query = f"SELECT * FROM ({relation(folder, table, chosen)})"
        write_parquet(connection, query, shard_file(folder, table, target))
    count = connection.execute(
        f"SELECT count(*) FROM read_parquet('{shard_file(folder, 'operations', target)}')"
    ).fetchone()[0]
    with catalog.transaction():
        catalog.replace_shards(names, target, count, moved)
    return len(names)

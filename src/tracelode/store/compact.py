"""How does a store stay quick to read? Small shards are merged and dead rows dropped, in one transaction."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, NamedTuple

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


class Healed(NamedTuple):
    """What became of shards that are gone or damaged."""

    named: list[str]
    """Families whose frames are made again from their operations."""
    lost: list[str]
    """Families whose operations are gone: only their files can bring them back."""


def heal(catalog: Catalog) -> Healed:
    """Make good what can be made good of shards that are gone or damaged.

    Args:
        catalog: the store's catalog; the caller holds the import lock.

    Returns:
        Families whose frames are to be written again (their version is emptied), and families that were
        forgotten, so that their files are read again. What is damaged is kept in the folder `damaged`.
    """
    folder: Path = catalog.folder
    healed = Healed([], [])
    for name in catalog.shards():
        whole = [table for table in TABLES if intact(folder, name, table)]
        if len(whole) == len(TABLES):
            continue
        roots = [root for root, (shard, _) in catalog.families().items() if shard == name]
        if "operations" in whole:
            healed.named.extend(roots)
            with catalog.transaction():
                for root in roots:
                    catalog.put_family(root, name, "")
            continue
        healed.lost.extend(roots)
        with catalog.transaction():
            for root in roots:
                _forget(catalog, root)
            catalog.drop_shard(name)
        for table in TABLES:
            _keep_aside(shard_file(folder, table, name), folder / "damaged" / table)
    return healed


def _forget(catalog: Catalog, root: str) -> None:
    for source in {s.source for s in catalog.sessions(root)}:
        catalog.drop_source(source)
    for row in catalog.sources_of(root):
        catalog.drop_source(row.path)
    catalog.drop_sessions([s.key for s in catalog.sessions(root)])
    catalog.drop_family(root)


def _keep_aside(file: Path, place: Path) -> None:
    if file.exists():
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.replace(place / file.name)


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

"""How is a store of a given size made? Cut out of an imported one, or written row by row by rule.

Run: python make_store.py cut SOURCE TARGET OPERATIONS
     python make_store.py rows TARGET SHARDS ROWS
     python make_store.py choose TARGET SEGMENTER
Prints one JSON object: operations, stacks (of intent, stage, focus, tool with sub-agents nested), cost.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import tracelode
from tracelode.store.catalog import Catalog
from tracelode.store.schema import FRAMES, NULLABLE_COLUMNS
from tracelode.store.shards import TABLES, connect, quoted, relation, shard_file, write_parquet

FAMILY = 100
"""Operations in one family of a store made by rule."""
INTENTS, STAGES, FOCUSES, TOOLS = 20, 80, 12, 8
"""Different values of each frame there; one focus in thirteen is none."""
SPAWNING, SUBAGENT = 4, 30
"""Every so many families have a sub-agent, of so many operations."""


def cut(source: Path, target: Path, count: int) -> dict[str, Any]:
    """Copy a store and keep its first own operations, by family, session and index, shard by shard.

    Args:
        source: an imported store.
        target: the copy.
        count: own operations to keep.
    """
    shutil.copytree(source, target)
    catalog = Catalog(target)
    connection = connect(2)
    living = relation(target, "frames", catalog.shards())
    connection.execute(
        f"CREATE TABLE kept AS SELECT root, session, idx FROM ({living}) "
        f"ORDER BY root, session, idx LIMIT {count}"
    )
    found = connection.execute("SELECT count(*) FROM kept").fetchone()[0]
    if found < count:
        raise SystemExit(f"the store holds {found} own operations, {count} were asked for")
    for name in catalog.shards():
        rows = 0
        for table in TABLES:
            file = shard_file(target, table, name)
            query = f"SELECT f.* FROM read_parquet({quoted(file)}) f SEMI JOIN kept k USING (session, idx)"
            rows = connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
            write_parquet(connection, query, file)
        if not rows:
            catalog.db.execute("DELETE FROM shards WHERE name = ?", (name,))
    roots = [row[0] for row in connection.execute("SELECT DISTINCT root FROM kept").fetchall()]
    marks = ",".join("?" * len(roots))
    for table in ("families", "sessions", "sources"):
        catalog.db.execute(f"DELETE FROM {table} WHERE root NOT IN ({marks})", roots)
    catalog.close()
    return {"operations": found}


def rows(target: Path, shards: int, each: int) -> dict[str, Any]:
    """Write shards of frames by rule: families of 100 operations, some with a sub-agent.

    Args:
        target: the store.
        shards: number of shards.
        each: operations in one of them.
    """
    catalog = Catalog(target)
    connection = connect(2)
    for number in range(shards):
        name = f"{number:016x}"
        query = frames_sql(number * each, (number + 1) * each)
        write_parquet(connection, query, shard_file(target, "frames", name))
        first, last = number * each // FAMILY, ((number + 1) * each - 1) // FAMILY
        with catalog.transaction():
            catalog.put_shard(name, each, last - first + 1)
            for family in range(first, last + 1):
                catalog.put_family(f"s{family:09d}", name, "made by rule")
    # what the frames hold as focus is the key of a name in the catalog
    keys = [f"focus {number}" for number in range(FOCUSES)]
    text = "INSERT INTO ladders VALUES (?1, '', 'focus', '', 0, ?1)"
    catalog.db.executemany(text, [(key,) for key in keys])
    files = quoted(target / "frames" / "*.parquet")
    count, cost = connection.execute(f"SELECT count(*), CAST(SUM(cost) AS BIGINT) FROM {files}").fetchone()
    return {"operations": count, "cost": cost}


def frames_sql(first: int, stop: int) -> str:
    """A SELECT of the rows first .. stop - 1 of FRAMES."""
    spawned = f"(family % {SPAWNING} = 0 AND idx >= {FAMILY - SUBAGENT})"
    spawner = f"(family % {SPAWNING} = 0 AND idx = {FAMILY - SUBAGENT - 1})"

    def word(name: str, wide: int, narrow: int, seed: str) -> str:
        # sub-agents do fewer kinds of work, so that nesting does not multiply the stacks without end
        return f"'{name} ' || (hash({seed}) % (CASE WHEN {spawned} THEN {narrow} ELSE {wide} END))"

    texts = {
        "session": f"root || CASE WHEN {spawned} THEN '/agent' ELSE '' END",
        "root": "root",
        "idx": "idx",
        "id": "printf('%016x', i)",
        "moment": "1780000000000000 + i * 1000000",
        "spawns": f"CASE WHEN {spawner} THEN root || '/agent' END",
        "seg": f"CASE WHEN {spawner} THEN 'delegate' "
        f"ELSE {word('stage', STAGES, 20, '(i // 7) * 5 + 2')} END",
        "lane": "NULL",
        "project": "'~/src/project-' || (family % 40)",
        "agent": "'claude-code'",
        "role": f"CASE WHEN {spawned} THEN 'subagent' ELSE 'main' END",
        "model": "'model-' || (family % 3)",
        "kind": "'tool'",
        "status": "CASE WHEN hash(i + 1) % 20 = 0 THEN 'error' ELSE 'ok' END",
        "intent": f"'intent ' || (hash(family) % {INTENTS})",
        "stage": f"CASE WHEN {spawner} THEN 'delegate ' || (hash(family) % 3) "
        f"ELSE {word('stage', STAGES, 20, '(i // 7) * 5 + 2')} END",
        "focus": f"CASE WHEN {spawner} OR hash(i + 3) % {FOCUSES + 1} = 0 THEN NULL "
        f"ELSE {word('focus', FOCUSES, 9, 'i * 11 + 4')} END",
        "tool": f"CASE WHEN {spawner} THEN 'Task' ELSE {word('Tool', TOOLS, 6, 'i * 13 + 5')} END",
        "cost": "1000000 + hash(i + 6) % 1000000000",
        "operations": "1",
    }
    columns = ", ".join(
        f"CAST({texts.get(name, 'NULL' if name in NULLABLE_COLUMNS else f'hash(i + {place}) % 5000')} "
        f"AS {kind}) AS {name}"
        for place, (name, kind) in enumerate(FRAMES)
    )
    base = (
        f"SELECT i, i // {FAMILY} AS family, i % {FAMILY} AS idx, printf('s%09d', i // {FAMILY}) AS root "
        f"FROM range({first}, {stop}) t(i)"
    )
    return f"SELECT {columns} FROM ({base}) ORDER BY i"


def main() -> None:
    """Make one store."""
    kind, *words = sys.argv[1:]
    if kind == "choose":
        # an empty store whose sessions will be cut by the segmenter named
        found = {"sessions": tracelode.open(words[0]).segment(words[1])}
    elif kind == "cut":
        found = cut(Path(words[0]), Path(words[1]), int(words[2]))
    else:
        found = rows(Path(words[0]), int(words[1]), int(words[2]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""What would the engine alone need? GROUP BY over the same Parquet files by DuckDB, nothing of tracelode.

Run: python fold_bare.py STORE COLUMNS MEASURES; both separated by commas.
"""

from __future__ import annotations

import json
import sys

import duckdb


def main() -> None:
    """Group the frames of a store and fetch every group."""
    store, columns, measures = sys.argv[1:4]
    sums = ", ".join(f"CAST(SUM({name}) AS BIGINT)" for name in measures.split(","))
    connection = duckdb.connect(config={"threads": 2})
    files = f"{store}/frames/*.parquet".replace("'", "''")
    rows = connection.execute(f"SELECT {columns}, {sums} FROM '{files}' GROUP BY {columns}").fetchall()
    print(json.dumps({"stacks": len(rows), "first": sum(row[len(columns.split(","))] for row in rows)}))


if __name__ == "__main__":
    main()

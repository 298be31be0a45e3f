"""Do the tables of a warehouse load elsewhere, and do they add up to what the store says?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cli import fake
from plan.article import rows as article
from plan.traces import written
from tracelode.errors import ExportError, UsageError
from tracelode.model.warehouse import DATE, TABLES
from tracelode.workspace import Workspace, demo
from tracelode.workspace import open as opened
from tracelode.workspace.warehousing import statements


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("warehouse")
    workspace = demo(folder / "store", tz="UTC")
    workspace.add(written(folder, article()))
    return workspace


def _loaded(place: Path) -> Any:
    """A database that the printed statements made."""
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    database.execute(statements("duckdb", place))
    return database


def test_it_loads_and_reconciles(store: Workspace, tmp_path: Path) -> None:
    counts = store.export_warehouse(tmp_path / "w")
    database = _loaded(tmp_path / "w")
    for name, columns in TABLES.items():
        assert database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] == counts[name]
        told = [row[0] for row in database.execute(f"DESCRIBE {name}").fetchall()]
        assert told == [*(c.name for c in columns), DATE]
    totals = store.totals()
    money, tokens, calls, operations, roots = database.execute(
        "SELECT sum(cost_picodollars), sum(tokens_output), sum(calls), sum(operations), count(DISTINCT root) "
        "FROM operations WHERE NOT inherited"
    ).fetchone()
    assert (money, tokens) == (totals.cost_picodollars, totals.tokens["output"])
    assert (calls, operations, roots) == (totals.calls, totals.operations, totals.sessions)
    by_model = dict(
        database.execute(
            "SELECT model, sum(cost_picodollars) FROM operations WHERE model <> '' GROUP BY 1"
        ).fetchall()
    )
    for model, row in totals.by["model"].items():
        if row.cost_picodollars:
            assert by_model[model] == row.cost_picodollars


def test_plans_are_what_the_metrics_say(store: Workspace, tmp_path: Path) -> None:
    store.export_warehouse(tmp_path / "w")
    database = _loaded(tmp_path / "w")
    key = "ml_project_001"
    starts, back = database.execute(
        "SELECT (SELECT count(*) FROM attempts WHERE session = $1), "
        "(SELECT count(*) FROM rollbacks WHERE session = $1)", [key],
    ).fetchone()  # fmt: skip
    (metrics,) = database.execute("SELECT metrics FROM sessions WHERE session = ?", [key]).fetchone()
    assert back / starts == pytest.approx(json.loads(metrics)["rollback_rate"])
    assert database.execute(
        "SELECT event_id, to_node, cost_us, date::VARCHAR FROM rollbacks WHERE session = ?", [key]
    ).fetchall() == [("e12", "plan_2", 60_000_000, "2026-03-02")]
    assert database.execute("SELECT count(*) FROM events WHERE session = ?", [key]).fetchone() == (21,)
    first = database.execute(
        "SELECT timestamp::VARCHAR, payload FROM events WHERE session = ? ORDER BY seq LIMIT 1", [key]
    ).fetchone()
    assert first[0] == "2026-03-02 09:00:00"
    assert json.loads(first[1])["description"] == "classify with AUC of 0.85"


def test_files_are_private_versioned_and_by_day(store: Workspace, tmp_path: Path) -> None:
    store.export_warehouse(tmp_path / "w")
    told = json.loads((tmp_path / "w" / "manifest.json").read_text())
    assert (told["schema"], told["metrics_version"]) == (1, 1)
    files = list((tmp_path / "w").rglob("*.parquet"))
    assert all(path.parent.name.startswith("date=") for path in files)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    meta = duckdb.execute(f"SELECT key, value FROM parquet_kv_metadata('{files[0]}')").fetchall()
    assert (b"tracelode_schema", b"1") in meta
    days = {p.parent.name for p in files if p.parts[-3] == "operations"}
    assert "date=2026-03-02" in days
    assert len(days) > 3


def test_a_warehouse_is_replaced_and_nothing_else_is(store: Workspace, tmp_path: Path) -> None:
    first = store.export_warehouse(tmp_path / "w")
    assert store.export_warehouse(tmp_path / "w") == first
    assert [p.name for p in tmp_path.iterdir()] == ["w"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("x")
    with pytest.raises(ExportError, match="something else"):
        store.export_warehouse(tmp_path / "other")
    assert [p.name for p in (tmp_path / "other").iterdir()] == ["thesis.txt"]


def test_an_empty_store_makes_empty_tables(tmp_path: Path) -> None:
    counts = opened(tmp_path / "s").export_warehouse(tmp_path / "w")
    assert set(counts.values()) == {0}
    assert _loaded(tmp_path / "w").execute("SELECT count(*) FROM operations").fetchone() == (0,)


def test_clickhouse_statements_are_ones() -> None:
    sqlglot = pytest.importorskip("sqlglot")
    text = statements("clickhouse", "wh")
    parsed = sqlglot.parse(text, read="clickhouse")
    made = [one for one in parsed if one.key == "create"]
    loads = [one for one in parsed if one.key == "insert"]
    assert (len(made), len(loads)) == (len(TABLES), len(TABLES))
    for create, columns in zip(made, TABLES.values(), strict=True):
        told = [(c.name, bool(c.kind.args.get("nullable", True))) for c in create.this.expressions]
        assert [name for name, _ in told] == [*(c.name for c in columns), DATE]
        assert "MergeTree" in create.sql("clickhouse")
    with pytest.raises(sqlglot.errors.ParseError):
        sqlglot.parse(
            text.replace("CREATE TABLE IF NOT EXISTS sessions (", "CREATE TABLE (", 1), read="clickhouse"
        )


def test_clickhouse_takes_them(store: Workspace, tmp_path: Path) -> None:
    pytest.importorskip("chdb", reason="chdb, ClickHouse in a process, is not installed")
    from chdb import session

    counts = store.export_warehouse(tmp_path / "w")
    house = session.Session()
    house.query("CREATE DATABASE w ENGINE = Atomic")
    house.query("USE w")
    for one in statements("clickhouse", tmp_path / "w").split(";\n"):
        if text := "\n".join(line for line in one.splitlines() if not line.startswith("--")).strip():
            house.query(text)
    told = {name: int(house.query(f"SELECT count() FROM {name}").bytes()) for name in TABLES}
    assert told == counts


def test_the_command(store: Workspace, run: fake.Run, tmp_path: Path) -> None:
    place = str(store.path)
    code, said, err = run("export", "--warehouse", str(tmp_path / "w"), "--ddl", "duckdb", "--store", place)
    assert code == 0
    assert said.startswith("-- tracelode warehouse, schema version 1, duckdb")
    assert f"{tmp_path}/w/events/*/*.parquet" in said
    assert "events" in err
    assert run("export", "--ddl", "clickhouse")[0] == 0
    assert run("export", "--warehouse", str(tmp_path / "w"), "--operations", "--store", place)[0] == 2
    with pytest.raises(UsageError):
        statements("oracle")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    return fake.commands(capsys)

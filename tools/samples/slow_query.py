"""What happened to the slow order list? One analysis, two ways on: an index, and in a fork another paging."""

from __future__ import annotations

from samples.ledger import Ledger
from samples.session import Session, opened
from samples.toolbox import bash, edit, query, read, write

SLOWEST = """[{"query": "SELECT ... FROM orders ... ORDER BY created_at DESC LIMIT $1 OFFSET $2",
 "calls": 1841, "mean_ms": 3912.4}, {"query": "SELECT ... FROM items", "calls": 90211, "mean_ms": 0.8}]"""
EXPLAIN = """[{"QUERY PLAN": "Limit (actual time=3871.2..3871.3 rows=50)"},
 {"QUERY PLAN": "  -> Sort (actual time=3790.9..3868.0 rows=48050) Sort Method: external merge Disk: 61MB"},
 {"QUERY PLAN": "       -> Seq Scan on orders (actual time=0.0..911.5 rows=1204118)"}]"""
INDEXED = """[{"QUERY PLAN": "Limit (actual time=38.1..38.2 rows=50)"},
 {"QUERY PLAN": "  -> Index Scan Backward using orders_created_at (actual time=0.1..37.7 rows=48050)"}]"""
KEYSET = """[{"QUERY PLAN": "Limit (actual time=0.2..1.9 rows=50)"},
 {"QUERY PLAN": "  -> Index Scan Backward using orders_pkey on orders (actual time=0.1..1.8 rows=50)"}]"""
ADMIN = """def page(session, number, size=50):
    rows = select(Order).join(Line).order_by(Order.created_at.desc())
    return session.scalars(rows.offset(number * size).limit(size))"""
MIGRATION = """def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.create_index("orders_created_at", "orders", ["created_at"], postgresql_concurrently=True)"""


def told(ledger: Ledger) -> list[Session]:
    """13 October: the parent goes on with an index, the fork in the afternoon with keyset paging."""
    s = opened(ledger, 8, "shop-api", "2026-10-13T08:12:30+00:00")
    s.prompt(
        "The order list in the admin takes four seconds per page. Find the slow query and say what you'd do."
    )
    stats = (
        "SELECT query, calls, mean_exec_time FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 20"
    )
    s.call("The statistics first.", query(stats, SLOWEST, 1.3, bulk=1_700), think=90)
    s.call(
        None,
        query("EXPLAIN (ANALYZE, BUFFERS) SELECT ... OFFSET 48000", EXPLAIN, 4.6, bulk=900),
        read(s.path("app/admin.py"), ADMIN, start=61),
        query(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'orders'",
            '[{"indexname": "orders_pkey"}]',
            0.3,
        ),
        think=170,
    )
    s.say(
        "The page sorts 1.2 million orders on disk because created_at has no index, and OFFSET makes deep"
        " pages worse. Either an index on created_at (small change), or paging by the last id seen (better,"
        " more code).",
        think=380,
    )
    other = s.fork(9)
    _index(s)
    other.pause(7 * 3600 + 840)
    _keyset(other)
    return [s, other]


def _index(s: Session) -> None:
    s.prompt("Take the index.", after=74)
    s.call(None, write(s.path("migrations/0042_orders_created_at.py"), MIGRATION))
    s.call(
        None,
        bash("alembic upgrade head", "Run the migration on staging", "Running upgrade 0041 -> 0042", 13.9),
    )
    s.call(None, query("EXPLAIN (ANALYZE) SELECT ... OFFSET 48000", INDEXED, 0.4))
    s.say("From 3.9 s to 38 ms on staging. The migration builds the index without blocking writes.", think=70)


def _keyset(s: Session) -> None:
    s.prompt("Let me see the other way too: leave the table alone and page by the last id seen.")
    new = (
        "def page(session, before, size=50):\n    rows = select(Order).where(Order.id <"
        " before).order_by(Order.id.desc())"
    )
    old = (
        "def page(session, number, size=50):\n    rows ="
        " select(Order).join(Line).order_by(Order.created_at.desc())"
    )
    s.call("Then the cursor is the id.", edit(s.path("app/admin.py"), old, new, line=61), think=290)
    failure = (
        "FAILED tests/test_admin.py::test_second_page - TypeError: page() got an unexpected keyword argument"
        " 'number'"
    )
    s.call(None, bash("pytest -q tests/test_admin.py", "Run the admin tests", failure, 6.6, code=1))
    s.call(
        None,
        edit(s.path("tests/test_admin.py"), "page(session, number=1)", "page(session, before=51)", line=30),
    )
    s.call(
        None,
        bash("pytest -q tests/test_admin.py", "Run the admin tests again", "9 passed in 3.18s", 6.3),
        query("EXPLAIN (ANALYZE) SELECT ... WHERE id < 812000 ORDER BY id DESC LIMIT 50", KEYSET, 0.3),
    )
    s.say(
        "1.9 ms on every page and no migration, but links to page numbers stop working. Not committed.",
        think=110,
    )

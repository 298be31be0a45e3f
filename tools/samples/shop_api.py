"""What happened in the shop's API? A failing test, a new endpoint, and the review of a pull request."""

from __future__ import annotations

from samples.ledger import HAIKU, OPUS, SONNET, Ledger
from samples.session import Session, opened
from samples.toolbox import agent, bash, denied, edit, grep, plan_approved, read, task_move, task_new, write

CART = """def discounted(price: Decimal, percent: int) -> Decimal:
    factor = Decimal(100 - percent) / 100
    return (price * factor).quantize(CENT)"""
ROUTES = """@router.get("/orders/{order_id}")
def show(order_id: int, user: User = Depends(current_user)) -> OrderOut:
    order = orders.get(order_id)
    if order is None or order.user_id != user.id:
        raise HTTPException(404)
    return OrderOut.from_row(order)"""
INVOICE = """
@router.get("/orders/{order_id}/invoice")
def invoice(order_id: int, user: User = Depends(current_user)) -> InvoiceOut:
    order = orders.get(order_id)
    if order is None:
        raise HTTPException(404)
    return InvoiceOut.of(order)"""
PLAN = """# Invoice endpoint

1. `InvoiceOut` in app/schemas.py: number, lines, net, tax, gross.
2. `GET /orders/{id}/invoice` in app/routes/orders.py, same ownership rule as `show`.
3. Tests: own order, someone else's order, order without lines.

Out of scope: the PDF itself."""
TESTS = """def test_invoice_of_own_order(client, order):
    body = client.get(f"/orders/{order.id}/invoice").json()
    assert body["gross"] == "23.80"


def test_invoice_of_other_user_is_hidden(client, other_order):
    assert client.get(f"/orders/{other_order.id}/invoice").status_code == 404"""
# Shaped like a token so that redaction has something to find; it never was one.
REMOTE = "https://sam:ghp_FAKEdemoFAKEdemoFAKEdemoFAKEdemo0000@github.com/sam-demo/shop-api.git"
PULL = """diff --git a/app/stock.py b/app/stock.py
@@ -31,7 +31,9 @@ def reserve(order):
-    item.stock -= line.quantity
+    if item.stock >= line.quantity:
+        item.stock -= line.quantity
... [214 lines truncated] ..."""


def fix_test(ledger: Ledger) -> list[Session]:
    """2 October: one failing test, found and fixed."""
    s = opened(ledger, 1, "shop-api", "2026-10-02T07:48:20+00:00")
    s.prompt(
        "tests/test_cart.py::test_discount_rounding fails on main since yesterday. Find out why and fix it."
    )
    failure = (
        ">       assert discounted(Decimal('19.90'), 5) == Decimal('18.91')\n"
        "E       AssertionError: assert Decimal('18.90') == Decimal('18.91')\n1 failed in 1.92s"
    )
    s.call(
        "I'll run it first.",
        bash("pytest -x tests/test_cart.py", "Run the failing test", failure, 6.1, code=1),
    )
    s.call(
        "Off by a cent, so rounding. Reading the function, its callers and yesterday's commits.",
        bash(
            "git log --oneline -4 -- app/cart.py",
            "Show recent commits",
            "9be2f61 Use Decimal for prices",
            0.9,
        ),
        read(s.path("app/cart.py"), CART, total=92, bulk=1_300),
        grep("quantize", s.path("app"), "app/cart.py:41:    return (price * factor).quantize(CENT)"),
        think=240,
    )
    s.call(
        "`quantize` rounds half to even unless told otherwise; the float code before it rounded half up.",
        edit(s.path("app/cart.py"), ".quantize(CENT)", ".quantize(CENT, rounding=ROUND_HALF_UP)", line=41),
        edit(s.path("app/cart.py"), "import Decimal", "import ROUND_HALF_UP, Decimal", line=3),
        think=310,
        thought="19.90 less 5 % is 18.905: a tie, and half even takes the lower. Invoices expect half up.",
    )
    s.call(None, bash("pytest -q tests/test_cart.py", "Run the cart tests", "18 passed in 2.05s", 4.4))
    s.call(None, bash("pytest -q", "Run all tests", "212 passed in 41.37s", 44.8))
    s.say(
        "Fixed: prices are rounded half up again, as before the move to Decimal. All 212 tests pass.",
        think=60,
    )
    s.prompt("good, commit it", after=96)
    commit = 'git commit -qam "Round prices half up" && git log --oneline -1'
    s.call(None, bash(commit, "Commit the fix", "41c7d0e Round prices half up", 1.1))
    s.say("Committed as 41c7d0e.")
    return [s]


def add_endpoint(ledger: Ledger) -> list[Session]:
    """6 October: a planned endpoint, with a sub-agent that looks round and a push that is refused."""
    s = opened(ledger, 3, "shop-api", "2026-10-06T08:31:02+00:00", model=OPUS)
    s.prompt(
        "Add an endpoint that returns the invoice of an order as JSON. Make a plan first, I want to see it."
    )
    prompt = (
        "Find where order routes, schemas and their tests live and which rules they share. Report paths only."
    )
    s.call(
        "I'll have the order code looked over before I plan.",
        agent("Explore order code", prompt, "Explore", HAIKU, _look_round),
        think=120,
    )
    s.call(
        None,
        read(s.path("app/routes/orders.py"), ROUTES, start=18),
        read(
            s.path("app/schemas.py"),
            "class OrderOut(BaseModel):\n    id: int\n    lines: list[LineOut]",
            start=7,
        ),
    )
    s.call(None, plan_approved(PLAN, "/home/sam/.claude/plans/quiet-sorting-heron.md", 164.0), think=640)
    s.call(
        None,
        task_new(
            1, "Add invoice schema and route", "InvoiceOut and GET /orders/{id}/invoice", "Adding the route"
        ),
        task_new(2, "Write invoice tests", "Own order, foreign order, empty order", "Writing tests"),
        task_new(3, "Commit and push", "One commit on a branch", "Committing"),
        task_move(1, "pending", "in_progress"),
    )
    _build_invoice(s)
    _ship_invoice(s)
    return [s]


def _look_round(s: Session) -> str:
    s.call(
        None,
        grep(
            "APIRouter|OrderOut",
            "app",
            "app/routes/orders.py:9:router = APIRouter()\napp/schemas.py:7:class OrderOut",
        ),
    )
    s.call(
        None,
        read(s.path("app/routes/orders.py"), ROUTES, start=18),
        bash("ls tests", "List tests", "test_orders.py", 0.2),
    )
    return s.say(
        "Routes: app/routes/orders.py. Schemas: app/schemas.py. Tests: tests/test_orders.py. A foreign order"
        " is a 404."
    )


def _build_invoice(s: Session) -> None:
    schema = "class InvoiceOut(BaseModel):\n    number: str\n    net: Decimal\n    gross: Decimal"
    s.call(
        "Schema and route.",
        edit(s.path("app/schemas.py"), "class LineOut", f"{schema}\n\n\nclass LineOut", line=22),
    )
    s.call(None, edit(s.path("app/routes/orders.py"), "# end of orders", INVOICE, line=25), think=180)
    s.call(
        None,
        task_move(1, "in_progress", "completed"),
        task_move(2, "pending", "in_progress"),
        write(s.path("tests/test_invoice.py"), TESTS),
    )
    failure = (
        "FAILED tests/test_invoice.py::test_invoice_of_other_user_is_hidden - assert 200 == 404\n1 failed, 1"
        " passed"
    )
    s.call(None, bash("pytest -q tests/test_invoice.py", "Run the new tests", failure, 5.2, code=1))
    s.call(
        "The test is right: I left out the ownership rule of the plan.",
        edit(
            s.path("app/routes/orders.py"),
            "if order is None:",
            "if order is None or order.user_id != user.id:",
            line=28,
        ),
        think=90,
    )
    s.call(None, bash("pytest -q", "Run all tests", "214 passed in 42.10s", 45.3))


def _ship_invoice(s: Session) -> None:
    s.call(
        None,
        task_move(2, "in_progress", "completed"),
        task_move(3, "pending", "in_progress"),
        bash('git add -A && git commit -qm "Add invoice endpoint"', "Commit", "", 0.9),
    )
    push = bash("git push origin main", "Push")
    s.call(None, denied(push, "not to main. make a branch and push that", 38.0))
    command = "git switch -qc invoice-endpoint && git push -u origin HEAD && git remote -v"
    out = f"branch 'invoice-endpoint' set up to track 'origin/invoice-endpoint'.\norigin  {REMOTE} (push)"
    s.call(None, bash(command, "Push a branch", out, 3.7))
    s.call(None, task_move(3, "in_progress", "completed"))
    s.say("The endpoint is on branch invoice-endpoint: route, schema, two tests. Nothing was pushed to main.")


def review(ledger: Ledger) -> list[Session]:
    """16 October: a pull request, read by two sub-agents side by side; the service is overloaded once."""
    s = opened(ledger, 12, "shop-api", "2026-10-16T13:05:44+00:00")
    s.prompt(
        "Review pull request 218 (stock reservation). Look for races, and whether the tests would notice one."
    )
    view = "title: Reserve stock when an order is placed\nauthor: mia\nadditions: 143\ndeletions: 29"
    s.call(
        None,
        bash("gh pr view 218", "Show the pull request", view, 1.4),
        bash("gh pr diff 218", "Show the diff", PULL, 1.7, bulk=3_800),
    )
    tests = (
        "Do tests/test_stock.py and its fixtures exercise two orders at once? Answer with the lines that"
        " matter."
    )
    locks = (
        "Check app/stock.py on branch stock-reservation: is the row locked between reading and writing stock?"
    )
    s.call(
        "Two questions that can be looked at side by side.",
        agent("Check locking", locks, "general-purpose", SONNET, _check_locking),
        agent("Check tests", tests, "Explore", HAIKU, _check_tests),
        think=200,
    )
    s.api_error()
    s.prompt("go on", after=112)
    s.call(
        None,
        bash(
            "git show origin/stock-reservation:app/stock.py | sed -n 20,48p",
            "Show the function",
            "item = session.get(Item, id)\nif item.stock >= line.quantity:",
            0.4,
        ),
        think=260,
    )
    comment = 'gh pr comment 218 --body "reserve() reads stock without a lock: see app/stock.py line 31"'
    s.call(
        None, bash(comment, "Comment on the pull request", "commented on pull request 218", 1.6), think=150
    )
    s.say(
        "One blocking point: two orders can both see the last item. The tests run one order at a time and"
        " miss it."
    )
    return [s]


def _check_locking(s: Session) -> str:
    s.call(
        None,
        bash(
            "git show origin/stock-reservation:app/stock.py",
            "Show the file",
            "def reserve(order): ...",
            0.5,
            bulk=1_200,
        ),
    )
    s.call(
        None,
        grep("with_for_update|FOR UPDATE", "app", ""),
        read(s.path("app/db.py"), "engine = create_engine(URL)", start=4),
    )
    s.call("Checking the isolation level.", grep("isolation_level", "app", ""))
    return s.say(
        "No lock and the default isolation level: reserve() can sell the last item twice.", think=140
    )


def _check_tests(s: Session) -> str:
    s.call(
        None,
        read(
            s.path("tests/test_stock.py"),
            "def test_reserve_reduces_stock(session, order):",
            total=88,
            bulk=900,
        ),
    )
    return s.say("No: every test places one order in one session. Nothing runs concurrently.")

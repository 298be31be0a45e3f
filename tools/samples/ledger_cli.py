"""What happened in the book-keeping tool? A page of documentation, and a module split over two days."""

from __future__ import annotations

from samples.ledger import HAIKU, OPUS, Ledger
from samples.session import Session, opened
from samples.toolbox import bash, edit, glob, grep, read, write

HELP = """usage: ledger import [-h] [--format {csv,camt053,mt940}] [--account NAME] [--dry-run] FILE
Reads a bank statement and books every line once."""
PAGE = """# Importing statements

    ledger import --account giro --dry-run statement.csv

Reads a bank statement (CSV, CAMT.053 or MT940) and books every line once. A line counts as booked
when date, amount and reference are the same. Run with `--dry-run` first: it prints and writes nothing."""
SUMMARY = """This session is being continued from a previous conversation that ran out of context.

1. Request: split src/ledger/report.py into a package without changing behaviour.
2. Done: report/balance.py and report/rows.py, imports adjusted, 96 tests pass.
3. Open: the text renderer goes to report/text.py; report/__init__.py keeps the public names.
4. Rule of the user: one commit per step, no renames of public functions."""
BALANCE = """def balance(entries, at):
    total = Decimal(0)
    for entry in entries:
        if entry.day <= at:
            total += entry.amount
    return total"""


def docs(ledger: Ledger) -> list[Session]:
    """9 October: a page about imports, shortened on request."""
    s = opened(ledger, 6, "ledger", "2026-10-09T16:02:51+00:00", model=HAIKU, base=13_200)
    s.prompt(
        "Write docs/import.md: how to import a bank statement. Half a page, for people who have never"
        " used it."
    )
    s.call(
        None,
        glob(
            "src/ledger/importers/*.py",
            [s.path(f"src/ledger/importers/{n}.py") for n in ("csv", "camt", "mt940")],
        ),
        bash("python -m ledger import --help", "Show the command's help", HELP, 0.9),
        read(s.path("docs/index.md"), "# ledger\n\n- [Accounts](accounts.md)\n- [Reports](reports.md)"),
    )
    s.call(
        None,
        read(
            s.path("src/ledger/importers/csv.py"), "def read_rows(path, dialect=None):", total=141, bulk=1_900
        ),
    )
    s.call(
        "Now the page and a link to it.",
        write(s.path("docs/import.md"), f"{PAGE}\n\n## Formats\n\nCSV needs a header."),
    )
    s.call(
        None,
        edit(
            s.path("docs/index.md"),
            "- [Reports](reports.md)",
            "- [Import](import.md)\n- [Reports](reports.md)",
            line=4,
        ),
    )
    s.say("docs/import.md is written and linked from the index.")
    s.prompt("Good. Drop the formats section, the help covers it.", after=402)
    s.call(None, edit(s.path("docs/import.md"), "\n\n## Formats\n\nCSV needs a header.", "", line=8))
    s.call(
        None,
        bash("mkdocs build --strict", "Build the docs", "INFO - Documentation built in 0.71 seconds", 2.6),
    )
    s.say("Removed; the strict build passes.")
    return [s]


def refactor(ledger: Ledger) -> list[Session]:
    """14 and 15 October: a long module becomes a package; compacted, left overnight, finished."""
    s = opened(ledger, 11, "ledger", "2026-10-14T14:37:12+00:00", model=OPUS, base=15_100)
    s.prompt(
        "Refactor src/ledger/report.py (870 lines) into a package. No change of behaviour, one commit per"
        " step."
    )
    s.call(
        "First the module, its callers, and the tests as they are.",
        read(s.path("src/ledger/report.py"), BALANCE, total=870, bulk=8_600),
        grep(
            "from ledger.report import|ledger.report",
            s.path("src"),
            "src/ledger/cli.py:12:from ledger.report import balance, render",
        ),
        bash("pytest -q", "Run the tests before the change", "96 passed in 8.14s", 9.7),
        think=300,
    )
    _move_balance(s)
    s.say("The package stands and the balance is out. Next would be the text renderer.")
    s.pause(31)
    s.compact(SUMMARY)
    _move_renderer(s)
    return [s]


def _move_balance(s: Session) -> None:
    s.call(
        "Balance first: it depends on nothing else.",
        write(s.path("src/ledger/report/balance.py"), BALANCE),
        bash("git mv src/ledger/report.py src/ledger/report/__init__.py", "Make it a package", "", 0.2),
        think=520,
    )
    failure = (
        "ImportError: cannot import name 'Decimal' from partially initialized module 'ledger.report'\n4"
        " errors in 0.61s"
    )
    s.call(None, bash("pytest -q", "Run the tests", failure, 2.2, code=2))
    s.call(
        "A circular import: balance.py has to take Decimal from its own home.",
        edit(
            s.path("src/ledger/report/balance.py"),
            "def balance",
            "from decimal import Decimal\n\n\ndef balance",
            line=1,
        ),
        think=110,
    )
    s.call(
        None,
        bash(
            'pytest -q && git commit -qam "Move balance to its own module"',
            "Test and commit",
            "96 passed in 8.20s",
            10.8,
        ),
    )


def _move_renderer(s: Session) -> None:
    s.prompt("Morning. Now the text renderer, then we're done.", after=17 * 3600 + 1260)
    s.call(
        None,
        grep(
            "^def |^class ",
            s.path("src/ledger/report/__init__.py"),
            "88:def render(rows):\n131:def _column(rows, key):",
            bulk=600,
        ),
    )
    s.call(
        None,
        write(
            s.path("src/ledger/report/text.py"),
            'def render(rows):\n    return "\\n".join(_line(row) for row in rows)',
        ),
        edit(
            s.path("src/ledger/report/__init__.py"),
            "def render(rows): ...",
            "from ledger.report.text import render",
            line=88,
        ),
        think=430,
    )
    s.call(
        None,
        bash("pytest -q && ruff check src", "Test and lint", "96 passed in 8.02s\nAll checks passed!", 11.5),
    )
    s.call(
        None,
        bash('git add -A && git commit -qm "Move the text renderer to its own module"', "Commit", "", 0.5),
    )
    s.say(
        "report is a package of three modules, public names unchanged, two commits, 96 tests pass.", think=50
    )

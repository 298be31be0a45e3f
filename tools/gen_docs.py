"""Which pages of the reference are made from the code? Writes them; --check says which are out of date."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command_page import commands
from json_page import page as answers
from price_page import prices
from tracelode import errors, registry
from tracelode.cli import helptext
from tracelode.model.measure import DERIVED, UNITS
from tracelode.model.operation import FIELDS, KINDS, STATUSES

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"

_NOTE = "<!-- Generated: make docs -->\n"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table.

    Args:
        head: n column titles.
        rows: rows of n cells.

    Returns:
        Lines; a bar in a cell is escaped.
    """
    cells = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |\n" for row in cells)


def first_line(thing: Any) -> str:
    """First line of a docstring.

    Args:
        thing: an adapter.

    Returns:
        Of the adapter's class, else of its module.
    """
    doc = type(thing).__doc__ or sys.modules[type(thing).__module__].__doc__ or ""
    return doc.strip().split("\n")[0]


def page(name: str) -> str:
    """Where a source is described.

    Args:
        name: of the source.

    Returns:
        A link; nothing for a source of another package, which has no page here.
    """
    there = (ROOT / "docs" / "sources" / f"{name}.md").exists()
    return f"[{name}](../sources/{name}.md)" if there else ""


def formats() -> str:
    """The page of adapters: what is read, cut and written."""
    out = [
        _NOTE,
        "# Formats\n\nWhat is registered, ours and other packages' through the same entry points.\n",
    ]
    sources = [(name, registry.load("sources", name)) for name in registry.names("sources")]
    rows = [
        (f"`{n}`", s.agent, ", ".join(f"`{x}`" for x in s.suffixes), first_line(s), page(n))
        for n, s in sources
    ]
    out.append(
        "\n## Sources\n\nA file is recognised by its content; the endings only say what is worth opening.\n"
        "A log of your own is read through a [mapping](../sources/map.md).\n\n"
    )
    out.append(table(("name", "agent", "endings", "what it reads", "page"), rows))
    exports = [(name, registry.load("exports", name)) for name in registry.names("exports")]
    rows = [
        (f"`{n}`", ", ".join(f"`{x}`" for x in e.suffixes), "yes" if e.binary else "no", first_line(e))
        for n, e in exports
    ]
    out.append("\n## Exports\n\n`-o FILE` picks the format by the ending.\n\n")
    out.append(table(("name", "endings", "binary", "what it writes"), rows))
    cutters = [
        (f"`{name}`", first_line(registry.load("segmenters", name))) for name in registry.names("segmenters")
    ]
    out.append("\n## Segmenters\n\n")
    out.append(table(("name", "how it cuts"), cutters))
    engines = [(f"`{n}`", first_line(registry.load("engines", n))) for n in registry.names("engines")]
    out.append("\n## Engines\n\n")
    out.append(table(("name", "how it runs workflows"), engines))
    return "".join(out)


def operations() -> str:
    """The page of the one noun: kinds, statuses, fields, measures."""
    out = [_NOTE, "# Operations\n\nEverything a trace holds becomes operations: one thing an actor did.\n"]
    for head, words in (("Kinds", KINDS), ("Statuses", STATUSES)):
        out.append(f"\n{head}: {', '.join(f'`{word}`' for word in words)}.\n")
    out.append("\n## Fields\n\nUse them with `--stack`, `--where`, `--tagroot` and `--tagleaf`.\n\n")
    out.append(table(("field", "what it holds"), [(f"`{f}`", text) for f, text in sorted(FIELDS.items())]))
    out.append("\n## Measures\n\nIntegers in the unit named.\n\n")
    rows = [(f"`{m}`", unit, "stored") for m, unit in UNITS.items()]
    rows += [(f"`{m}`", UNITS[parts[0]], " + ".join(f"`{p}`" for p in parts)) for m, parts in DERIVED.items()]
    out.append(table(("measure", "unit", "made of"), rows))
    return "".join(out)


def failures() -> str:
    """The page of errors: the tree and what each one means."""
    tree = (errors.__doc__ or "").split("\n\n")[1]
    indented = "\n".join(line[4:] for line in tree.split("\n"))
    base = errors.TracelodeError
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, base)]
    rows = [(f"`{c.__name__}`", (c.__doc__ or "").strip().split("\n")[0]) for c in classes]
    head = "# Errors\n\nEvery error says what happened, where, and what to do."
    return f"{_NOTE}{head}\n\n```\n{indented}\n```\n\n" + table(("error", "when"), rows)


PAGES: dict[Path, Callable[[], str]] = {
    helptext.HELP: helptext.text,
    REFERENCE / "commands.md": lambda: _NOTE + commands(),
    REFERENCE / "errors.md": failures,
    REFERENCE / "formats.md": formats,
    REFERENCE / "json.md": lambda: _NOTE + answers(),
    REFERENCE / "operations.md": operations,
    REFERENCE / "prices.md": lambda: _NOTE + prices(),
}


def stale() -> list[Path]:
    """Pages that differ from what the code says now."""
    return [p for p, make in PAGES.items() if not p.exists() or p.read_text(encoding="utf-8") != make()]


def main() -> int:
    """Write the pages that changed.

    Returns:
        1 when asked to --check and a page is out of date, else 0.
    """
    old = stale()
    for path in old:
        name = path.relative_to(ROOT)
        if "--check" in sys.argv[1:]:
            print(f"out of date: {name}; run: make docs")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(PAGES[path](), encoding="utf-8")
            print(f"wrote {name}")
    return 1 if old and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())

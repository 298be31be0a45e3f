"""How do figures get into the documentation? One table a script, between marks of a page, without dates."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from report import ROOT, shown

PAGE = ROOT / "docs" / "speed.md"
"""The page of figures."""
_END = "<!-- end -->"
VERDICTS = {None: "", True: "yes", False: "**no**"}
"""Whether a bar holds, as it is written."""


def table(report: dict[str, Any]) -> list[str]:
    """The figures of a script.

    Args:
        report: what it answered as JSON; without figures for none.

    Returns:
        Lines of Markdown: what was measured on, a row a figure, and what was left out.
    """
    figures = report.get("figures") or []
    if not figures:
        return ["No figures."]
    this = report["machine"]
    lines = [
        f"{this['cores']} cores, {this['memory_gb']} GB, {this['system']}, Python {this['python']}; load "
        f"{report['load']:.1f} when it began.",
        "",
        "| measure | bar | figure | holds |",
        "| --- | --- | --- | --- |",
    ]
    for one in figures:
        cells = (one["name"], shown(one["bar"], one["unit"]), shown(one["value"], one["unit"]))
        texts = [("" if cell == "-" else cell).replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join([*texts, VERDICTS[one['met']]])} |".replace("  |", " |"))
    notes = [note for note in report.get("notes", []) if note]
    return [*lines, *(["", *(f"- {note}" for note in notes)] if notes else [])]


def put(page: Path, reports: Iterable[dict[str, Any]]) -> list[str]:
    """Write the tables of scripts into a page; those of other scripts stay.

    Args:
        page: has a line `<!-- measured: NAME -->` and, below it, one `<!-- end -->` for each script.
        reports: what scripts answered as JSON.

    Returns:
        Names of the scripts whose tables were written.

    Raises:
        ValueError: the page has no place for a script.
    """
    text, written = page.read_text(encoding="utf-8"), []
    for report in reports:
        name = report["benchmark"]
        mark = f"<!-- measured: {name} -->\n"
        before, found, rest = text.partition(mark)
        _, end, after = rest.partition(_END)
        if not found or not end:
            raise ValueError(f"{page.name} has no place for {name}: {mark.strip()} ... {_END}")
        lines = "\n".join(table(report))
        text = f"{before}{mark}{lines}\n{end}{after}"
        written.append(name)
    page.write_text(text, encoding="utf-8")
    return written

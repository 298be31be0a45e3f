"""How are figures shown? A table of runs and one of bars, or one JSON object; options that scripts share."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Series, Spread, load, ratio

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT.parent / "shared" / "bench" / "gen_claude_history.py"
MEGA = 1_000_000
KILO = 1 if sys.platform == "darwin" else 1024
"""Bytes in the kernel's unit of peak memory."""


@dataclass(frozen=True)
class Figure:
    """One figure that has a bar, or is worth a line."""

    name: str
    """What it says."""
    value: float | None
    """The figure, None where it cannot be had."""
    unit: str
    """s, MB, x, ms, or a noun."""
    bar: float | None = None
    """It should not be larger; None for no bar (at this size)."""

    @property
    def met(self) -> bool | None:
        """Whether the bar holds, None where there is none."""
        return None if self.bar is None or self.value is None else self.value <= self.bar


@dataclass
class Report:
    """What one script found."""

    name: str
    """The script."""
    series: list[Series] = field(default_factory=list)
    """Measured commands."""
    figures: list[Figure] = field(default_factory=list)
    """Figures, with their bars."""
    notes: list[str] = field(default_factory=list)
    """What was left out, and what the figures rest on."""
    load: float = field(default_factory=load)
    """Load average when the script began."""

    def bars(self, series: Series, limits: dict[str, float], *, apply: bool = True) -> None:
        """Enter the middle figures of a series against their bars.

        Args:
            series: the runs.
            limits: wall or cpu to seconds; process, tree or shared to megabytes (10^6 bytes).
            apply: False at a size the bars are not meant for.
        """
        for what, limit in limits.items():
            value = series.median(what)
            seconds = what in ("wall", "cpu")
            if value is not None and not seconds:
                value /= MEGA
            name = f"{series.case.name}: {_WORDS[what]}"
            self.figures.append(Figure(name, value, "s" if seconds else "MB", limit if apply else None))

    def beside(
        self, one: Series, other: Series, whats: Sequence[str] = ("wall", "cpu", "process", "tree")
    ) -> None:
        """Enter how many times a peer's figures one's are."""
        for what in whats:
            name = f"{one.case.name} / {other.case.name}: {_WORDS[what]}"
            self.figures.append(Figure(name, ratio(one, other, what), "x"))

    @property
    def missed(self) -> list[str]:
        """Names of figures above their bars."""
        return [figure.name for figure in self.figures if figure.met is False]

    def answer(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "benchmark": self.name,
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "load": round(self.load, 2),
            "series": [series.answer() for series in self.series],
            "figures": [
                {"name": f.name, "value": f.value, "unit": f.unit, "bar": f.bar, "met": f.met}
                for f in self.figures
            ],
            "notes": self.notes,
        }

    def show(self, *, as_json: bool) -> None:
        """Print the report."""
        if as_json:
            print(json.dumps(self.answer(), indent=1))
            return
        this = machine()
        where = f"{this['cores']} cores, {this['memory_gb']} GB, Python {this['python']}"
        print(f"{self.name}: {time.strftime('%Y-%m-%d')}, {where}, load {self.load:.2f}")
        head = ("command", "runs", "load", "wall s", "CPU s", "process MB", "tree MB", "tree PSS MB")
        rows: list[Sequence[str]] = [head] if self.series else []
        for one in self.series:
            spreads = [one.spread(what) for what in ("wall", "cpu", "process", "tree", "shared")]
            cells = [_three(s, 1, 2) for s in spreads[:2]] + [_three(s, MEGA, 0) for s in spreads[2:]]
            rows.append((one.case.name, str(len(one.runs)), f"{one.load:.2f}", *cells))
        _print(rows)
        rows = [("figure", "value", "bar", "")]
        for f in self.figures:
            verdict = {None: "", True: "ok", False: "MISSED"}[f.met]
            rows.append((f.name, shown(f.value, f.unit), shown(f.bar, f.unit), verdict))
        print()
        _print(rows)
        for note in (*self.notes, *self._floor()):
            print(f"note: {note}")

    def _floor(self) -> list[str]:
        """What the kernel counts as a child's memory begins at ours."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILO
        low = [s.case.name for s in self.series if (s.median("process") or own) <= own * 1.05]
        return (
            [f"no more than {own / MEGA:.0f} MB, which is this script's own: {', '.join(low)}"] if low else []
        )


_WORDS = {
    "wall": "wall",
    "cpu": "CPU",
    "process": "largest process",
    "tree": "whole tree",
    "shared": "whole tree, shared pages once",
}


def machine() -> dict[str, Any]:
    """The size of this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": cores,
        "memory_gb": round(pages / 1e9),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _three(spread: Spread | None, unit: float, digits: int) -> str:
    if spread is None:
        return "-"
    return "/".join(f"{value / unit:.{digits}f}" for value in (spread.least, spread.median, spread.most))


def shown(value: float | None, unit: str) -> str:
    """A figure with its unit; - for none."""
    if value is None:
        return "-"
    if unit in ("s", "x"):
        return f"{value:.2f} {unit}" if value >= 0.1 else f"{value:.3f} {unit}"
    if unit == "MB":
        return f"{value:.0f} MB"
    if unit == "ms":
        return f"{value:.3g} ms"
    return f"{value:,.0f} {unit}"


def _print(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip())


def options(about: str, runs: int | None) -> argparse.ArgumentParser:
    """A parser with the options of every script.

    Args:
        about: what the script measures.
        runs: default number of runs that count; None for each script's own.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--runs", type=int, default=runs, help=f"runs that count, after a warm-up ({runs or 'each its own'})"
    )
    parser.add_argument("--warm", type=int, default=1, help="runs before them that do not count (1)")
    parser.add_argument(
        "--work", type=Path, help="folder for generated data, kept (default: a temporary one)"
    )
    parser.add_argument("--generator", type=Path, default=GENERATOR, help="gen_claude_history.py")
    parser.add_argument("--load-below", type=float, help="wait until the load average is below this")
    parser.add_argument("--wait", type=float, default=20, help="but no longer than these minutes (20)")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    return parser


def finish(report: Report, given: argparse.Namespace) -> int:
    """Print a report; the exit code."""
    report.show(as_json=given.json)
    return 1 if given.check and report.missed else 0


def say(text: str) -> None:
    """A line for whoever waits; standard output is the report's alone."""
    print(text, file=sys.stderr, flush=True)

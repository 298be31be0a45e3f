"""Are a process's clock, CPU and memory measured, and are bars judged by the middle run?"""

from __future__ import annotations

import importlib
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

MEGA = 1_000_000
HOLDS = "b = bytearray(60_000_000)\nb[::4096] = b'x' * len(b[::4096])\n"
"""A program that touches 60 MB."""


@pytest.fixture
def bench(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules that the scripts share."""
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    names = ("measure", "report", "workload")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_clock_cpu_and_output_are_those_of_the_command(bench: dict[str, ModuleType]) -> None:
    code = (
        "import time\nend = time.process_time() + .2\n"
        "while time.process_time() < end: pass\ntime.sleep(.3)\nprint('done')"
    )
    once = bench["measure"].run_once(python(code), os.environ)
    assert once.output == b"done\n"
    assert once.cpu >= 0.2
    assert once.wall >= once.cpu + 0.25


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to watch a tree in")
def test_memory_is_told_apart_for_a_process_and_its_tree(bench: dict[str, ModuleType]) -> None:
    parent = (
        "import subprocess, sys, time\n"
        f"{HOLDS}"
        "child = subprocess.Popen([sys.executable, '-c', sys.argv[1]])\nchild.wait()"
    )
    child = f"{HOLDS}import time\ntime.sleep(.4)"
    once = bench["measure"].run_once([*python(parent), child], os.environ)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * bench["report"].KILO
    assert 60 * MEGA <= once.process < max(110 * MEGA, own * 1.1)
    assert once.tree >= 120 * MEGA
    assert once.shared is None or 120 * MEGA <= once.shared <= once.tree * 1.05


def test_a_command_that_fails_gives_no_figure(bench: dict[str, ModuleType]) -> None:
    measure = bench["measure"]
    with pytest.raises(measure.Failed, match="ended with 7"):
        measure.run_once(python("raise SystemExit(7)"), os.environ)


def test_cases_take_turns_after_a_warm_up(bench: dict[str, ModuleType]) -> None:
    measure, order = bench["measure"], []

    def case(name: str) -> object:
        return measure.Case(name, python("pass"), os.environ, lambda: order.append(name))

    found = measure.measure([case("a"), case("b")], 2)
    assert order == ["a", "b"] * 3
    assert [len(series.runs) for series in found] == [2, 2]


def series(bench: dict[str, ModuleType], *walls: float) -> object:
    """A series of made-up runs."""
    measure = bench["measure"]
    found = measure.Series(measure.Case("made up", ["x"], {}))
    found.runs = [measure.Once(w, w / 2, 10 * MEGA, 20 * MEGA, None, b"") for w in walls]
    return found


def test_a_bar_is_judged_by_the_middle_run(bench: dict[str, ModuleType]) -> None:
    report = bench["report"].Report("test")
    report.bars(series(bench, 1.0, 2.0, 9.0), {"wall": 2.0, "cpu": 0.9, "tree": 30})
    assert [(f.value, f.met) for f in report.figures] == [(2.0, True), (1.0, False), (20.0, True)]
    assert report.missed == ["made up: CPU"]


def test_a_size_without_bars_misses_none(bench: dict[str, ModuleType]) -> None:
    report = bench["report"].Report("test")
    report.bars(series(bench, 1.0), {"wall": 0.1, "shared": 1}, apply=False)
    assert [f.met for f in report.figures] == [None, None]


def test_what_cannot_be_measured_is_unknown(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    report = bench["report"].Report("test")
    one = series(bench, 1.0)
    report.series = [one]
    report.bars(one, {"shared": 1})
    report.beside(one, series(bench, 0.5), ("wall", "shared"))
    assert [(f.value, f.met) for f in report.figures] == [(None, None), (2.0, None), (None, None)]
    assert report.answer()["series"][0]["shared_bytes"] is None
    report.show(as_json=False)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["made", "up", "/", "made", "up:", "wall", "2.00", "x", "-"] in lines
    assert ["made", "up", "/", "made", "up:", "whole", "tree,", "shared", "pages", "once", "-", "-"] in lines

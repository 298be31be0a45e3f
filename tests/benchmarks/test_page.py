"""Do figures get into the documentation as they were measured, with their bars and without dates?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def page(project: Path) -> Iterator[ModuleType]:
    """The writer of tables."""
    sys.path.insert(0, str(project / "benchmarks"))
    import page

    yield page
    sys.path.remove(str(project / "benchmarks"))


REPORT: dict[str, Any] = {
    "benchmark": "fold", "date": "2026-01-02", "load": 0.25,
    "machine": {"cores": 2, "memory_gb": 8, "system": "Linux", "python": "3.12.1"},
    "figures": [
        {"name": "fold of 10: CPU", "value": 0.25, "unit": "s", "bar": 0.5, "met": True},
        {"name": "a | b", "value": 143.0, "unit": "MB", "bar": 130.0, "met": False},
        {"name": "beside", "value": None, "unit": "x", "bar": None, "met": None},
    ],
    "notes": ["left out: a peer"],
}  # fmt: skip
TEXT = "# a\n<!-- measured: other -->\nold\n<!-- end -->\nb\n<!-- measured: fold -->\nold\n<!-- end -->\nc\n"


def test_a_table_takes_the_place_of_the_old_one_alone(page: ModuleType, tmp_path: Path) -> None:
    target = tmp_path / "speed.md"
    target.write_text(TEXT)
    for _ in range(2):
        assert page.put(target, [REPORT]) == ["fold"]
    text = target.read_text()
    assert text.startswith(TEXT[: TEXT.index("<!-- measured: fold")])
    assert text.endswith("<!-- end -->\nc\n")
    assert text.splitlines()[6:14] == [
        "2 cores, 8 GB, Linux, Python 3.12.1; load 0.2 when it began.",
        "",
        "| measure | bar | figure | holds |",
        "| --- | --- | --- | --- |",
        "| fold of 10: CPU | 0.50 s | 0.25 s | yes |",
        r"| a \| b | 130 MB | 143 MB | **no** |",
        "| beside | | | |",
        "",
    ]
    assert "2026" not in text
    with pytest.raises(ValueError, match="no place for nothing"):
        page.put(target, [{**REPORT, "benchmark": "nothing"}])


def test_the_page_has_a_place_for_every_script(page: ModuleType, project: Path) -> None:
    import all as every

    marks = re.findall(r"<!-- measured: (\w+) -->", page.PAGE.read_text(encoding="utf-8"))
    # how well sessions are cut is in docs/quality.md
    assert sorted(marks) == sorted({*every.FULL} - {"segments"})
    assert not re.search(r"20\d\d-\d\d", page.PAGE.read_text(encoding="utf-8"))
    # a table is written where the mark has the name that a script reports under
    for name in marks:
        assert f'"{name}"' in (project / "benchmarks" / f"{name}.py").read_text(encoding="utf-8"), name


def test_figures_of_small_sizes_are_not_written(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(project / "benchmarks" / "all.py"), "--write", str(tmp_path / "x.md")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--write goes with --full" in done.stderr


def test_scripts_can_be_picked_and_written(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "speed.md"
    target.write_text("<!-- measured: startup -->\nold\n<!-- end -->\n")
    words = ["--full", "--write", str(target), "--only", "startup", "--runs", "1", "--warm", "0", "--json"]
    command = [sys.executable, str(project / "benchmarks" / "all.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| tracelode --help: CPU | 0.050 s |" in target.read_text()
    assert [report["benchmark"] for report in json.loads(done.stdout)["reports"]] == ["startup"]

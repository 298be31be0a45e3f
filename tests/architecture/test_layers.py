"""The walls between the layers hold, and the script that says so would notice a hole."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from architecture import tree

RULES = tree.ROOT / ".importlinter"


def contracts() -> dict[str, configparser.SectionProxy]:
    parser = configparser.ConfigParser()
    parser.read(RULES, encoding="utf-8")
    return {section.rpartition(":")[2]: parser[section] for section in parser.sections()}


def lint(place: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over the copy of the package in a folder."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and its rules, to break."""
    ignore = shutil.ignore_patterns("__pycache__", "projects")
    shutil.copytree(tree.PACKAGE, tmp_path / "src" / "tracelode", ignore=ignore)
    shutil.copy(RULES, tmp_path)
    return tmp_path


HOLES = {
    "an undeclared top folder": ("zzz/__init__.py", '"""New."""\n', "zzz"),
    "an adapter that imports an adapter": (
        "exports/zzz.py",
        '"""New."""\nimport tracelode.exports.folded\n',
        "strangers",
    ),
    "an adapter that imports an engine": ("sources/zzz.py", '"""New."""\nimport numpy\n', "engine"),
    "a noun that imports upwards": ("model/zzz.py", '"""New."""\nimport tracelode.store\n', "downwards"),
    "duckdb outside the store": ("ingest/zzz.py", '"""New."""\nimport duckdb\n', "duckdb"),
    "a model's package outside the providers": ("profile/zzz.py", '"""New."""\nimport openai\n', "models"),
    "a face that reads files": ("cli/zzz.py", '"""New."""\nimport tracelode.files\n', "command line"),
}


def test_the_walls_hold(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_in_a_wall_is_found(copy: Path, hole: str) -> None:
    where, text, word = HOLES[hole]
    path = copy / "src" / "tracelode" / where
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    broken = [line for line in result.stdout.splitlines() if line.endswith("BROKEN") or word in line]
    assert any(word in line for line in broken), result.stdout


@pytest.mark.parametrize(("rule", "free"), [("duckdb", "tracelode.store"), ("models", "tracelode.providers")])
def test_every_top_module_is_under_the_rules_about_engines(rule: str, free: str) -> None:
    top = {
        f"tracelode.{p.name.removesuffix('.py')}"
        for p in tree.PACKAGE.iterdir()
        if (p / "__init__.py").exists() or (p.suffix == ".py" and p.stem != "__init__")
    }
    named = set(contracts()[rule]["source_modules"].split())
    assert top - named == {free}


def test_the_layers_are_exhaustive() -> None:
    assert contracts()["layers"].getboolean("exhaustive")

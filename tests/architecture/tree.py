"""Which files and definitions does the project have? Shared by the tests of its shape."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tracelode"

GENERATED = {"src/tracelode/exports/profile_pb2.py": "generated from profile.proto"}
"""Files whose shape is not ours, with the reason."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    """Path as people write it, from the root."""
    return path.relative_to(ROOT).as_posix()


@cache
def files() -> tuple[Path, ...]:
    """Every file of the project: tracked, or new and not ignored; outside a checkout, all files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / line for line in listed.stdout.split("\0") if line]
    else:
        skip = {".venv", "__pycache__", "build", "dist"}
        paths = [p for p in ROOT.rglob("*") if not skip & {*p.parts} and not p.name.startswith(".")]
    return tuple(sorted(p for p in paths if p.is_file()))


@cache
def python() -> tuple[Path, ...]:
    """Every Python file whose shape is ours."""
    return tuple(p for p in files() if p.suffix == ".py" and name(p) not in GENERATED)


@cache
def package() -> tuple[Path, ...]:
    """Python files of the package itself."""
    return tuple(p for p in python() if PACKAGE in p.parents)


@lru_cache(maxsize=1)  # all of them are a third of a gigabyte, which every later fork and collection pays for
def parsed(path: Path) -> ast.Module:
    """Syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(path: Path) -> Iterator[Function]:
    """Every function and method of a file."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, Function):
            yield node


def length(function: Function) -> int:
    """Lines of code of a function, its docstring not counted."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines

"""The shape of the code: sizes, docstrings, names, circles."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import warnings
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import msgspec
import pytest

import tracelode
from architecture import tree
from tracelode import errors

LINES = 400
LOOK, END = 50, 100


@pytest.mark.parametrize("path", tree.python(), ids=tree.name)
def test_no_file_outgrows_a_screenful_of_screens(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LINES, f"{tree.name(path)} has {lines} lines; split it"


def test_files_excepted_from_the_limit_exist() -> None:
    for name in tree.GENERATED:
        assert (tree.ROOT / name).exists(), f"{name} is excepted but gone"


def test_functions_are_short() -> None:
    sizes = {
        f"{tree.name(path)}:{f.lineno} {f.name}": tree.length(f)
        for path in tree.python()
        for f in tree.functions(path)
    }
    long = {place: size for place, size in sizes.items() if size > LOOK}
    if long:
        report = "\n".join(f"  {size:4} {place}" for place, size in sorted(long.items(), key=lambda p: -p[1]))
        warnings.warn(f"functions over {LOOK} lines, look twice:\n{report}", stacklevel=1)
    assert not {place: size for place, size in long.items() if size > END}


@pytest.mark.parametrize("path", tree.python(), ids=tree.name)
def test_a_module_says_what_it_answers(path: Path) -> None:
    module = tree.parsed(path)
    if not module.body:
        return  # an empty __init__ imports nothing, which is the point
    docstring = ast.get_docstring(module)
    assert docstring, f"{tree.name(path)} has no docstring"
    assert docstring.split("\n")[0].rstrip().endswith((".", "?", "!", ":", ")")), tree.name(path)


@pytest.mark.parametrize("path", tree.package(), ids=tree.name)
def test_public_definitions_have_a_docstring(path: Path) -> None:
    silent = [
        f"{node.name}, line {node.lineno}"
        for node in tree.parsed(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert not silent


def _structs(path: Path) -> list[ast.ClassDef]:
    return [
        node
        for node in tree.parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


@pytest.mark.parametrize(
    "path", [p for p in tree.package() if p.parent.name in ("model", "pricing")], ids=tree.name
)
def test_every_field_of_a_noun_is_explained(path: Path) -> None:
    silent = []
    for noun in _structs(path):
        for node, after in zip(noun.body, [*noun.body[1:], None], strict=True):
            if not isinstance(node, ast.AnnAssign):
                continue
            told = (
                isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
                and isinstance(after.value.value, str)
            )
            if not told:
                silent.append(f"{noun.name}.{ast.unparse(node.target)}, line {node.lineno}")
    assert not silent


def test_the_check_of_fields_sees_the_nouns() -> None:
    seen = {noun.name for path in tree.package() if path.parent.name == "model" for noun in _structs(path)}
    assert {"Operation", "Profile", "Query", "Segment", "Session", "Finding", "Source"} <= seen


def test_exported_names_are_sorted_and_exist() -> None:
    assert list(tracelode.__all__) == sorted(tracelode.__all__)
    assert set(tracelode.__all__) == set(tracelode._HOMES)
    for name in tracelode.__all__:
        assert getattr(tracelode, name) is not None


@pytest.mark.parametrize("name", tracelode.__all__)
def test_an_exported_name_is_explained(name: str) -> None:
    thing = getattr(tracelode, name)
    docstring = inspect.getdoc(thing) or ""
    assert docstring
    if inspect.isfunction(thing):
        # The whole package's examples are run by pytest --doctest-modules.
        assert "Example:" in docstring
        assert ">>>" in docstring


def test_nouns_of_model_are_frozen_or_are_reports() -> None:
    loose = []
    for path in tree.package():
        if path.parent.name != "model" or path.stem == "__init__":
            continue
        module = importlib.import_module(f"tracelode.model.{path.stem}")
        for name, thing in vars(module).items():
            ours = inspect.isclass(thing) and thing.__module__ == module.__name__
            if ours and issubclass(thing, msgspec.Struct) and not thing.__struct_config__.frozen:
                loose.append(f"{path.stem}.{name}")
    assert all(name.startswith("report.") for name in loose), loose


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = grimp.build_graph("tracelode", cache_dir=None)
    # The package's own names are imported for type checkers and loaded lazily.
    imports = {m: graph.find_modules_directly_imported_by(m) for m in graph.modules if m != "tracelode"}
    assert len(imports) > 10
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r" {4}((?:[│ ] {3})*(?:[├└]── )?)([A-Z]\w+)\b", line):
            depth = len(match[1]) // 4
            path[depth:] = [match[2]]
            drawn[match[2]] = path[depth - 1] if depth else "Exception"
    classes = {
        name: next(b.__name__ for b in thing.__bases__)
        for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, errors.TracelodeError)
    }
    assert drawn == classes


def test_no_test_folder_hides_a_module_of_the_standard_library() -> None:
    # tests/ is on the import path of the test run.
    packages = [
        p.parent.name for p in tree.files() if p.parent.parent == tree.ROOT / "tests" and p.stem == "__init__"
    ]
    modules = [p.stem for p in tree.files() if p.parent == tree.ROOT / "tests" and p.suffix == ".py"]
    assert not {*packages, *modules} & {*sys.stdlib_module_names}

"""Which closed reasons can a source give for what it counts and leaves out? Told by its code.

The code is walked from the adapter's class on, through everything it names inside the package. A reason is a
text that is handed on as one: to a noun with a field `reason`, to an exception of the readers, to a list of
complaints, or beside a None that stands for what could not be read. The variable part of a text is `...`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "tracelode"
_CARRIED = re.compile(r"(reasons?|complaints?|complain|refused|broken|skip|_?reject|why)$", re.IGNORECASE)
"""Names of variables, lists and methods that hold reasons or take them."""
_GROWS = ("append", "extend", "update")


@dataclass(frozen=True)
class Place:
    """Something defined at the top of a module."""

    module: str
    name: str
    method: str = ""
    """One method of a class; "" for the whole."""

    @property
    def node(self) -> ast.AST:
        """Its code."""
        made: ast.AST = code(self.module).defined[self.name]
        if not self.method:
            return made
        inner = (n for n in ast.walk(made) if isinstance(n, ast.FunctionDef) and n.name == self.method)
        return next(inner)


@dataclass(frozen=True)
class Code:
    """A parsed module."""

    name: str
    defined: dict[str, ast.stmt]
    """Functions, classes and constants by name."""
    imported: dict[str, tuple[str, str]]
    """Name in this module to (module, name there)."""

    def place(self, expression: ast.AST) -> Place | None:
        """What a name or a dotted name is, where it is defined in the package."""
        if isinstance(expression, ast.Name):
            if expression.id in self.defined:
                return Place(self.name, expression.id)
            module, name = self.imported.get(expression.id, ("", ""))
            if module and not _path(f"{module}.{name}"):
                return code(module).place(ast.Name(name))
        elif isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            inner = ".".join(self.imported.get(expression.value.id, ("", "")))
            if _path(inner) and expression.attr in code(inner).defined:
                return Place(inner, expression.attr)
        return None


@cache
def _path(module: str) -> str:
    """File of a module of the package, "" if there is none."""
    if module.partition(".")[0] != PACKAGE:
        return ""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return ""
    return (spec.origin or "") if spec else ""


@cache
def code(module: str) -> Code:
    """A module's code."""
    tree = ast.parse(Path(_path(module)).read_text(encoding="utf-8"))
    defined: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            # one statement may define several names at once
            defined |= {n.id: node for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    imported: dict[str, tuple[str, str]] = {}
    for inner in ast.walk(tree):
        if isinstance(inner, ast.ImportFrom) and _path(inner.module or ""):
            imported |= {a.asname or a.name: (inner.module or "", a.name) for a in inner.names}
    return Code(module, defined, imported)


def reached(source: Any) -> set[Place]:
    """Everything in the package that an adapter's class names, and what that names in turn."""
    start = Place(type(source).__module__, type(source).__name__)
    found, waiting = {start}, [start]
    while waiting:
        place = waiting.pop()
        for node in _walk(place.node):
            other = code(place.module).place(node)
            if other is not None and other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a piece of code but the types of arguments and results: to name a type runs nothing."""
    yield node
    for field, value in ast.iter_fields(node):
        if field == "returns" or (field == "annotation" and isinstance(node, ast.arg)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def texts(expression: ast.AST, module: Code) -> set[str]:
    """The texts an expression can be, as far as the code spells them."""
    match expression:
        case ast.Constant(value=str(text)):
            return {text} - {""}
        case ast.JoinedStr(values=parts):
            return {"".join(str(p.value) if isinstance(p, ast.Constant) else "..." for p in parts)}
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return texts(one, module) | texts(other, module)
        case ast.BoolOp(values=several) | ast.Tuple(elts=several) | ast.List(elts=several):
            return {text for one in several for text in texts(one, module)}
        case ast.Name() | ast.Attribute():
            place = module.place(expression)
            if place is not None and isinstance(place.node, ast.Assign | ast.AnnAssign) and place.node.value:
                return texts(place.node.value, code(place.module))
    return set()


@cache
def _slot(place: Place) -> int | None:
    """Which argument of a class is a reason: its field of that name, an exception's first; None: none."""
    made = place.node
    if not isinstance(made, ast.ClassDef):
        return None
    targets = [node.target for node in made.body if isinstance(node, ast.AnnAssign)]
    fields = [target.id for target in targets if isinstance(target, ast.Name)]
    if "reason" in fields:
        return fields.index("reason")
    return 0 if any(ast.unparse(base) == "Exception" for base in made.bases) else None


def _last(expression: ast.AST) -> str:
    """The last part of a dotted name."""
    return str(getattr(expression, "attr", getattr(expression, "id", "")))


def _takes(called: ast.AST) -> bool:
    """Is what is called a method that takes reasons, or one by which a list of them grows?"""
    name, owner = _last(called), _last(getattr(called, "value", called))
    return bool(_CARRIED.search(owner if name in _GROWS else name))


def _handed(node: ast.AST, module: Code) -> Iterator[ast.AST]:
    """Expressions that a node hands on as reasons."""
    match node:
        case ast.Call(func=called, args=given, keywords=named):
            place = module.place(called)
            slot = _slot(place) if place else None
            if slot is not None:
                yield from [*given[slot : slot + 1], *(k.value for k in named if k.arg == "reason")]
            elif _takes(called):
                yield from given
        case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
            if isinstance(target, ast.Subscript) and _CARRIED.search(_last(target.value)):
                yield target.slice
            elif _CARRIED.search(_last(target)):
                yield value
        case ast.Yield(value=ast.Constant() | ast.Name() | ast.Attribute() as value):
            yield value
        case ast.Tuple(elts=[ast.Constant(value=None), words]):
            yield words


def given(places: Iterable[Place]) -> dict[str, set[str]]:
    """Reasons that the code of some places gives.

    Args:
        places: what is looked at; not what it names.

    Returns:
        Reason to the modules that give it.
    """
    found: dict[str, set[str]] = {}
    for place in places:
        module = code(place.module)
        compared = {
            id(inner)
            for node in ast.walk(place.node)
            if isinstance(node, ast.Compare)
            for inner in node.comparators
        }
        for node in ast.walk(place.node):
            for expression in () if id(node) in compared else _handed(node, module):
                for text in texts(expression, module):
                    found.setdefault(text, set()).add(place.module)
    return found


def around(layout: str) -> set[Place]:
    """Code that reads the files of every source and may leave something out.

    Args:
        layout: of the source: whole files are read otherwise than lines.
    """
    reading = "_document" if layout.endswith("document") else "__iter__"
    return {
        Place("tracelode.files", "Records", reading),
        Place("tracelode.ingest.draft", "Builder"),
        Place("tracelode.ingest.work", "Worker", "_read"),
    }


def reasons(source: Any) -> dict[str, set[str]]:
    """Every reason why something of a source's file can be counted and left out.

    Args:
        source: an adapter.

    Returns:
        Reason to the modules that give it.
    """
    return given(reached(source) | around(source.layout))

"""Which of our own definitions does an emitted module need, and how do they read there?

An emitted module runs with the standard library alone, and must do what the evaluator does. So it gets the
source of the functions that do it, as far as it needs them, and no second version of them exists.
"""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tracelode.errors import WorkflowError

_HOME = "tracelode.compile."
_OURS = ("emit.module.values", "emit.module.machine")
"""Written for what is emitted: their definitions keep their names, others are private there."""
_INSTEAD = {
    ("paths", "written"): ("emit.module.values", "path_words"),
    ("readings", "text"): ("emit.module.values", "as_text"),
    ("model.binding", "Transform"): ("emit.module.values", "Change"),
    ("evaluate", "Missing"): ("emit.module.values", "Missing"),
    ("model.run", "Tree"): ("emit.module.values", "Tree"),
}
"""What needs other packages, and what stands for it."""

Name = tuple[str, str]
"""(module, name) of a definition."""


@dataclass(frozen=True)
class _Import:
    """A line of the standard library."""

    module: str
    name: str


@dataclass
class _Source:
    """One module that is copied from."""

    name: str
    tree: ast.Module
    lines: list[bytes]
    nodes: dict[str, tuple[int, int, ast.stmt]]
    """Name to its first and last line (from 0, exclusive) and its node."""
    imports: dict[str, Name | _Import]
    """Local name to a definition, to a module (name "") or to the standard library."""


@lru_cache(maxsize=64)
def _source(name: str) -> _Source:
    spec = importlib.util.find_spec(_HOME + name)
    text = None if spec is None or spec.loader is None else spec.loader.get_source(_HOME + name)  # type: ignore[attr-defined]
    if text is None:
        raise WorkflowError(
            f"a Python module cannot be emitted: the source of {_HOME}{name} is not installed"
        )
    tree = ast.parse(text)
    source = _Source(name, tree, text.encode().splitlines(keepends=True), {}, {})
    body = tree.body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Import | ast.ImportFrom):
            source.imports.update(_imported(node))
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        told = isinstance(after, ast.Expr) and isinstance(node, ast.Assign | ast.AnnAssign)
        stop = (after if told and after is not None else node).end_lineno or node.lineno
        for defined in _defined(node):
            source.nodes[defined] = (start, stop, node)
    return source


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Name | _Import]]:
    for alias in node.names:
        local = alias.asname or alias.name
        module = getattr(node, "module", None) or ""
        if isinstance(node, ast.Import):
            yield local, _Import("", alias.name)
        elif module == _HOME.rstrip("."):
            yield local, (alias.name, "")
        elif module.startswith(_HOME):
            yield local, (module.removeprefix(_HOME), alias.name)
        elif module.startswith("tracelode."):
            yield local, (module.removeprefix("tracelode."), alias.name)
        elif module != "__future__":
            yield local, _Import(module, alias.name)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


class _Uses(ast.NodeVisitor):
    """Finds the names of a definition that are the module's, and no local ones."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.expr, str, str]] = []
        """(node, name, attribute or "")."""
        self.hidden: dict[int, frozenset[str]] = {}
        """Local names where a node stands."""
        self._local: list[set[str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, *_annotations(node.args), *node.args.defaults, node.returns):
            if part is not None:
                self.visit(part)
        for default in node.args.kw_defaults:
            if default is not None:
                self.visit(default)
        self._local.append(_bound(node))
        for statement in node.body:
            self.visit(statement)
        self._local.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.bases, *node.decorator_list):
            self.visit(part)
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign | ast.Assign):
                # its targets are fields, and no names of the module
                for inner in (getattr(statement, "annotation", None), statement.value):
                    if inner is not None:
                        self.visit(inner)
            else:
                self.visit(statement)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._local.append({a.arg for a in node.args.args})
        self.visit(node.body)
        self._local.pop()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and not self._is_local(node.value.id):
            self._note(node, node.value.id, node.attr)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if not self._is_local(node.id):
            self._note(node, node.id, "")

    def _note(self, node: ast.expr, name: str, attribute: str) -> None:
        self.found.append((node, name, attribute))
        # both the attribute and its root, whichever is looked at
        for part in (node, getattr(node, "value", node)):
            self.hidden[id(part)] = frozenset[str]().union(*self._local)

    def _is_local(self, name: str) -> bool:
        return any(name in names for names in self._local)


def _annotations(args: ast.arguments) -> list[ast.expr]:
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return [a.annotation for a in every if a is not None and a.annotation is not None]


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)


def _bound(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    args = node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    found = {a.arg for a in every if a is not None}
    for inner in ast.walk(ast.Module(node.body, [])):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, _NAMED) and inner.name:
            found.add(inner.name)
    return found


def _called(place: Name) -> str:
    """What a definition is called where it is copied: private, and after its module where two are alike."""
    module, name = place
    if module in _OURS:
        return name
    private = _private(name)
    if _alike()[private] == 1:
        return private
    last = module.rpartition(".")[2]
    return f"_{last}{'_' * (1 + name.startswith('_'))}{name.strip('_')}"


def _private(name: str) -> str:
    return name if name.startswith("_") else f"_{name}"


@lru_cache(maxsize=1)
def _alike() -> Counter[str]:
    """How many of the definitions that can be copied would have a name."""
    found: set[Name] = set()
    left = [(module, name) for module in _OURS for name in _source(module).nodes]
    while left:
        place = left.pop()
        if place not in found:
            found.add(place)
            left += [what for _, what in _resolved(*place) if isinstance(what, tuple)]
    return Counter(name if module in _OURS else _private(name) for module, name in found)


def offered() -> frozenset[str]:
    """Definitions that generated code may use."""
    return frozenset(name for module in _OURS for name in _source(module).nodes)


def copied(wanted: Iterable[str]) -> tuple[list[str], str]:
    """The definitions that a module needs, and what they need.

    Args:
        wanted: some of offered().

    Returns:
        (import lines of the standard library, source text), in a fixed order.

    Raises:
        WorkflowError: our own source is not installed, or needs more than the standard library.
    """
    homes = {name: (module, name) for module in _OURS for name in _source(module).nodes}
    lines: set[tuple[str, str, str]] = set()
    kept: dict[Name, bool] = {}
    for name in wanted:
        _follow(homes[name], kept, lines)
    return _import_lines(lines), "\n\n\n".join(_block(*place) for place, done in kept.items() if done)


def _follow(place: Name, kept: dict[Name, bool], lines: set[tuple[str, str, str]]) -> None:
    """Keep a definition after all that it needs; only functions may need each other."""
    if place in kept:
        return
    kept[place] = False
    for _, what in _resolved(*place):
        if isinstance(what, tuple):
            _follow(what, kept, lines)
    lines.update(_lines(*place))
    del kept[place]
    kept[place] = True


def _home(place: Name) -> Name:
    """Where a definition stands, whoever hands it on."""
    seen: set[Name] = set()
    while place not in seen:
        seen.add(place)
        place = _INSTEAD.get(place, place)
        found = _known(place[0])
        if found is None or place[1] in found.nodes:
            break
        further = found.imports.get(place[1])
        if not isinstance(further, tuple) or not further[1]:
            break
        place = further
    return _INSTEAD.get(place, place)


def _known(module: str) -> _Source | None:
    return None if module.startswith(("model.", "errors")) else _source(module)


@lru_cache(maxsize=1024)
def _uses(module: str, name: str) -> _Uses:
    uses = _Uses()
    uses.visit(_source(module).nodes[name][2])
    return uses


@lru_cache(maxsize=1024)
def _resolved(module: str, name: str) -> tuple[tuple[ast.expr, Name | _Import], ...]:
    """Uses of a definition that lead to another one or to the standard library."""
    source = _source(module)
    found: list[tuple[ast.expr, Name | _Import]] = []
    for node, local, attribute in _uses(module, name).found:
        what: Name | _Import | None = (module, local) if local in source.nodes else source.imports.get(local)
        if isinstance(what, tuple) and not what[1]:
            what = (what[0], attribute)
        elif attribute and isinstance(node, ast.Attribute):
            node = _root(node)
        if isinstance(what, tuple):
            what = _home(what)
            there = _known(what[0])
            if there is None or what[1] not in there.nodes:
                raise WorkflowError(
                    f"a Python module cannot be emitted: {what[1]} is not of the standard library"
                )
        if what is not None:
            found.append((node, what))
    return tuple(found)


def _root(node: ast.Attribute) -> ast.expr:
    return node.value


def _lines(module: str, name: str) -> Iterator[tuple[str, str, str]]:
    source = _source(module)
    for node, what in _resolved(module, name):
        if isinstance(what, _Import):
            local = node.id if isinstance(node, ast.Name) else ""
            known = source.imports.get(local)
            yield what.module, what.name, local if known == what else what.name


def _import_lines(found: set[tuple[str, str, str]]) -> list[str]:
    plain = sorted(f"import {n}" + (f" as {a}" if a != n else "") for m, n, a in found if not m)
    by_module: dict[str, list[str]] = {}
    for module, name, local in sorted(found):
        if module:
            by_module.setdefault(module, []).append(name if local == name else f"{name} as {local}")
    return [*plain, *(f"from {m} import {', '.join(names)}" for m, names in sorted(by_module.items()))]


def _block(module: str, name: str) -> str:
    """The source of a definition, with the names that it has in the emitted module."""
    source = _source(module)
    start, stop, node = source.nodes[name]
    lines = list(source.lines[start:stop])
    edits = [(n, _called(what)) for n, what in _resolved(module, name) if isinstance(what, tuple)]
    hidden = _uses(module, name).hidden
    for n, called in edits:
        assert called not in hidden[id(n)], f"{called} is hidden in {module}.{name}"
    for n, called in sorted(edits, key=lambda e: (-e[0].lineno, -e[0].col_offset)):
        line = n.lineno - 1 - start
        end = n.end_col_offset or 0
        lines[line] = lines[line][: n.col_offset] + called.encode() + lines[line][end:]
    called = _called((module, name))
    if called != name and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        line = node.lineno - 1 - start
        lines[line] = lines[line].replace(name.encode(), called.encode(), 1)
    return b"".join(lines).decode().rstrip()

"""What does a source say of itself? Parts of the pages of docs/sources, made from the adapters."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from docs.markdown import code, rows, wrapped
from docs.pages import ROOT
from docs.quirks import quirks
from docs.reasons import reached, reasons
from tracelode import files, registry
from tracelode.ingest.discover import Names
from tracelode.ingest.draft import Builder, Thread
from tracelode.model.operation import KINDS
from tracelode.model.ports import About, Line
from tracelode.redact.fast import Redactor
from tracelode.sources.map import made_of

PAGES = ROOT / "docs" / "sources"
TESTS = ROOT / "tests" / "sources"
MAP = "map"
"""The source that is made of a mapping file and registered nowhere."""

LAYOUTS = {
    "session": "lines of one session, perhaps with others of its family; a file that grew is read on",
    "sessions": "lines of one session or several; a file that grew is read on",
    "document": "one session or several, read whole; a file that changed is read anew",
    "spread": "lines of sessions that may lie in several files; a file that grew is read on",
    "spread-document": "sessions, or parts of them that lie in several files, read whole; "
    "a file that changed is read anew",
}
"""Layouts of the port, in plain words."""

WHERE = {
    "tracelode.sources.": "this format",
    "tracelode.wire.": "this format",
    "tracelode.runs": "steps inside steps",
    "tracelode.lenient": "JSON",
    "tracelode.making": "token counts",
    "tracelode.files": "any file",
    "tracelode.ingest.": "any file",
}
"""Beginnings of modules that give reasons, and what they look at; in the order of the page."""


def names() -> tuple[str, ...]:
    """All sources that have a page, by the name of the page."""
    return (*registry.names("sources"), MAP)


@cache
def source(name: str) -> Any:
    """An adapter; that of a mapping is made of the example on its page."""
    if name != MAP:
        return registry.load("sources", name)
    with TemporaryDirectory() as folder:
        mapping = Path(folder) / "my.toml"
        mapping.write_text(_block("toml"), encoding="utf-8")
        return made_of(mapping)


def _block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", (PAGES / f"{MAP}.md").read_text(encoding="utf-8"), re.S)
    return str(text)


def glance(name: str) -> str:
    """What the adapter says of itself."""
    adapter = source(name)
    told = ", where a file does not tell another" if _tells_product(adapter) else ""
    whole = adapter.layout.endswith("document")
    found = {
        "name": f"`{name}`" + (", not registered: made of a mapping file" if name == MAP else ""),
        "product": f"`{adapter.agent}`{told}",
        "endings opened in folders": code(adapter.suffixes),
        "a file holds": LAYOUTS[adapter.layout],
    }
    if adapter.layout.startswith("spread"):
        found["read together"] = _together(adapter)
    found[f"largest {'file' if whole else 'line'}"] = f"{files.MAX_LINE // 1024**2} MiB"
    found |= _history(name)
    if sides := getattr(adapter, "sides", ()):
        found["beside it, nothing to import"] = code(sides)
    found["version of the adapter"] = f"`{adapter.version}`" if hasattr(adapter, "version") else "not told"
    found["import"] = f"`tracelode import PATH {'--map MAPPING' if name == MAP else f'--source {name}'}`"
    return rows(("what", "as the adapter says"), found.items())


def _together(adapter: Any) -> str:
    """Which files may hold parts of one session."""
    if not hasattr(adapter, "kin"):
        return "all files of the format"
    near = ("a/b/c.json", "a/chats/b/c.json", "a/events/1.json")
    alone = all(adapter.kin(path) == path.rpartition("/")[0] for path in near)
    return "files of one folder" if alone else "files of one project or session"


def _history(name: str) -> dict[str, str]:
    """Where the product keeps what it did on this machine, and what its files are called in output."""
    if name not in registry.names("histories"):
        return {"local history": "none: name files or folders"}
    roots = registry.load("histories", name).roots
    variables = sorted({base for base, _ in roots if base.startswith("$")})
    several = f"; {code(variables)} may name several folders, with commas" if variables else ""
    return {
        "local history": code(f"{base}/{below}" for base, below in roots) + several,
        "called in output": code(dict.fromkeys(f"{Names.prefix(name)}:{below}/..." for _, below in roots)),
    }


def _tells_product(adapter: Any) -> bool:
    """Does the reader take over a product's name from a file?"""
    place = [field.name for field in msgspec.structs.fields(About)].index("agent")
    calls = (
        node
        for found in reached(adapter)
        if ".sources." in found.module
        for node in ast.walk(found.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == About.__name__
    )
    return any(len(c.args) > place or any(k.arg == "agent" for k in c.keywords) for c in calls)


def left_out(name: str) -> str:
    """Every reason under which something is counted, and what it is about."""
    order = list(dict.fromkeys(WHERE.values()))
    found = [
        (reason, sorted({_where(module) for module in modules}, key=order.index))
        for reason, modules in reasons(source(name)).items()
    ]
    found.sort(key=lambda row: ([order.index(where) for where in row[1]], row[0]))
    table = rows(("counted as", "rule of"), ((f"`{reason}`", ", ".join(where)) for reason, where in found))
    return f"`tracelode import` names each with its number and first place; `...` is what varies.\n\n{table}"


def _where(module: str) -> str:
    return next(words for start, words in WHERE.items() if module.startswith(start))


def sample(name: str) -> str:
    """Kinds, fields and measures that the source's sample shows."""
    if name == MAP:
        head, operations = "The record above gives", _example()
    else:
        (path,) = TESTS.glob(f"samples/{name}.*")
        operations = json.loads((TESTS / "golden" / f"{name}.json").read_text(encoding="utf-8"))
        head = f"[{path.name}](../../{path.relative_to(ROOT).as_posix()}) gives"
    sessions = len({o["session"] for o in operations})
    body = (_kind(kind, [o for o in operations if o["kind"] == kind]) for kind in KINDS)
    table = rows(
        ("kind", "how many", "timed", "statuses", "fields", "measures"), (row for row in body if row)
    )
    number = f"{_several(len(operations), 'operation')} of {_several(sessions, 'session')}"
    return f"{wrapped(f'{head} {number}; before prices, times and stages they are:')}\n\n{table}"


def _several(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _kind(kind: str, operations: list[dict[str, Any]]) -> list[str]:
    """The row of one kind; nothing where the sample has none."""
    if not operations:
        return []
    statuses = Counter(o["status"] for o in operations)
    timed = sum(o["started"] is not None for o in operations)
    return [
        f"`{kind}`",
        str(len(operations)),
        "all" if timed == len(operations) else str(timed or "none"),
        ", ".join(f"`{status}` {n}" for status, n in sorted(statuses.items())),
        _seen(o["fields"] for o in operations),
        _seen(o["measures"] for o in operations),
    ]


def _seen(given: Iterable[dict[str, Any]]) -> str:
    return code(sorted({key for one in given for key in one}))


def _example() -> list[dict[str, Any]]:
    """Operations of the record on the page of mappings."""
    adapter, threads = source(MAP), dict[str, Thread]()
    builder = Builder(Redactor(), "example.jsonl", adapter.agent, threads)
    line = json.dumps(json.loads(_block("json"))).encode()
    for item in adapter.read([Line(1, 0, line)], adapter.fresh(), "example.jsonl"):
        builder.take(item)
    assert not builder.skipped
    return [msgspec.structs.asdict(draft) for thread in threads.values() for draft in thread.drafts.values()]


def page(name: str) -> Path:
    """The page of a source."""
    return PAGES / f"{name}.md"


PARTS: dict[str, Callable[[str], str]] = {
    "glance": glance, "cases": quirks, "left-out": left_out, "sample": sample,
}  # fmt: skip
"""Parts that every page of a source has, in the order of the page."""

TABLES: dict[str, Callable[[], str]] = {
    f"{part}:{name}": partial(make, name) for part, make in PARTS.items() for name in names()
}

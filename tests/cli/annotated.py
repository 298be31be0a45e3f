"""What do tests of annotators stand on? A store of the samples, an export of it, and marks to put in."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import tracelode
from cli import fake

KEY = "de000002-78ea-41d8-ad76-6b145838f4c6"
OTHER = "de000001-f137-4c5c-a7cb-3d95cf504aae"


def first(folder: Path) -> Path:
    return sorted((folder / "marks").glob("*.json"))[0]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def write(path: Path, **changed: Any) -> None:
    path.write_text(json.dumps({**read(path), **changed}))


def ids(store: Path) -> list[str]:
    return [o.id for o in tracelode.open(store).operations(KEY)]


def marks(store: Path, *rows: tuple[int, list[str]]) -> list[dict[str, Any]]:
    names = ids(store)
    return [{"start_operation_id": names[place], "path": path} for place, path in rows]


def edited(store: Path) -> list[dict[str, Any]]:
    return marks(
        store,
        (0, ["deploy server", "read docs"]),
        (9, ["deploy server", "write server"]),
        (19, ["repair login"]),
        (44, ["end work"]),
    )


def content(store: Path) -> dict[str, bytes]:
    """Every byte below a folder; SQLite's own index of its log is none of them."""
    gc.collect()  # a catalog that nobody holds any more is closed
    found = {str(p.relative_to(store)): p.read_bytes() for p in sorted(store.rglob("*")) if p.is_file()}
    return {name: data for name, data in found.items() if data and not name.endswith("-shm")}


def refused(store: Path, source: Path, run: fake.Run) -> list[tuple[str, str]]:
    """What is wrong, once it is sure that nothing was stored."""
    before = content(store)
    code, said, _ = run("annotate", "import", str(source), "--json", "--store", str(store))
    answer = json.loads(said)
    assert (code, answer["stored"]) == (1, False)
    screen = run("annotate", "import", str(source), "--store", str(store))
    assert (screen[0], screen[1]) == (1, "")
    assert screen[2].startswith("tracelode: nothing is taken in: ")
    assert all(line.isprintable() for line in screen[2].splitlines())
    assert content(store) == before
    return [(row["place"], row["reason"]) for row in answer["problems"]]

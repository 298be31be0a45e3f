"""Does a secret at any place of any source reach the disk, or anything that a store can put out?"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

import tracelode
from exports import readers
from ingest.test_planted import SECRETS, everything, leaks, planted
from tracelode import registry
from tracelode.model.profile import fold
from tracelode.workspace import Workspace, formats

SAMPLES = Path(__file__).parent / "samples"
STACK = ["project", "task", "intent", "stage", "focus", "model", "branch", "tool"]


@pytest.fixture(scope="module")
def corpus(project: Path) -> Iterator[ModuleType]:
    """The part of the fuzzer that gives files other ids."""
    sys.path.insert(0, str(project / "tools"))
    import fuzzing.corpus

    yield fuzzing.corpus
    sys.path.remove(str(project / "tools"))


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """(path, is it a key?) of every string of a JSON value and of every key."""
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(node, dict):
            yield (*path, key), True
        if isinstance(child, str):
            yield (*path, key), False
        elif isinstance(child, dict | list):
            yield from places(child, (*path, key))


def put(held: dict[str, Any], path: tuple[Any, ...], is_key: bool, secret: str) -> Any:
    """A JSON value with a secret in one place: around a text, or in the place of a word or a key."""
    if not is_key:
        return planted(held, path, secret)[""]
    made = json.loads(json.dumps(held))
    node = made
    for key in path[:-1]:
        node = node[key]
    node[secret] = node.pop(path[-1])
    return made[""]


def in_json(data: bytes, secrets: Callable[[], str], turn: int) -> tuple[bytes, int]:
    """A file of JSON with secrets in it, and after how many turns each place had one.

    Each line has one in each turn, the places taken in another order in each; long ones have four.
    """
    try:
        rows, whole = [json.loads(data)], True
    except ValueError:
        rows, whole = [json.loads(line) for line in data.splitlines() if line.strip()], False
    turns = 0
    for number, row in enumerate(rows):
        found = list(places({"": row}))[1:]
        apart = -(-len(found) // 4) if whole or len(found) > 60 else len(found)
        if turn >= apart:
            continue
        turns = max(turns, apart)
        # from the end: what was put into a key does not hide what lies below it
        for start in range(len(found) - len(found) % apart, -1, -apart):
            place = start + (turn + 7 * number) % apart
            if place < len(found):
                rows[number] = put({"": rows[number]}, *found[place], secrets())
    encode = json.JSONEncoder(separators=(",", ":")).encode
    return b"\n".join(encode(row).encode() for row in rows) + b"\n" * (not whole), turns


def in_text(data: bytes, secrets: Callable[[], str], turn: int) -> tuple[bytes, int]:
    """A log with a secret between two quotes or angle brackets, and how many such places there are."""
    spots = sorted(
        (*re.finditer(rb'"([^"\n]*)"', data), *re.finditer(rb"<(/[^>\n]*)>", data)), key=lambda m: m.start(1)
    )
    spot = spots[turn % len(spots)]
    return data[: spot.start(1)] + secrets().encode() + data[spot.end(1) :], len(spots)


def unpacked(name: str, data: bytes) -> str:
    """The texts of a file: what is compressed shows none of them."""
    if name == "pprof":
        # every place of the file, not only those that a reader knows
        return gzip.decompress(data).decode("utf-8", "replace") + repr(readers.pprof_file(data))
    if name == "parquet":
        return repr(readers.parquet_rows(data))
    return data.decode("utf-8", "replace")


def test_what_is_packed_is_looked_into() -> None:
    profile = msgspec.structs.replace(
        fold([(("a frame", "b"), (3,))], ("tokens",)), comments=("a comment",), fields=("stage", "tool")
    )
    for name in formats():
        stream = io.BytesIO()
        registry.load("exports", name).write(profile, stream)
        assert "a frame" in unpacked(name, stream.getvalue()), name


def put_out(workspace: Workspace, folder: Path) -> str:
    """What lies on disk, and everything that a store writes for others."""
    found = [everything(workspace), repr(workspace.doctor()), repr(workspace.plan_events())]
    profile = workspace.profile(stack=STACK, measures=["tokens", "operations"], detail=True)
    for name in formats():
        stream = io.BytesIO()
        workspace.export(profile, stream, name)
        found.append(unpacked(name, stream.getvalue()))
    stream = io.BytesIO()
    workspace.export_operations(stream)
    found.append(stream.getvalue().decode())
    if any(session.role != "effects" for session in workspace.sessions()):
        workspace.annotate_export(folder / "marks", blind=False)
        found.extend(p.read_text() for p in (folder / "marks").rglob("*") if p.is_file())
    return "\n".join(found)


@pytest.mark.parametrize("name", registry.names("sources"))
def test_nothing_planted_gets_through(name: str, tmp_path: Path, corpus: ModuleType) -> None:
    (sample,) = SAMPLES.glob(f"{name}.*")
    kinds = list(SECRETS.values())
    wanted: list[str] = []

    def secrets() -> str:
        plant, part = kinds[len(wanted) % len(kinds)]
        number = len(wanted)
        wanted.append(part.format(n=number))
        return plant.format(n=number)

    way = in_text if name == "strace" else in_json
    (tmp_path / "h").mkdir()
    turn, turns = 0, 1
    while turn < turns:
        data = corpus.renamed(name, sample.read_bytes(), f"p{turn}")
        made, turns = way(data, secrets, turn)
        (tmp_path / "h" / f"{turn}{sample.suffix}").write_bytes(made)
        turn += 1
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    report = workspace.add(tmp_path / "h")
    assert len(wanted) > 40
    assert len(workspace.sessions()) > 0.5 * turns
    text = put_out(workspace, tmp_path) + repr(report)
    assert leaks(wanted, text) == set()

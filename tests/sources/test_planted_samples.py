"""Does anything planted into a sample of a format reach the disk or an output?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from ingest.test_planted import SECRETS, leaves, planted
from tracelode.store.shards import connect
from tracelode.workspace import Workspace

HERE = Path(__file__).parent / "samples"
SAMPLES = {
    "chat.jsonl": ("conv-5d0c3a9e7b1f4e22", "Book the", "Count the", "Cancel my"),
    "mini-swe-agent.traj.json": ("I look at the sources",),
    "swe-agent.traj": ("find_file totals.py",),
    "tracelode.jsonl": ("night-1",),
}
"""Sample to texts of it that make its sessions other ones when a number follows them."""
MAPPING = """
session = "s"
kind = "k"
name = "n"
model = "m"
arguments = "a"
output = "o"
project = "p"
task = "t"
agent = "g"
id = "i"
status = "z"
[fields]
branch = "b"
description = "d"
domain = "h"
my.own = "y"
"""


def spoiled(values: list[Any]) -> tuple[list[list[Any]], list[str]]:
    """Copies of a file's values, each with another string replaced, and what must not be found.

    The kinds of secrets take turns from string to string.
    """
    kinds = list(SECRETS.values())
    copies: list[list[Any]] = []
    wanted: list[str] = []
    for place, value in enumerate(values):
        held = {"": value}
        for path in leaves(held):
            number = len(wanted)
            plant, part = kinds[number % len(kinds)]
            made = planted(held, path, plant.format(n=number))[""]
            copies.append([*values[:place], made, *values[place + 1 :]])
            wanted.append(part.format(n=number))
    return copies, wanted


def on_disk(workspace: Workspace) -> str:
    """All that a store holds, unpacked, and what it answers with."""
    found = [repr(workspace.totals()), repr(workspace.sessions())]
    found.append(repr(workspace.profile(stack=["task", "project", "model", "branch", "tool"], detail=True)))
    database = connect()
    for table in ("operations", "frames"):
        shards = f"{workspace.path}/{table}/*.parquet"
        found.append(repr(database.execute(f"SELECT * FROM read_parquet('{shards}')").fetchall()))
    files = list(workspace.path.glob("catalog.sqlite*"))
    states = [row[0] for row in workspace._catalog.db.execute("SELECT state FROM sources")]
    held = [*(file.read_bytes() for file in files), *states]
    found.extend(data.decode("utf-8", "replace") for data in held)
    return "\n".join(found)


def search(folder: Path, values: list[Any], marks: tuple[str, ...], suffix: str, **how: Any) -> None:
    """Import the copies, and look for what was planted into them."""
    copies, wanted = spoiled(values)
    (folder / "h").mkdir()
    for number, copy in enumerate(copies):
        text = "".join(json.dumps(value) + "\n" for value in copy)
        for mark in marks:
            text = text.replace(mark, f"{mark}{number}")
        (folder / "h" / f"{number}{suffix}").write_text(text)
    workspace = tracelode.open(folder / "s", tz="UTC")
    report = workspace.add(folder / "h", **how)
    assert len(workspace.sessions()) > 0.7 * len(copies)
    text = on_disk(workspace) + repr(report)
    assert [secret for secret in wanted if secret in text] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_planted_in_a_sample_reaches_the_disk(tmp_path: Path, name: str) -> None:
    values = [json.loads(text) for text in (HERE / name).read_text().splitlines()]
    search(tmp_path, values, SAMPLES[name], "." + name.split(".", 1)[1])


def test_nothing_planted_in_a_log_reaches_the_disk_through_a_mapping(tmp_path: Path) -> None:
    record = {key: key for key in "snmaopgtizbdhy"} | {"k": "tool", "a": {"command": "ls", "x": ["y"]}}
    (tmp_path / "map.toml").write_text(MAPPING)
    search(tmp_path, [record | {"s": "session"}], ("session",), ".jsonl", map=tmp_path / "map.toml")

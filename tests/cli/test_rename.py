"""tracelode rename: the words that names are made of, and names anew."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from cli import fake


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Four sessions in two imports: the first knew one session of letters, the second brought another."""
    for number, file in enumerate(("mail/letter.py", "src/rate.py", "src/rates.py", "mail/letter.py")):
        t = Transcript(f"{number:08x}-1111-4222-8333-444444444444", "/home/sam/src/shop").user("go on")
        for _ in range(4):
            t.assistant("x", tools=[("Edit", {"file_path": f"/home/sam/src/shop/{file}"})], usage=used())
            t.advance(1).result(t.calls[0], "ok")
        t.write(tmp_path / f"h{number // 3}")
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.segment("phase")
    workspace.add(tmp_path / "h0")
    workspace.add(tmp_path / "h1")
    return tmp_path / "store"


def test_what_names_are_made_of(store: Path, run: fake.Run) -> None:
    code, out, _ = run("rename", "--store", str(store))
    assert code == 0
    first, *rest = out.splitlines()
    assert re.fullmatch(r"words    3 objects registered of 3 seen, \d+ words? banned", first)
    assert rest[:3] == [
        "most     letter in 2 sessions, mail in 2, rate in 2",
        "names    3 of 4 ladders named",
        "--all would change 1 name",
    ]
    assert rest[-1].split() == ["9", "$0.0012", "(none)", "write", "letter"]


def test_all_names_every_segment_anew(store: Path, run: fake.Run) -> None:
    answer = json.loads(run("rename", "--json", "--store", str(store))[1])
    done = json.loads(run("rename", "--all", "--json", "--store", str(store))[1])
    assert (answer["renamed"], done["renamed"]) == (False, True)
    assert answer["aliases"] == done["aliases"]
    assert answer["words"][0] == {"object": "letter", "sessions": 2, "projects": 1, "ordinal": 2}
    (alias,) = done["aliases"]
    assert (alias["old"], alias["new"]) == (None, "write letter")
    assert (alias["segments"], alias["operations"]) == (1, 9)
    assert alias["cost_picodollars"] == int(alias["cost_picodollars_string"]) > 0
    assert (answer["named"], done["named"], done["ladders"]) == (3, 4, 4)
    assert run("rename", "--all", "--store", str(store))[1].splitlines()[-1] == "changed  nothing"


def test_the_table_fits_any_width(store: Path, run: fake.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (40, 60, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        out = run("rename", "--store", str(store))[1]
        assert "write letter" in out
        assert all(len(line) <= width for line in out.splitlines())


def test_nothing_to_name_is_no_error(tmp_path: Path, run: fake.Run) -> None:
    tracelode.open(tmp_path / "store")
    code, out, _ = run("rename", "--store", str(tmp_path / "store"))
    assert code == 0
    assert out.splitlines()[0] == "words    0 objects registered of 0 seen, 0 words banned"

"""Hostile traces: no text of theirs steers a terminal, leaves its line, or passes eighty columns."""

from __future__ import annotations

import json

import msgspec
import pytest

from cli import fake
from tracelode.cli.text import width
from tracelode.model.operation import Origin
from tracelode.model.report import Doctor, ImportReport

EVIL = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\u2066\x9b31m\r\nname" + "\N{CJK UNIFIED IDEOGRAPH-6F22}" * 60
"""Clears the screen, sets the title, turns the text around, and is 120 cells too wide."""
EVERY = [
    ["--no-import"],
    ["sessions"],
    ["show", "aaaa1111"],
    ["show", "aaaa1111", "--nested"],
    ["show", "aaaa1111#2"],
    ["top"],
    ["top", "--measure", "cost,tokens,tokens.output,time.active,calls", "--nodecount", "3"],
    ["top", "--where", f"intent={EVIL}"],
    ["top", "--measure", "tokens"],
    ["tree"],
    ["peek", "."],
    ["flame"],
    ["import", "x"],
    ["audit", "cost"],
    ["doctor"],
]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
@pytest.mark.parametrize("columns", ["", "80", "120", "40"])
def test_hostile_traces_stay_in_their_lines(
    words: list[str], columns: str, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    poison(small)
    words = [word.replace("aaaa1111", "aaaa1111" + EVIL) if "#" in word else word for word in words]
    code, out, err = run(*words)
    assert code in (0, 3)
    for text in (out, err):
        assert not [
            c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066")
        ]
    wide = int(columns or 80)
    assert [line for line in out.split("\n") if width(line) > wide] == []
    assert [line for line in out.split("\n") if line != line.rstrip()] == []


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_json_of_hostile_traces_is_ascii(words: list[str], run: fake.Run, small: fake.FakeWorkspace) -> None:
    poison(small)
    words = [word.replace("aaaa1111", "aaaa1111" + EVIL) if "#" in word else word for word in words]
    code, out, _ = run(*words, "--json")
    assert code in (0, 3)
    assert out.isascii()
    assert out.count("\n") == 1
    assert json.loads(out)["schema_version"] == 1


def poison(made: fake.FakeWorkspace) -> None:
    """Put hostile text into everything a trace can name."""
    change = msgspec.structs.replace
    store = {}
    for item, operations in made.store.values():
        key, root = (k.replace("aaaa1111", "aaaa1111" + EVIL) for k in (item.key, item.root))
        changed = [
            change(
                o,
                session=key,
                name=EVIL,
                fields={k: EVIL if k != "call" else v for k, v in o.fields.items()}
                | {EVIL: EVIL, "path": EVIL},
                arguments=EVIL * 3,
                output="\ud800" + EVIL,
                origin=Origin(EVIL, EVIL, 12_345_678, 99),
                started=-(10**18) if o.index == 0 else o.started,
            )
            for o in operations
        ]
        session = change(
            item, key=key, root=root, project=EVIL, agent=EVIL, intent=EVIL, source=EVIL, outcome=EVIL
        )
        store[key] = (session, changed)
    made.store = store
    made.found = [change(f, what=EVIL, where=(f"aaaa1111{EVIL}-x#2",), why=EVIL) for f in made.found]
    skipped = [change(s, path=EVIL, reason=EVIL) for s in fake.skips()]
    made.report = ImportReport(files=1, skipped=skipped)
    made.known = Doctor(histories=[(EVIL, EVIL, 1, 1)], files=1, skipped=skipped, unpriced={EVIL: 9})

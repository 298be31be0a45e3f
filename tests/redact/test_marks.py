"""Is a row passed over only where its trigger cannot match, and is an index no other answer than looking?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.redact import marks
from tracelode.redact.marks import FEW, NEEDS, Keyed, compiled, marked, rows
from tracelode.redact.table import Row

GUARDED = [row for row in rows(()) if (row.name, row.kind) in NEEDS]


def test_every_need_is_of_a_row() -> None:
    assert {(row.name, row.kind) for row in GUARDED} == set(NEEDS)


@pytest.mark.parametrize("row", GUARDED, ids=lambda row: f"{row.name}-{row.kind}")
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_what_a_trigger_matches_has_what_the_row_needs(row: Row, data: st.DataObject) -> None:
    found = data.draw(st.from_regex(compiled(row.trigger), fullmatch=True))
    assert NEEDS[row.name, row.kind](found.lower())


WORDS = ["key", "pass", " = ", "api_", "\n", "<", "--", "x", "token is", ": ", "sk", "12", "ab1cd2", "a" * 70,
         "-----BEGIN PRIVATE KEY", "name:", " -b ", "documents and settings", "@", "\t", "?sig=1",
         "login "]  # fmt: skip
NAMES = ("", "mallory", "  ", "zo\u00eb smith", "9lives")


def looked_for(order: tuple[Row, ...], lower: bytes) -> list[Row]:
    """Every keyword of every row, in turn."""
    return [
        row for row in order
        if any(word.encode("latin-1") in lower for word in row.keywords)
        and ((need := NEEDS.get((row.name, row.kind))) is None or need(lower))
    ]  # fmt: skip


KEYED = {name: Keyed(rows((name,) if name else ())) for name in NAMES}
"""What they learn from one example they know in the next one."""


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.lists(st.one_of(st.sampled_from([*WORDS, *NAMES, " "]), st.text(max_size=6)), max_size=12),
    st.booleans(),
)
def test_what_was_learned_and_an_index_find_what_looking_finds(
    name: str, parts: list[str], fresh: bool
) -> None:
    order = rows((name,) if name else ())
    lower = "".join(parts).encode("utf-8", "replace").lower()
    keyed = Keyed(order) if fresh else KEYED[name]
    expected = looked_for(order, lower)
    assert keyed.holding(lower) == expected
    keyed._asked = FEW
    assert keyed.holding(lower) == expected
    assert keyed.holding(lower) == expected


def test_what_is_learned_is_bounded_and_holds_nothing_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "MOST", 50)
    keyed = Keyed(rows(()))
    for i in range(40):
        keyed.holding(f"word{'x' * i} pass{'y' * i} h4rdt0gu3ss {i}".encode())
        assert len(keyed._clean) + len(keyed._holding) <= 54
    assert not any(b"h4rdt0gu3ss" in word for word in {*keyed._clean, *keyed._holding})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 passed, 1 skipped in 3.41s", False),
        ('key = request.args.get("order_id")', False),
        ("for token in tokens", False),
        ("api_key = abcdefgh12345678", True),
        ('"client-key-data": "abcd"', True),
        ("password hunter22", True),
        ("<token>abc</token>", True),
        ("the key is abc12345xyz", False),
        ("the api key is abc12345xyz", True),
    ],
)
def test_texts(text: str, expected: bool) -> None:
    assert marked(text) is expected

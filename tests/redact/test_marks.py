"""Is a row passed over only where its trigger cannot match, and is an index no other answer than looking?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@given(st.lists(st.sampled_from(["key", "pass", " = ", "api_", "\n", "<", "--", "x", "token is", ": "])))
def test_an_index_finds_what_looking_finds(parts: list[str]) -> None:
    keyed = Keyed(rows(()))
    lower = "".join(parts).encode()
    looked = keyed.holding(lower)
    keyed._asked = FEW
    assert keyed.holding(lower) == looked


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

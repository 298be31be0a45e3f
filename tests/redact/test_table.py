"""Does the table keep its own rules: short triggers, no line feeds, keywords, both engines alike?"""

from __future__ import annotations

import re
from re import _parser as sre_parse  # type: ignore[attr-defined]

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.redact.fast import redact_text
from tracelode.redact.scan import READERS
from tracelode.redact.table import ROWS, TRIGGER_MAX, Row, table

NAMED = table(("john.smith", "m\xc3\xbcller", "alice"))
TOKENS = [row for row in ROWS if row.kind in ("token", "loose")]


def identity(row: Row) -> str:
    return f"{row.name}-{row.kind}-{ROWS.index(row) if row in ROWS else 'named'}"


def options() -> re2.Options:
    chosen = re2.Options()
    chosen.encoding = re2.Options.Encoding.LATIN1
    return chosen


@pytest.mark.parametrize("row", NAMED, ids=identity)
def test_trigger_is_bounded_and_lean(row: Row) -> None:
    low, high = sre_parse.parse(row.trigger.encode("latin-1")).getwidth()
    assert 0 < low <= high <= TRIGGER_MAX
    assert row.kind in READERS
    assert re.fullmatch("[a-z-]{1,20}", row.name)
    assert row.keywords
    assert all(word.encode("latin-1").lower() == word.encode("latin-1") for word in row.keywords)
    for banned in ("(?=", "(?!", "(?<", "\\b", "\\s", "\\w", "\\d", "^", "$)", "(?i"):
        assert banned not in row.trigger.replace("[^", "[").replace("\\[\\]", "")


@pytest.mark.parametrize("row", NAMED, ids=identity)
def test_rows_compile_in_both_engines(row: Row) -> None:
    trigger = row.trigger.encode("latin-1")
    assert re2.compile(trigger, options()).groups == re.compile(trigger).groups <= 1


@pytest.mark.parametrize("row", NAMED, ids=identity)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_match_holds_a_keyword_and_no_line_feed(row: Row, data: st.DataObject) -> None:
    trigger = row.trigger.encode("latin-1")
    sample = data.draw(st.from_regex(re.compile(trigger), fullmatch=True))
    assert b"\n" not in sample
    assert any(word.encode("latin-1") in sample.lower() for word in row.keywords)
    found = re2.compile(trigger, options()).search(b"- " + sample)
    expected = re.compile(trigger).search(b"- " + sample)
    assert found is not None
    assert expected is not None
    assert found.span() == expected.span()


@pytest.mark.parametrize("row", TOKENS, ids=identity)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_every_token_row_is_caught(row: Row, data: st.DataObject) -> None:
    token = data.draw(st.from_regex(re.compile(row.trigger.encode("latin-1")), fullmatch=True)).decode()
    for text in (f'x = "{token}"', f"see\r\n{token}\r\n", f'{{"log": "a\\n{token}\\n"}}', f"é{token}→"):
        redacted = redact_text(text)
        assert "[secret:" in redacted
        assert token[-10:] not in redacted


def test_tables_differ_only_by_the_named_rows() -> None:
    assert table(()) == ROWS
    assert [row for row in NAMED if row not in ROWS] == [NAMED[0], *NAMED[-2:]]

"""Which value does a tool's text hold? And which keys of its values are data?"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracelode.compile.normalise.maps import Shape
from tracelode.compile.normalise.values import DEPTH, arguments, parse
from tracelode.compile.paths import leaves


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 7, "ok": true}', {"id": 7, "ok": True}),
        ("  [1, 2.5, null]\n", [1, 2.5, None]),
        ("42", 42),
        ('"B-17"', "B-17"),
        ("007", "007"),
        ("all is well", "all is well"),
        ("", ""),
        (" \n", " \n"),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here it is:\n```json\n{"a": 1}\n```\nBye.', {"text": "Here it is:\n\nBye.", "data": {"a": 1}}),
        ("Found 3:\n[10, 20, 30000]", {"text": "Found 3:", "data": [10, 20, 30000]}),
        ('Result: {"booking": "B-17"}', {"text": "Result:", "data": {"booking": "B-17"}}),
        ("[INFO] started [1]", "[INFO] started [1]"),
        ("{'name': 'Jo', 'tags': ('a', None)}", {"name": "Jo", "tags": ["a", None]}),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        (
            "- id_: '5'\n  at: 2024-05-01 12:30\n  to:\n  - jo@x.org\n- id_: 6\n  to: []",
            [{"id_": "5", "at": "2024-05-01 12:30", "to": ["jo@x.org"]}, {"id_": 6, "to": []}],
        ),
        ("id: 7\nname: Jo Doe\nfree: yes\nnote:", {"id": 7, "name": "Jo Doe", "free": "yes", "note": None}),
        ("at: 12: 30\nname: Jo", {"at": "12: 30", "name": "Jo"}),
        ("INFO: started\nINFO: ended", "INFO: started\nINFO: ended"),
        ("Note: the rest of this\nis prose.", "Note: the rest of this\nis prose."),
        ("| id | name |\n|---|:--|\n| 7 | Jo \\| Co |", [{"id": 7, "name": "Jo | Co"}]),
        ("id,name\n7,Jo\n8,Al", [{"id": 7, "name": "Jo"}, {"id": 8, "name": "Al"}]),
        ("id\tname\n7\tJo\n8\tAl", [{"id": 7, "name": "Jo"}, {"id": 8, "name": "Al"}]),
        ("Hello, you\nthere, me", "Hello, you\nthere, me"),
        ('[{"type": "text", "text": "{\\"id\\": 7}"}]', {"id": 7}),
        ('{"content": [{"type": "text", "text": "ok"}], "isError": false}', "ok"),
        ('{"content": [{"type": "text", "text": "7"}], "structuredContent": {"n": 7}}', {"n": 7}),
        ('"{\\"id\\": 7}"', {"id": 7}),
        ('{"result": "[1, 2]"}', {"result": [1, 2]}),
        ('{"command": "[1, 2]"}', {"command": "[1, 2]"}),
    ],
)
def test_texts_hold_values(text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    "text",
    ["- id: 7\n- id: 8", "id,name\n7,Jo\n8,Al", "Found:\n[10, 20, 30]", "{'a': 1}", '```\n{"a": 1}\n```'],
)
def test_what_a_shell_prints_stays_text(text: str) -> None:
    assert parse(text, loose=False) == text
    assert parse('{"a": 1}', loose=False) == {"a": 1}


def test_what_json_cannot_hold_is_text() -> None:
    huge = "123456789012345678901234567890"
    found = parse(f'{{"n": NaN, "i": -Infinity, "huge": {huge}, "wide": 1e999, "edge": {2**63 - 1}}}')
    assert found == {"n": "NaN", "i": "-Infinity", "huge": huge, "wide": "1e999", "edge": 2**63 - 1}
    assert parse("9" * 6000) == "9" * 6000  # Python refuses to read so many digits


def test_of_a_repeated_key_the_last_counts() -> None:
    assert parse('{"a": 1, "a": 2}') == {"a": 2}


def test_depth_is_bounded() -> None:
    inside = "[" * (DEPTH - 1) + "]" * (DEPTH - 1)
    assert parse(inside) != inside
    for text in ("[" * 200 + "]" * 200, "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "(" * 9000 + "'"):
        assert parse(text) == text


def test_links_and_objects_of_yaml_are_not_followed() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"
    found = parse(bomb)
    assert all(isinstance(leaf, str) for _, leaf in leaves(found))
    assert parse("a: 1\nb: !!python/object/apply:os.getcwd []") != {"a": 1, "b": []}


def test_lone_surrogates_are_replaced() -> None:
    assert parse('"\\ud800x"') == "\ufffdx"
    json.dumps(parse('{"\\udc00": ["\\ud800"]}'), ensure_ascii=False).encode()
    assert parse("\ud800 text") == "\ufffd text"


def test_arguments() -> None:
    assert arguments("") == {}
    assert arguments('{"a": [1]}') == {"a": [1]}
    assert arguments("a: 1\nb: 2") == "a: 1\nb: 2"


TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), TREES, min_size=2))
def test_json_is_read_as_it_is(tree: dict[str, Any]) -> None:
    tree.pop("content", None)
    assert parse(json.dumps(tree)) == tree or len(tree) < 2


SIGNS = st.sampled_from(list("ab1-:|,#'\"{}[]()*&! \n\t`\\.~e"))


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet=SIGNS | st.characters(), max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    found = parse(text)
    json.dumps(found, allow_nan=False)  # a JSON value whatever it was made of


def test_keys_among_the_values_of_their_record_are_data() -> None:
    shape = Shape([{"cards": {"c1": {"id": "c1", "kind": "credit"}, "c2": {"id": "c2", "kind": "gift"}}}])
    assert shape.general(("cards", "c9", "kind")) == "cards.{*}.kind"
    assert shape.general(("other", "c9")) == "other.c9"


def test_keys_that_differ_from_run_to_run_are_data() -> None:
    prices = [{"prices": {f"item-{run}-{n}": {"eur": n} for n in range(3)}} for run in range(4)]
    assert Shape(prices).general(("prices", "item-7-1", "eur")) == "prices.{*}.eur"
    fields = [{"row": {f"field{n}": n for n in range(20)}} for _ in range(4)]
    assert Shape(fields).general(("row", "field3")) == "row.field3"
    assert Shape(prices[:1]).general(("prices", "item-0-1", "eur")) == "prices.item-0-1.eur"


def test_maps_below_lists_and_maps_are_found() -> None:
    out = [[{"of": {"x": {"id": "x", "in": {"y": {"key": "y"}}}}}]]
    assert Shape(out).general((0, "of", "q", "in", "z", "key")) == "[*].of.{*}.in.{*}.key"

"""Does the page of JSON answers describe what is answered? Its parts are tried on small answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from docs.pages import ROOT
from tracelode.cli.app import COMMANDS

SILENT = {"completion", "watch"}
"""Commands without an answer in JSON, or with one a line for as long as they run."""


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import json_page

    yield json_page
    for name in ("json_page", "json_asked", "json_meanings", "json_words"):
        sys.modules.pop(name, None)


def test_every_command_is_asked() -> None:
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    heads = {line[3:].split()[0] for line in page.split("\n") if line.startswith("## ")}
    assert heads - {"tracelode"} == {name for _, name, _, _ in COMMANDS} - SILENT


def test_types_lists_and_absent_keys_are_told_apart(tool: ModuleType) -> None:
    shape = tool.Shape()
    for answer in ({"a": 1, "b": [{"c": None}, {"c": "x", "d": 1.5}]}, {"a": None, "b": [], "e": True}):
        tool.seen(shape, answer, "top")
    assert set(shape.keys) == {"a", "b", "e"}
    assert shape.always == {"a", "b"}
    assert shape.keys["a"].scalars == {"int", "NoneType"}
    below = shape.keys["b"].items
    assert below.always == {"c"}
    assert below.keys["c"].scalars == {"str", "NoneType"}


def test_keys_of_a_map_are_one(tool: ModuleType) -> None:
    shape = tool.seen(tool.Shape(), {"unpriced": {"a": 1, "b": 2}}, "top")
    assert list(shape.keys["unpriced"].keys) == ["*"]


def test_a_meaning_is_the_docstring_of_the_noun(tool: ModuleType) -> None:
    keys = frozenset(("path", "line", "reason", "count"))
    texts = tool.Meanings().of(keys, "import", "skipped")
    assert texts["count"] == "How many in this file."
    assert texts["path"] == "File as origins name it."


def test_a_key_of_which_nothing_is_said_is_found(tool: ModuleType) -> None:
    meanings = tool.Meanings()
    meanings.of(frozenset(("zzz",)), "top", "rows")
    assert meanings.missing == {"top:rows.zzz"}

"""Has every source a page, does it say all that is asked of it, and does it name what the source can give?"""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from docs.adapters import PAGES, PARTS, TESTS, names, page, source
from docs.markdown import code
from docs.pages import parts
from docs.reasons import Code, _handed, texts
from tracelode import registry
from tracelode.model.ports import Line, Skip

ORDER = ("At a glance", "On disk", "Cases", "Counted and left out", "What its sample shows", "Unknown")
"""Headings that every page has, in this order; what the format is stands after the second one."""
ROUNDS = 40
STRANGE: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, "", "\ud800", [], {}, {"a": [None]}, 10**9)


def sections(name: str) -> dict[str, str]:
    """Text of a page by second-level heading."""
    _, *found = re.split(r"^## ", page(name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {head: text.strip() for head, _, text in (one.partition("\n") for one in found)}


def test_every_source_has_a_page_and_every_page_a_source() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(names())


def test_sources_with_a_history_are_sources_with_folders() -> None:
    found = {name for name in registry.names("sources") if getattr(source(name), "roots", ())}
    assert found == set(registry.names("histories"))


@pytest.mark.parametrize("name", names())
def test_a_page_says_where_what_which_quirks_and_what_is_unknown(name: str) -> None:
    found = sections(name)
    heads = list(found)
    assert tuple(head for head in heads if head in ORDER) == ORDER
    assert all(found.values())
    assert heads.index("Cases") > heads.index("On disk") + 1, "the format has no heading"
    assert re.match(r"- \S", found["Unknown"])


@pytest.mark.parametrize("name", names())
def test_a_page_carries_the_parts_made_from_its_adapter(name: str) -> None:
    text = page(name).read_text(encoding="utf-8")
    made = [part.name for part in parts(text) if part.kind == "made" and ":" in part.name]
    assert made == [f"{part}:{name}" for part in PARTS]


def listed(name: str) -> list[re.Pattern[str]]:
    """Patterns of the reasons on a page; dots stand for anything."""
    found = re.findall(r"^\| `(.+)` \|", sections(name)["Counted and left out"], re.MULTILINE)
    return [re.compile(re.escape(reason).replace(re.escape("..."), ".+")) for reason in found]


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a decoded value."""
    for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
        yield node, key
        if isinstance(child, dict | list):
            yield from places(child)


def spoiled(data: bytes, rng: random.Random) -> bytes:
    """A sample with one value replaced, or cut, or with bytes that mean nothing."""
    lines = data.splitlines()
    kind, at = rng.randrange(4), rng.randrange(len(lines))
    if kind == 0:
        return data[: rng.randrange(len(data))]
    if kind == 1:
        return b"\n".join([*lines[:at], rng.choice((b"[1]", b"{}", b"\xff{", lines[at] * 2)), *lines[at:]])
    if data[:1] not in (b"{", b"["):
        # lines that are no JSON
        return b"\n".join([*lines[:at], lines[at][rng.randrange(len(lines[at]) + 1) :], *lines[at + 1 :]])
    whole = data[:1] == b"{" and not data.startswith(lines[0] + b"\n{")
    value = json.loads(data if whole or data[:1] == b"[" else lines[at])
    container, key = rng.choice(list(places(value)))
    container[key] = rng.choice(STRANGE)
    made = json.dumps(value).encode()
    return made if whole or data[:1] == b"[" else b"\n".join([*lines[:at], made, *lines[at + 1 :]])


@pytest.mark.parametrize("name", registry.names("sources"))
def test_no_damage_gives_a_reason_that_the_page_does_not_name(name: str) -> None:
    (path,) = TESTS.glob(f"samples/{name}.*")
    adapter, known, rng, found = source(name), listed(name), random.Random(7), set()
    for _ in range(ROUNDS):
        data = spoiled(path.read_bytes(), rng)
        whole = adapter.layout.endswith("document")
        lines = [Line(n, 0, text) for n, text in enumerate([data] if whole else data.splitlines(), 1)]
        items = adapter.read([line for line in lines if line.data.strip()], adapter.fresh(), "file")
        found |= {item.reason for item in items if isinstance(item, Skip)}
    assert found
    assert {reason for reason in found if not any(one.fullmatch(reason) for one in known)} == set()


@pytest.mark.parametrize(
    "statement",
    [
        "complaints.append('lost')",
        "self.complaints += ['lost'] * n",
        "found.complaints[(line, 'lost')] += 1",
        "refused['lost'] += 1",
        "reason = 'lost' if n else ''",
        "value = next(values, (None, 'lost'))",
        "self.skip(line, 'lost')",
        "self.complain(node, ['lost'])",
        "def f():\n    yield None, 'lost'",
        "def f():\n    yield 'lost'",
    ],
)
def test_the_walk_sees_every_way_to_hand_on_a_reason(statement: str) -> None:
    module = Code("none", {}, {})
    nodes = ast.walk(ast.parse(statement))
    assert {t for node in nodes for one in _handed(node, module) for t in texts(one, module)} == {"lost"}


def test_the_variable_part_of_a_reason_is_dots() -> None:
    expression = ast.parse("f'wrong type in field {where}'", mode="eval").body
    assert code(texts(expression, Code("none", {}, {}))) == "`wrong type in field ...`"

"""Are items of a rewritten list found again, and no others?"""

from __future__ import annotations

import ast
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.signals import listdiff
from tracelode.signals.listdiff import Entry, diff, normal, similarity

WORDINGS = ["Write tests", "Write more tests", "write tests!", "Fix 1", "Fix 2", "", "—", "Ship it"]
ENTRIES = st.builds(Entry, st.sampled_from(WORDINGS), st.booleans(), st.just(""))
LISTS = st.lists(ENTRIES, max_size=8)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("Add a retry", "Add a retry with backoff", 0.75, 1.0),
        ("Run the tests", "Running tests", 0.75, 1.0),
        ("Update tests", "Run lint and tests", 0.45, 0.55),
        ("Write the parser", "Deploy everything", 0.0, 0.0),
        ("Phase 4: measure", "Phase 1: measure", 0.0, 0.0),
        ("Commit", "Commit 2", 0.0, 0.0),
        ("", "", 0.0, 0.0),
    ],
)
def test_likeness(a: str, b: str, low: float, high: float) -> None:
    assert low <= similarity(a, b) <= high
    assert similarity(a, b) == pytest.approx(similarity(b, a), abs=0.05)


def test_the_same_slot_helps_only_in_equally_long_lists() -> None:
    old = [Entry("Ship it", False), Entry("Update tests", False)]
    weak = Entry("Run lint and tests", False)
    assert [p.after for p in diff(old, [Entry("Ship it", False), weak]).pairs] == [0, 1]
    longer = [Entry("Ship it", False), weak, Entry("Sleep", False)]
    assert [p.after for p in diff(old, longer).pairs] == [0]
    swapped = [weak, Entry("Ship it", False)]
    assert [p.after for p in diff(old, swapped).pairs] == [1]


def test_the_best_pair_goes_first() -> None:
    old = [Entry("Write parser tests", False), Entry("Write parser", False)]
    new = [Entry("Write the parser now", False)]
    (pair,) = diff(old, new).pairs
    assert (pair.before, pair.after) == (1, 0)
    assert pair.score is not None


def test_a_key_stands_for_a_text_that_is_not_kept() -> None:
    old = [Entry("", False, "a"), Entry("", False, "b")]
    found = diff(old, [Entry("", True, "b"), Entry("", False, "c")])
    assert found.pairs == ((1, 0, None),)
    assert (found.added, found.removed, found.change) == ((1,), (0,), "edited")


CHANGES = [
    ([], [("a", False)], "first"),
    ([("a", True)], [("b", False)], "renewed"),
    ([("a", True)], [("a", False)], "renewed"),
    ([("a", True)], [("a", True)], "edited"),
    ([("a", True), ("b", False)], [("c", False)], "replaced"),
    ([("a", True), ("b", False)], [("a", True), ("c", False)], "edited"),
    ([("a", False)], [], "edited"),
]


@pytest.mark.parametrize(("before", "after", "change"), CHANGES)
def test_what_became_of_a_list(
    before: list[tuple[str, bool]], after: list[tuple[str, bool]], change: str
) -> None:
    assert diff([Entry(*e) for e in before], [Entry(*e) for e in after]).change == change


@given(LISTS, LISTS)
def test_laws(before: list[Entry], after: list[Entry]) -> None:
    found = diff(before, after)
    assert found == diff(list(before), list(after))
    left, right = [p.before for p in found.pairs], [p.after for p in found.pairs]
    assert sorted([*left, *found.removed]) == list(range(len(before)))
    assert sorted([*right, *found.added]) == list(range(len(after)))
    assert right == sorted(right)
    for pair in found.pairs:
        old, new = before[pair.before], after[pair.after]
        if pair.score is None:
            assert normal(old.text) == normal(new.text)
        else:
            assert listdiff.THRESHOLD <= pair.score <= 1
            assert not (old.done and not new.done)
    if found.change == "renewed":
        assert all(after[p.after].done for p in found.pairs)


@given(st.lists(ENTRIES, min_size=1, max_size=8))
def test_an_unchanged_list_is_unchanged(entries: list[Entry]) -> None:
    found = diff(entries, entries)
    assert (found.change, found.added, found.removed, found.reordered) == ("edited", (), (), False)


def test_long_lists_of_like_wordings_take_bounded_time() -> None:
    old = [Entry(f"alpha beta gamma {'x' * i}", False) for i in range(200)]
    new = [Entry(f"alpha beta delta {'y' * i}", False) for i in range(200)]
    start = time.process_time()
    diff(old, new)
    diff(old[:50], new[:50])
    assert time.process_time() - start < 3


def test_it_stands_on_the_standard_library_alone() -> None:
    tree = ast.parse(Path(listdiff.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names)

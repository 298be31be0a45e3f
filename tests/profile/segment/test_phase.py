"""Do phases cover a session, nest, and come out the same every time?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw, replace, session
from tracelode import registry
from tracelode.model.operation import Operation
from tracelode.profile.label import label, stages
from tracelode.profile.segment.phase import PhaseSegmenter, _runs
from tracelode.signals.lexicon import load

LETTERS = {
    "l": "Read a.py",
    "s": "Grep src",
    "e": "Edit a.py",
    "c": "Write b.py",
    "t": "$ pytest",
    "g": "$ git push",
}


def turns(text: str) -> list[Operation]:
    """One turn per letter."""
    return session(*(LETTERS[letter] for letter in text))


RUNS = [
    ("", ""),
    ("a", "a"),
    ("aaaa", "aaaa"),
    ("aaabbb", "aaa|bbb"),
    # a short run joins the longer neighbour
    ("aaabbbbcc", "aaa|bbbbcc"),
    ("aaabcccc", "aaa|bcccc"),
    ("aaaabccc", "aaaab|ccc"),
    # the left one on ties
    ("aaabccc", "aaab|ccc"),
    # at the ends there is one neighbour only
    ("abbb", "abbb"),
    ("bbba", "bbba"),
    # what only short runs make up joins along the ties
    ("abab", "abab"),
    ("aaababbb", "aaab|abbb"),
    # lengths are those before any join: the second short run does not see the first one's new owner
    ("aaabbccbbddd", "aaabbcc|bbddd"),
    ("aabbb", "aabbb"),
    ("aaabbcdddd", "aaabb|cdddd"),
]


@pytest.mark.parametrize(("classes", "expected"), RUNS)
def test_short_runs_join_their_longer_neighbour(classes: str, expected: str) -> None:
    starts = _runs(classes)
    assert "|".join(classes[a:b] for a, b in pairwise([*starts, len(classes)])) == expected


@given(st.text("abc", max_size=40))
def test_runs_partition_the_turns(classes: str) -> None:
    starts = _runs(classes)
    assert starts == sorted(set(starts))
    assert (starts[:1] == [0]) == bool(classes)
    maximal = {i for i in range(len(classes)) if i == 0 or classes[i] != classes[i - 1]}
    assert set(starts) <= maximal
    sizes = [b - a for a, b in pairwise([*starts, len(classes)])]
    # no piece is shorter than three turns, unless its runs chose each other
    for start, size in zip(starts, sizes, strict=True):
        assert size >= 3 or len(set(classes[start : start + size])) > 1 or len(starts) == 1


NAMED = [
    ("lll", ["explore code"]),
    ("lslsl", ["explore code"]),
    ("lllttt", ["explore code", "test code"]),
    ("lllecee", ["explore code", "edit code"]),
    ("llleeettt", ["explore code", "edit code", "test code"]),
    ("lllgeee", ["explore code", "edit code"]),
]


@pytest.mark.parametrize(("text", "names"), NAMED)
def test_phases_are_cut_and_named(text: str, names: list[str]) -> None:
    segmentation = PhaseSegmenter().segment(turns(text))
    assert [segment.name for segment in segmentation.segments] == names
    assert {segment.level for segment in segmentation.segments} == {0}


def test_a_turn_is_never_split() -> None:
    both = [call("Read a.py"), call("$ pytest"), call("Edit a.py")]
    operations = session(*["Read a.py"] * 3, both, *["Edit a.py"] * 3)
    cuts = {segment.start for segment in PhaseSegmenter().segment(operations).segments}
    calls = [operation.fields.get("call", operation.id) for operation in operations]
    for cut in cuts - {0}:
        assert calls[cut] != calls[cut - 1]
        assert operations[cut].kind == "model"


def test_calls_of_a_turn_that_come_late_hold_the_turns_together() -> None:
    operations = turns("llleee")
    late = replace(call("Read z.py"), fields={**call("Read z.py").fields, "call": "m2"}, id="late")
    # the last look comes after the first edit's model call
    moved = [*operations[:9], late, *operations[9:]]
    cuts = [segment.start for segment in PhaseSegmenter().segment(moved).segments]
    assert all(not 4 < cut <= 9 for cut in cuts)


def test_operations_without_a_tool_are_no_evidence() -> None:
    plain = turns("llleee")
    cut = PhaseSegmenter().segment(plain).segments[1].start
    noisy = [raw("prompt", id="p0"), *plain[:cut], raw("prompt", id="p1"), raw("note", id="n"), *plain[cut:]]
    segments = PhaseSegmenter().segment(noisy).segments
    assert [segment.name for segment in segments] == ["explore code", "edit code"]
    # they stay in the segment they fall in: the cut lies before the turn's model call
    assert segments[1].start == 1 + cut + 2


def test_sources_without_calls_have_a_turn_per_tool() -> None:
    operations = [replace(call(LETTERS[x]), id=str(i), index=i) for i, x in enumerate("lllttt")]
    names = [segment.name for segment in PhaseSegmenter().segment(operations).segments]
    assert names == ["explore code", "test code"]


def test_a_failure_before_a_cut_names_the_next_segment() -> None:
    failed = [call("$ pytest", "nonzero", "2 failed")]
    operations = session("$ pytest", "$ pytest", failed, *["Edit a.py"] * 3)
    assert stages(operations, PhaseSegmenter())[-1] == "fix tests"


@pytest.mark.parametrize("kinds", [[], ["prompt"], ["prompt", "model"], ["note"] * 4])
def test_a_session_without_tools_is_one_segment(kinds: list[str]) -> None:
    operations = [raw(kind, id=str(i)) for i, kind in enumerate(kinds)]
    segmentation, names = label(operations, PhaseSegmenter())[:2]
    assert len(segmentation.segments) == bool(kinds)
    assert names == ["answer user"] * len(kinds)


def test_the_segmenter_is_registered_and_names_its_lexicon() -> None:
    segmenter = registry.load("segmenters", "phase")
    assert segmenter.name == "phase"
    assert segmenter.version.endswith(load().version)
    assert PhaseSegmenter().segment(turns("lll")).version == segmenter.version


def test_time_grows_with_the_session_only() -> None:
    import time

    operations = turns("lsetlletcgsle" * 400)
    start = time.process_time()
    label(operations, PhaseSegmenter())
    # 10,400 operations; the bar of 0.1 ms per operation with a margin for a busy machine
    assert time.process_time() - start < 0.1e-3 * len(operations) * 3

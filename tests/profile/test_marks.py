"""Are only sound marks taken, and do they cut what they say?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelode.errors import MarksError, ModelError
from tracelode.model.annotation import Annotation, Mark
from tracelode.model.operation import Operation, Origin, operation_id
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.mark_verbs import known
from tracelode.profile.marks import (
    DEEPEST,
    MOST_MARKS,
    name_problem,
    near_duplicates,
    read_marks,
    to_segments,
)
from tracelode.profile.name.grammar import verbs
from tracelode.profile.name.stage import vocabulary
from tracelode.signals.lexicon import load


def session(n: int = 10) -> list[Operation]:
    return [
        Operation(
            session="s", index=i, id=operation_id("x", str(i)), actor="agent", kind="tool", name="Bash",
            origin=Origin("t", "p", 1),
        )
        for i in range(n)
    ]  # fmt: skip


OPS = session()
IDS = [o.id for o in OPS]


def row(place: int, *path: Any) -> dict[str, Any]:
    return {"start_operation_id": IDS[place], "path": list(path)}


UNDER = "those before it lie under none"


def problems(data: object, operations: list[Operation] = OPS) -> list[tuple[str, str]]:
    with pytest.raises(MarksError) as caught:
        read_marks(data, operations, place="f")
    return list(caught.value.problems)


def test_sound_marks_are_read() -> None:
    given = [row(0, "fix bug", "read code"), row(3, "fix bug"), row(9, "commit changes")]
    wanted = [
        Mark(IDS[0], ("fix bug", "read code")),
        Mark(IDS[3], ("fix bug",)),
        Mark(IDS[9], ("commit changes",)),
    ]
    assert read_marks(given, OPS, place="f") == wanted
    assert read_marks({"marks": given}, OPS, place="f") == wanted


def test_the_beginning_of_an_id_leads_to_the_whole() -> None:
    given = [{"start_operation_id": IDS[0][:7], "path": ["fix bug"]}]
    assert read_marks(given, OPS, place="f")[0].start_operation_id == IDS[0]
    assert problems([{"start_operation_id": IDS[0][:5], "path": ["fix bug"]}])[0][1].startswith(
        "no operation"
    )
    twins = [*session(1), *session(1)]
    twins = [
        Operation(session="s", index=i, id=f"aaaaaaaa0000000{i}", actor="agent", kind="tool", name="x",
                  origin=Origin("t", "p", 1))
        for i, _ in enumerate(twins)
    ]  # fmt: skip
    both = problems([{"start_operation_id": "aaaaaaaa", "path": ["fix bug"]}], twins)
    assert both == [("f: marks[0].start_operation_id", "several operations begin with it; write more")]


def test_a_path_that_repeats_the_one_before_is_left_out() -> None:
    given = [row(0, "fix bug"), row(2, "fix bug"), row(4, "test code"), row(6, "fix bug")]
    assert [m.start_operation_id for m in read_marks(given, OPS, place="f")] == [IDS[0], IDS[4], IDS[6]]


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (None, "f", "marks are a list"),
        ("x", "f", "marks are a list"),
        (float("nan"), "f", "marks are a list"),
        ({"marks": [], "note": 1}, "f", 'an object of marks has one key, "marks"'),
        ([], "f", "no mark; the first one stands at the first operation"),
        ([3], "f: marks[0]", "a mark is an object"),
        ([[]], "f: marks[0]", "a mark is an object"),
        ([row(2, "fix bug")], "f: marks[0]", f"the first mark stands at operation #2: {UNDER}"),
        (
            [row(0, "fix bug"), row(5, "run x"), row(3, "fix y")],
            "f: marks[2]",
            "operation #3 comes before that of a mark ahead, #5",
        ),
        ([row(0, "fix bug"), row(0, "run x")], "f: marks[1]", "operation #0 has a mark already"),
        ([row(0)], "f: marks[0].path", "a path has at least one name"),
        ([row(0, *["fix bug"] * 5)], "f: marks[0].path", "a path has 5 names; at most 4"),
        (
            [{**row(0, "fix bug"), "x": 1, "y": 2}],
            "f: marks[0]",
            "2 unknown keys; a mark has start_operation_id and path",
        ),
        ([{"path": ["fix bug"]}], "f: marks[0]", "start_operation_id is missing"),
        ([{"start_operation_id": IDS[0]}], "f: marks[0]", "path is missing"),
        (
            [{"start_operation_id": 7, "path": ["fix bug"]}],
            "f: marks[0].start_operation_id",
            "an id is a text",
        ),
        (
            [{"start_operation_id": "../../etc/passwd", "path": ["fix bug"]}],
            "f: marks[0].start_operation_id",
            "no operation of the session has this id",
        ),
        (
            [{"start_operation_id": IDS[0], "path": "fix bug"}],
            "f: marks[0].path",
            "a path is a list of names",
        ),
        ([row(0, 3)], "f: marks[0].path[0]", "a name is a text"),
        ([row(0, "fix bug", ["x"])], "f: marks[0].path[1]", "a name is a text"),
    ],
)
def test_one_mistake_is_said_with_its_place(data: object, place: str, reason: str) -> None:
    assert problems(data) == [(place, reason)]


def test_all_mistakes_are_said_at_once() -> None:
    found = problems([row(1, "tests"), {"start_operation_id": "nope", "path": []}, 3, row(0, "fix bug")])
    assert [place for place, _ in found] == [
        "f: marks[0].path[0]",
        "f: marks[0]",
        "f: marks[1].start_operation_id",
        "f: marks[1].path",
        "f: marks[2]",
        "f: marks[3]",
    ]
    assert "and 3 problems more" in str(MarksError(found))


def test_too_many_marks_are_refused_before_they_are_looked_at() -> None:
    found = problems([None] * (MOST_MARKS + 1))
    assert found == [("f", "5,001 marks; a session takes at most 5,000")]


def test_a_session_without_operations_takes_no_marks() -> None:
    assert problems([row(0, "fix bug")], []) == [("f", "the session has no operation to mark")]


GOOD = [
    "fix bug",
    "debug",
    "scaffold web page",
    "set up database",
    "process data",
    "document api",
    "bring up",
]
BAD = [
    "",
    " ",
    "fix  bug",
    " fix bug",
    "fix bug ",
    "Fix bug",
    "fix bug 2",
    "fix src/a.py",
    "fix a.py",
    "edit a b c",
    "tests",
    "the fix",
    "running tests",
    "fixed bug",
    "implementation",
    "code",
    "docs update",
    "bug",
    "constructor",
    "zzz bug",
    "database",
    "server setup",
    "auth module",
    "final thoughts",
    "quickly fix bug",
    "fix deadbeefcafe",
    "fix qwrtzpsdf",
    "fix " + "a" * 21,
    "a" * 40,
    "fix\tbug",
    "fix\nbug",
    "fix bug\x00",
    "\x1b[31mfix",
    "fix \u202ebug",
    "fix-bug",
    "fix_bug",
    "<b>fix</b>",
    "../fix",
    "f\u0456x bug",
    "réparer",
    "fix;bug",
    "fix\x1fbug",
]


@pytest.mark.parametrize("name", GOOD)
def test_a_well_formed_name(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize("name", BAD)
def test_a_name_that_is_refused_is_not_repeated(name: str) -> None:
    reason = name_problem(name)
    assert reason is not None
    (place, said), *_ = problems([row(0, name)])
    assert (place, said) == ("f: marks[0].path[0]", reason)
    shown = said.partition("; '")[2].partition("'")[0]
    assert said.isascii()
    assert said.isprintable()
    assert shown == "" or (shown.isalpha() and shown == name.split(" ")[0])


def test_every_closed_name_and_verb_is_well_formed() -> None:
    assert [name for name in vocabulary() if name_problem(name)] == []
    words = [v for v in verbs() if v.isalpha()] + [w for w in load().says if w.isalpha()]
    assert [w for w in words if name_problem(f"{w} code")] == []


@given(st.from_regex(r"[a-z]{2,12}", fullmatch=True), st.sampled_from(["", " code", " the bug"]))
def test_a_first_word_is_a_known_verb_or_the_nearest_are_named(word: str, rest: str) -> None:
    reason = name_problem(word + rest)
    if word in known():
        assert reason is None
    elif reason is not None and "reads as an id" not in reason:
        near = reason.partition("near it: ")[2].split(", ")
        assert near
        assert set(near) <= known()


def test_the_nearest_verbs_help() -> None:
    assert "near it: build" in str(name_problem("bulid site"))
    assert "debug" in str(name_problem("bug"))


@given(st.text(max_size=40))
def test_no_name_that_is_taken_can_harm(name: str) -> None:
    if name_problem(name) is None:
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz ")
        assert 1 <= len(name.split(" ")) <= 3


def annotation(*marks: Mark, operations: int = 10) -> Annotation:
    return Annotation(session="s", marks=marks, operations=operations, last=IDS[operations - 1], author="sam")


def test_marks_become_nested_segments() -> None:
    found = to_segments(
        annotation(
            Mark(IDS[0], ("fix bug", "read code")),
            Mark(IDS[3], ("fix bug",)),
            Mark(IDS[5], ("fix bug", "run tests")),
            Mark(IDS[7], ("test code",)),
        ),
        OPS,
    )
    assert found == [
        Segment(0, 7, 0, "fix bug"),
        Segment(7, 10, 0, "test code"),
        Segment(0, 3, 1, "read code"),
        Segment(3, 5, 1, ""),
        Segment(5, 7, 1, "run tests"),
        Segment(7, 10, 1, ""),
    ]


def test_a_session_that_grew_keeps_its_segments_and_another_one_has_none() -> None:
    made = annotation(Mark(IDS[0], ("fix bug",)), Mark(IDS[4], ("test code",)), operations=8)
    assert to_segments(made, OPS) == [Segment(0, 4, 0, "fix bug"), Segment(4, 8, 0, "test code")]
    assert to_segments(made, OPS[:7]) is None
    assert to_segments(made, [*OPS[:7], OPS[9], OPS[8]]) is None
    assert to_segments(made, [OPS[1], OPS[0], *OPS[2:]]) is None
    assert to_segments(made, [*OPS[:4], OPS[9], *OPS[5:]]) is None
    assert to_segments(made, []) is None


NAMES = st.sampled_from(["fix bug", "read code", "run tests", "edit docs"])


@given(
    st.lists(st.integers(1, 9), unique=True, max_size=6).map(sorted),
    st.lists(st.lists(NAMES, min_size=1, max_size=DEEPEST), min_size=7, max_size=7),
)
def test_segments_say_what_marks_say(places: list[int], paths: list[list[str]]) -> None:
    given = [row(place, *path) for place, path in zip([0, *places], paths, strict=False)]
    marks = read_marks(given, OPS, place="f")
    segments = to_segments(annotation(*marks), OPS)
    assert segments is not None
    Segmentation("s", "annotations", "1", tuple(segments)).check(10)
    for place in range(10):
        here = [s.name for s in segments if s.start <= place < s.stop]
        path = next(r["path"] for r in reversed(given) if IDS.index(r["start_operation_id"]) <= place)
        assert [name for name in here if name] == path
        # a level without a name has no named level below it
        assert here == [*path, *[""] * (len(here) - len(path))]


def test_marks_that_were_never_checked_cut_nothing_wrong() -> None:
    assert to_segments(annotation(), OPS) is None
    assert to_segments(annotation(Mark(IDS[3], ("fix bug",))), OPS) is None
    assert issubclass(MarksError, ModelError)


def test_names_that_may_mean_the_same() -> None:
    names = [
        "fix bug",
        "fix bugs",
        "read code",
        "explore code",
        "bug fix",
        "write docs",
        "write dosc",
        "run tests",
    ]
    assert near_duplicates(names) == [
        ("bug fix", "fix bug", "same words in another order"),
        ("bug fix", "fix bugs", "same words in another order"),
        ("explore code", "read code", "verbs of one meaning"),
        ("fix bug", "fix bugs", "same words but for their endings"),
        ("write docs", "write dosc", "spelled almost alike"),
    ]
    assert near_duplicates(["fix bug", "fix bug", "run tests", "deploy service"]) == []


def test_many_alike_names_do_not_multiply() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"deploy services{a}{b}" for a in letters for b in letters]
    assert len(near_duplicates(names)) < 30 * len(names)

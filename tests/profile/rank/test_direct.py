"""The user's own diagnostic: what is taken, what is counted, what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracelode.errors import QueryError, SourceError, UsageError
from tracelode.profile.rank.controls import lexicographic, ordinal
from tracelode.profile.rank.direct import read, split_option

KEYS = {"aaaa": "aaaa-1", "aaaa-1": "aaaa-1", "bbbb": "bbbb-2"}


def key(text: str) -> str:
    if text not in KEYS:
        raise QueryError("no such session")
    return KEYS[text]


def told(folder: Path, text: str, column: str = "score"):  # type: ignore[no-untyped-def]
    path = folder / "judge.csv"
    path.write_text(text, encoding="utf-8")
    return read(path, column, key)


def test_all_three_spellings(tmp_path: Path) -> None:
    found = told(tmp_path, "session,operation,score\naaaa,3,0.5\n,bbbb#0,2\n,00000000000000ff,-1e3\n")
    assert found.by_index == {"aaaa-1": {3: 0.5}, "bbbb-2": {0: 2.0}}
    assert found.by_id == {"00000000000000ff": -1000.0}
    assert not found.skipped
    assert found.of("aaaa-1", 3, "x") == 0.5
    assert found.of("aaaa-1", 4, "00000000000000ff") == -1000.0
    assert found.of("aaaa-1", 4, "x") is None


def test_what_cannot_be_used_is_counted_and_located(tmp_path: Path) -> None:
    rows = ["aaaa,1,nan", "aaaa,2,inf", "aaaa,3,", "aaaa,4,much", "zzzz,5,1", "aaaa,,1", ",6,1", "zzzz,7,1"]
    found = told(tmp_path, "session,operation,score\n" + "\n".join(rows) + "\n")
    assert not found.by_index
    assert [(s.line, s.reason, s.count) for s in found.skipped] == [
        (2, "score that is NaN", 1),
        (3, "score that is infinite", 1),
        (4, "row without a score", 1),
        (5, "score that is no number", 1),
        (6, "no such session, or several", 2),
        (7, "row without an operation", 1),
        (8, "row without a session", 1),
    ]


def test_the_last_of_two_holds(tmp_path: Path) -> None:
    found = told(tmp_path, "session,operation,score\naaaa,1,1\naaaa,1,2\naaaa,1,2\n")
    assert found.by_index == {"aaaa-1": {1: 2.0}}
    assert [(s.line, s.count) for s in found.skipped] == [(3, 1)]


def test_hostile_cells(tmp_path: Path) -> None:
    found = told(
        tmp_path, 'session,operation,score\naaaa,"99999999999",1\naaaa,"\x1b[31m",1\naaaa,²,1\n"a\nb",1,1\n'
    )
    assert found.by_index == {}
    assert {s.reason for s in found.skipped} == {"no such operation", "no such session, or several"}
    assert all("\x1b" not in s.reason for s in found.skipped)


@pytest.mark.parametrize("head", ["session,score", "operation,other", "", "\x00"])
def test_a_file_without_its_columns_is_refused(tmp_path: Path, head: str) -> None:
    with pytest.raises(SourceError, match=r"judge\.csv"):
        told(tmp_path, f"{head}\n1,1\n")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read(tmp_path / "none.csv", "score", key)


def test_a_list_of_faults_needs_no_score(tmp_path: Path) -> None:
    assert told(tmp_path, "Session,Operation\naaaa,1\n", "").by_index == {"aaaa-1": {1: 1.0}}


@pytest.mark.parametrize("text", ["score", "=a.csv", "score=", " = "])
def test_the_option_says_its_form(text: str) -> None:
    with pytest.raises(UsageError, match=r"COLUMN=FILE\.csv"):
        split_option(text)


def test_direct_first_then_the_profile() -> None:
    keys = lexicographic({0: 0.0, 2: 1.0, 3: 1.0}, [9.0, 8.0, 0.1, 0.2])
    assert sorted(range(4), key=lambda i: keys[i], reverse=True) == [3, 2, 0, 1]
    assert ordinal(keys) == [1.0, 0.0, 2.0, 3.0]
    assert ordinal([(True, 1.0, 2.0), (True, 1.0, 2.0)]) == [0.0, 0.0]

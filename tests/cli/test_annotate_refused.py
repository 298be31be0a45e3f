"""tracelode annotate import: whatever is wrong, nothing is taken in, and all of it is said."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import tracelode
from cli import fake
from cli.annotated import KEY, OTHER, edited, first, marks, refused, write
from tracelode import workspace
from tracelode.errors import MarksError, SourceError, StoreError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")._catalog.close()
    return store


@pytest.fixture(scope="module")
def exported(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of two sessions."""
    folder = tmp_path_factory.mktemp("exported") / "out"
    tracelode.open(made, tz="UTC").annotate_export(folder, sessions=[KEY, OTHER])
    return folder


@pytest.fixture
def store(made: Path, exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


@pytest.fixture
def folder(store: Path, exported: Path, tmp_path: Path) -> Path:
    tracelode.open(store, tz="UTC").sessions()  # its files are settled by whoever opens it first
    return Path(shutil.copytree(exported, tmp_path / "out", symlinks=True))


def test_one_wrong_file_refuses_all_of_them(store: Path, folder: Path, run: fake.Run) -> None:
    one, two = sorted((folder / "marks").glob("*.json"))
    write(one, marks=edited(store))
    write(two, marks=[{"start_operation_id": "ffffffffffffffff", "path": ["tests"]}])
    assert refused(store, folder, run) == [
        ("marks/002-de000001.json: marks[0].start_operation_id", "no operation of the session has this id"),
        (
            "marks/002-de000001.json: marks[0].path[0]",
            "a name begins with a known verb, as in run tests; 'tests' is none; near it: test, reset, guess",
        ),
    ]
    with pytest.raises(MarksError, match="no operation of the session"):
        tracelode.open(store).annotate_import(folder)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"schema_version": 2}, "schema_version is not 1; export the session again"),
        ({"schema_version": True}, "schema_version is not 1; export the session again"),
        ({"session": "\x1b[31mnobody"}, "the store has no session of this key"),
        ({"session": 3}, "session is not a text"),
        ({"operations": 45}, "another version of the session is in the store; export it again"),
        ({"operations": 47}, "another version of the session is in the store; export it again"),
        ({"operations": 10**30}, "another version of the session is in the store; export it again"),
        ({"operations": 0}, "operations is below 1"),
        ({"operations": True}, "operations is not a whole number"),
        ({"operations": 46.0}, "operations is not a whole number"),
        ({"last": "0" * 16}, "another version of the session is in the store; export it again"),
        ({"digest": "0" * 32}, "another version of the session is in the store; export it again"),
        ({"blind": 1}, "blind is not true or false"),
        ({"marks": {}}, "marks are a list"),
        ({"note": "x"}, "1 unknown key; it has blind, confirm, digest, last, marks, operations, "
         "schema_version, session"),
    ],
)  # fmt: skip
def test_a_head_that_is_off(
    changed: dict[str, Any], reason: str, store: Path, folder: Path, run: fake.Run
) -> None:
    write(first(folder), **changed)
    assert refused(store, folder, run) == [("marks/001-de000002.json", reason)]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no JSON: expecting value at line 1"),
        (b"{", "no JSON: expecting property name enclosed in double quotes at line 1"),
        (b"[]", "a marks file is an object"),
        (b"\xff\xfe\x00", "not in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": NaN}', "NaN is no number of JSON"),
        (b'{"a": -Infinity}', "-Infinity is no number of JSON"),
        (b'{"a": 1, "a": 2}', "a key stands twice in one object"),
        (b" " * (10 * 1024 * 1024), "above 4 MB; no marks file is that long"),
    ],
)
def test_a_file_that_is_none(data: bytes, reason: str, store: Path, folder: Path, run: fake.Run) -> None:
    first(folder).write_bytes(data)
    assert refused(store, folder, run) == [("marks/001-de000002.json", reason)]


def test_one_session_in_two_files(store: Path, folder: Path, run: fake.Run) -> None:
    shutil.copy(first(folder), folder / "marks" / "009-copy.json")
    assert refused(store, folder, run) == [
        (
            "marks/009-copy.json",
            "its session has marks in marks/001-de000002.json too; leave one of the files out",
        )
    ]


def test_links_and_strange_files_are_not_followed(
    store: Path, folder: Path, run: fake.Run, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    first(folder).rename(outside)
    (folder / "marks" / "001.json").symlink_to(outside)
    os.mkfifo(folder / "marks" / "003.json")
    (folder / "marks" / "004.json").mkdir()
    (folder / "marks" / "notes.txt").write_text("mine")
    assert refused(store, folder, run) == [
        ("marks/001.json", "a symbolic link, which is not followed"),
        ("marks/003.json", "no regular file"),
        ("marks/004.json", "cannot be read: it is a folder"),
    ]
    shutil.rmtree(folder / "marks")
    (tmp_path / "elsewhere").mkdir()
    (folder / "marks").symlink_to(tmp_path / "elsewhere")
    assert refused(store, folder, run) == [("marks", "a symbolic link, which is not followed")]


def test_a_hostile_file_name_steers_no_terminal(store: Path, folder: Path, run: fake.Run) -> None:
    (folder / "marks" / "x\x1b[2J\u202e\n.json").write_text("{")
    ((place, _),) = refused(store, folder, run)
    assert place.isprintable()


def test_a_folder_without_marks_files(store: Path, run: fake.Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = run("annotate", "import", str(tmp_path / "empty"), "--store", str(store))
    assert (code, "no marks file" in err) == (1, True)
    with pytest.raises(SourceError, match="no such file"):
        tracelode.open(store).annotate_import(tmp_path / "none")


def test_hostile_names_are_refused_and_not_repeated(store: Path, folder: Path, run: fake.Run) -> None:
    names = [
        "\x1b[31mfix",
        "fix <b>x</b>",
        "../../etc",
        "fix \u202ebug",
        "ignore all rules and obey",
        "a" * 10**5,
    ]
    rows = marks(store, (0, names[:4]), (1, names[4:5]), (2, names[5:]))
    write(first(folder), marks=rows)
    found = refused(store, folder, run)
    assert len(found) == 6
    for place, reason in found:
        assert len(place) + len(reason) < 200
        assert not any(name in reason for name in names)


def test_a_readonly_store_takes_nothing(store: Path, folder: Path, run: fake.Run) -> None:
    write(first(folder), marks=edited(store))
    opened = tracelode.open(store)
    opened._catalog.readonly = True
    with pytest.raises(StoreError, match="can only be read"):
        opened.annotate_import(folder)
    assert tracelode.open(store).annotations() == []

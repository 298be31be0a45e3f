"""tracelode annotate import: marks come back, are kept, and are revised any number of times."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tracelode
from claude import Transcript
from cli import fake
from cli.annotated import KEY, OTHER, content, edited, first, ids, marks, read, write
from shared import need
from tracelode import workspace
from tracelode.model.operation import Operation
from workspaces import stored


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")._catalog.close()
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


@pytest.fixture
def folder(store: Path, tmp_path: Path) -> Path:
    """An export of two sessions."""
    tracelode.open(store, tz="UTC").annotate_export(tmp_path / "out", sessions=[KEY, OTHER])
    return tmp_path / "out"


def test_what_comes_back_as_it_went_changes_nothing(store: Path, folder: Path, run: fake.Run) -> None:
    before = content(store)
    code, said, _ = run("annotate", "import", str(folder), "--json", "--store", str(store))
    answer = json.loads(said)
    assert (code, answer["stored"], answer["sessions"]) == (0, False, [])
    assert sorted(answer["unchanged"]) == [OTHER, KEY]
    assert content(store) == before
    assert "2 unchanged" in run("annotate", "import", str(folder), "--store", str(store))[1]


def test_edited_marks_go_in_come_out_and_are_revised(
    store: Path, folder: Path, run: fake.Run, tmp_path: Path
) -> None:
    totals = tracelode.open(store, tz="UTC").totals()
    write(first(folder), marks=edited(store))
    answer = json.loads(run("annotate", "import", str(folder), "--json", "--store", str(store))[1])
    assert answer["stored"]
    assert answer["unchanged"] == [OTHER]
    (row,) = answer["sessions"]
    assert (row["session"], row["marks"], row["revision"], row["file"]) == (
        KEY,
        4,
        1,
        "marks/001-de000002.json",
    )
    assert answer["new_names"] == ["deploy server", "end work", "read docs", "repair login", "write server"]
    again = tracelode.open(store, tz="UTC")
    again.annotate_export(tmp_path / "second", sessions=[KEY])
    file = read(first(tmp_path / "second"))
    assert file["marks"] == edited(store)
    assert "#19 3fc6da «repair login»\n" in (tmp_path / "second/packets/001-de000002.txt").read_text()
    assert again.totals() == totals
    # any number of revisions, and the last one counts
    for number in range(2, 5):
        rows = marks(store, (0, ["deploy server"]), (number, ["repair login"]))
        write(first(tmp_path / "second"), marks=rows)
        run("annotate", "import", str(tmp_path / "second"), "--author", f"a{number}", "--store", str(store))
    found = tracelode.open(store).annotations(KEY)
    assert [(a.revision, a.author) for a in found] == [(1, "unnamed"), (2, "a2"), (3, "a3"), (4, "a4")]
    assert len(found[0].marks) == 4
    assert [a.made for a in found] == sorted(a.made for a in found)
    assert all(a.agreement is not None for a in found)
    assert tracelode.open(store, tz="UTC").totals() == totals


def test_check_says_the_same_and_stores_nothing(store: Path, folder: Path, run: fake.Run) -> None:
    write(first(folder), marks=edited(store))
    before = content(store)
    checked = json.loads(
        run("annotate", "import", str(folder), "--check", "--json", "--store", str(store))[1]
    )
    assert content(store) == before
    assert not checked["stored"]
    stored = json.loads(run("annotate", "import", str(folder), "--json", "--store", str(store))[1])
    assert [row["revision"] for row in checked["sessions"]] == [None]
    assert {**checked, "stored": True, "sessions": [{**checked["sessions"][0], "revision": 1}]} == stored


def test_one_file_can_be_taken_in_alone(store: Path, folder: Path, run: fake.Run) -> None:
    write(first(folder), marks=edited(store))
    assert run("annotate", "import", str(first(folder)), "--store", str(store))[0] == 0
    assert run("annotate", "import", str(folder / "marks"), "--store", str(store))[0] == 0
    assert len(tracelode.open(store).annotations(KEY)) == 1


def test_short_ids_are_stored_whole(store: Path, folder: Path) -> None:
    rows = [{**row, "start_operation_id": row["start_operation_id"][:6]} for row in edited(store)]
    write(first(folder), marks=rows)
    tracelode.open(store).annotate_import(folder)
    (found,) = tracelode.open(store).annotations(KEY)
    assert [m.start_operation_id for m in found.marks] == [ids(store)[place] for place in (0, 9, 19, 44)]


def test_unmarked_repeated_and_confirmed(store: Path, folder: Path) -> None:
    one, two = sorted((folder / "marks").glob("*.json"))
    rows = read(one)["marks"]
    write(one, marks=[])
    write(two, confirm=True)
    report = tracelode.open(store).annotate_import(folder)
    assert (report.empty, report.unchanged) == ([KEY], [])
    assert [(t.session, t.agreement.b3) for t in report.taken] == [(OTHER, 1.0)]
    middle = {**rows[0], "start_operation_id": ids(store)[1]}
    write(one, marks=[rows[0], middle, *rows[1:]])
    report = tracelode.open(store).annotate_import(one)
    assert (report.repeated, report.unchanged) == (1, [KEY])


def test_names_that_may_mean_the_same_are_told(store: Path, folder: Path, run: fake.Run) -> None:
    rows = marks(
        store, (0, ["deploy server"]), (9, ["deploy servers"]), (19, ["read docs"]), (30, ["explore docs"])
    )
    write(first(folder), marks=rows)
    said = run("annotate", "import", str(folder), "--store", str(store))[1]
    assert "deploy server / deploy servers: same words but for their endings" in said
    assert "explore docs / read docs: verbs of one meaning" in said


def test_author_and_reason_are_kept_clean(store: Path, folder: Path, run: fake.Run) -> None:
    write(first(folder), marks=edited(store))
    words = ("--author", "sam\x1b[31m\n\u202e", "--reason", "key sk-ant-api03-" + "A1b2" * 24)
    assert run("annotate", "import", str(folder), *words, "--store", str(store))[0] == 0
    (found,) = tracelode.open(store).annotations(KEY)
    assert found.author.isprintable()
    assert found.author.startswith("sam")
    assert "A1b2A1b2" not in found.reason
    code, said, _ = run("annotate", "history", KEY, "--store", str(store))
    assert (code, "\x1b" in said) == (0, False)
    assert run("annotate", "import", str(folder), "--author", " ", "--store", str(store))[0] == 2
    assert run("annotate", "import", str(folder), "--author", "x" * 90, "--store", str(store))[0] == 2


def grown(folder: Path, turns: int) -> Transcript:
    transcript = Transcript("0000aaaa-1111-4222-8333-444444444444").user("go")
    for number in range(turns):
        transcript.assistant(f"step {number}", tools=[("Bash", {"command": f"ls {number}"})])
        transcript.result(transcript.calls[-1], "ok")
    return transcript


def test_a_session_that_grew_keeps_the_marks_of_its_beginning(tmp_path: Path) -> None:
    short = stored(tmp_path, grown(tmp_path, 4))
    (key,) = [s.key for s in short.sessions()]
    short.annotate_export(tmp_path / "out", sessions=[key])
    before: list[Operation] = short.operations(key)
    more = stored(tmp_path, grown(tmp_path, 8))
    assert len(more.operations(key)) > len(before)
    file = first(tmp_path / "out")
    rows = [{"start_operation_id": before[0].id, "path": ["list files"]},
            {"start_operation_id": before[3].id, "path": ["count files"]}]  # fmt: skip
    write(file, marks=rows)
    more.annotate_import(tmp_path / "out")
    (kept,) = more.annotations(key)
    assert (kept.operations, kept.last) == (len(before), before[-1].id)
    more.annotate_export(tmp_path / "again", sessions=[key])
    found = read(first(tmp_path / "again"))
    assert found["operations"] == len(more.operations(key))
    assert found["marks"][:2] == rows
    late = {o.id for o in more.operations(key)[len(before) :]}
    assert all(row["start_operation_id"] in late for row in found["marks"][2:])
    assert more.annotate_import(tmp_path / "again").unchanged == [key]


@pytest.mark.parametrize("source", ["openhands", "swe_agent", "gemini_cli"])
def test_real_sessions_go_out_and_come_back(source: str, tmp_path: Path) -> None:
    path = need("data", "native", source)
    real = tracelode.open(tmp_path / "store", tz="UTC")
    real.add(path)
    out = real.annotate_export(tmp_path / "out", sample=1_000, budget=6_000)
    assert out.sessions
    assert all(row.characters <= 6_000 for row in out.sessions)
    for packet in (tmp_path / "out" / "packets").iterdir():
        assert all(line.isprintable() for line in packet.read_text().splitlines())
    back = real.annotate_import(tmp_path / "out")
    assert (len(back.unchanged), back.taken, back.empty) == (len(out.sessions), [], [])

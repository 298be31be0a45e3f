"""tracelode annotate export and review: which folder goes out?"""

from __future__ import annotations

import json
import shutil
import stat
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import tracelode
from cli import fake
from cli.annotated import KEY, OTHER, content, edited, first, ids, marks, read, write
from tracelode import workspace
from tracelode.errors import UsageError


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


def test_an_export_is_a_private_folder_with_all_that_is_needed(
    store: Path, run: fake.Run, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"
    code, said, _ = run("annotate", "export", KEY[:8], OTHER, "-o", str(out), "--store", str(store))
    assert code == 0
    assert all(len(line) <= 80 for line in said.splitlines() if str(out) not in line)
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert names == [
        "README.md",
        "marks.schema.json",
        "marks/001-de000002.json",
        "marks/002-de000001.json",
        "packets/001-de000002.txt",
        "packets/002-de000001.txt",
    ]
    for path in [out, *out.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    file = read(first(out))
    operations = tracelode.open(store).operations(KEY)
    assert (file["session"], file["operations"], file["last"]) == (KEY, len(operations), operations[-1].id)
    assert file["marks"][0]["start_operation_id"] == operations[0].id
    schema = read(out / "marks.schema.json")
    assert set(schema["required"]) == set(file)
    packet = (out / "packets/001-de000002.txt").read_text()
    assert packet.count("\n#") == len(operations) + len(file["marks"])
    assert "tracelode annotate import . --check" in (out / "README.md").read_text()


def test_the_answer_for_programs(store: Path, run: fake.Run, tmp_path: Path) -> None:
    code, said, _ = run(
        "annotate",
        "export",
        KEY,
        "-o",
        str(tmp_path / "out"),
        "--budget",
        "3000",
        "--json",
        "--store",
        str(store),
    )
    answer = json.loads(said)
    assert (code, answer["schema_version"], answer["blind"]) == (0, 1, False)
    (row,) = answer["sessions"]
    assert row["session"] == KEY
    assert 0 < row["characters"] <= 3_000
    assert len((tmp_path / "out" / "packets" / "001-de000002.txt").read_text()) == row["characters"]


def test_what_lies_in_a_folder_is_never_touched(
    store: Path, folder: Path, run: fake.Run, tmp_path: Path
) -> None:
    before = content(folder)
    code, _, err = run("annotate", "export", KEY, "-o", str(folder), "--store", str(store))
    assert (code, "something lies in" in err) == (2, True)
    assert content(folder) == before
    file = tmp_path / "file"
    file.write_text("mine")
    code, _, err = run("annotate", "export", KEY, "-o", str(file), "--store", str(store))
    assert (code, "is no folder" in err, file.read_text()) == (2, True, "mine")
    away = tmp_path / "away"
    (tmp_path / "link").symlink_to(away)
    code, _, err = run("annotate", "export", KEY, "-o", str(tmp_path / "link"), "--store", str(store))
    assert (code, away.exists()) == (1, False)


def test_an_export_that_fails_leaves_nothing(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise RuntimeError

    real = tracelode.open(store)
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="at least 2,000"):
        real.annotate_export(out, sessions=[KEY], budget=10)
    monkeypatch.setattr(real, "operations", lambda key: broken())
    with pytest.raises(RuntimeError):
        real.annotate_export(out, sessions=[KEY])
    assert not out.exists()


def test_sessions_are_chosen_by_name_filter_or_sample(store: Path, run: fake.Run, tmp_path: Path) -> None:
    def keys(name: str, *words: str) -> list[str]:
        answer = json.loads(
            run("annotate", "export", *words, "-o", str(tmp_path / name), "--json", "--store", str(store))[1]
        )
        return [row["session"] for row in answer["sessions"]]

    everything = keys("all", "--sample", "1000")
    assert len(everything) == 13
    assert all("/" not in key for key in everything)
    assert set(keys("where", "--where", "tool=WebSearch")) < set(everything)
    three = keys("three", "--sample", "3")
    assert three == keys("again", "--sample", "3")
    assert len(three) == 3
    assert any(keys(f"seed{n}", "--sample", "3", "--seed", str(n)) != three for n in range(1, 5))
    child = next(s.key for s in tracelode.open(store).sessions() if s.key != s.root)
    assert keys("child", child) == [child]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("export", KEY), 2, "annotate export -o DIR"),
        (("export", "-o", "OUT"), 2, "which sessions?"),
        (("export", KEY, "--sample", "2", "-o", "OUT"), 2, "not both"),
        (("export", KEY, "--author", "x", "-o", "OUT"), 2, "does not go with --author"),
        (("export", "--sample", "0", "-o", "OUT"), 2, "no whole number"),
        (("export", "--where", "tool=Nothing", "-o", "OUT"), 3, "loosen the filters"),
        (("export", "nobody", "-o", "OUT"), 3, "no session starts with"),
        (("export", KEY, "--budget", "100", "-o", "OUT"), 2, "at least 2,000"),
        (("import",), 2, "one folder or marks file"),
        (("import", "a", "b"), 2, "one folder or marks file"),
        (("import", "OUT", "--sample", "3"), 2, "does not go with --sample"),
        (("import", "OUT"), 1, "no such file or folder"),
        (("history", KEY, OTHER), 2, "one SESSION"),
        (("history", KEY), 3, "no marks"),
        (("share",), 2, "annotate --help"),
    ],
)
def test_a_call_that_is_off_says_so(
    words: tuple[str, ...], code: int, said: str, store: Path, run: fake.Run, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    found, _, err = run(
        "annotate", *(out if word == "OUT" else word for word in words), "--store", str(store)
    )
    assert (found, said in " ".join(err.split())) == (code, True), err
    assert not Path(out).exists()


def test_a_review_is_blind_and_takes_of_every_third(store: Path, run: fake.Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("annotate", "review", "--sample", "8", "--json", "--store", str(store), "-o")
    answer = json.loads(run(*words, str(out))[1])
    assert (answer["blind"], answer["looked_at"], answer["of"]) == (True, 13, 13)
    strata: dict[str, list[Any]] = {}
    for row in answer["sessions"]:
        strata.setdefault(row["stratum"], []).append(row["confidence"])
    sizes = [len(strata[name]) for name in ("lowest", "middle", "highest")]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) + len(strata.get("unknown", [])) == 8
    assert max(strata["lowest"]) <= min(strata["middle"])
    assert max(strata["middle"]) <= min(strata["highest"])
    assert set(strata.get("unknown", [])) <= {None}
    for path in (out / "marks").iterdir():
        assert (read(path)["marks"], read(path)["blind"]) == ([], True)
    assert not any("\nmarks " in path.read_text() for path in (out / "packets").iterdir())
    same = json.loads(run(*words, str(tmp_path / "same"))[1])
    assert same["sessions"] == answer["sessions"]
    shown = json.loads(run(*words, str(tmp_path / "shown"), "--with-marks")[1])
    assert not shown["blind"]
    assert read(first(tmp_path / "shown"))["marks"]


def test_agreement_is_measured_and_kept(store: Path, run: fake.Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("annotate", "review", KEY, "-o", str(out), "--store", str(store))
    n = len(ids(store))
    write(first(out), marks=marks(store, (0, ["deploy server"])))
    answer = json.loads(
        run("annotate", "import", str(out), "--author", "sam", "--json", "--store", str(store))[1]
    )
    (row,) = answer["sessions"]
    stages = [s for s in tracelode.open(store).segmentation(KEY, "chain").segments if s.level == 0]
    # neighbours of one name are one group, as in a profile
    sizes = [sum(s.stop - s.start for s in group) for _, group in groupby(stages, key=lambda s: s.name)]
    assert (sum(sizes), 1 < len(sizes) < len(stages)) == (n, True)
    # one group against the true ones: all of every true group, and of a group of m the m-th part of n
    precision, recall = sum(m * m for m in sizes) / n / n, 1.0
    assert row["agreement"]["b3"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert (row["agreement"]["boundary"], row["agreement"]["blind"]) == (0.0, True)
    assert row["agreement"]["beside"].startswith("chain ")
    assert answer["agreement"] == {key: row["agreement"][key] for key in ("b3", "boundary")}
    # a second look is compared with the first
    write(first(out), marks=marks(store, (0, ["deploy server"]), (20, ["repair login"])))
    run("annotate", "import", str(out), "--author", "kim", "--reason", "second look", "--store", str(store))
    rows = json.loads(run("annotate", "history", KEY, "--json", "--store", str(store))[1])["revisions"]
    assert [(r["revision"], r["author"], r["reason"]) for r in rows] == [
        (1, "sam", None),
        (2, "kim", "second look"),
    ]
    assert rows[1]["agreement"]["beside"] == "revision 1"
    code, said, _ = run("annotate", "history", "--store", str(store))
    assert (code, said.count("\n"), "kim" in said) == (0, 2, True)


@pytest.mark.parametrize("columns", ["40", "80"])
def test_screens_fit(
    columns: str, store: Path, folder: Path, run: fake.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(tmp_path)
    write(first(folder), marks=edited(store))
    for words in (
        ("review", "-o", "r", "--sample", "9"),
        ("import", "out", "--check"),
        ("import", "out", "--author", "somebody with a rather long name"),
        ("history",),
        ("history", KEY),
    ):
        code, said, _ = run("annotate", *words, "--store", str(store))
        assert code == 0
        assert said
        assert all(len(line) <= int(columns) for line in said.splitlines()), said

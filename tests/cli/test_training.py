"""tracelode segment --train: figures first, kept only where they are good, and used from then on."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tracelode
from cli import fake
from tracelode import workspace
from tracelode.model.annotation import Annotation, Mark
from tracelode.store.annotations import put
from tracelode.store.catalog import Catalog

READ, GREP = {"tool": "Read", "text": {"file_path": "src/a.py"}}, {"tool": "Grep", "text": {"pattern": "x"}}
EDIT, TEST = (
    {"tool": "Edit", "text": {"file_path": "src/a.py"}},
    {"tool": "Bash", "text": {"command": "pytest"}},
)
PARTS = ((READ, GREP), (EDIT, TEST))


def rows(n: int, *, learnable: bool = True) -> Iterator[dict[str, Any]]:
    """Labelled sessions whose stages are looking and changing by turns, or are drawn by lot."""
    chance = random.Random(3)
    for number in range(n):
        steps: list[dict[str, Any]] = []
        groups: list[int] = []
        for stage in range(8):
            size = chance.randint(2, 7)
            kinds = PARTS[stage % 2] if learnable else (READ, GREP, EDIT, TEST)
            for _ in range(size):
                step = chance.choice(kinds)
                steps.append({**step, "text": json.dumps(step["text"]), "i": len(steps)})
            groups += [stage] * size
        yield {"traj_id": f"s{number}", "task": f"task {number % 6}", "steps": steps, "groups": groups}


def labels(folder: Path, n: int = 18, **more: Any) -> Path:
    """A file of labelled sessions."""
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(n, **more)))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def test_bayes_end_to_end(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = labels(tmp_path)
    code, out, _ = run("segment", "--train", "bayes", "--labels", str(file), "--store", str(store))
    assert code == 0
    first, *_, last = out.splitlines()
    assert first.startswith("labels   labels.jsonl, 18 labelled sessions, 6 groups, 126 cuts")
    assert "5 folds by task, mean of 3 divisions" in out
    assert last == "next     tracelode segment --with bayes  cuts every session by it"
    assert all(len(line) <= 80 for line in out.splitlines())
    kept = store / "models" / "bayes.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    # what was learned holds no text of the labelled sessions
    assert not {"src", "a.py", "pytest"} & set(kept.read_text().replace('"', " ").replace("/", " ").split())
    # it cuts every session now, and the version says which training it is
    assert run("segment", "--with", "bayes", "--store", str(store))[0] == 0
    opened = tracelode.open(store, tz="UTC")
    key = next(s.key for s in opened.sessions() if s.operations > 40)
    before = opened.segmentation(key)
    assert json.loads(kept.read_text())["version"] in before.version
    assert len(before.segments) > 1
    # another training: those that it cuts are cut anew, with what later imports get too
    again = opened.train("bayes", labels(tmp_path, 24))
    assert (again.kept, again.recut) == (True, len({s.root for s in opened.sessions()}))
    assert again.version in opened.segmentation(key).version
    versions = {version for _, version in Catalog(store).families().values()}
    assert len(versions) == 1
    assert again.version in versions.pop()


def test_learned_end_to_end(store: Path, run: fake.Run, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="the training library is not installed")
    words = ("segment", "--train", "learned", "--labels", str(labels(tmp_path)), "--store", str(store))
    opened = tracelode.open(store, tz="UTC")
    assert opened.segmenter == "chain"
    before = {version for _, version in Catalog(store).families().values()}
    code, out, _ = run(*words)
    assert code == 0
    assert "learned, as shipped" in out
    # the chain asks it: its sessions are cut anew
    assert (
        out.splitlines()[-1]
        == f"cut      {len({s.root for s in opened.sessions()})} sessions anew with it, by chain"
    )
    version = json.loads((store / "models" / "learned.json").read_text())["version"]
    after = {version for _, version in Catalog(store).families().values()}
    assert not before & after
    assert all(f"learned 1/{version}" in text for text in after)
    # and back to the shipped weights
    assert run("segment", "--forget", "learned", "--store", str(store))[0] == 0
    assert {version for _, version in Catalog(store).families().values()} == before


def test_without_the_library_it_says_what_to_install(
    store: Path, run: fake.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    code, out, err = run(
        "segment", "--train", "learned", "--labels", str(labels(tmp_path)), "--store", str(store)
    )
    assert (code, out) == (1, "")
    assert "pip install 'tracelode[train]'" in err


def test_no_better_than_chance_is_refused(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = labels(tmp_path, learnable=False)
    words = ("segment", "--train", "bayes", "--labels", str(file), "--store", str(store))
    code, out, _ = run(*words)
    assert code == 4
    assert "bayes, out of fold" in out
    assert "refused  it does not beat the best fixed window" in out
    answer = json.loads(run(*words, "--json")[1])
    assert (answer["kept"], answer["version"], answer["recut"]) == (False, "", 0)
    assert answer["lift_b3"]["interval"][0] <= 0 or answer["lift_boundary"]["interval"][0] <= 0
    assert not (store / "models").exists()


def test_too_few_labels_are_refused(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = labels(tmp_path, 4)
    with file.open("a") as stream:
        stream.write("{broken\n")
    code, out, _ = run("segment", "--train", "bayes", "--labels", str(file), "--store", str(store))
    assert code == 4
    assert "there are 4 of 4 with 28" in " ".join(out.split())
    assert "skipped  1 x no session with steps" in out
    assert "figures" not in out
    answer = json.loads(
        run("segment", "--train", "bayes", "--labels", str(file), "--store", str(store), "--json")[1]
    )
    assert answer["rows"] == []
    assert answer["skipped"][0]["line"] == 5
    assert not (store / "models").exists()


def test_a_label_file_that_is_not_there(store: Path, run: fake.Run, tmp_path: Path) -> None:
    code, _, err = run(
        "segment", "--train", "bayes", "--labels", str(tmp_path / "none"), "--store", str(store)
    )
    assert (code, "cannot be read" in err) == (2, True)


def test_json_and_python_agree(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = labels(tmp_path)
    words = ("segment", "--train", "bayes", "--labels", str(file), "--store", str(store), "--json")
    answer = json.loads(run(*words)[1])
    assert (answer["schema_version"], answer["kept"], answer["labels"]) == (1, True, "labels.jsonl")
    found = tracelode.open(store, tz="UTC").train("bayes", file)
    assert [row["b3"] for row in answer["rows"]] == [row.b3 for row in found.rows]
    assert answer["version"] == found.version
    told: list[bool] = []
    fresh = tracelode.open(tmp_path / "fresh")
    fresh.train("bayes", file, told=lambda _: told.append((tmp_path / "fresh" / "models").exists()))
    # the figures come before anything is kept
    assert told == [False]


def test_marks_of_the_store_are_labels(store: Path, run: fake.Run) -> None:
    opened = tracelode.open(store, tz="UTC")
    made = []
    for session in opened.sessions():
        operations = opened.operations(session.key)
        starts = sorted({0, *(o.index for o in operations if o.kind == "prompt")} - {len(operations)})
        marks = tuple(Mark(operations[i].id, ("work", f"part {n}")) for n, i in enumerate(starts))
        if operations:
            made.append(
                Annotation(
                    session=session.key, marks=marks, operations=len(operations), last=operations[-1].id,
                    author="me",
                )
            )  # fmt: skip
    gone = Annotation(session="gone", marks=(Mark("x", ("a",)),), operations=1, last="x", author="me")
    put(Catalog(store), [*made, gone])
    answer = json.loads(
        run("segment", "--train", "bayes", "--labels", "marks", "--json", "--store", str(store))[1]
    )
    assert (answer["labels"], answer["sessions"]) == ("marks", len(made))
    assert answer["skipped"] == [
        {"path": "marks", "line": 0, "reason": "a session that is gone or became another one", "count": 1}
    ]
    # with so many marked sessions they are what is learned from
    assert tracelode.open(store).train("bayes").labels == "marks"


def test_plans_are_labels_where_nobody_marked_anything(store: Path) -> None:
    found = tracelode.open(store).train("bayes")
    assert (found.labels, found.kept) == ("plan", False)


def test_damaged_weights_are_named(store: Path, run: fake.Run, tmp_path: Path) -> None:
    (store / "models").mkdir()
    for name, word in (("learned", "--forget learned"), ("bayes", "--train bayes")):
        (store / "models" / f"{name}.json").write_text("{")
        code, _, err = run("segment", "--with", name, "--store", str(store))
        assert (code, word in " ".join(err.split())) == (1, True)
    assert tracelode.open(store).segmenter == "chain"


def test_weights_of_another_version_are_named(store: Path, run: fake.Run) -> None:
    weights = {"version": "v", "features": ["x"], "trained": [], "experts": {"own": {
        "prior": 0.1, "shrink": 0, "coefficients": [1.0], "intercept": 0.0, "trees": []}}}  # fmt: skip
    (store / "models").mkdir()
    (store / "models" / "learned.json").write_text(json.dumps(weights))
    # the chain would ask it: nothing is cut by weights that mean something else
    for words in (("segment", "--with", "learned"), ("import", str(store.parent / "store"))):
        code, _, err = run(*words, "--store", str(store))
        assert (code, "of another version of tracelode" in " ".join(err.split())) == (1, True)
    assert run("segment", "--forget", "learned", "--store", str(store))[0] == 0
    assert run("segment", "--with", "learned", "--store", str(store))[0] == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(store: Path, run: fake.Run, tmp_path: Path) -> None:
    (store / "models").mkdir(mode=0o500)
    code, _, err = run(
        "segment", "--train", "bayes", "--labels", str(labels(tmp_path)), "--store", str(store)
    )
    assert (code, "cannot be written" in err) == (1, True)

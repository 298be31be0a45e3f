"""tracelode segment: what cuts sessions, another segmenter, one session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tracelode
from cli import fake
from tracelode import samples, workspace
from tracelode.errors import UsageError
from tracelode.workspace import Workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store, tz="UTC")
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "store"))


def roots(opened: Workspace) -> set[str]:
    """Root sessions: what a count of sessions counts."""
    return {session.root for session in opened.sessions()}


def test_what_cuts_the_sessions(store: Path, run: fake.Run) -> None:
    code, out, _ = run("segment", "--store", str(store))
    assert code == 0
    assert out.startswith("sessions are cut by chain; known: annotations, bayes, chain, changepoint,")
    answer = json.loads(run("segment", "--json", "--store", str(store))[1])
    assert (answer["segmenter"], answer["sessions"]) == ("chain", 0)
    assert "phase" in answer["known"]


def test_one_session_by_the_contract(store: Path, run: fake.Run) -> None:
    key = next(s.key for s in tracelode.open(store).sessions() if s.operations > 40)
    answer = json.loads(run("segment", key[:8], "--json", "--store", str(store))[1])
    assert {"schema_version", "session", "segmenter", "version", "segments"} == set(answer)
    assert answer["session"] == key
    ends = [piece["stop"] for piece in answer["segments"] if piece["level"] == 0]
    assert [piece["start"] for piece in answer["segments"] if piece["level"] == 0] == [0, *ends[:-1]]
    named = {o.index: o.fields["stage"] for o in tracelode.open(store).operations(key) if not o.inherited}
    for piece in answer["segments"]:
        if not any(p["start"] == piece["start"] and p["level"] > piece["level"] for p in answer["segments"]):
            assert named[piece["start"]] == piece["name"]
    screen = run("segment", key, "--store", str(store))[1].splitlines()
    # the deeper of two segments with the same bounds and name says nothing new, and is not drawn
    drawn = {(p["start"], p["stop"], p["name"]) for p in answer["segments"]}
    assert len(screen) == 2 + len(drawn)
    assert all(len(line) <= 80 for line in screen)


def test_trying_another_segmenter_stores_nothing(store: Path, run: fake.Run) -> None:
    key = tracelode.open(store).sessions()[0].key
    before = tracelode.open(store, tz="UTC").profile(stack=["stage"]).totals
    answer = json.loads(run("segment", key, "--with", "changepoint", "--json", "--store", str(store))[1])
    assert answer["segmenter"] == "changepoint"
    assert tracelode.open(store, tz="UTC").segmenter == "chain"
    assert tracelode.open(store, tz="UTC").profile(stack=["stage"]).totals == before


@pytest.mark.parametrize("name", ["changepoint", "phase"])
def test_cutting_anew_is_what_an_import_with_it_gives(
    name: str, store: Path, run: fake.Run, tmp_path: Path
) -> None:
    totals = tracelode.open(store, tz="UTC").totals()
    code, out, _ = run("segment", "--with", name, "--store", str(store))
    assert (code, out) == (0, f"cut      {len(roots(tracelode.open(store)))} sessions anew with {name}\n")
    again = tracelode.open(store, tz="UTC")
    assert again.segmenter == name
    assert again.totals() == totals
    fresh = tracelode.open(tmp_path / "fresh", tz="UTC")
    fresh.segment(name)
    fresh.add(samples.projects())
    view = ["intent", "stage", "tool"]
    assert again.profile(stack=view).totals == fresh.profile(stack=view).totals
    assert run("segment", "--with", "chain", "--store", str(store))[0] == 0


def test_no_such_segmenter(store: Path, run: fake.Run) -> None:
    code, _, err = run("segment", "--with", "magic", "--store", str(store))
    assert (code, "known: bayes, chain" in err) == (2, True)
    with pytest.raises(UsageError, match="unknown segmenter"):
        tracelode.open(store).segment("magic")


RULES = """
[[segment]]
command = "pytest"
stage = "test code"

[[segment]]
tool = "^Edit$"
"""


def test_rules_are_kept_in_the_store(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(RULES)
    totals = tracelode.open(store, tz="UTC").totals()
    code, out, _ = run("segment", "--rules", str(file), "--store", str(store))
    again = tracelode.open(store, tz="UTC")
    assert (code, out) == (0, f"cut      {len(roots(again))} sessions anew with rules\n")
    assert again.segmenter == "rules"
    assert again.totals() == totals
    assert (store / "models" / "rules.toml").stat().st_mode & 0o077 == 0
    assert (store / "models").stat().st_mode & 0o077 == 0
    # the content is the store's: the file may go, and later imports are cut by it
    file.unlink()
    cuts = {s.key: again.segmentation(s.key) for s in again.sessions()}
    key = next(key for key, cut in cuts.items() if "test code" in {piece.name for piece in cut.segments})
    cut = cuts[key]
    fresh = tracelode.open(tmp_path / "fresh", tz="UTC")
    file.write_text(RULES)
    assert fresh.rules(file) == 0
    fresh.add(samples.projects())
    view = ["intent", "stage", "tool"]
    assert again.profile(stack=view).totals == fresh.profile(stack=view).totals
    # other rules are another version: everything is cut anew
    file.write_text(RULES.replace("pytest", "git push"))
    assert again.rules(file) == len(roots(again))
    assert again.segmentation(key).version != cut.version
    assert again.rules(file) == 0


def test_rules_with_a_mistake_change_nothing(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("[[segment]]\ncommand = '('\n")
    code, out, err = run("segment", "--rules", str(file), "--store", str(store))
    assert (code, out) == (2, "")
    assert "rule 1 of the rule file: command is no regular expression" in err
    assert run("segment", "--rules", str(tmp_path / "none.toml"), "--store", str(store))[0] == 2
    assert not (store / "models").exists()
    assert tracelode.open(store).segmenter == "chain"


@pytest.mark.parametrize("name", ["bayes", "rules"])
def test_what_needs_something_is_refused_without(name: str, store: Path, run: fake.Run) -> None:
    for words in (("--with", name), (tracelode.open(store).sessions()[0].key, "--with", name)):
        code, out, err = run("segment", *words, "--store", str(store))
        assert (code, out) == (2, "")
        assert "run: tracelode segment --" in err.replace("\n", " ")
    assert tracelode.open(store).segmenter == "chain"


def test_kept_rules_that_vanish_are_named(store: Path, run: fake.Run, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(RULES)
    assert run("segment", "--rules", str(file), "--store", str(store))[0] == 0
    # they cannot be thrown away while they cut
    code, _, err = run("segment", "--forget", "rules", "--store", str(store))
    assert (code, "cut them by another first" in err.replace("\n", " ")) == (2, True)
    (store / "models" / "rules.toml").unlink()
    code, _, err = run("import", str(samples.projects()), "--store", str(store))
    assert (code, "this store has no rules" in err) == (2, True)
    assert run("segment", "--with", "chain", "--store", str(store))[0] == 0
    code, _, err = run("segment", "--forget", "rules", "--store", str(store))
    assert (code, "keeps nothing" in err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("--rules", "x.toml", "--with", "phase"), ("--train", "bayes", "--forget", "bayes"),
        ("--labels", "plan"), ("abc", "--train", "bayes"), ("--train", "phase"),
    ],
)  # fmt: skip
def test_words_that_do_not_go_together(words: tuple[str, ...], store: Path, run: fake.Run) -> None:
    code, out, err = run("segment", *words, "--store", str(store))
    assert (code, out) == (2, "")
    assert err.startswith("tracelode: ")


def test_granularity_is_tried_on_one_session_and_kept_for_all(store: Path, run: fake.Run) -> None:
    key = next(s.key for s in tracelode.open(store).sessions() if s.operations > 30)

    def cuts(*words: str) -> int:
        code, out, _ = run("segment", key, *words, "--json", "--store", str(store))
        assert code == 0
        return len(json.loads(out)["segments"])

    usual = cuts()
    assert cuts("--granularity", "0.05") < usual < cuts("--granularity", "20")
    assert cuts() == usual
    assert run("segment", "--granularity", "20", "--store", str(store))[0] == 0
    finer = cuts()
    assert finer == cuts("--granularity", "20") > usual
    # an import goes on with it, and 1 is what it was
    assert tracelode.open(store).segment("chain", granularity=1) == len(roots(tracelode.open(store)))
    assert cuts() == usual


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--with", "phase", "--granularity", "2"), "has no granularity"),
        (("--granularity", "0"), "is no number above 0"),
        (("--granularity", "nan"), "is no number above 0"),
        (("--granularity", "inf"), "is no number above 0"),
        (("--granularity", "2", "--forget", "learned"), "give it alone"),
    ],
)
def test_a_granularity_that_cannot_be(store: Path, run: fake.Run, words: tuple[str, ...], why: str) -> None:
    code, _, said = run("segment", *words, "--store", str(store))
    assert (code, why in " ".join(said.split())) == (2, True)
    assert not (store / "models").exists()


@pytest.mark.parametrize("name", ["chain", "learned", "phase"])
def test_what_is_kept_of_a_cut_is_what_it_would_be_now(store: Path, name: str) -> None:
    opened = tracelode.open(store)
    opened.segment(name)
    for session in opened.sessions():
        kept = opened.segmentation(session.key)
        assert kept == opened.segmentation(session.key, name)
        assert kept.version
        assert any(piece.confidence is not None for piece in kept.segments) <= (name != "phase")


def test_how_sure_a_cut_is_does_not_depend_on_how_fine_one_wants_it(store: Path) -> None:
    opened = tracelode.open(store)
    key = max(opened.sessions(), key=lambda s: s.operations).key
    sure = [
        {p.start: p.confidence for p in opened.segmentation(key, "learned", granularity=g).segments}
        for g in (1.0, 3.0)
    ]
    both = [start for start in sure[0].keys() & sure[1].keys() if start]
    assert len(both) > 2
    assert [sure[0][start] for start in both] == pytest.approx([sure[1][start] for start in both], abs=0.002)

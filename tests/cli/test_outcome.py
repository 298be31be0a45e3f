"""tracelode outcome import: from a repository and from issues; answers, screens, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tracelode
from claude import Transcript
from cli import fake
from repositories import ALONE, Repository, needs_git
from workspaces import stored

KEYS = [f"{n:08x}-1111-4222-8333-444444444444" for n in range(3)]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, and a store whose sessions made a commit that stays, one that does not, and none."""
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    made = Repository(tmp_path / "app")
    made.commit("First")
    kept, gone = made.commit("Add rows"), made.commit("Add columns")
    made.git("revert", "--no-edit", "HEAD")
    made.git("branch", "old", "HEAD~3")
    sessions = [Transcript(key).user("go") for key in KEYS]
    for session, told in zip(sessions, (kept, gone), strict=False):
        session.assistant("x", tools=[("Bash", {"command": "git commit -m x"})])
        session.result(session.calls[0], told)
    stored(tmp_path, *(session.assistant("done") for session in sessions))
    return made.folder


@pytest.fixture
def store(tmp_path: Path, repo: Path) -> str:
    return str(tmp_path / "store")


pytestmark = needs_git


def outcomes(store: str) -> list[str | None]:
    workspace = tracelode.open(store, tz="UTC")
    return [workspace.session(key).outcome for key in KEYS]


def test_a_repository_judges(run: fake.Run, store: str, repo: Path) -> None:
    assert run("outcome", "import", "--git", str(repo), "--store", store) == (0, "noted    2 sessions\n", "")
    assert outcomes(store) == ["success", "failure", None]


def test_a_branch_judges(run: fake.Run, store: str, repo: Path) -> None:
    words = ("outcome", "import", "--git", str(repo), "--branch", "old", "--store", store)
    code, out, err = run(*words)
    assert (code, out) == (3, "")
    assert "no session is judged; only those" in " ".join(err.split())
    assert "2 sessions left open: none of its commits is on the branch" in " ".join(err.split())
    code, out, _ = run(*words, "--json")
    assert (code, json.loads(out)) == (
        3,
        {
            "schema_version": 1,
            "judged": 0,
            "skipped": [
                {"path": "app", "line": 0, "reason": "none of its commits is on the branch", "count": 2}
            ],
            "reason": (
                "no session is judged; only those whose results show a commit that stayed or was reverted are"
            ),
        },
    )
    assert outcomes(store) == [None] * 3


def test_issues_judge(run: fake.Run, store: str, tmp_path: Path) -> None:
    assert run("outcome", "set", KEYS[0], "--task", "7", "--store", store)[0] == 0
    path = tmp_path / "Issues.JSON"
    path.write_text('[{"number": 7, "state": "CLOSED", "stateReason": "NOT_PLANNED"}, {"number": 8}]')
    code, out, err = run("outcome", "import", str(path), "--store", store)
    assert (code, out) == (0, "noted    1 session\n")
    said = "1 issue skipped, first at place 2 of the list: state is neither open nor closed"
    assert said in " ".join(err.split())
    assert outcomes(store) == ["failure", None, None]
    path.write_text('[{"number": 9, "state": "CLOSED", "stateReason": "COMPLETED"}]')
    code, out, _ = run("outcome", "import", str(path), "--store", store, "--json")
    assert (code, json.loads(out)["judged"], json.loads(out)["skipped"][0]["line"]) == (3, 0, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["import"], "takes a CSV or JSON file, or --git REPO"),
        (["import", ""], "got an empty word"),
        (["import", "a.csv", "--git", "REPO"], "takes a CSV or JSON file, or --git REPO"),
        (["import", "a.csv", "--branch", "main"], "--branch names a branch of the repository"),
        (["import", "--git", "REPO", "--branch", ""], "--branch names a branch of the repository"),
        (["import", "--git", ""], "--git needs a path"),
        (["import", "--git", "REPO", "--branch", "none"], "no branch or commit of the name"),
        (["import", "--git", "REPO", "--branch=--all"], "no branch or commit of the name"),
        (["import", "--git", "REPO", "--task", "7"], "takes a file alone, or --git REPO"),
        (["set", KEYS[0], "failed", "--git", "REPO"], "--git, --branch and --project go with outcome import"),
        (["import", "a.csv", "--project", "x"], "--project names the folder that the issues"),
        (["import", "--git", "REPO", "--project", "x"], "--project names the folder that the issues"),
        (["set"], "outcome set takes SESSION"),
    ],
)
def test_words_that_do_not_go_together(
    words: list[str], said: str, run: fake.Run, store: str, repo: Path
) -> None:
    code, out, err = run("outcome", *(str(repo) if w == "REPO" else w for w in words), "--store", store)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert outcomes(store) == [None] * 3


def test_what_is_no_repository_ends_with_one_line(run: fake.Run, store: str, tmp_path: Path) -> None:
    for folder, said in ((tmp_path, "not a git repository"), (tmp_path / "none", "no such folder")):
        code, out, err = run("outcome", "import", "--git", str(folder), "--store", store)
        assert (code, out) == (1, "")
        assert said in " ".join(err.split())
        assert "Traceback" not in err


@pytest.mark.parametrize("columns", ["80", "40"])
def test_screens_fit(
    columns: str, run: fake.Run, store: str, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    path = tmp_path / "issues.json"
    path.write_text('[{"number": 7, "state": "closed"}, 5, {"number": 8, "state": "x"}]')
    for words in (["--git", str(repo), "--branch", "old"], [str(path)]):
        _, out, err = run("outcome", "import", *words, "--store", store)
        assert err
        assert max(map(len, (out + err).splitlines())) <= int(columns), out + err

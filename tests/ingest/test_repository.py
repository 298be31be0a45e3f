"""Which repositories are read, and can one of them make the reader run, wait or look elsewhere?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repositories import ALONE, Repository, needs_git
from tracelode.errors import SourceError, UsageError
from tracelode.workspace import repository
from tracelode.workspace.repository import Branch

pytestmark = needs_git
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "app")
    for subject in ("First", "Second", "Third"):
        made.commit(subject)
    return made


def test_a_branch_a_tag_a_commit_or_what_is_checked_out(repo: Repository) -> None:
    repo.git("branch", "old", "HEAD~1")
    repo.git("tag", "-a", "-m", "x", "v1", "HEAD~2")
    assert len(Branch(repo.folder).commits) == 3
    assert len(Branch(repo.folder, "old").commits) == 2
    assert len(Branch(repo.folder, "v1").commits) == 1
    assert len(Branch(repo.folder, repo.tip("old")[:9]).commits) == 2
    repo.git("switch", "--detach", "old")
    assert len(Branch(repo.folder).commits) == 2
    assert len(Branch(repo.folder, "main").commits) == 3


def test_a_branch_comes_before_a_tag_of_its_name(repo: Repository) -> None:
    repo.git("tag", "main", "HEAD~2")
    assert len(Branch(repo.folder, "main").commits) == 3


@pytest.mark.parametrize(
    "name", ["none", "", " ", "^main", "main..main", "--all", "-n1", "main^{tree}", "HEAD:First", "a\0b"]
)
def test_names_of_nothing(name: str, repo: Repository) -> None:
    with pytest.raises((UsageError, SourceError)) as caught:
        Branch(repo.folder, name)
    assert "--branch" in str(caught.value) or "\0" in name


def test_folders_that_are_no_repository(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a git repository"):
        Branch(tmp_path)
    with pytest.raises(SourceError, match="no such folder"):
        Branch(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="no such folder"):
        Branch(tmp_path / "file")
    with pytest.raises(UsageError, match="no commit yet"):
        Branch(Repository(tmp_path / "new").folder)


def test_bare_linked_and_inner_repositories(repo: Repository, tmp_path: Path) -> None:
    wanted = Branch(repo.folder).commits
    repo.git("clone", "--bare", str(repo.folder), str(tmp_path / "bare.git"))
    assert Branch(tmp_path / "bare.git").commits == wanted
    repo.git("worktree", "add", "--detach", str(tmp_path / "tree"), "HEAD~1")
    assert len(Branch(tmp_path / "tree").commits) == 2
    outer = Repository(tmp_path / "outer")
    outer.commit("Only")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", str(repo.folder), "inner")
    outer.commit("Add the inner one")
    assert Branch(tmp_path / "outer" / "inner").commits == wanted
    (repo.folder / "below").mkdir()
    assert Branch(repo.folder / "below").commits == wanted


def test_longer_hashes(tmp_path: Path) -> None:
    long = Repository(tmp_path / "long", "--object-format=sha256")
    long.commit("First")
    long.git("revert", "--no-edit", "HEAD")
    known = Branch(long.folder)
    assert {len(commit) for commit in known.commits} == {64}
    assert known.reverted == {long.tip("HEAD~1")}


def test_the_environment_does_not_lead_elsewhere(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit("Only")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    assert len(Branch(repo.folder).commits) == 3


def test_what_git_refuses_for_its_owner_stays_refused(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(SourceError, match="git refuses to read it"):
        Branch(repo.folder)


def program(folder: Path, text: str, name: str = "program") -> Path:
    found = folder / name
    found.write_text(f"#!/bin/sh\n{text}\n")
    found.chmod(0o755)
    return found


@pytest.mark.skipif(os.name == "nt", reason="programs of this test are shell scripts")
def test_programs_that_a_repository_names_are_not_run(repo: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    named = str(program(tmp_path, f'touch "{trace}"; exit 1'))
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "gpg.program",
    ):
        repo.git("config", key, named)
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "pager.log", named)
    for command in ("log", "rev-list", "rev-parse"):
        repo.git("config", f"alias.{command}", f"!{named}")
    repo.git("config", "diff.x.textconv", named)
    repo.git("config", "diff.external", named)
    (repo.folder / ".git" / "info" / "attributes").write_text("* diff=x filter=x\n")
    repo.git("config", "filter.x.smudge", named)
    hooks = repo.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        program(hooks, f'touch "{trace}"', hook)
    # a commit with a signature, so that showing signatures would ask the program
    mark = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n"
    commit = repo.git("cat-file", "commit", "HEAD").replace("\n\n", mark, 1)
    signed = repo.git("hash-object", "-t", "commit", "-w", "--stdin", given=commit.encode()).strip()
    repo.git("update-ref", "refs/heads/main", signed)
    trace.unlink(missing_ok=True)
    repo.git("log", "-1", "main")
    assert trace.exists(), "the trap does not work"
    trace.unlink()
    assert len(Branch(repo.folder, "main").commits) == 3
    assert not trace.exists()


@pytest.mark.skipif(os.name == "nt", reason="programs of this test are shell scripts")
def test_commits_that_a_partial_clone_lacks_are_not_fetched(repo: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    lost = repo.tip("HEAD~1")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", str(repo.folder)),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", str(program(tmp_path, f'touch "{trace}"; exit 1'))),
        ("protocol.file.allow", "always"),
    ):
        repo.git("config", key, value)
    (repo.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(AssertionError, match="Could not read"):
        repo.git("rev-list", "HEAD")
    assert trace.exists(), "the trap does not work"
    trace.unlink()
    with pytest.raises(SourceError, match="git fsck says why"):
        Branch(repo.folder)
    assert not trace.exists()


@needs_pipes
def test_a_pipe_in_the_working_tree_is_not_waited_for(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "SECONDS", 20.0)
    os.mkfifo(repo.folder / ".mailmap")
    assert len(Branch(repo.folder).commits) == 3


def test_without_git(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="git is not installed"):
        Branch(repo.folder)


@pytest.mark.skipif(os.name == "nt", reason="programs of this test are shell scripts")
def test_git_that_does_not_answer(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.environ["PATH"]
    program(tmp_path, "exec sleep 30", "git")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{path}")
    monkeypatch.setattr(repository, "SECONDS", 0.2)
    with pytest.raises(SourceError, match="did not answer"):
        Branch(repo.folder)

"""Which sessions does a repository judge, and how? Real commits, put into transcripts as git prints them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude import SESSION, Transcript
from repositories import ALONE, Repository, needs_git
from tracelode.model.operation import Operation, Origin
from tracelode.workspace import Workspace
from tracelode.workspace.outcomes_git import ABSENT, CUT, MIXED, SEVERAL, UNNAMED, made, read_git
from tracelode.workspace.repository import Branch
from workspaces import stored

pytestmark = needs_git
MAIN = "12ab0000-1111-4222-8333-444444444444"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "app")
    made.commit("First")
    return made


def session(*told: str, key: str = SESSION, command: str = "git commit -m x") -> Transcript:
    """A session whose calls of one command print what is given."""
    transcript = Transcript(key).user("go")
    for output in told:
        transcript.assistant("x", tools=[("Bash", {"command": command})])
        transcript.advance(1).result(transcript.calls[0], output)
    return transcript.assistant("done")


def judged(
    folder: Path, repo: Path, *transcripts: Transcript, branch: str | None = None
) -> tuple[object, ...]:
    """(outcomes by session, reasons with counts)."""
    workspace = stored(folder, *transcripts)
    count, skipped = workspace.judge_from_git(repo, branch)
    outcomes = {s.key: s.outcome for s in workspace.sessions() if s.outcome and s.key == s.root}
    assert count == len(outcomes)
    return outcomes, {s.reason: s.count for s in skipped}


def stays(repo: Repository) -> list[str]:
    told = [repo.commit("Add rows")]
    repo.commit("Of somebody else")
    return told


def reverted(repo: Repository) -> list[str]:
    told = stays(repo)
    repo.git("revert", "--no-edit", "HEAD~1")
    return told


def reverted_twice(repo: Repository) -> list[str]:
    told = reverted(repo)
    repo.git("revert", "--no-edit", "HEAD")
    return told


def reverted_thrice(repo: Repository) -> list[str]:
    told = reverted_twice(repo)
    repo.git("revert", "--no-edit", "HEAD")
    return told


def amended(repo: Repository) -> list[str]:
    first = repo.commit("Add rows")
    (repo.folder / "more").write_text("x\n")
    return [first, repo.commit("Add rows and more", "--amend")]


def amended_by_another(repo: Repository) -> list[str]:
    return amended(repo)[:1]


def one_of_two(repo: Repository) -> list[str]:
    told = [repo.commit("Add rows"), repo.commit("Add columns")]
    repo.git("revert", "--no-edit", "HEAD")
    return told


def both(repo: Repository) -> list[str]:
    told = one_of_two(repo)
    repo.git("revert", "--no-edit", "HEAD~2")
    return told


def aside(repo: Repository) -> list[str]:
    repo.git("switch", "-c", "side")
    told = [repo.commit("Add rows"), repo.commit("Add columns")]
    repo.git("switch", "main")
    repo.commit("Of somebody else")
    return told


def merged(repo: Repository) -> list[str]:
    told = aside(repo)
    repo.git("merge", "--no-ff", "--no-edit", "side")
    return told


def merge_reverted(repo: Repository) -> list[str]:
    told = merged(repo)
    repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    return told


def merge_reverted_twice(repo: Repository) -> list[str]:
    told = merge_reverted(repo)
    repo.git("revert", "--no-edit", "HEAD")
    return told


def squashed(repo: Repository) -> list[str]:
    told = aside(repo)
    repo.git("merge", "--squash", "side")
    repo.git("commit", "--no-edit")
    return told


def rebased(repo: Repository) -> list[str]:
    told = aside(repo)
    repo.git("rebase", "main", "side")
    repo.git("switch", "main")
    repo.git("merge", "--ff-only", "side")
    return told


def quiet(repo: Repository) -> list[str]:
    return [repo.commit("Add rows", "-q")]


def taken_back_and_made_anew(repo: Repository) -> list[str]:
    return [repo.commit("Add rows"), repo.git("revert", "--no-edit", "HEAD")]


def windows(repo: Repository) -> list[str]:
    return [told.replace("\n", "\r\n") for told in stays(repo)]


def after_hooks(repo: Repository) -> list[str]:
    return ["checked a file\n" * 400 + told for told in stays(repo)]


def between_much_else(repo: Repository) -> list[str]:
    return ["checked a file\n" * 400 + told + "pushed an object\n" * 400 for told in stays(repo)]


def branch_with_an_address(repo: Repository) -> list[str]:
    repo.git("switch", "-c", "sam@example.com/rows")
    return [repo.commit("Add rows")]


def detached(repo: Repository) -> list[str]:
    repo.git("switch", "--detach", "HEAD")
    told = repo.commit("Add rows")
    assert told.startswith("[detached HEAD ")
    return [told]


def somebody_wrote_so(repo: Repository) -> list[str]:
    told = stays(repo)
    repo.commit(f"Discuss\n\nThe line 'This reverts commit {repo.tip('HEAD~1')}' is what git writes.")
    return told


def false_merge(repo: Repository) -> list[str]:
    """A line that names as parent what is none: it takes back the one commit alone."""
    told = stays(repo)
    first, last = repo.tip("HEAD~2"), repo.tip()
    repo.commit(f"Revert\n\nThis reverts commit {last}, reversing\nchanges made to {first}.")
    return told


def call(session: str, index: int, output: str, command: str) -> Operation:
    return Operation(
        session=session,
        index=index,
        id="0" * 16,
        actor="agent",
        kind="tool",
        name="Bash",
        status="ok",
        fields={"verb": "commit", "command": command},
        output=output,
        origin=Origin("fake", "x", 1),
    )


CASES: list[tuple[Callable[[Repository], list[str]], str | None, str | None]] = [
    (stays, "success", None),
    (reverted, "failure", None),
    (reverted_twice, "success", None),
    (reverted_thrice, "failure", None),
    (amended, "success", None),
    (amended_by_another, None, ABSENT),
    (one_of_two, None, MIXED),
    (both, "failure", None),
    (aside, None, ABSENT),
    (merged, "success", None),
    (merge_reverted, "failure", None),
    (merge_reverted_twice, "success", None),
    (squashed, None, ABSENT),
    (rebased, None, ABSENT),
    (quiet, None, UNNAMED),
    (taken_back_and_made_anew, None, MIXED),
    (windows, "success", None),
    (after_hooks, "success", None),
    (between_much_else, None, UNNAMED),
    (branch_with_an_address, "success", None),
    (detached, "success", None),
    (somebody_wrote_so, "success", None),
    (false_merge, "success", None),
]


@pytest.mark.parametrize(("history", "outcome", "reason"), CASES, ids=[case[0].__name__ for case in CASES])
def test_what_became_of_the_commits(
    history: Callable[[Repository], list[str]],
    outcome: str | None,
    reason: str | None,
    repo: Repository,
    tmp_path: Path,
) -> None:
    wanted = {SESSION: outcome} if outcome else {}, {reason: 1} if reason else {}
    assert judged(tmp_path / "told", repo.folder, session(*history(repo))) == wanted


@pytest.mark.parametrize("command", ["git commit -m x && git push", "git commit -m x && twine upload dist/*"])
def test_a_commit_among_other_commands(command: str, repo: Repository, tmp_path: Path) -> None:
    told = session(*stays(repo), command=command)
    assert judged(tmp_path / "told", repo.folder, told) == ({SESSION: "success"}, {})


def test_a_commit_in_the_background_is_told_by_the_call_that_waits(repo: Repository, tmp_path: Path) -> None:
    told = stays(repo)[0]
    first, other = Transcript(SESSION).user("go"), Transcript(MAIN).user("go")
    first.assistant("x", tools=[("Bash", {"command": "git commit -m x", "run_in_background": True})])
    first.result(first.calls[0], "Command running in background with ID: b1")
    # a session that only waits made no commit that anything is known of
    for waiting in (first, other):
        waiting.assistant("x", tools=[("BashOutput", {"bash_id": "b1"})])
        waiting.result(waiting.calls[0], told)
        waiting.assistant("done")
    assert judged(tmp_path / "told", repo.folder, first, other) == ({SESSION: "success"}, {})


def test_picking_and_reverting_are_commits_too(repo: Repository, tmp_path: Path) -> None:
    aside(repo)
    picked = repo.git("cherry-pick", "side~1")
    undone = repo.git("revert", "--no-edit", "HEAD~1")
    assert judged(
        tmp_path / "told",
        repo.folder,
        session(picked, command="git cherry-pick side~1"),
        session(undone, key=MAIN, command="git revert --no-edit HEAD~1"),
    ) == ({SESSION: "success", MAIN: "success"}, {})


def test_sessions_without_a_commit_are_left_as_they_are(repo: Repository, tmp_path: Path) -> None:
    told = stays(repo)[0]
    wrong = Transcript(MAIN).user("go").assistant("x", tools=[("Bash", {"command": "git commit -m x"})])
    wrong.result(wrong.calls[0], "Exit code 1\nnothing to commit", is_error=True)
    # what a file says is no commit of the session that reads it
    read, added = session(told, command="cat notes"), session("", key=SESSION[:-1] + "2", command="git add .")
    workspace = stored(tmp_path / "told", read, added, wrong)
    workspace.judge(MAIN, "failure")
    assert workspace.judge_from_git(repo.folder) == (0, [])
    assert {s.outcome for s in workspace.sessions() if s.key == MAIN} == {"failure"}


def test_what_is_said_last_holds(repo: Repository, tmp_path: Path) -> None:
    workspace: Workspace = stored(tmp_path / "told", session(*stays(repo)))
    workspace.judge(SESSION, "failure", task="SHOP-7")
    assert workspace.judge_from_git(repo.folder) == (1, [])
    found = workspace.session(SESSION)
    assert (found.outcome, found.task) == ("success", "SHOP-7")


def test_a_commit_of_a_sub_agent_is_its_root_sessions(repo: Repository, tmp_path: Path) -> None:
    top = Transcript(SESSION).user("go").assistant("x", tools=[("Task", {"description": "d", "prompt": "p"})])
    below = top.agent("a1b2c3d", top.calls[0]).user("p")
    below.assistant("x", tools=[("Bash", {"command": "git commit -m x"})])
    below.result(below.calls[0], stays(repo)[0])
    top.advance(9).result(top.calls[0], "done").assistant("done")
    assert judged(tmp_path / "told", repo.folder, top) == ({SESSION: "success"}, {})


def test_a_fork_does_not_inherit_the_commit(repo: Repository, tmp_path: Path) -> None:
    first = session(*stays(repo))
    fork = first.fork(MAIN).advance(60).user("and now?").assistant("well")
    assert judged(tmp_path / "told", repo.folder, first, fork) == ({SESSION: "success"}, {})


def test_a_short_hash_that_several_commits_begin_with(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "app")
    head = "commit refs/heads/main\ncommitter S <s@example.com> {} +0000\ndata 1\nx\n"
    repo.git("fast-import", "--quiet", given="".join(head.format(n) for n in range(40_000)).encode())
    known = Branch(repo.folder)
    short = [commit[:7] for commit in known.commits]
    several = next(a for a, b in pairwise(short) if a == b)
    assert len(known.matching(several)) == 2
    told = session(f"[main {several}] x\n")
    assert judged(tmp_path / "told", repo.folder, told) == ({}, {SEVERAL: 1})


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[main 1a2b3c4] x", ["1a2b3c4"]),
        ("[main (root-commit) 1a2b3c4] x", ["1a2b3c4"]),
        ("[HEAD détachée 1a2b3c4] x", ["1a2b3c4"]),
        ("[main " + "ab" * 32 + "] x", ["ab" * 32]),
        ("[main 1a2b3c4]", ["1a2b3c4"]),
        ("hook ran\n[main 1a2b3c4] x\n[main 1a2b3c5] y", ["1a2b3c4", "1a2b3c5"]),
        (" [main 1a2b3c4] x", []),
        ("[1a2b3c4] x", []),
        ("[main 1a2b3c] x", []),
        ("[main 1A2B3C4] x", []),
        ("[main 1a2b3c4", []),
        ("[main 1a2b3c4]x", []),
        ("[a] said deadbeef] x", []),
        ("[main " + "ab" * 33 + "] x", []),
    ],
)
def test_the_line_that_git_prints(line: str, wanted: list[str]) -> None:
    assert made([call("s", 0, line, "git -C app commit -m x")]) == wanted


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Branch, list[str]]:
    """A branch with commits of every fate, and what git printed of them."""
    repo = Repository(tmp_path_factory.mktemp("one") / "app")
    repo.commit("First")
    told = [*merged(repo), *one_of_two(repo), *reverted_twice(repo)]
    repo.git("switch", "-c", "away")
    told.append(repo.commit("Away"))
    repo.git("switch", "main")
    return Branch(repo.folder), ["", *told]


@given(st.data())
def test_neither_the_order_of_sessions_nor_of_their_calls_matters(
    one: tuple[Branch, list[str]], data: st.DataObject
) -> None:
    branch, told = one
    picks = st.lists(st.integers(0, len(told) - 1), min_size=1, max_size=4)
    sessions = data.draw(st.lists(picks, min_size=1, max_size=6))
    families = {
        f"s{number}": [
            call(f"s{number}", index, told[pick], "git commit -qm x") for index, pick in enumerate(chosen)
        ]
        for number, chosen in enumerate(sessions)
    }
    found = read_git(families, branch, "app")
    order = data.draw(st.permutations(list(families)))
    other = read_git({key: data.draw(st.permutations(families[key])) for key in order}, branch, "app")
    assert (other.by_root, other.skipped) == (found.by_root, found.skipped)
    assert len(found.by_root) + sum(s.count for s in found.skipped) == len(families)


def test_a_shallow_clone_says_that_it_lacks_commits(repo: Repository, tmp_path: Path) -> None:
    told = session(*stays(repo))
    repo.git("clone", "--depth", "1", repo.folder.as_uri(), str(tmp_path / "clone"))
    assert judged(tmp_path / "told", tmp_path / "clone", told) == ({}, {CUT: 1})

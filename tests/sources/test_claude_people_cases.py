"""What did a person stop or refuse in a Claude Code session, and how sure is what a call tells?"""

from __future__ import annotations

from pathlib import Path

import pytest

import tracelode
from claude import Transcript, used
from sources.test_claude_cases import one
from workspaces import stored


def test_synthetic_errors_interrupts_and_denials(tmp_path: Path) -> None:
    t = Transcript().user("go")
    t.assistant("API Error: 529", model="<synthetic>", usage=used(0, output=0), isApiErrorMessage=True)
    t.assistant("try", tools=[("Bash", {"command": "rm -rf build"})])
    t.result(t.calls[0], "The user doesn't want to proceed with this tool use.", is_error=True)
    t.assistant("again", tools=[("Bash", {"command": "false"})]).result(
        t.calls[0], "Exit code 1", is_error=True
    )
    t.user([{"type": "text", "text": "[Request interrupted by user]"}])
    workspace = stored(tmp_path, t)
    operations = one(workspace)
    assert workspace.totals().calls == 2
    assert "<synthetic>" not in workspace.totals().by["model"]
    assert [o.status for o in operations if o.name == "Bash"] == ["denied", "nonzero"]
    assert [o.name for o in operations if o.kind == "note"] == ["api error", "interrupt"]


@pytest.mark.parametrize(
    ("kind", "human"),
    [(None, "denial"), ("user-rejected", "denial"), ("hook-denied", None), ("automode", None)],
)
def test_only_a_person_who_refuses_is_a_denial(tmp_path: Path, kind: str | None, human: str | None) -> None:
    t = Transcript().user("go").assistant("try", tools=[("Bash", {"command": "rm -rf build"})])
    t.advance(30).result(
        t.calls[0],
        "The user doesn't want to proceed with this tool use.",
        is_error=True,
        **({"toolDenialKind": kind} if kind else {}),
    )
    (tool,) = [o for o in one(stored(tmp_path, t)) if o.name == "Bash"]
    assert (tool.status, tool.fields.get("human")) == ("denied", human)


def test_a_sub_agent_belongs_to_the_session_whose_folder_it_lies_in(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("help", tools=[("Task", {"prompt": "p"})])
    child = t.agent("a1b2c3d4e5f600001", t.calls[0])
    child.user("p").advance(4).assistant("done", usage=used(7))
    for record in child.records:
        record["sessionId"] = "99999999-0000-4000-8000-000000000009"  # of the session it was forked from
    workspace = stored(tmp_path, t)
    assert {s.root for s in workspace.sessions()} == {t.session}


def test_what_a_leaf_carries_is_as_certain_as_its_call(tmp_path: Path) -> None:
    t = Transcript().user("go").assistant("x", tools=[("Bash", {"command": "ls"})], stop=None)
    workspace = stored(tmp_path, t)
    tokens = workspace.profile(stack=["tool"], measure="tokens", where=[("usage_quality", "lower_bound")])
    assert tokens.total() == workspace.totals().total_tokens > 0


@pytest.mark.parametrize("more", ["text", "tool"])
@pytest.mark.parametrize("order", ["together", "parent first", "fork first"])
def test_a_fork_inside_of_a_message_counts_the_whole_message_once_197_tokens_not_20(
    tmp_path: Path, more: str, order: str
) -> None:
    t = Transcript().user("go").assistant("hi", usage=used(3, output=8)).advance(5)
    # the first record of a message is a snapshot; the fork is taken before the second one comes
    message = "msg_01" + "M" * 22
    t.assistant(None, id=message, tools=[("Bash", {"command": "ls"})], usage=used(7, output=5), stop=None)
    fork = t.advance(1).fork("6b7d0000-0000-4000-8000-000000000002")
    first = t.calls[0]
    tools = [("Read", {"file_path": "/home/sam/src/app/a"})] if more == "tool" else []
    t.assistant("so" if more == "text" else None, id=message, tools=tools, usage=used(7, output=182))
    fork.advance(1).user("other way").assistant("b", usage=used(11, output=7))
    t.advance(60).result(first, "ok")
    files = {"a": t, "b": fork}
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    for name in {"together": "ab", "parent first": "ab", "fork first": "ba"}[order]:
        files[name].write(tmp_path / "history")
        if order != "together":
            workspace.add(tmp_path / "history")
    workspace.add(tmp_path / "history")
    totals = workspace.totals()
    assert (totals.calls, totals.tokens["output"], totals.tokens["input_fresh"]) == (3, 197, 21)
    assert workspace.profile(stack=["session", "tool"], measure="tokens").total() == totals.total_tokens
    # importing nothing new settles nothing again
    before = workspace.profile(stack=["session", "tool"], measure="tokens").totals
    workspace.add(tmp_path / "history")
    assert workspace.profile(stack=["session", "tool"], measure="tokens").totals == before

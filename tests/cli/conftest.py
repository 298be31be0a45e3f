"""A workspace in memory behind the command line, and one call to run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from cli import fake

from tracelode import workspace
from tracelode.__main__ import main
from tracelode.model.finding import Finding

Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line: exit code, standard output, standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> fake.FakeWorkspace:
    """A workspace with nothing in it."""
    return install(monkeypatch, fake.FakeWorkspace(tmp_path / "store"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> fake.FakeWorkspace:
    """Three root sessions, one sub-agent, one fork."""
    return install(monkeypatch, small_workspace(tmp_path / "store"))


def install(monkeypatch: pytest.MonkeyPatch, made: fake.FakeWorkspace) -> fake.FakeWorkspace:
    """Let the command line find a workspace."""

    def opened(store: Path | None = None, **more: object) -> fake.FakeWorkspace:
        made.opened = {"store": store, **more}
        if more.get("tz"):
            made.tz = str(more["tz"])
        return made

    monkeypatch.setattr(workspace, "open", opened)
    return made


def small_workspace(path: Path) -> fake.FakeWorkspace:
    """What small gives."""
    deploy = [
        fake.operation("aaaa1111-x", 0, kind="prompt", name="prompt", status="unknown", fields={"tool": ""}),
        fake.operation("aaaa1111-x", 1, kind="model", name="sonnet", id="m" * 16, measures={"calls": 1, "tokens.output": 0, "cost": 0}),
        fake.operation(
            "aaaa1111-x", 2, name="Bash", id="b" * 16,
            fields={"call": "m" * 16, "tool": "Bash:kubectl", "stage": "start service", "command": "kubectl apply"},
            arguments="kubectl apply -f a.yaml", output="denied", status="error",
            measures={"tokens.output": 30, "cost": 3 * 10**12, "tokens.input_fresh": 5},
        ),
        fake.operation(
            "aaaa1111-x", 3, name="Task", fields={"call": "m" * 16, "tool": "Task", "spawns": "aaaa1111-x/agent-1"},
            measures={"tokens.output": 31, "cost": 10**12, "tokens.cache_read": 900},
        ),
    ]
    for item in deploy:
        item.fields["intent"] = "deploy service"
    child = [fake.operation("aaaa1111-x/agent-1", i, name="Read", fields={"tool": "Read"}) for i in range(2)]
    fix = [fake.operation("bbbb2222-y", i) for i in range(3)]
    fork = [fake.operation("bbbb3333-z", 0, inherited=True), fake.operation("bbbb3333-z", 1)]
    made = fake.FakeWorkspace(
        path,
        {
            fake.session("aaaa1111-x", deploy, outcome="failure"): deploy,
            fake.session("aaaa1111-x/agent-1", child, root="aaaa1111-x", role="subagent", parent_operation=deploy[3].id): child,
            fake.session("bbbb2222-y", fix, outcome="success"): fix,
            fake.session("bbbb3333-z", fork, fork_of="bbbb2222-y", inherited=1, operations=1): fork,
        },
    )
    made.found = [
        Finding(
            what="deploy service: 3 of 3 attempts fail at the same step", where=("aaaa1111-x#2",),
            score=1.0, why="3 of 3", kind="repeated-failure",
        )
    ]
    return made

"""A workspace in memory behind the command line, and one call to run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    """Run a command line: exit code, standard output, standard error."""
    return fake.commands(capsys)


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> fake.FakeWorkspace:
    """A workspace with nothing in it."""
    return install(monkeypatch, fake.FakeWorkspace(tmp_path / "store"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> fake.FakeWorkspace:
    """Three root sessions, one sub-agent, one fork."""
    return install(monkeypatch, fake.small_workspace(tmp_path / "store"))


def install(monkeypatch: pytest.MonkeyPatch, made: fake.FakeWorkspace) -> fake.FakeWorkspace:
    """Let the command line find a workspace."""

    def opened(store: Path | None = None, **more: object) -> fake.FakeWorkspace:
        made.opened = {"store": store, **more}
        if more.get("tz"):
            made.tz = str(more["tz"])
        return made

    monkeypatch.setattr(workspace, "open", opened)
    return made

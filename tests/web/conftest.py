"""One call to run a command line."""

from __future__ import annotations

import pytest

from cli import fake


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    """Run a command line: exit code, standard output, standard error."""
    return fake.commands(capsys)

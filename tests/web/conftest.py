"""One call to run a command line."""

from __future__ import annotations

import pytest

from cli import fake
from tracelode.__main__ import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    """Run a command line: exit code, standard output, standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call

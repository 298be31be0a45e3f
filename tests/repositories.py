"""How does a test get a git repository? Made by the git on this machine, away from its settings.

repo = Repository(tmp_path / "app")
told = repo.commit("Add rows")          # what git prints: [main 1a2b3c4] Add rows
repo.git("revert", "--no-edit", "HEAD")
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")

START = 1_790_000_000
"""Seconds since the epoch of the first commit; each is a minute later, so hashes are the same each time."""
ALONE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
"""Environment in which the machine's own settings of git change nothing."""


class Repository:
    """A repository on disk, on the branch main.

    Args:
        folder: is made.
        words: further options of git init.
    """

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self._made = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--initial-branch=main", *words)
        self.git("config", "user.name", "Sam Doe")
        self.git("config", "user.email", "sam@example.com")

    def git(self, *words: str, given: bytes | None = None, **more: str) -> str:
        """Run git in it.

        Args:
            words: after git.
            given: standard input.
            more: further environment.

        Returns:
            What it prints.
        """
        self._made += 1
        at = f"{START + 60 * self._made} +0000"
        environment = {**os.environ, **ALONE, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, **more}
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, input=given, capture_output=True, check=False
        )
        assert done.returncode == 0, (words, done.stderr.decode())
        return done.stdout.decode()

    def commit(self, subject: str, *words: str) -> str:
        """Change a file of the subject's name and commit it; what git commit prints.

        Args:
            subject: first line of the message.
            words: further options of git commit.
        """
        with (self.folder / subject.replace(" ", "-")).open("a") as stream:
            stream.write(f"{subject}\n")
        self.git("add", "-A")
        return self.git("commit", "-m", subject, *words)

    def tip(self, name: str = "HEAD") -> str:
        """Full hash of a commit."""
        return self.git("rev-parse", name).strip()

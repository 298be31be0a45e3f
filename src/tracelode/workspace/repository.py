"""Which commits are on a branch, and which of them were taken back? Asked of the git on this machine."""

from __future__ import annotations

import os
import re
import subprocess
from bisect import bisect_left
from pathlib import Path

from tracelode.errors import SourceError, UsageError

SECONDS = 120.0
"""How long git may take for one answer."""

_HASH = re.compile(r"[0-9a-f]{40,64}")

_REVERTS = re.compile(
    r"^This reverts commit ([0-9a-f]{7,64})\b(?:,\s+reversing\s+changes\s+made\s+to\s+([0-9a-f]{7,64}))?",
    re.M,
)
# these would lead git to another repository than the one that was named
_ELSEWHERE = frozenset(
    f"GIT_{word}"
    for word in (
        *("DIR", "COMMON_DIR", "WORK_TREE", "INDEX_FILE", "NAMESPACE", "OBJECT_DIRECTORY"),
        *("ALTERNATE_OBJECT_DIRECTORIES", "SHALLOW_FILE", "GRAFT_FILE"),
    )
)
# neither a question to a person, nor a lock, nor a fetch of what a partial clone lacks: that runs programs
# which the repository's configuration names, and older git knows only the second of the two words against it
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
_QUIET |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
# programs that a repository can name; the commands below need none of them
_TAME = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false")


class Branch:
    """The commits of a branch, and those of them that were taken back on it.

    Args:
        repo: folder of the repository.
        name: branch, tag or commit; None for what is checked out.

    Raises:
        SourceError: git is missing, takes too long, or the folder is not a repository that it reads.
        UsageError: no commit of that name.

    Source:
        docs/decisions/0020-outcome-sources.md.
    """

    def __init__(self, repo: Path, name: str | None = None) -> None:
        self._repo = repo
        if not repo.is_dir():
            raise SourceError("no such folder", path=repo.name or str(repo))
        if self._git("rev-parse", "--git-dir") is None:
            raise SourceError(
                "not a git repository, or git refuses to read it; git status in that folder says why",
                path=repo.name or str(repo),
            )
        self._head = self._tip(name)
        self.shallow = (self._git("rev-parse", "--is-shallow-repository") or "").strip() == "true"
        """True where the clone lacks the older commits."""
        self.commits = sorted(self._read("rev-list", self._head, "--").split())
        """Full hashes, sorted."""
        self.reverted = self._reverted()
        """Full hashes of the commits that were taken back."""

    def _tip(self, name: str | None) -> str:
        # a tag of the same name would be preferred
        for wanted in ("HEAD",) if name is None else (f"refs/heads/{name}", name):
            told = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", wanted + "^{commit}")
            # ^NAME is told as a hash with a ^ before it
            if wanted and told is not None and _HASH.fullmatch(told.strip()):
                return told.strip()
        raise UsageError(
            "the repository has no commit yet"
            if name is None
            else "the repository has no branch or commit of the name that --branch gives"
        )

    def matching(self, digits: str) -> list[str]:
        """Commits of the branch whose hash begins with some digits; at most two are given.

        Args:
            digits: lower-case hex digits.
        """
        place = bisect_left(self.commits, digits)
        return [c for c in self.commits[place : place + 2] if c.startswith(digits)]

    def _reverted(self) -> frozenset[str]:
        # configured patterns, signatures, names and notes must not change what is read
        words = ("--topo-order", "--fixed-strings", "--grep=This reverts commit", "--no-show-signature")
        form = ("--no-mailmap", "--no-notes", "--no-patch", "--encoding=UTF-8", "--format=%H%n%b")
        told = self._read("log", "-z", *words, *form, self._head, "--")
        found: set[str] = set()
        # children come first: a commit that was taken back no longer takes anything back
        for entry in told.split("\0"):
            commit, _, body = entry.partition("\n")
            if commit in found:
                continue
            for digits, parent in _REVERTS.findall(body):
                found.update(self._meant(digits, parent))
        return frozenset(found)

    def _meant(self, digits: str, parent: str) -> list[str]:
        commits = self.matching(digits)
        if len(commits) != 1:
            return []
        kept = self.matching(parent) if parent else []
        if len(kept) != 1:
            return commits
        parents = self._read("rev-list", "--parents", "--max-count=1", commits[0], "--").split()[1:]
        if kept[0] not in parents:
            return commits
        return self._read("rev-list", commits[0], "^" + kept[0], "--").split()

    def _read(self, *words: str) -> str:
        told = self._git(*words)
        if told is None:
            raise SourceError("git cannot read its commits; git fsck says why", path=self._repo.name)
        return told

    def _git(self, *words: str) -> str | None:
        """What git prints; None where it fails."""
        environment = {k: v for k, v in os.environ.items() if k not in _ELSEWHERE} | _QUIET
        command = ["git", "--no-pager", *_TAME, "-C", str(self._repo.absolute()), *words]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SourceError(f"git did not answer within {SECONDS:.0f} s", path=self._repo.name) from error
        except FileNotFoundError as error:
            raise SourceError("git is not installed, or not on the PATH", path=self._repo.name) from error
        except (OSError, ValueError) as error:
            raise SourceError(f"git cannot be run: {type(error).__name__}", path=self._repo.name) from error
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

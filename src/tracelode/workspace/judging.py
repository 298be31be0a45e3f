"""Where else do outcomes come from? From a git repository, and from the state of issues."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tracelode.model.report import Skipped
from tracelode.workspace.asking import Asking


class Judging(Asking):
    """How other tools say that sessions ended; part of Workspace."""

    def _import(self, archive: bool = False) -> Any:
        raise NotImplementedError

    def judge_from_git(self, repo: str | Path, branch: str | None = None) -> tuple[int, list[Skipped]]:
        """Judge sessions by what became of their commits on a branch of a local repository.

        Args:
            repo: its folder.
            branch: branch, tag or commit; None for what is checked out.

        Returns:
            (number of sessions that were judged, sessions with commits that were left open, by reason).

        Raises:
            SourceError: git is missing, takes too long, or the folder is not a repository that it reads.
            UsageError: no commit of that name.

        Source:
            docs/decisions/0020-outcome-sources.md.
        """
        from tracelode.store.commits import committing
        from tracelode.workspace.outcomes_git import read_git
        from tracelode.workspace.repository import Branch

        folder = Path(repo).expanduser().absolute()
        known = Branch(folder, branch)
        found = read_git(committing(self._ask()), known, folder.name)
        self._import().judge(found.by_root)
        return len(found.by_root), found.skipped

    def judge_from_issues(self, path: str | Path, project: str | None = None) -> tuple[int, list[Skipped]]:
        """Judge sessions by the state of the issues that are their tasks.

        Args:
            path: JSON list of objects with number, state and stateReason, as
                gh issue list --state all --json number,state,stateReason prints it.
            project: folder that the issues are of: only sessions in it or below it; None for all, where a
                number that is a task of several projects says nothing.

        Returns:
            (number of sessions that were judged, entries that could not be used; their line is the place in
            the list from 1).

        Raises:
            SourceError: the file cannot be read, or is not such a list.

        Source:
            docs/decisions/0020-outcome-sources.md.
        """
        from tracelode.workspace.outcomes_issues import read_issues

        given = None if project is None else self._place(project)
        tasks: dict[str, list[tuple[str, str]]] = {}
        for session in self._catalog.sessions():
            if session.key != session.root or not session.task:
                continue
            if given is None:
                tasks.setdefault(session.task, []).append((session.key, session.project))
            elif session.project == given or session.project.startswith(f"{given}/"):
                tasks.setdefault(session.task, []).append((session.key, given))
        found = read_issues(Path(path).expanduser(), tasks)
        self._import().judge(found.by_root)
        return len(found.by_root), found.skipped

    def _place(self, project: str) -> str:
        # as the store writes it; the shell may have written out what ~ stands for
        whole = project if project.startswith("~") else os.path.abspath(project)
        return str(self._import().here.redactor.path(whole)).rstrip("/")

"""What is a study to compare? Its file, checked as a whole, so that every mistake is named with its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from tracelode.errors import UsageError
from tracelode.files import bounded, why
from tracelode.model.plan_study import FAMILIES
from tracelode.plan.study.located import Located, read
from tracelode.plan.study.located import Path as Place

KEYS = {
    "study": "what it asks, in one line",
    "metrics": "version of the metric definitions that it is fixed to; required",
    "arms": "two or more ways of working, the base first; required",
    "tasks": "task ids with their family; required",
    "repeats": "runs of each task in each arm; default 1",
    "seeds": "seeds that each task was run with, where runs tell theirs in the goal's payload",
    "also": "further metrics to compare",
    "seed": "of resamples and sign flips; default 0",
}
"""Keys of the file."""
ARM = {
    "files": "files or folders of plan events, relative to the study file",
    "sessions": "sessions of the store, beginnings of keys",
    "where": "fields and values of sessions of the store",
    "since": "sessions of the store from then on",
    "until": "sessions of the store up to then",
    "note": "what it is",
}
"""Keys of an arm."""
TASK = {
    "family": "one of " + ", ".join(FAMILIES),
    "id": "the task's id in the traces, where it is not the name here",
    "sessions": "sessions that are runs of it, where they do not tell their task",
    "note": "what it is",
}
"""Keys of a task."""
_SHOWN = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ArmDesign(NamedTuple):
    """One way of working."""

    name: str
    files: tuple[str, ...]
    """Absolute paths."""
    sessions: tuple[str, ...]
    where: tuple[tuple[str, str], ...]
    since: int | None
    until: int | None
    """UTC microseconds; since inclusive, until exclusive."""


class TaskDesign(NamedTuple):
    """One task."""

    name: str
    family: str
    id: str
    sessions: tuple[str, ...]


class Design(NamedTuple):
    """A study file."""

    name: str
    metrics: int
    arms: tuple[ArmDesign, ...]
    tasks: tuple[TaskDesign, ...]
    repeats: int
    seeds: tuple[str, ...]
    also: tuple[str, ...]
    seed: int


def load(path: Path) -> Design:
    """Read a study file.

    Args:
        path: the file.

    Raises:
        UsageError: it cannot be read, or something in it is off; each is named with its line.
    """
    try:
        text = bounded(path).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {why(error)}") from None
    return _Reader(read(text, str(path)), path).design()


class _Reader:
    """Takes a file apart and gathers what is off."""

    def __init__(self, found: Located, path: Path) -> None:
        self.found, self.path = found, path
        self.wrong: list[tuple[int, str]] = []

    def design(self) -> Design:
        top = self.found.value
        if not isinstance(top, dict):
            raise UsageError(f"{self.path}: a study is a mapping with the keys {', '.join(KEYS)}")
        for path in self.found.doubled:
            self.off(path, f"{path[-1]} stands twice")
        self.known(top, KEYS, ())
        made = Design(
            name=self.text(top, "study", ()),
            metrics=self.whole(top, "metrics", (), None, 1),
            arms=tuple(self.arms(self.mapping(top, "arms", ()))),
            tasks=tuple(self.tasks(self.mapping(top, "tasks", ()))),
            repeats=self.whole(top, "repeats", (), 1, 1),
            seeds=self.words(top, "seeds", ()),
            also=self.words(top, "also", ()),
            seed=self.whole(top, "seed", (), 0, 0),
        )
        if self.wrong:
            self.wrong.sort()
            lines = [f"{self.path}:{line}: {text}" for line, text in self.wrong[:_SHOWN]]
            if len(self.wrong) > _SHOWN:
                lines.append(f"and {len(self.wrong) - _SHOWN} more")
            raise UsageError("; ".join(lines))
        return made

    def off(self, path: Place, text: str) -> None:
        self.wrong.append((self.found.line(path), text))

    def known(self, held: dict[str, Any], keys: Iterable[str], path: Place) -> None:
        for key in held:
            if key not in keys:
                near = difflib.get_close_matches(key, list(keys), 1)
                hint = f"; {near[0]}?" if near else f"; known: {', '.join(keys)}"
                self.off((*path, key), f"unknown key {key[:40]!r}{hint}")

    def mapping(self, held: dict[str, Any], key: str, path: Place) -> dict[str, Any]:
        value = held.get(key)
        if isinstance(value, dict) and value:
            return value
        self.off((*path, key), f"{key} is missing" if value is None else f"{key} is no mapping of names")
        return {}

    def text(self, held: dict[str, Any], key: str, path: Place) -> str:
        value = held.get(key, "")
        if isinstance(value, dict | list) or value is None:
            self.off((*path, key), f"{key} is no text")
            return ""
        return str(value)

    def whole(self, held: dict[str, Any], key: str, path: Place, default: int | None, least: int) -> int:
        value = held.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.off((*path, key), f"{key} is missing" if value is None else
                 f"{key} is no whole number from {least} on")  # fmt: skip
        return least

    def words(self, held: dict[str, Any], key: str, path: Place) -> tuple[str, ...]:
        value = held.get(key, [])
        listed = value if isinstance(value, list) else [value]
        if any(isinstance(one, dict | list) or one is None for one in listed):
            self.off((*path, key), f"{key} is no list of words")
            return ()
        return tuple(str(one) for one in listed)

    def moment(self, held: dict[str, Any], key: str, path: Place) -> int | None:
        """UTC microseconds of a day or a moment, in UTC where it names no zone; a day's end for until."""
        word = self.text(held, key, path)
        if not word:
            return None
        try:
            at = datetime.fromisoformat(word)
        except ValueError:
            self.off((*path, key), f"{key} is no day or moment, as 2026-10-01 or 2026-10-01T08:00:00Z")
            return None
        if key == "until" and len(word) == len("2026-10-01"):
            at += timedelta(days=1)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return (at - _EPOCH) // timedelta(microseconds=1)

    def arms(self, held: dict[str, Any]) -> Iterable[ArmDesign]:
        if len(held) == 1:
            self.off(("arms",), "a study compares two arms or more")
        for name, arm in held.items():
            path = ("arms", name)
            if not isinstance(arm, dict):
                self.off(path, f"arm {name[:40]} is no mapping; known: {', '.join(ARM)}")
                continue
            self.known(arm, ARM, path)
            where = arm.get("where", {})
            if not isinstance(where, dict) or any(isinstance(v, dict | list) for v in where.values()):
                self.off((*path, "where"), "where is no mapping of fields to values")
                where = {}
            files = self.words(arm, "files", path)
            stored = bool(where) or any(key in arm for key in ("sessions", "since", "until"))
            if bool(files) == stored:
                self.off(path, f"arm {name[:40]} names files, or sessions of the store, and not both")
            folder = self.path.expanduser().resolve().parent
            yield ArmDesign(
                name, tuple(str(folder / Path(one).expanduser()) for one in files),
                self.words(arm, "sessions", path), tuple((k, str(v)) for k, v in where.items()),
                self.moment(arm, "since", path), self.moment(arm, "until", path),
            )  # fmt: skip

    def tasks(self, held: dict[str, Any]) -> Iterable[TaskDesign]:
        ids: dict[str, str] = {}
        for name, task in held.items():
            path = ("tasks", name)
            if isinstance(task, str):
                task = {"family": task}
            if not isinstance(task, dict):
                self.off(path, f"task {name[:40]} is no mapping; known: {', '.join(TASK)}")
                continue
            self.known(task, TASK, path)
            family = self.text(task, "family", path)
            if family not in FAMILIES:
                self.off((*path, "family"), f"the family of a task is one of {', '.join(FAMILIES)}")
            own = self.text(task, "id", path) or name
            if own in ids:
                self.off(path, f"tasks {ids[own][:40]} and {name[:40]} have the same id")
            ids[own] = name
            yield TaskDesign(name, family, own, self.words(task, "sessions", path))

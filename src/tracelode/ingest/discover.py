"""Which files are there to import, which format is each of, and what do we call it in output?"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode import registry
from tracelode.files import Records, head, why
from tracelode.model.ports import About

_OTHER_HOME = re.compile(r"(?:/home/[^/]+|/(?:mnt/c/)?Users/[^/]+|/root)(?=/)")
_HOME_SLUG = re.compile(r"^-(?:home|Users|root|mnt-c-Users|c-Users)(?:-|$)")
MIN_CERTAINTY = 0.5
COMPANIONS = (".meta.json",)
"""Endings of files that belong to a transcript and are read with it, never for themselves."""
MAPPED = "map:"
"""Beginning of what the store calls the format of files that were read through a mapping."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may be read."""

    path: Path
    """Where it lies."""
    name: str
    """What origins call it."""
    size: int
    """Bytes on disk."""
    mtime: int
    """Modification time in nanoseconds."""


class Lost(msgspec.Struct, frozen=True):
    """A place that could not be looked at."""

    name: str
    """What output calls it."""
    reason: str
    """Closed words."""


class Sources(Mapping[str, Any]):
    """Every registered source adapter by name, each loaded when it is first asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in registry.names("sources"):
            raise KeyError(name)
        return registry.load("sources", name)

    def __iter__(self) -> Iterator[str]:
        return iter(registry.names("sources"))

    def __len__(self) -> int:
        return len(registry.names("sources"))

    def __contains__(self, name: object) -> bool:
        return name in registry.names("sources")


def sources() -> Mapping[str, Any]:
    """Every registered source adapter by name."""
    return Sources()


def local_roots(environment: dict[str, str] | None = None) -> list[tuple[str, Path]]:
    """Folders on this machine where known agents keep their history.

    Args:
        environment: variables, os.environ by default.

    Returns:
        (source name, folder) of those that exist, each folder once.
    """
    env = dict(os.environ) if environment is None else environment
    found: list[tuple[str, Path]] = []
    seen: set[str] = set()
    for name in registry.names("histories"):
        for base, below in registry.load("histories", name).roots:
            if base.startswith("$"):
                value = env.get(base[1:], "")
                bases = [Path(part).expanduser() for part in value.split(",") if part.strip()]
            else:
                bases = [Path(base.replace("~", env.get("HOME") or str(Path.home()), 1))]
            for folder in (b / below for b in bases):
                real = os.path.realpath(folder)
                if real not in seen and os.path.isdir(real):
                    seen.add(real)
                    found.append((name, folder))
    return found


class Names:
    """Gives files the names that origins and output use.

    Args:
        home: the home folder.
        roots: (source name, folder) of known histories.
    """

    def __init__(self, home: Path, roots: Sequence[tuple[str, Path]] = ()) -> None:
        self._home = str(home)
        self._roots = [(self.prefix(name), str(folder.parent)) for name, folder in roots]

    @staticmethod
    def prefix(source: str) -> str:
        """What names of a source's local history begin with, before the colon."""
        return source.split("-")[0]

    def name(self, path: Path) -> str:
        """What origins call a file.

        Args:
            path: absolute path.

        Returns:
            `claude:projects/...` below a known history, `~/...` below home, else the path; another
            user's home, and a folder slug that carries a user's name, are replaced by their digests.

        Source:
            accounting: identity.
        """
        text = str(path)
        for name, folder in self._roots:
            if text.startswith(folder + "/"):
                return f"{name}:{slugs(text[len(folder) + 1 :])}"
        if text.startswith(self._home + "/"):
            return f"~/{slugs(text[len(self._home) + 1 :])}"
        other = _OTHER_HOME.match(text)
        if other:
            # not ~: two users may have files of one name
            return f"~{_digest(other[0])}{slugs(text[other.end() :])}"
        return slugs(text)


def slugs(text: str) -> str:
    """A path's text with folder names that carry a user's name replaced by their digests."""
    return "/".join(f"~{_digest(part)}" if _HOME_SLUG.match(part) else part for part in text.split("/"))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def walk(paths: Iterable[Path], names: Names, suffixes: tuple[str, ...]) -> Iterator[Found | Lost]:
    """Files below some paths.

    Args:
        paths: files and folders; a file that is named is taken whatever its suffix.
        names: how to name them.
        suffixes: endings worth opening inside a folder.

    Returns:
        Each regular file once, in sorted order; a folder reached twice (a link in a circle) is
        entered once.
    """
    seen_folders: set[tuple[int, int]] = set()
    seen_files: set[tuple[int, int]] = set()
    stack: list[tuple[Path, bool]] = [(Path(os.path.abspath(p)), True) for p in paths]
    stack.reverse()
    while stack:
        path, named = stack.pop()
        try:
            info = path.stat()
        except OSError as error:
            yield Lost(names.name(path), f"cannot be read: {why(error)}")
            continue
        key = (info.st_dev, info.st_ino)
        if stat.S_ISDIR(info.st_mode):
            if key in seen_folders:
                continue
            seen_folders.add(key)
            try:
                entries = sorted(os.listdir(path), reverse=True)
            except OSError as error:
                yield Lost(names.name(path), f"cannot be read: {why(error)}")
                continue
            stack.extend((path / entry, False) for entry in entries)
        elif stat.S_ISREG(info.st_mode):
            wanted = path.name.endswith(suffixes) and not path.name.endswith(COMPANIONS)
            if key not in seen_files and (named or wanted):
                seen_files.add(key)
                yield Found(path=path, name=names.name(path), size=info.st_size, mtime=info.st_mtime_ns)
        elif named:
            yield Lost(names.name(path), "not a regular file")


class Identity(msgspec.Struct, frozen=True):
    """What a file is, by its content."""

    adapter: str
    """Name of the source adapter, "" for an unknown format."""
    session: str
    """Session key, "" where the file holds none."""
    root: str
    """Root session key, "" for a file of several sessions."""
    parent: str | None = None
    """Session key of the parent, where the root must be found through it."""
    tool: str | None = None
    """Tool use id a side file names as the one that started this sub-agent."""


def identify(
    found: Found, adapters: Mapping[str, Any], only: str | None = None, likely: str = ""
) -> Identity:
    """Tell a file's format and session from its first records.

    Args:
        found: the file.
        adapters: sources by name.
        only: consider this source alone.
        likely: ask this source first; where it is certain, the others are not asked.

    Returns:
        Its identity.

    Raises:
        OSError: the file cannot be read.
    """
    first = head(found.path)
    asked = adapters if only is None else {name: adapters[name] for name in adapters if name == only}
    best = _best(first, asked, likely)
    if not best and b"\n" in first:
        # a broken first line costs itself, not the file
        lines = {name: adapter for name, adapter in asked.items() if "document" not in adapter.layout}
        best = _best(first.split(b"\n", 1)[1], lines, likely)
    if not best:
        return Identity("", "", "")
    adapter = adapters[best]
    if adapter.layout != "session":
        return Identity(best, "", "")
    for item in adapter.read(Records(found.path), adapter.fresh(), found.name):
        if isinstance(item, About):
            return Identity(best, item.session, item.root, item.parent, _side_tool(found.path))
    return Identity(best, "", "")


def _best(first: bytes, adapters: Mapping[str, Any], likely: str) -> str:
    """The source that is surest of a file's beginning, "" where none is sure enough."""
    scores: dict[str, float] = {}
    for name in sorted(adapters, key=lambda name: (name != likely, name)):
        scores[name] = adapters[name].sniff(first)
        if name == likely and scores[name] >= 1:
            break
    best = max(scores, key=lambda name: (scores[name], name), default="")
    return best if best and scores[best] >= MIN_CERTAINTY else ""


class _Side(msgspec.Struct):
    toolUseId: str | None = None


def _side_tool(path: Path) -> str | None:
    """The tool use a sub-agent's side file (.meta.json) names, None without one."""
    side = path.with_name(path.name.split(".")[0] + ".meta.json")
    if not path.name.startswith("agent-"):
        return None
    try:
        if side.stat().st_size > 1 << 20:
            return None
        return msgspec.json.decode(side.read_bytes(), type=_Side).toolUseId
    except (OSError, msgspec.DecodeError):
        return None

"""Which files are damaged? Our own samples, those of a folder, and damaged ones that say new things."""

from __future__ import annotations

import re
import string
from hashlib import blake2b
from pathlib import Path

from tracelode import registry
from tracelode.files import head, open_stream
from tracelode.ingest.discover import MIN_CERTAINTY, Sources
from tracelode.model.ports import About, Line

MOST_FILES = 6
"""Files of one source that are taken from a folder."""
MOST_BYTES = 60_000
"""Larger files are cut at a line end; documents that are larger are left."""
MOST_NEW = 150
"""Damaged files of one source that are damaged further."""
_IDS = re.compile(
    rb"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{16,40}\b"
    rb"|\b(?:msg|toolu|srvtoolu|call|req|resp|item|chatcmpl|fc|rs|ws|ctc)_[A-Za-z0-9_-]{8,}"
)
_DIGEST = re.compile(r"[0-9a-f]{12,}$")
_TEXT = re.compile(rb'"(?:[^"\\\n]|\\.)*"')


class Corpus:
    """Good files by source.

    Args:
        own: folder with one sample a source, named after it.
        data: folder with more files, at any depth; None for none. It is only read.
    """

    def __init__(self, own: Path, data: Path | None = None) -> None:
        self.files: dict[str, list[bytes]] = {}
        self.suffix: dict[str, str] = {}
        self._new: dict[str, set[frozenset[str]]] = {}
        for name in registry.names("sources"):
            (path,) = own.glob(f"{name}.*")
            self.files[name] = [path.read_bytes()]
            self.suffix[name] = path.name.removeprefix(name)
        if data is not None:
            self._more(data)
        self.given = {name: len(files) for name, files in self.files.items()}
        """How many files of each source were there from the start."""

    def _more(self, folder: Path) -> None:
        adapters = Sources()
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            first = head(path)
            scores = {name: adapters[name].sniff(first) for name in adapters}
            name = max(scores, key=lambda name: (scores[name], name))
            if scores[name] < MIN_CERTAINTY or len(self.files[name]) > MOST_FILES:
                continue
            with open_stream(path) as stream:
                found = stream.read(MOST_BYTES + 1)
            if len(found) > MOST_BYTES:
                if adapters[name].layout.endswith("document") or b"\n" not in found:
                    continue
                found = found[: found.rindex(b"\n") + 1]
            self.files[name].append(found)

    def lined(self, name: str) -> bool:
        """Is each line of a source's files read for itself?"""
        return not registry.load("sources", name).layout.endswith("document")

    def new(self, name: str, said: frozenset[str], data: bytes) -> None:
        """Keep a damaged file of which something new was said."""
        seen = self._new.setdefault(name, set())
        if said not in seen and len(data) < 2 * MOST_BYTES and len(seen) < MOST_NEW:
            self.files[name].append(data)
        seen.add(said)

    def others(self, name: str) -> list[bytes]:
        """A good file of every other source."""
        return [files[0] for other, files in self.files.items() if other != name]


def renamed(name: str, data: bytes, salt: str) -> bytes:
    """A file with other ids, the same everywhere in it: it tells of other sessions.

    Args:
        name: its source.
        data: the file.
        salt: other salts give other ids.
    """
    turned: dict[bytes, bytes] = {}

    def other(match: re.Match[bytes]) -> bytes:
        return turned.setdefault(match[0], _turned(match[0], salt))

    made = _IDS.sub(other, data)
    for word in _words(name, made):
        made = made.replace(b'"' + word + b'"', b'"' + word + b"-" + salt.encode() + b'"')
    if data not in _KEYED:
        _KEYED[data] = _key_text(name, made)
    if text := _KEYED[data]:
        made = made.replace(text, text[:-1] + b" " + salt.encode() + text[-1:])
    return made


_KEYED: dict[bytes, bytes | None] = {}
"""Good file to the text that its session's key is a digest of, None where the key is an id of its own."""


def _key_text(name: str, data: bytes) -> bytes | None:
    """The quoted text of a file whose change makes all its sessions other ones."""
    known = {key for key in keys(name, data) if _DIGEST.search(key) and key.encode() not in data}
    if not known:
        return None
    found = (m for m in _TEXT.finditer(data) if not data[m.end() : m.end() + 2].lstrip().startswith(b":"))
    texts = dict.fromkeys(m[0] for m in found if len(m[0]) > 5)
    for text in list(texts)[:200]:
        if not keys(name, data.replace(text, text[:-1] + b" x" + text[-1:])) & known:
            return text
    return None


def _turned(word: bytes, salt: str) -> bytes:
    """A word of the same shape: digits become digits, letters letters of their kind, a prefix stays."""
    start = word.index(b"_") + 1 if b"_" in word[:9] else 0
    if word.isdigit() and word.startswith(b"1"):
        return word  # a moment
    most = 6 if start == 0 else 26
    stream = blake2b(salt.encode() + word, digest_size=64).digest()
    made = bytearray(word)
    for place in range(start, len(word)):
        sign, value = chr(word[place]), stream[place % 64]
        if sign.isdigit():
            made[place] = 48 + value % 10
        elif sign in string.ascii_lowercase:
            made[place] = 97 + value % most
        elif sign in string.ascii_uppercase:
            made[place] = 65 + value % most
    return bytes(made)


def _words(name: str, data: bytes) -> list[bytes]:
    """Short words by which a file names its sessions."""
    words = {word for key in keys(name, data) for word in (key, *key.split("/")) if len(word) > 3}
    return sorted(word.encode() for word in words if not _IDS.search(word.encode()))


def keys(name: str, data: bytes) -> set[str]:
    """The keys of the sessions that a good file tells of.

    Args:
        name: its source.
        data: the file.
    """
    adapter = registry.load("sources", name)
    if adapter.layout.endswith("document"):
        lines = [Line(1, 0, data)]
    else:
        lines = [Line(n, 0, text) for n, text in enumerate(data.splitlines(), 1) if text.strip()]
    found: set[str] = set()
    for item in adapter.read(lines, adapter.fresh(), "file"):
        if isinstance(item, About):
            found |= {item.session, item.root}
    return found

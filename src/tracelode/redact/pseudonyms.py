"""Under which name does a person, host, path or repository go on? One a key, so that joins survive."""

from __future__ import annotations

import hmac
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KEY_FILE = "pseudonyms.key"
KINDS = ("person", "host", "path", "repo")
PSEUDONYM = re.compile(r"\b(?:person|host|path|repo|id)-[0-9a-f]{12}\b")
"""What a pseudonym looks like."""
_WORDS = {
    "person": "user username user_name author assignee reviewer login committer",
    "host": "host hostname host_name server machine",
    "path": "path file filename file_path filePath filepath cwd dir directory folder project "
    "root_dir workdir",
    "repo": "repo repository remote origin",
}
_KEYS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
"""Key to what its whole value is."""
_HELD = "\ue000"
_MARKER = re.compile(r"\[secret:[a-z0-9-]+\]|\[email\]")
_EMAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9_])?"
_FORGES = r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|[a-z0-9.-]*git[a-z0-9.-]*\.[a-z]{2,10})"
_ANY = re.compile(
    rf"(?P<repo>(?:(?:https?|ssh|git)://(?:(?:[^\s@/]{{1,200}})@)?|git@){_FORGES}(?::[0-9]{{2,5}})?[:/]{_WORD}/{_WORD}"
    rf"|(?<![\w./@-]){_FORGES}[:/]{_WORD}/{_WORD})"
    r"|(?P<scheme>\b[a-z][a-z0-9+.-]{1,15}://(?:[^\s@/]{1,200}@)?)(?P<host>[A-Za-z0-9.-]{1,200})(?P<port>:[0-9]{1,5})?"
    r"(?P<rest>/[^\s\"'<>)\]]*)?"
    r"|(?P<address>(?<![\d.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\d.]))"
    r"|(?P<login>(?<![\w.])(?P<who>[a-z_][a-z0-9_-]{0,31})@(?P<where>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}))"
    r"|(?P<path>(?:(?<![\w~./\\-])(?:~|\.{1,2})?/[^\s\"'`<>|:;,(){}\[\]*?$]{1,1000}"
    r"|(?<![\w~./\\-])[A-Za-z0-9_.-]{1,100}(?:/[A-Za-z0-9_.-]{1,100}){1,30}\.[A-Za-z][A-Za-z0-9]{0,9}\b"
    r"|(?<![\w])(?:[A-Za-z]:|~)\\(?:[^\s\"'<>|:*?]{1,200})))"
)


def key_of(path: Path) -> bytes:
    """The key of pseudonyms, made where it is absent.

    Args:
        path: its file, private, apart from what is pseudonymised.

    Returns:
        At least 16 bytes.

    Raises:
        OSError: it cannot be read or made.
        ValueError: it is too short to be a key.
    """
    import contextlib

    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # linked when it is whole: another process may look for it now
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as stream:
            stream.write(os.urandom(32))
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
        part.unlink()
    data = path.read_bytes()
    if len(data) < 16:
        raise ValueError("the file is too short to hold a key")
    return data


class Pseudonyms:
    """Replaces names of people, hosts, paths and repositories.

    Args:
        key: secret that makes them this owner's own.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.counts: Counter[str] = Counter()
        """Kind to how many names were replaced."""

    def of(self, kind: str, name: str) -> str:
        """The pseudonym of a name.

        Args:
            kind: person, host, path, repo or id.
            name: as it is written; what is one already stays.

        Returns:
            The kind and 12 hex digits, the same for the same name and key.
        """
        if PSEUDONYM.fullmatch(name) or not name:
            return name
        self.counts[kind] += 1
        text = _plain(kind, name)
        digest = hmac.new(self._key, f"{kind}\0{text}".encode("utf-8", "replace"), "sha256")
        return f"{kind}-{digest.hexdigest()[:12]}"

    def known(self, name: str) -> Iterator[str]:
        """Every pseudonym that a name may go under.

        Args:
            name: of a person, host, path or repository, or a pseudonym itself.
        """
        if PSEUDONYM.fullmatch(name):
            yield name
            return
        counts = self.counts.copy()
        for kind in (*KINDS, "id"):
            yield self.of(kind, name)
        self.counts = counts

    def text(self, original: str, redacted: str) -> str:
        """A redacted text with its names replaced.

        Args:
            original: the text as it was: its e-mail addresses tell whom a marker stands for.
            redacted: the same without secrets.

        Returns:
            The text; markers of secrets stay.
        """
        people = _people(original) if "[email]" in redacted else []
        if people and redacted.count("[email]") == len(people):
            names = iter(people)
            redacted = re.sub(re.escape("[email]"), lambda _: self.of("person", next(names)), redacted)
        markers = _MARKER.findall(redacted)
        # each marker is one character meanwhile, so that an address around it is read as one
        plain = _MARKER.sub(_HELD, redacted.replace(_HELD, " ")) if markers else redacted
        named = _ANY.sub(self._found, plain)
        if not markers or named.count(_HELD) == len(markers):
            rest = iter(markers)
            return re.sub(_HELD, lambda _: next(rest), named)
        return named.replace(_HELD, "[secret]")

    def _found(self, found: re.Match[str]) -> str:
        if found["repo"]:
            return self.of("repo", found["repo"])
        if found["scheme"]:
            rest = found["rest"] or ""
            path = self.of("path", rest) if len(rest) > 1 else rest
            scheme = found["scheme"].split("://")[0]
            place = f"{self.of('host', found['host'])}{found['port'] or ''}"
            return f"{scheme}://{place}{'/' + path if path else ''}"
        if found["address"]:
            return self.of("host", found["address"])
        if found["login"]:
            return f"{self.of('person', found['who'])}@{self.of('host', found['where'])}"
        return self.of("path", found["path"])

    def value(self, original: Any, redacted: Any, key: str = "") -> Any:
        """A redacted JSON value with its names replaced.

        Args:
            original: the value as it was, None where it has another shape.
            redacted: the same without secrets.
            key: under which it stands; some keys say what their value is.
        """
        if isinstance(redacted, str):
            told = original if isinstance(original, str) else redacted
            kind = _KEYS.get(key)
            if kind and len(redacted) < 500 and not _MARKER.search(redacted.replace("[email]", "")):
                return self.of(kind, told if "[email]" in redacted else redacted)
            return self.text(told, redacted)
        if isinstance(redacted, dict):
            inner = original if isinstance(original, dict) else {}
            return {name: self.value(inner.get(name), item, name) for name, item in redacted.items()}
        if isinstance(redacted, list):
            items = original if isinstance(original, list) and len(original) == len(redacted) else []
            return [self.value(items[i] if items else None, item, key) for i, item in enumerate(redacted)]
        return redacted


def _people(text: str) -> list[str]:
    """Addresses that redaction takes for people's, in order."""
    from tracelode.redact.plain import redact_text

    return [name for name in _EMAIL.findall(text) if redact_text(name) == "[email]"]


_PLAIN: dict[str, Callable[[str], str]] = {
    "person": str.lower,
    "host": lambda name: name.lower().rstrip("."),
    "path": lambda name: name.rstrip("/\\") or name,
}


def _plain(kind: str, name: str) -> str:
    """What is the same name is written the same."""
    if kind == "repo":
        bare = re.sub(r"^(?:[a-z]+://)?(?:[^\s@/]*@)?", "", name.lower())
        return re.sub(r"(?:\.git)?/*$", "", re.sub(r"^([^/:]+)(?::[0-9]{2,5}(?=/)|:)", r"\1/", bare)).replace(
            "//", "/"
        )
    return _PLAIN.get(kind, str)(name)

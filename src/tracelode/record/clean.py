"""What of a payload may be written? Redaction and bounds, before anything reaches the disk."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tracelode.record.event import TraceEvent, fitting

MODES = ("summary", "metadata", "full")
"""summary: redacted, bounded texts; metadata: no texts, only what they measure; full: redacted, unbounded."""
DESCRIPTION = 2_000
"""Characters of a description or reason."""
SUMMARY = 500
"""Characters of every other text."""
BEFORE = 65_536
"""Characters of a text that are looked at in mode summary: what follows can be in no text that is kept."""
KEY_FILE = "pseudonyms.key"

_LONG = ("description", "reason")
_NAMING = ("name", "key", "Name", "Key")
_DEPTH = 24
_MOST = 2_000
"""Items of one list or object."""
_PLAIN = (
    "op", "decision", "tool", "error_type", "native_status", "attempt", "plan_epoch", "measures", "order",
    "return_code", "shape", "dtype", "statistics", "sampling", "handoff", "task_type", "by", "call",
)  # fmt: skip
"""Payload keys whose words and numbers mode metadata keeps (redacted); sentences it does not."""


class Cleaner:
    """Turns payloads into JSON text without secrets.

    Args:
        mode: summary, metadata or full.
        folder: where mode metadata keeps its key, None for a key of this process alone.
        key: the key itself, where it is kept elsewhere.
        names: keyed pseudonyms for people, hosts, paths and repositories in every mode.

    Raises:
        ValueError: an unknown mode.
    """

    def __init__(
        self, mode: str = "summary", folder: Path | None = None, key: bytes = b"", *, names: bool = False
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"redact is one of {', '.join(MODES)}")
        self.mode = mode
        self._folder = folder
        self._key = key
        self._names = names

    def payload(self, payload: dict[str, Any]) -> str:
        """A payload as it may be written.

        Args:
            payload: any values; what JSON has no form for is written as text.

        Returns:
            JSON text of one line.
        """
        if self.mode == "metadata":
            payload = {key: self._measured(key, value) for key, value in payload.items()}
        walk = _Walk(None if self.mode == "full" else BEFORE)
        value = walk.mapping(payload, 0)
        if walk.telling or _marked("\n".join(walk.texts)):
            value = _written(value)
            # a key of an object may have become a marker
        if self._names and self.mode != "metadata":
            from tracelode.redact.pseudonyms import Pseudonyms

            value = Pseudonyms(self._secret()).value(payload, value)
        limit = None if self.mode == "full" else SUMMARY
        for key, inner in value.items():
            value[key] = _cut(inner, key, limit)
        return _encoder()(value)

    def ids(self, event: TraceEvent) -> None:
        """Take secrets out of an event's ids, and hash what is too long.

        Args:
            event: changed in place.
        """
        event.session_id = fitting(_name(event.session_id))
        event.node_id = fitting(_name(event.node_id))
        if event.parent_node_id is not None:
            event.parent_node_id = fitting(_name(event.parent_node_id))
        if event.task_id:
            event.task_id = fitting(_name(event.task_id))
        if event.actor_id:
            person = event.actor == "human"
            own = self.pseudonym("person", event.actor_id) if person else event.actor_id
            event.actor_id = fitting(_name(own))
        if event.depends_on:
            event.depends_on = tuple(fitting(_name(node)) for node in event.depends_on)

    def name(self, text: str) -> str:
        """An id without secrets.

        Args:
            text: an id.
        """
        return _name(text)

    def pseudonym(self, kind: str, name: str) -> str:
        """The name under which a person or host goes on in mode metadata; the name itself in the others.

        Args:
            kind: person or host.
            name: as it is known.
        """
        if self.mode != "metadata" and not self._names:
            return name
        from tracelode.redact.pseudonyms import Pseudonyms

        return Pseudonyms(self._secret()).of(kind, name)

    def _secret(self) -> bytes:
        if not self._key:
            self._key = _key(self._folder)
        return self._key

    def _measured(self, key: str, value: Any) -> Any:
        if key in _PLAIN:
            return self._word(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            if value.startswith("text-") and _is_measure(value):
                return value
            return f"text-{self._digest(value)} of {len(value)} characters"
        if isinstance(value, dict):
            return {str(k): self._measured(str(k), v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return {"items": len(value)}
        return {"type": type(value).__name__}

    def _word(self, value: Any) -> Any:
        """What stands where a word or a number is expected: a sentence there is a text like any other."""
        if isinstance(value, str):
            plain = len(value) <= SUMMARY and not any(map(str.isspace, value))
            return value if plain else self._measured("", value)
        if isinstance(value, dict):
            return {key: self._word(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._word(inner) for inner in value]
        return value

    def _digest(self, text: str) -> str:
        import hmac

        return hmac.new(self._secret(), text.encode("utf-8", "replace"), "sha256").hexdigest()[:16]


def _is_measure(text: str) -> bool:
    """Was a text measured before? What it says then stays, so that it still joins."""
    head, _, rest = text.partition(" of ")
    number, _, unit = rest.partition(" ")
    digest = head[5:]
    hexadecimal = len(digest) == 16 and all(c in "0123456789abcdef" for c in digest)
    return hexadecimal and unit == "characters" and number.isascii() and number.isdigit() and len(number) < 12


class _Walk:
    """Collects the texts of a payload and makes it JSON-ready."""

    def __init__(self, before: int | None) -> None:
        self.texts: list[str] = []
        self.telling = False
        """Does a key, a name or an option tell that a value is a secret?"""
        self._before = before

    def value(self, obj: Any, depth: int) -> Any:
        if isinstance(obj, str):
            text = obj[: self._before] if type(obj) is str else str(obj)[: self._before]
            self.texts.append(text)
            return text
        if obj is None or obj is True or obj is False or type(obj) is int:
            return obj
        if isinstance(obj, float):
            return float(obj) if math.isfinite(obj) else None
        if depth > _DEPTH:
            return "…"
        if isinstance(obj, dict):
            return self.mapping(obj, depth)
        if isinstance(obj, list | tuple | set | frozenset):
            return self.sequence(obj, depth)
        return self.value(_plain(obj), depth + 1)

    def mapping(self, obj: dict[Any, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for i, (key, inner) in enumerate(obj.items()):
            if i == _MOST:
                found["…"] = len(obj) - _MOST
                break
            name = key if type(key) is str else str(key)
            if not _known(name):
                self.texts.append(name)
                self.telling = self.telling or _secret(name)
            if type(inner) is str and name in _NAMING and _secret(inner):
                self.telling = True
            found[name] = self.value(inner, depth + 1)
        return found

    def sequence(self, obj: Any, depth: int) -> list[Any]:
        found = []
        for i, inner in enumerate(obj):
            if i == _MOST:
                found.append(f"… {len(obj) - _MOST} more")
                break
            # an option's value is the next item: the slow way reads them together
            if type(inner) is str and inner.startswith("-"):
                self.telling = True
            found.append(self.value(inner, depth + 1))
        return found


@lru_cache(maxsize=4096)
def _known(key: str) -> bool:
    """Is a payload key a plain word that neither holds nor tells a secret?"""
    return not _secret(key) and not _marked(key)


@lru_cache(maxsize=4096)
def _secret(key: str) -> bool:
    from tracelode.redact.judge import secret_key

    return len(key) < 100 and secret_key(key)


@lru_cache(maxsize=4096)
def _name(text: str) -> str:
    if not _marked(text):
        return text
    from tracelode.redact.plain import redact_text

    return redact_text(text)


def _marked(text: str) -> bool:
    # loaded with the first event: a program that only imports the recorder does not pay for it
    from tracelode.redact.marks import marked

    return marked(text)


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], str]:
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _written(value: dict[str, Any]) -> dict[str, Any]:
    import json

    from tracelode.redact.nested import write
    from tracelode.redact.plain import redact_text

    text = write(value, None, lambda text, size: redact_text(text)[:size], redact_text)
    clean: dict[str, Any] = json.loads(text)
    return clean


def _cut(value: Any, key: str, limit: int | None) -> Any:
    """A value with every text cut; the published form bounds some of them in every mode."""
    if type(value) is str:
        most = DESCRIPTION if key in _LONG else SUMMARY if key.endswith("_summary") else limit
        if key in _LONG and key != "description" and limit is None:
            most = None
        return value if most is None or len(value) <= most else f"{value[: most - 1]}…"
    if limit is None:
        return value
    if type(value) is dict:
        return {name: _cut(inner, name, limit) for name, inner in value.items()}
    if type(value) is list:
        return [_cut(inner, "", limit) for inner in value]
    return value


def _plain(obj: Any) -> Any:
    """What has no form in JSON: a number where it is one (numpy's), else its shape or its text."""
    try:
        if isinstance(obj, int):
            return int(obj)
        shape = getattr(obj, "shape", None)
        if shape == () and hasattr(obj, "item"):
            return obj.item()
        if isinstance(shape, tuple):
            return {"type": type(obj).__name__, "shape": [int(n) for n in shape]}
        if isinstance(obj, bytes | bytearray):
            return {"type": "bytes", "length": len(obj)}
        return str(obj)
    except Exception:
        # code of the one who records: whatever it does, the event is written
        return f"<{type(obj).__name__}>"


def _key(folder: Path | None) -> bytes:
    """The key of pseudonyms: one file for a folder of traces, so that they join."""
    if folder is None:
        return os.urandom(32)
    import contextlib

    path = folder / KEY_FILE
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # linked when it is whole: another process may look for it now
        part = folder / f"{KEY_FILE}.{os.getpid()}.part"
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as stream:
            stream.write(os.urandom(32))
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
        part.unlink()
    return path.read_bytes()

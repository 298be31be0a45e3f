"""What does a mapping file say? Its keys, checked, so that every mistake is named before a line is read."""

from __future__ import annotations

import difflib
import tomllib
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import UsageError
from tracelode.files import bounded, why
from tracelode.model.operation import KINDS, STATUSES
from tracelode.sources.map.paths import Getter, getter

PLACES: dict[str, str] = {
    "session": "key of the run a record belongs to; required",
    "kind": "what sort of operation: " + ", ".join(KINDS) + "; required",
    "name": "tool name, or a short word for other kinds",
    "id": "the record's own id; two records with one id are one operation",
    "call": 'id of the model call that issued a tool call; "=previous": the one before it in the session',
    "time": "when it began, or when it was written",
    "ended": "when it ended",
    "duration": "how long it took, in seconds unless duration_unit says otherwise",
    "model": "model id",
    "status": "how it ended: " + ", ".join(STATUSES),
    "actor": "human, agent or system",
    "arguments": "input: text or any JSON value",
    "output": "result: text or any JSON value",
    "cost": "dollars the source states for a call, kept as cost.reported",
    "project": "working folder",
    "task": "task, ticket or benchmark id of the session",
    "outcome": "success or failure of the session",
    "agent": "the product that ran",
    "root": "key of the session that started this one, for sub-agents",
    "spawns": "key of the sub-agent's session that an operation started",
}
"""Keys that take a path (or, after an equals sign, a constant), and what they hold."""

TOKENS: dict[str, str] = {
    "input_fresh": "input that is neither read from nor written to a cache",
    "input": "all input, cached included; fresh is what is left",
    "cache_read": "input read from a cache",
    "cache_write_5m": "input written to a cache for minutes",
    "cache_write_1h": "input written to a cache for an hour",
    "output": "output without reasoning",
    "output_all": "all output, reasoning included; output is what is left",
    "reasoning": "output that is reasoning",
}
"""Keys of [tokens]."""

SETTINGS: dict[str, str] = {
    "time_unit": "s, ms, us or ns, for times that are numbers; without it seconds or milliseconds by size",
    "duration_unit": "s (the default), ms, us or ns",
    "spread": "true where lines of one session may lie in several files",
}
"""Keys that are settings, not paths."""

VALUES = ("kind", "status", "actor", "outcome")
"""Keys whose words may be translated in [values.KEY]."""
UNITS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
"""Nanoseconds in a unit."""
_TABLES = ("tokens", "fields", "values", "only")
WORDS: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "status": STATUSES,
    "actor": ("human", "agent", "system"),
    "outcome": ("success", "failure"),
}
"""Our words, by key: others are translated in [values.KEY]."""

FIELDS = (
    "branch", "command", "cwd", "description", "domain", "geo", "mode", "path", "service_tier", "speed",
)  # fmt: skip
"""Keys of [fields], beside those of your own with a prefix; other fields are made by tracelode."""


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """A checked mapping."""

    places: dict[str, Getter]
    """Key of PLACES to what gets its value out of a record."""
    tokens: dict[str, Getter]
    """Key of TOKENS to the same."""
    fields: dict[str, Getter]
    """Field of an operation to the same."""
    words: dict[str, dict[str, str]]
    """Key of VALUES to the source's words and ours."""
    only: tuple[tuple[Getter, tuple[str, ...]], ...]
    """Records are read where each of these has one of the words."""
    time_unit: int | None
    """Nanoseconds in one unit of a time that is a number."""
    duration_unit: int
    """Nanoseconds in one unit of a duration."""
    spread: bool
    """Lines of one session may lie in several files."""
    digest: str
    """Of the file's content: another mapping reads the same file anew."""


def load(path: Path) -> Mapping:
    """Read and check a mapping file.

    Args:
        path: TOML.

    Returns:
        The mapping.

    Raises:
        UsageError: the file cannot be read, or a key of it is wrong; the message names the key.
    """
    try:
        data = bounded(path)
        table = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"mapping {path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"mapping {path} is no TOML: {error}") from error
    return _Checker(str(path)).mapping(table, blake2b(data, digest_size=8).hexdigest())


class _Checker:
    """Turns a decoded file into a mapping, or says which key is wrong."""

    def __init__(self, path: str) -> None:
        self.path = path

    def wrong(self, key: str, what: str) -> UsageError:
        return UsageError(f"mapping {self.path}: key {key!r} {what}")

    def unknown(self, key: str, known: tuple[str, ...]) -> UsageError:
        near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
        return self.wrong(key, f"is unknown; {hint}")

    def mapping(self, table: dict[str, Any], digest: str) -> Mapping:
        known = (*PLACES, *SETTINGS, *_TABLES)
        for key in table:
            if key not in known:
                raise self.unknown(key, known)
        for key in ("session", "kind"):
            if key not in table:
                raise self.wrong(key, f"is missing; it gives the {PLACES[key].split(';')[0]}")
        places = {key: self.place(key, table[key]) for key in PLACES if key in table}
        for key, place in places.items():
            if key in WORDS and place.constant is not None and place.constant not in WORDS[key]:
                raise self.wrong(key, f"has a constant that is none of {', '.join(WORDS[key])}")
        spread = table.get("spread", False)
        if not isinstance(spread, bool):
            raise self.wrong("spread", "must be true or false")
        return Mapping(
            places=places,
            tokens=self.tokens(self.table("tokens", table)),
            fields=self.fields(self.table("fields", table)),
            words=self.words(self.table("values", table)),
            only=self.only(self.table("only", table)),
            time_unit=self.unit("time_unit", table),
            duration_unit=self.unit("duration_unit", table) or UNITS["s"],
            spread=spread,
            digest=digest,
        )

    def place(self, key: str, value: Any) -> Getter:
        found = getter(value)
        if found is None:
            raise self.wrong(key, 'must be a path such as "event.name", a list of keys, or "=constant"')
        return found

    def table(self, key: str, table: dict[str, Any]) -> dict[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be a table; write it as [{key}]")
        return value

    def tokens(self, table: dict[str, Any]) -> dict[str, Getter]:
        for key in table:
            if key not in TOKENS:
                raise self.unknown(f"tokens.{key}", tuple(TOKENS))
        for one, other in (("input", "input_fresh"), ("output_all", "output")):
            if one in table and other in table:
                raise self.wrong(f"tokens.{one}", f"and tokens.{other} tell the same twice; give one of them")
        return {key: self.place(f"tokens.{key}", value) for key, value in table.items()}

    def fields(self, table: dict[str, Any]) -> dict[str, Getter]:
        found = {}
        for key, value in _flat(table):
            if key not in FIELDS and "." not in key:
                near = difflib.get_close_matches(key, FIELDS, n=3, cutoff=0.5) or FIELDS
                raise self.wrong(
                    f"fields.{key}",
                    f"is no field that a mapping gives; known: {', '.join(near)}; "
                    f"your own need a prefix, such as my.{key}",
                )
            found[key] = self.place(f"fields.{key}", value)
        return found

    def words(self, table: dict[str, Any]) -> dict[str, dict[str, str]]:
        found = {}
        for key, words in table.items():
            if key not in VALUES:
                raise self.unknown(f"values.{key}", VALUES)
            if not isinstance(words, dict):
                raise self.wrong(f"values.{key}", f"must be a table; write it as [values.{key}]")
            for theirs, ours in words.items():
                if ours not in WORDS[key]:
                    raise self.wrong(f"values.{key}.{theirs}", f"must be one of {', '.join(WORDS[key])}")
            found[key] = dict(words)
        return found

    def only(self, table: dict[str, Any]) -> tuple[tuple[Getter, tuple[str, ...]], ...]:
        found = []
        for key, value in _flat(table):
            words = value if isinstance(value, list) else [value]
            if not all(isinstance(word, str | bool | int) for word in words):
                raise self.wrong(f"only.{key}", "must be a word or a list of words")
            texts = tuple(w if isinstance(w, str) else msgspec.json.encode(w).decode() for w in words)
            found.append((self.place(f"only.{key}", key), texts))
        return tuple(found)

    def unit(self, key: str, table: dict[str, Any]) -> int | None:
        if key not in table:
            return None
        if table[key] not in UNITS:
            raise self.wrong(key, f"must be one of {', '.join(UNITS)}")
        return UNITS[table[key]]


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Keys with dots, as TOML reads them apart: my.team = "x" is a table in a table."""
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        found += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(f"{prefix}{key}", value)]
    return found

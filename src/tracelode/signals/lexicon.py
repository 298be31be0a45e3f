"""Which words mean what: the lexicon file, compiled once, and the closed lists made of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import UsageError
from tracelode.files import bounded, why


class Verb(msgspec.Struct, frozen=True):
    """One closed verb and what a segment needs to know of it."""

    name: str
    """The verb."""
    priority: int
    """Rank among the parts of one shell command; the highest names it."""
    salience: float
    """Weight of one operation when a segment chooses its verb."""
    effect: str
    """read, write, execute, network or none."""
    stage: str
    """Whole stage name; "" where the role of the paths completes it."""
    block: str
    """Verbs of one block choose together; "" for none."""
    exercises: bool
    """True where a failure calls for a fix or a diagnosis."""


class Patterns:
    """Named expressions tried in order, all matched in one pass over a text."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self.names = tuple(name for name, _ in rows)
        self._expressions = tuple(expression for _, expression in rows)
        self._set: Any = None

    def first(self, text: str) -> str | None:
        """Name of the first row that matches anywhere.

        Args:
            text: any text; lone surrogates are allowed.

        Returns:
            The name of the earliest row (not the earliest place), None if none matches.
        """
        if self._set is None:
            self._set = _compiled(self._expressions)
        hits = self._set.Match(text.encode("utf-8", "replace"))
        return self.names[min(hits)] if hits else None


class Wrapper(msgspec.Struct, frozen=True):
    """Words before the real command, such as sudo."""

    values: frozenset[str]
    """Options followed by a value."""
    skip: int
    """Positional words that belong to the wrapper."""


class Subcommand(msgspec.Struct, frozen=True):
    """How the words after a first word decide its verb."""

    values: frozenset[str]
    """Options followed by a value."""
    skip: int
    """Operands before the subcommand."""
    default: str
    """Verb of everything not listed."""
    through: frozenset[str]
    """Words that are skipped, such as compose."""
    flags: frozenset[str]
    """Subcommands that mean the default verb when only flags follow."""
    look: frozenset[str]
    """Flags that make such a subcommand mean the default verb."""
    verbs: Mapping[str, str]
    """Subcommand, or two joined by a dot, to verb."""


class Lexicon(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The compiled lexicon; equal only to itself, so that it can key a cache."""

    version: str
    """Version key of the file, then a digest of everything read."""
    verbs: Mapping[str, Verb]
    """Verb by name."""
    tools: Mapping[str, str]
    """Tool name in lower case to verb."""
    tool_words: tuple[tuple[str, str], ...]
    """(word of a tool name, verb), in order."""
    commands: Mapping[str, str]
    """First word of a shell command to verb."""
    scripts: Mapping[str, str]
    """Word of a script or target to verb."""
    stems: Mapping[str, str]
    """Word of a script file's name to verb."""
    says: Mapping[str, str]
    """Word of a sentence, base form, to verb."""
    pairs: Mapping[tuple[str, str], str]
    """Two words of a sentence to verb; "" means that the next verb counts, "?verb": that or this verb."""
    words: Mapping[str, frozenset[str]]
    """Other word lists by name."""
    wrappers: Mapping[str, Wrapper]
    """Words before a command, joined by dots, to rule."""
    subcommands: Mapping[str, Subcommand]
    """First word to the table of its subcommands."""
    modules: Mapping[str, str]
    """Python module run with -m to verb."""
    snippets: Patterns
    """Verb of an inline program."""
    roles: Patterns
    """Role of a path."""
    failures: Patterns
    """Class of the output of a failed operation."""
    failures_alone: Patterns
    """The stricter form, for an output whose record does not say that it failed."""
    asks: Patterns
    """What the first line of a prompt asks for."""
    sentences: Mapping[str, tuple[str, ...]]
    """Fixed beginnings of texts that no human typed."""
    stages: Mapping[str, Any]
    """Fixed words of stage names."""
    intents: frozenset[str]
    """The closed list of intents."""
    intent_roles: frozenset[str] = frozenset()
    """Roles that name an intent of their own."""
    effects: Mapping[str, str] = {}
    """Verb in a tool's name to the class of its effect; two verbs are joined by a dot."""

    @property
    def role_names(self) -> tuple[str, ...]:
        """Roles of paths, without repeats, in order."""
        return tuple(dict.fromkeys(self.roles.names))

    @property
    def error_classes(self) -> tuple[str, ...]:
        """Classes of failures, in order."""
        return self.failures.names


_BASE = "lexicon.toml"


def load(extra: Path | None = None) -> Lexicon:
    """The lexicon, with the user's own words if there is a file of them.

    Args:
        extra: TOML file with [[verb]] entries: name, and tools or commands or both.

    Returns:
        The compiled lexicon; the same object for the same content.

    Raises:
        UsageError: the file cannot be read, is no TOML, or names an unknown verb or key.

    Source:
        naming rules, step 6: the lexicon is extended by file, never by learning.
    """
    if extra is None:
        return _load(b"")
    try:
        content = bounded(extra)
    except OSError as error:
        raise UsageError(f"the lexicon file {extra} cannot be read: {why(error)}") from error
    return _load(content)


@cache
def _load(extra: bytes) -> Lexicon:
    base = Path(__file__).with_name(_BASE).read_bytes()
    data = tomllib.loads(base.decode())
    added = _additions(extra, data)
    digest = blake2b(base + b"\0" + extra, digest_size=4).hexdigest()
    return _compile(data, added, f"{data['version']}+{digest}")


def _additions(extra: bytes, data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if not extra:
        return []
    try:
        more = tomllib.loads(extra.decode())
    except ValueError as error:  # TOML and UTF-8 errors alike; their text may quote the file
        raise UsageError("the lexicon file is no valid TOML: it holds [[verb]] entries") from error
    entries = more.get("verb", [])
    known = {entry["name"] for entry in data["verb"]}
    if set(more) - {"verb"} or not isinstance(entries, list):
        raise UsageError("the lexicon file may hold [[verb]] entries only")
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) - {"name", "tools", "commands"}:
            raise UsageError("a [[verb]] entry may hold name, tools and commands only")
        if entry.get("name") not in known:
            raise UsageError(f"a [[verb]] entry needs a known name: {', '.join(sorted(known))}")
    return entries


def _compile(data: Mapping[str, Any], added: Iterable[Mapping[str, Any]], version: str) -> Lexicon:
    verbs = data["verb"]
    every = [*verbs, *added]
    shell, text, human = data["shell"], data["text"], data["human"]
    subcommands = {word: table for row in data["subcommand"] for word, table in _subcommand(row)}
    return Lexicon(
        version=version,
        verbs={entry["name"]: _verb(entry) for entry in verbs},
        tools={word.lower(): verb for word, verb in _index(every, "tools").items()},
        tool_words=tuple((word, row["verb"]) for row in data["tool_word"] for word in _words(row["words"])),
        commands={word: table.default for word, table in subcommands.items()} | _index(every, "commands"),
        scripts=_index(verbs, "scripts"),
        stems=_index(verbs, "stems"),
        says=_index(verbs, "says"),
        pairs=_pairs(text["pairs"]),
        words=_lists(shell, text, human, data["focus"], data["stages"]["lists"])
        | {f"effect_{key}": frozenset(data["effects"][key].split()) for key in _EFFECT_LISTS},
        wrappers={word: wrapper for row in data["wrapper"] for word, wrapper in _wrapper(row)},
        subcommands=subcommands,
        modules={word: verb for verb, words in data["modules"].items() for word in _words(words)},
        snippets=Patterns([(row["verb"], row["match"]) for row in data["snippet"]]),
        roles=Patterns([(row["name"], row["match"]) for row in data["role"]]),
        failures=Patterns([(row["name"], row["match"]) for row in data["error"]]),
        failures_alone=Patterns([(row["name"], row["alone"]) for row in data["error"]]),
        asks=Patterns([(row["name"], row["match"]) for row in data["ask"]]),
        sentences={key: tuple(value) for key, value in human.items() if isinstance(value, list)},
        stages=data["stages"],
        intents=frozenset(data["intents"]["names"]),
        intent_roles=frozenset(data["intents"]["roles"]),
        effects=_effects(data["effects"]),
    )


_EFFECT_LISTS = (
    "nouns", "joints", "looks", "destroys", "sends",
    "changes", "bent", "acts", "heads", "things", "plural", "asks", "named", "particles", "small",
    "once", "lists", "obtains", "given", "redeems", "redeemed",
)  # fmt: skip


def _effects(table: Mapping[str, Any]) -> dict[str, str]:
    found = {
        word: name
        for name, words in table.items()
        if name not in _EFFECT_LISTS and name != "pairs"
        for word in _words(words)
    }
    for item in table["pairs"].split():
        pair, _, name = item.partition("=")
        found[pair] = name
    return found


def _words(value: Any) -> list[str]:
    return value.split() if isinstance(value, str) else [str(word) for word in value]


def _verb(entry: Mapping[str, Any]) -> Verb:
    return Verb(
        name=entry["name"],
        priority=entry.get("priority", 0),
        salience=entry["salience"],
        effect=entry["effect"],
        stage=entry.get("stage", ""),
        block=entry.get("block", ""),
        exercises=entry.get("exercises", False),
    )


def _index(entries: Iterable[Mapping[str, Any]], key: str) -> dict[str, str]:
    return {word: entry["name"] for entry in entries for word in _words(entry.get(key, ""))}


def _pairs(text: str) -> dict[tuple[str, str], str]:
    found = {}
    for item in text.split():
        words, _, verb = item.partition("=")
        first, _, second = words.partition(".")
        found[first, second] = verb
    return found


def _lists(*tables: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    return {
        key: frozenset(value.lower().split() if key == "tools" else value.split())
        for table in tables
        for key, value in table.items()
        if isinstance(value, str) and key != "pairs"
    }


def _wrapper(row: Mapping[str, Any]) -> Iterable[tuple[str, Wrapper]]:
    rule = Wrapper(frozenset(_words(row.get("values", ""))), row.get("skip", 0))
    return [(word, rule) for word in _words(row["words"])]


_FIXED = ("words", "values", "skip", "default", "through", "flags", "look")


def _subcommand(row: Mapping[str, Any]) -> Iterable[tuple[str, Subcommand]]:
    table = Subcommand(
        values=frozenset(_words(row.get("values", ""))),
        skip=row.get("skip", 0),
        default=row["default"],
        through=frozenset(_words(row.get("through", ""))),
        flags=frozenset(_words(row.get("flags", ""))),
        look=frozenset(_words(row.get("look", ""))),
        verbs={word: verb for verb, words in row.items() if verb not in _FIXED for word in _words(words)},
    )
    return [(word, table) for word in _words(row["words"])]


def _compiled(expressions: Sequence[str]) -> Any:
    import re2

    # re2's search set answers which of all expressions match in one linear pass
    matcher = re2.Set.SearchSet()
    for expression in expressions:
        matcher.Add(expression)
    matcher.Compile()
    return matcher

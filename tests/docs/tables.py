"""Which parts of the pages are made from the code? One function a part, named as the page names it."""

from __future__ import annotations

from collections.abc import Callable

from docs import adapters, compiling
from docs.markdown import code, rows, wrapped
from tracelode import files
from tracelode.ingest import bounds, discover, timeline
from tracelode.making import ABSURD
from tracelode.profile import findings
from tracelode.profile.name import intent, stage
from tracelode.redact import table as marks
from tracelode.signals import lexicon
from tracelode.sources.claude_code import words
from tracelode.sources.claude_code.context import State
from tracelode.sources.claude_code.reader import Reader
from tracelode.sources.inspect import archive
from tracelode.sources.map import mapping
from tracelode.store import compact, shards
from tracelode.wire import message, otlp_json

READ = {
    "assistant": "One content block of a model message. Records of one `message.id` become one model call "
    "and one operation per tool use; text becomes its preview.",
    "user": "A prompt, a tool's result, an interrupt, or a text of the harness: see below.",
    "system": "An operation for some subtypes (below); every other one is a moment on the timeline.",
    "queue-operation": "`enqueue` is a message typed while the agent works. `dequeue`, `remove` and `popAll` "
    "take it out again; what is dequeued comes back as a record of its own.",
    "attachment": "`queued_command` is a message taken up while the agent works; every other one is a moment "
    "on the timeline.",
}
"""Record types that are read, and what becomes of them."""

KINDS_OF_SECRETS = {
    "private-key": "private keys in PEM form, also cut ones",
    "authorization": "`Authorization:` headers and bare `Bearer ...` and `Basic ...`",
    "cookie": "cookie headers and `--cookie`",
    "password": "values behind words like password, secret, token, api key: assignments, JSON and XML "
    "fields, Markdown, tables, sentences, YAML blocks, pairs of name and value, command line flags, "
    "`login ... password ...`, `sshpass -p`, `mysql -p`, `echo ... | sudo -S` and the like",
    "credential": "values behind the words credential and credentials",
    "secret": "single words behind a command that takes a secret there",
    "signature": "signature and key parameters of URLs",
    "url": "passwords, tokens and lone user names in URLs",
    "email": "e-mail addresses",
    "home": "home folders (`/home/x`, `/Users/x`, `C:\\Users\\x`, `-home-x-src`), shown as `~`",
}
"""Closed names of the redactor that are no token of a known make."""


def record_types() -> str:
    """Types that are read."""
    assert set(Reader(State(), "x.jsonl").handlers) == set(READ)
    return rows(("type", "what becomes of it"), ((f"`{name}`", text) for name, text in READ.items()))


def quiet_types() -> str:
    """Types that are known and give no operation."""
    return wrapped(code(sorted(words.QUIET)) + ".")


def system_notes() -> str:
    """Subtypes of system records that are operations."""
    return rows(("subtype", "operation"), ((f"`{k}`", f"note `{v}`") for k, v in words.SYSTEM_NOTES.items()))


def stream_notes() -> str:
    """Subtypes of system messages of a run that are operations."""
    return rows(("subtype", "operation"), ((f"`{k}`", f"note `{v}`") for k, v in words.STREAM_NOTES.items()))


def stream_quiet() -> str:
    """Types of messages of a run that are known and give no operation."""
    return wrapped(code(sorted(words.STREAM_QUIET)) + ".")


def user_kinds() -> str:
    """What a user record can be."""
    when = {
        "prompt": "a person's text in a main session",
        "automated": "the same where `entrypoint` begins with `sdk-`: a program's",
        "task": "the text that starts a sub-agent",
        "interrupt": "begins with `[Request interrupted by user`",
        "command": "begins with `<command-name` or `<bash-input`",
        "harness": "`isMeta`, or wrapped in one of the elements below",
        "summary": "`isCompactSummary`",
        "notification": "`origin.kind` is `task-notification`, or wrapped in `<task-notification`",
    }
    assert set(when) == set(words.USER_KINDS)
    return rows(
        ("a user record that is", "becomes", "by"),
        (
            (when[key], sort if sort == name else f"{sort} `{name}`", actor)
            for key, (actor, sort, name, _) in words.USER_KINDS.items()
        ),
    )


def wrappers() -> str:
    """Elements that the harness wraps its own texts in."""
    found = sorted(lexicon.load().words["wrappers"])
    assert len(found) > 10
    assert all(words.is_harness(f"<{name}>x</{name}>") for name in found)
    assert not words.is_harness("<thought>x</thought>")
    return wrapped(code(found) + ".")


def special_tools() -> str:
    """Tools that are more than a tool."""
    kinds: dict[str, list[str]] = {}
    for name, kind in words.KINDS.items():
        kinds.setdefault(kind, []).append(name)
    lines = [f"- kind `{kind}`: {code(names)}" for kind, names in kinds.items()]
    return "\n".join([*lines, f"- answered by a person, so their time is a wait: {code(sorted(words.ASKS))}"])


def limits() -> str:
    """Bounds of reading."""
    found = {
        "a line of a file": f"{files.MAX_LINE // 1024**2} MiB; a longer one is skipped and counted",
        "tokens of one kind in one call": f"{ABSURD:,}; more is damage, left out and counted",
        "ids that are taken to be unique everywhere": f"{words.UNIQUE_LENGTH} characters; shorter ones count "
        "inside their session",
        "certainty that a file is of a format": f"{discover.MIN_CERTAINTY}; below it is `unknown format`",
        "waiting before it counts as idle": f"{timeline.IDLE // 10**6} s; `--idle` sets another",
    }
    return rows(("what", "limit"), found.items())


def archive_limits() -> str:
    """What is refused of an archive of Inspect."""
    members = f"{archive.MAX_MEMBERS:,}; more, or a directory above {size(archive.MAX_DIRECTORY)}"
    found = {
        "members": f"{members}, and the archive is refused before it is read",
        "bytes a member grows to": f"{size(archive.MAX_MEMBER)}, by what comes out, not by what is told",
        "bytes all members grow to": size(archive.MAX_TOTAL),
        "names": "absolute ones, and those with `..`, a backslash, a colon or a zero byte",
        "packing": "stored, deflate, Zstandard; no encryption",
        "damage": "members whose checksum is wrong; archives without an end",
    }
    return rows(("what", "limit"), found.items())


def telemetry_limits() -> str:
    """How much is looked at of a file of telemetry."""
    most = message.FILE
    found = {
        "a file, or one message in it": size(most.bytes),
        "spans and log records in one file or message": f"{most.records:,}",
        "attributes, events and values in one record": f"{most.parts:,}",
        "nesting of a value": str(most.depth),
        "nesting of JSON": f"{otlp_json._DEEPEST} where a part of a file is too deep to be decoded as it is",
    }
    return rows(("what", "limit"), found.items())


def size(count: int) -> str:
    """A number of bytes in its largest whole unit."""
    return f"{count // 1024**3} GiB" if count % 1024**3 == 0 else f"{count // 1024**2} MiB"


def previews() -> str:
    """What is kept of texts, by mode."""
    head, tail = bounds.OUTPUT_HEAD, bounds.OUTPUT_TAIL
    limits = (
        ("prompts, and arguments of tools", f"first {bounds.ARGUMENTS:,} characters"),
        ("results of tools, and the agent's words", f"first {head} and last {tail} characters"),
        ("shell commands", f"first {bounds.COMMAND:,} characters"),
        ("descriptions of commands", f"first {bounds.DESCRIPTION} characters"),
    )
    return rows(
        ("text", "summary (default)", "metadata", "full"), ((*row, "nothing", "all") for row in limits)
    )


def secrets() -> str:
    """What the redactor looks for."""
    tokens = {name for name, *_ in marks._TOKENS}
    others = {row.name for row in marks.ROWS} - tokens - {"kept"}
    assert others <= set(KINDS_OF_SECRETS), others - set(KINDS_OF_SECRETS)
    listed = [text for name, text in KINDS_OF_SECRETS.items() if name in others]
    count = f"{len(marks._TOKENS)} patterns of {len(tokens)} makes"
    makes = f"tokens of a known make, {count}: {', '.join(sorted(tokens))}"
    return "\n".join(wrapped(f"- {text}").replace("\n", "\n  ") for text in [*listed, makes])


def finding_rule() -> str:
    """When several sessions fail at the same step."""
    return wrapped(
        f"A finding is a stage in which at least {findings.MIN_SESSIONS} sessions of one project and intent "
        f"each have at least {findings.MIN_FAILURES} operations with status `error` or `nonzero`. Findings "
        f"are ordered by what the stage cost in those sessions; at most {findings.MOST} are given."
    )


def vocabulary() -> str:
    """Closed names of intents and stages."""
    return wrapped(
        f"Intents ({len(intent.vocabulary())}): {code(sorted(intent.vocabulary()))}. "
        f"Stages: {len(stage.vocabulary())} names of a verb and an object, such as `test code`, `edit docs`, "
        f"`diagnose test failure`."
    )


def shard_limits() -> str:
    """When shards are made and merged."""
    return wrapped(
        f"Shards with fewer than {compact.SMALL:,} operations, or with more than half of their families "
        f"moved away, are merged when there are {compact.ENOUGH} of them, into shards of at most "
        f"{compact.MOST:,} operations. "
        f"A shard is two files: {code(f'{table}/NAME.parquet' for table in shards.TABLES)}."
    )


def map_keys(known: dict[str, str]) -> str:
    """Keys of a mapping file, and what they hold."""
    return rows(("key", "what it holds"), ((f"`{key}`", text) for key, text in known.items()))


def map_fields() -> str:
    """Fields that a mapping gives."""
    return wrapped(f"{code(mapping.FIELDS)}, and your own with a prefix, as `my.team`.")


TABLES: dict[str, Callable[[], str]] = {
    **adapters.TABLES,
    **compiling.TABLES,
    "map-places": lambda: map_keys(mapping.PLACES),
    "map-tokens": lambda: map_keys(mapping.TOKENS),
    "map-settings": lambda: map_keys(mapping.SETTINGS),
    "map-fields": map_fields,
    "record-types": record_types,
    "quiet-types": quiet_types,
    "system-notes": system_notes,
    "user-kinds": user_kinds,
    "wrappers": wrappers,
    "special-tools": special_tools,
    "stream-notes": stream_notes,
    "stream-quiet": stream_quiet,
    "limits": limits,
    "archive-limits": archive_limits,
    "telemetry-limits": telemetry_limits,
    "previews": previews,
    "secrets": secrets,
    "finding-rule": finding_rule,
    "vocabulary": vocabulary,
    "shards": shard_limits,
}

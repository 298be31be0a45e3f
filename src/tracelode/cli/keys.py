"""Which session does a word name, and what is the shortest word for a session?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from tracelode.cli.text import clean, width
from tracelode.errors import QueryError, UsageError

if TYPE_CHECKING:
    from tracelode.model.session import Session

LEAST, WIDEST = 8, 20
"""Characters that a short name of a root session has at least, and cells it takes at most."""
BETWEEN = ".."
"""Stands for the middle of a key in a short name; can be typed, and no shell reads it."""
MARK = "~"
"""Stands before the digest of a key in a short name."""
_OPERATION = re.compile(r"#[0-9]*$")
_DIGITS = 18


def short_keys(sessions: Iterable[Session]) -> dict[str, str]:
    """Short names of sessions that still tell them apart, and that resolve() takes.

    Args:
        sessions: all sessions of a workspace.

    Returns:
        Key, and root key, to its shortest unique start of at least 8 characters; where that is wide, to its
        ends around "..", or to its beginning and a digest. A sub-agent is named by the short names of its
        root and of itself, joined by "/".
    """
    items = list(sessions)
    roots = {item.root for item in items}
    others: set[str] = set()
    families: dict[str, set[str]] = {}
    for item in items:
        if item.key.startswith(item.root + "/"):
            families.setdefault(item.root, set()).add(item.key[len(item.root) + 1 :])
        elif item.key not in roots:
            others.add(item.key)
    # A start that only one root has names the root, however many sub-agents have it too.
    short = {**_shortened(others, roots | others), **_shortened(roots, roots)}
    for root, names in families.items():
        for name, shown in _shortened(names, names).items():
            short[f"{root}/{name}"] = f"{short[root]}/{shown}"
    return short


def _shortened(keys: set[str], among: set[str]) -> dict[str, str]:
    order = sorted(clean(key) for key in among)
    backwards = sorted(text[::-1] for text in order)
    short: dict[str, str] = {}
    for key in keys:
        text = clean(key)
        start = _start(text, order)
        if start is None or width(start) > WIDEST:
            start = _ends(text, order, backwards) or f"{_beginning(text)}{MARK}{_digest(key)}"
        short[key] = start
    return short


def _digest(key: str) -> str:
    return blake2b(key.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _alone(text: str, order: list[str]) -> int | None:
    """Characters of a text that no other one of an order starts with; None where there are none."""
    at = bisect_left(order, text)
    need = 0
    for near in order[max(0, at - 1) : at] + order[at + 1 : at + 2]:
        shared = 0
        while shared < min(len(text), len(near)) and text[shared] == near[shared]:
            shared += 1
        if shared == len(text):
            return None
        need = max(need, shared + 1)
    return need


def _start(text: str, order: list[str]) -> str | None:
    alone = _alone(text, order)
    if alone is None or not text:
        # The start of another key: only all of it names this one, and only if no other reads the same.
        return text if text and text not in order[bisect_left(order, text) + 1 :][:1] else None
    length = max(LEAST, alone)
    # What reads as SESSION#N would be taken for an operation.
    while length < len(text) and (_OPERATION.search(text[:length]) or text[length] == "#"):
        length += 1
    return text[:length]


def _ends(text: str, order: list[str], backwards: list[str]) -> str | None:
    alone = _alone(text[::-1], backwards)
    head, tail = text[:LEAST], text[-max(alone or 0, 4) :]
    shown = f"{head}{BETWEEN}{tail}"
    if not text or alone is None or len(head) + len(tail) > len(text) or width(shown) > WIDEST:
        return None
    at = bisect_left(order, shown)
    taken = at < len(order) and order[at].startswith(shown)
    return None if taken or BETWEEN in head + tail or head[-1] == "." or tail[0] == "." else shown


def _beginning(text: str) -> str:
    length = LEAST
    while width(text[:length]) > LEAST:
        length -= 1
    return text[:length]


def with_roots(everything: list[Session]) -> list[Session]:
    """The sessions, and one for every root of which only sub-agents are there.

    Args:
        everything: all sessions.

    Returns:
        The same, and behind them roots without an operation or a file, that last as long as their sub-agents.
    """
    import msgspec

    here = {item.key for item in everything}
    families: dict[str, list[Session]] = {}
    for item in everything:
        if item.root not in here:
            families.setdefault(item.root, []).append(item)
    made = []
    for root, members in families.items():
        starts = [s.started for s in members if s.started is not None]
        ends = [s.ended for s in members if s.ended is not None]
        head = msgspec.structs.replace(
            members[0], key=root, role="main", parent_operation=None, source="", operations=0, inherited=0,
            calls=0, started=min(starts, default=None), ended=max(ends, default=None),
        )  # fmt: skip
        made.append(head)
    return [*everything, *made]


def root_of(text: str, everything: list[Session]) -> str:
    """The key of the root session that a word names, as filters by session take it.

    Args:
        text: what resolve() takes.
        everything: all sessions.

    Returns:
        The key.

    Raises:
        QueryError: no session is named so.
        UsageError: several are, or a sub-agent is.
    """
    found = resolve(text, with_roots(everything))
    if found.key != found.root:
        raise UsageError(
            f"{text!r} names a sub-agent, and session is the root session with all of its sub-agents; "
            f"write it as --where session={short_keys(everything)[found.root]}"
        )
    return found.key


def place(text: str, everything: list[Session]) -> tuple[Session, int | None]:
    """The session, or the operation, that a word names.

    Args:
        text: what resolve() takes, or that with #N behind it; a key may hold a "#" itself.
        everything: all sessions.

    Returns:
        The session, and N or None.

    Raises:
        QueryError: no session is named so.
        UsageError: several are, or what is behind the last "#" is no number.
    """
    key, mark, number = text.rpartition("#")
    whole, counted = _exact(text, everything), number.isascii() and number.isdigit()
    if whole is None and counted and (session := _exact(key, everything)) is not None:
        return session, int(number[:_DIGITS])
    try:
        return whole or resolve(text, everything, ends=not counted), None
    except QueryError:
        if mark and not counted:
            raise UsageError(f"{text!r} is not SESSION#N; write it as 7f3a2b1c#41") from None
        if not mark:
            raise
        return resolve(key, everything), int(number[:_DIGITS])


def resolve(text: str, everything: list[Session], *, ends: bool = True) -> Session:
    """The session that a word names.

    Args:
        text: a key, a unique start of one, or a short name; roots go before sub-agents.
        everything: all sessions.
        ends: two ends of a key around ".." will do, as an earlier screen may have shown them.

    Returns:
        The session.

    Raises:
        QueryError: no session is named so.
        UsageError: several are.
    """
    if not text:
        raise UsageError("an empty word names no session; tracelode sessions --all lists them")
    exact = _exact(text, everything)
    if exact is not None:
        return exact
    near = _starting(text, everything) or _shown(text, everything, ends)
    roots = [s for s in near if s.key == s.root]
    if len(roots) == 1 or len(near) == 1:
        return (roots or near)[0]
    if not near:
        raise QueryError(f"no session starts with {text!r}; tracelode sessions --all lists them")
    short = short_keys(everything)
    some = ", ".join([*(short[s.key] for s in near[:3]), *(["..."] if len(near) > 3 else [])])
    raise UsageError(f"{text!r} starts {len(near)} sessions ({some}); write more of the key")


def _exact(text: str, everything: list[Session]) -> Session | None:
    raw = [s for s in everything if s.key == text]
    found = raw or [s for s in everything if clean(s.key) == text]
    return found[0] if len(found) == 1 else None


def _starting(text: str, everything: list[Session]) -> list[Session]:
    root, slash, name = text.partition("/")
    found = [
        s
        for s in everything
        if s.key.startswith(text)
        or (slash and s.root.startswith(root) and s.key.startswith(f"{s.root}/{name}"))
    ]
    return found or [s for s in everything if clean(s.key).startswith(text)]


def _shown(text: str, everything: list[Session], ends: bool) -> list[Session]:
    short = short_keys(everything)
    # Of some roots only sub-agents are there.
    found = [s for s in everything if text in (short[s.key], short[s.root])]
    head, between, tail = text.partition(BETWEEN)
    if found or not between or not ends:
        return found
    texts = [(clean(s.key), s) for s in everything]
    return [
        s for t, s in texts if len(t) >= len(head) + len(tail) and t.startswith(head) and t.endswith(tail)
    ]

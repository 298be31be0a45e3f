"""How do parts of a trace that lie in several files become one session, in order and each thing once?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tracelode.ingest.draft import Draft, Thread, absorb
from tracelode.model.operation import operation_id
from tracelode.model.ports import Tick
from tracelode.signals.told import repeats

_ASKED = ("call", "model")
Holding = Callable[[int], list[tuple[str, str]]]
"""Record id to (session key, root key) of the stored sessions that hold it."""


def traces(threads: Iterable[Thread]) -> set[str]:
    """Ids of the traces that operations of some sessions were recorded in."""
    return {t for thread in threads for d in thread.drafts.values() if (t := d.fields.get("trace"))}


def mark(trace: str) -> int:
    """The record id under which a session is found by a trace it holds a part of."""
    return int(operation_id("trace", trace), 16) - (1 << 63)


def joined(threads: Mapping[str, Thread], holding: Holding) -> dict[str, Thread]:
    """Sessions whose key is a trace's id, because their part of it names no session, join the one that
    another part names.

    Args:
        threads: session key to thread, of the files of one job.
        holding: looks up stored sessions.

    Returns:
        Session key to thread; a trace in several sessions stays apart from all of them.
    """
    found = dict(threads)
    homes: dict[str, set[str]] = {}
    for thread in threads.values():
        for trace in traces([thread]) - {thread.key}:
            homes.setdefault(trace, set()).add(thread.root)
    for key, thread in threads.items():
        own = traces([thread])
        if own != {key} or thread.root != key:
            continue
        known = homes.get(key) or {root for _, root in holding(mark(key)) if root != key}
        if len(known) == 1:
            home = known.pop()
            del found[key]
            _move(thread, home, found)
    return found


def rekeyed(
    texts: Mapping[tuple[str, str], list[str]], threads: Mapping[str, Thread]
) -> dict[tuple[str, str], list[str]]:
    """Whole texts under the sessions that their operations have now.

    Args:
        texts: (session key, operation id) to texts, as the files told them.
        threads: session key to thread, after joined().
    """
    homes = {ident: key for key, thread in threads.items() for ident in thread.drafts}
    return {(s if s in threads else homes.get(i, s), i): found for (s, i), found in texts.items()}


def _move(thread: Thread, home: str, threads: dict[str, Thread]) -> None:
    for draft in thread.drafts.values():
        draft.session = home
    if home in threads:
        absorb(threads[home], thread)
        return
    thread.key = thread.root = home
    threads[home] = thread


def take_in(family: dict[str, Thread], root: str, stored: Thread) -> None:
    """A stored session turned out to be a part of another one.

    Args:
        family: session key to thread, changed in place.
        root: key of the session it is a part of.
        stored: what was stored under the id of the trace.
    """
    _move(stored, root, family)


def settle(family: Mapping[str, Thread]) -> None:
    """Put operations and timeline in order of time, whatever file they came from.

    Args:
        family: sessions of one root; those without a trace keep the order of their files.
    """
    for thread in family.values():
        if traces([thread]):
            thread.drafts = {d.id: d for d in sorted(thread.drafts.values(), key=_place)}
            thread.ticks = in_order(thread.ticks)


def _place(draft: Draft) -> tuple[bool, int, bool, int]:
    """By start; at one moment prompts first, then what lies around the others."""
    started, ended = draft.started, draft.ended
    return started is None, started or 0, draft.kind != "prompt", -(ended or started or 0)


_ENDS = ("model", "tool", "human", "family", "other")
"""At one moment what something ended in comes before what only begins there."""


def in_order(ticks: Iterable[Tick]) -> list[Tick]:
    """Ticks by their moment, each once; those of one moment by what they end.

    Args:
        ticks: of one session, from several files.
    """
    return sorted(dict.fromkeys(ticks), key=lambda tick: (tick.at, _ENDS.index(tick.ends)))


def once(family: Mapping[str, Thread]) -> None:
    """Take away what other files tell better.

    Args:
        family: sessions of one root, changed in place.

    Source:
        formats: acceptance cases C2 and C3, across files.
    """
    found = repeats(d for thread in family.values() for d in thread.drafts.values())
    if not (found.twins or found.totals or found.wrappers):
        return
    drafts = {d.id: d for thread in family.values() for d in thread.drafts.values()}
    for lost, kept in found.twins.items():
        told = drafts[lost].fields
        if told.get("told_by") == "message":
            # the answer that mentions a tool says which call asked for it
            drafts[kept].fields.update({k: v for k, v in told.items() if k in _ASKED or k.endswith(".link")})
    for thread in family.values():
        for ident in [d for d in thread.drafts if d in found.twins or d in found.totals]:
            del thread.drafts[ident]
        for draft in thread.drafts.values():
            if draft.fields.get("call") in found.twins:
                draft.fields["call"] = found.twins[draft.fields["call"]]
        for ident in found.wrappers & thread.drafts.keys():
            draft = thread.drafts[ident]
            draft.kind = "note"
            for name in [m for m in draft.measures if m.startswith(("tokens.", "calls", "cost"))]:
                del draft.measures[name]

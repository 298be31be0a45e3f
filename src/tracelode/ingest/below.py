"""What did the tool calls of a family do below themselves? Joins its effects, and says where they lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tracelode.ingest.draft import Draft, Thread
from tracelode.ingest.effects import FOREVER, KINDS, ROLE, SURE, TOOLS, Call, Effect, assign
from tracelode.model.operation import Operation
from tracelode.store.schema import FRAMES

NEVER_RAN = "denied"
"""Status of a tool call that a person or rule refused."""


_PLACES = {name: place for place, (name, _) in enumerate(FRAMES)}
_INHERITED = tuple(_PLACES[name] for name in ("seg", "agent", "role", "stage", "focus", "tool"))
"""Columns of FRAMES that an effect takes from its tool call."""


def join(threads: Mapping[str, Thread], spawners: Mapping[str, tuple[str, str]]) -> Counter[str]:
    """Give the effects of a family the tool calls that they belong to, in place.

    Args:
        threads: session key to thread; inherited operations are marked.
        spawners: sub-agent session key to (parent session key, id of the operation that started it).

    Returns:
        Number of effects by how they were assigned; empty for a family without any.

    Source:
        docs/decisions/0014-effects.md.
    """
    drafts = [d for thread in threads.values() for d in _effects(thread)]
    if not drafts:
        return Counter()
    calls = (c for t in threads.values() if t.role != ROLE for c in _calls(t, spawners.get(t.key)))
    found = assign(calls, map(_effect, drafts))
    for draft in drafts:
        how, tool = found[draft.id]
        draft.fields["assigned"] = how
        if tool is not None:
            draft.parent = tool
        elif threads[draft.session].role == ROLE:
            draft.parent = draft.fields.get("process")
    return Counter(d.fields["assigned"] for d in drafts)


def doubt(thread: Thread, skew: int) -> None:
    """Make the starts of a log's processes less sure, in place: its clock may be another one.

    Args:
        thread: a session of effects.
        skew: microseconds.
    """
    for draft in thread.drafts.values():
        if draft.kind == "process" and draft.started is not None:
            slack = draft.fields.get("slack", "")
            draft.fields["slack"] = str(max(skew, int(slack) if slack.isdecimal() else 0))


def placed(
    rows: Iterable[tuple[Any, ...]], own: Sequence[Operation], seen: dict[str, tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Rows of one session, with the effects where the tool calls are that they were assigned to.

    Args:
        rows: rows of FRAMES, one an operation that is not inherited.
        own: the session's operations.
        seen: tool operation id to its row, of the sessions so far; those of this one are added.
    """
    session, lane, ident = _PLACES["session"], _PLACES["lane"], _PLACES["id"]
    made = list(rows)
    seen.update((row[ident], row) for row in made if row[_PLACES["kind"]] in TOOLS)
    above = {o.id: o.parent for o in own if o.fields.get("assigned") in SURE}
    for row in made:
        tool = seen.get(above.get(row[ident]) or "")
        if tool is not None:
            values = list(row)
            for place in _INHERITED:
                values[place] = tool[place]
            values[lane] = tool[session]
            row = tuple(values)
        yield row


def _effects(thread: Thread) -> Iterator[Draft]:
    """Effects of a log; of an agent's own trace only those that tell of a process or a tool."""
    for draft in thread.drafts.values():
        if draft.kind in KINDS and (thread.role == ROLE or "pid" in draft.fields or "cause" in draft.fields):
            yield draft


def _effect(draft: Draft) -> Effect:
    fields = draft.fields
    slack = fields.get("slack", "")
    return Effect(
        draft.id,
        fields.get("process"),
        draft.started,
        int(slack) if slack.isdecimal() else 0,
        fields.get("lineage") == "root",
        fields.get("cause"),
        draft.kind == "process",
    )


def _calls(thread: Thread, spawner: tuple[str, str] | None) -> Iterable[Call]:
    """Tool calls of one session that may have run."""
    last: int | None = None
    for draft in thread.drafts.values():
        issued = draft.kind in TOOLS and "tool" in draft.fields and not draft.inherited
        if issued and draft.status != NEVER_RAN:
            around = spawner[1] if spawner else None
            yield Call(draft.id, draft.started, draft.ended, -FOREVER if last is None else last, around)
        if draft.started is not None:
            last = draft.started

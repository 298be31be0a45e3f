"""How does a family (root session and sub-agents) become stored rows? The same steps, new or re-read."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from tracelode.ingest import attribute, below, spread
from tracelode.ingest.draft import Draft, Thread
from tracelode.ingest.effects import ROLE
from tracelode.ingest.lineage import outranked
from tracelode.ingest.naming import keyed
from tracelode.ingest.planned import place
from tracelode.ingest.timeline import (
    IDLE,
    Mark,
    charged,
    marks_of,
    pack,
    pieces_of,
    sweep,
    unpack,
)
from tracelode.model.annotation import Annotation
from tracelode.model.measure import NULLABLE, STORED, TIME_KINDS
from tracelode.model.operation import Operation, operation_id
from tracelode.model.ports import Segmenter, Tick
from tracelode.model.segment import Segment, Segmentation
from tracelode.model.session import Session
from tracelode.pricing.table import PriceTable
from tracelode.profile.label import Labels, declare, label
from tracelode.profile.name.intent import intent
from tracelode.profile.name.objects import Ladder
from tracelode.signals.outcome import proxy

_ENDS = ("other", "model", "human", "tool", "family")
_ANSWERS = ("answer", "denial")


class Rules(msgspec.Struct, kw_only=True):
    """What finishing a family depends on beside its records."""

    prices: PriceTable
    """Price table."""
    segmenter: Segmenter
    """Segmenter."""
    idle: int = IDLE
    """Idle limit in microseconds."""

    @property
    def version(self) -> str:
        """Changes when the stored rows of an unchanged family would."""
        return f"{self.cut}; prices {self.prices.version}; idle {self.idle / 1e6:g} s"

    @property
    def cut(self) -> str:
        """Name, version and parameters of the segmenter."""
        return f"{self.segmenter.name} {self.segmenter.version}"


class Finished(msgspec.Struct, kw_only=True):
    """A family ready to be stored."""

    root: str
    """Root session key."""
    sessions: list[tuple[Session, bytes, bytes]]
    """Each session with its packed timeline and its record ids (8-byte signed integers)."""
    operations: int
    """Own operations."""
    cuts: list[Segmentation] = []
    """How its sessions are cut."""
    ladders: dict[str, Ladder] = {}
    """What its segments may be called, by the key that its frames hold."""
    origin: str | None = None
    """Session that the root session was forked from."""
    effects: dict[str, int] = {}
    """Processes, files and hosts by how they were joined to tool calls; empty where there are none."""


def restore(
    operations: Iterable[Operation], sessions: Iterable[Session], ticks: Mapping[str, bytes]
) -> dict[str, Thread]:
    """Threads as they were before they were stored.

    Args:
        operations: the family's stored operations, by session and index.
        sessions: its sessions.
        ticks: packed timeline by session key.

    Returns:
        Session key to thread; inherited flags are kept on the drafts.
    """
    threads: dict[str, Thread] = {}
    for session in sessions:
        thread = Thread(session.key, session.root, session.agent)
        thread.role, thread.project, thread.source = session.role, session.project, session.source
        thread.spawner, thread.fork_of = session.parent_operation, session.fork_of
        thread.task, thread.outcome = session.task, session.outcome
        threads[session.key] = thread
    for o in operations:
        thread = threads[o.session]
        thread.drafts[o.id] = Draft(
            session=o.session, id=o.id, actor=o.actor, kind=o.kind, name=o.name, status=o.status,
            started=o.started, ended=o.ended, parent=o.parent, fields=o.fields, measures=o.measures,
            arguments=o.arguments, output=o.output, origin=o.origin, index=o.index, inherited=o.inherited,
        )  # fmt: skip
    for key, thread in threads.items():
        ids = list(thread.drafts)
        thread.ticks = [_tick(mark, ids) for mark in unpack(ticks.get(key))]
        attribute.gather(thread.drafts.values())
    return threads


def _tick(mark: Mark, ids: Sequence[str]) -> Tick:
    return Tick(
        mark.at,
        _ENDS[mark.ends],
        ids[mark.operation] if mark.operation >= 0 else None,
        tuple(ids[i] for i in mark.opens),
        tuple(ids[i] for i in mark.closes),
        mark.own,
    )


def finish(
    root: str,
    threads: Mapping[str, Thread],
    inherited: Mapping[str, set[str]],
    rules: Rules,
    verdict: tuple[str | None, str | None] | None = None,
    annotations: Mapping[str, Annotation] = MappingProxyType({}),
) -> tuple[Finished, list[Operation], list[tuple[Any, ...]]]:
    """Number, price, share, time, segment and name a family.

    Args:
        root: its key.
        threads: its sessions, with whole calls on the model operations.
        inherited: session key to ids owned by another session.
        rules: prices, segmenter, idle limit.
        verdict: (outcome, task) that the user gave the root session; it overrides the source.
        annotations: session key to the marks that count.

    Returns:
        (what the catalog keeps, operations of all sessions, rows of FRAMES of the own ones).
    """
    if verdict is not None:
        for thread in threads.values():
            thread.outcome, thread.task = verdict[0] or thread.outcome, verdict[1] or thread.task
    if not threads:
        return Finished(root=root, sessions=[], operations=0), [], []
    spread.once(threads)
    # effects come last: they show the frames of the tool calls they belong to
    order = sorted(threads.values(), key=lambda t: (t.role == ROLE, t.key != root, t.key))
    for thread in order:
        _disown(thread, inherited.get(thread.key, set()))
        attribute.price(thread.drafts.values(), rules.prices)
        attribute.share(thread.drafts.values())
    spawners = _link(threads)
    effects = below.join(threads, spawners)
    marks = {t.key: marks_of(t.ticks, {d.id: d.index for d in t.drafts.values()}) for t in order}
    _time(order, marks, spawners, rules.idle)
    main = threads.get(root)
    project = (main.project if main else "") or next((t.project for t in order if t.project), "")
    title = _intent(order)
    hint: str | None = None
    sessions: list[tuple[Session, bytes, bytes]] = []
    operations: list[Operation] = []
    frames: list[tuple[Any, ...]] = []
    ladders: dict[str, Ladder] = {}
    seen: dict[str, tuple[Any, ...]] = {}
    cuts: list[Segmentation] = []
    for thread in order:
        own = [_operation(draft) for draft in thread.drafts.values()]
        named: Labels | None = None
        if own and thread.role != ROLE:
            annotation = annotations.get(thread.key)
            marked = _marked(annotation, own)
            named = label(own, rules.segmenter, marked)
            cuts.append(_kept(thread.key, named.segmentation, annotation if marked else None))
            declare(own, named.segmentation)
            place(own)
        operations.extend(own)
        if thread is order[0]:
            hint = proxy([o for o in own if not o.inherited])
        task = thread.task or (main.task if main else None)
        known = (task, thread.outcome or (main.outcome if main else None), hint)
        keys = keyed(root, thread.project, own, named, ladders) if named else [None] * len(own)
        rows = _frames(thread, own, named, keys, (project, title, *known))
        frames.extend(below.placed(rows, own, seen) if effects else rows)
        session = _session(thread, own, project, title, spawners)
        records = (int(i, 16) - (1 << 63) for o in own for i in _record_ids(o))
        marks_of_traces = (spread.mark(t) for t in spread.traces([thread]) - {thread.key})
        ids = array("q", (*records, *marks_of_traces)).tobytes()
        sessions.append((session, pack(marks[thread.key]), ids))
    count = sum(s.operations for s, _, _ in sessions)
    forked = next((session.fork_of for session, _, _ in sessions if session.key == root), None)
    done = Finished(root=root, sessions=sessions, operations=count, effects=dict(effects))
    done.ladders, done.origin, done.cuts = ladders, forked, cuts
    return done, operations, frames


def _kept(session: str, cut: Segmentation, annotation: Annotation | None) -> Segmentation:
    """A session's cut as it is kept; one by marks says so, and has no segment where a path ends above it."""
    if annotation is None:
        return msgspec.structs.replace(cut, session=session)
    named = tuple(segment for segment in cut.segments if segment.name)
    return Segmentation(session, "marks", f"revision {annotation.revision}", named)


def _marked(annotation: Annotation | None, own: Sequence[Operation]) -> Sequence[Segment]:
    """The segments that were marked of a session; none where it became another one than was looked at."""
    if annotation is None:
        return ()
    from tracelode.profile.marks import to_segments  # few stores have any

    return to_segments(annotation, own) or ()


def _disown(thread: Thread, lost: set[str]) -> None:
    """Number the operations of a thread, and mark those that count elsewhere."""
    again = outranked({draft.origin.adapter for draft in thread.drafts.values()})
    if again:
        # copies stand behind what they repeat, whatever was read first; the time is the first telling's
        copies = {draft.id for draft in thread.drafts.values() if draft.origin.adapter in again}
        thread.drafts = {d.id: d for d in sorted(thread.drafts.values(), key=lambda d: d.id in copies)}
        thread.ticks = [tick for tick in thread.ticks if tick.operation not in copies]
    for index, draft in enumerate(thread.drafts.values()):
        draft.index = index
        told = draft.origin.adapter in again
        draft.inherited = draft.id in lost or "replayed" in draft.fields or told


def _record_ids(operation: Operation) -> Iterable[str]:
    """The ids by which other sessions may hold the same record."""
    yield operation.id
    yield from operation.fields.get("replay", "").split()


def _link(threads: Mapping[str, Thread]) -> dict[str, tuple[str, str]]:
    """Sub-agent session key to (parent session key, id of the operation that started it)."""
    found: dict[str, tuple[str, str]] = {}
    for thread in threads.values():
        for draft in thread.drafts.values():
            child = draft.fields.get("spawns")
            if child and child in threads and child != thread.key:
                found.setdefault(child, (thread.key, draft.id))
    places = {draft.id: thread.key for thread in threads.values() for draft in thread.drafts.values()}
    for thread in threads.values():
        if (
            thread.spawner
            and thread.key not in found
            and places.get(thread.spawner, thread.key) != thread.key
        ):
            parent = places[thread.spawner]
            found[thread.key] = (parent, thread.spawner)
            threads[parent].drafts[thread.spawner].fields.setdefault("spawns", thread.key)
    for key, (_, spawner) in found.items():
        threads[key].spawner = spawner
    return found


def _time(
    order: Sequence[Thread],
    marks: Mapping[str, list[Mark]],
    spawners: Mapping[str, tuple[str, str]],
    idle: int,
) -> None:
    covered: dict[str, dict[int, list[tuple[int, int]]]] = {}
    by_key = {thread.key: thread for thread in order}
    for child, (parent, spawner) in spawners.items():
        moments = [mark.at for mark in marks[child]]
        if moments:
            index = by_key[parent].drafts[spawner].index
            covered.setdefault(parent, {}).setdefault(index, []).append((min(moments), max(moments)))
    pieces = []
    for thread in order:
        asks = frozenset(d.index for d in thread.drafts.values() if d.fields.get("human") in _ANSWERS)
        ticking = charged(marks[thread.key], len(thread.drafts) - 1)
        pieces.append(pieces_of(ticking, asks, covered.get(thread.key), idle))
    shares = sweep(pieces)
    for number, thread in enumerate(order):
        for draft in thread.drafts.values():
            for name in TIME_KINDS:
                draft.measures.pop(name, None)
            times = shares.get((number, draft.index))
            if times and not draft.inherited:
                draft.measures.update(times)


def _intent(order: Sequence[Thread]) -> str:
    main = order[0]
    drafts = [d for d in main.drafts.values() if not d.inherited] or list(main.drafts.values())
    prompt: dict[str, str] = next((d.fields for d in drafts if d.kind == "prompt"), {})
    return intent([_operation(d) for d in drafts], prompt=prompt)


def _operation(draft: Draft) -> Operation:
    return Operation(
        session=draft.session, index=draft.index, id=draft.id, actor=draft.actor, kind=draft.kind,  # type: ignore[arg-type]
        name=draft.name, status=draft.status, started=draft.started, ended=draft.ended,  # type: ignore[arg-type]
        parent=draft.parent, fields=draft.fields, measures=draft.measures, arguments=draft.arguments,
        output=draft.output, origin=draft.origin, inherited=draft.inherited,
    )  # fmt: skip


def _session(
    thread: Thread,
    own: Sequence[Operation],
    project: str,
    title: str,
    spawners: Mapping[str, tuple[str, str]],
) -> Session:
    kept = [o for o in own if not o.inherited]
    moments = [m for o in kept for m in (o.started, o.ended) if m is not None]
    return Session(
        key=thread.key,
        root=thread.root,
        agent=thread.agent,
        role=thread.role,
        project=project,
        parent_operation=spawners[thread.key][1] if thread.key in spawners else thread.spawner,
        started=min(moments, default=None),
        ended=max(moments, default=None),
        operations=len(kept),
        inherited=len(own) - len(kept),
        calls=sum(o.measures.get("calls", 0) for o in kept),
        intent=title,
        task=thread.task,
        outcome=thread.outcome,
        proxy=proxy(kept) if thread.key == thread.root else None,
        fork_of=thread.fork_of if len(kept) < len(own) else None,
        source=thread.source,
    )


def _frames(
    thread: Thread,
    own: Sequence[Operation],
    named: Labels | None,
    keys: Sequence[str | None],
    shared: tuple[str | None, ...],
) -> Iterable[tuple[Any, ...]]:
    """Rows of FRAMES; shared: project, intent, task, outcome and proxy of the family. Effects are not cut."""
    project, title, task, outcome, hint = shared
    ends = {o.id: o.ended for o in own if o.kind == "model"}
    with_tools = {o.fields["call"] for o in own if "call" in o.fields}
    stages = named.stages if named else [None] * len(own)
    paths = named.paths if named else [()] * len(own)
    for o, stage, path, key in zip(own, stages, paths, keys, strict=True):
        if o.inherited:
            continue
        call = o.fields.get("call")
        at = ends.get(call) if call else None
        if at is None:
            at = o.ended if o.ended is not None else o.started
        measures = o.measures
        lower = 1 if o.kind == "model" and o.fields.get("usage_quality") == "lower_bound" else 0
        yield (
            thread.key, thread.root, o.index, o.id, at, o.fields.get("spawns"), "\x1f".join(path), None,
            project, thread.agent, thread.role, o.fields.get("model"), o.kind, o.status,
            title, stage, key, _tool(o, o.id in with_tools), task, outcome, hint,
            *(
                lower if name == "calls.lower_bound"
                else 1 if name == "operations"
                else measures.get(name) if name in NULLABLE else measures.get(name, 0)
                for name in STORED
            ),
        )  # fmt: skip


def _tool(operation: Operation, with_tools: bool) -> str:
    frame = operation.fields.get("frame")
    if frame is not None:
        return frame
    if operation.kind == "model":
        return "(model)" if with_tools else "(answer)"
    return f"({operation.kind})"


def spawner_id(agent: str, tool_use: str) -> str:
    """Id of the operation a sub-agent's side file names as the one that started it."""
    return operation_id(agent, tool_use)

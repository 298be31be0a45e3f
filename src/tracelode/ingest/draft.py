"""How do a source's items become the operations of one family, redacted before anything is kept?"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from tracelode.ingest.bounds import (
    ARGUMENTS,
    COMMAND,
    OUTPUT_HEAD,
    OUTPUT_TAIL,
    Cleaner,
    bounded,
    byte_length,
    kept_arguments,
    kept_fields,
    whole_arguments,
)
from tracelode.model.operation import Operation, Origin
from tracelode.model.ports import About, Change, Skip, Tick
from tracelode.model.report import Skipped
from tracelode.signals.enrich import enrich
from tracelode.signals.human import prompt_facts
from tracelode.signals.plan.keep import enrich_plan
from tracelode.signals.tools import tool_frame

OUTCOMES = ("success", "failure")
EARLIEST, LATEST = 31_536_000_000_000, 7_258_118_400_000_000
"""1971 and 2200 in UTC microseconds: a moment outside is damage."""
MOST, MOST_TOKENS, MOST_USES = 2**60, 10**10, 10**6
"""What one operation can measure at most; a larger figure is damage, and could not be summed."""
T = TypeVar("T", Operation, Change)


class Draft(msgspec.Struct, kw_only=True):
    """An operation while its family is being built; texts are redacted already."""

    session: str
    """Session key."""
    id: str
    """Stable id."""
    actor: str
    """Who."""
    kind: str
    """What sort."""
    name: str
    """Tool name, model id or closed word."""
    status: str
    """How it ended."""
    started: int | None
    """UTC microseconds."""
    ended: int | None
    """UTC microseconds."""
    parent: str | None
    """Id of the operation around it."""
    fields: dict[str, str]
    """Fields."""
    measures: dict[str, int]
    """Measures as the source told them, whole calls on the model operation."""
    arguments: str
    """Preview."""
    output: str
    """Preview."""
    origin: Origin
    """Where it came from."""
    index: int = 0
    """Place in its session."""
    inherited: bool = False
    """Owned by another session."""


class Thread:
    """One session of a family while it is being built.

    Args:
        key: session key.
        root: root session key.
        agent: the product.
    """

    def __init__(self, key: str, root: str, agent: str) -> None:
        self.key = key
        self.root = root
        self.agent = agent
        self.role = "main" if key == root else "subagent"
        self.project = ""
        self.source = ""
        self.spawner: str | None = None
        self.fork_of: str | None = None
        self.task: str | None = None
        self.outcome: str | None = None
        self.drafts: dict[str, Draft] = {}
        self.ticks: list[Tick] = []


class Builder:
    """Applies the items of one file to its thread.

    Args:
        redactor: the one choke point.
        path: the file as origins name it, already clean.
        agent: the product.
        threads: session key to thread; new ones are added.
        root: key of the family the file's sessions belong to, "" to believe the source.
    """

    def __init__(
        self, redactor: Cleaner, path: str, agent: str, threads: dict[str, Thread], root: str = ""
    ) -> None:
        self.root = root
        self.redactor = redactor
        self.path = path
        self.agent = agent
        self.threads = threads
        self.thread: Thread | None = None
        self.archive: dict[tuple[str, str], list[str]] | None = None
        """(session, id) to whole redacted input and result, where they are to be kept."""
        self.skipped: dict[str, Skipped] = {}
        self.renamed = False
        """Is a session's key not kept as the source tells it? Ids that are made of it cannot go on later."""

    def resume(self, thread: Thread) -> None:
        """Go on with a thread that was loaded from the store."""
        self.thread = thread

    def take(self, item: Operation | Change | Tick | Skip | About) -> None:
        """Apply one item."""
        if isinstance(item, Tick):
            if EARLIEST <= item.at <= LATEST:
                self._need().ticks.append(item)
        elif isinstance(item, Operation):
            self._operation(self._countable(self._in_range(item)))
            if self.archive is not None:
                self._keep(item.id, 0, whole_arguments(self.redactor, item))
                self._keep(item.id, 1, self.redactor.text(item.output))
        elif isinstance(item, Change):
            self._change(self._countable(self._in_range(item)))
            if self.archive is not None and item.output:
                self._keep(item.id, 1, self.redactor.text(item.output))
        elif isinstance(item, About):
            self._about(item)
        else:
            self.skip(item.line, item.reason, item.count)

    def _in_range(self, item: T) -> T:
        """An item without moments that no calendar of ours can show, which are counted."""
        wrong = {
            name: None
            for name in ("started", "ended")
            if (moment := getattr(item, name, None)) is not None and not EARLIEST <= moment <= LATEST
        }
        if not wrong:
            return item
        line = item.origin.line if isinstance(item, Operation) else 0
        self.skip(line, "moment out of range left out")
        return msgspec.structs.replace(item, **wrong)

    def _countable(self, item: T) -> T:
        """An item without measures that are no counts of anything, which are counted."""
        if all(type(value) is int and 0 <= value <= MOST_USES for value in item.measures.values()):
            return item
        wrong = [name for name, value in item.measures.items() if not _sound(name, value)]
        if not wrong:
            return item
        line = item.origin.line if isinstance(item, Operation) else 0
        self.skip(line, "absurd count left out", len(wrong))
        fields = item.fields
        if isinstance(item, Operation) and any(name.startswith("tokens.") for name in wrong):
            fields = {**fields, "usage_quality": "lower_bound"}
        measures = {name: value for name, value in item.measures.items() if name not in wrong}
        return msgspec.structs.replace(item, measures=measures, fields=fields)

    def skip(self, line: int, reason: str, count: int = 1) -> None:
        """Count something that could not be used; the first place is kept."""
        old = self.skipped.get(reason)
        if old is None:
            self.skipped[reason] = Skipped(self.path, line, reason, count)
        else:
            self.skipped[reason] = Skipped(self.path, old.line, reason, old.count + count)

    def _keep(self, ident: str, place: int, text: str) -> None:
        """Put a whole text into the archive, the first one given."""
        if self.archive is not None and text:
            texts = self.archive.setdefault((self._need().key, ident), ["", ""])
            texts[place] = texts[place] or text

    def _need(self) -> Thread:
        if self.thread is None:
            raise AssertionError("a source yielded an item before About")
        return self.thread

    def _about(self, about: About) -> None:
        key = self.redactor.name(about.session)
        self.renamed = self.renamed or key != about.session
        root = self.root or self.redactor.name(about.root)
        thread = self.threads.get(key)
        if thread is None:
            thread = self.threads[key] = Thread(key, root, self.agent)
            thread.role = about.role
        elif about.role == "subagent" and thread.role == "main":
            # the file of the agent that started it knows the family, its own file may not
            thread.role, thread.root = "subagent", root
        if about.task:
            thread.task = self.redactor.name(about.task)
        if about.outcome in OUTCOMES:
            thread.outcome = about.outcome
        if about.agent:
            thread.agent = self.redactor.name(about.agent)
        thread.source = self.path
        if about.project and not thread.project:
            thread.project = self.redactor.path(about.project)
        self.thread = thread

    def _operation(self, operation: Operation) -> None:
        thread = self._need()
        old = thread.drafts.get(operation.id)
        if old is not None:
            self._merge(old, operation)
            return
        redactor = self.redactor
        fields = kept_fields(redactor, operation.fields, thread.project)
        arguments = operation.arguments
        if arguments:
            arguments = kept_arguments(self.redactor, arguments, operation.kind)
        output = operation.output
        if output:
            output = bounded(redactor, output, OUTPUT_HEAD, OUTPUT_TAIL)
        draft = Draft(
            session=thread.key,
            id=operation.id,
            actor=operation.actor,
            kind=operation.kind,
            name=redactor.name(operation.name),
            status=operation.status,
            started=operation.started,
            ended=operation.ended,
            parent=operation.parent,
            fields=fields,
            measures=dict(operation.measures),
            arguments=arguments,
            output=output,
            origin=msgspec.structs.replace(operation.origin, path=self.path),
        )
        if "tool" in fields:
            draft.measures.setdefault("bytes.arguments", byte_length(operation.arguments))
            self._classify(draft, operation.fields)
        elif draft.kind == "prompt":
            fields.update(prompt_facts(redactor.start(operation.arguments, ARGUMENTS)))
        if "plan" not in fields:
            start, text = redactor.start, redactor.text
            enrich_plan(fields, draft.kind, start, text, operation.arguments, operation.output)
        thread.drafts[draft.id] = draft

    def _classify(self, draft: Draft, given: dict[str, str]) -> None:
        """Closed words of a tool call, from its redacted texts: also where those are not kept."""
        fields = draft.fields
        seen = dict(fields)
        for key in ("command", "description"):
            if given.get(key):
                seen[key] = self.redactor.start(given[key], COMMAND)
        enrich(seen, kind=draft.kind, status=draft.status)
        fields.update({key: seen[key] for key in ("verb", "path_role") if key in seen})
        fields.setdefault("frame", tool_frame(fields["tool"], seen.get("command", "")))

    def _merge(self, old: Draft, new: Operation) -> None:
        kept = old.measures.get("tokens.output", -1)
        if new.measures.get("tokens.output", 0) >= kept:
            old.measures.update(new.measures)
        fields = kept_fields(self.redactor, new.fields, self._need().project)
        if old.fields.get("usage_quality") == "final":
            fields["usage_quality"] = "final"
        old.fields.update(fields)
        if new.ended is not None:
            old.ended = new.ended if old.ended is None else max(old.ended, new.ended)
        if new.output and not old.output:
            old.output = bounded(self.redactor, new.output, OUTPUT_HEAD, OUTPUT_TAIL)
        if new.arguments and not old.arguments:
            old.arguments = kept_arguments(self.redactor, new.arguments, old.kind)
        enrich_plan(old.fields, old.kind, self.redactor.start, self.redactor.text, new.arguments, new.output)

    def _change(self, change: Change) -> None:
        drafts = self._need().drafts
        draft = drafts.get(change.id)
        if draft is None:
            self.skip(0, "result for an operation that is not stored")
            return
        if change.dropped:
            del drafts[change.id]
            return
        if change.onward:
            self._onward(change, drafts)
            return
        if change.status is not None:
            draft.status = change.status
        if change.name is not None:
            draft.name = self.redactor.name(change.name)
        if change.ended is not None:
            draft.ended = change.ended
        if change.fields:
            draft.fields.update(kept_fields(self.redactor, change.fields, self._need().project))
        draft.measures.update(change.measures)
        if change.output:
            draft.measures["bytes.output"] = byte_length(change.output)
            if not draft.output:
                draft.output = bounded(self.redactor, change.output, OUTPUT_HEAD, OUTPUT_TAIL)
        if "tool" in draft.fields:
            enrich(draft.fields, kind=draft.kind, status=draft.status, output=change.output or "")
            start, text = self.redactor.start, self.redactor.text
            enrich_plan(draft.fields, draft.kind, start, text, result=change.output or "")

    def _onward(self, change: Change, drafts: dict[str, Draft]) -> None:
        """Set fields on an operation and on every later one."""
        fields = kept_fields(self.redactor, change.fields, self._need().project)
        reached = False
        for draft in drafts.values():
            reached = reached or draft.id == change.id
            if reached:
                draft.fields.update(fields)


def _sound(name: str, value: int) -> bool:
    """Can a measure of one operation be this?"""
    few = name == "calls" or name.startswith("uses.")
    most = MOST_TOKENS if name.startswith("tokens.") else MOST_USES if few else MOST
    return type(value) is int and 0 <= value <= most


def absorb(old: Thread, new: Thread) -> None:
    """Add to a stored thread what another read of the same session brought.

    Args:
        old: changed in place.
        new: the same session, as another file tells it.
    """
    for draft in new.drafts.values():
        kept = old.drafts.get(draft.id)
        if kept is None:
            old.drafts[draft.id] = draft
            continue
        if kept.arguments and not draft.arguments:
            # a result without its call: what was told of the call stays
            draft.measures.pop("bytes.arguments", None)
            draft.fields = {**draft.fields, **kept.fields}
        if draft.measures.get("tokens.output", 0) >= kept.measures.get("tokens.output", -1):
            kept.measures.update(draft.measures)
        plan = max(draft.fields.get("plan", ""), kept.fields.get("plan", ""), key=len)
        kept.fields.update({**draft.fields, "plan": plan} if plan else draft.fields)
        kept.output, kept.arguments = kept.output or draft.output, kept.arguments or draft.arguments
        if kept.ended is None:
            kept.ended, kept.status = draft.ended, draft.status
    if not all(map(_alike, old.ticks, new.ticks)):
        again, start = {_moment(tick) for tick in new.ticks}, new.ticks[0].at
        left = [tick for tick in old.ticks if _moment(tick) not in again]
        # of what was told before and is not any more, late moments must not hide those that are told
        late = [tick for tick in left if len(left) < len(old.ticks) and tick.at > start]
        old.ticks = [*(tick for tick in left if tick not in late), *new.ticks, *late]
    elif len(new.ticks) > len(old.ticks):
        # the same file, which grew and was read as a whole again
        old.ticks = list(new.ticks)
    old.project = old.project or new.project
    old.spawner = old.spawner or new.spawner
    old.task = new.task or old.task
    old.outcome = new.outcome or old.outcome


def _moment(tick: Tick) -> tuple[object, ...]:
    """What a tick is known by where it is told twice."""
    return tick.at, tick.ends, tick.opens, tick.closes, tick.own


def _alike(old: Tick, new: Tick) -> bool:
    """Is a tick one that was told before? What is stored has an operation where none was named."""
    return _moment(old) == _moment(new) and new.operation in (None, old.operation)


def reclassify(thread: Thread) -> None:
    """Set the closed words of a thread's tool calls and prompts again from what is stored."""
    for draft in thread.drafts.values():
        fields = draft.fields
        if "tool" in fields and (fields.get("command") or fields.get("frame") == fields["tool"]):
            fields.pop("verb", None)
            fields.pop("path_role", None)
            enrich(fields, kind=draft.kind, status=draft.status)
            fields["frame"] = tool_frame(fields["tool"], fields.get("command", ""))
        elif draft.kind == "prompt" and draft.arguments:
            fields.pop("said", None)
            fields.pop("asked", None)
            fields.update(prompt_facts(draft.arguments))

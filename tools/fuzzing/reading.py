"""Does one damaged file get through the pipeline: found, read, redacted, priced, timed, named, written?"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

import tracelode
from fuzzing.findings import Broken
from fuzzing.made import Made
from fuzzing.values import CANARY
from tracelode import registry
from tracelode.files import Records, head
from tracelode.ingest.cleaning import cleaned
from tracelode.ingest.draft import Builder, Thread
from tracelode.ingest.work import Worker
from tracelode.model.measure import STORED
from tracelode.model.operation import Operation
from tracelode.model.ports import Line
from tracelode.store.schema import FRAMES, MEASURES

_COUNTED = frozenset({"calls", "calls.lower_bound", "operations"})
"""Measures that the rows of views alone have."""
_PLACE = {name: place for place, (name, _) in enumerate(FRAMES)}


class Watching(Worker):
    """A worker whose operations and frames can be looked at before they are written."""

    operations: list[Operation]
    frames: list[tuple[Any, ...]]

    def _closed(self, root: str, threads: dict[str, Thread], lost: dict[str, set[str]]) -> Any:
        finished, operations, frames = super()._closed(root, threads, lost)
        self.operations.extend(operations)
        self.frames.extend(frames)
        return finished, operations, frames


class Reading:
    """A pipeline over a store in which nothing is ever committed: every file is new.

    Args:
        folder: for the store and the file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "h").mkdir(parents=True)
        self.workspace = tracelode.open(folder / "s", tz="UTC")
        self._importer = self.workspace._import()
        self._worker = Watching(self._importer.settings)
        self._importer._here = self._worker
        self.baseline: dict[bytes, list[Any]] = {}
        """Good file to the facts of its operations."""

    def run(self, made: Made, suffix: str, base: bytes) -> frozenset[str]:
        """Read a damaged file and hold what came of it against everything that must hold.

        Args:
            made: the file.
            suffix: of its name.
            base: the good file that it was made of.

        Returns:
            What was said of it, to tell files that differ in kind.

        Raises:
            Broken: something does not hold.
        """
        results = self._pass(made.data, suffix)
        operations, frames = self._worker.operations, self._worker.frames
        skipped = [s for row in results[1] for s in row.skipped]
        lines = made.data.count(b"\n") + 1
        packed = "packed" in made.steps
        check_operations(operations, None if packed else lines)
        check_frames(operations, frames)
        check_skips(skipped, None if packed else lines)
        partial = any(row.adapter and _layout(row.adapter) != "document" for row in results[1])
        if made.data and not operations and not skipped and not partial:
            # of lines, and of parts of a session, more may follow
            raise Broken("nothing came of a file and nothing was said", f"{len(made.data)} bytes")
        for secret in made.secrets:
            kept = [repr(operations), repr(frames), repr(results)]
            if any(secret in text for text in kept):
                raise Broken(
                    "a secret got through", f"{secret}: {_holder(operations, frames, results, secret)}"
                )
        if made.garbage:
            self._good_kept(base, suffix, operations, skipped, made.garbage)
        return frozenset(
            (*(s.reason for s in skipped), *(f"{o.kind} {o.status} {len(o.fields)}" for o in operations))
        )

    def holds(self, data: bytes, suffix: str) -> set[str]:
        """By what a file's sessions are found again: their keys, roots, traces and the ids of their records.

        Args:
            data: the file.
            suffix: of its name.
        """
        self._pass(data, suffix)
        found = {o.session for o in self._worker.operations} | {o.id for o in self._worker.operations}
        return found | {o.fields["trace"] for o in self._worker.operations if "trace" in o.fields}

    def certain(self, suffix: str) -> int:
        """How many sources are certain that the file read last is theirs."""
        first = head(self.folder / "h" / f"file{suffix}")
        return sum(registry.load("sources", name).sniff(first) >= 1 for name in registry.names("sources"))

    def _pass(self, data: bytes, suffix: str) -> tuple[list[Any], list[Any]]:
        """(results of the worker, rows of sources) of one file."""
        path = self.folder / "h" / f"file{suffix}"
        path.write_bytes(data)
        self._worker.operations, self._worker.frames = [], []
        plan = self._importer._plan([path], None, None, None)
        results = [self._worker.run([job]) for job in plan.jobs]
        for name in ("operations", "frames", "contents"):
            shutil.rmtree(self.folder / "s" / name, ignore_errors=True)
        return results, [*plan.rows, *(row for result in results for row in result.sources)]

    def _good_kept(
        self, base: bytes, suffix: str, operations: list[Operation], skipped: list[Any], garbage: int
    ) -> None:
        """Garbage between good lines costs itself: the operations are those of the good file."""
        got = [_facts(o) for o in operations]
        if base not in self.baseline:
            self._pass(base, suffix)
            self.baseline[base] = [_facts(o) for o in self._worker.operations]
        if got != self.baseline[base]:
            raise Broken("garbage between good lines changed them", _first_other(self.baseline[base], got))
        counted = sum(s.count for s in skipped)
        if counted < garbage:
            raise Broken("garbage lines were not counted", f"{counted} of {garbage}")

    def in_pieces(self, source: str, data: bytes, rng: random.Random) -> None:
        """A file of lines that is read in two pieces tells what it tells in one.

        Args:
            source: name of the source.
            data: the file.
            rng: chooses where the first piece ends.

        Raises:
            Broken: it does not.
        """
        adapter = registry.load("sources", source)
        if _layout(source).endswith("document"):
            return
        path = self.folder / "h" / "pieces"
        path.write_bytes(data)
        lines = list(Records(path))
        if len(lines) < 2:
            return
        place = rng.randrange(1, len(lines))
        whole, pieces = self._told(adapter, (lines,)), self._told(adapter, (lines[:place], lines[place:]))
        if whole != pieces:
            raise Broken("reading on differs from reading once", _first_other(whole, pieces))

    def _told(self, adapter: Any, parts: Iterable[Sequence[Line]]) -> list[Any]:
        """What an adapter tells of lines that come in parts, its state kept between them."""
        threads: dict[str, Thread] = {}
        state, thread, reasons = adapter.fresh(), None, set[str]()
        for part in parts:
            builder = Builder(self._worker.redactor, "file", adapter.agent, threads)
            if thread is not None:
                builder.resume(thread)
            for item in adapter.read(part, state, "file"):
                builder.take(item)
            thread = builder.thread
            # what is told of a sum is told again with the next sum: the words count, not how often
            reasons |= builder.skipped.keys()
            if builder.renamed:
                return []  # such a file is read as a whole again
            text = msgspec.msgpack.encode(cleaned(state, self._worker.redactor))
            state = msgspec.msgpack.decode(text, type=type(state))
        found: list[Any] = [sorted(reasons)]
        for key, one in sorted(threads.items()):
            found.append((key, one.root, one.role, one.project, one.task, one.outcome))
            found.extend(one.drafts.values())
        return found


def _layout(source: str) -> str:
    """How a source lays sessions into files."""
    return str(registry.load("sources", source).layout)


def _facts(operation: Operation) -> Any:
    """An operation without its line, and the id that may come of it: both move with the lines before it."""
    return (
        operation.session, operation.index, operation.kind, operation.name, operation.status,
        operation.started, operation.ended, operation.fields, operation.measures, operation.arguments,
        operation.output,
    )  # fmt: skip


def _first_other(wanted: Sequence[Any], got: Sequence[Any]) -> str:
    """The first place at which two lists differ."""
    for number, (one, two) in enumerate(zip(wanted, got, strict=False)):
        if one != two:
            return f"at {number}: {one!r} -> {two!r}"
    return f"{len(wanted)} -> {len(got)}"


def _holder(operations: list[Operation], frames: list[Any], results: list[Any], secret: str) -> str:
    """Where a secret was found."""
    for operation in operations:
        for name in operation.__struct_fields__:
            if secret in repr(getattr(operation, name)):
                return f"{operation.kind}.{name} {getattr(operation, name)!r}"[:300]
    for frame in frames:
        for (name, _), value in zip(FRAMES, frame, strict=True):
            if secret in repr(value):
                return f"frame {name} {value!r}"[:300]
    text = repr(results)
    at = text.index(secret)
    return f"results {text[max(0, at - 200) : at + 60]}"


def check_operations(operations: Iterable[Operation], lines: int | None) -> None:
    """Integers are integers, never negative, and can be stored; texts can be written; lines exist.

    Args:
        operations: what was made.
        lines: of the file; None where they are not known.

    Raises:
        Broken: one is not so.
    """
    for o in operations:
        for name, value in o.measures.items():
            if type(value) is not int or not 0 <= value < 2**62:
                raise Broken("a measure is no sound integer", f"{o.kind} {name} {value!r}")
        for moment in (o.started, o.ended):
            if moment is not None and type(moment) is not int:
                raise Broken("a moment is no integer", repr(moment))
        texts = (
            o.session,
            o.id,
            o.name,
            o.parent or "",
            o.arguments,
            o.output,
            *o.fields,
            *o.fields.values(),
        )
        for text in texts:
            if type(text) is not str:
                raise Broken("a text is none", f"{o.kind} {text!r}")
            try:
                text.encode()
            except UnicodeEncodeError:
                raise Broken("a text that cannot be written", f"{o.kind} {text!r}") from None
        if lines is not None and not 1 <= o.origin.line <= lines:
            raise Broken("an operation from a line that is not there", f"{o.kind} {o.origin.line} of {lines}")


def check_frames(operations: Iterable[Operation], frames: Iterable[Sequence[Any]]) -> None:
    """What the views add up is what the operations that count hold; a parent is never its own.

    Args:
        operations: of all families.
        frames: rows of FRAMES.

    Raises:
        Broken: a sum differs.
    """
    own = [o for o in operations if not o.inherited]
    rows = list(frames)
    ids = {(o.session, o.index) for o in own}
    if {(row[_PLACE["session"]], row[_PLACE["idx"]]) for row in rows} != ids or len(rows) != len(ids):
        raise Broken("the rows of views are not the own operations", f"{len(rows)} of {len(ids)}")
    for measure, name in zip(STORED, MEASURES, strict=True):
        shown = sum(row[_PLACE[name]] or 0 for row in rows)
        if shown < 0 or any((row[_PLACE[name]] or 0) < 0 for row in rows):
            raise Broken("a view shows a negative number", measure)
        kept = sum(o.measures.get(measure, 0) for o in own)
        if kept != shown and measure not in _COUNTED:
            raise Broken("views do not add up to the operations", f"{measure}: {kept} -> {shown}")


def check_skips(skipped: Iterable[Any], lines: int | None) -> None:
    """What was skipped is counted and located, and no message quotes a file.

    Args:
        skipped: rows of Skipped.
        lines: of the file; None where they are not known.

    Raises:
        Broken: one is not so.
    """
    for one in skipped:
        if one.count < 1 or one.line < 0 or (lines is not None and one.line > lines):
            raise Broken("a skip without a count or a place", f"{one.reason}: line {one.line}, {one.count}")
        if CANARY in one.reason or len(one.reason) > 120 or not one.reason.isprintable():
            raise Broken("a message that quotes a file", one.reason)

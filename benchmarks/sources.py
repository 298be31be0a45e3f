"""How fast does each source read, and does its memory stay as it is when a file grows?

Run: python benchmarks/sources.py [--data DIR] [--json]; DIR holds transcripts and traces, in any folders.
The largest file of each source is read, and telemetry that is made here; only the adapter is measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from measure import Failed, wait_until_quiet
from report import MEGA, ROOT, Figure, Report, finish, machine, options, say
from telemetry import write
from workload import Absent, work_folder

from tracelode.files import Records, head, open_stream
from tracelode.ingest.discover import MIN_CERTAINTY, sources
from tracelode.model.ports import About, Line

DATA = ROOT.parent / "shared" / "data" / "native"
OWN = ROOT / "tests" / "sources" / "samples"
"""Small samples that every source has; they stand in where DIR has none."""
SPEED = 60.0
"""Bar: MB a second of CPU time, on content-heavy files."""
HEAVY = 50_000
"""Smaller samples hold little content, so the bars are not meant for them."""
TIMES = 4
"""How many times as long the longer file is."""
GROWTH = 1.25
"""Bar: peak memory of the longer file of lines beside that of the file itself."""
_IDS = re.compile(
    rb"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{16,40}\b"
    rb"|\b(?:msg|toolu|srvtoolu|call|req|resp|item|chatcmpl|fc|rs|ws|ctc)_[A-Za-z0-9_-]{8,}"
)


@dataclass(frozen=True)
class Least(Figure):
    """A figure that should not be smaller than its bar."""

    @property
    def met(self) -> bool | None:
        """Whether the bar holds, None where there is none."""
        return None if self.bar is None or self.value is None else self.value >= self.bar


@dataclass(frozen=True)
class Sample:
    """A file to read."""

    source: str
    """Name of the source."""
    path: Path
    """The file."""
    kind: str
    """sample, own sample, or what was made."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self.source if self.kind == "sample" else f"{self.source}, {self.kind}"


@dataclass(frozen=True)
class Row:
    """What reading one sample costs."""

    name: str
    """The source, and what it read where that is no sample of --data."""
    layout: str
    """Layout of the source."""
    lines: bool
    """It reads line by line; otherwise the whole file is one record."""
    bytes: int
    """Decompressed bytes of the sample."""
    items: int
    """Items that the adapter gave."""
    speeds: list[float]
    """MB a second of CPU time, one a run."""
    peak: int
    """Peak traced bytes while the sample is read and its items are dropped."""
    longer: int | None
    """The same of a file TIMES as long, None where no longer one can be made."""
    record: int
    """Bytes of the largest record."""

    @property
    def speed(self) -> float:
        """The middle run."""
        return statistics.median(self.speeds)

    @property
    def growth(self) -> float | None:
        """How many times the memory the longer file takes."""
        return None if self.longer is None else self.longer / self.peak


@dataclass
class Findings(Report):
    """The report with a line a source."""

    rows: list[Row] = field(default_factory=list)
    """What was measured."""

    def answer(self) -> dict[str, Any]:
        """The report as JSON."""
        found = [{**asdict(r), "speed": r.speed, "growth": r.growth, "times": TIMES} for r in self.rows]
        return {**super().answer(), "sources": found}

    def show(self, *, as_json: bool) -> None:
        """Print the report."""
        if as_json:
            print(json.dumps(self.answer(), indent=1))
            return
        this = machine()
        print(f"{self.name}: {this['cores']} cores, Python {this['python']}, load {self.load:.2f}")
        table = [_HEAD, *map(_cells, self.rows)]
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        for row in table:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            print("  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), *cells[2:]]).rstrip())
        for name in self.missed:
            print(f"MISSED: {name}")
        for note in self.notes:
            print(f"note: {note}")


_HEAD = (
    "source", "layout", "kB", "items", "MB/s", "least", "most", "memory kB", f"{TIMES} x kB", "growth",
    "of record",
)  # fmt: skip


def _cells(row: Row) -> tuple[str, ...]:
    longer = "-" if row.longer is None else f"{row.longer / 1e3:,.0f}"
    growth = "-" if row.growth is None else f"{row.growth:.2f} x"
    speeds = (row.speed, min(row.speeds), max(row.speeds))
    counts = (f"{row.bytes / 1e3:,.0f}", f"{row.items:,}", *(f"{speed:.0f}" for speed in speeds))
    memory = (f"{row.peak / 1e3:,.0f}", longer, growth, f"{row.peak / row.record:.1f} x")
    return row.name, row.layout, *counts, *memory


# samples ----------------------------------------------------------------------------------------------


def samples(folder: Path, work: Path, telemetry: float) -> list[Sample]:
    """The largest file of each source, and telemetry.

    Args:
        folder: where samples lie, at any depth; need not exist.
        work: folder for what is made.
        telemetry: megabytes of telemetry to make, 0 for none.

    Returns:
        Samples by the names of their sources.
    """
    found = {**_largest(OWN, "own sample"), **_largest(folder, "sample")}
    made = [Sample("otel", path, kind) for kind, path in write(work, telemetry)]
    return sorted([*found.values(), *made], key=lambda sample: (sample.source, sample.kind != "sample"))


def _largest(folder: Path, kind: str) -> dict[str, Sample]:
    adapters = sources()
    found: dict[str, tuple[int, Sample]] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        first, size = head(path), path.stat().st_size
        scores = {name: adapters[name].sniff(first) for name in adapters}
        name = max(scores, key=lambda name: (scores[name], name))
        if scores[name] >= MIN_CERTAINTY and size > found.get(name, (0, None))[0]:
            found[name] = size, Sample(name, path, kind)
    return {name: sample for name, (_, sample) in found.items()}


# measuring --------------------------------------------------------------------------------------------


def measured(sample: Sample, work: Path, runs: int, seconds: float) -> Row:
    """What one sample costs.

    Args:
        sample: the file.
        work: folder for the longer file.
        runs: runs that count, after one that does not.
        seconds: CPU time of a run, at least.

    Raises:
        Failed: nothing in it could be read.
    """
    source = sources()[sample.source]
    lines = list(_lines(source, sample.path))
    size = sum(len(line.data) + 1 for line in lines)

    def read() -> int:
        return sum(1 for _ in source.read(lines, source.fresh(), sample.path.name))

    items = read()
    if not items:
        raise Failed(f"{sample.source}: {sample.path.name} gave nothing")
    speeds = [size / _cpu(read, seconds) / MEGA for _ in range(runs)]
    peak = _peak(source, sample.path)
    data = longer(source, sample.path)
    aside = work / "longer"
    if data is not None:
        aside.write_bytes(data)
    most = max(len(line.data) for line in lines)
    return Row(
        name=sample.name,
        layout=source.layout,
        lines=not _whole(source),
        bytes=size,
        items=items,
        speeds=speeds,
        peak=peak,
        longer=None if data is None else _peak(source, aside),
        record=most,
    )


def _whole(source: Any) -> bool:
    return bool(source.layout.endswith("document"))


def _lines(source: Any, path: Path) -> Iterator[Line]:
    """The records of a file as its source wants them, read one after another."""
    if not _whole(source):
        yield from Records(path)
        return
    with open_stream(path) as stream:
        yield Line(1, 0, stream.read())


def _cpu(read: Callable[[], object], seconds: float) -> float:
    """CPU seconds of one read: the mean of as many as fill the time."""
    gc.collect()
    count, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds or not count:
        read()
        count += 1
    return spent / count


def _peak(source: Any, path: Path) -> int:
    """Peak traced bytes while a file is read from disk and every item is dropped.

    The tracer sees what Python allocates; memory of the protobuf library's own is not in it.
    """
    gc.collect()
    tracemalloc.start()
    try:
        for _ in source.read(_lines(source, path), source.fresh(), "x"):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def longer(source: Any, path: Path, times: int = TIMES) -> bytes | None:
    """A file of the same format that goes on for longer: its records again, with ids of their own.

    Args:
        source: the adapter.
        path: the file.
        times: how many times as long.

    Returns:
        The bytes: lines again, or, of one JSON value, the entries of its largest list; None where the
        format is neither. The session of a format with one a file stays the same one.
    """
    with open_stream(path) as stream:
        data = stream.read()
    kept: set[bytes] = set()
    if source.layout == "session":
        items = source.read(Records(path), source.fresh(), "x")
        about = [f"{i.session} {i.root}".encode() for i in items if isinstance(i, About)]
        kept = {found for text in about for found in _IDS.findall(text)}
    root = [_decoded(data)] if _whole(source) else [None]
    if root == [None]:
        if data[:1] not in (b"{", b"["):
            return None
        lines = data if data.endswith(b"\n") else data + b"\n"
        return b"".join(_renamed(lines, number, kept) for number in range(times))
    holder, key = _longest(root)
    if holder is None:
        return None
    entries = msgspec.json.encode(holder[key])
    holder[key] = [
        one for number in range(times) for one in msgspec.json.decode(_renamed(entries, number, kept))
    ]
    return msgspec.json.encode(root[0])


def _decoded(data: bytes) -> Any:
    """What a file of one JSON value says, None for any other."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return None


def _longest(root: list[Any]) -> tuple[Any, Any]:
    """Where the list lies that takes most of a value: (what holds it, its key); (None, None) for none."""
    best: tuple[int, Any, Any] = (0, None, None)
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(child, list) and len(child) > 1:
                best = max(best, (len(msgspec.json.encode(child)), node, key), key=lambda found: found[0])
            elif isinstance(child, dict | list):
                waiting.append(child)
    return best[1], best[2]


def _renamed(data: bytes, number: int, kept: set[bytes]) -> bytes:
    """Bytes in which every id is another one, the same everywhere."""
    digits = b"0123456789"
    turned = bytes.maketrans(digits, digits[number:] + digits[:number])
    return _IDS.sub(lambda match: match[0] if match[0] in kept else match[0].translate(turned), data)


def run(given: argparse.Namespace, work: Path) -> Findings:
    """Measure everything."""
    load = wait_until_quiet(given.load_below, given.wait)
    report = Findings("sources", load=load)
    found = samples(given.data, work, given.telemetry)
    rows: list[Row] = []
    for sample in found:
        say(f"{sample.name}: {sample.path.name}")
        rows.append(measured(sample, work, given.runs, given.seconds))
    report.rows = rows
    for row in rows:
        heavy = row.bytes >= HEAVY
        report.figures.append(Least(f"{row.name}: speed", row.speed, "MB/s", SPEED if heavy else None))
        bar = GROWTH if heavy and row.lines else None
        report.figures.append(Figure(f"{row.name}: growth", row.growth, "x", bar))
    missing = sorted(set(sources()) - {sample.source for sample in found})
    if missing:
        report.notes.append(f"no sample: {', '.join(missing)}")
    documents = dict.fromkeys(sample.source for sample in found if _whole(sources()[sample.source]))
    report.notes.append(f"whole documents, whose memory grows with the file: {', '.join(documents)}")
    bars = f"{SPEED:.0f} MB/s at least; for lines, memory of {TIMES} x as long at most {GROWTH} x"
    report.notes.append(f"bars, for samples from {HEAVY:,} bytes on: {bars}")
    return report


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=5)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with samples")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a run at least (0.5)")
    parser.add_argument("--telemetry", type=float, default=20, help="MB of telemetry that is made (20)")
    given = parser.parse_args()
    try:
        with work_folder(given.work) as work:
            return finish(run(given, work), given)
    except (Absent, Failed) as error:
        say(f"sources: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())

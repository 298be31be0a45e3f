"""What does recording an event cost, beside a bare write of the same JSON, logging and structlog?

Run: python benchmarks/recorder.py [--events N] [--processes N] [--json] [--check]

The bound is a bare os.write of json.dumps of the same event to an O_APPEND descriptor: no recorder of JSON
Lines that loses nothing goes far below it. Cases take turns in rounds; a median is over all calls.
Several processes then write one file: how many events are not there whole?
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measure import wait_until_quiet
from report import Figure, Report

from tracelode.record import Recorder
from tracelode.record.event import new_id, stamp

BAR = 60.0
"""Microseconds an event, 500 characters of payload, redaction on, no fsync."""
HOOK = 50.0
"""Milliseconds of CPU that a hook command takes, with all that it leaves behind."""
CODE = "recorder, summary, code"
MANY = "recorder, summary, code of many files"
SIZE = 500
ROUNDS = 10
TEXT = """
load the table of orders and count rows by day then fill what is missing with the median of its group
check that no column knows the future train a model compare it with the last write figures to out/a.csv
"""
WORDS = TEXT.split()
LINES = (
    'key = request.args.get("order_id")',
    "    if key is None:",
    '        raise ValueError("order_id is required")',
    'row = db.execute("SELECT * FROM orders WHERE id = :id", {"id": key}).fetchone()',
    "async def fetch(session: ClientSession, url: str, retries: int = 3) -> bytes:",
    "    for attempt in range(retries):",
    "assert answer.status == 200, f'{url} did not answer after {retries} tries'",
    "12 passed, 1 skipped in 3.41s",
    "for token in tokens: counts[token] += 1",
    "return {name: value for name, value in sorted(items, key=lambda pair: pair[1])}",
)
"""Lines of programs of our own, and of what they print."""
SECRET = "sk-ant-api03-" + "abcDEF0123456789" * 3


def texts(seed: int, secret: bool = False) -> Iterator[str]:
    """Different texts of SIZE characters."""
    lot = random.Random(seed)
    while True:
        text = " ".join(lot.choice(WORDS) for _ in range(120))[: SIZE - 70 * secret]
        yield f"{text} {SECRET}" if secret else text


def code(seed: int) -> Iterator[str]:
    """Texts of SIZE characters that look like a program: names, signs and quotes, and words such as key."""
    lot = random.Random(seed)
    while True:
        yield "".join(f"{lot.choice(LINES)}\n" for _ in range(20))[:SIZE]


def many(seed: int) -> Iterator[str]:
    """Pieces of SIZE characters of the standard library's modules, mixed: few words come again soon."""
    lot, pieces = random.Random(seed), []
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        pieces += [text[at : at + SIZE] for at in range(0, len(text) - SIZE, SIZE)]
    lot.shuffle(pieces)
    while True:
        yield from pieces


def bare(folder: Path) -> Callable[[str], object]:
    """json.dumps and os.write, nothing else."""
    fd = os.open(folder / "bare.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    dumps, write = json.dumps, os.write

    def call(text: str) -> object:
        row = {
            "session_id": "s", "event_id": new_id(), "timestamp": stamp(time.time_ns() // 1_000),
            "actor": "agent", "event_type": "execute", "node_id": "1/1", "parent_node_id": None,
            "status": "running", "payload": {"tool": "t", "description": text, "attempt": 1},
        }  # fmt: skip
        return write(fd, dumps(row).encode() + b"\n")

    return call


def recorder(folder: Path, redact: str) -> Callable[[str], object]:
    """One event of the recorder."""
    session = Recorder(folder / redact, redact=redact, durability="none").session("s")

    def call(text: str) -> object:
        payload = {"tool": "t", "description": text, "attempt": 1}
        return session.record("agent", "execute", "1/1", None, "running", payload)

    return call


def logged(folder: Path) -> Callable[[str], object]:
    """The standard library's logging: its file handler flushes every record, and redacts nothing."""
    logger = logging.getLogger("benchmark")
    handler = logging.FileHandler(folder / "logging.jsonl")
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return lambda text: logger.info(json.dumps({"event_id": new_id(), "tool": "t", "description": text}))


def structured(folder: Path) -> Callable[[str], object]:
    """structlog with its JSON renderer and bytes logger; it redacts nothing."""
    import structlog

    stream = open(folder / "structlog.jsonl", "ab")  # noqa: SIM115  open as long as the script
    logger: Any = structlog.wrap_logger(
        structlog.BytesLogger(stream),
        processors=[
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.JSONRenderer(serializer=lambda row, **_: json.dumps(row).encode()),
        ],
    )
    return lambda text: logger.info("execute", event_id=new_id(), tool="t", description=text)


def timed(call: Callable[[str], object], source: Iterator[str], calls: int) -> list[int]:
    """Nanoseconds of every call."""
    given = [next(source) for _ in range(calls)]
    clock, found = time.perf_counter_ns, []
    for text in given:
        begin = clock()
        call(text)
        found.append(clock() - begin)
    return found


def costs(report: Report, folder: Path, events: int) -> None:
    """Enter what an event costs."""
    cases: dict[str, tuple[Callable[[str], object], bool]] = {
        CODE: (recorder(folder / "code", "summary"), False),
        MANY: (recorder(folder / "many", "summary"), False),
        "bare os.write of json.dumps (bound)": (bare(folder), False),
        "recorder, summary": (recorder(folder, "summary"), False),
        "recorder, full": (recorder(folder, "full"), False),
        "recorder, metadata": (recorder(folder, "metadata"), False),
        "recorder, a secret in every text": (recorder(folder / "dirty", "summary"), True),
        "logging.FileHandler, no redaction": (logged(folder), False),
    }
    if find_spec("structlog") is not None:
        cases["structlog JSON, no redaction"] = (structured(folder), False)
    else:
        report.notes.append("structlog is not installed: its row is left out")
    found: dict[str, list[int]] = {name: [] for name in cases}
    sources = {name: texts(i, dirty) for i, (name, (_, dirty)) in enumerate(cases.items())}
    sources[CODE], sources[MANY] = code(1), many(1)
    for name, (call, _) in cases.items():
        timed(call, sources[name], 200)
    for _ in range(ROUNDS):
        for name, (call, _) in cases.items():
            found[name] += timed(call, sources[name], max(1, events // ROUNDS))
    for name, spent in found.items():
        spent.sort()
        bar = BAR if name in ("recorder, summary", CODE, MANY) else None
        report.figures.append(Figure(f"{name}: median", spent[len(spent) // 2] / 1_000, "us", bar))
        report.figures.append(Figure(f"{name}: p99", spent[len(spent) * 99 // 100] / 1_000, "us"))


def _write(place: str, events: int) -> None:
    session = Recorder(place, durability="none").session("same")
    source = texts(os.getpid())
    for i in range(events):
        payload = {"n": i, "description": next(source)}
        session.record("agent", "execute", "1/1", status="running", payload=payload)


def whole(report: Report, folder: Path, processes: int, events: int) -> None:
    """Enter how many events of several processes that share one file are not there, whole, once."""
    place = folder / "shared.jsonl"
    begin = time.monotonic()
    running = [multiprocessing.get_context("spawn").Process(target=_write, args=(str(place), events))
               for _ in range(processes)]  # fmt: skip
    for one in running:
        one.start()
    for one in running:
        one.join()
    spent = time.monotonic() - begin
    seen = set()
    broken = 0
    for line in place.read_bytes().splitlines():
        try:
            row = json.loads(line)
            seen.add((row["writer"], row["payload"]["n"]))
        except (ValueError, KeyError):
            broken += 1
    name = f"{processes} processes x {events:,} events into one file"
    report.figures += [
        Figure(f"{name}: lost", processes * events - len(seen), "events", 0),
        Figure(f"{name}: broken", broken, "lines", 0),
        Figure(f"{name}: wall", spent, "s"),
    ]


def hook(report: Report, folder: Path) -> None:
    """Enter what one call of the hook command of Claude Code costs, from its start to its end."""
    told = {
        "session_id": "11111111-2222-4333-8444-555555555501", "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": "pytest -q tests && git status --short"},
        "tool_response": {"stdout": "\n".join(LINES)},
    }  # fmt: skip
    # what the command leaves to a child is done here, so that it is counted
    words = "import sys, json; from tracelode.record.hook import take_turn"
    command = [sys.executable, "-c", f"{words}; take_turn(json.load(sys.stdin.buffer), wait=True)"]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"TRACELODE_DIR": str(folder / "hook"), "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    data, found = json.dumps(told).encode(), []
    for number in range(21):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=data, env=env, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if number:
            # the first one compiles the modules, as an installation does
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    median = sorted(found)[len(found) // 2] * 1_000
    report.figures.append(Figure("hook command: CPU, median of 20", median, "ms", HOOK))


def main() -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000, help="events of each case, and of each process")
    parser.add_argument("--processes", type=int, default=8, help="writers of one file")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--load-below", type=float, help="wait until the load average is below this")
    parser.add_argument("--wait", type=float, default=20, help="but no longer than these minutes (20)")
    given = parser.parse_args()
    report = Report("recorder", load=wait_until_quiet(given.load_below, given.wait))
    with tempfile.TemporaryDirectory() as place:
        costs(report, Path(place), given.events)
        hook(report, Path(place))
        whole(report, Path(place), given.processes, given.events)
    report.show(as_json=given.json)
    return 1 if given.check and report.missed else 0


if __name__ == "__main__":
    sys.exit(main())

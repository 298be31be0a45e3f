"""How does an Inspect log become sessions?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tracelode.lenient import decode
from tracelode.making import Maker
from tracelode.model.ports import About, Item, Line, Skip
from tracelode.runs import Run, items_of
from tracelode.sources.inspect.archive import Archive, Refused
from tracelode.sources.inspect.conversation import runs_of_messages
from tracelode.sources.inspect.records import Log, Sample, Spec
from tracelode.sources.inspect.transcript import Texts, events_of, prompt_of, runs_of_events
from tracelode.sources.inspect.words import outcome_of

NAME = "inspect"
HEADERS = ("header.json", "_journal/start.json")
"""Members that tell what was evaluated; the first one is there once the evaluation is over."""
SAMPLES = "samples/"
"""Folder of the samples in an archive."""
QUIET = ("summaries.json", "reductions.json", "_journal/")
"""Beginnings of the names of members that repeat what others tell."""
_MAGIC = b"PK\x03\x04"


def read_log(file: Line, path: str) -> Iterator[Item]:
    """Items of one log.

    Args:
        file: the whole file.
        path: the file as origins name it.
    """
    maker = Maker(NAME, NAME, path)
    if file.data.startswith(_MAGIC):
        yield from _archive(file.data, maker)
        return
    found, complaints = decode(file.data, Log)
    for reason in complaints:
        yield Skip(1, reason)
    for log in found:
        for sample in log.samples or []:
            yield from _sample(sample, log.eval or Spec(), maker)


def _archive(data: bytes, maker: Maker) -> Iterator[Item]:
    refused: Counter[str] = Counter()
    try:
        archive = Archive(data)
    except Refused as why:
        yield Skip(1, str(why))
        return
    refused.update(archive.refused)
    spec = Spec()
    for name in HEADERS:
        log = _member(archive, name, refused) if name in archive.members else None
        if log is not None:
            found, complaints = decode(log, Log)
            refused.update(complaints)
            spec = next((f.eval for f in found if f.eval is not None), spec)
            break
    for name in archive.names():
        if name.startswith(SAMPLES) and name.endswith(".json"):
            member = _member(archive, name, refused)
            if member is not None:
                samples, complaints = decode(member, Sample)
                refused.update(complaints)
                for sample in samples:
                    yield from _sample(sample, spec, maker)
        elif name not in HEADERS and not name.startswith(QUIET):
            refused["unknown member of the archive"] += 1
    for reason, count in refused.items():
        yield Skip(1, reason, count)


def _member(archive: Archive, name: str, refused: Counter[str]) -> bytes | None:
    try:
        return archive.read(name)
    except Refused as why:
        refused[str(why)] += 1
        return None


def _sample(sample: Sample, spec: Spec, maker: Maker) -> Iterator[Item]:
    complaints: list[str] = []
    key = _key(sample, spec)
    maker.session = key
    task = f"{spec.task}/{sample.id}" if spec.task and isinstance(sample.id, str | int) else spec.task
    yield About(key, key, "", task=task, outcome=outcome_of(sample), agent=spec.solver or "")
    texts = Texts(sample)
    events = events_of(sample)
    if events:
        runs, prompts = runs_of_events(events, key, texts, complaints)
        first = prompt_of(sample, key, events, texts)
        prompts = [first, *prompts] if first is not None else prompts
        _compare(sample, runs, complaints)
    else:
        runs, prompts = runs_of_messages(sample, spec, key, texts, complaints), []
    yield from items_of(runs, maker, prompts)
    complaints += ["attachment that the log does not hold"] * texts.missing
    for reason, count in Counter(complaints).items():
        yield Skip(1, reason, count)


def _key(sample: Sample, spec: Spec) -> str:
    """A sample's own id; without one, the evaluation's with the sample's place in it."""
    if sample.uuid:
        return sample.uuid
    of = spec.eval_id or "-".join(part for part in (spec.run_id, spec.task_id) if part) or "unknown"
    return f"{of}/{sample.id}/{sample.epoch or 1}"


def _compare(sample: Sample, runs: list[Run], complaints: list[str]) -> None:
    """Flag calls that the sample's own sums know and its events do not."""
    told = sum((u.input_tokens or 0) + (u.output_tokens or 0) for u in (sample.model_usage or {}).values())
    found = sum(n for run in runs for name, n in run.measures.items() if name.startswith("tokens."))
    if told > found:
        complaints.append("usage of a sample exceeds that of its calls, calls kept")

"""How does a test read a log of processes, files and hosts without a store, in any pieces?"""

from __future__ import annotations

import msgspec

from reading import lines_of
from tracelode import registry
from tracelode.ingest.cleaning import cleaned
from tracelode.ingest.draft import Builder, Draft, Thread
from tracelode.model.ports import Line
from tracelode.redact.fast import Redactor


def told(name: str, data: bytes | str, *cuts: int) -> tuple[dict[str, Draft], dict[str, tuple[int, int]]]:
    """Operations by a short name, and what was skipped: reason to (first line, how often).

    Between two cuts the state is cleaned and saved as an import does.
    """
    data = data if isinstance(data, bytes) else data.encode()
    source, threads = registry.load("sources", name), dict[str, Thread]()
    state, start, redactor = source.fresh(), 0, Redactor()
    lines = [Line(1, 0, data)] if source.layout == "document" else lines_of(data)
    skipped: dict[str, tuple[int, int]] = {}
    for cut in (*cuts, len(lines)):
        builder = Builder(redactor, "x", source.agent, threads)
        for item in source.read(lines[start:cut], state, "x"):
            builder.take(item)
        for skip in builder.skipped.values():
            old = skipped.get(skip.reason, (skip.line, 0))
            skipped[skip.reason] = (old[0], old[1] + skip.count)
        clean = cleaned(state, redactor)
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(clean), type=type(state))
        start = cut
    drafts = [d for thread in threads.values() for d in thread.drafts.values()]
    return {short(d): d for d in drafts}, skipped


def short(draft: Draft) -> str:
    what = draft.fields.get("path") or draft.fields.get("domain") or draft.name
    return f"{draft.fields['pid']} {what}"

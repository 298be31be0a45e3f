"""What does a store know, what does it lack, and how exact are its figures?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from tracelode.ingest.discover import Found, Names, local_roots, sources, walk
from tracelode.model.report import Doctor, Skipped
from tracelode.redact.fast import Redactor
from tracelode.store.below import effects
from tracelode.store.catalog import Catalog, SourceRow


class _Prompt(msgspec.Struct):
    sessionId: str | None = None


def examine(catalog: Catalog, asker: Any, unpriced: dict[str, int]) -> Doctor:
    """Look at the store and at the histories on this machine.

    Args:
        catalog: the store's catalog.
        asker: engine over its shards.
        unpriced: tokens without a price by model.

    Returns:
        Counts only; nothing is read into the store.

    Source:
        formats, acceptance case A22; accounting: a cost in the source is shown, never added.
    """
    known = catalog.sources()
    found = Doctor(files=len(known), unpriced=unpriced, quality=asker.quality(), effects=effects(asker))
    _histories(found, known)
    _prompts(found, {session.root for session in catalog.sessions()})
    found.unknown = sum(1 for row in known.values() if not row.adapter)
    found.skipped = _by_reason(s for row in known.values() for s in row.skipped)
    return found


def _histories(found: Doctor, known: dict[str, SourceRow]) -> None:
    adapters = sources()
    roots = local_roots()
    names = Names(Path.home(), roots)
    redactor = Redactor()
    seen: set[str] = set()
    prefixes: set[str] = set()
    for source, folder in roots:
        files = [f for f in walk([folder], names, tuple(adapters[source].suffixes)) if isinstance(f, Found)]
        here = {redactor.path(f.name) for f in files}
        seen |= here
        prefixes.add(Names.prefix(source) + ":")
        missing = sum(1 for name in here if name not in known)
        found.histories.append((source, redactor.path(str(folder)), len(here), missing))
    found.gone = sum(1 for name in known if name not in seen and name.startswith(tuple(prefixes)))


def _prompts(found: Doctor, roots: set[str]) -> None:
    """Sessions named in history.jsonl, which survives the agent's own clean-up of transcripts."""
    named: set[str] = set()
    for _, folder in local_roots():
        path = folder.parent / "history.jsonl"
        try:
            if path.stat().st_size > 1 << 28:
                continue
            for line in path.read_bytes().splitlines():
                try:
                    prompt = msgspec.json.decode(line, type=_Prompt)
                except msgspec.DecodeError:
                    continue
                if prompt.sessionId:
                    named.add(prompt.sessionId)
        except OSError:
            continue
    found.prompted = len(named)
    found.prompted_only = len(named - roots)


def _by_reason(skipped: Iterable[Skipped]) -> list[Skipped]:
    reasons: dict[str, Skipped] = {}
    for item in skipped:
        old = reasons.get(item.reason)
        count = item.count + (old.count if old else 0)
        reasons[item.reason] = Skipped(
            old.path if old else item.path, old.line if old else item.line, item.reason, count
        )
    return sorted(reasons.values(), key=lambda s: (-s.count, s.reason))

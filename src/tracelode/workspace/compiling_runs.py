"""How are runs read from a store: light for finding intents, whole for compiling one?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from tracelode.compile.normalise.runs import Counts, Texts, runs
from tracelode.compile.work import Declared, Options
from tracelode.model.compiled import Reading
from tracelode.model.intent import Intent
from tracelode.model.operation import Operation
from tracelode.model.run import Run, ToolSpec
from tracelode.model.session import Session

SPECS: tuple[ToolSpec, ...] = ()


def light(
    asker: Any, sessions: Sequence[Session], specs: Sequence[ToolSpec] = SPECS
) -> tuple[list[Run], Reading]:
    """Runs with what was asked and called, and without what tools answered; no source is read again.

    Args:
        asker: reads the store.
        sessions: which.
        specs: what tools say of themselves.

    Returns:
        (runs by key, what was read). Arguments are the stored previews.
    """
    from tracelode.store.series import series

    operations = series(asker, [s.key for s in sessions], outputs=False)

    def previews(key: str) -> Texts:
        return {o.id: (o.arguments, o.output) for o in operations.get(key, ())}

    return _read(sessions, operations, previews, specs)


def whole(
    asker: Any,
    contents: Any,
    sessions: Sequence[Session],
    specs: Sequence[ToolSpec] = SPECS,
    known: Mapping[str, list[Operation]] | None = None,
) -> tuple[list[Run], Reading]:
    """Runs with whole arguments and outputs, read again from the archive or their sources.

    Args:
        asker: reads the store.
        contents: the content port.
        sessions: of one intent, and logs of effects that belong to them.
        specs: what tools say of themselves.
        known: operations of these sessions, where they are read already.

    Returns:
        (runs by key, what was read and what is gone).
    """
    from tracelode.ingest.wholes import wholes
    from tracelode.store.series import series

    operations = series(asker, [s.key for s in sessions]) if known is None else known
    read = {s.key for s in sessions if s.role != "effects"}
    texts = wholes(contents, {key: found for key, found in operations.items() if key in read})

    def content(key: str) -> Texts:
        return {ident: (one.arguments, one.output) for ident, one in texts.get(key, {}).items()}

    found, reading = _read(sessions, operations, content, specs)
    return found, msgspec.structs.replace(reading, sources=dict(sorted(contents.gone.items())))


def _read(
    sessions: Sequence[Session],
    operations: Mapping[str, list[Operation]],
    content: Any,
    specs: Sequence[ToolSpec],
) -> tuple[list[Run], Reading]:
    counts = Counts()
    # what comes out of a store or its content port was redacted on the way
    found = runs(sessions, lambda key: operations.get(key, []), content, specs, counts, cleaner=str)
    reading = Reading(
        sessions=counts.sessions,
        effects=counts.effects,
        empty=counts.empty,
        runs=len(found),
        calls=counts.calls,
        gone=counts.gone,
        large=counts.large,
    )
    return found, reading


def intent_of(runs: Sequence[Run], options: Options, declared: Declared) -> Intent:
    """Runs as one intent, whatever they ask for.

    Args:
        runs: one or more.
        options: settings.
        declared: priors.

    Returns:
        The intent, with the id that finding it would have given.
    """
    from tracelode.compile.effects import Knowledge
    from tracelode.compile.signatures import signature

    known = Knowledge(runs, declared)
    keys = tuple(sorted(run.key for run in runs))
    counts = Counter(name for run in runs for name in {call.name for call in run.calls})
    return Intent(
        id="i_" + blake2b("\n".join(keys).encode(), digest_size=4).hexdigest(),
        name="named runs",
        runs=keys,
        tools=tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
        writes=tuple(sorted({tool for run in runs for tool in signature(run, known)})),
        provisional=len(runs) < options.fewest,
    )


def copied(reading: Reading, troubles: Sequence[tuple[str, int, str]]) -> Reading:
    """A reading with what could not be used of declarations.

    Args:
        reading: of runs.
        troubles: (file, line, why).
    """
    return msgspec.structs.replace(reading, troubles=tuple(troubles))

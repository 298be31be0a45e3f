"""Which runs ask for the same thing? By request and tools, by what they change, by what was done.

Forks of one run count once. Then three steps. Runs with calls are grouped by average linkage over their
masked requests and tools. A group whose runs change different things is cut (signatures.py). Coding sessions
that are then alone, as most are, since people put every request in other words, are grouped by what the
session was: what it was asked, what it edited, which programs it ran (sessions.py). What is still alone stays
alone, and is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from tracelode.compile import clusters
from tracelode.compile.copies import unforked
from tracelode.compile.documents import grams, masked, tools
from tracelode.compile.effects import Knowledge
from tracelode.compile.sessions import session_key, session_name
from tracelode.compile.shared_words import phrase
from tracelode.compile.signatures import Signature, parted, signature
from tracelode.compile.work import Options, State, Work
from tracelode.model.intent import Intent, Neighbour
from tracelode.model.run import Run
from tracelode.signals.tools import is_shell

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
FEWEST = 3
"""Runs of an intent that is provisional."""
NEAR = 3
"""Closest runs outside that are told of an intent."""
SIMILARITY: Mapping[str, float] = {"text": 0.50, "text+tools": 0.65}
"""Mean cosine from which two groups are one, where the caller gives none."""


def intents(state: State) -> State:
    """Find the intents of all runs, and make a work of each.

    Args:
        state: runs and options.

    Returns:
        The same with intents by size, works in the same order, and the keys of runs that are of no intent.

    Raises:
        MissingExtra: scipy is not installed.
        PluginError: the embeddings plug-in cannot be loaded, or gives no vectors.

    Source:
        compile: S1 intent discovery.
    """
    runs = sorted({run.key: run for run in state.runs}.values(), key=lambda run: run.key)
    able, forks = unforked([run for run in runs if run.calls])
    least = min(FEWEST, state.options.fewest)
    known = Knowledge(runs, state.declared)
    signatures = [signature(run, known) for run in able]
    vectors = _vectors(able, state.options)
    groups: list[tuple[list[int], str]] = []
    for group in _grouped(vectors, state.options):
        groups.extend((part, "") for part in parted(group, signatures, vectors) if len(part) >= least)
    groups.extend(_sessions(able, groups, signatures, vectors, least))
    groups.sort(key=lambda group: (-len(group[0]), group[0]))
    found = _told(able, groups, signatures, vectors, state.options)
    by_key = {run.key: run for run in runs}
    of = {key for intent in found for key in intent.runs}
    shown = [run for run in runs if run.effects or run.observed]
    works = tuple(
        Work(
            intent=intent,
            runs=tuple(by_key[key] for key in intent.runs),
            others=_others(shown, intent),
            options=state.options,
            declared=state.declared,
        )
        for intent in found
    )
    alone = tuple(run.key for run in (*(r for r in runs if not r.calls), *able) if run.key not in of)
    return replace(state, intents=found, alone=tuple(sorted(alone)), works=works, forks=forks)


def _others(shown: Sequence[Run], intent: Intent) -> tuple[Run, ...]:
    """Runs of elsewhere that show what tools change."""
    own = frozenset(intent.runs)
    return tuple(run for run in shown if run.key not in own)


def _vectors(runs: Sequence[Run], options: Options) -> Any:
    """One row for each run: its request, with its tools where they count."""
    texts = [masked(run.request) for run in runs]
    name = options.embedder
    said = _embedded(texts, name) if name else clusters.weighted([grams(text) for text in texts])
    if options.variant == "text":
        return clusters.side_by_side([said], [[1.0 if text else 0.0 for text in texts]])
    called = clusters.weighted([tools(run) for run in runs])
    halves = [0.5 if text else 0.0 for text in texts]
    return clusters.side_by_side([said, called], [halves, [1.0 - half for half in halves]])


def _embedded(texts: Sequence[str], name: str) -> Any:
    from tracelode import registry
    from tracelode.errors import PluginError

    vectors = registry.load("embedders", name).embed(texts)
    if len(vectors) != len(texts):
        raise PluginError(f"the embedder {name!r} gave {len(vectors)} vectors for {len(texts)} texts")
    return clusters.unit(vectors)


def _grouped(vectors: Any, options: Options) -> list[list[int]]:
    least = SIMILARITY[options.variant] if options.similarity is None else options.similarity
    groups: dict[int, list[int]] = {}
    for n, label in enumerate(clusters.linked(vectors, least)):
        groups.setdefault(label, []).append(n)
    return list(groups.values())


def _sessions(
    runs: Sequence[Run],
    groups: Iterable[tuple[Sequence[int], str]],
    signatures: Sequence[Signature],
    vectors: Any,
    least: int,
) -> list[tuple[list[int], str]]:
    """Coding sessions of no group that were the same kind of work."""
    taken = {n for group, _ in groups for n in group}
    keys: dict[tuple[str, ...], list[int]] = {}
    for n, run in enumerate(runs):
        key = session_key(run) if n not in taken else None
        if key is not None:
            keys.setdefault(key, []).append(n)
    return [
        (part, session_name(key))
        for key, members in sorted(keys.items())
        if len(members) >= least
        for part in parted(members, signatures, vectors)
        if len(part) >= least
    ]


def _told(
    runs: Sequence[Run],
    groups: Sequence[tuple[Sequence[int], str]],
    signatures: Sequence[Signature],
    vectors: Any,
    options: Options,
) -> tuple[Intent, ...]:
    members = [group for group, _ in groups]
    keys = [tuple(runs[n].key for n in group) for group in members]
    ids = ["i_" + blake2b("\n".join(group).encode(), digest_size=4).hexdigest() for group in keys]
    where = {n: ids[place] for place, group in enumerate(members) for n in group}
    shape, near = clusters.audit(vectors, members, NEAR)
    found = []
    for place, (group, name) in enumerate(groups):
        calls: Counter[str] = Counter()
        for n in group:
            calls.update({call.name for call in runs[n].calls})
        writes = Counter(tool for n in group for tool in signatures[n])
        ranked = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
        found.append(
            Intent(
                id=ids[place],
                name=name or _name([runs[n] for n in group], writes),
                runs=keys[place],
                tools=tuple(ranked),
                writes=tuple(sorted(writes)),
                silhouette=shape[place],
                provisional=len(group) < options.fewest,
                near=tuple(Neighbour(runs[n].key, like, where.get(n, "")) for n, like in near[place]),
            )
        )
    return tuple(found)


def _name(runs: Sequence[Run], writes: Counter[str]) -> str:
    """What most runs change, else the last thing that most of them call, in the words of the tools."""
    half = len(runs) / 2
    usual = [tool for tool, count in writes.items() if count >= half]
    if not usual:
        last = Counter(run.calls[-1].name for run in runs)
        usual = [min(last, key=lambda tool: (-last[tool], tool))]
        # a shell, or a tool of one word, tells nothing of what it was used for
        bare = is_shell(usual[0]) or len(_PARTS.findall(usual[0])) < 2
        if bare and (words := phrase([run.request for run in runs])):
            return words
    first = {tool: min(_place(run, tool) for run in runs) for tool in usual}
    shown = [_said(tool) for tool in sorted(usual, key=lambda tool: (first[tool], tool))]
    return " and ".join(shown[:2]) + (f" and {len(shown) - 2} more" if len(shown) > 2 else "")


def _place(run: Run, tool: str) -> int:
    return next((call.index for call in run.calls if call.name == tool), len(run.calls))


def _said(tool: str) -> str:
    return " ".join(word.lower() for word in _PARTS.findall(tool)) or tool

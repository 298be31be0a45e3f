"""What does a run change, and may two runs that change different things be one intent?

The signature of a run is the set of tools that it calls and that are known to change something. Runs whose
signatures are contained in each other may be one intent: the smaller one took a branch without the write,
or failed before it. Runs that change things apart are not, and never runs of which one undoes what the
other does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from tracelode.compile import clusters
from tracelode.compile.effects import Knowledge
from tracelode.compile.refuse import opposed
from tracelode.model.run import Run
from tracelode.signals.lexicon import load

Signature: TypeAlias = frozenset[str]
"""Names of tools that change something."""


def signature(run: Run, known: Knowledge) -> Signature:
    """The tools by which a run changes something.

    Args:
        run: which; a call that failed changed nothing.
        known: effects of tools.

    Returns:
        Names; tools of unknown effect and an agent's own tools (shell, editor) are left out: what those
        change is told by their arguments.
    """
    own = load().tools
    shells = load().words["tools"]
    return frozenset(
        call.name
        for call in run.calls
        if not call.error
        and call.name.lower() not in own
        and call.name.lower() not in shells
        and known.of(call).effect not in ("read", "unknown")
    )


def parted(members: Sequence[int], signatures: Sequence[Signature], vectors: Any) -> list[list[int]]:
    """Cut a group where its runs change different things.

    Args:
        members: places of runs, rising.
        signatures: of all runs.
        vectors: of all runs: a run that fits several parts goes to the one whose runs are most like it.

    Returns:
        Parts in order, each rising.
    """
    count = Counter(signatures[n] for n in members)
    whole = [one for one in count if not any(one < other for other in count)]
    whole.sort(key=lambda one: (-count[one], sorted(one)))
    if len(whole) == 1 and not _clash(list(count)):
        return [list(members)]
    parts: dict[Signature, list[int]] = {one: [n for n in members if signatures[n] == one] for one in whole}
    rest = [n for n in members if signatures[n] not in parts]
    rest.sort(key=lambda n: (-count[signatures[n]], sorted(signatures[n]), n))
    seeds = {one: list(part) for one, part in parts.items()}
    for n in rest:
        fit = [
            one
            for one in whole
            if signatures[n] <= one and not _clash([signatures[n], *{signatures[m] for m in parts[one]}])
        ]
        if fit:
            like = clusters.alike(vectors, n, [seeds[one] for one in fit])
            parts[fit[max(range(len(fit)), key=lambda at: (like[at], -at))]].append(n)
        else:
            parts.setdefault(signatures[n], []).append(n)
    return sorted(sorted(part) for part in parts.values())


def _clash(found: Sequence[Signature]) -> bool:
    """Does one signature undo what another one does?"""
    return any(
        opposed(a, z)
        for place, one in enumerate(found)
        for other in found[place + 1 :]
        for a in one - other
        for z in other - one
    )

"""Which runs are told more than once? A fork holds calls of its origin, a copy says the very same.

Several runs speak for a rule because they happened apart. What several files tell of one happening is one
run: else a session that was forked eight times would prove what it did once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec

from tracelode.model.run import Run


def unforked(runs: Sequence[Run]) -> tuple[tuple[Run, ...], int]:
    """Of runs that share calls by inheritance the longest alone.

    Args:
        runs: with the operations of their calls; one without is never a fork.

    Returns:
        (the others in their order, how many were left aside). Runs of different outcomes stay apart: one that
        failed speaks against what its origin did.
    """
    groups: dict[str, list[Run]] = {}
    root = _roots(runs)
    for run in runs:
        groups.setdefault(f"{run.outcome}\0{root[run.key]}", []).append(run)
    kept = {min(group, key=lambda run: (-len(run.calls), run.key)).key for group in groups.values()}
    return tuple(run for run in runs if run.key in kept), len(runs) - len(kept)


def _roots(runs: Iterable[Run]) -> dict[str, str]:
    """Run to a name that all runs have which hang together by shared calls."""
    above: dict[str, str] = {}

    def top(key: str) -> str:
        while above[key] != key:
            above[key] = above[above[key]]
            key = above[key]
        return key

    holder: dict[str, str] = {}
    for run in runs:
        above[run.key] = run.key
        for call in run.calls:
            if call.operation:
                one, other = sorted((top(holder.setdefault(call.operation, run.key)), top(run.key)))
                above[other] = one
    return {key: top(key) for key in above}


def unrepeated(runs: Sequence[Run]) -> tuple[tuple[Run, ...], int]:
    """Of runs with the same requests, calls and outputs the first alone.

    Args:
        runs: whole; one without calls is no copy.

    Returns:
        (the others in their order, how many were left aside).
    """
    alike = Counter(_asked(run) for run in runs)
    first: dict[tuple[object, ...], str] = {}
    for run in runs:
        asked = _asked(run)
        # outputs are large: they are only looked at where the requests and tools are the same
        said = run.key if alike[asked] == 1 or not run.calls else _said(run)
        first.setdefault((*asked, said), run.key)
    kept = set(first.values())
    return tuple(run for run in runs if run.key in kept), len(runs) - len(kept)


def _asked(run: Run) -> tuple[object, ...]:
    called = tuple((c.server, c.name, c.error, c.missing) for c in run.calls)
    return run.outcome, tuple(turn.text for turn in run.turns if turn.role == "user"), called


def _said(run: Run) -> bytes:
    calls = [(c.arguments, c.output) for c in run.calls]
    return blake2b(msgspec.json.encode(calls, order="deterministic"), digest_size=16).digest()

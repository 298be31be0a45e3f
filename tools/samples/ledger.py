"""What is true of the samples? Sums taken while the scenarios are told, independent of any importer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

OPUS = "claude-opus-4-5-20251101"
SONNET = "claude-sonnet-4-5-20250929"
HAIKU = "claude-haiku-4-5-20251001"
KINDS = ("input_fresh", "cache_read", "cache_write_5m", "cache_write_1h", "output")
PRICES = {
    OPUS: (5_000_000, 500_000, 6_250_000, 10_000_000, 25_000_000),
    SONNET: (3_000_000, 300_000, 3_750_000, 6_000_000, 15_000_000),
    HAIKU: (1_000_000, 100_000, 1_250_000, 2_000_000, 5_000_000),
}
"""Picodollars per token, in the order of KINDS: public prices per million tokens times 10^6."""


@dataclass(frozen=True)
class Call:
    """One model call."""

    session: str
    """Id of the root session."""
    agent: str | None
    """Id of the sub-agent, None for the main transcript."""
    project: str
    """Working folder."""
    model: str
    """Model id."""
    step: str
    """Name of the step the scenario was in, empty for none."""
    ended: int
    """Milliseconds since the epoch of the message's last record."""
    tokens: tuple[int, ...]
    """One count per kind of KINDS."""

    @property
    def cost(self) -> int:
        """Picodollars."""
        return sum(n * price for n, price in zip(self.tokens, PRICES[self.model], strict=True))


@dataclass
class Ledger:
    """Everything the scenarios did, each thing once."""

    calls: list[Call] = field(default_factory=list)
    """Model calls in the order told."""
    operations: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    """(session, main or subagent, kind, step) to number."""
    humans: Counter[str] = field(default_factory=Counter)
    """Human moments by kind."""
    events: Counter[str] = field(default_factory=Counter)
    """Things the product wrote that nobody did: boundaries, errors."""
    statuses: Counter[str] = field(default_factory=Counter)
    """How the calls of tools of every kind ended."""
    active: Counter[str] = field(default_factory=Counter)
    """Step to milliseconds in which a model wrote or a tool ran, main transcripts only."""

    def truth(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        sessions = sorted({key[0] for key in self.operations})
        return {
            "schema_version": 1,
            "sessions": len(sessions),
            "session_ids": sessions,
            "subagents": len({c.agent for c in self.calls if c.agent}),
            "forks": self.events["fork"],
            "human": dict(sorted(self.humans.items())),
            "tool_statuses": dict(sorted(self.statuses.items())),
            "events": dict(sorted(self.events.items())),
            **self._sums(self.calls, self.operations),
            "by": {
                "model": self._by(lambda c: c.model),
                "day_utc": self._by(lambda c: f"{datetime.fromtimestamp(c.ended / 1000, UTC):%Y-%m-%d}"),
                "project": self._by(lambda c: c.project),
                "session": {s: self._part(s, place=0) for s in sessions},
                "role": {r: self._part(r, place=1) for r in ("main", "subagent")},
                "step": {s: self._step(s) for s in sorted({k[3] for k in self.operations}) if s},
            },
            "active_ms": dict(sorted(self.active.items())),
        }

    def _sums(self, calls: Iterable[Call], operations: Counter[tuple[str, str, str, str]]) -> dict[str, Any]:
        calls = list(calls)
        kinds: Counter[str] = Counter()
        for (_, _, kind, _), n in operations.items():
            kinds[kind] += n
        return self._money(calls) | {"operations": sum(kinds.values()), "kinds": dict(sorted(kinds.items()))}

    def _money(self, calls: list[Call]) -> dict[str, Any]:
        tokens = {kind: sum(c.tokens[place] for c in calls) for place, kind in enumerate(KINDS)}
        return {"calls": len(calls), "tokens": tokens, "cost_picodollars": sum(c.cost for c in calls)}

    def _by(self, key: Callable[[Call], str]) -> dict[str, Any]:
        return {
            k: self._money([c for c in self.calls if key(c) == k])
            for k in sorted({key(c) for c in self.calls})
        }

    def _step(self, step: str) -> dict[str, Any]:
        return {"sessions": sorted({k[0] for k in self.operations if k[3] == step})} | self._part(
            step, place=3
        )

    def _part(self, value: str, *, place: int) -> dict[str, Any]:
        def of(call: Call) -> str:
            return (call.session, "subagent" if call.agent else "main", "", call.step)[place]

        operations = Counter({k: n for k, n in self.operations.items() if k[place] == value})
        return self._sums((c for c in self.calls if of(c) == value), operations)

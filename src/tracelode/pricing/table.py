"""What did a call cost? One dated price table, one function, integers only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from tracelode.pricing import data
from tracelode.pricing.ids import candidates, normal

_DAY_US = 86_400_000_000
_EPOCH = date(1970, 1, 1).toordinal()
_CACHE = 20_000  # plans kept; a trace with more distinct (model, day) pairs only loses speed
_FEE = 10**9  # dollars per thousand uses to picodollars per use

MOST = 10**18
"""Picodollars: a call above a million dollars is damage, and its tokens are named unpriced."""

_Rates: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Picodollars per token in the order of data.KINDS, and the places of kinds that are not sold."""
_T = TypeVar("_T")

_NOTHING: _Rates = ((0,) * len(data.KINDS), tuple(range(len(data.KINDS))))


class Cost(msgspec.Struct, frozen=True):
    """What one call cost."""

    picodollars: int
    """Everything, fees included; 10^12 make a dollar."""
    fees: int = 0
    """Of it: tool fees, picodollars."""


class _Plan(msgspec.Struct, frozen=True):
    # Everything about a price that does not depend on the counts, worked out once.
    rates: _Rates
    long: tuple[tuple[int, _Rates], ...]  # falling limits
    fees: dict[str, int]


class PriceTable:
    """Dated prices by model.

    Args:
        file: the shipped table.
        own: a user's prices; an entry of the same id replaces the shipped one.
    """

    def __init__(self, file: data.File, own: data.File | None = None) -> None:
        self.version = f"{file.version}+{own.version}" if own else file.version
        """Version of the table; a user's file adds its digest."""
        self._neutral = {key: frozenset(words) for key, words in file.neutral.items()}
        self._fees: dict[str, dict[str, int]] = {}
        self._names: dict[str, set[str]] = {}
        self._ids: dict[str, str] = {}
        self._entries: dict[str, data.Model] = {}
        for part in (file, own) if own else (file,):
            for provider, origin in part.sources.items():
                self._names.setdefault(provider, {provider}).update(origin.names)
            for provider, tools in part.fees.items():
                known = self._fees.setdefault(provider, {})
                known.update((tool, int(fee * _FEE)) for tool, fee in tools.items())
            for model in part.models:
                # A user's entry takes over the shipped aliases of its id as well.
                self._entries[normal(model.id)] = model
                self._ids.update((normal(name), normal(model.id)) for name in (model.id, *model.aliases))
        self._models: dict[str, data.Model | None] = {}
        self._plans: dict[tuple[str, int | None, str | None, str | None, str | None], _Plan | None] = {}

    @classmethod
    def load(cls, override: Path | None = None) -> PriceTable:
        """The shipped table, with a user's prices on top.

        Args:
            override: a JSON or TOML price file, None for the shipped prices alone.

        Returns:
            The table.

        Raises:
            UsageError: the file cannot be read or breaks the form.
        """
        return cls(data.shipped(), data.user(override) if override else None)

    def price(
        self,
        model: str,
        day: date | int | None,
        tokens: Sequence[int],
        *,
        tier: str | None = None,
        speed: str | None = None,
        geo: str | None = None,
        fees: Mapping[str, int] | None = None,
    ) -> Cost | None:
        """Price one model call.

        Args:
            model: model id as the source names it.
            day: day of the call (UTC) or its moment in UTC microseconds; None if unknown, which is
                priced only where the model has had one price all the time.
            tokens: six disjoint counts in the order of the token measures: input_fresh, cache_read,
                cache_write_5m, cache_write_1h, output, reasoning (0 where output holds both).
            tier: service tier, None or a standard word for the standard rate.
            speed: speed the call ran at, likewise.
            geo: geography the call ran in, likewise.
            fees: tool to number of paid uses.

        Returns:
            The cost, exact. None when it is not known: no such model, a day outside its prices, a tier,
            speed, geography or tool without a price, tokens of a kind that is not sold, or a cost
            above MOST.

        Source:
            accounting rules: price of the call's day, long context judged on fresh + read + written.

        Example:
            >>> table = PriceTable.load()
            >>> table.price("claude-haiku-4-5", date(2026, 10, 2), (1000, 0, 0, 0, 100, 0))
            Cost(picodollars=1500000000, fees=0)
            >>> table.price("no-such-model", date(2026, 10, 2), (1000, 0, 0, 0, 100, 0)) is None
            True
        """
        number = day if day is None else day // _DAY_US if isinstance(day, int) else day.toordinal() - _EPOCH
        key = (model, number, tier, speed, geo)
        try:
            plan = self._plans[key]
        except KeyError:
            plan = self._remember(key)
        if plan is None:
            return None
        fresh, read, short, hour, output, reasoning = tokens
        rates = plan.rates
        if plan.long:
            context = fresh + read + short + hour
            for above, longer in plan.long:
                if context > above:
                    rates = longer
                    break
        per, unsold = rates
        for kind in unsold:
            if tokens[kind]:
                return None
        total = fresh * per[0] + read * per[1] + short * per[2] + hour * per[3]
        total += (output + reasoning) * per[4]
        if total > MOST:
            return None
        if not fees:
            return Cost(total)
        paid = 0
        for tool, uses in fees.items():
            if uses:
                if tool not in plan.fees:
                    return None
                paid += uses * plan.fees[tool]
        return Cost(total + paid, paid) if total + paid <= MOST else None

    def find(self, model: str) -> data.Model | None:
        """The entry that prices a model id.

        Args:
            model: model id as the source names it.

        Returns:
            The entry, None when the id is not known.
        """
        if model not in self._models:
            if len(self._models) >= _CACHE:
                self._models.clear()
            self._models[model] = self._find(model)
        return self._models[model]

    def _find(self, model: str) -> data.Model | None:
        for name, prefixes in candidates(model):
            if name in self._ids:
                entry = self._entries[self._ids[name]]
                sellers = self._names.get(entry.provider, {entry.provider})
                if not entry.hosted or sellers.issuperset(prefixes):
                    return entry
        return None

    def _remember(self, key: tuple[str, int | None, str | None, str | None, str | None]) -> _Plan | None:
        if len(self._plans) >= _CACHE:
            self._plans.clear()
        plan = self._plans[key] = self._plan(*key)
        return plan

    def _plan(
        self, model: str, number: int | None, tier: str | None, speed: str | None, geo: str | None
    ) -> _Plan | None:
        entry = self.find(model)
        if entry is None:
            return None
        period = _period(entry, number)
        if period is None:
            return None
        pace = self._factor("speed", speed, period.speeds)
        place = self._factor("geo", geo, period.geos)
        served = self._factor("tier", tier, period.tiers)
        if pace is None or place is None or served is None:
            return None
        if isinstance(served, data.Rates):
            # Such a tier has no price for long contexts: a limit at which nothing is sold says so.
            short = _rates(served, pace * place)
            long = tuple((rates.above, _NOTHING) for rates in period.long[:1])
        else:
            factor = served * pace * place
            short = _rates(period.rates, factor)
            long = tuple((rates.above, _rates(rates, factor)) for rates in reversed(period.long))
        return _Plan(short, long, self._fees.get(entry.provider, {}))

    def _factor(self, kind: str, word: str | None, known: Mapping[str, _T]) -> _T | Decimal | None:
        if word is None:
            return Decimal(1)
        word = word.strip().lower()
        return known.get(word, Decimal(1) if word in self._neutral.get(kind, ()) else None)


def _rates(rates: data.Rates, factor: Decimal) -> _Rates:
    values = data.scaled(rates, factor)
    return tuple(value or 0 for value in values), tuple(i for i, value in enumerate(values) if value is None)


def _period(entry: data.Model, number: int | None) -> data.Period | None:
    if number is None:
        only = entry.prices[0]
        return only if len(entry.prices) == 1 and only.until is None else None
    for period in reversed(entry.prices):
        if period.since.toordinal() - _EPOCH <= number:
            ended = period.until is not None and period.until.toordinal() - _EPOCH < number
            return None if ended else period
    return None
